//! A connection on the walk through the logs: calls come, messages and exchanges go.

use crate::ends::End;
use crate::entry::Birth;
use crate::exchanges::Exchange;
use crate::framed::{Follows, Framed};
use crate::framing::{PortRule, Rules};
use crate::held_back::HeldBack;
use crate::legs;
use crate::marks::Marks;
use crate::matching::{Counts, Direction, Doubt, HalfWay};
use crate::moved::Moved;
use crate::op::Op;
use crate::order::{Order, Terms};
use crate::pipe::{Obstacle, Pipe};
use crate::row::MessageRow;
use crate::turns::{By, Turns, View};
use crate::walk::What;
use crate::way::{Span, Way};
use crate::writes::{Sent, Writes};

/// Where messages and exchanges go.
pub(crate) trait Sink {
    /// A message; it gets its number.
    fn message(&mut self, row: &mut MessageRow);
    /// An exchange, with the node that answered.
    fn exchange(&mut self, answerer: u32, exchange: &Exchange);
}

/// Why a connection has to be looked at once more, in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Its ends do not belong together.
    Doubtful,
    /// Something else moved bytes in a pipe.
    Hidden,
    /// Calls on a pipe overlapped, of which messages were told already.
    Crowded,
    /// Order does not tell which answer belongs to which request.
    NotInOrder,
}

/// How a connection is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Look {
    /// It was doubtful: each of its ends is a half.
    pub is_doubtful: bool,
    /// It has one end, which is connected to itself and whole.
    pub is_own_peer: bool,
    /// By turns, although it is framed.
    pub by_turns: bool,
    /// A message of a pipe is told when no call can come any more that overlaps its own.
    pub is_patient: bool,
}

/// How requests find their answers.
enum Pairing {
    /// Who asks is not known, or what is known is wrong.
    None,
    Turns(Box<Turns>),
    /// As the one end that is known has seen them.
    View(Box<View>),
    Order(Box<Order>),
}

/// What a connection came to.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub counts: Counts,
    pub overlapping: u64,
    /// What each end wrote that was held back: who asks, who answers.
    pub held_back: [HeldBack; 2],
    /// Messages of a pipe that are halves because calls overlapped.
    pub crowded: u64,
    pub exchanges: u64,
    /// Messages that belong to no exchange.
    pub outside_exchanges: u64,
    pub framed: Option<Framed>,
}

/// A connection with both ends, or one of them.
pub(crate) struct Talk {
    ways: Ways,
    pairing: Pairing,
    framed: Option<Framed>,
    /// Entries of the logs that are still to come.
    left: u64,
    /// Requests and answers, and those in exchanges.
    messages: [u64; 2],
    exchanges: u64,
    within: u64,
    /// A process wrote to itself so far.
    is_alone: bool,
    is_pipe: bool,
    /// Its one end reads what it writes.
    is_own_peer: bool,
    now: i64,
}

enum Ways {
    /// Requests, and answers.
    Whole(Box<[Direction; 2]>),
    Half(Box<Half>),
}

struct Half {
    sent: HalfWay<Sent>,
    received: HalfWay<Op>,
    writes: Writes,
    counts: Counts,
    longest_ns: i64,
    /// Which side what it wrote is on.
    sent_side: usize,
    outside: u32,
}

impl Talk {
    /// Of a connection of which both ends are known; the first asks.
    pub fn whole([asker, answerer]: [&End; 2], rules: &Rules, look: Look, outside: u32) -> Talk {
        let follows = Follows::of(rules, [asker, answerer]);
        let rule = follows.as_ref().filter(|one| one.is_followed()).map(|one| &one.rule);
        let ways = [[asker, answerer], [answerer, asker]].map(|[from, to]| {
            let marks = match rule {
                Some(_) => Marks::of_both(&from.sent, &to.received),
                None => Marks::default(),
            };
            Direction::new(Way::between(from, to, outside), marks)
        });
        let counts = [[asker, answerer], [answerer, asker]]
            .map(|[from, to]| FoundCounts::of(&from.sent).max(FoundCounts::of(&to.received)));
        let pairing = match rule.filter(|rule| !look.by_turns && may_pair(rule, counts)) {
            Some(rule) => Pairing::ordered(rule, true),
            None => Pairing::Turns(Box::new(Turns::new())),
        };
        let left = entries(asker) + entries(answerer);
        Talk::new(Ways::Whole(Box::new(ways)), pairing, follows.map(Framed::new), left)
    }

