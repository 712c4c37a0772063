//! Logs that do not belong to the run, or that this version cannot read: closing refuses them, and
//! leaves everything as it was.

use crate::cluster::folder::{Left, lay};
use crate::cluster::{Setting, simulate};
use calls::CloseError;
use record::Closing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn logs(path: &Path, seed: u64) {
    let outcome = simulate(Setting { seed, ranks: 3, messages: 100, hosts: 1, asleep_once_in: 20 });
    drop(lay(path, &outcome.logs, |_| Left::Log, outcome.end + 1_000));
}

/// Everything in the run that says something of it.
fn contents(run: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let live = std::fs::read_dir(run.join("live")).unwrap().flatten().map(|entry| entry.path());
    let files = live.chain([run.join("run.json")]).filter(|path| path.is_file());
    files.map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect()
}

/// Closing fails, and changes nothing.
fn refused(run: &Path) -> CloseError {
    let before = contents(run);
    let error = calls::close::close(Closing::of_cut(run).unwrap().unwrap()).unwrap_err();
    assert_eq!(contents(run), before);
    error
}

#[test]
fn a_log_of_another_run_is_refused_by_name_and_the_right_one_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let [run, other] = ["run", "other"].map(|name| folder.path().join(name));
    logs(&run, 1);
    logs(&other, 2);
    let log = |run: &Path| run.join("live/launch-0-node-1.calls");
    let own = std::fs::read(log(&run)).unwrap();
    std::fs::copy(log(&other), log(&run)).unwrap();
    match refused(&run) {
        CloseError::OtherRun { path, found, expected } => {
            assert_eq!(path, log(&run));
            assert_ne!(found, expected);
        }
        error => panic!("{error}"),
    }
    std::fs::write(log(&run), own).unwrap();
    calls::close::close(Closing::of_cut(&run).unwrap().unwrap()).unwrap();
}

#[test]
fn a_log_of_a_newer_version_is_refused_and_kept_for_that() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    logs(&run, 1);
    let log = run.join("live/launch-0-node-2.calls");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes[8] = 200;
    std::fs::write(&log, bytes).unwrap();
    let error = refused(&run);
    assert!(matches!(error, CloseError::Newer { found: 200, .. }), "{error}");
}
