//! What messages waited for, all together.

use crate::found::{Mpi, WaitView};
use plotly::layout::{Axis, AxisType, Margin};

use super::tables;
use crate::words::{arrivals_sentence, rests_on, wait_colour, wait_meaning, wait_title};
use document::chart::{Chart, bars, layout, lying, time_axis};
use document::{Block, Section};
use document::{axis_seconds, counted, part, time};

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
    let axes = layout()
        .bar_gap(0.3)
        .margin(Margin::new().left(110).right(16).top(10).bottom(44))
        .x_axis(time_axis("time of all messages together", AxisType::Linear))
        .y_axis(
            Axis::new()
                .type_(AxisType::Category)
                .auto_margin(true)
                .range(vec![waits.len() as f64 - 0.4, -0.6]),
        );
    let label = "Bars: how long messages waited, by wait.".to_owned();
    let mut chart = Chart::new("mpi-waits-bars", 210, label, axes);
    for wait in waits {
        let title = wait_title(wait.wait);
        let text = format!(
            "{title}: <b>{}</b>, {} of all message time<br>{}",
            time(wait.total_ns as f64),
            part(wait.share),
            counted(wait.count, "message")
        );
        let x = vec![axis_seconds(wait.total_ns as f64)];
        let colour = wait_colour(wait.wait).token();
        chart.data.push(lying(bars(x, vec![title.to_owned()], vec![text], title, &colour)));
    }
    chart
}
