//! Tables of an MPI program's run.

use stats::analysis::{
    Activity, Blocked, Calls, Doing, FunctionTime, Mpi, MpiBy, MpiGroups, RankTime, Wait, WaitView,
    WorstMessage,
};

use crate::escape::html;
use crate::finding::quantile;
use crate::format::{NONE, count, counted, part, size, time, time_or_none};
use crate::mpi::{activity_title, group_name, rests_on, site_name, wait_class, wait_title};
use crate::tables::wrap;

/// Rows of a table that is not folded.
const ROWS: usize = 12;

fn swatch(class: &str, text: &str) -> String {
    format!("<span class=\"swatch {class}\"></span>{text}")
}

/// The four waits.
pub(crate) fn waits(mpi: &Mpi) -> String {
    let rows: String = mpi.waits.iter().map(wait_row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Wait<th scope=col>Messages<th \
        scope=col>Total<th scope=col>Of all \
         message time<th scope=col>Median<th scope=col>p99<th scope=col>Longest<th scope=col \
         class=left>Rests on<tbody>{rows}</table>"
    ))
}

fn wait_row(wait: &WaitView) -> String {
    let s = &wait.summary;
    let at = |p| time_or_none(quantile(s, p));
    let longest = if s.count == 0 { NONE.to_owned() } else { time(s.max_ns as f64) };
    let unknown = match wait.unknown {
        0 => String::new(),
        n => format!("<small>not known of {}</small>", count(n)),
    };
    let rests = match wait.wait {
        Wait::LateSender | Wait::LateReceiver => "the ranks' own calls".to_owned(),
        _ => rests_on(wait).unwrap_or_else(|| "observed arrivals".to_owned()),
    };
    format!(
        "<tr><th scope=row>{}<td>{}{unknown}<td>{}<td>{}<td>{}<td>{}<td>{longest}<td \
        class=left>{rests}",
        swatch(wait_class(wait.wait), wait_title(wait.wait)),
        count(wait.count),
        time(wait.total_ns as f64),
        part(wait.share),
        at(0.5),
        at(0.99)
    )
}

/// Who was blocked longest for whom.
pub(crate) fn blocked(blocked: &[Blocked]) -> String {
    let row = |b: &Blocked| {
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}",
            b.rank,
            b.by,
            time(b.total_ns() as f64),
            time(b.late_sender_ns as f64),
            time(b.late_receiver_ns as f64)
        )
    };
    let rows: String = blocked.iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Rank<th scope=col>Waited for rank<th \
        scope=col>Blocked<th \
         scope=col>{}<th scope=col>{}<tbody>{rows}</table>",
        swatch("undo", "Late sender"),
        swatch("c", "Late receiver")
    ))
}

/// Messages by one thing.
pub(crate) fn groups(mpi: &Mpi, groups: &MpiGroups) -> String {
    let head = match groups.by {
        MpiBy::Pair => "From → to",
        MpiBy::Tag => "Tag",
        MpiBy::SendSite => "Sent at",
        MpiBy::ReceiveSite => "Received at",
    };
    let waits: String = Wait::ALL
        .iter()
        .map(|wait| format!("<th scope=col>{}", swatch(wait_class(*wait), wait_title(*wait))))
        .collect();
    let row = |group: &stats::analysis::MpiGroup| {
        let mean = group.end_to_end_ns as f64 / group.messages.max(1) as f64;
        let waits: String =
            group.waits_ns.iter().map(|ns| format!("<td>{}", time(*ns as f64))).collect();
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td>{}{waits}",
            html(&group_name(mpi, groups.by, group)),
            count(group.messages),
            size(group.bytes),
            time(mean)
        )
    };
    let table = |rows: &[stats::analysis::MpiGroup]| {
        let rows: String = rows.iter().map(row).collect();
        wrap(&format!(
            "<table class=figures><thead><tr><th scope=col>{head}<th scope=col>Messages<th \
            scope=col>Payload<th scope=col>Mean end \
             to end{waits}<tbody>{rows}</table>"
        ))
    };
    let (first, rest) = groups.groups.split_at(groups.groups.len().min(ROWS));
    let mut text = table(first);
    if !rest.is_empty() {
        let more = format!("The next {}", counted(rest.len() as u64, "row"));
        text.push_str(&format!(
            "<details class=fold><summary>{more}</summary>{}</details>",
            table(rest)
        ));
    }
    if groups.left_out.0 > 0 {
        text.push_str(&format!(
            "<p class=note>About {} more with {} messages are not shown.</p>",
            count(groups.left_out.0),
            count(groups.left_out.1)
        ));
    }
    text
}

/// The functions called.
pub(crate) fn functions(functions: &[FunctionTime]) -> String {
    let row = |f: &FunctionTime| {
        let (name, class) = activity_title(f.activity);
        let polls = if f.polls > 0 {
            format!("<small>{} found nothing</small>", count(f.polls))
        } else {
            String::new()
        };
        format!(
            "<tr><th scope=row><span class=\"swatch {class}\" \
            title=\"{name}\"></span>{}<td>{}{polls}<td>{}<td>{}<td>{}<td>{}",
            html(&f.name),
            count(f.calls),
            time(f.total_ns as f64),
            time(f.total_ns as f64 / f.calls.max(1) as f64),
            time(f.max_ns as f64),
            if f.bytes > 0 { size(f.bytes) } else { NONE.to_owned() }
        )
    };
    let rows: String = functions.iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Function<th scope=col>Calls<th \
        scope=col>Time in it<th \
         scope=col>Mean<th scope=col>Longest<th scope=col>Bytes<tbody>{rows}</table>"
    ))
}

