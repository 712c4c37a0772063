//! Choosing messages on the page by node pair, kind and size, and the command that makes the whole
//! report of them.

mod options;

use stats::analysis::{Analysis, By, FacetCell, Facets, Group, Stage, StageView, Summary};

use crate::entry::Entry;
use crate::finding::quantile;
use crate::palette::{colour, title};
use crate::population::range;
use document::{
    Block, CHOSEN_QUANTILES, Choice, Chooser, ChooserCell, ChooserTimes, ChosenFigures, Facet,
    Measure, Section, size,
};
use options::Options;

/// The section; none where all messages are alike.
pub(super) fn section(entry: &Entry) -> Option<Section> {
    let facets = &entry.analysis.facets;
    // A share of some messages is another than theirs of a share of all.
    let is_cut = entry.analysis.population.filter.cut.is_some();
    if !facets.vary() || entry.analysis.stages.is_empty() || is_cut {
        return None;
    }
    let chooser = Making { entry, facets }.chooser();
    let names: Vec<String> = chooser.facets.iter().map(|one| one.name.to_lowercase()).collect();
    let mut sentence =
        format!("The figures of some messages, chosen by {}, beside those of all.", {
            match &names[..] {
                [one] => one.clone(),
                [first @ .., last] => format!("{} and {last}", first.join(", ")),
                [] => String::new(),
            }
        });
    if facets.pairs.len() > 1 && leaves_out_pairs(entry.analysis) {
        sentence += &format!(
            " Only the first {} pairs are listed; the command takes any.",
            facets.pairs.len()
        );
    }
    let mut section = Section::new("choose", "Choose messages", sentence);
    section.blocks.push(Block::Chooser(Box::new(chooser)));
    section.page_only = true;
    Some(section)
}

fn leaves_out_pairs(analysis: &Analysis) -> bool {
    let pairs = breakdown_groups(analysis, By::Pair).len();
    let left_out = analysis.breakdowns.iter().any(|one| one.by == By::Pair && one.left_out.0 > 0);
    left_out || pairs > analysis.facets.pairs.len()
}

fn breakdown_groups(analysis: &Analysis, by: By) -> &[Group] {
    analysis.breakdowns.iter().find(|one| one.by == by).map_or(&[], |one| &one.groups)
}

/// What the chooser is made of.
struct Making<'a> {
    entry: &'a Entry<'a>,
    facets: &'a Facets,
}

