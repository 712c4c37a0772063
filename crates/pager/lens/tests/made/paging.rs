//! A made-up paged run whose phases are known: a second of page-outs, a second of computing, then
//! page-ins, during which a server is lost and another joins.

use pager_lens::PagerLens;
use record::{Field, Kind, Run, RunFolder, RunInfo, Values};
use report::{Facts, Lens, Part};
use serde_json::json;
use stats::analysis::Analysis;
use stats::{Accumulator, Columns, Options, Position};

const PAGE: i64 = 4096;

/// What is said of a run.
pub struct Read {
    pub facts: Facts,
    pub analysis: Analysis,
    pub part: Part,
}

/// 51.2 MB/s out from 0 to 1 s, 102.4 MB/s in from 2 s to 4 s; a parity page after every fourth
/// page-out.
pub fn read() -> Read {
    read_what(said())
}

/// The same, of which its library said something else.
pub fn read_what(said: serde_json::Value) -> Read {
    let out = (0..12_500).map(|page| (Kind::PageOut, page * 80_000));
    let parity = (0..3_125).map(|page| (Kind::Parity, page * 320_000 + 300_000));
    let back = (0..50_000).map(|page| (Kind::PageIn, 2_000_000_000 + page * 40_000));
    let rows: Vec<(Kind, i64)> = out.chain(parity).chain(back).collect();
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let run = folder.path().join("run");
    let mut info = RunInfo::new("fft");
    info.transport = "tcp".to_owned();
    info.parameters.insert("pager".to_owned(), said);
    RunFolder::create(&run, info).expect("the folder is new").close().expect("it can be closed");
    shown(&Run::open(&run).expect("the run can be read"), &rows)
}

/// Through the lens, as the commands read any run.
fn shown(run: &Run, rows: &[(Kind, i64)]) -> Read {
    let reading = PagerLens.open(run).expect("a sound run").expect("it was paged");
    let mut accumulator = Accumulator::with(Options::default(), vec![reading.tally()]);
    add(rows, &mut accumulator);
    let facts = Facts::of(&run.info, &[&PagerLens]);
    let (analysis, mut tallies) = accumulator.finish_all();
    let tally = tallies.pop().expect("the one that was given");
    let part = reading.finish(tally, &facts, &analysis).expect("nothing else is read");
    Read { facts, analysis, part: part.expect("it was paged") }
}

fn add(rows: &[(Kind, i64)], accumulator: &mut Accumulator) {
    let kinds: Vec<i64> = rows.iter().map(|(kind, _)| *kind as i64).collect();
    let after = |ns: i64| rows.iter().map(|(_, at)| at + ns).collect::<Vec<_>>();
    let [ready, sent, arrived, taken] = [after(0), after(9_000), after(30_000), after(40_000)];
    let sequence: Vec<i64> = (0..rows.len() as i64).collect();
    let columns = Columns::new(rows.len())
        .with(Field::Seq, Values::Each(&sequence))
        .with(Field::Kind, Values::Each(&kinds))
        .with(Field::Bytes, Values::Constant(PAGE))
        .with(Field::Src, Values::Constant(0))
        .with(Field::Dst, Values::Constant(1))
        .with(Field::ReadyNs, Values::Each(&ready))
        .with(Field::SentNs, Values::Each(&sent))
        .with(Field::ArrivedNs, Values::Each(&arrived))
        .with(Field::TakenNs, Values::Each(&taken));
    accumulator.add_columns(&columns, Position { launch: 0, node: 0, first_row: 0 });
}

/// What the engine said of itself. The name of a server is not to be trusted.
pub fn said() -> serde_json::Value {
    json!({
        "policy": "parity-log", "local_bytes": 64 << 20, "page_bytes": PAGE,
        "servers": [
            {"address": "<b>host</b>:7311", "role": "data", "state": "down", "pages": 0},
            {"address": "10.0.0.2:7311", "role": "parity", "state": "up", "pages": 3_125},
        ],
        "processes": [{
            "pid": 7, "page_outs": 12_500, "page_ins": 50_000, "parity": 3_125, "transfers": 65_625,
            "seconds": {
                "elapsed": 4.2, "user": 2.0, "system": 0.3, "init": 0.1, "handling": 0.4,
                "network": 0.9, "network_bytes": 0.6, "server": 0.2, "queue": 0.1,
            },
            "faults": {"zero": 16_000, "soft": 1_200, "hard": 9_000},
            "fault_ns": {"hard": {"p50": 25e3, "p99": 130e3, "max": 2e6, "mean": 30e3}},
            "prefetch": {"pages": 41_000, "windows": 800, "used": 760},
            "events": [
                {"at_s": 2.5, "what": {"server-down": {
                    "server": 0, "address": "<b>host</b>:7311", "why": "connection reset",
                }}},
                {"at_s": 3.9, "what": {"server-joined": {"server": 5, "address": "10.0.0.3:7311"}}},
            ],
        }],
    })
}