    /// Of a pipe of which both ends are known; the first is written. Nothing goes back.
    pub fn pipe([from, to]: [&End; 2], look: Look, outside: u32) -> Talk {
        let there = Way::between(from, to, outside);
        let back = Way::between(to, from, outside);
        let pipe = Pipe::between(from, to, look.is_patient);
        let ways = [Direction::of_pipe(there, pipe), Direction::new(back, Marks::default())];
        let left = entries(from) + entries(to);
        let talk = Talk::new(Ways::Whole(Box::new(ways)), Pairing::None, None, left);
        Talk { is_pipe: true, ..talk }
    }

    /// Of an end that is connected to itself. Nobody asks, and nothing goes back.
    pub fn own(end: &End, outside: u32) -> Talk {
        let there = Way::between(end, end, outside);
        let back = Way { written: Span::default(), read: Span::default(), ..there };
        let ways = [there, back].map(|way| Direction::new(way, Marks::default()));
        let talk = Talk::new(Ways::Whole(Box::new(ways)), Pairing::None, None, entries(end));
        Talk { is_own_peer: true, ..talk }
    }

    /// Of an end whose other end is not known.
    pub fn half(end: &End, rules: &Rules, look: Look, outside: u32) -> Talk {
        let follows = Follows::of(rules, [end, end]).filter(|_| !look.is_doubtful);
        let rule = follows.as_ref().filter(|one| one.is_followed()).map(|one| &one.rule);
        let sent_side = usize::from(end.birth == Some(Birth::Accepted));
        let half = Half {
            sent: HalfWay::new(&end.sent, rule.is_some()),
            received: HalfWay::new(&end.received, rule.is_some()),
            writes: Writes::new(),
            counts: Counts::default(),
            longest_ns: end.sent.longest_ns,
            sent_side,
            outside,
        };
        let counts = [&end.sent, &end.received].map(FoundCounts::of);
        let ordered = rule.filter(|rule| !look.by_turns && may_pair(rule, counts));
        let pairing = match (end.birth, ordered) {
            (Some(Birth::Connected | Birth::Accepted), _) if look.is_doubtful => Pairing::None,
            (Some(Birth::Connected | Birth::Accepted), Some(rule)) => Pairing::ordered(rule, false),
            (Some(Birth::Connected), None) => Pairing::View(Box::new(View::new(By::Asker))),
            (Some(Birth::Accepted), None) => Pairing::View(Box::new(View::new(By::Answerer))),
            _ => Pairing::None,
        };
        let follows = follows.map(Framed::new);
        let talk = Talk::new(Ways::Half(Box::new(half)), pairing, follows, entries(end));
        Talk { is_pipe: end.transport.is_pipe(), ..talk }
    }

    fn new(ways: Ways, pairing: Pairing, framed: Option<Framed>, left: u64) -> Talk {
        Talk {
            ways,
            pairing,
            framed,
            left,
            messages: [0; 2],
            exchanges: 0,
            within: 0,
            is_alone: true,
            is_pipe: false,
            is_own_peer: false,
            now: i64::MIN,
        }
    }

    /// Something happened at its asker's end, or at its answerer's; at `now`, ns. Whether it was
    /// the last.
    pub fn take(
        &mut self,
        (is_asker, what): (bool, &What),
        now: i64,
        sink: &mut impl Sink,
    ) -> Result<bool, Trouble> {
        self.now = self.now.max(now);
        self.left = self.left.saturating_sub(1);
        match &mut self.ways {
            Ways::Whole(ways) if self.is_own_peer => whole(ways, what.is_sent(), what),
            Ways::Whole(ways) => whole(ways, is_asker, what),
            Ways::Half(half) => half.take(what),
        }
        if self.left == 0 {
            return Ok(true);
        }
        self.flow(sink)?;
        Ok(false)
    }

