//! The messages by hops, packets, bytes, pair, kind and launch.

use stats::analysis::{Analysis, Breakdown, By, Group, Stage, Summary};

use super::bins::{Scale, scale_of, stacked};
use crate::palette::{PARTS, colour, name, title};
use crate::tables;
use document::chart::{Axis, Bars, Chart, MAP_ROWS_AT_MOST, Square, time_map};
use document::{Section, axis_seconds, counted, ordered, time};

/// Groups beyond these would be too thin to read; the table below has them all.
const BARS_AT_MOST: usize = 40;
const AREAS_AT_MOST: usize = 12;

pub(super) fn sections(analysis: &Analysis, noun: &str) -> Vec<Section> {
    let of = |by: By| analysis.breakdowns.iter().find(|b| b.by == by && !b.groups.is_empty());
    let same =
        of(By::Kind).zip(of(By::Pair)).and_then(|(kinds, pairs)| one_kind_each(kinds, pairs));
    // Launches have a section of their own.
    let shown = analysis.breakdowns.iter().filter(|b| b.by != By::Launch && !b.groups.is_empty());
    let shown = shown.filter(|b| b.by != By::Kind || same.is_none());
    shown
        .map(|breakdown| match (&same, breakdown.by) {
            (Some(same), By::Pair) => with_kinds(section(breakdown), same, of(By::Kind)),
            _ => section(breakdown),
        })
        .map(|section| named(section, noun))
        .collect()
}

/// The section about pairs in the words of a product whose nodes have another name.
fn named(mut section: Section, noun: &str) -> Section {
    if section.id == words(By::Pair).key && noun != "node" {
        section.title = format!("By {noun} pair");
        section.sentence = format!(
            "Where the time went for each pair of {noun}s; if one pair alone is slow, look at the \
            link between them, and at where they run."
        );
    }
    section
}

/// Where each pair of nodes carries one kind of message, and each kind goes one way, the kinds are
/// the pairs: `0 → 1: data`.
fn one_kind_each(kinds: &Breakdown, pairs: &Breakdown) -> Option<Vec<String>> {
    let figures = |group: &Group| -> Vec<(Stage, u64, i64, i64, f64)> {
        let stages = group.stages.iter();
        stages.map(|(at, s)| (*at, s.count, s.min_ns, s.max_ns, s.mean_ns)).collect()
    };
    let all = kinds.groups.len() == pairs.groups.len() && kinds.groups.len() > 1;
    let named = pairs.groups.iter().map(|pair| {
        let kind = kinds.groups.iter().find(|kind| figures(kind) == figures(pair))?;
        Some(format!("{}: {}", pair.label, kind.label))
    });
    named.collect::<Option<Vec<_>>>().filter(|_| all)
}

/// The section about pairs, which is one about kinds, too.
fn with_kinds(section: Section, same: &[String], kinds: Option<&Breakdown>) -> Section {
    let mut section = section;
    section.sentence += &format!(" Each pair carries one kind of message ({}).", same.join(", "));
    match kinds {
        Some(kinds) => {
            let words = words(By::Kind);
            let table = tables::groups(words.table, kinds, words.group);
            section.table(table.folded_above(0, |_| "The same by kind".to_owned()))
        }
        None => section,
    }
}

fn section(breakdown: &Breakdown) -> Section {
    let words = words(breakdown.by);
    let mut section = Section::new(words.key, words.title, words.sentence.to_owned());
    if matches!(breakdown.by, By::Hops | By::Packets)
        && breakdown.groups.iter().any(|g| !g.bins.is_empty())
    {
        section.charts.push(areas(breakdown, &words));
        section.sentence += &left_out(breakdown, AREAS_AT_MOST);
    }
    if let Some(map) = map(breakdown) {
        section.charts.push(map);
    } else if has_parts(breakdown) {
        let shown = PARTS.iter().filter(|stage| {
            breakdown.groups.iter().any(|group| stage_of(group, **stage).is_some())
        });
        section.legend = shown.map(|s| (title(*s).to_owned(), colour(*s))).collect();
        section.charts.push(means(breakdown, &words));
        section.sentence += &left_out(breakdown, BARS_AT_MOST);
    }
    section.columns = section.charts.len().clamp(1, 2);
    section.table(tables::groups(words.table, breakdown, words.group))
}