impl Making<'_> {
    fn chooser(&self) -> Chooser {
        let all = [self.pairs(), self.kinds(), self.sizes()];
        let (offered, alike): (Vec<usize>, Vec<usize>) =
            (0..3).partition(|at| all[*at].choices.len() > 1);
        let options = Options(&self.entry.analysis.population.filter);
        let report = format!("fourstamp report {}", options::quoted_path(self.entry.path));
        let fixed = alike.iter().map(|at| all[*at].options.clone());
        let words = [report, options.hops(), options.packets()].into_iter().chain(fixed);
        let before = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let example: Vec<&str> = std::iter::once(before.as_str())
            .chain(offered.iter().map(|at| all[*at].choices[0].options.as_str()))
            .collect();
        Chooser {
            example: example.join(" "),
            command: (before, "--out chosen.html".to_owned()),
            measures: self.entry.analysis.stages.iter().map(measure).collect(),
            messages: self.entry.analysis.messages,
            quantile_error: Facets::QUANTILE_ERROR,
            bins: self.facets.bins.clone(),
            cells: self.facets.cells.iter().map(|cell| self.cell(cell, &offered)).collect(),
            facets: offered.iter().map(|at| all[*at].clone()).collect(),
        }
    }

    fn pairs(&self) -> Facet {
        let options = Options(&self.entry.analysis.population.filter);
        let noun = self.entry.facts.product.noun;
        let choice = |(at, pair): (usize, &(u32, u32))| Choice {
            label: format!("{} → {}", pair.0, pair.1),
            options: options.pairs(Some(*pair)),
            figures: self.figures(0, at, By::Pair, (i64::from(pair.0), i64::from(pair.1))),
        };
        let choices = self.facets.pairs.iter().enumerate().map(choice).collect();
        let mut name = format!("{noun} pair");
        name[..1].make_ascii_uppercase();
        Facet { name, all: "all pairs".to_owned(), options: options.pairs(None), choices }
    }

    fn kinds(&self) -> Facet {
        let options = Options(&self.entry.analysis.population.filter);
        let choice = |(at, kind): (usize, &record::Kind)| Choice {
            label: kind.name().to_owned(),
            options: options.kinds(Some(*kind)),
            figures: self.figures(1, at, By::Kind, (*kind as i64, 0)),
        };
        let choices = self.facets.kinds.iter().enumerate().map(choice).collect();
        let (name, all) = ("Kind".to_owned(), "all kinds".to_owned());
        Facet { name, all, options: options.kinds(None), choices }
    }

    fn sizes(&self) -> Facet {
        let options = Options(&self.entry.analysis.population.filter);
        let choice = |(at, span): (usize, &stats::Span)| Choice {
            label: range(*span, size),
            options: options.sizes(Some(*span)),
            figures: match (span.from == span.to, i64::try_from(span.from)) {
                (true, Ok(bytes)) => self.figures(2, at, By::Bytes, (bytes, 0)),
                _ => self.entry.analysis.stages.iter().map(|_| None).collect(),
            },
        };
        let choices = self.facets.sizes.iter().enumerate().map(choice).collect();
        let (name, all) = ("Size".to_owned(), "all sizes".to_owned());
        Facet { name, all, options: options.sizes(None), choices }
    }

    /// The figures that the group's own table has, for each stage, where they are of the same
    /// messages.
    fn figures(
        &self,
        facet: usize,
        choice: usize,
        by: By,
        key: (i64, i64),
    ) -> Vec<Option<ChosenFigures>> {
        let groups = breakdown_groups(self.entry.analysis, by);
        let group = groups.iter().find(|group| group.key == key);
        let of = |view: &StageView| {
            let (_, summary) = group?.stages.iter().find(|(stage, _)| *stage == view.stage)?;
            let count = self.count(facet, choice, view.stage);
            (summary.count == count).then(|| figures(summary))
        };
        self.entry.analysis.stages.iter().map(of).collect()
    }

    /// Times of a stage in the cells of a choice.
    fn count(&self, facet: usize, choice: usize, stage: Stage) -> u64 {
        let cells = self.facets.cells.iter().filter(|cell| cell.of[facet] == Some(choice));
        let binned = cells.flat_map(|cell| cell.stages.iter().filter(|(of, _)| *of == stage));
        binned.flat_map(|(_, binned)| &binned.counts).map(|(_, count)| count).sum()
    }

    fn cell(&self, cell: &FacetCell, offered: &[usize]) -> ChooserCell {
        let times = |view: &StageView| {
            let (_, binned) = cell.stages.iter().find(|(stage, _)| *stage == view.stage)?;
            let ends_ns = (binned.min_ns, binned.max_ns);
            Some(ChooserTimes { ends_ns, counts: binned.counts.clone() })
        };
        ChooserCell {
            of: offered.iter().map(|at| cell.of[*at]).collect(),
            messages: cell.messages,
            times: self.entry.analysis.stages.iter().map(times).collect(),
        }
    }
}

fn measure(view: &StageView) -> Measure {
    Measure { name: title(view.stage), colour: colour(view.stage), all: figures(&view.summary) }
}

fn figures(summary: &Summary) -> ChosenFigures {
    ChosenFigures {
        count: summary.count,
        quantiles_ns: CHOSEN_QUANTILES.map(|p| quantile(summary, p)),
        max_ns: summary.max_ns,
    }
}

#[cfg(test)]
mod tests;
