//! A model of a program's own, run in this process: on threads, or in simulated time on a machine.

use crate::sorted::Line;
use crate::threads::{Ran, run_over};
use crate::{Costs, Job, ModelSpec, NodeFiles, WarpError, merge};
use fabric::{Machine, TransportSpec};
use timewarp::{Dealing, Model, Options, Outcome};

/// How a model is run. [`RunOptions::new`] has what is usual.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Nodes; on threads, one each.
    pub nodes: u16,
    /// How the engine works, and where the run ends.
    pub engine: Options,
    /// How objects are dealt to nodes.
    pub dealing: Dealing,
    /// Run the nodes in simulated time on this machine instead of on threads.
    pub on: Option<Machine>,
    /// What an event takes there, ns, if not what the machine's file says.
    pub event_ns: Option<u64>,
}

/// A finished run.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Of all nodes: counts of each object, digests of all committed events and all final states.
    pub outcome: Outcome,
    /// Of the node that took longest, ns; on a machine, of its time.
    pub elapsed_ns: u64,
    /// What committed events printed, in order of virtual time.
    pub lines: Vec<Line>,
}

impl RunOptions {
    /// So many threads, up to and including this simtime; else as usual.
    pub fn new(nodes: u16, end: f64) -> RunOptions {
        RunOptions {
            nodes,
            engine: Options { cutoff: end, ..Options::default() },
            dealing: Dealing::Blocks,
            on: None,
            event_ns: None,
        }
    }
}

/// Run a model to its end. The result is that of [`timewarp::sequential`], whatever the options.
///
/// # Errors
/// When there are more nodes than objects, the model breaks a rule, or nothing is known of what an
/// event takes on the machine.
pub fn run<M: Model>(model: &M, options: &RunOptions) -> Result<Finished, WarpError> {
    let RunOptions { nodes, engine, dealing, on, event_ns } = options;
    engine.check()?;
    // The model is not made of it: it is given.
    let own = ModelSpec { name: String::new(), parameters: serde_json::Value::Null };
    let costs = on.as_ref().map(|machine| Costs::of(machine, *event_ns)).transpose()?;
    let job = Job { engine: engine.clone(), dealing: *dealing, costs, ..Job::new(own) };
    let transport = match on {
        Some(machine) => TransportSpec::simulated(machine),
        None => TransportSpec::of(&fabric::THREAD),
    };
    let folder = memory::Scratch::new("warp")
        .map_err(WarpError::file("make a folder in", &std::env::temp_dir()))?;
    let ran = run_over(transport, model, &job, *nodes, folder.path())?;
    let Ran { outcome, elapsed_ns } = ran;
    let files = (0..*nodes).map(|node| NodeFiles::new(folder.path(), node).lines_path());
    let mut lines = Vec::new();
    merge(&files.collect::<Vec<_>>(), |line| {
        lines.push(line);
        Ok(())
    })?;
    Ok(Finished { outcome, elapsed_ns, lines })
}
