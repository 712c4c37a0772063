//! The program in a run of messages: of `bench`, or of a program of one's own.

use crate::reading::on_all_cores;
use anyhow::{Result, bail};
use fabric::Machine;
use predict::{Parcel, RecordedRun, Seen, observed};
use record::{Batch, Chunk, Field, Kind, NULL, Run};
use std::collections::BTreeMap;

const FIELDS: [Field; 8] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
];

/// What was read, and what nobody can play.
#[derive(Default)]
struct Read {
    /// By launch.
    seen: BTreeMap<u32, Vec<Seen>>,
    /// Within a node: no network is between.
    within: u64,
    /// Without one of the stamps.
    unstamped: u64,
}

/// The program of each launch.
pub fn programs(run: &Run, recorded: &Machine) -> Result<Vec<RecordedRun>> {
    let name = run.path().display();
    if !run.info.lost.is_nothing() {
        bail!(
            "{name}: messages are missing from the record, and a program with holes in it cannot \
               be played: record it again, with `lost` in run.json all 0"
        );
    }
    let parts = on_all_cores(&run.chunks(), Chunk::rows, |chunks, _| read(chunks))?;
    let mut all = Read::default();
    for part in parts {
        part.seen.into_iter().for_each(|(launch, seen)| {
            all.seen.entry(launch).or_default().extend(seen);
        });
        all.within += part.within;
        all.unstamped += part.unstamped;
    }
    if all.unstamped > 0 {
        bail!(
            "{name}: {} of its messages lack a stamp, and a program with holes in it cannot be \
            played",
            all.unstamped
        );
    }
    if all.seen.is_empty() {
        bail!("{name}: it holds no message between nodes, so that no network matters to it");
    }
    let nodes = |launch: u32| {
        let of_launch = run.info.launches.iter().find(|known| known.launch == launch);
        of_launch.map_or(0, |known| known.nodes.len() as u16)
    };
    let looks = looks(run);
    let program =
        |(launch, seen): (&u32, &Vec<Seen>)| observed(nodes(*launch), looks, seen, recorded);
    Ok(all.seen.iter().map(program).collect())
}

/// After how many looks in vain a node of the run sleeps.
fn looks(run: &Run) -> u32 {
    match run.info.parameters.get("receive").and_then(|receive| receive.as_str()) {
        Some("polling") => u32::MAX,
        _ => fabric::LOOKS_BEFORE_SLEEP,
    }
}

fn read(chunks: &[Chunk]) -> Result<Read> {
    let mut read = Read::default();
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&FIELDS, &mut batch)?;
        let columns = FIELDS.map(|field| batch.column(field));
        let seen = read.seen.entry(chunk.launch()).or_default();
        for row in 0..batch.rows() {
            let [kind, src, dst, bytes, ready, sent, arrived, taken] =
                columns.map(|column| column.at(row));
            if Kind::from_code(kind as u8).is_none_or(Kind::is_interval) {
                continue;
            }
            if src == dst {
                read.within += 1;
                continue;
            }
            if [ready, sent, arrived, taken].contains(&NULL) {
                read.unstamped += 1;
                continue;
            }
            let parcel = Parcel { from: src as u16, to: dst as u16, bytes: bytes as u64 };
            seen.push(Seen { parcel, ready, sent, arrived, taken });
        }
    }
    read.seen.retain(|_, seen| !seen.is_empty());
    Ok(read)
}
