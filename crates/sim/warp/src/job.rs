//! What to run: it travels to the nodes as JSON.

use crate::crowd::Core;
use crate::{Costs, Crews, DriveOptions, ModelSpec};
use fabric::{LookCost, Spec};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use timewarp::{Dealing, Model, Options, Placement, RunError, Search};

/// A simulation on some nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Which model, with its parameters.
    pub model: ModelSpec,
    /// How the engine works.
    pub engine: Options,
    /// How objects are dealt to nodes.
    pub dealing: Dealing,
    /// Objects that are put elsewhere, each with a node, which is taken modulo the number of nodes.
    pub places: Vec<(u32, u32)>,
    /// How often GVT is computed, at least, µs.
    pub gvt_interval_us: u64,
    /// Simtime of GVT from which on it is computed every second.
    pub gvt_change: Option<f64>,
    /// Whether the lines that committed events print are thrown away.
    pub silent: bool,
    /// Whether every message and every piece of work leaves a row.
    pub record: bool,
    /// Whether committed events are kept, for a trace.
    pub trace: bool,
    /// How often a recorded node is looked at, for its table of samples, ms; 0: never.
    pub sample_ms: u64,
    /// What steps cost, where time is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
}

/// Where looking is a system call, it is done this seldom while there is work.
const SYSTEM_CALL_POLL: Duration = Duration::from_micros(20);
/// And messages wait so long for others to travel with.
const SYSTEM_CALL_FLUSH: Duration = Duration::from_micros(30);
/// The same where it is a call of a message library, which looks at memory or at a network card.
const LIBRARY_POLL: Duration = Duration::from_micros(1);
const LIBRARY_FLUSH: Duration = Duration::from_micros(5);
/// The same where it is a look at memory.
const MEMORY_FLUSH: Duration = Duration::from_micros(3);

/// GVT is computed at least this often unless somebody says otherwise.
const GVT_INTERVAL_US: u64 = 10_000;
/// A recorded node is looked at this often unless somebody says otherwise.
const SAMPLE_MS: u64 = 100;

impl Job {
    /// This model as it is run unless somebody says otherwise: the engine's usual options, dealt in
    /// blocks, nothing recorded.
    pub fn new(model: ModelSpec) -> Job {
        Job {
            model,
            engine: Options::default(),
            dealing: Dealing::Blocks,
            places: Vec::new(),
            gvt_interval_us: GVT_INTERVAL_US,
            gvt_change: None,
            silent: false,
            record: false,
            trace: false,
            sample_ms: SAMPLE_MS,
            costs: None,
        }
    }

    /// How its nodes are driven over this fabric, by these crews.
    pub fn drive_options(&self, spec: &Spec, crews: Crews) -> DriveOptions {
        let (poll, flush) = match spec.transport.kind.look {
            LookCost::SystemCall => (SYSTEM_CALL_POLL, SYSTEM_CALL_FLUSH),
            LookCost::LibraryCall => (LIBRARY_POLL, LIBRARY_FLUSH),
            LookCost::Memory => (Duration::ZERO, MEMORY_FLUSH),
        };
        DriveOptions {
            steps_max: if self.engine.search == Search::All { u32::MAX } else { 1 },
            gvt_interval: Duration::from_micros(self.gvt_interval_us),
            balance_interval: self
                .engine
                .balance
                .as_ref()
                .map(|b| Duration::from_millis(b.interval_ms)),
            gvt_change: self.gvt_change,
            poll,
            flush,
            peer_timeout: Duration::from_millis(spec.peer_timeout_ms),
            core: if spec.transport.is_simulated() { Core::Own } else { Core::Unknown },
            yields: usize::from(spec.nodes) > crews.cores() && self.costs.is_none(),
            costs: self.costs,
        }
    }

    /// How so many nodes of a process are dealt to threads: one each, unless there are more of them
    /// than cores that the calling thread may use. To be called before any thread is pinned.
    pub fn crews(&self, spec: &Spec, nodes: usize) -> Crews {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // In simulated time each has a core of its own.
        Crews::new(nodes, if spec.transport.is_simulated() { nodes } else { cores })
    }

    /// How often a node is looked at; only recorded ones are.
    pub fn sample_every(&self) -> Option<Duration> {
        self.samples_when_recorded().filter(|_| self.record)
    }

    /// How often a node is looked at where it is recorded.
    pub(crate) fn samples_when_recorded(&self) -> Option<Duration> {
        (self.sample_ms > 0).then(|| Duration::from_millis(self.sample_ms))
    }

    /// Where the model's objects go.
    ///
    /// # Errors
    /// When there are more nodes than objects, or an object that is put somewhere does not exist.
    pub fn placement<M: Model>(&self, model: &M, nodes: u16) -> Result<Placement, RunError> {
        let mut placement = Placement::deal(model, nodes, self.dealing)?;
        self.places.iter().try_for_each(|(object, node)| placement.put(*object, *node))?;
        Ok(placement)
    }

    /// Whether the engine keeps what arrives before it takes it.
    pub fn keeps_arrivals(&self) -> bool {
        self.engine.search != Search::All
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabric::{Topology, TransportSpec, Waiting};

    /// On a core of its own, with a busy neighbour there, each wait of a node that offers its core
    /// takes a slice of the scheduler.
    #[test]
    fn a_node_that_is_pinned_does_not_take_the_machine_for_one_core() {
        let spec = |nodes| Spec {
            nodes,
            path_room: None,
            transport: TransportSpec::of(&fabric::THREAD),
            topology: Topology::Mesh,
            wait: Waiting::Blocking,
            peer_timeout_ms: 1000,
            plant: None,
        };
        let job = Job::new(ModelSpec { name: "phold".into(), parameters: serde_json::Value::Null });
        let crews = job.crews(&spec(2), 2);
        let cores = u16::try_from(crews.cores()).unwrap();
        let yields = |nodes| job.drive_options(&spec(nodes), crews).yields;
        let pinned = std::thread::scope(|scope| {
            let pinned = scope.spawn(|| {
                fabric::keep_on(rustix::thread::sched_getcpu()).unwrap();
                assert_eq!(job.crews(&spec(2), 2).cores(), 1, "it sees no other core");
                [cores, cores + 1].map(yields)
            });
            pinned.join().unwrap()
        });
        assert_eq!(pinned, [false, true]);
    }
}
