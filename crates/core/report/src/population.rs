//! Which messages a report is about, in words: of every kind of report the same.

use record::Kind;
use stats::analysis::{Analysis, Population, PopulationGroup};
use stats::compare::Measured;
use stats::{Cut, Filter, Kinds, Places, Share, Span};

use crate::facts::Facts;
use document::{count, part, size};

/// Groups named among those that are left out, at most.
const NAMED_MOST: usize = 4;

/// `data and replies between nodes, 64 B to 1 KiB; 12 345 of the run's 98 765 messages`.
pub(crate) fn line(facts: &Facts, analysis: &Analysis) -> String {
    let population = &analysis.population;
    let (taken, all) = (population.taken(), population.messages());
    let of_all = match (taken, all) {
        (_, 0) => "no message was recorded".to_owned(),
        (1, 1) => "the only message of the run".to_owned(),
        (taken, all) if taken == all => format!("all {} messages of the run", count(all)),
        (taken, all) => format!("{} of the run's {} messages", count(taken), count(all)),
    };
    format!("{}; {of_all}", description(population, noun(facts)))
}

/// The same without numbers, for a field of CSV or JSON: `data and replies between nodes`.
pub fn population_words(facts: &Facts, population: &Population) -> String {
    document::plain(&description(population, noun(facts)))
}

/// Whether messages of the run are left out.
pub(crate) fn leaves_out(analysis: &Analysis) -> bool {
    analysis.population.taken() < analysis.population.messages()
}

/// Why messages other than the application's between nodes are shown, and what is left out unasked;
/// `None` where there is nothing to say.
pub(crate) fn remark(facts: &Facts, analysis: &Analysis) -> Option<String> {
    let population = &analysis.population;
    let noun = noun(facts);
    let left_out = || left_out(population, noun);
    match &population.filter {
        filter if filter.uncut() == Filter::default() => left_out(),
        // Nothing of the usual choice was there: its other tries are no choices of anybody.
        filter
            if Filter::default().tries().contains(&filter.uncut()) && has_no_usual(population) =>
        {
            Some(format!(
                "The run has no message of the application between {noun}s.{}",
                left_out().map_or_else(String::new, |text| format!(" {text}"))
            ))
        }
        _ => None,
    }
}

fn has_no_usual(population: &Population) -> bool {
    let usual = |group: &&PopulationGroup| group.kind.is_application() && !group.within_node;
    population.messages() > 0 && population.groups.iter().filter(usual).count() == 0
}

/// `Left out: GVT messages (34 % of the run's messages; --kind gvt), …`.
fn left_out(population: &Population, noun: &str) -> Option<String> {
    let all = population.messages();
    let mut groups: Vec<&PopulationGroup> =
        population.groups.iter().filter(|group| group.taken < group.messages).collect();
    if population.filter.cut.is_some() {
        // What a cut leaves out of the rest was asked for.
        groups.retain(|group| group.taken == 0);
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.messages - group.taken));
    let share = |groups: &[&PopulationGroup]| {
        let missing: u64 = groups.iter().map(|group| group.messages - group.taken).sum();
        part(missing as f64 / all as f64)
    };
    let one = |(at, group): (usize, &&PopulationGroup)| {
        let of = if at == 0 { " of the run's messages" } else { "" };
        let place = if group.within_node { format!(" within a {noun}") } else { String::new() };
        format!("{}{place} ({}{of}; {})", group.kind.plural(), share(&[group]), option(group))
    };
    let (named, others) = groups.split_at(groups.len().min(NAMED_MOST));
    let mut names: Vec<String> = named.iter().enumerate().map(one).collect();
    if !others.is_empty() {
        names.push(format!("others ({})", share(others)));
    }
    let all_of_them = "Everything: --kind all --between-nodes --within-node.";
    (!names.is_empty()).then(|| format!("Left out: {}. {all_of_them}", names.join(", ")))
}

