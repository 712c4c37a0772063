//! An MPI program's run on a terminal.

use comfy_table::{CellAlignment, Table};
use stats::analysis::{Activity, Mpi, MpiBy};

use crate::escape;
use crate::finding::quantile;
use crate::format::{NONE, count_plain, counted, part, plain, time};
use crate::headline::trim_lines;
use crate::mpi::{activity_title, arrivals_sentence, group_name, groups, wait_meaning, wait_title};
use crate::mpi_tables::{doing_words, worst_waits};
use crate::terminal::{bare, wrapped};

/// Rows of a table.
const ROWS: usize = 6;
/// Ranks that have a line of their own.
const RANKS: usize = 16;

/// Everything that is said of it; fits `width` columns, 80 at least.
pub(crate) fn blocks(mpi: &Mpi, width: usize) -> Vec<String> {
    let mut blocks = Vec::new();
    if mpi.messages > 0 {
        blocks.push(waits(mpi, width));
    }
    blocks.extend(blocked(mpi));
    blocks.extend(ranks(mpi));
    blocks.extend(functions(mpi));
    blocks.extend(sites(mpi, width));
    blocks.extend(worst(mpi, width));
    blocks
}

fn waits(mpi: &Mpi, width: usize) -> String {
    let mut table = table(&["wait", "messages", "total", "of time", "median", "longest"]);
    for wait in &mpi.waits {
        let known = wait.summary.count > 0;
        table.add_row(vec![
            format!("  {}", wait_title(wait.wait)),
            count_plain(wait.count),
            plain(&time(wait.total_ns as f64)),
            plain(&part(wait.share)),
            quantile(&wait.summary, 0.5)
                .map_or_else(|| NONE.to_owned(), |ns| plain(&time(ns as f64))),
            if known { plain(&time(wait.summary.max_ns as f64)) } else { NONE.to_owned() },
        ]);
    }
    let mut text = shown(table);
    let largest =
        mpi.waits.iter().max_by_key(|wait| wait.total_ns).filter(|wait| wait.total_ns > 0);
    if let Some(wait) = largest {
        text.push_str(&wrapped(
            &format!("{}: {}.", wait_title(wait.wait), wait_meaning(wait.wait)),
            width,
        ));
    }
    text.push_str(&wrapped(&plain(&arrivals_sentence(&mpi.arrivals)), width));
    for wait in &mpi.waits {
        if let Some(rests) = crate::mpi::rests_on(wait) {
            text.push_str(&wrapped(&plain(&format!("{}: {rests}.", wait_title(wait.wait))), width));
        }
    }
    text
}

fn blocked(mpi: &Mpi) -> Option<String> {
    let mut table = table(&["rank", "waited for", "blocked", "late sender", "late receiver"]);
    for b in mpi.blocked.iter().take(ROWS) {
        table.add_row(vec![
            format!("  {}", b.rank),
            b.by.to_string(),
            plain(&time(b.total_ns() as f64)),
            plain(&time(b.late_sender_ns as f64)),
            plain(&time(b.late_receiver_ns as f64)),
        ]);
    }
    (!mpi.blocked.is_empty()).then(|| shown(table))
}

fn ranks(mpi: &Mpi) -> Option<String> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.ranks.is_empty())?;
    let mut table = table(&[
        "rank", "calls", "elapsed", "compute", "send", "wait", "poll", "collect.", "other",
    ]);
    let mut ranks = calls.ranks.clone();
    if ranks.len() > RANKS {
        let in_calls = |rank: &stats::analysis::RankTime| {
            std::cmp::Reverse(rank.activity_ns[1..].iter().sum::<i64>())
        };
        ranks.sort_by_key(in_calls);
        ranks.truncate(RANKS);
    }
    for rank in &ranks {
        let whole = (rank.elapsed_ns as f64 * rank.threads.max(1) as f64).max(1.0);
        let head = [
            format!("  {}", rank.rank),
            count_plain(rank.calls),
            plain(&time(rank.elapsed_ns as f64)),
        ];
        let parts = Activity::ALL
            .map(|activity| percent(rank.activity_ns[activity as usize] as f64 / whole));
        table.add_row(head.into_iter().chain(parts).collect::<Vec<String>>());
    }
    let mut text = shown(table);
    if calls.ranks.len() > RANKS {
        text.push_str(&format!(
            "  The {RANKS} of {} ranks with most time in MPI.\n",
            calls.ranks.len()
        ));
    }
    Some(text)
}

