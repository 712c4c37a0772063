//! Messages as arrows between the calls of ranks, or, where there are no calls, as slices of their
//! own with arrows from node to node; and the work of simulation nodes.

use super::Exported;
use super::stretch::Stretch;
use super::tracks::{ARRIVALS, SENDS, WORK, group_of, rank_track};
use anyhow::Result;
use mpi_lens::CallTables;
use record::{Batch, Chunk, Field, Kind, NULL, Run};
use report::perfetto::{Trace, TraceSlice, Track};
use serde_json::{Value, json};
use stats::Columns;

const FIELDS: [Field; 12] = [
    Field::Seq,
    Field::Src,
    Field::Dst,
    Field::Kind,
    Field::Bytes,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Tag,
    Field::Packets,
    Field::Hops,
];

/// A message's stages as slices below it.
const STAGES: [(&str, usize, usize); 3] =
    [("send wait", 0, 1), ("transit", 1, 2), ("receive wait", 2, 3)];

/// One row.
pub struct Message {
    pub launch: u32,
    pub src: u32,
    pub dst: u32,
    seq: i64,
    pub kind: Kind,
    pub bytes: i64,
    pub tag: Option<i64>,
    packets: Option<i64>,
    /// `ready`, `sent`, `arrived`, `taken`.
    pub stamps: [Option<i64>; 4],
}

impl Message {
    /// From `ready` to `taken`, where both are known.
    fn ends(&self) -> Option<(i64, i64)> {
        self.stamps[0].zip(self.stamps[3])
    }

    /// Whether it goes to another node.
    fn leaves(&self) -> bool {
        self.src != self.dst
    }
}

/// Hand over begin, end and the number of events of each message.
pub fn starts(
    run: &Run,
    tables: &CallTables,
    wanted: &Exported,
    add: &mut dyn FnMut(i64, i64, u64),
) -> Result<()> {
    each(run, wanted, |message| {
        if let Some((ready, taken)) = message.ends() {
            add(ready, taken, events_of(message, tables.is_empty()));
        }
        Ok(())
    })
}

/// Hand over the rows that are wanted.
pub fn each(
    run: &Run,
    wanted: &Exported,
    mut each: impl FnMut(&Message) -> Result<()>,
) -> Result<()> {
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        let columns = Columns::of(&batch);
        let taken = (0..batch.rows()).filter(|&row| wanted.takes(&columns, row));
        taken.filter_map(|row| message(&chunk, &batch, row)).try_for_each(|one| each(&one))?;
    }
    Ok(())
}

/// Whether such work has its node to itself. Cycles, and in runs of older versions rounds of GVT,
/// go on beside other work, and so cross it.
pub fn is_alone(kind: Kind) -> bool {
    matches!(kind, Kind::Execution | Kind::Rollback | Kind::Collection)
}

/// How many events [`write()`] makes of a row: two for an arrow, one for a slice, two for one that
/// floats, as a message does with each of its stages, and four for its way to another node.
fn events_of(message: &Message, floats: bool) -> u64 {
    match message.kind {
        kind if is_alone(kind) => 1,
        kind if kind.is_interval() || !floats => 2,
        _ => 2 + 2 * stages(message).count() as u64 + if message.leaves() { 4 } else { 0 },
    }
}

/// Write messages and intervals; how many of each. A message without a send or a taking has no
/// place in a trace.
pub fn write(
    run: &Run,
    tables: &CallTables,
    wanted: &Exported,
    trace: &mut dyn Trace,
) -> Result<(u64, u64)> {
    let stretch = &wanted.stretch;
    let (mut messages, mut intervals) = (0, 0);
    each(run, wanted, |message| {
        let Some((ready, taken)) = message.ends() else { return Ok(()) };
        if message.kind.is_interval() && stretch.overlaps(ready, taken) {
            intervals += 1;
            interval(message, (ready, taken), trace)?;
        } else if !message.kind.is_interval() && tables.is_empty() {
            if stretch.overlaps(ready, taken) {
                messages += 1;
                floating(message, (ready, taken), messages, trace)?;
                if message.leaves() {
                    passing(message, (ready, taken), trace)?;
                }
            }
        } else if both_ends(message, (ready, taken), stretch) {
            messages += 1;
            arrow(message, (ready, taken), trace)?;
        }
        Ok(())
    })?;
    Ok((messages, intervals))
}

/// An arrow needs the calls at both its ends.
fn both_ends(message: &Message, (ready, taken): (i64, i64), stretch: &Stretch) -> bool {
    !message.kind.is_interval()
        && stretch.overlaps(ready, ready)
        && stretch.overlaps(taken.saturating_sub(1), taken.saturating_sub(1))
}

