//! A whole cluster in one thread, under a seed: nodes take turns at random, parcels are delayed at
//! random and overtake those of other pairs, and rollbacks are forced that no message calls for. A
//! failure replays from its seed.

use crate::{
    Dealing, Kept, Model, Node, ObjectClock, Options, Outcome, Parcel, Placement, Progress, Random,
    RunError, Timing, VirtualTime,
};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a simulated run is given besides the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// Nodes.
    pub nodes: u16,
    /// How objects are dealt to them.
    pub dealing: Dealing,
    /// Seed of every choice.
    pub seed: u64,
    /// How nodes work.
    pub options: Options,
    /// Longest delay of a parcel, in turns.
    pub delay_max: u64,
    /// Most steps of a turn.
    pub steps_max: u64,
    /// Whether turns go round, each with all its steps. Chance then breaks no pattern.
    pub in_turn: bool,
    /// A rollback is forced once in so many turns; 0: never.
    pub rollback_every: u64,
    /// An object is moved once in so many turns; 0: never. Above 0 calls for
    /// [`Options::migration`].
    pub move_every: u64,
    /// Node 0 looks at the load once in so many turns; 0: never. Above 0 calls for
    /// [`Options::balance`].
    pub balance_every: u64,
    /// Intervals from one copy of a state to the next, where the engine chooses them, are changed
    /// once in so many turns; 0: never, each event has a copy.
    pub intervals_every: u64,
    /// GVT is asked for once in so many turns.
    pub gvt_every: u64,
}

impl Simulation {
    /// So many nodes under this seed: delays up to 40 turns, a forced rollback in 20.
    pub fn new(nodes: u16, seed: u64, options: Options) -> Simulation {
        Simulation {
            nodes,
            dealing: Dealing::Blocks,
            seed,
            options,
            delay_max: 40,
            steps_max: 8,
            in_turn: false,
            rollback_every: 20,
            move_every: 0,
            balance_every: 0,
            intervals_every: 0,
            gvt_every: 50,
        }
    }
}

/// Parcels one after another, each as long on its way as can be, after which GVT has moved or never
/// will: where one message at a time may be unacknowledged, a queue of them takes that long to
/// leave.
const STUCK_AFTER_PARCELS: u64 = 1000;
/// Turns that a parcel takes besides its delay, at most: until its node has its turn.
const TURNS_PER_PARCEL: u64 = 100;
/// So many times as long GVT may move without a step in simtime: no model's cascade without delay
/// is so long, but one that is undone as fast as it goes on has no end.
const STUCK_IN_SIMTIME: u64 = 10;

/// Run a model to its end. The counters' identities have been checked.
///
/// # Errors
/// As a real run; and when it is stuck.
pub fn run<M: Model>(model: &M, simulation: &Simulation) -> Result<(Outcome, Kept), RunError> {
    let placement = Placement::deal(model, simulation.nodes, simulation.dealing)?;
    let make = |id| {
        let mut node = Node::new(model, &placement, id, &simulation.options, Kept::default())?;
        if simulation.options.timing != Timing::None {
            node.time_objects(ticking());
        }
        // All take turns on one thread.
        node.lacks_core(true);
        Ok(node)
    };
    let nodes: Result<Vec<_>, _> = (0..simulation.nodes).map(make).collect();
    let mut cluster = Cluster::new(nodes?, simulation);
    while !cluster.is_finished() {
        cluster.turn()?;
    }
    cluster.finish()
}

/// A clock that goes on by a microsecond each time that it is read.
fn ticking() -> ObjectClock {
    let now_ns = AtomicU64::new(0);
    Box::new(move || now_ns.fetch_add(1000, Ordering::Relaxed))
}

struct Cluster<'a, M: Model> {
    nodes: Vec<Node<'a, M, Kept>>,
    finished: Vec<bool>,
    links: Vec<Link>,
    random: Random,
    simulation: &'a Simulation,
    turn: u64,
    /// Since when nothing has happened.
    quiet_since: u64,
    /// Since when simtime has stood.
    stood_since: u64,
    gvt: VirtualTime,
}

/// The way from one node to another: parcels as bytes, each with the turn in which it comes.
#[derive(Default)]
struct Link {
    parcels: VecDeque<(u64, Vec<u8>)>,
}