/// What a chart of at most so many groups does not show.
fn left_out(breakdown: &Breakdown, shown: usize) -> String {
    match breakdown.groups.len() {
        all if all > shown => format!(" The first {shown} of {all} are drawn; the table has all."),
        _ => String::new(),
    }
}

/// A map of who sent to whom, where there are more pairs than bars can show.
fn map(breakdown: &Breakdown) -> Option<Chart> {
    let most = breakdown.groups.iter().map(|group| group.key.0.max(group.key.1)).max()?;
    let size = usize::try_from(most).ok()? + 1;
    let many = breakdown.groups.len() > BARS_AT_MOST && size <= MAP_ROWS_AT_MOST;
    let squares: Vec<Square> = breakdown.groups.iter().filter_map(square).collect();
    let label = "Map: mean end-to-end time from each node to each other.";
    let titles = ["from node", "to node", "mean time"];
    let map = || time_map("map-pair", label, titles, size, &squares).titled("Mean time end to end");
    (breakdown.by == By::Pair && many && !squares.is_empty()).then(map)
}

fn square(group: &Group) -> Option<Square> {
    let (from, to) = group.key;
    let whole = stage_of(group, Stage::EndToEnd)?;
    let text = format!(
        "{}: mean {} end to end\n{}",
        group.label,
        time(whole.mean_ns),
        counted(whole.count, "message")
    );
    let at = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
    Some(Square { at, ns: whole.mean_ns, text })
}

struct Words {
    key: &'static str,
    /// Its table's name.
    table: &'static str,
    title: &'static str,
    sentence: &'static str,
    group: &'static str,
}

fn words(by: By) -> Words {
    let (key, table, title, sentence, group) = match by {
        By::Hops => (
            "hops",
            "by-hops",
            "By hops",
            "Transit by the number of links crossed: equal steps between the peaks are the cost of \
            one hop.",
            "hops",
        ),
        By::Packets => (
            "packets",
            "by-packets",
            "By packets",
            "Transit by the number of packets that carried the message: equal steps are the cost \
            of one packet.",
            "packets",
        ),
        By::Bytes => (
            "bytes",
            "by-bytes",
            "By size",
            "Where the time went for each message size.",
            "payload",
        ),
        By::Pair => (
            "pair",
            "by-pair",
            "By node pair",
            "Where the time went for each pair of nodes; if one pair alone is slow, look at that \
            link or node.",
            "from → to",
        ),
        By::Kind => {
            ("kind", "by-kind", "By kind", "Where the time went for each kind of message.", "kind")
        }
        By::Launch => {
            ("launch", "by-launch", "By launch", "Where the time went in each launch.", "launch")
        }
    };
    Words { key, table, title, sentence, group }
}

fn has_parts(breakdown: &Breakdown) -> bool {
    breakdown.groups.iter().any(|group| PARTS.iter().any(|stage| stage_of(group, *stage).is_some()))
}

fn stage_of(group: &Group, stage: Stage) -> Option<&Summary> {
    group.stages.iter().find(|(s, _)| *s == stage).map(|(_, summary)| summary)
}

fn areas(breakdown: &Breakdown, words: &Words) -> Chart {
    let scale = breakdown
        .groups
        .iter()
        .find(|g| !g.bins.is_empty())
        .map_or(Scale::Linear, |g| scale_of(&g.bins));
    let axis = Axis::time("transit time");
    let axis = if scale == Scale::Log { axis.log() } else { axis };
    let axes = (axis, Axis::count("messages"));
    let label = format!("Stacked histogram of transit time by {}.", words.group);
    let mut chart =
        Chart::new(format!("areas-{}", words.key), 320, label, axes).titled("Transit, stacked");
    chart.legend = true;
    let shown = breakdown.groups.len().min(AREAS_AT_MOST);
    for (i, group) in breakdown.groups.iter().take(shown).enumerate() {
        let name = match (words.group, group.label.as_str()) {
            (group, "1") => format!("1 {}", group.trim_end_matches('s')),
            (group, label) => format!("{label} {group}"),
        };
        chart.draw(stacked(&group.bins, &name, ordered(i, shown)));
    }
    chart
}

