use super::*;
use crate::{NodeSheet, RecorderOptions, Run, RunFolder, RunInfo, Schema};
use clock::{Clock, Ticks};
use std::fs::File;
use std::io::Write;

/// A run with one node, whose watcher noted these spans (ticks from its first anchor on); closed.
fn run_with(
    spans: &[(Cause, u64, i64)],
    damage: impl Fn(&std::path::Path),
) -> (tempfile::TempDir, Run) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let open = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let clock = Clock::system();
    let sheet = NodeSheet::new(0, 0, &clock);
    let recorder = open.recorder(sheet, &Schema::default(), RecorderOptions::default()).unwrap();
    let begin = clock.now();
    let mut log = CauseLog::begin(&open.live(), 0, 0).unwrap();
    for (cause, after, amount) in spans {
        log.note(*cause, Ticks(begin.0 + after), Ticks(begin.0 + after + 10), *amount);
        log.flush().unwrap();
    }
    std::thread::sleep(std::time::Duration::from_millis(5));
    recorder.finish(clock.anchor()).unwrap();
    damage(&open.live().join("launch-0-node-0.causes.log"));
    open.close().unwrap();
    (folder, Run::open(path).unwrap())
}

#[test]
fn what_a_watcher_saw_is_on_the_timeline_when_the_run_is_closed() {
    let noted = [(Cause::Watched, 0, 0), (Cause::RunQueue, 1000, 250), (Cause::Resent, 2000, 3)];
    let (_folder, run) = run_with(&noted, |_| {});
    let causes = run.causes().unwrap();
    assert_eq!(causes.len(), 1);
    let seen: Vec<_> = causes[0].spans.iter().map(|span| (span.cause, span.amount)).collect();
    assert_eq!(seen, [(Cause::Watched, 0), (Cause::RunQueue, 250), (Cause::Resent, 3)]);
    let [first, second, ..] = causes[0].spans[..] else { panic!("three spans") };
    assert!((second.from_ns - first.from_ns - 1000).abs() <= 1, "{first:?} {second:?}");
    assert!(!run.path().join("live").exists());
}

#[test]
fn a_log_that_was_cut_in_a_write_gives_back_what_is_whole() {
    let cut = |log: &std::path::Path| {
        let bytes = std::fs::read(log).unwrap();
        std::fs::write(log, &bytes[..bytes.len() - 20]).unwrap();
    };
    let (_folder, run) = run_with(&[(Cause::Watched, 0, 0), (Cause::Steal, 1, 2)], cut);
    assert_eq!(run.causes().unwrap()[0].spans.len(), 1);
}

#[test]
fn damage_is_noted_and_keeps_nothing_from_being_closed() {
    let garble = |log: &std::path::Path| {
        File::options().append(true).open(log).unwrap().write_all(&[7; 64]).unwrap();
    };
    let (_folder, run) = run_with(&[(Cause::Watched, 0, 0)], garble);
    assert_eq!(run.causes().unwrap()[0].spans.len(), 1);
    assert!(run.info.notes.iter().any(|note| note.contains("1 damaged")), "{:?}", run.info.notes);
    let headless = |log: &std::path::Path| std::fs::write(log, [0; 64]).unwrap();
    let (_folder, run) = run_with(&[(Cause::Watched, 0, 0)], headless);
    assert!(run.causes().unwrap().is_empty());
    assert!(
        run.info.notes.iter().any(|note| note.contains("header of the watcher")),
        "{:?}",
        run.info.notes
    );
}

#[test]
fn names_are_those_that_serde_gives() {
    for (code, cause) in Cause::ALL.into_iter().enumerate() {
        assert_eq!(cause as usize, code);
        assert_eq!(serde_json::to_string(&cause).unwrap(), format!("\"{}\"", cause.name()));
    }
}
