//! What a speed-up study comes to, in a sentence.

use report::{build::ratio, reason_text};
use stats::launches::Reason;
use stats::speedup::Estimate;

use super::SpeedupRow;

/// Whether nodes are faster than the run in order, as far as that is decided.
pub(super) fn sentence(model: &str, rows: &[SpeedupRow]) -> String {
    let Some((row, best)) = fastest(rows.iter()) else {
        return format!("{model} was measured in order only.");
    };
    let (on, times) = (row.name(), ratio(best.value));
    match best.interval {
        Ok(interval) if interval.0 > 1.0 => {
            format!("{model} is fastest on {on}: {times} as fast as in order{}.", between(interval))
        }
        Ok(interval) if interval.1 < 1.0 => format!(
            "{model} is fastest in order; the best on nodes ({on}) is {times} as fast{}.",
            between(interval)
        ),
        _ => {
            let several = rows.iter().filter(|row| row.setup.nodes.is_some_and(|n| n > 1));
            match fastest(several) {
                Some((row, best)) => on_several(model, row, best),
                None => format!(
                    "Undecided whether {model} is faster on nodes: on {on} it is {times} as fast \
                    as in order."
                ),
            }
        }
    }
}

/// One node is no reason to use several: where it is the best, they are judged without it.
fn on_several(model: &str, row: &SpeedupRow, best: Estimate) -> String {
    let verdict = match best.interval {
        Ok((low, _)) if low > 1.0 => format!("{model} is faster on several nodes"),
        Ok((_, high)) if high < 1.0 => format!("{model} is not faster on several nodes"),
        undecided => {
            let why = undecided.map_or_else(reason_text, |_| reason_text(Reason::SpreadTooWide));
            format!("Undecided whether {model} is faster on several nodes ({why})")
        }
    };
    format!(
        "{verdict}: the best of them, {}, is {} as fast as in order{}.",
        row.name(),
        ratio(best.value),
        best.interval.map_or_else(|_| String::new(), between)
    )
}

fn fastest<'a>(rows: impl Iterator<Item = &'a SpeedupRow>) -> Option<(&'a SpeedupRow, Estimate)> {
    let speedups = rows.filter_map(|row| Some((row, row.speedup?)));
    speedups.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

fn between((low, high): (f64, f64)) -> String {
    format!(" (95 %: {} to {})", ratio(low), ratio(high))
}
