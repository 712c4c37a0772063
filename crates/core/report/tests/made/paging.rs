//! A made-up paged run whose phases are known: a second of page-outs, a second of computing, then
//! page-ins, during which a server is lost and another joins.

use record::{Field, Kind, Values};
use report::Facts;
use serde_json::json;
use stats::analysis::Analysis;
use stats::{Accumulator, Columns, Options, Position};

const PAGE: i64 = 4096;

/// 51.2 MB/s out from 0 to 1 s, 102.4 MB/s in from 2 s to 4 s; a parity page after every fourth
/// page-out.
pub fn run() -> (Facts, Analysis) {
    let out = (0..12_500).map(|page| (Kind::PageOut, page * 80_000));
    let parity = (0..3_125).map(|page| (Kind::Parity, page * 320_000 + 300_000));
    let back = (0..50_000).map(|page| (Kind::PageIn, 2_000_000_000 + page * 40_000));
    let rows: Vec<(Kind, i64)> = out.chain(parity).chain(back).collect();
    let facts = Facts {
        workload: "fft".into(),
        transport: "tcp".into(),
        nodes: 6,
        launches: 1,
        pager: serde_json::from_value(said()).ok(),
        ..Facts::default()
    };
    (facts, analyse(&rows))
}

fn analyse(rows: &[(Kind, i64)]) -> Analysis {
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
    let mut accumulator = Accumulator::new(Options::default());
    accumulator.add_columns(&columns, Position { launch: 0, node: 0, first_row: 0 });
    accumulator.finish()
}

/// What the engine said of itself. The name of a server is not to be trusted.
fn said() -> serde_json::Value {
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
