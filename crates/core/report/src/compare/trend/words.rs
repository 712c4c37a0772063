//! A series in two lines: what lasted, and how the newest run stands to those before it.

use document::{counted, ratio, time};
use stats::compare::{Between, Change, ChangeKind, Course, Figure, RUNS_LEAST, Standing};
use stats::launches::LAUNCHES_LEAST;

use super::ComparedTrend;
use crate::compare::words::{figure_name, joined, of_stage, plain_part};
use crate::ratios::{range, reason_text};

/// The largest lasting change of the first figure that has any, and all further ones, the largest
/// first; or that there are none to be seen.
pub(super) fn lasting(compared: &ComparedTrend<'_>) -> (String, Vec<String>) {
    let stage = of_stage(compared.trend.stage);
    let mut changes = Vec::new();
    for course in &compared.trend.courses {
        let mut all: Vec<&Change> = course.changes.iter().collect();
        all.sort_by(|a, b| b.ratio.ln().abs().total_cmp(&a.ratio.ln().abs()));
        changes.extend(all.into_iter().map(|change| lasted(compared, course, change, &stage)));
    }
    if changes.is_empty() {
        return (none(compared, &stage), changes);
    }
    let first = changes.remove(0);
    (first, changes)
}

fn none(compared: &ComparedTrend<'_>, stage: &str) -> String {
    let trend = compared.trend;
    let figures: Vec<String> =
        trend.courses.iter().map(|course| figure_name(course.figure)).collect();
    let Some(figures) = joined(&figures) else {
        return "Undecided: the runs have too few messages for p50 and p99; measure more messages \
            per launch."
            .to_owned();
    };
    let most = trend.courses.iter().map(known).max().unwrap_or(0);
    if most < RUNS_LEAST {
        return format!(
            "{} {} too few to search for a lasting change of {figures}{stage}: it takes \
            {RUNS_LEAST}, with the change not among the first or the last two.",
            counted(most as u64, "run"),
            if most == 1 { "is" } else { "are" },
        );
    }
    format!("No lasting change of {figures}{stage} is seen in {most} runs.")
}

fn known(course: &Course) -> usize {
    course.points.iter().flatten().count()
}

fn lasted(compared: &ComparedTrend<'_>, course: &Course, change: &Change, stage: &str) -> String {
    let figure = figure_name(course.figure);
    let by = format!(
        "{}{}",
        ratio(change.ratio),
        change.interval.map_or_else(String::new, |ends| format!(" ({})", range(ends)))
    );
    let rose = change.ratio > 1.0;
    let name = |at: usize| compared.name(at);
    match change.kind {
        ChangeKind::Step { between: (least, most), .. } => {
            let verb = if rose { "rose" } else { "fell" };
            let sure = if least == most { "between" } else { "somewhere between" };
            let form =
                if change.form_is_clear { "" } else { " (or in a drift: it fits about as well)" };
            format!(
                "{figure}{stage} {verb} {sure} {} and {}, and stayed: {by} what it was{form}.",
                name(least.saturating_sub(1)),
                name(most)
            )
        }
        ChangeKind::Drift { from, to } => {
            let verb = if rose { "drifts up" } else { "drifts down" };
            let form =
                if change.form_is_clear { "" } else { " (or in a step: it fits about as well)" };
            format!(
                "{figure}{stage} {verb} from {} to {}: {by} in all{form}.",
                name(from),
                name(to)
            )
        }
    }
}

/// The newest run against those before it, as runs differ; nothing where there are too few.
pub(super) fn newest(compared: &ComparedTrend<'_>) -> Option<String> {
    let newest = &compared.trend.newest;
    let name = compared.name(compared.runs.len() - 1);
    if !compared.trend.has_earlier() {
        return Some(format!(
            "The newest run, {name}, has {} before it; it takes {LAUNCHES_LEAST} to know how runs \
            differ from each other.",
            counted(newest.against as u64, "run")
        ));
    }
    let said: Vec<String> =
        newest.seen.iter().map(|(figure, seen)| one(compared, *figure, seen)).collect();
    (!said.is_empty()).then(|| {
        let before = counted(newest.against as u64, "run");
        format!("The newest run, {name}, against the {before} before it: {}.", said.join("; "))
    })
}

fn one(compared: &ComparedTrend<'_>, figure: Figure, seen: &Between) -> String {
    let value = compared.trend.courses.iter().find(|course| course.figure == figure);
    let value = value.and_then(|course| course.points.last()?.as_ref());
    let value =
        value.map_or_else(String::new, |point| format!(", {},", time(point.level.value_ns)));
    let ends = seen.interval.map_or_else(String::new, |ends| format!(" ({})", range(ends)));
    let word = match (seen.standing, seen.reason) {
        (Standing::Slower, _) => "slower".to_owned(),
        (Standing::Faster, _) => "faster".to_owned(),
        (Standing::Same, _) => {
            format!("no difference of {} or more", plain_part(compared.trend.least))
        }
        (Standing::Undecided, Some(why)) => format!("undecided, {}", reason_text(why)),
        (Standing::Undecided, None) => "undecided".to_owned(),
    };
    format!("{}{value} is {} theirs{ends}, {word}", figure_name(figure), ratio(seen.ratio))
}
