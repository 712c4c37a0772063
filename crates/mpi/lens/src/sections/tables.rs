//! Tables of an MPI program's run.

use crate::found::{
    Activity, Blocked, BlockedAt, Calls, CollectiveTime, Doing, FunctionTime, GroupedBy,
    GroupsBlocked, Kind, Mpi, MpiBy, MpiGroup, MpiGroups, RankTime, Wait, WaitView, WorstWait,
};
use calls::cause::COUNT;
use document::{Cell, Column, Row, Table, Unit, Value, count, part, size, time};

use crate::words::{
    activity_colour, activity_title, group_name, kind_name, rank_ranges, rests_on, site_name,
    wait_colour, wait_title,
};
use report::quantile;

/// Rows of a table that is not folded.
const ROWS: usize = 12;
/// Columns of activities, in the order of [`Activity::ALL`].
const ACTIVITY_KEYS: [&str; 7] =
    ["computing", "sending", "waiting", "polling", "collective", "collective_wait", "other"];

/// The waits.
pub(crate) fn waits(mpi: &Mpi) -> Table {
    let columns = [
        Column::text("wait", "Wait"),
        Column::count("count", "Calls or messages"),
        Column::time("total", "Total"),
        Column::share("share", "Of time"),
        Column::time("p50", "Median"),
        Column::time("p99", "p99").wide(),
        Column::time("max", "Longest"),
        Column::text("rests_on", "Rests on").wide(),
    ];
    Table::new("mpi-wait-table", columns).with(shown_waits(mpi).map(|wait| wait_row(mpi, wait)))
}

/// Those that something is known of.
pub(crate) fn shown_waits(mpi: &Mpi) -> impl Iterator<Item = &WaitView> {
    let messages = mpi.messages > 0;
    mpi.waits.iter().filter(move |view| match view.wait {
        Wait::Collective => mpi.account.is_some(),
        wait if wait.is_one_sided() => mpi.account.is_some() && view.count > 0,
        wait if wait.blocks() => mpi.account.is_some() && messages,
        _ => messages,
    })
}

