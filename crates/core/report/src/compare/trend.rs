//! A series of runs as a document: what lasted, what the newest run did, each run against the one
//! before it.

mod words;

use document::{
    Block, Cell, Chart, ChartText, Column, Document, Row, Section, Table, Unit, ratio, time,
};
use stats::compare::{Between, Change, ChangeKind, Checked, Course, Measured, Trend};

use super::conditions::{condition, gate};
use super::levels::{self, Named, Stretch};
use super::words::{figure_key, figure_name, plain_part, stage_name, standing, standing_colour};
use super::{ComparedSide, facts, side_messages};
use crate::facts::Facts;

/// A series of runs, and what it shows.
#[derive(Clone, Debug)]
pub struct ComparedTrend<'a> {
    /// The runs in the order of their starts, by short names.
    pub runs: Vec<ComparedSide<'a>>,
    /// What was found.
    pub trend: &'a Trend,
    /// What was found beside the runs and could not be read, a line each.
    pub skipped: &'a [String],
}

impl ComparedTrend<'_> {
    /// All of it.
    pub fn document(&self) -> Document {
        let trend = self.trend;
        let (finding, further) = words::lasting(self);
        let mut opening = vec![Block::Finding(finding)];
        opening.extend(further.into_iter().map(Block::Lead));
        opening.extend(words::newest(self).map(Block::Lead));
        let first = self.runs.first().filter(|_| trend.stage != Measured::Cycle);
        let messages = first.map(|side| format!("{}.", side_messages(side)));
        opening.extend(messages.map(|text| Block::Note(Some("Messages of the first run"), text)));
        let warnings = self.warnings();
        if !warnings.is_empty() {
            opening.push(Block::Warning(warnings));
        }
        opening.extend(self.conditions());
        let mut sections = vec![self.course()];
        let changed = self.changed();
        if changed.rows.is_empty() {
            // A script that asks for the table gets its heads.
            opening.push(Block::Table(changed.data()));
        } else {
            let see = "Facts that differ from the run before; a difference in times may come \
                from any of them.";
            sections.push(Section::new("run", "What was run", see).table(changed));
        }
        let title = format!("{} runs · Fourstamp", self.runs.len());
        Document { title, opening, sections, runs: Vec::new() }
    }

    fn name(&self, at: usize) -> &str {
        &self.runs[at].name
    }

    /// What the ratios are to, besides the run before; in quotes, since a run may be called
    /// `before`.
    fn reference(&self) -> String {
        match self.trend.reference {
            0 => "the first run".to_owned(),
            at => format!("\u{201c}{}\u{201d}", self.name(at)),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let lost = self.runs.iter().flat_map(|run| facts::losses_of(&run.name, run));
        let skipped = self.skipped.iter().map(|line| format!("left out: {line}"));
        self.transports().into_iter().chain(skipped).chain(lost).collect()
    }

    /// That a series is none of one thing.
    fn transports(&self) -> Option<String> {
        transports(self.runs.iter().filter_map(|run| run.facts.first()))
    }

    fn conditions(&self) -> Vec<Block> {
        let all: Vec<&Checked> = self.trend.newest.conditions.iter().collect();
        let seen = &self.trend.newest.seen;
        let open = |one: &Checked| {
            seen.iter().find(|(figure, _)| *figure == one.condition.figure)?.1.reason
        };
        let line = |one: &&Checked| condition(one, ["earlier", "newest"], open(one));
        let lines = all.iter().map(line).collect();
        gate(&all, lines, self.trend.confidence)
    }

    fn course(&self) -> Section {
        let trend = self.trend;
        let see = format!(
            "Runs in the order of their starts. Ratios are to the run before and, where there is \
            room, to {}; their words rest on the launches of both runs and are corrected for all \
            runs. Changes below {} do not matter (--least). On a page, the newest run and the \
            first after each step are bold.",
            self.reference(),
            plain_part(trend.least)
        );
        let mut section = Section::new("trend", "Run by run", see);
        section.charts = trend.courses.iter().map(|course| self.chart(course)).collect();
        section.table(self.table())
    }

    fn chart(&self, course: &Course) -> Chart {
        let figure = figure_name(course.figure);
        let named: Vec<Named> = self
            .runs
            .iter()
            .zip(&course.points)
            .map(|(run, point)| (run.name.clone(), point.as_ref().map(|point| point.level)))
            .collect();
        let mut chart =
            levels::chart(chart_id(course), &figure, stage_name(self.trend.stage), &named, true);
        let stretches = stretches(course);
        if !stretches.is_empty() {
            chart.data.insert(0, levels::stretches(&stretches).into());
        }
        let values: Vec<f64> =
            named.iter().filter_map(|(_, level)| Some(level.as_ref()?.value_ns)).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        chart.text = Some(ChartText::Levels {
            head: figure,
            ends: format!("{} to {}", time(least), time(most)),
            values,
        });
        chart
    }

    fn table(&self) -> Table {
        let trend = self.trend;
        let ratio = |key, head: &str| Column::new(key, head, Unit::Ratio).with_interval();
        let mut columns =
            vec![Column::text("run", "Run"), Column::text("started", "Started").data()];
        for (course, keys) in trend.courses.iter().zip(KEYS) {
            let figure = figure_name(course.figure);
            columns.push(Column::time(figure_key(course.figure, keys[0]), figure).with_interval());
            columns.push(ratio(keys[1], "to run before"));
            columns.push(Column::text(keys[2], "Standing").data());
        }
        for (course, keys) in trend.courses.iter().zip(KEYS) {
            let head = format!("{} to {}", figure_name(course.figure), self.reference());
            columns.push(ratio(keys[3], &head).wide());
            columns.push(Column::text(keys[4], "Standing").data());
        }
        columns.push(Column::count("launches", "Launches").wide());
        Table::new("trend", columns).with((0..self.runs.len()).map(|at| self.row(at)))
    }

    fn row(&self, at: usize) -> Row {
        let courses = &self.trend.courses;
        let facts = self.runs[at].facts.first();
        let started = facts.map_or("", |facts| &facts.started);
        let mut cells = vec![Cell::new(self.name(at)), started.into()];
        for course in courses {
            let point = course.points[at].as_ref();
            cells.push(point.map_or_else(Cell::default, |point| {
                Cell::new(point.level.value_ns).between(point.level.interval_ns)
            }));
            cells.extend(between(point.and_then(|point| point.since_before)));
        }
        for course in courses {
            let point = course.points[at].as_ref();
            cells.extend(between(point.and_then(|point| point.since_reference)));
        }
        cells.push(self.trend.runs[at].0.into());
        Row::from(cells).marked(self.stands_out(at))
    }

    /// Runs that must not be left out of a long table: where something changed, and the newest.
    fn stands_out(&self, at: usize) -> bool {
        let changes = self.trend.courses.iter().flat_map(|course| &course.changes);
        at + 1 == self.runs.len() || changes.into_iter().any(|change| step(change) == Some(at))
    }

    /// What was run otherwise than before, along the series.
    fn changed(&self) -> Table {
        let columns = [
            Column::text("run", "Since run"),
            Column::text("fact", "Fact"),
            Column::text("before", "Before"),
            Column::text("after", "After"),
        ];
        let mut table = Table::new("changed", columns);
        for (pair, at) in self.runs.windows(2).zip(1..) {
            let (Some(a), Some(b)) = (pair[0].facts.first(), pair[1].facts.first()) else {
                continue;
            };
            for (name, before, after) in facts::changed(a, b) {
                table.push([self.name(at).to_owned(), name, before, after]);
            }
        }
        table
    }
}

