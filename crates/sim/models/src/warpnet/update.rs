//! What nodes tell each other of their pictures: taking in an update, and putting one together.
//!
//! An update describes a fixed number of nodes: those nearest to the sender of which it has fresh
//! news, in breadth-first order, then, if there are too few, the nearest stale ones.

use super::UPDATE;
use super::model::Warpnet;
use super::network::Network;
use super::node::{Outgoing, Visit};
use super::payload::{UpdateBody, WarpnetPayload};
use super::state::NodeState;
use std::cell::RefCell;

/// News older than this is stale, simtime.
const STALE: i32 = 20;

/// Memory for putting an update together, cleared before each.
struct Scratch {
    met: Vec<bool>,
    visits: Vec<u16>,
    numbers: Vec<u16>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch { met: Vec::new(), visits: Vec::new(), numbers: Vec::new() })
    };
}

impl<O: Outgoing> Visit<'_, O> {
    /// Believe what is newer than the own picture. News of this node's lines never is.
    pub(super) fn merge(&mut self, numbers: &[u16]) {
        let many = self.model.options.update_nodes as usize;
        let (nodes, rest) = numbers.split_at(many);
        let (currencies, mut loads) = rest.split_at(many);
        for (node, currency) in nodes.iter().zip(currencies) {
            let (node, currency) = (usize::from(*node), i32::from(*currency));
            let lines = self.model.network.lines_of(node);
            let (news, others) = loads.split_at(lines.len());
            loads = others;
            if self.state.currencies()[node] < currency {
                self.state.currencies_mut()[node] = currency;
                let known = &mut self.state.loads_mut()[lines];
                known.iter_mut().zip(news).for_each(|(load, news)| *load = i32::from(*news));
                self.state.counts.accepted += 1;
            }
        }
    }

    pub(super) fn send_update(&mut self, receiver: u16) {
        self.state.counts.updates_sent += 1;
        let gathered = SCRATCH
            .with_borrow_mut(|scratch| scratch.gather(self.model, self.state, self.node, self.now));
        match gathered {
            Some(body) => {
                self.out.post(receiver.into(), self.now + 1, UPDATE, WarpnetPayload::Update(body));
            }
            None => self.out.refuse(
                "an update's currencies and loads have 15 bits, but simtime is beyond 32767: give \
                an earlier cutoff, or fewer packets per node",
            ),
        }
    }
}

impl Scratch {
    /// `None` when a number does not fit.
    fn gather(
        &mut self,
        model: &Warpnet,
        state: &NodeState,
        node: usize,
        now: i32,
    ) -> Option<UpdateBody> {
        let network = &model.network;
        self.met.clear();
        self.met.resize(network.nodes(), false);
        self.visits.clear();
        self.numbers.clear();
        self.numbers.resize(model.update_numbers(), 0);
        let nodes = model.options.update_nodes as usize;
        let mut description = Description {
            network,
            state,
            nodes,
            numbers: &mut self.numbers,
            added: 0,
            slot: 2 * nodes,
            bits: 0,
        };
        let is_stale = |node: u16| now - state.currencies()[usize::from(node)] > STALE;

        self.met[node] = true;
        self.visits.push(node as u16);
        description.add(node as u16);
        let mut visited = 0;
        while visited < self.visits.len() && !description.is_full() {
            for line in &network.lines[network.lines_of(self.visits[visited].into())] {
                if description.is_full() {
                    break;
                }
                if !std::mem::replace(&mut self.met[usize::from(line.to)], true) {
                    self.visits.push(line.to);
                    if !is_stale(line.to) {
                        description.add(line.to);
                    }
                }
            }
            visited += 1;
        }
        for node in self.visits[1..].iter().copied().filter(|node| is_stale(*node)) {
            if description.is_full() {
                break;
            }
            description.add(node);
        }
        // No sign and no bit above the fifteenth in any of them.
        (description.bits & !0x7fff == 0).then(|| UpdateBody::new(&self.numbers))
    }
}

/// An update's numbers while they are written.
struct Description<'a> {
    network: &'a Network,
    state: &'a NodeState,
    nodes: usize,
    numbers: &'a mut [u16],
    added: usize,
    slot: usize,
    /// All bits that any of the numbers has.
    bits: i32,
}

