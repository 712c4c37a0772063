//! The sections of a simulation, in the order in which they are read.

use stats::analysis::Analysis;

use super::{Section, gvt, node_time, rates, rollbacks, speedup};
use crate::facts::Facts;
use crate::simulation_tables;

pub(super) fn sections(run: &str, facts: &Facts, analysis: &Analysis) -> Vec<Section> {
    let Some(simulation) = &analysis.simulation else { return Vec::new() };
    let mut all = Vec::new();
    all.extend(gvt::section(run, facts, simulation));
    all.extend(speedup::section(run, facts));
    all.extend(rates::section(run, simulation));
    all.extend(node_time::section(run, simulation));
    all.extend(rollbacks::section(run, simulation));
    if !simulation.work.is_empty() {
        let sentence = "How long each piece of work took. A GVT round goes on while its node does \
        other work; the others keep \
                        the node from all else.";
        let mut section = Section::new(run, "work", "How long the work took", sentence.to_owned());
        section.below = simulation_tables::work(simulation);
        all.push(section);
    }
    if !simulation.messages.is_empty() {
        let sentence = "Within a node a message waits only for its turn; between nodes it also \
        travels. An anti-message that takes \
                        longer than an event message lets wrong work spread further. These are all \
                        messages of the run, those left out \
                        elsewhere too.";
        let mut section =
            Section::new(run, "warp-messages", "The simulation's messages", sentence.to_owned());
        section.below = simulation_tables::messages(simulation);
        all.push(section);
    }
    all
}
