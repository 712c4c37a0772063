//! The sections of a simulation, in the order in which they are read.

mod gvt;
mod node_time;
mod overtaking;
mod rates;
mod rollbacks;
mod speedup;

use document::Section;
use report::ObjectNames;

use crate::outcome::Outcome;
use crate::simulation::Simulation;
use crate::tables;

/// A section without data is left out.
pub fn all(
    outcome: Option<&Outcome>,
    names: &ObjectNames,
    simulation: &Simulation,
) -> Vec<Section> {
    let mut all = Vec::new();
    all.extend(gvt::section(outcome, simulation));
    all.extend(outcome.and_then(speedup::section));
    all.extend(rates::section(simulation));
    all.extend(node_time::section(outcome, simulation));
    all.extend(rollbacks::section(names, simulation));
    all.extend(overtaking::section(outcome, simulation));
    if !simulation.work.is_empty() {
        let sentence = "How long each piece of work took. GVT round: a node's own work when a \
        round ends. Each piece keeps its node from all else.";
        let section = Section::new("work", "How long the work took", sentence);
        all.push(section.table(tables::work(simulation)));
    }
    if !simulation.messages.is_empty() {
        let sentence = "Within a node a message waits only for its turn, and its row does not \
        record that: its times are 0. Between nodes it also travels. An anti-message that takes \
        longer than an event message lets wrong work spread further. These are all \
                        messages of the run, those left out \
                        elsewhere too.";
        let section = Section::new("warp-messages", "The simulation's messages", sentence);
        all.push(section.table(tables::messages(simulation)));
    }
    all
}