/// A part in a table whose columns are narrow.
fn percent(of: f64) -> String {
    format!("{:.1} %", of * 100.0)
}

fn functions(mpi: &Mpi) -> Option<String> {
    let calls = mpi.calls.as_ref().filter(|calls| !calls.functions.is_empty())?;
    let mut table = table(&["function", "calls", "time in it", "mean", "longest", "is"]);
    for f in calls.functions.iter().take(ROWS) {
        table.add_row(vec![
            format!("  {}", escape::terminal(&f.name)),
            count_plain(f.calls),
            plain(&time(f.total_ns as f64)),
            plain(&time(f.total_ns as f64 / f.calls.max(1) as f64)),
            plain(&time(f.max_ns as f64)),
            activity_title(f.activity).0.to_lowercase(),
        ]);
    }
    let mut text = shown(table);
    for c in calls.collectives.iter().take(3) {
        let last =
            c.last.map_or_else(String::new, |(rank, _)| format!(", rank {rank} last most often"));
        let waited = plain(&time(c.waited_ns as f64));
        text.push_str(&format!(
            "  {}: ranks waited {waited} for the last{last}.\n",
            escape::terminal(&c.name)
        ));
    }
    Some(text)
}

fn sites(mpi: &Mpi, width: usize) -> Option<String> {
    let mut lines = Vec::new();
    for (by, what) in [(MpiBy::SendSite, "sent at"), (MpiBy::ReceiveSite, "received at")] {
        let known = groups(mpi, by)?
            .groups
            .iter()
            .filter(|group| group.key.0 != 0 && group.waited_ns() > 0);
        lines.extend(known.take(3).map(|group| {
            let waited = plain(&time(group.waited_ns() as f64));
            let name = escape::terminal(&group_name(mpi, by, group));
            let messages = plain(&counted(group.messages, "message"));
            wrapped(&format!("{waited} waited for {messages} {what} {name}"), width)
        }));
    }
    (!lines.is_empty()).then(|| lines.concat())
}

fn worst(mpi: &Mpi, width: usize) -> Option<String> {
    let mut text = String::from("The messages that waited longest\n");
    for message in mpi.worst.iter().take(3) {
        let line = message.line;
        let tag = message.tag.map_or_else(String::new, |tag| format!(" tag {tag}"));
        let waits = plain(&worst_waits(message).join(", "));
        let at = plain(&time(line.ready_ns as f64));
        text.push_str(&wrapped(
            &format!("{} → {}{tag}, sent at {at}: {waits}", line.src, line.dst),
            width,
        ));
        for (who, side) in [("sender", 0), ("receiver", 1)] {
            let doing: Vec<String> = message.doing[side]
                .iter()
                .take(3)
                .map(|doing| plain(&doing_words(mpi, doing)))
                .collect();
            if !doing.is_empty() {
                let words = escape::terminal(&format!("- {who} meanwhile: {}", doing.join(", ")));
                text.push_str(&wrapped(&words, width));
            }
        }
    }
    (!mpi.worst.is_empty()).then_some(text)
}

fn table(heads: &[&str]) -> Table {
    let mut table = bare();
    let first = format!("  {}", heads[0]);
    let heads = std::iter::once(first).chain(heads[1..].iter().map(|head| (*head).to_owned()));
    table.set_header(heads.collect::<Vec<String>>());
    table
}

fn shown(mut table: Table) -> String {
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    trim_lines(&table.to_string())
}
