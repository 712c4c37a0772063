//! What cannot be written or read ends in one clear line, and what was there before stays.

use clock::Clock;
use fourstamp_record::{
    ABSENT, Batch, Field, Kind, Mode, NodeSheet, RecordError, Recorder, RecorderOptions, Row, Run,
    RunFolder, RunInfo, Schema, State, WhenFull,
};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::process::Command;

fn row(seq: u64) -> Row {
    Row {
        ready: seq * 1000,
        sent: seq * 1000 + 17 * (seq % 13),
        arrived: if seq.is_multiple_of(7) { ABSENT } else { seq * 1000 + 400 },
        taken: seq * 1000 + 500,
        seq,
        kind: if seq.is_multiple_of(3) { Kind::Data } else { Kind::Reply },
        hops: 1,
        bytes: 8 + seq % 3,
        ..Row::between(0, 0)
    }
}

fn begin(path: &Path, options: RecorderOptions) -> (RunFolder, Recorder) {
    let run = RunFolder::create(path, RunInfo::new("test")).unwrap();
    let sheet = NodeSheet::new(0, 0, &Clock::system());
    let node = run.recorder(sheet, &Schema::default(), options).unwrap();
    (run, node)
}

fn small_run(path: &Path, rows: u64) {
    let (run, mut node) = begin(path, RecorderOptions::default());
    (0..rows).for_each(|seq| node.push(&row(seq)));
    node.finish(Clock::system().anchor()).unwrap();
    run.close().unwrap();
}

fn messages_file(path: &Path) -> PathBuf {
    path.join("messages/launch-0-node-0.parquet")
}

/// Read everything there is, as a reader of any kind would.
fn read_all(path: &Path) -> Result<u64, RecordError> {
    let run = Run::open(path)?;
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&Field::ALL, &mut batch)?;
    }
    Ok(run.rows())
}

/// The error of reading a run, which must be one line that names the file and nothing of the
/// machinery inside.
fn refused(path: &Path, file: &Path) -> String {
    let line = read_all(path).expect_err("must be refused").to_string();
    assert!(line.contains(&*file.to_string_lossy()), "{line}");
    assert!(!line.contains('\n'), "{line}");
    line
}

#[test]
fn a_folder_with_something_in_it_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("thesis.tex"), "years of work").unwrap();
    let refused = RunFolder::create(folder.path(), RunInfo::new("test")).err().unwrap().to_string();
    assert!(refused.contains("is not empty"), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_is_no_run_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Run::open(folder.path()).err().unwrap().to_string();
    assert!(refused.contains("is not a run"), "{refused}");
    let refused = Run::open(folder.path().join("missing")).err().unwrap().to_string();
    assert!(refused.contains("is not a run"), "{refused}");
}

/// As the folder of a tour, or of a study.
#[test]
fn of_a_folder_of_runs_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study");
    std::fs::create_dir(&study).unwrap();
    small_run(&study.join("a"), 3);
    for outer in [&study, folder.path()] {
        let said = Run::open(outer).err().unwrap().to_string();
        let end = format!("such as {}", study.join("a").display());
        assert!(said.contains("is not a run") && said.ends_with(&end), "{said}");
    }
}

/// As in a copy that was cut short.
#[test]
fn messages_that_are_not_there_are_said_to_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    small_run(&path, 3);
    std::fs::remove_dir_all(path.join("messages")).unwrap();
    let said = read_all(&path).unwrap_err().to_string();
    assert!(said.starts_with("messages are missing") && said.ends_with("copy?"), "{said}");
}

#[test]
fn one_node_is_recorded_once_and_a_run_that_ended_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, node) = begin(&path, RecorderOptions::default());
    let joined = RunFolder::join(&path).unwrap();
    let again = joined.recorder(
        NodeSheet::new(0, 0, &Clock::system()),
        &Schema::default(),
        RecorderOptions::default(),
    );
    assert!(matches!(again, Err(RecordError::NodeTaken { launch: 0, node: 0, .. })));
    assert!(matches!(Run::open(&path), Err(RecordError::GoingOn { .. })));
    drop(joined);
    node.finish(Clock::system().anchor()).unwrap();
    run.close().unwrap();
    assert!(matches!(RunFolder::join(&path), Err(RecordError::Ended { .. })));
    let sheet = NodeSheet::new(0, 1, &Clock::system());
    let options = RecorderOptions { capacity_rows: 0, ..RecorderOptions::default() };
    let run = RunFolder::create(folder.path().join("other"), RunInfo::new("test")).unwrap();
    assert!(matches!(
        run.recorder(sheet, &Schema::default(), options),
        Err(RecordError::Capacity { rows: 0 })
    ));
}

#[test]
fn a_node_that_fails_without_an_end_leaves_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, mut node) = begin(&path, RecorderOptions::default());
    (0..100).for_each(|seq| node.push(&row(seq)));
    drop(node);
    let info = run.close().unwrap();
    assert_eq!((info.state, info.lost.cut), (State::Cut, true));
    assert_eq!(read_all(&path).unwrap(), 100);
}

