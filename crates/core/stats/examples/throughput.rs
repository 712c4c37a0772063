//! How many messages a second one core takes in: `cargo run --release -p fourstamp-stats --example
//! throughput [millions [shape]]`.
//!
//! Prints, beside the accumulator's rate in several shapes of run, that of the distribution alone,
//! the floor. Times are those on the core.

use fourstamp_stats::{Accumulator, Columns, Distribution, FileRows, Options, Position};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use record::{Field, Kind, Values};

const ROWS: usize = 1 << 16;
const LAUNCHES: u64 = 10;

/// Columns of one batch.
struct Made {
    stamps: [Vec<i64>; 4],
    src: Vec<i64>,
    bytes: Vec<i64>,
    in_flight: Vec<i64>,
    seq: Vec<i64>,
    kind: Vec<i64>,
    object: Vec<i64>,
    events: Vec<i64>,
    virtual_time: Vec<i64>,
}

fn main() {
    let millions: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    let made = make(1);
    distribution_alone(&made, millions);
    run("stamps only", &made, millions, |made| plain(made));
    run("and in-flight counts", &made, millions, |made| {
        plain(made).with(Field::InFlight, Values::Each(&made.in_flight))
    });
    run("from 7 nodes", &made, millions, |made| {
        plain(made).with(Field::Src, Values::Each(&made.src))
    });
    run("of 500 sizes", &made, millions, |made| {
        plain(made).with(Field::Bytes, Values::Each(&made.bytes))
    });
    run("of 500 from 7 nodes", &made, millions, |made| {
        let each = [(Field::Src, &made.src), (Field::Bytes, &made.bytes)];
        each.iter().fold(plain(made), |all, (field, of)| all.with(*field, Values::Each(of)))
    });
    run("of a simulation", &made, millions, simulation);
    run("of an MPI program", &made, millions, mpi);
}

fn make(seed: u64) -> Made {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut long = |scale: f64| (scale * (-(1.0 - random.random::<f64>()).ln()).powf(1.7)) as i64;
    let mut stamps: [Vec<i64>; 4] = Default::default();
    for row in 0..ROWS as i64 {
        let mut at = row * 700 + long(50.0);
        for (stamp, scale) in stamps.iter_mut().zip([80.0, 900.0, 400.0, 0.0]) {
            stamp.push(at);
            at += 20 + long(scale);
        }
    }
    let kinds =
        [Kind::Event, Kind::Execution, Kind::Event, Kind::Execution, Kind::Event, Kind::Rollback];
    Made {
        kind: (0..ROWS).map(|row| kinds[row % kinds.len()] as i64).collect(),
        object: (0..ROWS).map(|_| random.random_range(0..4096)).collect(),
        events: (0..ROWS).map(|_| random.random_range(1..40)).collect(),
        virtual_time: (0..ROWS).map(|row| (row as f64 * 0.125).to_bits() as i64).collect(),
        stamps,
        src: (0..ROWS).map(|_| random.random_range(1..8)).collect(),
        bytes: (0..ROWS).map(|_| 8 * random.random_range(1..501)).collect(),
        in_flight: (0..ROWS).map(|_| random.random_range(0..64)).collect(),
        seq: (0..ROWS as i64).collect(),
    }
}

fn plain(made: &Made) -> Columns<'_> {
    let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];
    let columns = Columns::new(ROWS)
        .with(Field::Src, Values::Constant(1))
        .with(Field::Dst, Values::Constant(0))
        .with(Field::Kind, Values::Constant(0))
        .with(Field::Bytes, Values::Constant(8))
        .with(Field::Hops, Values::Constant(1))
        .with(Field::ArrivedHow, Values::Constant(0))
        .with(Field::Seq, Values::Each(&made.seq));
    stamps
        .iter()
        .zip(&made.stamps)
        .fold(columns, |columns, (&field, stamp)| columns.with(field, Values::Each(stamp)))
}

/// Half messages, half work, of which a third are rollbacks.
fn simulation(made: &Made) -> Columns<'_> {
    plain(made)
        .with(Field::Kind, Values::Each(&made.kind))
        .with(Field::Packets, Values::Each(&made.events))
        .with(Field::DstObject, Values::Each(&made.object))
        .with(Field::VirtualSend, Values::Each(&made.virtual_time))
        .with(Field::VirtualReceive, Values::Each(&made.virtual_time))
}

/// From seven ranks, of forty tags and places, half of them waited for.
fn mpi(made: &Made) -> Columns<'_> {
    let [ready, sent, arrived, _] = &made.stamps;
    plain(made)
        .with(Field::Src, Values::Each(&made.src))
        .with(Field::Tag, Values::Each(&made.events))
        .with(Field::PostedNs, Values::Each(sent))
        .with(Field::AwaitedNs, Values::Each(arrived))
        .with(Field::SendSite, Values::Each(&made.events))
        .with(Field::ReceiveSite, Values::Each(&made.src))
        .with(Field::ReadyNs, Values::Each(ready))
}

fn run<'a>(name: &str, made: &'a Made, millions: u64, columns: impl Fn(&'a Made) -> Columns<'a>) {
    if std::env::args().nth(2).is_some_and(|shape| !name.contains(&shape)) {
        return;
    }
    let batches = (millions * 1_000_000).div_ceil(ROWS as u64 * LAUNCHES) * LAUNCHES;
    let rows = batches / LAUNCHES * ROWS as u64;
    let files: Vec<FileRows> =
        (0..LAUNCHES as u32).map(|launch| FileRows { launch, node: 0, rows }).collect();
    let mut accumulator = Accumulator::new(Options { files, ..Options::default() });
    let begin = on_core_s();
    for batch in 0..batches {
        let (launch, first_row) = ((batch % LAUNCHES) as u32, batch / LAUNCHES * ROWS as u64);
        accumulator.add_columns(&columns(made), Position { launch, node: 0, first_row });
    }
    let added = on_core_s() - begin;
    let begin = on_core_s();
    let analysis = accumulator.finish();
    let finished = on_core_s() - begin;
    let taken = (batches * ROWS as u64) as f64;
    assert!(analysis.messages > 0);
    println!(
        "{name:<22} {:>6.1} M rows/s  {:>5.1} ns each; finish {:.2} s; peak {} MB",
        taken / added / 1e6,
        added / taken * 1e9,
        finished,
        peak_mb()
    );
}

fn distribution_alone(made: &Made, millions: u64) {
    let values: Vec<i64> =
        made.stamps[3].iter().zip(&made.stamps[0]).map(|(end, begin)| end - begin).collect();
    let mut distribution = Distribution::default();
    let begin = on_core_s();
    let times = millions * 1_000_000 / ROWS as u64;
    (0..times).for_each(|_| distribution.add_slice(&values));
    let each = (on_core_s() - begin) / (times * ROWS as u64) as f64 * 1e9;
    println!(
        "{:<22} {each:>6.2} ns a value, p50 {:?}",
        "distribution alone",
        distribution.quantile(0.5)
    );
}

/// Seconds that this thread has run on a core: other load on the machine does not count.
fn on_core_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace()
        .next()
        .and_then(|ns| ns.parse::<f64>().ok())
        .map_or(f64::NAN, |ns| ns / 1e9)
}

fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kb = status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok()
    });
    kb.unwrap_or(0_u64) / 1024
}
