//! Writes small sound files of every kind to `fuzz/corpus`, for the fuzzer to begin with.
//!
//! `cargo run -p fourstamp-record --example fuzz_seeds [folder]`

use clock::Clock;
use fourstamp_record::{
    ABSENT, Column, Header, How, Kind, NodeSheet, RecorderOptions, Row, RunFolder, RunInfo, Schema,
};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let corpus =
        std::env::args_os().nth(1).map_or_else(|| PathBuf::from("fuzz/corpus"), PathBuf::from);
    for target in ["live_log", "run_json", "messages", "header"] {
        fs::create_dir_all(corpus.join(target))?;
    }
    seed(&corpus, "base", &[], 3)?;
    seed(&corpus, "many", &[Column::Hops, Column::QueueLength], 300)?;
    seed(&corpus, "extras", &Column::ALL, 40)?;
    seed(&corpus, "empty", &[], 0)?;
    let now = Clock::best().now();
    let header = Header { kind: Kind::Reply, src: 1, dst: 2, seq: 3, ready: now, sent: now };
    fs::write(corpus.join("header/one"), header.to_bytes())?;
    Ok(())
}

fn seed(corpus: &Path, name: &str, columns: &[Column], rows: u64) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("run");
    let clock = Clock::best();
    let run = RunFolder::create(&path, RunInfo::new("seed"))?;
    let schema = Schema::new(columns);
    let mut node =
        run.recorder(NodeSheet::new(0, 0, &clock), &schema, RecorderOptions::default())?;
    let extras = vec![1; schema.extras().count()];
    for seq in 0..rows {
        let now = clock.now().0;
        node.push_with(&row(seq, now), &extras);
    }
    node.finish(clock.anchor())?;
    fs::copy(path.join("live/launch-0-node-0.log"), corpus.join("live_log").join(name))?;
    fs::copy(
        path.join("live/launch-0-node-0.json"),
        corpus.join("run_json").join(format!("{name}-sheet")),
    )?;
    run.close()?;
    fs::copy(path.join("run.json"), corpus.join("run_json").join(name))?;
    fs::copy(path.join("messages/launch-0-node-0.parquet"), corpus.join("messages").join(name))?;
    Ok(())
}

/// Rows of two kinds, some without an arrival, so that every shape of page is among the seeds.
fn row(seq: u64, now: u64) -> Row {
    Row {
        ready: now,
        sent: now + 20,
        arrived: if seq.is_multiple_of(5) { ABSENT } else { now + 200 },
        taken: now + 300,
        seq,
        kind: if seq.is_multiple_of(3) { Kind::Data } else { Kind::Reply },
        hops: 1,
        arrived_how: if seq.is_multiple_of(2) { How::Observed } else { How::Bracketed },
        bytes: 8,
        in_flight: (seq % 20) as u32,
        queue_len: (seq % 7) as u32,
        ..Row::between(0, 0)
    }
}
