//! Several runs against each other as a document: which is fastest, a matrix, the pairs.

mod words;

use document::{Block, Cell, Column, Document, NONE, Row, Section, Table, Unit, ratio};
use stats::compare::{Between, Checked, Measured, Several, Standing};

use super::conditions::{condition, gate};
use super::levels;
use super::names::letter;
use super::words::{
    chance, figure_key, figure_name, plain_part, stage_name, standing, standing_colour,
};
use super::{ComparedSide, facts, side_messages};
use crate::facts::Facts;
use crate::ratios::reason_text;

/// Runs beyond which the cells of a matrix have room for a sign only.
const WITH_RATIOS: usize = 8;

/// Where runs were not measured in turn.
const APART: &str = "They were measured one after the other, so whatever else changed on the \
    machine in between counts as a difference too. Measuring launches in turn avoids that \
    (docs/COMPARE.md).";

/// Several runs, and what comparing them found.
#[derive(Clone, Debug)]
pub struct ComparedSeveral<'a> {
    /// The runs in the order given, by short names.
    pub runs: Vec<ComparedSide<'a>>,
    /// What was found.
    pub several: &'a Several,
}

impl ComparedSeveral<'_> {
    /// All of it.
    pub fn document(&self) -> Document {
        let several = self.several;
        let (finding, others) = words::verdict(self);
        let mut opening = vec![Block::Finding(finding)];
        opening.extend(others.into_iter().map(Block::Lead));
        opening.push(Block::Table(runs(self)));
        let messages = self.messages().map(|text| Block::Note(Some("Messages"), text));
        opening.extend(messages.filter(|_| several.stage != Measured::Cycle));
        let warnings = self.warnings();
        if !warnings.is_empty() {
            opening.push(Block::Warning(warnings));
        }
        opening.extend(self.conditions());
        let run = self.what_was_run();
        let answers = [matrix(self), Some(pairs(self))].into_iter().flatten();
        let sections = match self.differing().is_empty() {
            true => answers.chain([run]).collect(),
            // What differs besides the times is said before the times.
            false => std::iter::once(run).chain(answers).collect(),
        };
        let names: Vec<&str> = self.runs.iter().map(|run| run.name.as_str()).collect();
        let title = format!("{} · Fourstamp", names.join(", "));
        Document { title, opening, sections, runs: Vec::new() }
    }

    /// `B (after)`.
    fn name(&self, at: usize) -> String {
        format!("{} ({})", letter(at), self.runs[at].name)
    }

    /// Which messages, where all runs have the same choice; else run by run.
    fn messages(&self) -> Option<String> {
        let all: Vec<String> = self.runs.iter().map(side_messages).collect();
        let first = all.first()?;
        if all.iter().all(|text| text == first) {
            return Some(format!("{first}."));
        }
        let each = all.iter().enumerate().map(|(at, text)| format!("of {}: {text}", letter(at)));
        Some(format!("{}.", each.collect::<Vec<_>>().join("; ")))
    }

    fn warnings(&self) -> Vec<String> {
        let each = self.runs.iter().enumerate();
        each.flat_map(|(at, run)| facts::losses_of(letter(at), run)).collect()
    }

    fn conditions(&self) -> Vec<Block> {
        let Some(reference) = self.several.reference else { return Vec::new() };
        let all = &self.several.conditions;
        let checked: Vec<&Checked> = all.iter().map(|one| &one.checked).collect();
        let line = |one: &stats::compare::RunChecked| {
            let asked = one.checked.condition.figure == self.several.figure;
            let between = self.several.of(one.run, reference).filter(|_| asked);
            let open = between.and_then(|between| between.reason);
            let said = condition(&one.checked, [letter(reference), letter(one.run)], open);
            format!("{}: {said}", self.name(one.run))
        };
        gate(&checked, all.iter().map(line).collect(), self.several.confidence)
    }

    fn differing(&self) -> Vec<facts::Values> {
        let first = self.runs.iter().filter_map(|run| run.facts.first());
        facts::among(&first.collect::<Vec<_>>())
    }

    fn what_was_run(&self) -> Section {
        let rows = self.differing();
        let see = match rows.is_empty() {
            true => "The same of all runs, as far as was recorded.",
            false => "These facts differ; a difference in times may come from any of them.",
        };
        let mut section = Section::new("run", "What was run", see);
        // Scripts that ask for it get its header, also where it has no row.
        let nothing = rows.is_empty();
        let columns = [Column::text("fact", "Fact"), Column::text("values", "Values")];
        let rows = rows.into_iter().map(|(name, values)| [name, with_letters(&values)]);
        let mut table = Table::new("differing", columns).with(rows);
        table.data = nothing;
        section = section.table(table);
        let sides: Vec<&[Facts]> = self.runs.iter().map(|run| run.facts).collect();
        if sides.windows(2).any(|pair| facts::apart(pair[0], pair[1]).is_some()) {
            section.blocks.push(Block::Note(None, APART.to_owned()));
        }
        section
    }
}

