//! All that a study launches, in the order of its tables.

use crate::args::{StudyTiming, WarpStudyArgs};
use fabric::TransportKind;
use sim_lens::SpeedupSetup;

/// A setup, whose model and whose build it is.
pub struct Contest {
    pub setup: SpeedupSetup,
    /// By its place among the models.
    pub subject: usize,
    /// By its place among the builds.
    pub build: usize,
}

/// Model by model and build by build: in order, then each transport and way to time objects on
/// all numbers of nodes.
pub fn contests(args: &WarpStudyArgs, models: &[&str], builds: &[&str]) -> Vec<Contest> {
    let mut all = Vec::new();
    for (subject, model) in models.iter().enumerate() {
        for stretch in stretches(args) {
            for (build, name) in builds.iter().enumerate() {
                let in_order = SpeedupSetup {
                    model: (*model).to_owned(),
                    build: (*name).to_owned(),
                    stretch,
                    ..SpeedupSetup::default()
                };
                let setups = [in_order.clone()].into_iter().chain(on_nodes(args, &in_order));
                all.extend(setups.map(|setup| Contest { setup, subject, build }));
            }
        }
    }
    all
}

/// The setups on nodes of a model, a stretch and a build.
fn on_nodes(args: &WarpStudyArgs, of: &SpeedupSetup) -> Vec<SpeedupSetup> {
    let mut setups = Vec::new();
    let mut nodes = args.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    for transport in transports(args) {
        for timing in timings(args, of.stretch) {
            let one = SpeedupSetup { transport, timing, ..of.clone() };
            setups.extend(nodes.iter().map(|on| SpeedupSetup { nodes: Some(*on), ..one.clone() }));
        }
    }
    setups
}

/// The stretches that are asked for; `None` where none is.
pub fn stretches(args: &WarpStudyArgs) -> Vec<Option<f64>> {
    match args.stretch[..] {
        [] => vec![None],
        ref given => once(given.iter().map(|by| Some(*by))),
    }
}

fn transports(args: &WarpStudyArgs) -> Vec<&'static str> {
    match args.transport[..] {
        [] => vec![fabric::THREAD.name],
        ref given => once(given.iter().map(|kind: &&TransportKind| kind.name)),
    }
}

/// As a run by itself would time its objects, unless it is said.
pub fn timings(args: &WarpStudyArgs, stretch: Option<f64>) -> Vec<&'static str> {
    match args.timing[..] {
        [] if stretch.is_some_and(|by| by > 1.0) => vec![StudyTiming::Process.name()],
        [] => vec![StudyTiming::None.name()],
        ref given => once(given.iter().map(|timing| timing.name())),
    }
}

/// Each but once, in their order.
fn once<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}
