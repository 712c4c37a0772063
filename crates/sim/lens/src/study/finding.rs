//! What a speed-up study comes to, in a sentence.

use report::{build::ratio, reason_text};
use stats::launches::Reason;
use stats::speedup::Estimate;

use super::{SpeedupRow, listed, models};

/// Of one model its sentence; of several, which of them nodes make faster.
pub(super) fn headline(rows: &[SpeedupRow]) -> String {
    match models(rows)[..] {
        [] => "Nothing was measured.".to_owned(),
        [only] => sentence(only, rows.iter()),
        ref several => of_several(several, rows),
    }
}

/// A sentence for each of several models.
pub(super) fn of_each_model(rows: &[SpeedupRow]) -> Vec<String> {
    let models = models(rows);
    let of = |model: &&str| sentence(model, rows.iter().filter(|row| row.setup.model == *model));
    if models.len() > 1 { models.iter().map(of).collect() } else { Vec::new() }
}

/// Which models some number of nodes, even one, makes faster; as far as intervals decide.
fn of_several(models: &[&str], rows: &[SpeedupRow]) -> String {
    let (mut faster, mut slower, mut undecided) = (Vec::new(), Vec::new(), Vec::new());
    for model in models {
        let own = rows.iter().filter(|row| row.setup.model == *model);
        match fastest(own).map(|(_, best)| best.interval) {
            Some(Ok((low, _))) if low > 1.0 => faster.push(*model),
            Some(Ok((_, high))) if high < 1.0 => slower.push(*model),
            _ => undecided.push(*model),
        }
    }
    let parts = [("faster on nodes than in order", faster), ("slower on nodes", slower)];
    let parts = parts.into_iter().chain([("undecided", undecided)]);
    let parts = parts.filter(|(_, of)| !of.is_empty());
    let said = parts.map(|(what, of)| format!("{what}: {}", listed(&of)));
    let said = said.collect::<Vec<_>>().join("; ");
    let (first, rest) = said.split_at(1);
    format!("{}{rest}.", first.to_uppercase())
}

/// Whether nodes are faster than the run in order of the same build, as far as that is decided.
fn sentence<'a>(model: &str, rows: impl Iterator<Item = &'a SpeedupRow> + Clone) -> String {
    let Some((row, best)) = fastest(rows.clone()) else {
        return format!("{model} was measured in order only.");
    };
    let (on, times) = (on(row), ratio(best.value));
    match best.interval {
        Ok(interval) if interval.0 > 1.0 => {
            format!("{model} is fastest on {on}: {times} as fast as in order{}.", between(interval))
        }
        Ok(interval) if interval.1 < 1.0 => format!(
            "{model} is fastest in order; the best on nodes ({on}) is {times} as fast{}.",
            between(interval)
        ),
        _ => {
            let several = rows.filter(|row| row.setup.nodes.is_some_and(|n| n > 1));
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
        on(row),
        ratio(best.value),
        best.interval.map_or_else(|_| String::new(), between)
    )
}

/// The setup of a row, its model aside.
fn on(row: &SpeedupRow) -> String {
    row.style.of_one_model().varied.name(&row.setup)
}

fn fastest<'a>(rows: impl Iterator<Item = &'a SpeedupRow>) -> Option<(&'a SpeedupRow, Estimate)> {
    let speedups = rows.filter_map(|row| Some((row, row.speedup?)));
    speedups.max_by(|a, b| a.1.value.total_cmp(&b.1.value))
}

fn between((low, high): (f64, f64)) -> String {
    format!(" (95 %: {} to {})", ratio(low), ratio(high))
}
