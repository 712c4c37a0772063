//! From a run folder to the scenes of its stories: finds the messages in a first pass over few
//! columns, and gathers the rows around them in a second one, each on all cores.

use crate::choosing::{nothing_left, settled};
use crate::reading::on_all_cores;
use anyhow::{Context, Result, bail};
use record::{Batch, Chunk, Field, Run};
use stats::analysis::SlowMessage;
use stats::story::{FIELDS, Found, Gather, Row, STAMPS, Scene, Search, Wanted, extent};
use stats::{Columns, Filter};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows of each of its two nodes that the stories of a run may keep, all together.
const ROWS: usize = 200_000;

/// A message's launch, and what its story is told from.
pub struct Setting {
    /// Launch.
    pub launch: u32,
    /// What its story is told from.
    pub scene: Scene,
}

/// The scenes of the messages wanted, slowest first, and how many messages there are; the slowest
/// of those that `filter` takes.
pub fn gather(run: &Run, wanted: Wanted, filter: &Filter) -> Result<(Vec<Setting>, u64)> {
    let chunks = run.chunks();
    let name = run.path().display().to_string();
    let search = search(&name, &chunks, wanted, filter).with_context(|| cannot(run))?;
    let found = search.found();
    let is_slowest = matches!(wanted, Wanted::Slowest { .. });
    let is_chosen = is_slowest && *filter != Filter::default();
    if found.is_empty() && search.messages() == 0 && run.rows() > 0 && is_chosen {
        bail!(nothing_left(&name, &chunks.iter().collect::<Vec<_>>())?);
    }
    if found.is_empty() {
        bail!(none_found(run, wanted, search.messages()));
    }
    Ok((around(run, &chunks, &found)?, search.messages()))
}

/// The scenes of messages that are known already, in their order.
pub fn gather_known(run: &Run, messages: &[SlowMessage]) -> Result<Vec<Setting>> {
    let chunks = run.chunks();
    let find = |message: &SlowMessage| -> Result<Found> {
        let &SlowMessage { launch, src, dst, seq, ready_ns, .. } = message;
        let may_be_in = |chunk: &Chunk| {
            chunk.may_have(Field::Dst, dst.into()) && chunk.may_have(Field::ReadyNs, ready_ns)
        };
        let some: Vec<(usize, &Chunk)> =
            chunks.iter().enumerate().filter(|(_, chunk)| may_be_in(chunk)).collect();
        let wanted = Wanted::Named { launch, src, seq };
        let search = Search::new(wanted, Filter::all());
        let search = search_some(&some, search, &AtomicU64::new(0)).with_context(|| cannot(run))?;
        search.found().first().copied().with_context(|| none_found(run, wanted, search.messages()))
    };
    let found = messages.iter().map(find).collect::<Result<Vec<Found>>>()?;
    around(run, &chunks, &found)
}

fn cannot(run: &Run) -> String {
    format!("cannot read {}", run.path().display())
}

/// The scenes of the messages found.
fn around(run: &Run, chunks: &[Chunk], found: &[Found]) -> Result<Vec<Setting>> {
    let cannot = || cannot(run);
    let messages = found.iter().map(|found| row_of(chunks, found)).collect::<Result<Vec<Row>>>();
    let messages = messages.with_context(cannot)?;
    let most = ROWS / messages.len();
    let gathers =
        || -> Vec<Gather> { messages.iter().map(|row| Gather::new(row.clone(), most)).collect() };
    let like = like(found, &gathers());
    let sought = Sought { found, like: &like };
    let parts =
        on_all_cores(chunks, Chunk::rows, |share, done| look(share, sought, gathers(), done));
    let parts = parts.with_context(cannot)?;
    let mut all = gathers();
    for part in parts {
        all.iter_mut().zip(part).for_each(|(gather, part)| gather.merge(part));
    }
    for (at, first) in like.iter().enumerate() {
        let (before, from_here) = all.split_at_mut(at);
        if let Some(first) = before.get(*first) {
            from_here[0].copy_usual(first);
        }
    }
    let settings = found.iter().zip(all);
    let settings =
        settings.map(|(found, gather)| Setting { launch: found.launch, scene: gather.finish() });
    Ok(settings.collect())
}

