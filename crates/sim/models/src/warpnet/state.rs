//! What a network node knows.

use super::network::Network;

/// State of a network node: a picture of the whole network, which may be stale, and counts.
#[derive(Debug, PartialEq, Eq)]
pub struct NodeState {
    pub(super) seed: i32,
    pub(super) packets_created: u32,
    pub(super) counts: Counts,
    nodes: u32,
    /// Currencies of all nodes, then loads of all lines: one block, because a copy of it is made
    /// for every event.
    picture: Box<[i32]>,
}

/// What a network node has done. Bookkeeping: nothing depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bundles handled.
    pub events: u64,
    /// Simtime that packets waited here for their line.
    pub wait_total: u64,
    /// CREATE messages handled.
    pub creates: u64,
    /// Packets handled that came from other nodes.
    pub packets: u64,
    /// Updates handled.
    pub updates: u64,
    /// Packets that ended here.
    pub arrived: u64,
    /// Packets sent, those dropped included.
    pub packets_sent: u64,
    /// Updates sent, those dropped included.
    pub updates_sent: u64,
    /// Searches for a path.
    pub searches: u64,
    /// Nodes of updates whose lines were news here.
    pub accepted: u64,
}

const COUNTS_BYTES: usize = 10 * 8;
const HEAD_BYTES: usize = 2 * 4 + COUNTS_BYTES;

impl Counts {
    fn words(&self) -> [u64; 10] {
        let Counts { events, wait_total, creates, packets, updates, .. } = *self;
        let Counts { arrived, packets_sent, updates_sent, searches, accepted, .. } = *self;
        [
            events,
            wait_total,
            creates,
            packets,
            updates,
            arrived,
            packets_sent,
            updates_sent,
            searches,
            accepted,
        ]
    }

    fn from_bytes(bytes: &[u8; COUNTS_BYTES]) -> Option<Counts> {
        let mut words =
            bytes.chunks(8).map(|word| word.first_chunk().map(|word| u64::from_be_bytes(*word)));
        let mut next = || words.next().flatten();
        Some(Counts {
            events: next()?,
            wait_total: next()?,
            creates: next()?,
            packets: next()?,
            updates: next()?,
            arrived: next()?,
            packets_sent: next()?,
            updates_sent: next()?,
            searches: next()?,
            accepted: next()?,
        })
    }
}

impl NodeState {
    /// Of this node, when nothing has happened.
    pub(super) fn new(network: &Network, node: usize) -> NodeState {
        let currencies = network.nodes.iter().map(|node| node.initial_currency);
        let picture = currencies.chain(network.initial_loads.iter().copied()).collect();
        let nodes = network.nodes() as u32;
        NodeState {
            seed: node as i32 + 1,
            packets_created: 0,
            counts: Counts::default(),
            nodes,
            picture,
        }
    }

    /// What it has done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Packets that it has created.
    pub fn packets_created(&self) -> u32 {
        self.packets_created
    }

    /// When what it believes of each node's lines was true.
    #[inline]
    pub fn currencies(&self) -> &[i32] {
        &self.picture[..self.nodes as usize]
    }

    /// Until when it believes each line to be busy.
    #[inline]
    pub fn loads(&self) -> &[i32] {
        &self.picture[self.nodes as usize..]
    }

    #[inline]
    pub(super) fn currencies_mut(&mut self) -> &mut [i32] {
        &mut self.picture[..self.nodes as usize]
    }

    #[inline]
    pub(super) fn loads_mut(&mut self) -> &mut [i32] {
        &mut self.picture[self.nodes as usize..]
    }

    /// Draw from 1..=m.
    #[inline]
    pub(super) fn draw(&mut self, m: i32) -> i32 {
        self.seed = (self.seed * 25_173 + 13_849) % 65_536;
        self.seed * m / 65_536 + 1
    }

    /// For moving to another node: seed, packets created, counts, then the picture, all big-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + 4 * self.picture.len());
        bytes.extend(self.seed.to_be_bytes());
        bytes.extend(self.packets_created.to_be_bytes());
        bytes.extend(self.counts.words().into_iter().flat_map(u64::to_be_bytes));
        bytes.extend(self.picture.iter().flat_map(|number| number.to_be_bytes()));
        bytes
    }

    /// What [`NodeState::to_bytes`] wrote of a node of this network.
    pub(super) fn from_bytes(network: &Network, bytes: &[u8]) -> Option<NodeState> {
        let (seed, rest) = bytes.split_first_chunk()?;
        let (packets_created, rest) = rest.split_first_chunk()?;
        let (counts, picture) = rest.split_first_chunk::<COUNTS_BYTES>()?;
        if picture.len() != 4 * (network.nodes() + network.lines()) {
            return None;
        }
        let number = |bytes: &[u8]| Some(i32::from_be_bytes(*bytes.first_chunk()?));
        Some(NodeState {
            seed: i32::from_be_bytes(*seed),
            packets_created: u32::from_be_bytes(*packets_created),
            counts: Counts::from_bytes(counts)?,
            nodes: network.nodes() as u32,
            picture: picture.chunks(4).map(number).collect::<Option<_>>()?,
        })
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.picture)
    }
}

impl Clone for NodeState {
    fn clone(&self) -> NodeState {
        NodeState { picture: self.picture.clone(), ..*self }
    }

    /// Reuses the picture's memory.
    #[inline]
    fn clone_from(&mut self, source: &NodeState) {
        let mut picture = std::mem::take(&mut self.picture);
        picture.clone_from(&source.picture);
        *self = NodeState { picture, ..*source };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> NodeState {
        let network = Network::generate(&Default::default()).unwrap();
        NodeState::new(&network, 7)
    }

    #[test]
    fn copying_into_a_state_keeps_its_memory() {
        let (mut a, mut b) = (state(), state());
        a.currencies_mut()[3] = 1_000;
        a.loads_mut()[0] = 2_000;
        a.counts.events = 9;
        let place = b.picture.as_ptr();
        b.clone_from(&a);
        assert_eq!(a, b);
        assert_eq!(b.picture.as_ptr(), place);
        assert_eq!(a.clone(), a);
        assert_eq!(a.heap_bytes(), 4 * (137 + 316));
    }

    #[test]
    fn its_bytes_are_all_of_it_and_nothing_else_is_taken() {
        let network = Network::generate(&Default::default()).unwrap();
        let mut state = state();
        state.currencies_mut()[3] = -1_000;
        state.loads_mut()[315] = 2_000;
        state.counts = Counts::from_bytes(&std::array::from_fn(|at| at as u8)).unwrap();
        (state.seed, state.packets_created) = (-5, 7);
        let bytes = state.to_bytes();
        assert_eq!(NodeState::from_bytes(&network, &bytes).as_ref(), Some(&state));
        for cut in 0..bytes.len() {
            assert_eq!(NodeState::from_bytes(&network, &bytes[..cut]), None, "cut at {cut}");
        }
        assert_eq!(NodeState::from_bytes(&network, &[bytes, vec![0; 4]].concat()), None);
    }

    #[test]
    fn draws_are_those_of_the_generator() {
        let mut state = state();
        // 8 x 25173 + 13849 = 215233 = 3 x 65536 + 18625; 18625 x 100 / 65536 = 28.
        assert_eq!((state.draw(100), state.seed), (29, 18_625));
        assert!((0..100_000).all(|_| (1..=32_767).contains(&state.draw(32_767))));
    }
}