impl<'a, M: Model> Cluster<'a, M> {
    fn new(nodes: Vec<Node<'a, M, Kept>>, simulation: &'a Simulation) -> Cluster<'a, M> {
        Cluster {
            finished: vec![false; nodes.len()],
            links: (0..nodes.len() * nodes.len()).map(|_| Link::default()).collect(),
            random: Random::new(simulation.seed, 0),
            simulation,
            turn: 0,
            quiet_since: 0,
            stood_since: 0,
            gvt: VirtualTime::NEGINF,
            nodes,
        }
    }

    fn is_finished(&self) -> bool {
        self.finished.iter().all(|finished| *finished)
    }

    /// Some node's turn.
    fn turn(&mut self) -> Result<(), RunError> {
        self.turn += 1;
        let nodes = self.nodes.len() as u64;
        let in_turn = self.simulation.in_turn;
        let at = if in_turn { self.turn % nodes } else { self.random.below(nodes) } as usize;
        self.take_parcels(at)?;
        let every = |random: &mut Random, turns: u64| turns > 0 && random.below(turns) == 0;
        if every(&mut self.random, self.simulation.gvt_every) {
            self.nodes[at].ask_for_gvt();
        }
        if every(&mut self.random, self.simulation.rollback_every) {
            let choice = self.random.bits();
            self.nodes[at].force_rollback(choice);
        }
        if every(&mut self.random, self.simulation.move_every) {
            let choice = self.random.bits();
            self.nodes[at].force_move(choice);
        }
        if every(&mut self.random, self.simulation.intervals_every) {
            let choice = self.random.bits();
            self.nodes[at].force_interval(choice);
        }
        if every(&mut self.random, self.simulation.balance_every) {
            self.nodes[0].ask_for_balance();
        }
        // Events take a microsecond each; a turn as much as it may have events.
        self.nodes.iter_mut().for_each(|node| node.watch().clock_us += self.simulation.steps_max);
        let steps_max = self.simulation.steps_max;
        let steps = if in_turn { steps_max } else { 1 + self.random.below(steps_max) };
        match self.nodes[at].run(steps as u32)? {
            Progress::Finished => self.finished[at] = true,
            Progress::Waiting => self.nodes[at].ask_for_gvt(),
            Progress::Busy => {}
        }
        self.send_parcels(at);
        self.see_that_something_happens(at)
    }

    fn take_parcels(&mut self, to: usize) -> Result<(), RunError> {
        for from in 0..self.nodes.len() {
            let link = &mut self.links[from * self.nodes.len() + to];
            while link.parcels.front().is_some_and(|(due, _)| *due <= self.turn) {
                let (_, bytes) = link.parcels.pop_front().expect("there is a first one");
                let broken =
                    |error| RunError::Protocol { node: from as u16, what: format!("{error}") };
                let (parcel, rest) = Parcel::decode(&bytes).map_err(broken)?;
                debug_assert!(rest.is_empty());
                self.nodes[to].receive(from as u16, parcel)?;
            }
        }
        Ok(())
    }

    fn send_parcels(&mut self, from: usize) {
        while let Some((to, parcel, ())) = self.nodes[from].outgoing() {
            let link = &mut self.links[from * self.nodes.len() + usize::from(to)];
            let earliest = link.parcels.back().map_or(0, |(due, _)| *due);
            let due = self.turn + self.random.below(self.simulation.delay_max + 1);
            let mut bytes = Vec::new();
            parcel.encode(&mut bytes);
            link.parcels.push_back((due.max(earliest), bytes));
        }
    }

    fn see_that_something_happens(&mut self, at: usize) -> Result<(), RunError> {
        let gvt = self.nodes[at].gvt();
        if gvt.simtime() > self.gvt.simtime() || self.finished[at] {
            self.stood_since = self.turn;
        }
        if gvt > self.gvt || self.finished[at] {
            (self.gvt, self.quiet_since) = (gvt, self.turn);
        }
        let stuck_after = STUCK_AFTER_PARCELS * (TURNS_PER_PARCEL + self.simulation.delay_max);
        let stands = self.turn - self.quiet_since > stuck_after
            || self.turn - self.stood_since > stuck_after * STUCK_IN_SIMTIME;
        if !stands {
            return Ok(());
        }
        let waits =
            |(id, node): (usize, &Node<'_, M, Kept>)| format!("node {id}: {:?}", node.status());
        Err(RunError::Identity {
            what: format!(
                "GVT has stood at {} for {} turns, and its simtime for {}, under seed {} ({})",
                self.gvt,
                self.turn - self.quiet_since,
                self.turn - self.stood_since,
                self.simulation.seed,
                self.nodes.iter().enumerate().map(waits).collect::<Vec<_>>().join("; ")
            ),
        })
    }

    fn finish(self) -> Result<(Outcome, Kept), RunError> {
        let (mut outcome, mut kept) = (Outcome::default(), Kept::default());
        outcome.final_time = VirtualTime::NEGINF.simtime();
        for node in self.nodes {
            let (part, watched) = node.finish();
            outcome.merge(part);
            kept.trace.extend(watched.trace);
            kept.lines.extend(watched.lines);
        }
        kept.sort();
        outcome.check()?;
        Ok((outcome, kept))
    }
}
