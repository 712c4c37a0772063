//! What to say where a choice of messages leaves nothing: what there is to choose from.

use crate::reading::{each_batch, on_all_cores};
use anyhow::{Context, Result, bail};
use record::{Batch, Chunk, Run};
use stats::{Census, Columns, CutPass, CutSearch, FILTER_FIELDS, Filter};
use std::sync::atomic::AtomicU64;

/// Values of a column named, at most.
const NAMED_MOST: usize = 12;

/// Why nothing is shown of the run `name`, which has these chunks, and what there is instead.
pub fn nothing_left(name: &str, chunks: &[&Chunk]) -> Result<String> {
    let parts = on_all_cores(chunks, |chunk| chunk.rows(), count)?;
    let mut census = Census::default();
    parts.into_iter().for_each(|part| census.merge(part));
    Ok(format!("{name} has no message that matches this choice; it has {}", there_is(&census)))
}

/// The filter with the ends of its cut, found in these chunks of the run `name`; the same where it
/// has no cut.
pub fn settled(name: &str, chunks: &[&Chunk], filter: &Filter) -> Result<Filter> {
    let Some(mut search) = CutSearch::new(filter) else { return Ok(filter.clone()) };
    loop {
        let look = |chunks: &[&Chunk], done: &AtomicU64| rank(chunks, search.pass(), done);
        let parts = on_all_cores(chunks, |chunk| chunk.rows(), look)?;
        let mut pass = search.pass();
        parts.into_iter().for_each(|part| pass.merge(part));
        if search.learn(pass).with_context(|| format!("--cut leaves nothing of {name}"))? {
            return Ok(search.settled());
        }
    }
}

/// The same in a run.
pub fn settled_in(run: &Run, filter: &Filter) -> Result<Filter> {
    let chunks = run.chunks();
    settled(&run.path().display().to_string(), &chunks.iter().collect::<Vec<_>>(), filter)
}

/// What `read` makes of the first of the filter's tries that takes a message, its cut settled.
/// `counts` says how many messages the run has, and how many of them were taken.
pub fn first_that_takes<T>(
    name: &str,
    chunks: &[&Chunk],
    filter: &Filter,
    read: impl Fn(Filter) -> Result<T>,
    counts: impl Fn(&T) -> (u64, u64),
) -> Result<T> {
    for filter in filter.tries() {
        let found =
            read(settled(name, chunks, &filter)?).with_context(|| format!("cannot read {name}"))?;
        let (messages, taken) = counts(&found);
        if taken > 0 || messages == 0 {
            return Ok(found);
        }
    }
    bail!(nothing_left(name, chunks)?)
}

fn rank(chunks: &[&Chunk], mut pass: CutPass, done: &AtomicU64) -> Result<CutPass> {
    each_columns(chunks, done, |columns| pass.add(columns))?;
    Ok(pass)
}

/// Make sure that the run has a message that `filter` takes.
pub fn must_leave_some(run: &Run, filter: &Filter) -> Result<()> {
    let mut batch = Batch::new();
    let chunks = run.chunks();
    for chunk in &chunks {
        chunk.read(&FILTER_FIELDS, &mut batch)?;
        let columns = Columns::of(&batch);
        if (0..batch.rows()).any(|row| !columns.is_interval(row) && filter.takes(&columns, row)) {
            return Ok(());
        }
    }
    let name = run.path().display().to_string();
    bail!(nothing_left(&name, &chunks.iter().collect::<Vec<_>>())?)
}

fn count(chunks: &[&Chunk], done: &AtomicU64) -> Result<Census> {
    let mut census = Census::default();
    each_columns(chunks, done, |columns| census.add(columns))?;
    Ok(census)
}

/// What filters look at, of all chunks.
fn each_columns(chunks: &[&Chunk], done: &AtomicU64, mut look: impl FnMut(&Columns)) -> Result<()> {
    each_batch(chunks, |chunk| chunk, &FILTER_FIELDS, done, |_, batch| look(&Columns::of(batch)))
}

/// `--kind event (12 between nodes), gvt (3 within a node); --pair 0:1, 1:0; --size 8..64`.
fn there_is(census: &Census) -> String {
    let place = |within: bool| if within { "within a node" } else { "between nodes" };
    let kinds = census
        .kinds
        .iter()
        .map(|((kind, within), n)| format!("{} ({n} {})", kind.name(), place(*within)));
    let pairs = census.pairs.keys().map(|(src, dst)| format!("{src}:{dst}"));
    let hops = census.hops.keys().map(u64::to_string);
    let packets = census.packets.keys().map(u64::to_string);
    let size = census.bytes.map(|(least, most)| match least == most {
        true => least.to_string(),
        false => format!("{least}..{most}"),
    });
    let all = [
        ("--kind", listed(kinds.collect())),
        ("--pair", listed(pairs.collect())),
        ("--hops", listed(hops.collect())),
        ("--packets", listed(packets.collect())),
        ("--size", size.unwrap_or_default()),
    ];
    let said = all.into_iter().filter(|(_, values)| !values.is_empty());
    said.map(|(option, values)| format!("{option} {values}")).collect::<Vec<String>>().join("; ")
}

fn listed(values: Vec<String>) -> String {
    match values.len() {
        n if n > NAMED_MOST => format!("{}, and more", values[..NAMED_MOST].join(", ")),
        _ => values.join(", "),
    }
}
