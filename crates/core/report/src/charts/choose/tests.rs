use record::Kind;
use stats::Span;
use stats::analysis::{Binned, Breakdown, Quantile};

use super::*;
use crate::facts::Facts;

/// Two pairs and two kinds of one size: 0 → 1 carries data and replies, 1 → 0 data alone.
fn planted() -> Analysis {
    let summary = |count: u64, ns: i64| Summary {
        count,
        min_ns: ns,
        max_ns: ns,
        quantiles: vec![Quantile { p: 0.5, value_ns: ns, interval_ns: None }],
        ..Summary::default()
    };
    let cell = |pair: usize, kind: usize, messages: u64, ns: i64| FacetCell {
        of: [Some(pair), Some(kind), Some(0)],
        messages,
        stages: vec![(
            Stage::EndToEnd,
            Binned { min_ns: ns, max_ns: ns, counts: vec![(kind, messages)] },
        )],
    };
    let group = |key: (i64, i64), count: u64| Group {
        key,
        label: String::new(),
        stages: vec![(Stage::EndToEnd, summary(count, 100))],
        bins: Vec::new(),
    };
    let view = StageView {
        stage: Stage::EndToEnd,
        summary: summary(60, 100),
        pieces: Vec::new(),
        log_bins: Vec::new(),
        tail: Vec::new(),
        peaks: Vec::new(),
    };
    let pairs = vec![group((0, 1), 30), group((1, 0), 30)];
    Analysis {
        messages: 60,
        stages: vec![view],
        // The second pair's table is of other messages than its cells: its figures are not taken.
        breakdowns: vec![Breakdown { by: By::Pair, groups: pairs, left_out: (0, 0) }],
        facets: Facets {
            pairs: vec![(0, 1), (1, 0)],
            kinds: vec![Kind::Data, Kind::Reply],
            sizes: vec![Span { from: 64, to: 64 }],
            bins: vec![(96, 99), (100, 103)],
            cells: vec![cell(0, 0, 10, 99), cell(0, 1, 20, 100), cell(1, 0, 31, 98)],
        },
        ..Analysis::default()
    }
}

fn made(analysis: &Analysis) -> Option<(Section, Chooser)> {
    let facts = Facts::default();
    let section = section(&Entry::new("runs/a b", &facts, analysis))?;
    let chooser = section.blocks.iter().find_map(|block| match block {
        Block::Chooser(chooser) => Some((**chooser).clone()),
        _ => None,
    });
    Some((section, chooser.expect("the section is its chooser")))
}

#[test]
fn what_varies_can_be_chosen() {
    let (section, chooser) = made(&planted()).expect("two pairs");
    assert_eq!(
        section.sentence,
        "The figures of some messages, chosen by node pair and kind, beside those of all."
    );
    let names: Vec<&str> = chooser.facets.iter().map(|facet| facet.name.as_str()).collect();
    assert_eq!(names, ["Node pair", "Kind"]);
    assert_eq!(chooser.cells[1].of, [Some(0), Some(1)]);
    assert_eq!(chooser.command.0, "fourstamp report 'runs/a b'");
    assert_eq!(chooser.example, "fourstamp report 'runs/a b' --pair 0:1 --kind data");
}

#[test]
fn figures_of_a_table_are_taken_where_they_are_of_the_same_messages() {
    let (_, chooser) = made(&planted()).expect("two pairs");
    let figures: Vec<Option<u64>> = chooser.facets[0]
        .choices
        .iter()
        .map(|choice| choice.figures[0].as_ref().map(|figures| figures.count))
        .collect();
    assert_eq!(figures, [Some(30), None]);
}

#[test]
fn pairs_that_are_not_listed_are_told() {
    let mut analysis = planted();
    assert!(!made(&analysis).expect("two pairs").0.sentence.contains("listed"));
    analysis.breakdowns[0].left_out = (3, 7);
    let (section, _) = made(&analysis).expect("two pairs");
    assert!(
        section.sentence.ends_with("Only the first 2 pairs are listed; the command takes any.")
    );
}

#[test]
fn messages_that_are_alike_are_no_choice() {
    let mut analysis = planted();
    analysis.facets.pairs.truncate(1);
    analysis.facets.kinds.truncate(1);
    assert!(made(&analysis).is_none());
}
