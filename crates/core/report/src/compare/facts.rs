//! What differs between the runs besides their times.

use super::{Compared, ComparedSide};
use crate::facts::Facts;
use crate::finding::losses;

/// A fact that differs: its name, A's, B's.
pub(super) type Differing = (String, String, String);

/// All that differs in what was run, on what.
pub(super) fn differing(compared: &Compared<'_>) -> Vec<Differing> {
    let (Some(a), Some(b)) = (compared.a.facts.first(), compared.b.facts.first()) else {
        return Vec::new();
    };
    between(a, b)
}

/// What to know before believing the comparison: sides that are mixtures, messages that were lost.
pub(super) fn warnings(compared: &Compared<'_>) -> Vec<String> {
    let sides = [('A', &compared.a), ('B', &compared.b)];
    sides.into_iter().flat_map(|(letter, side)| of_side(letter, side)).collect()
}

/// That what else changed counts as well, where one side was measured before the other.
pub(super) fn apart(a: &[Facts], b: &[Facts]) -> Option<&'static str> {
    // Local time to the second, in one zone: it sorts as text.
    let started = |runs: &[Facts]| {
        let all = runs.iter().map(|facts| facts.started.clone());
        Some((all.clone().min()?, all.max()?))
    };
    let (a, b) = (started(a)?, started(b)?);
    (a.1 < b.0 || b.1 < a.0).then_some(
        "One was measured before the other, so whatever else changed on the machine in between \
        counts as a difference too. Measuring \
         launches in turn avoids that (docs/COMPARE.md).",
    )
}

/// A fact, and the values that runs have: each with those that have it.
pub(super) type Values = (String, Vec<(String, Vec<usize>)>);

/// All facts in which these runs differ.
pub(super) fn among(runs: &[&Facts]) -> Vec<Values> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for (name, ..) in others.iter().flat_map(|other| between(first, other)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let values = |name: &String| {
        let mut values: Vec<(String, Vec<usize>)> = Vec::new();
        for (at, facts) in runs.iter().enumerate() {
            let value = of(facts, name);
            match values.iter_mut().find(|(known, _)| *known == value) {
                Some((_, those)) => those.push(at),
                None => values.push((value, vec![at])),
            }
        }
        values
    };
    names.iter().map(|name| (name.clone(), values(name))).collect()
}

/// What changed from `a` to `b`.
pub(super) fn changed(a: &Facts, b: &Facts) -> Vec<Differing> {
    between(a, b)
}

fn of_side(letter: char, side: &ComparedSide<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let Some((first, others)) = side.facts.split_first() else { return warnings };
    for (number, other) in others.iter().enumerate() {
        let names: Vec<String> = between(first, other).into_iter().map(|(name, ..)| name).collect();
        if !names.is_empty() {
            warnings.push(format!(
                "run {} of {letter} differs from its first in: {}",
                number + 2,
                names.join(", ")
            ));
        }
    }
    warnings.extend(losses_of(&letter.to_string(), side));
    warnings
}

/// What a run called `name` lost.
pub(super) fn losses_of(name: &str, side: &ComparedSide<'_>) -> Vec<String> {
    let first = side.facts.first();
    let lost = first.map_or_else(Vec::new, |first| losses(first, side.analysis));
    lost.into_iter().map(|loss| format!("{name}: {loss}")).collect()
}

fn between(a: &Facts, b: &Facts) -> Vec<Differing> {
    let all = all(a).into_iter().chain(all(b)).map(|(name, _)| name);
    let mut names: Vec<String> = Vec::new();
    all.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    let rows = names.into_iter().map(|name| (of(a, &name), of(b, &name), name));
    rows.filter(|(x, y, _)| x != y).map(|(x, y, name)| (name, x, y)).collect()
}

fn of(facts: &Facts, name: &str) -> String {
    let found = all(facts).into_iter().find(|(known, _)| known == name);
    found.map_or_else(|| "–".to_owned(), |(_, value)| value)
}

/// What makes a run what it is; the number of launches is no part of it.
fn all(facts: &Facts) -> Vec<(String, String)> {
    let fixed = [
        ("Workload", facts.workload.clone()),
        ("Transport", facts.transport.clone()),
        ("Topology", facts.topology.clone()),
        ("Nodes", facts.nodes.to_string()),
        ("Clock", facts.clock.source.clone()),
        ("Recorded by", facts.program.clone()),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.to_owned(), value));
    fixed
        .chain(pinning(facts))
        .chain(facts.parameters.iter().cloned())
        .chain(facts.machine.iter().cloned())
        .collect()
}

/// Which nodes were left to the scheduler, and why; nothing where none is known to have been.
fn pinning(facts: &Facts) -> Option<(String, String)> {
    let said = facts.notes.iter().filter(|note| note.contains(": not pinned to a core"));
    let said: Vec<&str> = said.map(String::as_str).collect();
    (!said.is_empty()).then(|| ("Pinning".to_owned(), said.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_differ_in_pinning_are_told_apart() {
        let pinned = Facts { notes: vec!["the clock is slow".into()], ..Facts::default() };
        let free = "nodes 0, 1: not pinned to a core: not asked for";
        let notes = pinned.notes.iter().cloned().chain([free.to_owned()]).collect();
        let other = Facts { notes, ..Facts::default() };
        assert_eq!(between(&pinned, &other), [("Pinning".into(), "–".into(), free.into())]);
        assert!(between(&other, &other).is_empty());
    }

    #[test]
    fn sides_in_turn_are_not_apart() {
        let at = |second: u32| Facts {
            started: format!("2026-01-01 00:00:{second:02} +00:00"),
            ..Facts::default()
        };
        let apart = |a: &[Facts], b: &[Facts]| apart(a, b).is_some();
        assert!(apart(&[at(1), at(2)], &[at(3), at(4)]) && apart(&[at(9)], &[at(3)]));
        assert!(!apart(&[at(1), at(3)], &[at(2), at(4)]) && !apart(&[at(1)], &[at(1)]));
    }

    #[test]
    fn values_are_said_with_the_runs_that_have_them() {
        let of = |nodes: usize| Facts { nodes, ..Facts::default() };
        let runs = [of(2), of(4), of(2)];
        let found = among(&runs.each_ref());
        let values = vec![("2".to_owned(), vec![0, 2]), ("4".to_owned(), vec![1])];
        assert_eq!(found, [("Nodes".to_owned(), values)]);
        assert!(among(&[&runs[0], &runs[2]]).is_empty() && among(&[]).is_empty());
    }

    #[test]
    fn only_what_differs_is_said() {
        let parameters = |size: &str| vec![("Size".to_owned(), size.to_owned())];
        let a = Facts {
            workload: "pingpong".into(),
            launches: 3,
            parameters: parameters("8 B"),
            ..Facts::default()
        };
        let b = Facts { launches: 5, parameters: parameters("64 B"), nodes: 2, ..a.clone() };
        let found = between(&a, &b);
        assert_eq!(
            found,
            [
                ("Nodes".into(), "0".into(), "2".into()),
                ("Size".into(), "8 B".into(), "64 B".into())
            ]
        );
        let more = Facts { parameters: Vec::new(), ..a.clone() };
        assert_eq!(between(&a, &more), [("Size".into(), "8 B".into(), "–".into())]);
        assert!(between(&a, &a).is_empty());
    }
}
