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
    warnings
        .extend(losses(first, side.analysis).into_iter().map(|loss| format!("{letter}: {loss}")));
    warnings
}

fn between(a: &Facts, b: &Facts) -> Vec<Differing> {
    let all = all(a).into_iter().chain(all(b)).map(|(name, _)| name);
    let mut names: Vec<String> = Vec::new();
    all.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    let of = |facts: &Facts, name: &str| {
        let found = self::all(facts).into_iter().find(|(known, _)| known == name);
        found.map_or_else(|| "–".to_owned(), |(_, value)| value)
    };
    let rows = names.into_iter().map(|name| (of(a, &name), of(b, &name), name));
    rows.filter(|(x, y, _)| x != y).map(|(x, y, name)| (name, x, y)).collect()
}

/// What makes a run what it is; the number of launches is no part of it.
fn all(facts: &Facts) -> Vec<(String, String)> {
    let fixed = [
        ("Workload", facts.workload.clone()),
        ("Transport", facts.transport.clone()),
        ("Topology", facts.topology.clone()),
        ("Nodes", facts.nodes.to_string()),
        ("Clock", facts.clock.source.clone()),
        ("Program", facts.program.clone()),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.to_owned(), value));
    fixed.chain(facts.parameters.iter().cloned()).chain(facts.machine.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
