//! What messages waited for, all together.

use crate::found::{Mpi, WaitView};

use super::tables;
use crate::words::{arrivals_sentence, rests_on, wait_colour, wait_meaning, wait_title};
use document::chart::{Axis, Bars, Chart};
use document::{Block, Section, axis_seconds, counted, part, time};

pub(super) fn section(mpi: &Mpi) -> Option<Section> {
    if mpi.messages == 0 {
        return None;
    }
    let sentence = format!(
        "The time of all messages, {}, runs from the call of send, or from when the receiver began \
        to wait if that was earlier, until \
         each was taken. A late receiver's time lies within that of unexpected messages where both \
         are known. {}",
        time(mpi.message_time_ns as f64),
        arrivals_sentence(&mpi.arrivals)
    );
    let mut section = Section::new("mpi-waits", "What messages waited for", sentence);
    if mpi.waits.iter().any(|wait| wait.total_ns > 0) {
        section.charts.push(chart(&mpi.waits));
    }
    let meaning = |wait: &WaitView| {
        let rests = rests_on(wait).map_or_else(String::new, |rests| format!("; {rests}"));
        format!("{}: {}{rests}.", wait_title(wait.wait), wait_meaning(wait.wait))
    };
    section.blocks.push(Block::Table(tables::waits(mpi)));
    section.blocks.push(Block::List(mpi.waits.iter().map(meaning).collect()));
    Some(section)
}

fn chart(waits: &[WaitView]) -> Chart {
    let axes = (Axis::time("time of all messages together"), Axis::names("").downwards());
    let label = "Bars: how long messages waited, by wait.".to_owned();
    let mut chart = Chart::new("mpi-waits-bars", 210, label, axes).gap(0.3);
    for wait in waits {
        let title = wait_title(wait.wait);
        let tip = format!(
            "{title}: {}, {} of all message time\n{}",
            time(wait.total_ns as f64),
            part(wait.share),
            counted(wait.count, "message")
        );
        let x = vec![axis_seconds(wait.total_ns as f64)];
        let bar = Bars::lying(x, vec![title.to_owned()], wait_colour(wait.wait));
        chart.draw(bar.tips(vec![tip]));
    }
    chart
}