/// Look among the messages that the filter takes, or, where it is the usual one and takes nothing,
/// the next wider one.
fn search(name: &str, chunks: &[Chunk], wanted: Wanted, filter: &Filter) -> Result<Search> {
    let numbered: Vec<(usize, &Chunk)> = chunks.iter().enumerate().collect();
    let rows = |(_, chunk): &(usize, &Chunk)| chunk.rows();
    let all: Vec<&Chunk> = chunks.iter().collect();
    let mut search = Search::new(wanted, filter.clone());
    for filter in filter.tries() {
        // A message that is named is found whatever it is.
        let filter = match wanted {
            Wanted::Slowest { .. } => settled(name, &all, &filter)?,
            Wanted::Event { .. } | Wanted::Named { .. } => filter,
        };
        let new = || Search::new(wanted, filter.clone());
        let parts = on_all_cores(&numbered, rows, |share, done| search_some(share, new(), done))?;
        search = new();
        parts.into_iter().for_each(|part| search.merge(part));
        if search.messages() > 0 {
            break;
        }
    }
    Ok(search)
}

fn search_some(chunks: &[(usize, &Chunk)], mut search: Search, done: &AtomicU64) -> Result<Search> {
    let (mut batch, fields) = (Batch::new(), search.wanted().fields());
    for (number, chunk) in chunks {
        if may_be_in(chunk, search.wanted()) {
            chunk.read(&fields, &mut batch)?;
            search.add(chunk.launch(), *number, &Columns::of(&batch));
        }
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
    }
    Ok(search)
}

/// Whether what is wanted may be in a chunk, as far as it says without being read.
fn may_be_in(chunk: &Chunk, wanted: Wanted) -> bool {
    let Wanted::Named { launch, src, seq } = wanted else { return true };
    let seq = i64::try_from(seq).unwrap_or(i64::MAX);
    chunk.launch() == launch
        && chunk.may_have(Field::Src, src.into())
        && chunk.may_have(Field::Seq, seq)
}

fn row_of(chunks: &[Chunk], found: &Found) -> Result<Row> {
    let mut batch = Batch::new();
    chunks[found.chunk].read(&FIELDS, &mut batch)?;
    Ok(Row::of(&Columns::of(&batch), found.row))
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Sought<'a> {
    found: &'a [Found],
    /// The first message for which the same is usual.
    like: &'a [usize],
}

/// Of each message the first for which the same is usual: it is found out once for all of them.
fn like(found: &[Found], gathers: &[Gather]) -> Vec<usize> {
    let is_like = |one: usize, other: usize| {
        found[one].launch == found[other].launch && gathers[one].shares_usual(&gathers[other])
    };
    (0..found.len()).map(|at| (0..at).find(|first| is_like(*first, at)).unwrap_or(at)).collect()
}

/// Only chunks with rows that matter are read whole.
fn look(
    chunks: &[Chunk],
    sought: Sought<'_>,
    mut gathers: Vec<Gather>,
    done: &AtomicU64,
) -> Result<Vec<Gather>> {
    let mut batch = Batch::new();
    for chunk in chunks {
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
        let of_launch = |at: &usize| sought.found[*at].launch == chunk.launch();
        let mut wanting: Vec<usize> = (0..gathers.len()).filter(of_launch).collect();
        if wanting.is_empty() {
            continue;
        }
        chunk.read(&STAMPS, &mut batch)?;
        let stamps = Columns::of(&batch);
        let firsts = wanting.iter().filter(|at| sought.like[**at] == **at);
        firsts.for_each(|at| gathers[*at].add_usual(&stamps));
        let extent = extent(&stamps);
        wanting.retain(|at| extent.is_some_and(|extent| gathers[*at].concerns(&stamps, extent)));
        if !wanting.is_empty() {
            chunk.read(&FIELDS, &mut batch)?;
            wanting.into_iter().for_each(|at| gathers[at].add(&Columns::of(&batch)));
        }
    }
    Ok(gathers)
}

fn none_found(run: &Run, wanted: Wanted, messages: u64) -> String {
    let path = run.path().display();
    let is_empty = match wanted {
        // Where one is named, not all messages are looked at.
        Wanted::Named { .. } => run.rows() == 0,
        Wanted::Slowest { .. } | Wanted::Event { .. } => messages == 0,
    };
    match wanted {
        _ if is_empty => {
            format!(
                "{path} has no messages: record some, e.g. with `fourstamp bench pingpong --out \
                DIR`"
            )
        }
        Wanted::Slowest { .. } => {
            format!(
                "none of the {messages} messages of {path} has both stamps of that stage: choose \
                another --stage"
            )
        }
        Wanted::Event { .. } => {
            format!(
                "{path} lacks the message that its model is about: choose another, e.g. with \
                --slowest 1"
            )
        }
        Wanted::Named { launch, src, seq } => format!(
            "{path} has no message {launch}:{src}:{seq} (launch, sending node, number); \
            `fourstamp story` without --message names the slowest one"
        ),
    }
}
