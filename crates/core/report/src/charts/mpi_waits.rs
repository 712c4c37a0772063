//! What messages waited for, all together.

use plotly::layout::{Axis, AxisType, Margin};
use stats::analysis::{Mpi, WaitView};

use super::Section;
use crate::chart::{Chart, bars, layout, lying, time_axis};
use crate::format::{axis_seconds, counted, part, time};
use crate::mpi::{arrivals_sentence, wait_class, wait_meaning, wait_title};
use crate::mpi_tables;

pub(super) fn section(run: &str, mpi: &Mpi) -> Option<Section> {
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
    let mut section = Section::new(run, "mpi-waits", "What messages waited for", sentence);
    if mpi.waits.iter().any(|wait| wait.total_ns > 0) {
        section.charts.push(chart(run, &mpi.waits));
    }
    section.below = mpi_tables::waits(mpi);
    let meanings: String = mpi
        .waits
        .iter()
        .map(|wait| format!("<b>{}</b>: {}. ", wait_title(wait.wait), wait_meaning(wait.wait)))
        .collect();
    section.below.push_str(&format!("<p class=note>{meanings}</p>"));
    Some(section)
}

fn chart(run: &str, waits: &[WaitView]) -> Chart {
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
    let mut chart = Chart::new(format!("{run}-mpi-waits-bars"), 210, label, axes);
    for wait in waits {
        let title = wait_title(wait.wait);
        let text = format!(
            "{title}: <b>{}</b>, {} of all message time<br>{}",
            time(wait.total_ns as f64),
            part(wait.share),
            counted(wait.count, "message")
        );
        let x = vec![axis_seconds(wait.total_ns as f64)];
        let colour = format!("@{}", wait_class(wait.wait));
        chart.data.push(lying(bars(x, vec![title.to_owned()], vec![text], title, &colour)));
    }
    chart
}
