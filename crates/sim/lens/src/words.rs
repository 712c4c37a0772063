//! A simulation in a few figures and sentences.

use document::{count, counted, part, rate, time};

use crate::outcome::Outcome;
use crate::simulation::Simulation;

/// The figures that stand at the head of a simulation's report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    pub committed: Option<u64>,
    pub committed_per_s: Option<f64>,
    pub efficiency: Option<f64>,
    pub executed: Option<u64>,
    pub undone: Option<u64>,
    pub rollbacks: Option<u64>,
    pub gvt_rounds: Option<u64>,
    pub elapsed_ns: Option<f64>,
}

impl Figures {
    /// What the engine said, and where it did not what the rows tell; `None` when the run is no
    /// simulation.
    pub fn of(outcome: Option<&Outcome>, simulation: Option<&Simulation>) -> Option<Figures> {
        if outcome.is_none() && simulation.is_none() {
            return None;
        }
        let said = outcome.cloned().unwrap_or_default();
        let counted = |get: fn(&Simulation) -> u64| simulation.map(get);
        let found = |get: fn(&Simulation) -> Option<f64>| simulation.and_then(get);
        Some(Figures {
            committed: said.events.or(counted(|s| s.committed)),
            committed_per_s: said.events_per_s.or(found(|s| s.committed_per_s)),
            efficiency: said.efficiency.or(found(|s| s.efficiency)),
            executed: said.executed.or(counted(|s| s.executed)),
            undone: said.rolled_back.or(counted(|s| s.undone)),
            rollbacks: said.rollbacks.or(counted(|s| s.rollbacks.count)),
            gvt_rounds: said.gvt_rounds.or(counted(|s| s.gvt_rounds)),
            elapsed_ns: said.seconds.map(|s| s * 1e9).or(found(|s| Some(s.elapsed_ns as f64))),
        })
    }

    /// Name and value of each figure that there is.
    pub fn tiles(&self) -> Vec<(&'static str, String)> {
        let tiles = [
            ("committed events", self.committed.map(count)),
            ("committed a second", self.committed_per_s.map(rate)),
            ("came true", self.efficiency.map(part)),
            ("rollbacks", self.rollbacks.map(count)),
            ("GVT rounds", self.gvt_rounds.map(count)),
            ("executed", self.executed.map(count)),
            ("undone", self.undone.map(count)),
            ("wall time", self.elapsed_ns.map(time)),
        ];
        tiles.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    /// The headline.
    pub fn sentence(&self) -> String {
        let committed = self.committed.map_or_else(
            || "The simulation ran".to_owned(),
            |n| format!("The simulation committed {}", counted(n, "event")),
        );
        let at =
            self.committed_per_s.map_or_else(String::new, |per_s| format!(" at {}", rate(per_s)));
        let kept = match (self.efficiency, self.rollbacks) {
            (_, Some(0)) => ": none was ever rolled back".to_owned(),
            (Some(efficiency), Some(rollbacks)) => format!(
                ": {} of the events executed came true, the others were undone in {}",
                part(efficiency),
                counted(rollbacks, "rollback")
            ),
            (Some(efficiency), None) => {
                format!(": {} of the events executed came true", part(efficiency))
            }
            (None, _) => String::new(),
        };
        format!("{committed}{at}{kept}.")
    }
}

/// Where the engine counted otherwise than the rows: what the charts then show.
pub fn difference(outcome: Option<&Outcome>, simulation: &Simulation) -> Option<String> {
    let said = outcome?;
    let pairs = [
        (said.executed, simulation.executed, "executed"),
        (said.rolled_back, simulation.undone, "undone"),
        (said.events, simulation.committed, "committed"),
    ];
    let differing: Vec<String> = pairs
        .iter()
        .filter_map(|(said, found, what)| {
            let said = said.filter(|said| said != found)?;
            Some(format!("{} {what} of {}", counted(*found, "event"), count(said)))
        })
        .collect();
    (!differing.is_empty()).then(|| {
        format!(
            "The record holds {}. The figures at the head are the engine's own; charts and tables \
            show what was recorded.",
            differing.join(", ")
        )
    })
}

/// What the nodes' time together went to.
pub fn busy_sentence(simulation: &Simulation) -> Option<String> {
    let whole: i64 = simulation.nodes.iter().map(|node| node.elapsed_ns).sum();
    let of = |ns: i64| part(ns as f64 / whole as f64);
    let work = |at: usize| of(simulation.nodes.iter().map(|node| node.work_ns[at]).sum());
    let rest: i64 = simulation.nodes.iter().map(|node| node.rest_ns).sum();
    (whole > 0).then(|| {
        format!(
            "Of all nodes' time together execution took {}, rollback {}, collection {}, the rest \
            {}.",
            work(0),
            work(1),
            work(2),
            of(rest)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;

    #[test]
    fn the_sentence_says_what_is_known() {
        let mut figures = Figures {
            committed: Some(12_345),
            committed_per_s: Some(512_345.6),
            efficiency: Some(0.857),
            rollbacks: Some(1),
            ..Figures::default()
        };
        let said = |figures: &Figures| plain(&figures.sentence());
        assert_eq!(
            said(&figures),
            "The simulation committed 12 345 events at 512 k/s: 86 % of the events executed came \
            true, the others were undone in 1 rollback."
        );
        figures.rollbacks = Some(0);
        assert!(said(&figures).ends_with("at 512 k/s: none was ever rolled back."));
        assert_eq!(said(&Figures::default()), "The simulation ran.");
    }
}
