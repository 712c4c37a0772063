//! A figure of runs that were read.

use document::{
    Block, Cell, Chart, Colour, Column, Document, Point, Row, Section, Series, Table, Unit,
};
use stats::analysis::Summary;
use stats::figure::FigureGather;

use super::error::reason;
use super::lines::{Line, lines};
use super::traces::{binned, histograms, medians, places, quartiles};
use super::words::{self, counted_things};
use super::{Against, Figure, FigureError};
use crate::facts::Facts;

/// A run of a figure.
#[derive(Debug)]
pub struct FigureRun<'a> {
    /// What it is called in the figure.
    pub name: String,
    /// What ran.
    pub facts: &'a Facts,
    /// What was gathered of it.
    pub gathered: FigureGather,
}

/// A figure as it is shown.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// What it shows.
    pub title: String,
    /// Which messages, how many, and what to see.
    pub sentence: String,
    /// The chart; its first mode is the scale that was asked for.
    pub chart: Chart,
    /// Its colours, by name.
    pub legend: Vec<(String, Colour)>,
    /// What is drawn, as numbers.
    pub series: Series,
    /// The messages of each series.
    pub counts: Vec<DrawnCount>,
    /// What is counted: a figure of times, or of numbers.
    unit: Unit,
}

/// The messages of one series.
#[derive(Clone, Debug)]
pub struct DrawnCount {
    /// The series.
    pub name: String,
    /// Which of the runs.
    pub run: usize,
    /// Its messages.
    pub taken: u64,
    /// Messages of its run that its filter takes before the cut.
    pub of: u64,
    /// Its values: of times in ns, else plain numbers.
    pub summary: Summary,
}

/// Draw a figure of runs that were gathered with [`Figure::asked`].
///
/// # Errors
/// When a run has nothing of what is to be shown.
pub fn drawn(figure: &Figure, runs: &[FigureRun]) -> Result<Drawn, FigureError> {
    figure.check()?;
    runs.iter().try_for_each(|run| must_have_values(figure, run))?;
    let lines = lines(figure, runs);
    let title = words::title(figure, runs);
    let chart = match figure.against {
        None => histograms(figure, &lines, &title),
        Some(of) => medians(figure, of, &lines, &title),
    };
    let several = lines.len() > 1;
    let legend = lines.iter().filter(|_| several).map(|line| (line.name.clone(), line.colour));
    Ok(Drawn {
        sentence: words::sentence(figure, runs, &lines),
        legend: legend.collect(),
        series: series(figure, &lines),
        counts: lines.iter().map(|line| counts(line, runs)).collect(),
        unit: if figure.what.is_time() { Unit::Ns } else { Unit::Number },
        title,
        chart,
    })
}

/// A run whose messages have none of what is asked for is an error, not an empty line.
fn must_have_values(figure: &Figure, run: &FigureRun) -> Result<(), FigureError> {
    let (groups, _) = run.gathered.groups();
    let (_, taken) = run.gathered.counts();
    if let Some(by) = figure.by.filter(|_| run.gathered.ungrouped() == taken && taken > 0) {
        return Err(FigureError::NoGroups { run: run.name.clone(), by });
    }
    let values: u64 = groups.values().map(|group| group.values.count()).sum();
    match (values, figure.against) {
        (0, Some(_)) => Err(FigureError::NoPlaces { run: run.name.clone(), what: figure.what }),
        (0, None) => {
            let (what, why) = (figure.what, reason(figure.what));
            Err(FigureError::Nothing { run: run.name.clone(), what, why })
        }
        _ => Ok(()),
    }
}

fn counts(line: &Line, runs: &[FigureRun]) -> DrawnCount {
    let gathered = &runs[line.run].gathered;
    let (_, taken) = gathered.counts();
    let bounds = gathered.asked().filter.cut.as_ref().and_then(|cut| cut.bounds);
    DrawnCount {
        name: line.name.clone(),
        run: line.run,
        taken: line.group.taken,
        of: bounds.map_or(taken, |bounds| bounds.of.max(taken)),
        summary: stats::summary(&line.group.values),
    }
}

/// Bins, or medians and quartiles, of each series.
fn series(figure: &Figure, lines: &[Line]) -> Series {
    let mut series = Series::new("figure");
    let stage = figure.what.name();
    let value = if figure.what.is_time() { "ns" } else { "count" };
    match figure.against {
        None => {
            let binned = binned(lines, figure.scale.logs().0, figure.bins);
            let scale = if binned.is_log { "log" } else { "linear" };
            for (line, bins) in lines.iter().zip(&binned.bins) {
                let point = |bin: &stats::analysis::Bin| Point {
                    scale,
                    ..Point::of(line.name.clone(), bin.count as f64, counted_things(figure.what))
                        .over(bin.from, bin.to)
                        .stage(stage)
                };
                series.points.extend(bins.iter().map(point));
            }
        }
        Some(of) => {
            for line in lines {
                series.points.extend(points(of, line, stage, value));
            }
        }
    }
    series
}

fn points(of: Against, line: &Line, stage: &'static str, unit: &'static str) -> Vec<Point> {
    let length = 1_i64 << line.group.slices.log_ns();
    let named = [("p25", 0), ("p50", 1), ("p75", 2)];
    let at_place = |(at, values): (i64, &stats::GroupDistribution)| {
        let quartiles = quartiles(values);
        named.map(|(name, place)| {
            let point = Point::of(format!("{}, {name}", line.name), quartiles[place], unit);
            let point = match of {
                Against::Time => point.over(at, at + length),
                _ => point.at(at),
            };
            point.stage(stage)
        })
    };
    places(of, line).into_iter().flat_map(at_place).collect()
}

impl Drawn {
    /// As a section of a document.
    pub fn section(&self) -> Section {
        let mut section = Section::new("figure", self.title.clone(), self.sentence.clone());
        let mut chart = self.chart.clone();
        chart.title = String::new();
        section.legend.clone_from(&self.legend);
        section.chart(chart).table(self.table())
    }

    /// As a document of its own; `runs` says what ran.
    pub fn document(&self, runs: &[String]) -> Document {
        Document {
            title: format!("{} · Fourstamp", self.title),
            opening: vec![Block::Eyebrow(runs.to_vec())],
            sections: vec![self.section()],
            runs: Vec::new(),
        }
    }

    /// The figures of each series.
    pub fn table(&self) -> Table {
        let value =
            |key: &'static str, head: &str| Column { unit: self.unit, ..Column::time(key, head) };
        let columns = vec![
            Column::text("series", "Series"),
            Column::count("messages", "Messages"),
            value("min", "Least"),
            value("p50", "p50"),
            value("p90", "p90"),
            value("p99", "p99"),
            value("max", "Most"),
        ];
        let row = |count: &DrawnCount| -> Row {
            let summary = &count.summary;
            let quantile = |p: f64| {
                let found = summary.quantiles.iter().find(|one| one.p == p);
                Cell::from(found.map(|one| one.value_ns))
            };
            let cells: Vec<Cell> = vec![
                count.name.as_str().into(),
                count.taken.into(),
                Cell::from(Some(summary.min_ns).filter(|_| summary.count > 0)),
                Cell::from(words::median(summary)),
                quantile(0.9),
                quantile(0.99),
                Cell::from(Some(summary.max_ns).filter(|_| summary.count > 0)),
            ];
            cells.into()
        };
        Table::new("series", columns).with(self.counts.iter().map(row))
    }
}

#[cfg(test)]
mod tests;
