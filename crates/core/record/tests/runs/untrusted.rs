//! A run folder is what somebody sent: whatever it says, only what is provably the run's own is
//! read or removed.

use fourstamp_record::{
    Leftover, NodeSheet, RecordError, RecorderOptions, Run, RunFolder, RunInfo, Stamper, State,
    Verdict,
};
use std::path::{Path, PathBuf};

/// A run in `path` with `rows` rows in the buffer of its only node; both still at work.
fn going_on(path: &Path, rows: u64) -> (RunFolder, Stamper) {
    let run = RunFolder::create(path, RunInfo::new("untrusted")).unwrap();
    let options =
        RecorderOptions { mode: fourstamp_record::Mode::Memory, ..RecorderOptions::default() };
    let mut node = run.stamper(0, false, options).unwrap();
    for _ in 0..rows {
        let now = node.now();
        let header = node.header(0, now, now);
        node.taken(&header, node.now(), 8);
    }
    (run, node)
}

/// As a kill leaves it: the rows are in the buffer and not in the log.
fn kill(run: RunFolder, node: Stamper) {
    use std::os::unix::fs::FileExt;
    const ROWS_IN_THE_LOG: u64 = 32 * 8;
    let path = run.path().to_path_buf();
    let log = path.join("live/launch-0-node-0.log");
    drop((node, run));
    std::fs::File::options().write(true).open(log).unwrap().set_len(64).unwrap();
    let buffer = std::fs::File::options().write(true).open(buffer_of(&path)).unwrap();
    buffer.write_all_at(&[0; 8], ROWS_IN_THE_LOG).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn sheet_of(run: &Path) -> PathBuf {
    run.join("live/launch-0-node-0.json")
}

fn buffer_of(run: &Path) -> PathBuf {
    let sheet = NodeSheet::parse(&std::fs::read(sheet_of(run)).unwrap(), &sheet_of(run)).unwrap();
    sheet.buffer.unwrap()
}

fn name_buffer(run: &Path, buffer: &Path) {
    let mut sheet: serde_json::Value =
        serde_json::from_slice(&std::fs::read(sheet_of(run)).unwrap()).unwrap();
    sheet["buffer"] = serde_json::json!(buffer);
    std::fs::write(sheet_of(run), sheet.to_string()).unwrap();
}

#[test]
fn a_file_that_a_sheet_names_as_its_buffer_is_neither_read_nor_removed() {
    let home = tempfile::tempdir().unwrap();
    let (one, other) = (home.path().join("one"), home.path().join("other"));
    let (run, node) = going_on(&one, 10);
    let (another, its_node) = going_on(&other, 7);
    kill(run, node);
    kill(another, its_node);
    let thesis = home.path().join("thesis");
    std::fs::write(&thesis, vec![b'x'; 5000]).unwrap();
    let shared = memory::shared_folder();
    let lookalike = shared.join(format!("thesis-{:032x}", memory::new_owner()));
    std::fs::write(&lookalike, vec![b'x'; 5000]).unwrap();
    let (mine, theirs) = (buffer_of(&one), buffer_of(&other));
    let around = shared.join("..").join("shm").join(theirs.file_name().unwrap());
    for named in [&thesis, &lookalike, &theirs, &around] {
        let copied = home.path().join("copied");
        copy(&one, &copied);
        name_buffer(&copied, named);
        let run = Run::open(&copied).unwrap();
        assert_eq!((run.rows(), run.info.lost.missing_buffers), (0, 1), "{}", named.display());
        assert!(run.info.failures[0].contains("names"), "{:?}", run.info.failures);
        assert!(thesis.exists() && lookalike.exists() && theirs.exists() && mine.exists());
        std::fs::remove_dir_all(&copied).unwrap();
    }
    std::fs::remove_file(lookalike).unwrap();
    assert_eq!((Run::open(&one).unwrap().rows(), Run::open(&other).unwrap().rows()), (10, 7));
    assert!(!mine.exists() && !theirs.exists());
}

#[test]
fn the_reader_of_a_copy_leaves_the_run_that_goes_on_its_rows() {
    let home = tempfile::tempdir().unwrap();
    let (original, copied) = (home.path().join("run"), home.path().join("copy"));
    let (run, node) = going_on(&original, 25);
    copy(&original, &copied);
    let read = Run::open(&copied).unwrap();
    assert_eq!((read.info.state, read.info.lost.missing_buffers), (State::Cut, 1));
    assert!(read.info.failures[0].contains("is in use"), "{:?}", read.info.failures);
    assert!(buffer_of(&original).exists());
    node.finish().unwrap();
    assert_eq!(run.close().unwrap().rows(), 25);
}

#[test]
fn the_reader_of_a_copy_of_a_killed_run_leaves_the_buffer_to_the_original() {
    let home = tempfile::tempdir().unwrap();
    let [original, copied, moved] = ["run", "copy", "moved"].map(|name| home.path().join(name));
    let (run, node) = going_on(&original, 25);
    kill(run, node);
    let buffer = buffer_of(&original);
    copy(&original, &copied);
    assert_eq!(Run::open(&copied).unwrap().rows(), 25);
    assert!(buffer.exists());
    std::fs::rename(&original, &moved).unwrap();
    assert_eq!(Run::open(&moved).unwrap().rows(), 25);
    assert!(!buffer.exists());
}

#[test]
fn what_was_left_before_there_was_a_sheet_goes_when_the_run_is_read() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("untrusted")).unwrap();
    let links = memory::shared_folder().join(run.info().id.unwrap().name_of("links"));
    drop(memory::Region::create(&links, 100).unwrap());
    drop(run);
    let leftover = || Leftover::all().into_iter().find(|leftover| leftover.path == links);
    // Whoever makes a run meanwhile may have removed it.
    assert!(leftover().is_none_or(|leftover| leftover.verdict == Verdict::Useless));
    assert!(Run::open(&path).unwrap().info.lost.cut);
    assert!(leftover().is_none());
}

