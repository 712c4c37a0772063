//! Tables of an MPI program's run.

use crate::found::{
    Activity, Blocked, Calls, CollectiveTime, Doing, FunctionTime, Mpi, MpiBy, MpiGroup, MpiGroups,
    RankTime, Wait, WaitView, WorstMessage,
};
use document::{Cell, Column, Row, Table, Unit, Value, count, part, size, time};

use crate::words::{
    activity_colour, activity_title, group_name, rests_on, site_name, wait_colour, wait_title,
};
use report::quantile;

/// Rows of a table that is not folded.
const ROWS: usize = 12;

/// The four waits.
pub(crate) fn waits(mpi: &Mpi) -> Table {
    let columns = [
        Column::text("wait", "Wait"),
        Column::count("messages", "Messages"),
        Column::time("total", "Total"),
        Column::share("share", "Of time"),
        Column::time("p50", "Median"),
        Column::time("p99", "p99").wide(),
        Column::time("max", "Longest"),
        Column::text("rests_on", "Rests on").wide(),
    ];
    Table::new("mpi-wait-table", columns).with(mpi.waits.iter().map(wait_row))
}

fn wait_row(wait: &WaitView) -> Row {
    let s = &wait.summary;
    let mut messages = Cell::from(wait.count);
    if wait.unknown > 0 {
        messages = messages.small(format!("not known of {}", count(wait.unknown)));
    }
    let rests = match wait.wait {
        Wait::LateSender | Wait::LateReceiver => "the ranks' own calls".to_owned(),
        _ => rests_on(wait).unwrap_or_else(|| "observed arrivals".to_owned()),
    };
    vec![
        Cell::new(wait_title(wait.wait)).coloured(wait_colour(wait.wait)),
        messages,
        wait.total_ns.into(),
        wait.share.into(),
        quantile(s, 0.5).into(),
        quantile(s, 0.99).into(),
        (s.count > 0).then_some(s.max_ns).into(),
        rests.into(),
    ]
    .into()
}

/// Who was blocked longest for whom; the page folds all but a few.
pub(crate) fn blocked(blocked: &[Blocked]) -> Table {
    let columns = [
        Column::text("rank", "Rank"),
        Column::text("by", "Waited for rank"),
        Column::time("blocked", "Blocked"),
        Column::time("late_sender", "Late sender").coloured(wait_colour(Wait::LateSender)),
        Column::time("late_receiver", "Late receiver").coloured(wait_colour(Wait::LateReceiver)),
    ];
    let row = |b: &Blocked| -> Row {
        vec![
            Cell::from(b.rank),
            b.by.into(),
            b.total_ns().into(),
            b.late_sender_ns.into(),
            b.late_receiver_ns.into(),
        ]
        .into()
    };
    Table::new("mpi-blocked-table", columns)
        .with(blocked.iter().map(row))
        .folded_above(ROWS, |rows| format!("Table of the {rows} pairs that waited longest"))
}

/// Messages by one thing.
pub(crate) fn groups(mpi: &Mpi, groups: &MpiGroups) -> Table {
    let (id, head) = match groups.by {
        MpiBy::Pair => ("mpi-pairs", "From → to"),
        MpiBy::Tag => ("mpi-tags", "Tag"),
        MpiBy::SendSite => ("mpi-send-sites", "Sent at"),
        MpiBy::ReceiveSite => ("mpi-receive-sites", "Received at"),
    };
    let mut columns = vec![
        Column::text("group", head),
        Column::count("messages", "Messages"),
        Column::new("payload", "Payload", Unit::Bytes).wide(),
        Column::time("end_to_end_mean", "Mean end to end").wide(),
    ];
    let keys = ["late_sender", "late_receiver", "unexpected", "not_collected"];
    let waits = Wait::ALL
        .iter()
        .zip(keys)
        .map(|(wait, key)| Column::time(key, wait_title(*wait)).coloured(wait_colour(*wait)));
    columns.extend(waits);
    let row = |group: &MpiGroup| -> Row {
        let mean = group.end_to_end_ns as f64 / group.messages.max(1) as f64;
        let head = [
            group_name(mpi, groups.by, group).into(),
            group.messages.into(),
            group.bytes.into(),
            mean.into(),
        ];
        let waits = group.waits_ns.iter().map(|ns| Cell::from(*ns));
        head.into_iter().chain(waits).collect::<Vec<Cell>>().into()
    };
    let left_out = (groups.left_out.0 > 0).then(|| {
        format!(
            "About {} more with {} messages are not shown.",
            count(groups.left_out.0),
            count(groups.left_out.1)
        )
    });
    Table::new(id, columns)
        .with(groups.groups.iter().map(row))
        .folded_above(ROWS, |rows| format!("Table of all {rows}"))
        .noted(left_out)
}

/// The functions called.
pub(crate) fn functions(functions: &[FunctionTime]) -> Table {
    let columns = [
        Column::text("function", "Function"),
        Column::text("is", "Is").wide(),
        Column::count("calls", "Calls"),
        Column::time("total", "Time in it"),
        Column::time("mean", "Mean"),
        Column::time("max", "Longest"),
        Column::new("payload", "Bytes", Unit::Bytes),
    ];
    let row = |f: &FunctionTime| -> Row {
        let mut calls = Cell::from(f.calls);
        if f.polls > 0 {
            calls = calls.small(format!("{} found nothing", count(f.polls)));
        }
        vec![
            Cell::new(f.name.as_str()).coloured(activity_colour(f.activity)),
            activity_title(f.activity).to_lowercase().into(),
            calls,
            f.total_ns.into(),
            (f.total_ns as f64 / f.calls.max(1) as f64).into(),
            f.max_ns.into(),
            (f.bytes > 0).then_some(f.bytes).into(),
        ]
        .into()
    };
    Table::new("mpi-function-table", columns).with(functions.iter().map(row))
}

