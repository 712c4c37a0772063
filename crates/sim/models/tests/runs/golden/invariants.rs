//! What must hold for warpnet on any network.

use crate::watched::{Run, run};
use models::warpnet::{Counts, NodeState, WarpnetPayload, WarpnetState};
use models::{GeneratorOptions, Network, Warpnet, WarpnetOptions};
use proptest::prelude::*;
use timewarp::{Bundle, Context, Model, ObjectId, Tell};

/// Warpnet that checks its states after every event and prints its counts at the end.
pub struct Watched(pub Warpnet);

/// Counts of all nodes.
pub struct Totals {
    pub counts: Counts,
    pub packets_created: u64,
    pub created_per_node: Vec<u64>,
}

impl Model for Watched {
    type State = WarpnetState;
    type Payload = WarpnetPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.0.objects()
    }

    fn name(&self, object: ObjectId) -> String {
        self.0.name(object)
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.0.kind(object)
    }

    fn tells(&self) -> Vec<Tell<WarpnetPayload>> {
        self.0.tells()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, WarpnetPayload>) -> WarpnetState {
        self.0.init(object, context)
    }

    fn event(
        &self,
        state: &mut WarpnetState,
        bundle: Bundle<'_, WarpnetPayload>,
        context: &mut Context<'_, WarpnetPayload>,
    ) {
        let before = state.clone();
        self.0.event(state, bundle, context);
        if let (WarpnetState::Node(before), WarpnetState::Node(state)) = (before, &*state) {
            let own = (0..).zip(self.0.network().rows().1);
            let own = own.filter(|(_, line)| line.node_from == i64::from(context.object().0));
            check_state(&before, state, context, own.map(|(line, _)| line));
        }
    }

    fn term(
        &self,
        state: &mut WarpnetState,
        _: Bundle<'_, WarpnetPayload>,
        context: &mut Context<'_, WarpnetPayload>,
    ) {
        if let WarpnetState::Node(state) = state {
            let c = state.counts();
            let fields = [
                u64::from(state.packets_created()),
                c.events,
                c.wait_total,
                c.creates,
                c.packets,
                c.updates,
                c.arrived,
                c.packets_sent,
                c.updates_sent,
                c.searches,
                c.accepted,
            ];
            context.print(fields.map(|field| field.to_string()).join(" "));
        }
    }
}

fn check_state(
    before: &NodeState,
    state: &NodeState,
    context: &Context<'_, WarpnetPayload>,
    mut own_lines: impl Iterator<Item = usize>,
) {
    let now = context.now().simtime() as i32;
    assert_eq!(state.currencies()[context.object().0 as usize], now);
    assert!(state.currencies().iter().all(|currency| *currency <= now));
    assert!(own_lines.all(|line| state.loads()[line] >= now));
    assert!(state.counts().wait_total >= before.counts().wait_total);
    assert_eq!(state.counts().events, before.counts().events + 1);
}

impl Watched {
    /// What the nodes printed at the end, summed.
    pub fn counts(run: &Run) -> Totals {
        let mut totals =
            Totals { counts: Counts::default(), packets_created: 0, created_per_node: Vec::new() };
        for (_, _, line) in &run.kept.lines {
            let mut fields = line.split(' ').map(|field| field.parse::<u64>().unwrap());
            let created = fields.next().unwrap();
            totals.packets_created += created;
            totals.created_per_node.push(created);
            let c = &mut totals.counts;
            let sums = [
                &mut c.events,
                &mut c.wait_total,
                &mut c.creates,
                &mut c.packets,
                &mut c.updates,
                &mut c.arrived,
                &mut c.packets_sent,
                &mut c.updates_sent,
                &mut c.searches,
                &mut c.accepted,
            ];
            sums.into_iter().for_each(|sum| *sum += fields.next().unwrap());
        }
        totals
    }
}

impl Totals {
    /// At any cut.
    pub fn check_anywhere(&self) {
        let c = &self.counts;
        let (created, sent, consumed) = (self.packets_created, c.packets_sent, c.packets);
        assert_eq!(created, c.arrived + sent - consumed);
        assert_eq!(created + consumed, c.arrived + sent);
        assert_eq!(c.searches, consumed + sent);
        assert!(c.updates_sent <= consumed);
    }

    /// At a run's natural end.
    pub fn check_at_the_end(&self, model: &Watched, run: &Run) {
        self.check_anywhere();
        let (nodes, packets) = (model.0.network().nodes() as u64, self.created_per_node[0]);
        let total = run.outcome.total();
        assert!(self.created_per_node.iter().all(|created| *created == packets));
        assert_eq!(self.packets_created, nodes * packets);
        assert_eq!(self.counts.packets_sent, self.counts.packets);
        assert_eq!(self.counts.creates + 32, 1 + 31 + nodes + nodes * (packets - 1));
        assert_eq!(total.messages, total.committed_sends + 1);
        assert_eq!(self.counts.events + 32, total.events);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn they_hold_on_any_network(
        nodes in 2u32..80, seed: u64, packets in 1u32..6, described in 1u32..60,
        cutoff in 100.0f64..300.0,
    ) {
        let network = Network::generate(&GeneratorOptions { nodes, seed }).unwrap();
        let update_nodes = described.min(nodes);
        let options = WarpnetOptions { packets_per_node: packets, update_nodes };
        let model = Watched(Warpnet::new(network, &options).unwrap());
        let whole = run(&model, None);
        let counts = Watched::counts(&whole);
        prop_assert_eq!(counts.created_per_node.len(), nodes as usize);
        prop_assert_eq!(counts.created_per_node[0], u64::from(packets));
        counts.check_at_the_end(&model, &whole);
        Watched::counts(&run(&model, Some(cutoff))).check_anywhere();
    }
}