fn wait_row(mpi: &Mpi, wait: &WaitView) -> Row {
    let s = &wait.summary;
    let mut messages = Cell::from(wait.count);
    if wait.unknown > 0 {
        messages = messages.small(format!("not known of {}", count(wait.unknown)));
    }
    let rests = match &mpi.account {
        Some(account) if wait.wait.blocks() => {
            let of = wait.total_ns as f64 / account.in_calls_ns.max(1) as f64;
            format!("the ranks' own calls: {} of their time in MPI", part(of))
        }
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
    let head = [
        Column::text("rank", "Rank"),
        Column::text("by", "Waited for rank"),
        Column::time("blocked", "Blocked"),
    ];
    let causes = causes(blocked.iter().map(Blocked::waits_ns));
    let columns: Vec<Column> = head.into_iter().chain(causes.iter().map(cause_column)).collect();
    let row = |b: &Blocked| -> Row {
        let head = [Cell::from(b.rank), b.by.into(), b.total_ns().into()];
        let waits = causes.iter().map(|wait| Cell::from(b.of(*wait)));
        head.into_iter().chain(waits).collect::<Vec<Cell>>().into()
    };
    Table::new("mpi-blocked-table", columns)
        .with(blocked.iter().map(row))
        .folded_above(ROWS, |rows| format!("Table of the {rows} pairs that waited longest"))
}

/// The causes that have a column: those of one-sided communication only where a rank was blocked
/// for them.
fn causes(waits_ns: impl Iterator<Item = [i64; COUNT]>) -> Vec<Wait> {
    let mut any = [false; COUNT];
    for of_row in waits_ns {
        any.iter_mut().zip(of_row).for_each(|(any, ns)| *any |= ns > 0);
    }
    let waits = Wait::BLOCKING.into_iter().zip(any);
    waits.filter(|(wait, any)| *any || !wait.is_one_sided()).map(|(wait, _)| wait).collect()
}

fn cause_column(wait: &Wait) -> Column {
    let key = match wait {
        Wait::LateSender => "late_sender",
        Wait::LateReceiver => "late_receiver",
        Wait::LatePost => "late_post",
        Wait::LateComplete => "late_complete",
        wait => wait.key(),
    };
    Column::time(key, wait_title(*wait)).coloured(wait_colour(*wait))
}

/// The kinds of ranks and who is of which.
pub(crate) fn kinds(kinds: &[Kind]) -> Table {
    let head = [
        Column::text("kind", "Kind"),
        Column::text("ranks", "Ranks"),
        Column::share("apart", "Differ by up to").wide(),
    ];
    let activities = Activity::ALL.iter().zip(ACTIVITY_KEYS).map(|(activity, key)| {
        Column::share(key, activity_title(*activity)).coloured(activity_colour(*activity))
    });
    let row = |kind: &Kind| -> Row {
        let ranks = rank_ranges(&kind.ranks, 6);
        let head = [Cell::from(kind_name(kind)), ranks.into(), kind.apart.into()];
        head.into_iter().chain(kind.parts.map(Cell::from)).collect::<Vec<Cell>>().into()
    };
    let columns: Vec<Column> = head.into_iter().chain(activities).collect();
    Table::new("mpi-kinds", columns).with(kinds.iter().map(row))
}

/// Which group of ranks waited how long for which.
pub(crate) fn groups_blocked(blocked: &GroupsBlocked) -> Table {
    let (id, name) = match blocked.by {
        GroupedBy::Host => ("mpi-blocked-hosts", "Host"),
        GroupedBy::Kind => ("mpi-blocked-kinds", "Ranks"),
    };
    let columns = [
        Column::text("group", name),
        Column::count("ranks", "How many"),
        Column::text("by", "Waited for"),
        Column::time("blocked", "Blocked"),
    ];
    let row = |&(rank, by, ns): &(usize, usize, i64)| -> Row {
        let [one, other] = [rank, by].map(|at| &blocked.groups[at]);
        vec![Cell::from(one.0.clone()), one.1.into(), other.0.clone().into(), ns.into()].into()
    };
    Table::new(id, columns)
        .with(blocked.blocked.iter().map(row))
        .folded_above(ROWS, |rows| format!("Table of all {rows}"))
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
    // Zeros would say that nobody was blocked, where nothing is known of that.
    let is_known = |wait: &Wait| mpi.account.is_some() || !wait.blocks();
    let waits = Wait::OF_MESSAGES
        .iter()
        .zip(keys)
        .filter(|(wait, _)| is_known(wait))
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
        let waits = Wait::OF_MESSAGES.iter().zip(group.waits_ns);
        let waits = waits.filter(|(wait, _)| is_known(wait)).map(|(_, ns)| Cell::from(ns));
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

/// Where ranks were blocked.
pub(crate) fn blocked_at(mpi: &Mpi, all: &[BlockedAt]) -> Table {
    let head = [
        Column::text("at", "Blocked at"),
        Column::text("call", "In"),
        Column::count("count", "Calls blocked"),
        Column::time("blocked", "Blocked"),
    ];
    let causes = causes(all.iter().map(|at| at.waits_ns));
    let columns: Vec<Column> = head.into_iter().chain(causes.iter().map(cause_column)).collect();
    let row = |at: &BlockedAt| -> Row {
        let head = [
            Cell::new(site_name(mpi, at.site.unwrap_or(0))),
            at.call.as_str().into(),
            at.count.into(),
            at.total_ns().into(),
        ];
        let waits = Wait::BLOCKING.iter().zip(at.waits_ns);
        let waits = waits.filter(|(wait, _)| causes.contains(wait)).map(|(_, ns)| Cell::from(ns));
        head.into_iter().chain(waits).collect::<Vec<Cell>>().into()
    };
    Table::new("mpi-blocked-sites", columns)
        .with(all.iter().map(row))
        .folded_above(ROWS, |rows| format!("Table of all {rows}"))
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
        Column::time("in_calls", "Time in it"),
        Column::time("waited", "Ranks waited"),
        Column::time("spread_mean", "First to last, mean").wide(),
        Column::time("spread_max", "Most").wide(),
        Column::text("late", "Longest for"),
    ];
    let row = |c: &CollectiveTime| -> Row {
        let compared = |value: f64| (c.count > 0).then_some(value);
        let late = c.late.map(|(rank, ns)| {
            let of = ns as f64 / c.waited_ns.unwrap_or(0).max(1) as f64;
            format!("rank {rank}, {} of it", part(of))
        });
        vec![
            Cell::from(c.name.as_str()),
            compared(c.count as f64).map(|_| c.count).into(),
            c.in_calls_ns.into(),
            c.waited_ns.into(),
            compared(c.spread_ns as f64 / c.count.max(1) as f64).into(),
            compared(c.spread_max_ns as f64).into(),
            late.into(),
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
    columns.extend(Activity::ALL.iter().zip(ACTIVITY_KEYS).map(|(activity, key)| {
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

/// The longest waits, with what the ranks did that were waited for.
pub(crate) fn worst(mpi: &Mpi) -> Table {
    let columns = [
        Column::text("wait", "Wait"),
        Column::text("who", "Who for whom"),
        Column::time("from", "Began at"),
        Column::time("waited", "Waited"),
        Column::text("what", "What for"),
        Column::text("meanwhile", "The one waited for meanwhile"),
    ];
    let mut table = Table::new("mpi-worst-table", columns)
        .with(mpi.worst.iter().map(|wait| worst_row(mpi, wait)));
    table.wordy = true;
    table
}

fn worst_row(mpi: &Mpi, worst: &WorstWait) -> Row {
    let who = if worst.wait.blocks() { "rank" } else { "message of rank" };
    let who = format!("{who} {} for rank {}", worst.rank, worst.by);
    let error = worst.error_ns.map(|ns| format!("±\u{a0}{}", time(ns as f64)));
    let waited = Cell::from(worst.waited_ns);
    let doing = worst.doing.iter().map(|one| doing_words(mpi, one)).collect();
    vec![
        Cell::new(wait_title(worst.wait)).coloured(wait_colour(worst.wait)),
        who.into(),
        worst.from_ns.into(),
        error.map_or(waited.clone(), |error| waited.small(error)),
        what_for(mpi, worst),
        Value::Lines(doing).into(),
    ]
    .into()
}

/// The message or the collective, and the places of both ranks.
fn what_for(mpi: &Mpi, worst: &WorstWait) -> Cell {
    let tag = worst.tag.map_or_else(String::new, |tag| format!(", tag {tag}"));
    let message = worst.message.map(|line| {
        let way = format!("{}\u{a0}→\u{a0}{}", line.src, line.dst);
        format!("message 0:{}:{}, {way}{tag}, {}", line.src, line.seq, size(line.bytes))
    });
    let what = worst.collective.clone().or(message).unwrap_or_default();
    let mut sites: Vec<String> =
        worst.sites.iter().flatten().map(|site| site_name(mpi, *site)).collect();
    sites.dedup();
    let cell = match sites.is_empty() {
        true => Cell::new(what),
        false => Cell::new(what).small(sites.join(" for ")),
    };
    match worst.message_name() {
        Some(name) => report::leading_to(cell, name),
        None => cell,
    }
}

/// `MPI_Recv 5.00 ms at main (a.c:12)`, `computing 3.00 ms`.
pub(super) fn doing_words(mpi: &Mpi, doing: &Doing) -> String {
    let ns = time(doing.ns as f64);
    let Some(call) = &doing.call else { return format!("computing {ns}") };
    let times = if doing.calls > 1 { format!(" × {}", count(doing.calls)) } else { String::new() };
    let site = doing.site.map_or_else(String::new, |site| format!(" at {}", site_name(mpi, site)));
    format!("{call}{times} {ns}{site}")
}