/// The options that show a group.
fn option(group: &PopulationGroup) -> String {
    let kind = (!group.kind.is_application()).then(|| format!("--kind {}", group.kind.name()));
    let place = group.within_node.then(|| "--within-node".to_owned());
    kind.into_iter().chain(place).collect::<Vec<String>>().join(" ")
}

fn description(population: &Population, noun: &str) -> String {
    let filter = &population.filter;
    let place = match filter.places() {
        Places::Within => format!("within a {noun}"),
        Places::Both => format!("between {noun}s and within them"),
        Places::Between | Places::Usual => format!("between {noun}s"),
    };
    let mut parts = vec![format!("{} {place}", listed(&kinds(population)))];
    if !filter.pairs.is_empty() {
        let pairs: Vec<String> =
            filter.pairs.iter().map(|(src, dst)| format!("{src} → {dst}")).collect();
        parts.push(format!("from {noun} to {noun} {}", listed(&pairs)));
    }
    parts.extend(filter.hops.map(|hops| match hops {
        Span { from: 1, to: 1 } => "1\u{a0}hop".to_owned(),
        hops => format!("{}\u{a0}hops", range(hops, |n| n.to_string())),
    }));
    parts.extend(filter.bytes.map(|bytes| range(bytes, size)));
    parts.extend(filter.packets.map(|packets| match packets {
        Span { from: 1, to: 1 } => "1\u{a0}packet".to_owned(),
        packets => format!("{}\u{a0}packets", range(packets, |n| n.to_string())),
    }));
    parts.extend(filter.cut.as_ref().map(cut_words));
    parts.join(", ")
}

/// `the fastest 99.9 % by transit`, `95 to 99.9 % by transit`, `the slowest 0.1 % by transit`.
pub(crate) fn cut_words(cut: &Cut) -> String {
    let share = match (cut.from, cut.to) {
        (Share::NONE, Share::ALL) => "all".to_owned(),
        (Share::NONE, to) => format!("the fastest {to}\u{a0}%"),
        (from, Share::ALL) => format!("the slowest {}\u{a0}%", Share::from(1.0 - from.part())),
        (from, to) => format!("{from} to {to}\u{a0}%"),
    };
    let by = match cut.stage() {
        Measured::EndToEnd => "end-to-end time",
        Measured::SendWait => "send wait",
        Measured::Transit => "transit",
        Measured::ReceiveWait => "receive wait",
        Measured::Cycle => return format!("whole cycles: {share}"),
    };
    format!("{share} by {by}")
}

/// `64 B to 1 KiB`, `64 B`, `64 B or more`, `up to 64 B`.
pub(crate) fn range(span: Span, text: impl Fn(u64) -> String) -> String {
    match span {
        Span { from, to } if from == to => text(from),
        Span { from, to: u64::MAX } => format!("{} or more", text(from)),
        Span { from: 0, to } => format!("up to {}", text(to)),
        Span { from, to } => format!("{} to {}", text(from), text(to)),
    }
}

