//! Rules of warpnet that no count of events, messages or sends shows.

use crate::watched::run;
use models::warpnet::{
    CREATE, NetworkPacket, PACKET, UPDATE, UpdateBody, WarpnetPayload, WarpnetState,
};
use models::{GeneratorOptions, Network, Warpnet, WarpnetOptions};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// Node 0 of a network of five gets these at simtime 200; nothing else happens. It prints the
/// currency and first load that it then holds of node 3.
struct Told {
    model: Warpnet,
    selectors: Vec<(i32, WarpnetPayload)>,
}

impl Told {
    fn new(selectors: Vec<(i32, WarpnetPayload)>) -> Told {
        let network = Network::generate(&GeneratorOptions { nodes: 5, seed: 1 }).unwrap();
        let options = WarpnetOptions { packets_per_node: 1, update_nodes: 1 };
        Told { model: Warpnet::new(network, &options).unwrap(), selectors }
    }

    fn first_line(&self) -> usize {
        self.model.network().rows().0[3].first_line_index as usize
    }

    fn held(&self) -> String {
        let run = run(self, Some(200.0));
        run.kept.lines.into_iter().map(|(_, _, line)| line).collect()
    }
}

impl Model for Told {
    type State = WarpnetState;
    type Payload = WarpnetPayload;
    type Undo = ();

    fn objects(&self) -> u32 {
        self.model.objects()
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        self.model.kind(object)
    }

    fn tells(&self) -> Vec<Tell<WarpnetPayload>> {
        let tell = |(selector, payload): &(i32, WarpnetPayload)| Tell {
            receiver: ObjectId(0),
            receive: VirtualTime::at(200.0),
            selector: *selector,
            payload: payload.clone(),
        };
        self.selectors.iter().map(tell).collect()
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, WarpnetPayload>) -> WarpnetState {
        self.model.init(object, context)
    }

    fn event(
        &self,
        state: &mut WarpnetState,
        bundle: Bundle<'_, WarpnetPayload>,
        context: &mut Context<'_, WarpnetPayload>,
    ) {
        self.model.event(state, bundle, context);
    }

    fn term(
        &self,
        state: &mut WarpnetState,
        _: Bundle<'_, WarpnetPayload>,
        context: &mut Context<'_, WarpnetPayload>,
    ) {
        if let (WarpnetState::Node(state), ObjectId(0)) = (state, context.object()) {
            context.print(format!(
                "{} {}",
                state.currencies()[3],
                state.loads()[self.first_line()]
            ));
        }
    }
}

fn update(currency: u16, load: u16) -> (i32, WarpnetPayload) {
    (UPDATE, WarpnetPayload::Update(UpdateBody::new(&[3, currency, load, load, load, load])))
}

#[test]
fn updates_of_one_bundle_are_taken_in_order_of_their_bytes() {
    // Of two that are equally new the first one in order of bytes wins, whichever was sent first.
    for order in [[0, 1], [1, 0]] {
        let updates = [update(150, 170), update(150, 180)];
        let told = Told::new(order.map(|which: usize| updates[which].clone()).to_vec());
        assert_eq!(told.held(), "150 170");
    }
}

#[test]
fn a_packet_is_routed_before_an_update_of_its_bundle_is_believed() {
    let packet =
        NetworkPacket { creator: 0, created: 100, size: 1, next: 0, last: 0, destination: 4 };
    let both = |update_first: bool| {
        let mut told = vec![(PACKET, WarpnetPayload::Packet(packet)), update(150, 170)];
        if update_first {
            told.reverse();
        }
        told.push((CREATE, WarpnetPayload::Create));
        run(&Told::new(told), None).outcome.trace_digest
    };
    assert_eq!(both(true), both(false));
}

#[test]
fn a_network_node_that_is_told_to_begin_says_so() {
    let told = Told::new(vec![(0, WarpnetPayload::Begin)]);
    let limits = timewarp::Limits::default();
    let error = timewarp::sequential::run(&told, &limits, &mut timewarp::Unwatched).unwrap_err();
    assert!(error.to_string().contains("told to begin"), "{error}");
}
