//! What a speed-up study comes to, in a sentence.

use report::{build::ratio, reason_text};
use stats::launches::Reason;

use super::SpeedupRow;

/// Whether nodes are faster than the run in order, as far as that is decided.
pub(super) fn sentence(model: &str, rows: &[SpeedupRow]) -> String {
    let speedups = rows.iter().filter_map(|row| Some((row, row.speedup?)));
    let Some((row, best)) = speedups.max_by(|a, b| a.1.value.total_cmp(&b.1.value)) else {
        return format!("{model} was measured in order only.");
    };
    let (on, times) = (row.name(), ratio(best.value));
    let between = |(low, high): (f64, f64)| format!(" (95 %: {} to {})", ratio(low), ratio(high));
    match best.interval {
        Ok(interval) if interval.0 > 1.0 => {
            format!("{model} is fastest on {on}: {times} as fast as in order{}.", between(interval))
        }
        Ok(interval) if interval.1 < 1.0 => format!(
            "{model} is fastest in order; the best on nodes ({on}) is {times} as fast{}.",
            between(interval)
        ),
        undecided => {
            let why = undecided.map_or_else(reason_text, |_| reason_text(Reason::SpreadTooWide));
            format!(
                "Undecided whether {model} is faster on several nodes ({why}): the best of them, \
                {on}, is {times} as fast as in order{}.",
                undecided.map_or_else(|_| String::new(), between)
            )
        }
    }
}
