//! What to say where a choice of messages leaves nothing: what there is to choose from.

use crate::reading::on_all_cores;
use anyhow::{Context, Result, bail};
use record::{Batch, Chunk, Run};
use stats::{Census, Columns, CutPass, CutSearch, FILTER_FIELDS, Filter};
use std::sync::atomic::{AtomicU64, Ordering};

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

fn rank(chunks: &[&Chunk], mut pass: CutPass, done: &AtomicU64) -> Result<CutPass> {
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&FILTER_FIELDS, &mut batch)?;
        pass.add(&Columns::of(&batch));
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
    }
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
    let mut batch = Batch::new();
    for chunk in chunks {
        chunk.read(&FILTER_FIELDS, &mut batch)?;
        census.add(&Columns::of(&batch));
        done.fetch_add(chunk.rows() as u64, Ordering::Relaxed);
    }
    Ok(census)
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