/// `8 B (A, C), 64 B (B)`; those that do not have the fact are not named.
fn with_letters(values: &[(String, Vec<usize>)]) -> String {
    let one = |(value, those): &(String, Vec<usize>)| {
        let letters: Vec<&str> = those.iter().map(|at| letter(*at)).collect();
        format!("{value} ({})", letters.join(", "))
    };
    let known = values.iter().filter(|(value, _)| value != NONE);
    known.map(one).collect::<Vec<_>>().join(", ")
}

fn runs(compared: &ComparedSeveral<'_>) -> Table {
    let several = compared.several;
    let figures: Vec<_> = several.runs.iter().flat_map(|run| &run.figures).collect();
    let mut shown = vec![several.figure];
    figures.iter().for_each(|of| {
        if !shown.contains(&of.figure) {
            shown.push(of.figure);
        }
    });
    let mut columns = vec![Column::text("letter", ""), Column::text("run", "Run")];
    const KEYS: [&str; 3] = ["figure", "second", "third"];
    let named = shown.iter().zip(KEYS);
    columns.extend(named.map(|(figure, key)| {
        Column::time(figure_key(*figure, key), figure_name(*figure)).with_interval()
    }));
    columns.extend([
        Column::count("launches", "Launches"),
        Column::count("times", "Times").wide(),
        Column::text("what", "What ran").wide(),
    ]);
    let row = |at: usize| -> Row {
        let (side, run) = (&compared.runs[at], &several.runs[at]);
        let mut cells = vec![letter(at).into(), side.name.as_str().into()];
        cells.extend(shown.iter().map(|figure| {
            run.at(*figure)
                .map_or_else(Cell::default, |of| Cell::new(of.value_ns).between(of.interval_ns))
        }));
        cells.extend([
            run.launches.into(),
            run.messages.into(),
            side.facts.first().map_or_else(String::new, Facts::title).into(),
        ]);
        cells.into()
    };
    Table::new("runs", columns).with((0..compared.runs.len()).map(row))
}

/// Each run against each that is faster, from the fastest to the slowest.
fn matrix(compared: &ComparedSeveral<'_>) -> Option<Section> {
    let several = compared.several;
    let order = several.order();
    let mut section = Section::new("matrix", "Each run against each other", matrix_words(several));
    let named =
        |at: &usize| (letter(*at).to_owned(), several.runs[*at].at(several.figure).copied());
    let figure = figure_name(several.figure);
    let drawn: Vec<_> = order.iter().map(named).collect();
    let stage = stage_name(several.stage);
    section.charts.push(levels::chart("levels", &figure, stage, &drawn, false));
    if several.reference.is_some() {
        section.title = "The runs".to_owned();
        section.sentence = format!("{figure} of each run, from the fastest to the slowest.");
        section.page_only = true;
        return Some(section);
    }
    let across = &order[..order.len() - 1];
    let mut columns = vec![Column::text("letter", ""), Column::text("run", "Run").wide()];
    columns.extend(across.iter().map(|at| Column::text(letter(*at), letter(*at))));
    let row = |(place, at): (usize, &usize)| -> Row {
        let mut cells = vec![Cell::new(letter(*at)), compared.runs[*at].name.as_str().into()];
        cells.extend(across.iter().enumerate().map(|(column, other)| {
            let known = several.of(*at, *other).filter(|_| column < place);
            known.map_or_else(
                || Cell::new("").shown(""),
                |between| square(&between, order.len() <= WITH_RATIOS),
            )
        }));
        cells.into()
    };
    let rows = order.iter().enumerate().skip(1).map(row);
    Some(section.table(Table::new("matrix", columns).with(rows)))
}