fn transports<'a>(runs: impl Iterator<Item = &'a Facts>) -> Option<String> {
    let mut all: Vec<&str> = Vec::new();
    for facts in runs.filter(|facts| !facts.transport.is_empty()) {
        if !all.contains(&facts.transport.as_str()) {
            all.push(&facts.transport);
        }
    }
    (all.len() > 1).then(|| {
        format!(
            "the runs differ in transport ({}): a change along the series may be that",
            all.join(", ")
        )
    })
}

/// Names of the columns of each figure: its own, then those of its ratios.
const KEYS: [[&str; 5]; 3] = [
    ["figure", "to_before", "since_before", "to_reference", "since_reference"],
    ["second", "second_to_before", "second_since_before", "second_to_ref", "second_since_ref"],
    ["third", "third_to_before", "third_since_before", "third_to_ref", "third_since_ref"],
];

/// A ratio with its word, and the word alone.
fn between(found: Option<Between>) -> [Cell; 2] {
    let Some(found) = found else { return [Cell::default(), Cell::default()] };
    let word = standing(found.standing);
    let said = format!("{} {word}", ratio(found.ratio));
    let mut cell = Cell::new(found.ratio).shown(said).between(found.interval);
    cell.colour = standing_colour(found.standing);
    [cell, word.into()]
}

fn chart_id(course: &Course) -> &'static str {
    match figure_key(course.figure, "trend-figure") {
        "p50" => "trend-p50",
        "p99" => "trend-p99",
        "mean" => "trend-mean",
        other => other,
    }
}

/// What the series was like before, between and after its changes; nothing where none lasted.
fn stretches(course: &Course) -> Vec<Stretch> {
    let known = |from: usize, to: usize| {
        let points = course.points[from..=to].iter().flatten();
        points.map(|point| point.level.value_ns.ln()).collect::<Vec<f64>>()
    };
    let level = |from, to| {
        let values = known(from, to);
        (values.iter().sum::<f64>() / values.len().max(1) as f64).exp()
    };
    let Some(last) = course.points.len().checked_sub(1).filter(|_| !course.changes.is_empty())
    else {
        return Vec::new();
    };
    let steps: Vec<usize> = course.changes.iter().filter_map(step).collect();
    let begins = std::iter::once(0).chain(steps.iter().copied());
    let ends = steps.iter().map(|first| first - 1).chain([last]);
    let drift = |from: usize| {
        course.changes.iter().find_map(|change| match change.kind {
            ChangeKind::Drift { from: begin, .. } if begin == from => Some(change.ratio),
            _ => None,
        })
    };
    begins
        .zip(ends)
        .map(|(from, to)| {
            let middle = level(from, to);
            let half = drift(from).map_or(1.0, f64::sqrt);
            Stretch { from, to, ends_ns: (middle / half, middle * half) }
        })
        .collect()
}

fn step(change: &Change) -> Option<usize> {
    match change.kind {
        ChangeKind::Step { first, .. } => Some(first),
        ChangeKind::Drift { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_over_several_transports_is_said_to_be_one() {
        let of = |transport: &str| Facts { transport: transport.to_owned(), ..Facts::default() };
        let runs = ["tcp", "shm", "tcp", ""].map(of);
        let said = transports(runs.iter()).expect("they differ");
        assert!(said.contains("(tcp, shm)"), "{said}");
        assert_eq!(transports([of("tcp"), of("tcp")].iter()), None);
    }
}