fn means(breakdown: &Breakdown, words: &Words) -> Chart {
    let shown = &breakdown.groups[..breakdown.groups.len().min(BARS_AT_MOST)];
    let axes = (Axis::time("mean time"), Axis::names(words.group).downwards());
    let height = (90 + 26 * shown.len() as u32).max(210);
    let label = format!("Mean time in each stage by {}.", words.group);
    let mut chart = Chart::new(format!("means-{}", words.key), height, label, axes)
        .titled("Mean time in each stage")
        .stacked(0.25);
    for stage in PARTS {
        chart.draw(stage_bars(shown, stage));
    }
    chart
}

fn stage_bars(groups: &[Group], stage: Stage) -> Bars {
    let with: Vec<(&Group, &Summary)> =
        groups.iter().filter_map(|g| Some((g, stage_of(g, stage)?))).collect();
    let x: Vec<f64> = with.iter().map(|(_, summary)| axis_seconds(summary.mean_ns)).collect();
    let y: Vec<String> = with.iter().map(|(group, _)| group.label.clone()).collect();
    let tip = |(group, summary): &(&Group, &Summary)| {
        format!(
            "{}: mean {} in {}\n{}",
            group.label,
            time(summary.mean_ns),
            name(stage),
            counted(summary.count, "message")
        )
    };
    Bars::lying(x, y, colour(stage)).tips(with.iter().map(tip).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(key: (i64, i64), label: &str, mean_ns: f64) -> Group {
        let summary = Summary { count: 10, mean_ns, ..Summary::default() };
        Group { key, label: label.into(), stages: vec![(Stage::EndToEnd, summary)], bins: vec![] }
    }

    fn breakdown(by: By, groups: Vec<Group>) -> Breakdown {
        Breakdown { by, groups, left_out: (0, 0) }
    }

    fn analysis(breakdowns: Vec<Breakdown>) -> Analysis {
        Analysis { breakdowns, ..Analysis::default() }
    }

    fn sections(analysis: &Analysis) -> Vec<Section> {
        super::sections(analysis, "node")
    }

    #[test]
    fn kinds_that_are_the_pairs_are_said_once() {
        let pairs = vec![group((0, 1), "0 → 1", 5.0), group((1, 0), "1 → 0", 7.0)];
        let kinds = |second| vec![group((0, 0), "data", 5.0), group((1, 0), "reply", second)];
        let both = |kinds| {
            let all = vec![breakdown(By::Pair, pairs.clone()), breakdown(By::Kind, kinds)];
            sections(&analysis(all))
        };
        let same = both(kinds(7.0));
        assert_eq!(same.iter().map(|section| &*section.id).collect::<Vec<_>>(), ["pair"]);
        assert!(same[0].sentence.ends_with("(0 → 1: data, 1 → 0: reply)."), "{}", same[0].sentence);
        assert!(same[0].tables().any(|table| table.id == "by-kind"), "scripts still find it");
        assert_eq!(both(kinds(8.0)).len(), 2);
    }

    #[test]
    fn more_pairs_than_bars_are_a_map_and_what_is_left_out_is_said() {
        let pairs = |nodes: i64| -> Vec<Group> {
            let each = (0..nodes).flat_map(|from| (0..nodes).map(move |to| (from, to)));
            each.filter(|(from, to)| from != to).map(|key| group(key, "a pair", 1e3)).collect()
        };
        let shown = sections(&analysis(vec![breakdown(By::Pair, pairs(8))]));
        assert_eq!(shown[0].charts[0].id, "map-pair");
        let few = sections(&analysis(vec![breakdown(By::Pair, pairs(5))]));
        assert!(few[0].charts.iter().all(|chart| chart.id != "map-pair"));
        let transit = |mut group: Group| {
            group.stages[0].0 = Stage::Transit;
            group
        };
        let sizes = (0..41).map(|at| transit(group((at, 0), "8", 1e3))).collect();
        let sizes = sections(&analysis(vec![breakdown(By::Bytes, sizes)]));
        assert!(sizes[0].sentence.ends_with("The first 40 of 41 are drawn; the table has all."));
    }
}