impl Description<'_> {
    fn is_full(&self) -> bool {
        self.added == self.nodes
    }

    fn add(&mut self, node: u16) {
        let lines = self.network.lines_of(node.into());
        let currency = self.state.currencies()[usize::from(node)];
        self.bits |= currency;
        self.numbers[self.added] = node;
        self.numbers[self.nodes + self.added] = currency as u16;
        self.added += 1;
        for load in &self.state.loads()[lines] {
            self.bits |= load;
            self.numbers[self.slot] = *load as u16;
            self.slot += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GeneratorOptions, WarpnetOptions};
    use super::*;

    /// Keeps what is sent.
    #[derive(Default)]
    struct Kept {
        updates: Vec<Vec<u16>>,
        refused: usize,
    }

    impl Outgoing for Kept {
        fn post(&mut self, _: u32, _: i32, _: i32, payload: WarpnetPayload) {
            if let WarpnetPayload::Update(body) = payload {
                self.updates.push(body.numbers().to_vec());
            }
        }

        fn refuse(&mut self, _: &str) {
            self.refused += 1;
        }
    }

    fn model(update_nodes: u32) -> Warpnet {
        let network = Network::generate(&GeneratorOptions { nodes: 30, seed: 4 }).unwrap();
        Warpnet::new(network, &WarpnetOptions { update_nodes, ..Default::default() }).unwrap()
    }

    fn update_of(model: &Warpnet, state: &mut NodeState, node: usize, now: i32) -> Kept {
        let mut out = Kept::default();
        let mut visit = Visit { model, state, node, now, out: &mut out };
        visit.begin();
        visit.send_update(0);
        out
    }

    /// Step by step as the rule says, with nothing clever.
    fn by_definition(model: &Warpnet, state: &NodeState, node: usize, now: i32) -> Vec<u16> {
        let (network, limit) = (&model.network, model.options.update_nodes as usize);
        let to = |node: usize| network.lines_of(node).map(|l| usize::from(network.lines[l].to));
        let stale = |node: usize| now - state.currencies()[node] > 20;
        let (mut visits, mut added, mut c) = (vec![node], vec![node], 0);
        while c < visits.len() && added.len() < limit {
            for y in to(visits[c]) {
                if added.len() < limit && !visits.contains(&y) {
                    visits.push(y);
                    if !stale(y) {
                        added.push(y);
                    }
                }
            }
            c += 1;
        }
        added.extend(visits[1..].iter().filter(|x| stale(**x)));
        added.truncate(limit);
        let mut numbers: Vec<_> = added.iter().map(|x| *x as u16).collect();
        numbers.extend(added.iter().map(|x| state.currencies()[*x] as u16));
        numbers.extend(
            added.iter().flat_map(|x| network.lines_of(*x)).map(|l| state.loads()[l] as u16),
        );
        numbers.resize(2 * limit + network.lines().min(4 * limit), 0);
        numbers
    }

    #[test]
    fn an_update_is_what_the_rule_says() {
        for update_nodes in [1, 2, 7, 20, 30] {
            let model = model(update_nodes);
            for node in 0..30 {
                let mut state = NodeState::new(&model.network, node);
                // Every third node is stale, at different ages.
                let ages = state.currencies_mut().iter_mut().enumerate();
                ages.for_each(|(n, currency)| {
                    *currency = 200 - if n % 3 == node % 3 { 21 } else { 20 }
                });
                state
                    .loads_mut()
                    .iter_mut()
                    .enumerate()
                    .for_each(|(l, load)| *load = 150 + l as i32);
                let out = update_of(&model, &mut state, node, 200);
                assert_eq!(out.updates, [by_definition(&model, &state, node, 200)]);
            }
        }
    }

    #[test]
    fn news_of_exactly_the_limit_is_fresh() {
        let model = model(2);
        let node = (0..30).find(|node| model.network.lines_of(*node).len() >= 2).unwrap();
        let line =
            |place: usize| model.network.lines[model.network.lines_of(node).start + place].to;
        let mut state = NodeState::new(&model.network, node);
        let mut described = |ages: [i32; 2]| {
            for (place, age) in ages.into_iter().enumerate() {
                state.currencies_mut()[usize::from(line(place))] = 200 - age;
            }
            update_of(&model, &mut state, node, 200).updates[0][1]
        };
        assert_eq!(described([20, 0]), line(0));
        assert_eq!(described([21, 0]), line(1));
    }

    #[test]
    fn only_what_is_newer_is_believed() {
        let model = model(1);
        let mut state = NodeState::new(&model.network, 0);
        let mut out = Kept::default();
        let mut told = |currency: u16, load: u16| {
            let mut visit =
                Visit { model: &model, state: &mut state, node: 0, now: 300, out: &mut out };
            visit.begin();
            visit.merge(&[9, currency, load, load, load, load]);
            let line = model.network.lines_of(9).start;
            (state.currencies()[9], state.loads()[line], state.counts.accepted)
        };
        assert_eq!(told(150, 170), (150, 170, 1));
        assert_eq!(told(150, 180), (150, 170, 1));
        assert_eq!(told(149, 180), (150, 170, 1));
        assert_eq!(told(151, 160), (151, 160, 2));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let model = model(4);
        let mut state = NodeState::new(&model.network, 0);
        assert_eq!(update_of(&model, &mut state, 0, 32_767).refused, 0);
        assert_eq!(update_of(&model, &mut state, 0, 32_768).refused, 1);
    }
}
