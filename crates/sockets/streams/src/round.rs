//! One walk through the logs, in which the messages and exchanges of all connections are found and
//! written. What is found to be wrong with a connection is known at its end: then all is done once
//! more, with that connection looked at in another way.

use crate::connections::Connection;
use crate::ends::{End, TakenOver, asker_first, have_streams_moved_bytes};
use crate::entry::Birth;
use crate::exchanges::Exchange;
use crate::facts::{PipesFacts, SocketsFacts, UnmatchedFacts};
use crate::framed::Framing;
use crate::framing::Rules;
use crate::matching::Counts;
use crate::pairing;
use crate::row::MessageRow;
use crate::survey::Survey;
use crate::talk::{Look, Outcome, Sink, Talk, Trouble};
use crate::transport::Transport;
use crate::walk::Event;
use crate::way::Way;
use crate::writers::Writers;
use rustc_hash::FxHashMap;

/// Receives without a send are numbered from here, beyond every send of their source.
const LONE_RECEIVES_FROM: u64 = 1 << 40;

/// Which ends are connections, and how each is looked at.
pub(crate) struct Plan {
    /// The ends of each: the one that asks first; the same twice of a half.
    pub talks: Vec<[usize; 2]>,
    pub looks: Vec<Look>,
    /// Of each end, its connection.
    of_end: Vec<usize>,
    /// Connections of which nothing is matched.
    unmatched: UnmatchedFacts,
    /// What is known of pipes beforehand.
    pipes: PipesFacts,
}

impl Plan {
    /// Of all ends, of which nothing is known to be wrong.
    pub fn of(ends: &[End]) -> Plan {
        let of_end = vec![0; ends.len()];
        let (talks, looks, pipes) = (Vec::new(), Vec::new(), PipesFacts::default());
        let unmatched = UnmatchedFacts::default();
        let mut plan = Plan { talks, looks, of_end, unmatched, pipes };
        let partners = pairing::partners(ends);
        for (at, partner) in partners.iter().enumerate() {
            match partner {
                Some(other) if *other > at => plan.pair(ends, [at, *other]),
                Some(other) if *other == at => plan.own(&ends[at], at),
                Some(_) => {}
                None => plan.add([at, at], Look::default()),
            }
        }
        plan
    }

    fn pair(&mut self, ends: &[End], pair: [usize; 2]) {
        if ends[pair[0]].transport.is_pipe() {
            return self.pipe(ends, pair);
        }
        let pair = asker_first(ends, pair);
        if self.count_hidden(&pair.map(|at| &ends[at])) {
            // Which bytes are the same is not known by counting those that were seen.
            let look = Look { is_doubtful: true, ..Look::default() };
            return pair.into_iter().for_each(|at| self.add([at, at], look));
        }
        // Who made one end of a pair made both.
        let is_pair = pair.iter().any(|at| ends[*at].birth == Some(Birth::Pair));
        match !is_pair && pair.iter().any(|at| ends[*at].birth.is_none()) {
            true => pair.into_iter().for_each(|at| self.add([at, at], Look::default())),
            false => self.add(pair, Look::default()),
        }
    }

    /// An end that is connected to itself.
    fn own(&mut self, end: &End, at: usize) {
        let is_doubtful = self.count_hidden(&[end]);
        let is_own_peer = !is_doubtful && end.birth.is_some();
        self.add([at, at], Look { is_doubtful, is_own_peer, ..Look::default() });
    }

    /// Whether bytes went on a connection by calls that were not seen: it is counted.
    fn count_hidden(&mut self, ends: &[&End]) -> bool {
        let counter = if let [one, other] = ends
            && have_streams_moved_bytes([one, other])
        {
            let nodes = ends.iter().flat_map(|end| &end.pipe.stream_nodes);
            self.unmatched.stream_nodes.extend(nodes);
            &mut self.unmatched.stream_connections
        } else if ends.iter().any(|end| end.hides_bytes()) {
            &mut self.unmatched.hidden_connections
        } else {
            return false;
        };
        *counter += 1;
        true
    }