/// The kinds that were taken, or, where none was, those that were wanted.
fn kinds(population: &Population) -> Vec<String> {
    let taken = |kind: &&Kind| {
        population.groups.iter().any(|group| group.kind == **kind && group.taken > 0)
    };
    let mut found: Vec<String> =
        Kind::ALL.iter().filter(taken).map(|kind| kind.plural().to_owned()).collect();
    if found.is_empty() {
        found = match &population.filter.kinds {
            Kinds::These(kinds) => kinds.iter().map(|kind| kind.plural().to_owned()).collect(),
            Kinds::Application => vec!["the application's messages".to_owned()],
            Kinds::All => vec!["messages of all kinds".to_owned()],
        };
    }
    found
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What sends messages: a rank of an MPI program, else a node.
fn noun(facts: &Facts) -> &'static str {
    facts.product.noun
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;

    fn group(kind: Kind, within_node: bool, messages: u64, taken: u64) -> PopulationGroup {
        PopulationGroup { kind, within_node, messages, taken }
    }

    fn said(filter: Filter, groups: &[PopulationGroup]) -> (String, Option<String>) {
        let analysis = Analysis {
            population: Population { filter, groups: groups.to_vec() },
            ..Analysis::default()
        };
        let facts = Facts::default();
        (plain(&line(&facts, &analysis)), remark(&facts, &analysis).map(|text| plain(&text)))
    }

    #[test]
    fn a_whole_run_needs_no_remark() {
        let groups = [group(Kind::Data, false, 500, 500), group(Kind::Reply, false, 500, 500)];
        let (line, remark) = said(Filter::default(), &groups);
        assert_eq!(line, "data and replies between nodes; all 1000 messages of the run");
        assert_eq!(remark, None);
    }

    #[test]
    fn what_is_left_out_unasked_is_said_with_the_option_that_shows_it() {
        let groups = [
            group(Kind::Event, false, 460, 460),
            group(Kind::Event, true, 190, 0),
            group(Kind::Gvt, false, 340, 0),
            group(Kind::Anti, true, 10, 0),
        ];
        let (line, remark) = said(Filter::default(), &groups);
        assert_eq!(line, "events between nodes; 460 of the run's 1000 messages");
        assert_eq!(
            remark.as_deref(),
            Some(
                "Left out: GVT messages (34 % of the run's messages; --kind gvt), events within a \
                node (19 %; --within-node), \
                 anti-messages within a node (1 %; --kind anti --within-node). Everything: --kind \
                 all --between-nodes --within-node."
            )
        );
    }

    #[test]
    fn a_choice_is_named_and_not_commented() {
        let filter = Filter {
            kinds: Kinds::These(vec![Kind::Data]),
            hops: Some(Span { from: 1, to: 3 }),
            bytes: Some(Span { from: 64, to: 1024 }),
            pairs: vec![(0, 1), (1, 0)],
            ..Filter::default()
        };
        let (line, remark) = said(filter, &[group(Kind::Data, false, 900, 90)]);
        assert_eq!(
            line,
            "data between nodes and within them, from node to node 0 → 1 and 1 → 0, 1 to 3 hops, \
            64 B to 1 KiB; 90 of the \
             run's 900 messages"
        );
        assert_eq!(remark, None);
    }

    #[test]
    fn a_cut_is_said_and_what_it_leaves_out_is_no_remark() {
        let cut = |text| Filter { cut: stats::parse::cut(text).ok(), ..Filter::default() };
        let groups = [group(Kind::Event, false, 1000, 999), group(Kind::Gvt, false, 500, 0)];
        let (line, remark) = said(cut("transit:..99.9%"), &groups);
        assert_eq!(
            line,
            "events between nodes, the fastest 99.9 % by transit; 999 of the run's 1500 messages"
        );
        assert!(remark.is_some_and(|text| text.starts_with("Left out: GVT messages (33 %")));
        let words = |text| plain(&cut_words(&cut(text).cut.expect("a cut")));
        assert_eq!(words("99.64%.."), "the slowest 0.36 % by end-to-end time");
        assert_eq!(words("receive-wait:95..99.9"), "95 to 99.9 % by receive wait");
        assert_eq!(words("cycle:..50"), "whole cycles: the fastest 50 %");
    }

    #[test]
    fn a_run_without_the_usual_messages_says_so() {
        let wherever = Filter::default().tries()[1].clone();
        let groups = [group(Kind::Event, true, 190, 190), group(Kind::Anti, true, 10, 0)];
        let (line, remark) = said(wherever, &groups);
        assert_eq!(line, "events between nodes and within them; 190 of the run's 200 messages");
        assert!(remark.is_some_and(|text| text.starts_with(
            "The run has no message of the application between nodes. Left out: anti-messages"
        )));
    }
}
