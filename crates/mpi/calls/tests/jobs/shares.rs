//! A run closed in shares, one after another or by several at once, is the run closed in one piece.

use crate::cluster::folder::{Left, lay};
use crate::cluster::random::Random;
use crate::cluster::windows::{Library, Windows};
use crate::cluster::{Setting, simulate};
use calls::CloseError;
use calls::close::{close_in, close_together, help};
use record::{Closing, RunInfo};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Logs of seven ranks, of which one is cut: some messages have no partner, and some pairs of ranks
/// are in doubt.
fn logs(folder: &Path, seed: u64) -> PathBuf {
    let setting = Setting { seed, ranks: 7, messages: 600, hosts: 2, asleep_once_in: 20 };
    let mut outcome = simulate(setting);
    let now = vec![outcome.end + 1_000_000; 7];
    let (random, library) = (&mut Random::new(seed), Library::Needed);
    let logs = &mut outcome.logs;
    let end = Windows { random, library, logs, now, held: Vec::new() }.rounds(60);
    let words = &mut outcome.logs[3].words;
    words.truncate(words.len() / 2);
    let path = folder.join("logs");
    drop(lay(&path, &outcome.logs, |_| Left::Log, end + 1_000));
    path
}

/// The same logs once more.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => std::fs::copy(entry.path(), to).map(|_| ()).unwrap(),
        }
    }
}

/// Everything that closing has written but the moment.
fn written(run: &Path, info: RunInfo) -> (BTreeMap<PathBuf, Vec<u8>>, String) {
    let mut files = BTreeMap::new();
    for folder in ["messages", "mpi"] {
        for entry in std::fs::read_dir(run.join(folder)).unwrap().flatten() {
            let name = Path::new(folder).join(entry.file_name());
            files.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
    let info = RunInfo { closed: None, ..info };
    (files, serde_json::to_string(&info).unwrap())
}

fn closing(run: &Path) -> Closing {
    Closing::of_cut(run).unwrap().unwrap()
}

fn in_turn(run: &Path, shares: u32) -> RunInfo {
    close_in(closing(run), shares, &mut |_, _| {}).unwrap()
}

fn at_once(run: &Path, shares: u32) -> RunInfo {
    std::thread::scope(|scope| {
        for at in 1..shares {
            scope.spawn(move || help(run, at, shares, &mut |_, _| {}).unwrap());
        }
        close_together(closing(run), shares, &mut |_, _| {}).unwrap()
    })
}

#[test]
fn shares_give_the_same_run_byte_for_byte() {
    for seed in [1, 2, 3] {
        let folder = tempfile::tempdir().unwrap();
        let logs = logs(folder.path(), seed);
        let closed = |name: &str, how: &dyn Fn(&Path) -> RunInfo| {
            let run = folder.path().join(name);
            copy(&logs, &run);
            let info = how(&run);
            written(&run, info)
        };
        let whole = closed("whole", &|run| in_turn(run, 1));
        let mpi = serde_json::from_str::<serde_json::Value>(&whole.1).unwrap()["parameters"]["mpi"]
            .clone();
        assert!(mpi["unmatched_sends"].as_u64().unwrap() > 0, "{mpi}");
        assert!(mpi["blocking"]["epochs_compared"].as_u64().unwrap() > 0, "{mpi}");
        assert!(mpi["blocking"]["epochs_not_compared"].as_u64().unwrap() > 0, "{mpi}");
        for shares in [2, 3, 8] {
            assert_eq!(closed(&format!("turn-{shares}"), &|run| in_turn(run, shares)), whole);
            assert_eq!(closed(&format!("once-{shares}"), &|run| at_once(run, shares)), whole);
        }
    }
}

#[test]
fn who_comes_too_late_finds_the_run_closed() {
    let folder = tempfile::tempdir().unwrap();
    let run = logs(folder.path(), 1);
    in_turn(&run, 2);
    help(&run, 1, 2, &mut |_, _| {}).unwrap();
}

#[test]
fn one_that_dies_is_named_and_the_run_can_be_closed_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = &logs(folder.path(), 1);
    std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            let died = &mut |_: u64, _: u64| std::panic::resume_unwind(Box::new("killed"));
            help(run, 1, 2, died)
        });
        let failed = close_together(closing(run), 2, &mut |_, _| {});
        match other.join() {
            Err(_) => {
                assert!(matches!(failed, Err(CloseError::ShareGone { at: 1, of: 2 })));
            }
            Ok(done) => panic!("it never said how far it was: {done:?}"),
        }
    });
    assert!(in_turn(run, 2).rows() > 0);
}