/// Collectives and whom they waited for.
pub(crate) fn collectives(calls: &Calls) -> String {
    let row = |c: &stats::analysis::CollectiveTime| {
        let last = c.last.map_or_else(
            || NONE.to_owned(),
            |(rank, times)| {
                format!("rank {rank}, {} of the times", part(times as f64 / c.count.max(1) as f64))
            },
        );
        format!(
            "<tr><th scope=row>{}<td>{}<td>{}<td>{}<td>{}<td class=left>{last}",
            html(&c.name),
            count(c.count),
            time(c.waited_ns as f64),
            time(c.spread_ns as f64 / c.count.max(1) as f64),
            time(c.spread_max_ns as f64)
        )
    };
    let rows: String = calls.collectives.iter().map(row).collect();
    wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Collective<th scope=col>Times<th \
        scope=col>Ranks waited, together<th \
         scope=col>First to last, mean<th scope=col>Most<th scope=col class=left>Last most \
         often<tbody>{rows}</table>"
    ))
}

/// What each rank's time went to.
pub(crate) fn ranks(ranks: &[RankTime]) -> String {
    let heads: String = Activity::ALL
        .iter()
        .map(|activity| {
            let (name, class) = activity_title(*activity);
            format!("<th scope=col>{}", swatch(class, name))
        })
        .collect();
    let row = |rank: &RankTime| {
        let times: String =
            rank.activity_ns.iter().map(|ns| format!("<td>{}", time(*ns as f64))).collect();
        let unfinished = match rank.unfinished {
            0 => String::new(),
            n => format!("<small>{} never left</small>", count(n)),
        };
        format!(
            "<tr><th scope=row>{}<td>{}{unfinished}<td>{}{times}",
            rank.rank,
            count(rank.calls),
            time(rank.elapsed_ns as f64)
        )
    };
    let rows: String = ranks.iter().map(row).collect();
    let table = wrap(&format!(
        "<table class=figures><thead><tr><th scope=col>Rank<th scope=col>Calls<th scope=col>First \
        to last call{heads}<tbody>{rows}</table>"
    ));
    if ranks.len() <= 8 {
        return table;
    }
    format!(
        "<details class=fold><summary>Table of all {} ranks</summary>{table}</details>",
        ranks.len()
    )
}

/// The messages that waited longest, with what both ranks did.
pub(crate) fn worst(mpi: &Mpi) -> String {
    let rows: String = mpi.worst.iter().map(|message| worst_row(mpi, message)).collect();
    wrap(&format!(
        "<table class=\"figures told\"><thead><tr><th scope=col>Message<th scope=col>Sent at<th \
        scope=col>Taken after<th \
         scope=col>Waited<th scope=col class=left>Waits<th scope=col class=left>The sender \
         meanwhile<th scope=col class=left>The \
         receiver meanwhile<tbody>{rows}</table>"
    ))
}

fn worst_row(mpi: &Mpi, message: &WorstMessage) -> String {
    let line = message.line;
    let tag = message.tag.map_or_else(String::new, |tag| format!(", tag {tag}"));
    let sites: Vec<String> =
        message.sites.iter().flatten().map(|site| html(&site_name(mpi, *site))).collect();
    let doing = |side: usize| match &message.doing[side][..] {
        [] => NONE.to_owned(),
        all => all.iter().map(|one| format!("{}<br>", html(&doing_words(mpi, one)))).collect(),
    };
    format!(
        "<tr><th scope=row>{} → {}<small>number {}{tag}, \
        {}</small><small>{}</small><td>{}<td>{}<td>{}<td class=left>{}<td class=left>{}<td \
         class=left>{}",
        line.src,
        line.dst,
        line.seq,
        size(line.bytes),
        sites.join(" → "),
        time(line.ready_ns as f64),
        time(line.taken_ns.saturating_sub(line.ready_ns) as f64),
        time(message.waited_ns as f64),
        worst_waits(message).iter().map(|text| format!("{text}<br>")).collect::<String>(),
        doing(0),
        doing(1)
    )
}

/// `late sender 5.00 ms`, each wait that there is.
pub(crate) fn worst_waits(message: &WorstMessage) -> Vec<String> {
    let waits = Wait::ALL.iter().zip(message.waits_ns);
    waits
        .filter_map(|(wait, ns)| {
            let ns = ns.filter(|ns| *ns > 0)?;
            let unseen = matches!(wait, Wait::Unexpected | Wait::NotCollected);
            let error = message.arrived_error_ns.filter(|_| unseen);
            let error = error.map_or_else(String::new, |ns| format!(" ±\u{a0}{}", time(ns as f64)));
            Some(format!("{} {}{error}", crate::mpi::wait_name(*wait), time(ns as f64)))
        })
        .collect()
}

/// `MPI_Recv 5.00 ms at main (a.c:12)`, `computing 3.00 ms`.
pub(crate) fn doing_words(mpi: &Mpi, doing: &Doing) -> String {
    let ns = time(doing.ns as f64);
    let Some(call) = &doing.call else { return format!("computing {ns}") };
    let times = if doing.calls > 1 { format!(" × {}", count(doing.calls)) } else { String::new() };
    let site = doing.site.map_or_else(String::new, |site| format!(" at {}", site_name(mpi, site)));
    format!("{call}{times} {ns}{site}")
}
