//! What recording, closing and reading cost, for each message.
//!
//! `cargo run --release -p fourstamp-record --example record_speed [rows] [folder]`
//!
//! All figures are for each message. Times of recording and reading are processor time of the
//! thread that does it. The runs are left in the folder that a second argument names, for
//! comparison with other readers.

use clock::Clock;
use fourstamp_record::{
    Batch, Column, Field, Kind, Mode, NodeSheet, Recorder, RecorderOptions, Row, Run, RunFolder,
    RunInfo, Schema, Values, WhenFull,
};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::path::Path;
use std::time::Instant;

/// What an analysis of stages reads.
const FIELDS: [Field; 11] = [
    Field::Launch,
    Field::Src,
    Field::Dst,
    Field::Kind,
    Field::Bytes,
    Field::Hops,
    Field::Packets,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments.next().map_or(Ok(4_000_000), |rows| rows.parse())?;
    let temporary = tempfile::tempdir()?;
    let folder = arguments.next().map_or_else(|| temporary.path().to_path_buf(), Into::into);
    let block =
        |mode, capacity_rows| RecorderOptions { mode, capacity_rows, when_full: WhenFull::Block };
    measure(&folder.join("memory"), rows, block(Mode::Memory, rows), push)?;
    measure(&folder.join("stream"), rows, block(Mode::Stream, 1 << 18), push)?;
    measure(&folder.join("in-cache"), rows, block(Mode::Memory, RING), in_cache)
}

fn measure(
    path: &Path,
    rows: u64,
    options: RecorderOptions,
    push: fn(&mut Recorder, u64) -> f64,
) -> Result<(), Box<dyn Error>> {
    let (run, mut node) = begin(path, options)?;
    let push_ns = push(&mut node, rows);
    let rows = node.recorded() as f64;
    let begun = Instant::now();
    let pauses = node.finish(Clock::best().anchor())?.pauses;
    let finish_ns = begun.elapsed().as_nanos() as f64 / rows;
    let (begun, own) = (Instant::now(), processor_ns());
    run.close()?;
    let close_ns = begun.elapsed().as_nanos() as f64 / rows;
    let own_ns = (processor_ns() - own) / rows;
    println!("{}: push {push_ns:.1} ns ({pauses} pauses)", path.display());
    println!(
        "  finish {finish_ns:.1} ns, close {close_ns:.1} ns ({own_ns:.1} ns of processor time)"
    );
    read(path, rows)
}

fn begin(path: &Path, options: RecorderOptions) -> Result<(RunFolder, Recorder), Box<dyn Error>> {
    let run = RunFolder::create(path, RunInfo::new("speed"))?;
    let schema = Schema::new(&[Column::Hops, Column::Packets, Column::QueueLength]);
    let node = run.recorder(NodeSheet::new(0, 0, &Clock::best()), &schema, options)?;
    Ok((run, node))
}

/// Time of this thread for each of `rows` rows.
fn push(node: &mut Recorder, rows: u64) -> f64 {
    let begin_ticks = Clock::best().now().0;
    let begun = processor_ns();
    for seq in 0..rows {
        node.push(&row(seq, begin_ticks));
    }
    (processor_ns() - begun) / rows as f64
}

/// Rows of a ring that stays in the cache.
const RING: u64 = 1 << 14;

/// The same without the pauses for a full ring, and with a ring that lies in the cache: the best of
/// its rounds.
fn in_cache(node: &mut Recorder, rows: u64) -> f64 {
    push(node, RING);
    let rounds = (0..rows / RING).map(|_| {
        // This one finds the ring full and waits for it to be written.
        push(node, 1);
        push(node, RING - 1)
    });
    rounds.fold(f64::INFINITY, f64::min)
}

fn row(seq: u64, begin_ticks: u64) -> Row {
    // A step that is not always the same, as cheap as can be.
    let now = begin_ticks + seq * 1700 + (seq.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57);
    Row {
        ready: now,
        sent: now + 90,
        arrived: now + 500 + (seq & 63),
        taken: now + 700 + (seq & 127),
        seq,
        kind: if seq & 1 == 0 { Kind::Data } else { Kind::Reply },
        hops: 1,
        bytes: 8,
        queue_len: (seq & 15) as u32,
        ..Row::between(0, 0)
    }
}

fn read(path: &Path, rows: f64) -> Result<(), Box<dyn Error>> {
    let run = Run::open(path)?;
    let mut batch = Batch::new();
    let mut best = [f64::INFINITY; FIELDS.len()];
    let mut decoded = [false; FIELDS.len()];
    for _ in 0..3 {
        let mut times = [0.0; FIELDS.len()];
        for chunk in run.chunks() {
            for (at, field) in FIELDS.iter().enumerate() {
                let begun = processor_ns();
                chunk.read(&[*field], &mut batch)?;
                times[at] += processor_ns() - begun;
                decoded[at] |= matches!(batch.column(*field), Values::Each(_));
            }
        }
        for (best, time) in best.iter_mut().zip(times) {
            *best = f64::min(*best, time / rows);
        }
    }
    let each = FIELDS.iter().zip(best).zip(decoded).filter(|(_, decoded)| *decoded);
    let each: Vec<String> =
        each.map(|((field, ns), _)| format!("{} {ns:.2}", field.name())).collect();
    println!(
        "  read {:.2} ns: {}; the rest is constant",
        best.iter().sum::<f64>(),
        each.join(", ")
    );
    let files = std::fs::read_dir(path.join("messages"))?.flatten();
    let bytes: u64 = files.map(|file| file.metadata().map_or(0, |metadata| metadata.len())).sum();
    println!("  {:.2} bytes", bytes as f64 / rows);
    Ok(())
}

fn processor_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
