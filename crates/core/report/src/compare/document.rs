//! A comparison as a document.

use document::{Block, Cell, Colour, Column, Document, Row, Section, Table, Unit, quantile_name};
use stats::compare::{Checked, Comparison, Difference, Figure, Measured};

use super::conditions::{condition, gate};
use super::words::{chance, outcome_colour, outcome_words, plain_part, stage_name, verdict};
use super::{Compared, ComparedSide, facts, figure, peaks, totals, which_messages};
use crate::facts::Facts;
use document::ratio;

/// The answer where no time of a message can be compared.
const SUMS_ALONE: &str =
    "The runs have no times of messages to compare; the sums of each run are below.";

impl Compared<'_> {
    /// Whether time was simulated on a side: then its launches tell nothing.
    fn is_simulated(&self) -> bool {
        let all = || self.a.facts.iter().chain(self.b.facts);
        all().any(|facts| facts.clock.simulated)
    }

    /// All of it.
    pub fn document(&self) -> Document {
        let comparison = self.comparison;
        // Sums alone are compared where there are no times of messages.
        let has_times = comparison.messages != (0, 0);
        let mut opening = vec![Block::Finding(match has_times || self.totals.is_empty() {
            true => verdict(comparison, self.is_simulated()),
            false => SUMS_ALONE.to_owned(),
        })];
        opening.push(Block::Table(sides(self)));
        opening.extend(which_messages(self).map(|text| Block::Note(Some("Messages"), text)));
        let warnings = facts::warnings(self);
        if !warnings.is_empty() {
            opening.push(Block::Warning(warnings));
        }
        opening.extend(conditions(comparison));
        let answers = [
            has_times.then(|| shape(comparison)),
            quantiles(comparison),
            matched(comparison),
            elsewhere(comparison),
            totals::section(self.totals, comparison.confidence),
        ];
        let answers = answers.into_iter().flatten();
        let differs = !facts::differing(self).is_empty();
        let run = what_was_run(self);
        // What differs besides the times is said before the times.
        let sections = match differs {
            true => std::iter::once(run).chain(answers).collect(),
            false => answers.chain([run]).collect(),
        };
        let title = format!("{} and {} · Fourstamp", self.a.name, self.b.name);
        Document { title, opening, sections, runs: Vec::new() }
    }
}

fn sides(compared: &Compared<'_>) -> Table {
    let columns = [
        Column::text("side", ""),
        Column::text("run", "Run"),
        Column::text("what", "What ran"),
        Column::count("launches", "Launches"),
        Column::count("times", "Times"),
        Column::text("started", "Started"),
    ];
    let (launches, times) = (compared.comparison.launches, compared.comparison.messages);
    let row =
        |letter: &str, colour: &'static str, side: &ComparedSide<'_>, n: usize, times: u64| {
            let first = side.facts.first();
            Row::from(vec![
                Cell::new(letter).coloured(Colour(colour)),
                side.name.as_str().into(),
                first.map_or_else(String::new, Facts::title).into(),
                n.into(),
                times.into(),
                first.map_or("", |facts| &facts.started).into(),
            ])
        };
    let mut table = Table::new("sides", columns);
    table.push(row("A", "b", &compared.a, launches.0, times.0));
    table.push(row("B", "mark", &compared.b, launches.1, times.1));
    table
}

fn conditions(comparison: &Comparison) -> Vec<Block> {
    let all: Vec<&Checked> = comparison.conditions.iter().collect();
    let open = |checked: &Checked| {
        let of = |q: &&Difference| Figure::Quantile(q.p) == checked.condition.figure;
        comparison.quantiles.iter().find(of)?.reason
    };
    let lines = all.iter().map(|checked| condition(checked, ["A", "B"], open(checked))).collect();
    gate(&all, lines, comparison.confidence)
}

fn shape(comparison: &Comparison) -> Section {
    let see = format!(
        "Both distributions ({}) on one logarithmic axis of time. Heights show the square root of \
        each share of messages, so that rare times are visible. Numbers mark peaks.",
        stage_name(comparison.stage)
    );
    let mut section = Section::new("distributions", "Distributions", see);
    let drawing = figure::distributions(&comparison.shape, &comparison.peaks);
    section.blocks.push(Block::Drawing(drawing));
    section.page_only = true;
    section
}

fn quantiles(comparison: &Comparison) -> Option<Section> {
    let see = format!(
        "B's figure over A's for each quantile, and where there is room its {} interval between \
        launches. Each figure is the geometric mean over the launches of that run. Changes \
        below {} do not matter \
        (--least). \u{201c}By chance\u{201d} is how likely such a ratio is between equal runs, \
        corrected for all quantiles here. \u{201c}Not slower\u{201d} asks in one direction only, \
        so the interval beside it, which asks in both, may reach beyond {}.",
        plain_part(comparison.confidence),
        plain_part(comparison.least),
        ratio(1.0 + comparison.least)
    );
    if comparison.quantiles.is_empty() {
        return None;
    }
    let mut section = Section::new("quantiles", "Quantiles", see);
    let drawing = figure::changes(&comparison.quantiles, comparison.least);
    section.blocks.push(Block::Drawing(drawing));
    Some(section.table(table("compared", &comparison.quantiles, comparison.confidence)))
}