    /// The end that is written comes first.
    fn pipe(&mut self, ends: &[End], [one, other]: [usize; 2]) {
        let is_written = ends[one].transport == Transport::PipeWrite;
        let pair = if is_written { [one, other] } else { [other, one] };
        let each = pair.map(|at| &ends[at]);
        let look = match each.iter().find_map(|end| end.pipe.hiding) {
            Some(why) => {
                self.pipes.count_unmatched(Some(why));
                Look { is_doubtful: true, ..Look::default() }
            }
            None if each.iter().all(|end| end.is_used() && end.birth.is_some()) => {
                return self.add(pair, Look::default());
            }
            None => Look::default(),
        };
        pair.into_iter().for_each(|at| self.add([at, at], look));
    }

    fn add(&mut self, talk: [usize; 2], look: Look) {
        talk.into_iter().for_each(|at| self.of_end[at] = self.talks.len());
        self.talks.push(talk);
        self.looks.push(look);
    }

    /// What is known of each connection that was used.
    pub fn connections<'a>(&'a self, ends: &'a [End]) -> impl Iterator<Item = Connection> + 'a {
        let used = (0..self.talks.len()).filter(|at| ends[self.talks[*at][0]].is_used());
        used.map(|at| {
            let both = self.talks[at].map(|end| &ends[end]);
            Connection::of(at, both, self.is_half(at))
        })
    }

    fn is_half(&self, at: usize) -> bool {
        let [one, other] = self.talks[at];
        one == other && !self.looks[at].is_own_peer
    }

    /// Look at connections with which something was wrong in another way.
    pub fn learn(&mut self, troubles: &[(usize, Trouble)]) {
        for (at, trouble) in troubles {
            match trouble {
                Trouble::NotInOrder => self.looks[*at].by_turns = true,
                Trouble::Crowded => self.looks[*at].is_patient = true,
                Trouble::Hidden => {
                    self.pipes.count_unmatched(None);
                    self.halve(*at);
                }
                Trouble::Doubtful => {
                    self.unmatched.doubtful_connections += 1;
                    self.halve(*at);
                }
            }
        }
    }

    /// Each end of a connection is a half from now on.
    fn halve(&mut self, at: usize) {
        let look = Look { is_doubtful: true, ..Look::default() };
        let [one, other] = self.talks[at];
        self.talks[at] = [one, one];
        self.looks[at] = look;
        if one != other {
            self.add([other, other], look);
        }
    }
}

/// What a walk has come to.
pub(crate) struct Round<'a> {
    survey: &'a Survey,
    plan: &'a Plan,
    rules: &'a Rules,
    talks: Vec<State>,
    pub troubles: Vec<(usize, Trouble)>,
    pub out: Out,
    pub facts: SocketsFacts,
    framing: Framing,
    pipes: PipesFacts,
    /// Messages that nobody has read, and reads of what nobody has written, as far as is known.
    pub lone: (u64, u64),
}

enum State {
    New,
    Going(Box<Talk>),
    Over,
}

/// Where rows go, with what is counted of them.
pub(crate) struct Out {
    pub writers: Writers,
    /// The places of nodes among the files.
    places: FxHashMap<u32, usize>,
    outside: u32,
    /// The next number of each node's messages.
    next: Vec<u64>,
    next_lone: u64,
    /// Messages that each node sent and received.
    pub messages: Vec<u64>,
    /// A program that was not traced takes part.
    pub has_outside: bool,
    /// The connection whose messages come.
    connection: u64,
}

impl Out {
    /// Into the files of these nodes, by their places; `outside` stands for all programs that were
    /// not traced.
    pub fn new(writers: Writers, nodes: &[u32], outside: u32) -> Out {
        Out {
            writers,
            places: nodes.iter().copied().zip(0..).collect(),
            outside,
            next: vec![0; nodes.len()],
            next_lone: LONE_RECEIVES_FROM,
            messages: vec![0; nodes.len()],
            has_outside: false,
            connection: 0,
        }
    }

    fn place(&self, node: u32) -> Option<usize> {
        self.places.get(&node).copied()
    }
}