fn message(chunk: &Chunk, batch: &Batch, row: usize) -> Option<Message> {
    let value = |field| Some(batch.column(field).at(row)).filter(|&value| value != NULL);
    let number = |field| value(field).and_then(|value| u32::try_from(value).ok());
    let stamps = [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs].map(value);
    Some(Message {
        launch: chunk.launch(),
        src: number(Field::Src)?,
        dst: number(Field::Dst)?,
        seq: value(Field::Seq).unwrap_or(0),
        kind: Kind::from_code(u8::try_from(value(Field::Kind)?).ok()?)?,
        bytes: value(Field::Bytes).unwrap_or(0),
        tag: value(Field::Tag),
        packets: value(Field::Packets),
        stamps,
    })
}

/// From the send call to the last moment of the call that completed the receive, which ends when
/// the message is taken.
fn arrow(message: &Message, (ready, taken): (i64, i64), trace: &mut dyn Trace) -> Result<()> {
    let from = (rank_track(message.src, 0), ready);
    let to = (rank_track(message.dst, 0), taken.saturating_sub(1));
    Ok(trace.arrow(&format!("message {} of rank {}", message.seq, message.src), from, to)?)
}

fn interval(message: &Message, (from_ns, to_ns): (i64, i64), trace: &mut dyn Trace) -> Result<()> {
    let track = Track { group: group_of(message.launch, message.dst), track: WORK };
    let args: Vec<(&'static str, Value)> =
        message.packets.map(|amount| ("amount", json!(amount))).into_iter().collect();
    let slice = TraceSlice {
        track,
        name: message.kind.name(),
        category: "work",
        from_ns,
        to_ns,
        args: &args,
    };
    if is_alone(message.kind) {
        trace.slice(&slice)?;
    } else {
        trace.floating(&slice, u64::MAX - message.seq as u64)?;
    }
    Ok(())
}

/// A slice in the group of its source with its stages below it.
fn floating(
    message: &Message,
    (from_ns, to_ns): (i64, i64),
    id: u64,
    trace: &mut dyn Trace,
) -> Result<()> {
    let track = Track { group: group_of(message.launch, message.src), track: WORK };
    let mut args = vec![
        ("to node", json!(message.dst)),
        ("number", json!(message.seq)),
        ("bytes", json!(message.bytes)),
    ];
    args.extend(message.tag.map(|tag| ("tag", json!(tag))));
    let name = format!("{} to node {}", message.kind.name(), message.dst);
    trace.floating(
        &TraceSlice { track, name: &name, category: "message", from_ns, to_ns, args: &args },
        id,
    )?;
    for (name, from_ns, to_ns) in stages(message) {
        let slice = TraceSlice { track, name, category: "message", from_ns, to_ns, args: &[] };
        trace.floating(&slice, id)?;
    }
    Ok(())
}

/// Its way from one node to the other: an arrow from a mark where it was sent to one where it
/// arrived, since an arrow needs a slice at either end, and floating ones do not count. Marks of
/// one nanosecond never cross each other.
fn passing(message: &Message, ends: (i64, i64), trace: &mut dyn Trace) -> Result<()> {
    let [_, sent, arrived, _] = message.stamps;
    let track = |node, track| Track { group: group_of(message.launch, node), track };
    let from = (track(message.src, SENDS), sent.unwrap_or(ends.0));
    let to = (track(message.dst, ARRIVALS), arrived.unwrap_or(ends.1));
    let args = [("number", json!(message.seq)), ("bytes", json!(message.bytes))];
    let kind = message.kind.name();
    let names =
        [format!("{kind} to node {}", message.dst), format!("{kind} from node {}", message.src)];
    for ((track, from_ns), name) in [from, to].into_iter().zip(&names) {
        let to_ns = from_ns.saturating_add(1);
        trace.slice(&TraceSlice {
            track,
            name,
            category: "message",
            from_ns,
            to_ns,
            args: &args,
        })?;
    }
    Ok(trace.arrow(&format!("message {} of node {}", message.seq, message.src), from, to)?)
}

/// The stages that took time: name, begin, end.
fn stages(message: &Message) -> impl Iterator<Item = (&'static str, i64, i64)> {
    let stamps = message.stamps;
    STAGES.into_iter().filter_map(move |(name, from, to)| {
        let (from, to) = stamps[from].zip(stamps[to]).filter(|(from, to)| to > from)?;
        Some((name, from, to))
    })
}
