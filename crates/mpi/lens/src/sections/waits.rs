//! What messages waited for, all together.

use crate::found::{Mpi, WaitView};

use super::tables;
use crate::words::{arrivals_sentence, rests_on, wait_colour, wait_meaning, wait_title};
use document::chart::{Axis, Bars, Chart};
use document::{Block, Section, axis_seconds, counted, part, time};

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    let shown: Vec<&WaitView> = tables::shown_waits(mpi).collect();
    if shown.is_empty() {
        return None;
    }
    let sentences = [of_ranks(mpi), of_messages(mpi)].into_iter().flatten().collect::<Vec<_>>();
    let title = "What ranks and messages waited for";
    let mut section = Section::new("mpi-waits", title, sentences.join(" "));
    if shown.iter().any(|wait| wait.total_ns > 0) {
        section.charts.push(chart(&shown));
    }
    let meaning = |wait: &&WaitView| {
        let rests = rests_on(wait).map_or_else(String::new, |rests| format!("; {rests}"));
        format!("{}: {}{rests}.", wait_title(wait.wait), wait_meaning(wait.wait))
    };
    section.blocks.push(Block::Table(tables::waits(mpi)));
    section.blocks.push(Block::List(shown.iter().map(meaning).collect()));
    Some(section)
}

fn of_ranks(mpi: &Mpi) -> Option<String> {
    let account = mpi.account.as_ref()?;
    let unknown = match account.unknown_ns {
        0 => String::new(),
        ns => format!(
            " Of {}, {} together, it is not known whether they were blocked: their size travels \
            at once, or may, yet they lasted until the receive was posted.",
            counted(account.unknown_sends, "send"),
            time(ns as f64)
        ),
    };
    Some(format!(
        "Ranks were blocked {} of the {} that they spent in MPI calls; shares are of the {} of all \
        ranks. A moment is counted once, for what the call waited for last.{unknown}",
        time(account.blocked_ns as f64),
        time(account.in_calls_ns as f64),
        time(account.elapsed_ns as f64)
    ))
}

fn of_messages(mpi: &Mpi) -> Option<String> {
    (mpi.messages > 0).then(|| {
        format!(
            "Messages that lay about blocked nobody meanwhile; their shares are of the time of all \
            messages, {}, from the call of send, or from when the receiver began to wait if that \
            was earlier, until each was taken. {}",
            time(mpi.message_time_ns as f64),
            arrivals_sentence(&mpi.arrivals)
        )
    })
}

fn chart(waits: &[&WaitView]) -> Chart {
    let axes = (Axis::time("time of ranks (blocked) or of messages"), Axis::names("").downwards());
    let label = "Bars: how long ranks were blocked and messages lay about, by wait.".to_owned();
    let mut chart = Chart::new("mpi-waits-bars", 230, label, axes).gap(0.3);
    for wait in waits {
        let title = wait_title(wait.wait);
        let tip = format!(
            "{title}: {}, {} of the time of all {}\n{}",
            time(wait.total_ns as f64),
            part(wait.share),
            if wait.wait.blocks() { "ranks" } else { "messages" },
            counted(wait.count, if wait.wait.blocks() { "call" } else { "message" })
        );
        let x = vec![axis_seconds(wait.total_ns as f64)];
        let bar = Bars::lying(x, vec![title.to_owned()], wait_colour(wait.wait));
        chart.draw(bar.tips(vec![tip]));
    }
    chart
}
