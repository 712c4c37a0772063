//! Table 1.1: each trial's least, largest and average time with its standard deviation, as the
//! document has it, and our quantiles beside them.

use document::{Block, Cell, Column, Row, Table, Unit, count};
use report::ratio_text;
use shaped::link::Link;
use stats::analysis::Summary;

use super::{BoxStudy, INTEGER_BYTES, ONE_BOX, TRIAL_BYTES, TWO_BOXES, Trial, micros};

const QUANTILES: [(f64, &str); 3] = [(0.5, "p50"), (0.99, "p99"), (0.999, "p99.9")];
/// An Ethernet frame with 8 bytes: they, our header, and those of TCP, IP and Ethernet.
const FRAME_BYTES: u64 = TRIAL_BYTES + 44 + 66;

/// The heading and the table.
pub(super) fn blocks(study: &BoxStudy) -> [Block; 2] {
    let most = study.trials.iter().map(|trial| trial.cycles.count).max().unwrap_or(0);
    let heading = format!(
        "Round trip of {TRIAL_BYTES} bytes ({} integers) over {}; {} round trips a trial",
        TRIAL_BYTES / INTEGER_BYTES,
        study.over,
        count(most)
    );
    [Block::Heading(heading), Block::Table(table(study))]
}

/// A row a trial, one box before two.
fn table(study: &BoxStudy) -> Table {
    let mut columns = vec![
        Column::text("trial", "Trial"),
        Column::text("boxes", "Boxes"),
        Column::text("over", "").data(),
        Column::new("bytes", "", Unit::Bytes).data(),
        Column::count("count", "Round trips").wide(),
        Column::time("min", "min"),
        Column::time("max", "max"),
        Column::time("average", "average"),
        Column::time("sd", "SD"),
    ];
    columns.extend(QUANTILES.map(|(_, name)| Column::time(name, name)));
    let row = |trial: &Trial| -> Row {
        let s = trial.cycles;
        let mut cells: Vec<Cell> = vec![
            trial.trial.into(),
            trial.boxes.into(),
            study.over.into(),
            TRIAL_BYTES.into(),
            s.count.into(),
            s.min_ns.into(),
            s.max_ns.into(),
            s.mean_ns.into(),
            s.sd_ns.into(),
        ];
        cells.extend(QUANTILES.map(|(p, _)| Cell::from(at(s, p))));
        cells.into()
    };
    let of = |boxes| study.trials.iter().filter(move |trial| trial.boxes == boxes);
    let mut table = Table::new("trials", columns);
    table.rows = of(ONE_BOX).chain(of(TWO_BOXES)).map(row).collect();
    table
}

/// What to see in it.
pub(super) fn finding(study: &BoxStudy) -> Option<String> {
    let one = middle(&study.trials, ONE_BOX)?;
    Some(match middle(&study.trials, TWO_BOXES) {
        Some(two) => format!(
            "A round trip takes {} \u{b5}s in one box and {} \u{b5}s between two, {} as long \
            (medians of the trials' medians).",
            micros(one),
            micros(two),
            ratio_text(two / one)
        ),
        None => format!(
            "A round trip takes {} \u{b5}s in one box (median of the trials' medians).",
            micros(one)
        ),
    })
}

/// How much of the difference is the link's, where both were measured.
pub(super) fn of_the_link(study: &BoxStudy) -> Option<String> {
    let [one, two] = [ONE_BOX, TWO_BOXES].map(|boxes| middle(&study.trials, boxes));
    Some(link_words(study.link?, one?, two?))
}

pub(super) fn link_words(link: &Link, one: f64, two: f64) -> String {
    let (latency, more) = (link.latency_ns(), two - one);
    let latency = match link.latency {
        Some(_) if more > 0.0 => format!(
            "Of the {} \u{b5}s more, the link's latency is {} \u{b5}s ({:.0} %).",
            micros(more),
            micros(latency),
            100.0 * latency / more
        ),
        Some(_) => {
            "The link's latency does not show: something else took longer in one box.".into()
        }
        None => "The link adds no latency of its own.".into(),
    };
    // A sender's shaper has the whole round trip to forget a frame.
    let refill = link.rate_ns(FRAME_BYTES) / 2.0;
    let rate = match refill < two {
        true => format!(
            "A message this small passes it at once: its frame of about {FRAME_BYTES} bytes takes \
            {} \u{b5}s of the rate, less than a round trip. Any other difference is the way \
             through the devices instead of loopback or memory.",
            micros(refill)
        ),
        false => format!(
            "Its rate holds even these back: a frame of about {FRAME_BYTES} bytes takes {} \u{b5}s \
            of it.",
            micros(refill)
        ),
    };
    format!("{latency} {rate}")
}

/// The median of the trials' medians, ns.
fn middle(trials: &[Trial], boxes: &str) -> Option<f64> {
    let of_these = trials.iter().filter(|trial| trial.boxes == boxes);
    let mut medians: Vec<i64> = of_these.filter_map(|trial| at(trial.cycles, 0.5)).collect();
    medians.sort_unstable();
    let half = medians.len() / 2;
    match medians.len() % 2 {
        0 if half > 0 => Some((medians[half - 1] + medians[half]) as f64 / 2.0),
        0 => None,
        _ => Some(medians[half] as f64),
    }
}

/// A quantile, if there are enough round trips for it.
fn at(summary: &Summary, p: f64) -> Option<i64> {
    summary
        .quantiles
        .iter()
        .find(|quantile| (quantile.p - p).abs() < 1e-9)
        .map(|quantile| quantile.value_ns)
}