impl Sink for Out {
    fn message(&mut self, row: &mut MessageRow) {
        let [src, dst] = [row.src, row.dst].map(|node| self.place(node));
        let number = match src.filter(|_| row.src != self.outside) {
            Some(place) => &mut self.next[place],
            None => &mut self.next_lone,
        };
        (row.seq, row.connection) = (*number, self.connection);
        *number += 1;
        self.has_outside |= row.src == self.outside || row.dst == self.outside;
        let both = [src, dst.filter(|_| src != dst)];
        both.into_iter().flatten().for_each(|place| self.messages[place] += 1);
        if let Some(place) = dst {
            self.writers.message(place, row);
        }
    }

    fn exchange(&mut self, answerer: u32, exchange: &Exchange) {
        if let Some(place) = self.place(answerer) {
            self.writers.exchange(place, exchange);
        }
    }
}

impl<'a> Round<'a> {
    /// That has not begun.
    pub fn new(survey: &'a Survey, plan: &'a Plan, rules: &'a Rules, out: Out) -> Round<'a> {
        Round {
            survey,
            plan,
            rules,
            talks: plan.talks.iter().map(|_| State::New).collect(),
            troubles: Vec::new(),
            out,
            facts: SocketsFacts::default(),
            framing: Framing::new(rules),
            pipes: PipesFacts::default(),
            lone: (0, 0),
        }
    }

    /// Something happened, at `now`, ns.
    pub fn take(&mut self, event: &Event, now: i64) {
        let end = event.end as usize;
        let at = self.plan.of_end[end];
        let is_asker = self.plan.talks[at][0] == end;
        if matches!(self.talks[at], State::New) {
            self.talks[at] = State::Going(Box::new(self.begin(at)));
        }
        let State::Going(talk) = &mut self.talks[at] else { return };
        self.out.connection = at as u64;
        match talk.take((is_asker, &event.what), now, &mut self.out) {
            Ok(false) => {}
            Ok(true) => self.end(at),
            Err(trouble) => self.trouble(at, trouble),
        }
    }

    /// Nothing more will come.
    pub fn finish(&mut self) {
        for at in 0..self.talks.len() {
            if matches!(self.talks[at], State::New) {
                self.talks[at] = State::Going(Box::new(self.begin(at)));
            }
            self.end(at);
        }
        self.facts.unmatched = self.plan.unmatched.clone();
        in_order(&mut self.facts.unmatched.stream_nodes);
        self.facts.pipes = self.pipes();
        self.facts.framing = std::mem::take(&mut self.framing).facts();
    }

    fn begin(&self, at: usize) -> Talk {
        let (ends, look) = (self.ends(at), self.plan.looks[at]);
        match self.plan.is_half(at) {
            true => Talk::half(ends[0], self.rules, look, self.out.outside),
            false if look.is_own_peer => Talk::own(ends[0], self.out.outside),
            false if ends[0].transport.is_pipe() => Talk::pipe(ends, look, self.out.outside),
            false => Talk::whole(ends, self.rules, look, self.out.outside),
        }
    }

    /// What came of the pipes, where there are any.
    fn pipes(&mut self) -> Option<PipesFacts> {
        let known = &self.plan.pipes;
        let all: Vec<_> = self.survey.ends.iter().filter(|end| end.transport.is_pipe()).collect();
        let mut stream_nodes = all.iter().flat_map(|end| end.pipe.stream_nodes.clone()).collect();
        in_order(&mut stream_nodes);
        (!all.is_empty()).then(|| PipesFacts {
            stream_nodes,
            hidden: known.hidden,
            streams: known.streams,
            uncounted: known.uncounted,
            ..std::mem::take(&mut self.pipes)
        })
    }

    fn count_pipe(&mut self, at: usize, outcome: &Outcome) {
        let (ends, is_half) = (self.ends(at), self.plan.is_half(at));
        let pipes = &mut self.pipes;
        let Counts { matched, lone_sends, lone_receives, .. } = outcome.counts;
        pipes.messages += matched + lone_sends + lone_receives;
        pipes.crowded += outcome.crowded;
        if !is_half {
            let way = Way::between(ends[0], ends[1], self.out.outside);
            pipes.whole += u64::from(way.written.bytes() > 0);
            pipes.bytes_sent += way.written.bytes();
            pipes.bytes_matched += way.matched();
        } else if ends[0].has_moved() && !self.plan.looks[at].is_doubtful {
            pipes.half += 1;
            pipes.from_outside += u64::from(ends[0].birth.is_none());
        }
    }

    fn end(&mut self, at: usize) {
        let State::Going(talk) = std::mem::replace(&mut self.talks[at], State::Over) else {
            return;
        };
        let ends = self.ends(at);
        self.out.connection = at as u64;
        match talk.finish(ends, &mut self.out) {
            Ok(outcome) => self.count(at, &outcome),
            Err(trouble) => self.trouble(at, trouble),
        }
    }

    fn trouble(&mut self, at: usize, trouble: Trouble) {
        self.talks[at] = State::Over;
        self.troubles.push((at, trouble));
    }

    fn ends(&self, at: usize) -> [&'a End; 2] {
        self.plan.talks[at].map(|end| &self.survey.ends[end])
    }

    fn count(&mut self, at: usize, outcome: &Outcome) {
        let ends = self.ends(at);
        let is_half = self.plan.is_half(at);
        if ends[0].transport.is_pipe() {
            self.count_pipe(at, outcome);
            self.facts.matched += outcome.counts.matched;
            return self.count_lone(outcome);
        }
        let facts = &mut self.facts;
        if !is_half {
            facts.whole_connections += 1;
            let ways = [[ends[0], ends[1]], [ends[1], ends[0]]];
            let ways = if self.plan.looks[at].is_own_peer { &ways[..1] } else { &ways };
            for [from, to] in ways {
                let way = Way::between(from, to, self.out.outside);
                facts.bytes_sent += way.written_for_reader();
                facts.bytes_matched += way.matched();
                facts.taken_over.bytes_of_others += way.others();
            }
        } else if ends[0].is_used() && !self.plan.looks[at].is_doubtful {
            facts.half_connections += 1;
            facts.older_connections += u64::from(ends[0].birth.is_none());
            facts.gone_clients += u64::from(ends[0].is_of_gone_client());
        }
        let is_taken_over =
            |end: &End| end.is_used() && matches!(end.taken_over, TakenOver::At(..));
        if !self.plan.looks[at].is_doubtful && ends.into_iter().any(is_taken_over) {
            facts.taken_over.connections += 1;
        }
        facts.matched += outcome.counts.matched;
        facts.overlapping += outcome.overlapping;
        for (held, end) in outcome.held_back.into_iter().zip(ends) {
            facts.held_back.add(held, end.node);
        }
        facts.exchanges += outcome.exchanges;
        facts.outside_exchanges += outcome.outside_exchanges;
        if let Some(framed) = &outcome.framed {
            self.framing.add(framed);
        }
        self.count_lone(outcome);
    }

    fn count_lone(&mut self, outcome: &Outcome) {
        self.lone.0 += outcome.counts.lone_sends;
        self.lone.1 += outcome.counts.lone_receives;
    }
}

/// Each once.
fn in_order(nodes: &mut Vec<u32>) {
    nodes.sort_unstable();
    nodes.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Address;

    /// Connected to itself.
    fn own(birth: Option<Birth>, counted: u64) -> End {
        let address = Address { host: 1, port: 80 };
        let mut end = End { birth, ..End::new(Transport::Tcp, [address, address], 0) };
        end.sent.count(counted);
        end
    }

    #[test]
    fn one_that_is_connected_to_itself_is_a_whole_or_a_half_and_never_two() {
        let connected = Some(Birth::Connected);
        for (birth, counted, is_whole) in
            [(connected, 0, true), (connected, 7, false), (None, 0, false), (None, 7, false)]
        {
            let mut plan = Plan::of(&[own(birth, counted)]);
            let look = plan.looks[0];
            let expected = (vec![[0, 0]], u64::from(counted > 0), is_whole, counted > 0);
            let UnmatchedFacts { hidden_connections, doubtful_connections, .. } = plan.unmatched;
            let found =
                (plan.talks.clone(), hidden_connections, look.is_own_peer, look.is_doubtful);
            assert_eq!((found, doubtful_connections), (expected, 0), "{birth:?} {counted}");
            plan.learn(&[(0, Trouble::Doubtful)]);
            let doubtful = plan.unmatched.doubtful_connections;
            assert_eq!((plan.talks.len(), plan.looks[0].is_own_peer, doubtful), (1, false, 1));
        }
    }
}