    /// Nothing more will come.
    pub fn finish(mut self, ends: [&End; 2], sink: &mut impl Sink) -> Result<Outcome, Trouble> {
        match &mut self.ways {
            Ways::Whole(ways) => ways.iter_mut().for_each(Direction::finish),
            Ways::Half(half) => {
                half.sent.finish();
                half.received.finish();
            }
        }
        self.messages(sink)?;
        self.pairing.finish();
        self.pair(sink);
        let ordered = match &self.pairing {
            Pairing::Order(order) => Some(order.finish().map_err(|_| Trouble::NotInOrder)?),
            _ => None,
        };
        Ok(self.outcome(ends, ordered))
    }

    fn outcome(self, [one, other]: [&End; 2], ordered: Option<u64>) -> Outcome {
        let (crowded, held_back) = match &self.ways {
            Ways::Whole(ways) => {
                (ways[0].crowded(), ways.each_ref().map(|way| way.counts.held_back))
            }
            Ways::Half(_) => (0, [HeldBack::default(); 2]),
        };
        let (counts, overlapping, stops) = match &self.ways {
            Ways::Whole(ways) => {
                let [asked, answered] = &**ways;
                let stops = [
                    asked.stop([&one.sent, &other.received]),
                    answered.stop([&other.sent, &one.received]),
                ];
                let overlapping = asked.overlapping() + answered.overlapping();
                (asked.counts.and(answered.counts), overlapping, stops)
            }
            Ways::Half(half) => {
                let stops = [half.sent.stop(&one.sent), half.received.stop(&one.received)];
                (half.counts, half.writes.overlapping, stops)
            }
        };
        let messages: u64 = self.messages.iter().sum();
        // What a process writes to wake itself asks for nothing.
        let asks_nothing = self.is_pipe || self.is_alone && self.messages.contains(&0);
        Outcome {
            counts,
            // Of a pipe these are halves.
            overlapping: if self.is_pipe { 0 } else { overlapping },
            held_back,
            crowded,
            exchanges: self.exchanges,
            outside_exchanges: if asks_nothing { 0 } else { messages - self.within },
            framed: self.framed.map(|framed| framed.ended(ordered, stops)),
        }
    }

    fn flow(&mut self, sink: &mut impl Sink) -> Result<(), Trouble> {
        self.messages(sink)?;
        let bounds = match &self.ways {
            Ways::Whole(ways) => ways.each_ref().map(|way| way.bounds(self.now)),
            Ways::Half(half) => half.bounds(self.now),
        };
        self.pairing.know(bounds);
        self.pair(sink);
        Ok(())
    }

    fn messages(&mut self, sink: &mut impl Sink) -> Result<(), Trouble> {
        for side in 0..2 {
            while let Some(mut row) = self.ways.next(side)? {
                sink.message(&mut row);
                self.messages[side] += 1;
                self.is_alone &= row.src == row.dst;
                if let Some(framed) = &mut self.framed {
                    framed.count(row.class);
                }
                if !self.ways.is_others(side, &row) {
                    self.pairing.push(side, &row);
                }
            }
        }
        Ok(())
    }

    fn pair(&mut self, sink: &mut impl Sink) {
        while let Some(pair) = self.pairing.next() {
            self.exchanges += 1;
            self.within += legs::messages(&pair);
            let (answerer, exchange) = legs::exchange(&pair);
            sink.exchange(answerer, &exchange);
        }
    }
}

fn whole(ways: &mut [Direction; 2], is_asker: bool, what: &What) {
    // What the asker writes is asked; what it reads is answered.
    let side = |is_sent: bool| usize::from(is_sent != is_asker);
    match what {
        What::Sent(op) => ways[side(true)].send(op),
        What::Received(op) => ways[side(false)].receive(op),
        What::Marks(found) => ways[side(found.is_sent)].mark(!found.is_sent, found.iter()),
        What::Unread(look) => ways[0].look(*look),
    }
}

impl Ways {
    fn next(&mut self, side: usize) -> Result<Option<MessageRow>, Trouble> {
        match self {
            Ways::Whole(ways) => ways[side].next().map_err(|doubt| match doubt {
                Doubt::Order => Trouble::Doubtful,
                Doubt::Pipe(Obstacle::Hidden) => Trouble::Hidden,
                Doubt::Pipe(Obstacle::Crowd) => Trouble::Crowded,
            }),
            Ways::Half(half) => Ok(half.next(side)),
        }
    }