/// Collectives and whom they waited for.
pub(crate) fn collectives(calls: &Calls) -> Table {
    let columns = [
        Column::text("collective", "Collective"),
        Column::count("times", "Times"),
        Column::time("waited", "Ranks waited"),
        Column::time("spread_mean", "First to last, mean").wide(),
        Column::time("spread_max", "Most").wide(),
        Column::text("last", "Last most often"),
    ];
    let row = |c: &CollectiveTime| -> Row {
        let last = c.last.map(|(rank, times)| {
            format!("rank {rank}, {} of the times", part(times as f64 / c.count.max(1) as f64))
        });
        vec![
            Cell::from(c.name.as_str()),
            c.count.into(),
            c.waited_ns.into(),
            (c.spread_ns as f64 / c.count.max(1) as f64).into(),
            c.spread_max_ns.into(),
            last.into(),
        ]
        .into()
    };
    Table::new("mpi-collectives", columns).with(calls.collectives.iter().map(row))
}

/// What each rank's time went to.
pub(crate) fn ranks(ranks: &[RankTime]) -> Table {
    let mut columns = vec![
        Column::text("rank", "Rank"),
        Column::count("calls", "Calls"),
        Column::time("elapsed", "First to last call"),
    ];
    let keys = ["computing", "sending", "waiting", "polling", "collective", "other"];
    columns.extend(Activity::ALL.iter().zip(keys).map(|(activity, key)| {
        Column::time(key, activity_title(*activity)).coloured(activity_colour(*activity))
    }));
    let row = |rank: &RankTime| -> Row {
        let mut calls = Cell::from(rank.calls);
        if rank.unfinished > 0 {
            calls = calls.small(format!("{} never left", count(rank.unfinished)));
        }
        let head = [rank.rank.into(), calls, rank.elapsed_ns.into()];
        let times = rank.activity_ns.iter().map(|ns| Cell::from(*ns));
        head.into_iter().chain(times).collect::<Vec<Cell>>().into()
    };
    Table::new("mpi-rank-table", columns)
        .with(ranks.iter().map(row))
        .folded_above(8, |ranks| format!("Table of all {ranks} ranks"))
}

/// The messages that waited longest, with what both ranks did.
pub(crate) fn worst(mpi: &Mpi) -> Table {
    let columns = [
        Column::text("message", "Message"),
        Column::time("ready", "Sent at"),
        Column::time("taken_after", "Taken after"),
        Column::time("waited", "Waited"),
        Column::text("waits", "Waits"),
        Column::text("sender", "The sender meanwhile"),
        Column::text("receiver", "The receiver meanwhile"),
    ];
    let mut table = Table::new("mpi-worst-table", columns)
        .with(mpi.worst.iter().map(|message| worst_row(mpi, message)));
    table.wordy = true;
    table
}

fn worst_row(mpi: &Mpi, message: &WorstMessage) -> Row {
    let line = message.line;
    let tag = message.tag.map_or_else(String::new, |tag| format!(", tag {tag}"));
    let sites: Vec<String> =
        message.sites.iter().flatten().map(|site| site_name(mpi, *site)).collect();
    let doing = |side: usize| {
        let all = message.doing[side].iter();
        Cell::from(Value::Lines(all.map(|one| doing_words(mpi, one)).collect()))
    };
    let mut name = Cell::new(format!("{} → {}", line.src, line.dst)).small(format!(
        "number {}{tag}, {}",
        line.seq,
        size(line.bytes)
    ));
    if !sites.is_empty() {
        name = name.small(sites.join(" → "));
    }
    vec![
        name,
        line.ready_ns.into(),
        line.taken_ns.saturating_sub(line.ready_ns).into(),
        message.waited_ns.into(),
        Value::Lines(worst_waits(message)).into(),
        doing(0),
        doing(1),
    ]
    .into()
}

/// `late sender 5.00 ms`, each wait that there is.
fn worst_waits(message: &WorstMessage) -> Vec<String> {
    let waits = Wait::ALL.iter().zip(message.waits_ns);
    waits
        .filter_map(|(wait, ns)| {
            let ns = ns.filter(|ns| *ns > 0)?;
            let unseen = matches!(wait, Wait::Unexpected | Wait::NotCollected);
            let error = message.arrived_error_ns.filter(|_| unseen);
            let error = error.map_or_else(String::new, |ns| format!(" ±\u{a0}{}", time(ns as f64)));
            Some(format!("{} {}{error}", crate::words::wait_name(*wait), time(ns as f64)))
        })
        .collect()
}

/// `MPI_Recv 5.00 ms at main (a.c:12)`, `computing 3.00 ms`.
fn doing_words(mpi: &Mpi, doing: &Doing) -> String {
    let ns = time(doing.ns as f64);
    let Some(call) = &doing.call else { return format!("computing {ns}") };
    let times = if doing.calls > 1 { format!(" × {}", count(doing.calls)) } else { String::new() };
    let site = doing.site.map_or_else(String::new, |site| format!(" at {}", site_name(mpi, site)));
    format!("{call}{times} {ns}{site}")
}