fn table(id: &'static str, quantiles: &[Difference], confidence: f64) -> Table {
    let columns = [
        Column::text("quantile", "Quantile"),
        Column::time("a", "A"),
        Column::time("b", "B"),
        Column::new("ratio", "B/A", Unit::Ratio).with_interval(),
        Column::new("chance", "By chance", Unit::Number),
        Column::text("outcome", "B is"),
    ];
    let row = |q: &Difference| -> Row {
        let mut word = Cell::new(outcome_words(q, 1.0 - confidence));
        word.colour = outcome_colour(q.outcome);
        vec![
            Cell::new(quantile_name(q.p)),
            q.values_ns.0.into(),
            q.values_ns.1.into(),
            Cell::new(q.ratio).shown(ratio(q.ratio)).between(q.interval),
            q.chance.map_or_else(Cell::default, |of| Cell::new(of).shown(chance(of))),
            word,
        ]
        .into()
    };
    Table::new(id, columns).with(quantiles.iter().map(row))
}

fn matched(comparison: &Comparison) -> Option<Section> {
    let see = "Peaks of both distributions, matched by place. B/A is B's place over A's; share is \
        B's share of messages minus A's, in percentage points (of a peak that one run lacks: of \
        the messages where it lies). A peak that moved is a different finding from one that grew.";
    let table = peaks::table(&comparison.peaks);
    (!comparison.peaks.is_empty()).then(|| Section::new("peaks", "Peaks", see).table(table))
}

fn elsewhere(comparison: &Comparison) -> Option<Section> {
    let see = "The other stages, each on its own: they are not part of the verdict and not \
    corrected for one another.";
    let mut section = Section::new("elsewhere", "Other stages", see);
    for (stage, quantiles) in comparison.elsewhere.iter().filter(|(_, all)| !all.is_empty()) {
        section.blocks.push(Block::Heading(stage_name(*stage).to_owned()));
        let table = table(elsewhere_id(*stage), quantiles, comparison.confidence);
        section.blocks.push(Block::Table(table));
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn elsewhere_id(stage: Measured) -> &'static str {
    match stage {
        Measured::EndToEnd => "compared-end-to-end",
        Measured::SendWait => "compared-send-wait",
        Measured::Transit => "compared-transit",
        Measured::ReceiveWait => "compared-receive-wait",
        Measured::Cycle => "compared-cycle",
    }
}

fn what_was_run(compared: &Compared<'_>) -> Section {
    let columns = [Column::text("fact", "Fact"), Column::text("a", "A"), Column::text("b", "B")];
    let rows = facts::differing(compared);
    let see = if rows.is_empty() {
        "The same on both sides, as far as was recorded."
    } else {
        "These facts differ; a difference in times may come from any of them."
    };
    let mut section = Section::new("run", "What was run", see);
    // Scripts that ask for it get its header, also where it has no row.
    let nothing = rows.is_empty();
    let mut table =
        Table::new("differing", columns).with(rows.into_iter().map(|(name, a, b)| [name, a, b]));
    (table.wordy, table.data) = (true, nothing);
    section = section.table(table);
    let apart = facts::apart(compared.a.facts, compared.b.facts);
    section.blocks.extend(apart.map(|text| Block::Note(None, text.to_owned())));
    section
}

#[cfg(test)]
mod tests {
    use super::super::ComparedTotals;
    use super::*;
    use stats::compare::Verdict;
    use stats::{Accumulator, Options};

    fn nothing() -> Comparison {
        Comparison {
            verdict: Verdict::Undecided,
            stage: Measured::EndToEnd,
            confidence: 0.95,
            least: 0.02,
            launches: (3, 3),
            messages: (0, 0),
            quantiles: Vec::new(),
            elsewhere: Vec::new(),
            peaks: Vec::new(),
            conditions: Vec::new(),
            shape: Vec::new(),
        }
    }

    /// A script that asks what differs is told that nothing does, not that there is no such table.
    #[test]
    fn where_nothing_differs_the_table_is_empty() {
        let csv = |a: Facts, b: Facts| {
            let analysis = Accumulator::new(Options::default()).finish();
            let (a, b) = ([a], [b]);
            let side = |facts| ComparedSide { name: "x".into(), facts, analysis: &analysis };
            let (comparison, totals) = (&nothing(), &ComparedTotals::default());
            let compared = Compared { a: side(&a), b: side(&b), comparison, totals };
            let mut out = Vec::new();
            document::table_csv(&compared.document(), "differing", &mut out).expect("a table");
            String::from_utf8(out).expect("text")
        };
        let other = Facts { workload: "relay".into(), ..Facts::default() };
        assert_eq!(csv(Facts::default(), Facts::default()), "fact,a,b\n");
        assert_eq!(csv(Facts::default(), other), "fact,a,b\nWorkload,,relay\n");
    }
}