#[test]
fn damaged_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    small_run(&path, 1000);
    let file = messages_file(&path);
    let sound = std::fs::read(&file).unwrap();
    assert_eq!(read_all(&path).unwrap(), 1000);
    std::fs::write(&file, b"").unwrap();
    refused(&path, &file);
    std::fs::write(&file, vec![0xa5; 100_000]).unwrap();
    refused(&path, &file);
    std::fs::write(&file, &sound[..sound.len() / 2]).unwrap();
    refused(&path, &file);
    std::fs::remove_file(&file).unwrap();
    refused(&path, &file);
    std::fs::write(&file, &sound).unwrap();
    let info = path.join("run.json");
    let text = std::fs::read_to_string(&info).unwrap();
    std::fs::write(&info, "").unwrap();
    refused(&path, &info);
    std::fs::write(&info, text.replacen("\"format\": 1", "\"format\": 99", 1)).unwrap();
    assert!(refused(&path, &info).contains("format 99"));
    std::fs::write(&info, text.replace("messages/launch-0", "../launch-0")).unwrap();
    assert!(refused(&path, &info).contains("outside the run"));
}

#[test]
fn every_single_damaged_byte_gives_rows_or_an_error_and_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    small_run(&path, 300);
    let file = messages_file(&path);
    let sound = std::fs::read(&file).unwrap();
    let mut refused = 0;
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x5a;
        std::fs::write(&file, &bytes).unwrap();
        refused += usize::from(read_all(&path).is_err());
    }
    assert!(refused > 0, "no damage at all was noticed");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn noise_is_never_a_run_file(noise in prop::collection::vec(any::<u8>(), 0..3000)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        small_run(&path, 1);
        std::fs::write(messages_file(&path), &noise).unwrap();
        prop_assert!(read_all(&path).is_err());
        std::fs::write(path.join("run.json"), &noise).unwrap();
        prop_assert!(read_all(&path).is_err());
    }
}

/// A small file system of its own, unmounted when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(size: &str) -> Result<SmallDisk, String> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output()
            .map_err(|error| error.to_string())?;
        if mounted.status.success() {
            Ok(SmallDisk(folder))
        } else {
            Err(String::from_utf8_lossy(&mounted.stderr).trim().to_string())
        }
    }

    fn fill(&self, filler: &Path) {
        use std::io::Write;
        let mut file = std::fs::File::create(filler).unwrap();
        while file.write_all(&[0; 512]).is_ok() {}
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", options]).arg(self.0.path()).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

macro_rules! small_disk {
    ($size:expr) => {
        match SmallDisk::new($size) {
            Ok(disk) => disk,
            Err(reason) => {
                eprintln!("skipped: a small file system cannot be mounted here ({reason})");
                return;
            }
        }
    };
}

#[test]
fn a_full_disk_keeps_what_was_recorded_and_closing_works_once_there_is_room() {
    for mode in [Mode::Memory, Mode::Stream] {
        let disk = small_disk!("1m");
        // What is removed in the end: room for the messages, however full the logs had made the
        // disk.
        let ballast = disk.0.path().join("ballast");
        std::fs::write(&ballast, vec![1; 512 << 10]).unwrap();
        let path = disk.0.path().join("run");
        let options = RecorderOptions { mode, capacity_rows: 1 << 14, when_full: WhenFull::Block };
        let (run, mut node) = begin(&path, options);
        let mut pushed = 0;
        while node.dropped() == 0 {
            node.push(&row(pushed));
            pushed += 1;
            assert!(pushed < 1_000_000, "a disk of 512 KiB does not take a million rows");
        }
        let told = node.check().expect_err("the disk is full");
        assert!(told.is_disk_full() && told.to_string().contains("launch-0-node-0.log"), "{told}");
        let recorded = node.recorded();
        assert!(recorded >= 1 << 14, "the buffer holds out beyond the disk");
        assert!(
            node.finish(Clock::system().anchor()).expect_err("no room for the rest").is_disk_full()
        );
        let filler = disk.0.path().join("filler");
        disk.fill(&filler);
        assert!(run.close().expect_err("no room for the messages").is_disk_full());
        assert!(path.join("live").exists(), "the live logs stay until the run is closed");
        [filler, ballast].iter().for_each(|file| std::fs::remove_file(file).unwrap());
        assert_eq!(read_all(&path).unwrap(), recorded);
        let info = Run::open(&path).unwrap().info;
        assert!(info.lost.dropped_rows > 0 && info.lost.damaged_rows == 0, "{:?}", info.lost);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_with_a_remedy() {
    let disk = small_disk!("1m");
    let path = disk.0.path().join("run");
    let (run, node) = begin(&path, RecorderOptions::default());
    drop((run, node));
    disk.remount("remount,ro");
    for refused in [
        RunFolder::create(disk.0.path().join("new"), RunInfo::new("test")).err().unwrap(),
        Run::open(&path).err().unwrap(),
    ] {
        let line = refused.to_string();
        assert!(line.contains("choose a folder that you may write to"), "{line}");
    }
}
