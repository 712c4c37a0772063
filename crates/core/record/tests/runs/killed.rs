//! `kill -9` in the middle of a run: a real child process, really killed.

use clock::Clock;
use fourstamp_record::{
    Batch, Field, Mode, NodeSheet, RecordError, RecorderOptions, Row, Run, RunFolder, RunInfo,
    Schema, State, Values, WhenFull,
};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Tells the child what to do: the mode and the folder.
const MODE: &str = "FOURSTAMP_TEST_CHILD_MODE";
const FOLDER: &str = "FOURSTAMP_TEST_CHILD_FOLDER";

#[test]
fn a_run_in_memory_that_is_killed_keeps_its_rows() {
    killed_run_keeps_its_rows("memory");
}

#[test]
fn a_streamed_run_that_is_killed_keeps_its_rows() {
    killed_run_keeps_its_rows("stream");
}

fn killed_run_keeps_its_rows(mode: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--nocapture"])
        .env(MODE, mode)
        .env(FOLDER, &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    // It says after each thousand rows how many it has recorded.
    let mut rows = 0;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(1200) {
        let line = told.next().expect("the child goes on until it is killed").unwrap();
        rows = line.strip_prefix("rows ").map_or(rows, |count| count.parse().unwrap());
    }
    assert!(
        matches!(Run::open(&path), Err(RecordError::GoingOn { .. })),
        "a run that goes on is refused"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(rows > 1000, "the child recorded {rows} rows");
    check(&path, rows);
}

/// Who kills a process hears of its end while the system still takes back what it held, its locks
/// last.
#[test]
fn a_run_whose_last_process_is_just_dying_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, RunInfo::new("test")).unwrap();
    let dying = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(run);
    });
    let read = Run::open(&path).map(|run| run.info.state);
    dying.join().unwrap();
    assert_eq!(read.unwrap(), State::Cut);
}

/// Rows are in memory before the child says so, so every one it spoke of must be there: more than
/// the promised "everything older than a second".
fn check(path: &Path, rows_at_least: u64) {
    let run = Run::open(path).unwrap();
    assert_eq!(run.info.state, State::Cut);
    assert!(run.info.lost.cut);
    assert_eq!(
        (run.info.lost.damaged_rows, run.info.lost.missing_buffers),
        (0, 0),
        "{:?}",
        run.info
    );
    assert!(run.rows() >= rows_at_least, "{} rows of {rows_at_least}", run.rows());
    let mut batch = Batch::new();
    let mut next = 0;
    for chunk in run.chunks() {
        chunk.read(&[Field::Seq, Field::ReadyNs, Field::TakenNs], &mut batch).unwrap();
        for row in 0..chunk.rows() {
            assert_eq!(batch.column(Field::Seq).at(row), next);
            let (ready, taken) =
                (batch.column(Field::ReadyNs).at(row), batch.column(Field::TakenNs).at(row));
            assert!(0 <= ready && ready < taken && taken < 60_000_000_000, "{ready} {taken}");
            next += 1;
        }
        assert!(matches!(batch.column(Field::ReadyNs), Values::Each(_)));
    }
    assert!(!path.join("live").exists());
    let buffers = std::fs::read_dir(memory_folder()).unwrap().flatten();
    let ours = run.info.id.unwrap().name_of("");
    assert!(
        !buffers.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with(&ours))
    );
    // A second reader finds a closed run.
    assert_eq!(Run::open(path).unwrap().info, run.info);
}

fn memory_folder() -> std::path::PathBuf {
    memory::shared_folder()
}

/// Not a test by itself: the process that is killed. Without its instructions it has nothing to do.
#[test]
fn child() {
    let (Ok(mode), Ok(path)) = (std::env::var(MODE), std::env::var(FOLDER)) else { return };
    let clock = Clock::best();
    let run = RunFolder::create(path, RunInfo::new("killed")).unwrap();
    let options = RecorderOptions {
        mode: if mode == "memory" { Mode::Memory } else { Mode::Stream },
        capacity_rows: 1 << 16,
        when_full: WhenFull::Block,
    };
    let mut node = run.recorder(NodeSheet::new(0, 0, &clock), &Schema::default(), options).unwrap();
    for seq in 0.. {
        let ready = clock.now().0;
        if seq % 100 == 0 {
            std::thread::sleep(Duration::from_micros(100));
        }
        node.push(&row(seq, ready, clock.now().0));
        if seq % 1000 == 999 {
            println!("rows {}", node.recorded());
        }
    }
}

fn row(seq: u64, ready: u64, taken: u64) -> Row {
    Row {
        ready,
        sent: ready,
        arrived: taken,
        taken: taken + 1000,
        seq,
        bytes: 8,
        ..Row::between(0, 0)
    }
}