    /// Whether one of its two ends is one that was not traced then, on a connection that has two.
    fn is_others(&self, side: usize, row: &MessageRow) -> bool {
        match self {
            Ways::Whole(ways) => ways[side].is_others(row),
            Ways::Half(_) => false,
        }
    }
}

impl Half {
    fn take(&mut self, what: &What) {
        match what {
            What::Sent(op) => {
                if let Some(sent) = self.writes.take(op) {
                    self.sent.push(sent, sent.bytes);
                }
            }
            What::Received(op) => self.received.push(*op, op.bytes.into()),
            What::Marks(found) if found.is_sent => self.sent.mark(found.iter()),
            What::Marks(found) => self.received.mark(found.iter()),
            What::Unread(_) => {}
        }
    }

    fn next(&mut self, side: usize) -> Option<MessageRow> {
        let is_sent = side == self.sent_side;
        let row = match is_sent {
            true => self.sent.next(self.outside),
            false => self.received.next(self.outside),
        };
        self.counts.lone_sends += u64::from(is_sent && row.is_some());
        self.counts.lone_receives += u64::from(!is_sent && row.is_some());
        row
    }

    fn bounds(&self, now: i64) -> [(i64, i64); 2] {
        let to_come = now.saturating_sub(self.longest_ns);
        let since = self.writes.since.map_or(to_come, |since| since.min(to_come));
        let ready = self.sent.front().map_or(since, |sent| sent.ready);
        let bounds = [(ready, i64::MAX), (i64::MAX, now)];
        if self.sent_side == 0 { bounds } else { [bounds[1], bounds[0]] }
    }
}

impl Pairing {
    fn ordered(rule: &PortRule, is_whole: bool) -> Pairing {
        let terms = Terms { is_one_for_one: rule.is_one_for_one(), is_whole };
        Pairing::Order(Box::new(Order::new(terms)))
    }

    fn push(&mut self, side: usize, row: &MessageRow) {
        match self {
            Pairing::None => {}
            Pairing::Turns(turns) => turns.push(side, row),
            Pairing::View(view) => view.push(side, row),
            Pairing::Order(order) => order.push(side, row),
        }
    }

    fn know(&mut self, bounds: [(i64, i64); 2]) {
        match self {
            Pairing::Turns(turns) => turns.know(bounds),
            Pairing::View(view) => view.know(bounds),
            Pairing::None | Pairing::Order(_) => {}
        }
    }

    fn finish(&mut self) {
        match self {
            Pairing::Turns(turns) => turns.finish(),
            Pairing::View(view) => view.finish(),
            Pairing::None | Pairing::Order(_) => {}
        }
    }

    fn next(&mut self) -> Option<[legs::LegDraft; 2]> {
        match self {
            Pairing::None => None,
            Pairing::Turns(turns) => turns.next().map(|turn| turn.legs),
            Pairing::View(view) => view.next().map(|turn| turn.legs),
            Pairing::Order(order) => order.next(),
        }
    }
}

/// Entries of the logs about an end.
fn entries(end: &End) -> u64 {
    let of = |moved: &Moved| moved.calls + moved.marks.slots;
    of(&end.sent) + of(&end.received) + end.pipe.looks
}

/// Messages that a rule has found in a direction: those that order pairs, and all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct FoundCounts {
    paired: u64,
    all: u64,
}

impl FoundCounts {
    fn of(moved: &Moved) -> FoundCounts {
        FoundCounts { paired: moved.marks.paired, all: moved.marks.count }
    }

    /// The rule says that none of them is paired: a subscription, and what comes of it.
    fn are_aside(self) -> bool {
        self.paired == 0 && self.all > 0
    }
}

/// Whether order tells, by how many requests and answers a rule has found: also that there are
/// none.
fn may_pair(rule: &PortRule, counts: [FoundCounts; 2]) -> bool {
    let [asked, answered] = counts.map(|count| count.paired);
    match rule.is_one_for_one() {
        true => asked > 0 && answered > 0 || counts.into_iter().any(FoundCounts::are_aside),
        false => asked > 0 && asked == answered,
    }
}

#[cfg(test)]
mod tests;
