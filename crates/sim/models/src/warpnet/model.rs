//! Warpnet's objects: the network nodes, and 32 initialisers that wake them.

use super::network::{LINES_PER_NODE, Network};
use super::node::{Outgoing, Visit};
use super::payload::WarpnetPayload;
use super::state::NodeState;
use super::{CREATE, NAME};
use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// Objects that wake the network nodes.
const INITIALISERS: u32 = 32;
/// Initialisers that wake two others.
const WAKERS: u32 = 15;
/// When every network node gets its first message.
const START: i32 = 100;
/// When the first initialiser is woken.
const BEGIN: i32 = 50;

/// Parameters, besides the network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WarpnetOptions {
    /// Packets that each node creates.
    pub packets_per_node: u32,
    /// Nodes that an update describes; at most those that there are.
    pub update_nodes: u32,
}

impl Default for WarpnetOptions {
    fn default() -> WarpnetOptions {
        WarpnetOptions { packets_per_node: 12, update_nodes: 40 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct Warpnet {
    pub(super) network: Network,
    pub(super) options: WarpnetOptions,
}

/// State of an object.
#[derive(Debug, PartialEq, Eq)]
pub enum WarpnetState {
    /// A network node.
    Node(NodeState),
    /// An initialiser, which has none.
    Initialiser,
}

impl Warpnet {
    /// On this network, with these parameters.
    ///
    /// # Errors
    /// When there are no packets, or an update cannot describe so many nodes.
    pub fn new(network: Network, options: &WarpnetOptions) -> Result<Warpnet, ModelError> {
        let packets = options.packets_per_node;
        demand(packets >= 1, "packets_per_node", packets, "a node creates at least 1 packet")?;
        let (described, nodes) = (options.update_nodes, network.nodes());
        if !(1..=nodes).contains(&(described as usize)) {
            let reason = format!(
                "an update must describe 1 to {nodes} of the {nodes} nodes; give a number in this \
                range"
            );
            return Err(ModelError::parameter("update_nodes", described, reason));
        }
        Ok(Warpnet { network, options: options.clone() })
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Numbers in an update.
    pub(super) fn update_numbers(&self) -> usize {
        let described = self.options.update_nodes as usize;
        2 * described + self.network.lines().min(LINES_PER_NODE * described)
    }

    fn nodes(&self) -> u32 {
        self.network.nodes() as u32
    }

    pub(crate) fn state(&self, object: u32) -> WarpnetState {
        match object < self.nodes() {
            true => WarpnetState::Node(NodeState::new(&self.network, object as usize)),
            false => WarpnetState::Initialiser,
        }
    }

    /// What the configuration sends: to whom, and when.
    pub(crate) fn first(&self) -> (u32, i32) {
        (self.nodes(), BEGIN)
    }

    /// Handle a bundle whose messages carry these.
    #[inline]
    pub(crate) fn handle<'p, O: Outgoing>(
        &self,
        state: &mut WarpnetState,
        (object, now): (u32, i32),
        payloads: impl Iterator<Item = &'p WarpnetPayload>,
        out: &mut O,
    ) {
        match state {
            WarpnetState::Node(state) => {
                let mut visit = Visit { model: self, state, node: object as usize, now, out };
                visit.begin();
                payloads.for_each(|payload| visit.handle(payload));
            }
            WarpnetState::Initialiser => self.initialise(object - self.nodes(), now, out),
        }
    }

    /// Wake other initialisers in a binary tree, and a share of the network nodes.
    fn initialise<O: Outgoing>(&self, own: u32, now: i32, out: &mut O) {
        let mut wake = |receiver, time| out.post(receiver, time, CREATE, WarpnetPayload::Create);
        let (share, rest) = (self.nodes() / INITIALISERS, self.nodes() % INITIALISERS);
        if own < WAKERS {
            wake(self.nodes() + 2 * own + 1, now + 1);
            wake(self.nodes() + 2 * own + 2, now + 1);
        }
        (0..share).for_each(|place| wake(share * own + place, START));
        if own < rest {
            wake(INITIALISERS * share + own, START);
        }
        if own == 0 {
            wake(self.nodes() + INITIALISERS - 1, now + 1);
        }
    }
}

impl Outgoing for Context<'_, WarpnetPayload> {
    #[inline]
    fn post(&mut self, receiver: u32, time: i32, selector: i32, payload: WarpnetPayload) {
        self.send(ObjectId(receiver), VirtualTime::at(f64::from(time)), selector, payload);
    }

    fn refuse(&mut self, reason: &str) {
        self.fail(reason);
    }
}

impl Model for Warpnet {
    type State = WarpnetState;
    type Payload = WarpnetPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.nodes() + INITIALISERS
    }

    fn name(&self, object: ObjectId) -> String {
        match object.0.checked_sub(self.nodes()) {
            Some(initialiser) => format!("{initialiser}-init"),
            None => object.0.to_string(),
        }
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        if object.0 < self.nodes() { NAME } else { "warpinit" }
    }

    fn tells(&self) -> Vec<Tell<WarpnetPayload>> {
        let (receiver, time) = self.first();
        let receive = VirtualTime::at(f64::from(time));
        vec![Tell {
            receiver: ObjectId(receiver),
            receive,
            selector: 0,
            payload: WarpnetPayload::Begin,
        }]
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, WarpnetPayload>) -> WarpnetState {
        self.state(object.0)
    }

    #[inline]
    fn event(
        &self,
        state: &mut WarpnetState,
        bundle: Bundle<'_, WarpnetPayload>,
        context: &mut Context<'_, WarpnetPayload>,
    ) {
        // All simtimes are whole and, in what comes true, far below 2^31.
        let (object, now) = (context.object().0, context.now().simtime() as i32);
        self.handle(state, (object, now), bundle.iter().map(|message| &message.payload), context);
    }

    fn state_bytes(&self, state: &WarpnetState) -> Option<Vec<u8>> {
        match state {
            WarpnetState::Node(state) => Some(state.to_bytes()),
            WarpnetState::Initialiser => Some(Vec::new()),
        }
    }

    fn state_from_bytes(&self, object: ObjectId, bytes: &[u8]) -> Option<WarpnetState> {
        match object.0 < self.nodes() {
            true => NodeState::from_bytes(&self.network, bytes).map(WarpnetState::Node),
            false => bytes.is_empty().then_some(WarpnetState::Initialiser),
        }
    }

    fn state_heap_bytes(&self, state: &WarpnetState) -> usize {
        match state {
            WarpnetState::Node(state) => state.heap_bytes(),
            WarpnetState::Initialiser => 0,
        }
    }
}

impl Clone for WarpnetState {
    fn clone(&self) -> WarpnetState {
        match self {
            WarpnetState::Node(state) => WarpnetState::Node(state.clone()),
            WarpnetState::Initialiser => WarpnetState::Initialiser,
        }
    }

    #[inline]
    fn clone_from(&mut self, source: &WarpnetState) {
        match (self, source) {
            (WarpnetState::Node(state), WarpnetState::Node(source)) => state.clone_from(source),
            (state, source) => *state = source.clone(),
        }
    }
}