#[test]
fn unread_rows_are_no_rubbish_until_their_run_is_read_or_gone() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (run, node) = going_on(&path, 3);
    let buffer = buffer_of(&path);
    let verdict = || {
        Leftover::all().into_iter().find(|leftover| leftover.path == buffer).map(|it| it.verdict)
    };
    assert_eq!(verdict(), Some(Verdict::InUse));
    kill(run, node);
    let (run, rows) = (path.canonicalize().unwrap(), 3);
    assert_eq!(verdict(), Some(Verdict::Unread { run: run.clone(), rows }));
    // Nor is a buffer in which nothing is left: its reader would take rows for lost.
    let empty = home.path().join("empty");
    let (other, other_node) = going_on(&empty, 3);
    let kept = buffer_of(&empty);
    drop((other_node, other));
    drop(RunFolder::create(home.path().join("next"), RunInfo::new("untrusted")).unwrap());
    assert!(kept.exists());
    assert_eq!(Run::open(&empty).unwrap().info.lost.missing_buffers, 0);
    assert!(!kept.exists());
    std::fs::remove_dir_all(&path).unwrap();
    // Whoever cleans up meanwhile may have removed it.
    assert!(verdict().is_none_or(|verdict| verdict == Verdict::Orphaned { run, rows }));
    for leftover in Leftover::all().into_iter().filter(|leftover| leftover.path == buffer) {
        leftover.remove().unwrap();
    }
    assert_eq!(verdict(), None);
}

#[test]
fn a_log_without_its_sheet_is_counted_named_and_kept() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (run, node) = going_on(&path, 1000);
    drop((node, run));
    std::fs::remove_file(sheet_of(&path)).unwrap();
    let info = Run::open(&path).unwrap().info;
    assert_eq!((info.rows(), info.lost.rows_without_sheet), (0, 1000));
    assert!(
        info.failures[0].contains("live/launch-0-node-0.json is missing"),
        "{:?}",
        info.failures
    );
    assert!(path.join("unread/launch-0-node-0.log").exists());
}

#[test]
fn a_messages_file_that_run_json_does_not_name_is_counted_and_named() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("run");
    let (run, node) = going_on(&path, 1000);
    node.finish().unwrap();
    run.close().unwrap();
    let json = path.join("run.json");
    let mut info: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
    info["launches"] = serde_json::json!([]);
    std::fs::write(&json, info.to_string()).unwrap();
    let run = Run::open(&path).unwrap();
    assert_eq!((run.rows(), run.info.lost.rows_without_sheet), (0, 1000));
    assert!(
        run.info.failures[0].contains("messages/launch-0-node-0.parquet"),
        "{:?}",
        run.info.failures
    );
}

#[test]
fn nothing_is_written_through_links_and_no_pipe_is_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    for name in ["live", "messages", "causes", "mpi", "sockets"] {
        let path = home.path().join(name);
        let (run, node) = going_on(&path, 5);
        drop((node, run));
        let _ = std::fs::remove_dir_all(elsewhere.join("x"));
        let folder = path.join(name);
        if folder.exists() {
            std::fs::rename(&folder, elsewhere.join("x")).unwrap();
        } else {
            std::fs::create_dir(elsewhere.join("x")).unwrap();
        }
        std::os::unix::fs::symlink(elsewhere.join("x"), &folder).unwrap();
        let before = std::fs::read_dir(elsewhere.join("x")).unwrap().count();
        assert!(matches!(Run::open(&path), Err(RecordError::Damaged { .. })), "{name}");
        assert_eq!(std::fs::read_dir(elsewhere.join("x")).unwrap().count(), before, "{name}");
    }
    for name in ["run.json", "live/lock", "live/launch-0-node-0.json", "live/launch-0-node-0.log"] {
        let path = home.path().join("piped");
        let (run, node) = going_on(&path, 5);
        drop((node, run));
        std::fs::remove_file(path.join(name)).unwrap();
        let kind = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path.join(name), kind, mode, 0).unwrap();
        // An error or a note, as the file is of one node or of the run; but an answer.
        let _ = Run::open(&path);
        std::fs::remove_dir_all(&path).unwrap();
    }
}