fn matrix_words(several: &Several) -> String {
    let figure = figure_name(several.figure);
    let what = match several.runs.len() <= WITH_RATIOS {
        true => format!(
            "How many times as long {figure} of the run at the left is as that of the run above. \
            A sign says what is not told apart: ? undecided, = surely no difference of {} or more.",
            plain_part(several.least)
        ),
        false => format!(
            "{figure} of the run at the left against the run above: > slower, < faster, = surely \
            no difference of {} or more, ? undecided.",
            plain_part(several.least)
        ),
    };
    format!("{what} Runs stand from the fastest to the slowest.")
}

fn square(between: &Between, with_ratio: bool) -> Cell {
    let sign = match between.standing {
        Standing::Slower if with_ratio => "",
        Standing::Faster if with_ratio => "",
        Standing::Slower => ">",
        Standing::Faster => "<",
        Standing::Same => "=",
        Standing::Undecided => "?",
    };
    let mut cell = match with_ratio {
        true => Cell::new(format!("{}{sign}", ratio(between.ratio))),
        false => Cell::new(sign),
    };
    cell.colour = standing_colour(between.standing);
    cell
}

fn pairs(compared: &ComparedSeveral<'_>) -> Section {
    let several = compared.several;
    let (figure, level) = (figure_name(several.figure), plain_part(several.confidence));
    let see = format!(
        "The run's {figure} over that of the run it is compared with, and where there is \
        room its {level} interval between launches, each taken by itself. The word beside it and \
        \u{201c}by chance\u{201d} (how likely such a ratio is between equal runs) are corrected \
        for all {} pairs. Changes \
        below {} do not matter (--least).",
        several.pairs.len(),
        plain_part(several.least)
    );
    let columns = [
        Column::text("run", "Run"),
        Column::text("against", "Against"),
        Column::new("ratio", "Ratio", Unit::Ratio).with_interval(),
        Column::new("chance", "By chance", Unit::Number),
        Column::text("standing", "It is"),
        Column::text("reason", "Why"),
    ];
    let turned = several.reference.is_none();
    let row = |(slow, fast): (usize, usize)| -> Option<Row> {
        let between = several.of(slow, fast)?;
        let mut word = Cell::new(standing(between.standing));
        word.colour = standing_colour(between.standing);
        Some(Row::from(vec![
            compared.name(slow).into(),
            compared.name(fast).into(),
            Cell::new(between.ratio).shown(ratio(between.ratio)).between(between.interval),
            between.chance.map_or_else(Cell::default, |of| Cell::new(of).shown(chance(of))),
            word,
            between.reason.map_or("", reason_text).into(),
        ]))
    };
    let order = several.order();
    let place = |run: usize| order.iter().position(|at| *at == run);
    let mut all: Vec<(usize, usize)> = several
        .pairs
        .iter()
        .map(|pair| match turned && place(pair.a) > place(pair.b) {
            true => (pair.a, pair.b),
            false => (pair.b, pair.a),
        })
        .collect();
    all.sort_by_key(|(slow, fast)| (place(*slow), place(*fast)));
    let table = Table::new("pairs", columns)
        .with(all.into_iter().filter_map(row))
        .folded_above(15, |rows| format!("All {rows} pairs"));
    let title = match several.reference {
        Some(at) => format!("Against {}", compared.name(at)),
        None => "Pair by pair".to_owned(),
    };
    Section::new("pairs", title, see).table(table)
}
