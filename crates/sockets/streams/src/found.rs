//! What the matching of all connections finds: messages, and which of them are exchanges.

use crate::SocketsFacts;
use crate::ends::{End, Ends};
use crate::entry::Birth;
use crate::exchanges::{Exchange, Leg};
use crate::framed::{self, Direction, Framing};
use crate::framing::{PortRule, Rules};
use crate::matching::{self, Counts, Way};
use crate::order::{self, Terms};
use crate::pairing;
use crate::row::MessageRow;
use crate::turns::{self, Turn};
use crate::writes::writing;
use record::NULL;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Receives without a send are numbered from here, beyond every send of their source.
const LONE_RECEIVES_FROM: u64 = 1 << 40;

/// What was found, so far.
#[derive(Default)]
pub(crate) struct Found {
    /// Messages: those of a direction of a connection lie together, in the order of their bytes.
    pub rows: Vec<MessageRow>,
    /// The node that stands for all programs that were not traced.
    pub outside: u32,
    /// Its counts.
    pub facts: SocketsFacts,
    /// Messages that nobody has read, as far as is known.
    pub lone_sends: u64,
    /// Reads of what nobody has written, as far as is known.
    pub lone_receives: u64,
    /// Requests and answers: places among the rows.
    turns: Vec<Turn>,
    framing: Framing,
}

/// Finds the turns of a connection.
type Find = fn(&[MessageRow], &[MessageRow]) -> Vec<Turn>;

impl Found {
    /// Match all of these.
    pub fn of(ends: &Ends, outside: u32, rules: &Rules) -> Found {
        let framing = Framing::new(rules);
        let mut found = Found { outside, framing, ..Found::default() };
        let partners = pairing::partners(&ends.list);
        for (at, partner) in partners.iter().enumerate() {
            match partner {
                Some(other) if *other > at => {
                    found.connection([&ends.list[at], &ends.list[*other]], rules)
                }
                Some(_) => {}
                None => found.half(&ends.list[at], rules, false),
            }
        }
        found.facts.framing = std::mem::take(&mut found.framing).facts();
        found
    }

    fn connection(&mut self, pair: [&End; 2], rules: &Rules) {
        let pair = asker_first(pair);
        // Who made one end of a pair made both.
        let is_pair = pair.iter().any(|end| end.birth == Some(Birth::Pair));
        if !is_pair && pair.iter().any(|end| end.birth.is_none()) {
            return pair.into_iter().for_each(|end| self.half(end, rules, false));
        }
        let rule = framed::rule(rules, pair[0]);
        let ways = [[pair[0], pair[1]], [pair[1], pair[0]]];
        let directions = ways.map(|[from, to]| match rule {
            Some(_) => Direction::of_both(&from.sent, &to.received),
            None => Direction::default(),
        });
        let mut begun = vec![self.rows.len()];
        let mut both = Vec::new();
        for ([from, to], direction) in ways.into_iter().zip(directions) {
            let (is_unix, silent_from) = (from.is_unix, from.silence.from);
            let way = Way { is_unix, from: from.node, to: to.node, silent_from };
            let written = (&from.sends[..], direction.marks);
            both.extend(matching::between(written, &to.receives, way, &mut self.rows));
            begun.push(self.rows.len());
        }
        if both.len() < 2 {
            self.rows.truncate(begun[0]);
            self.facts.doubtful_connections += 1;
            return pair.into_iter().for_each(|end| self.half(end, rules, true));
        }
        self.facts.whole_connections += 1;
        both.iter().for_each(|counts| self.count(counts));
        let rows = (begun[0]..begun[1], begun[1]..begun[2]);
        self.take_exchanges(rows, rule.map(|rule| (rule, directions)), turns::of_both, true);
    }

    fn half(&mut self, end: &End, rules: &Rules, is_doubtful: bool) {
        let is_used = !end.sends.is_empty() || !end.receives.is_empty();
        if is_used && !is_doubtful {
            self.facts.half_connections += 1;
            self.facts.older_connections += u64::from(end.birth.is_none());
        }
        let begun = self.rows.len();
        let rule = framed::rule(rules, end).filter(|_| !is_doubtful);
        let of = |marks| rule.map(|_| Direction::of(marks)).unwrap_or_default();
        let (written, read) = (of(&end.sent), of(&end.received));
        let sends = (&end.sends[..], written.marks);
        let receives = (&end.receives[..], read.marks);
        let counts = matching::halves(sends, receives, self.outside, &mut self.rows);
        self.count(&counts);
        let middle = begun + counts.lone_sends as usize;
        let (sent, received) = (begun..middle, middle..self.rows.len());
        match end.birth {
            Some(Birth::Connected) if !is_doubtful => {
                let framed = rule.map(|rule| (rule, [written, read]));
                self.take_exchanges((sent, received), framed, turns::as_asked, false);
            }
            Some(Birth::Accepted) if !is_doubtful => {
                let framed = rule.map(|rule| (rule, [read, written]));
                self.take_exchanges((received, sent), framed, turns::as_answered, false);
            }
            // Who asks is not known, or what is known is wrong.
            _ => self.facts.outside_exchanges += (self.rows.len() - begun) as u64,
        }
    }

    fn count(&mut self, counts: &Counts) {
        let facts = &mut self.facts;
        facts.matched += counts.matched;
        facts.bytes_sent += counts.bytes_sent;
        facts.bytes_matched += counts.bytes_matched;
        facts.overlapping += counts.overlapping;
        self.lone_sends += counts.lone_sends;
        self.lone_receives += counts.lone_receives;
    }

    /// Find exchanges among these requests and answers: by their order where a rule tells it, else
    /// by turns.
    fn take_exchanges(
        &mut self,
        (requests, answers): (Range<usize>, Range<usize>),
        framed: Option<(&PortRule, [Direction<'_>; 2])>,
        turns: Find,
        is_whole: bool,
    ) {
        let rows = [&self.rows[requests.clone()], &self.rows[answers.clone()]];
        let ordered = framed.and_then(|(rule, directions)| {
            let terms = Terms { is_one_for_one: rule.is_one_for_one(), is_whole };
            let ordered = order::pairs(rows[0], rows[1], terms);
            let counted = ordered.as_ref().map(|turns| turns.len() as u64);
            let [asked, answered] = directions;
            self.framing.count(rule, [(asked, rows[0]), (answered, rows[1])], counted);
            ordered
        });
        let found = ordered.unwrap_or_else(|| turns(rows[0], rows[1]));
        let messages = (requests.len() + answers.len()) as u64;
        // What a process writes to wake itself asks for nothing.
        let is_alone = rows[0].iter().chain(rows[1]).all(|row| row.src == row.dst);
        if is_alone && (requests.is_empty() || answers.is_empty()) {
            return;
        }
        let within: u64 = found.iter().map(|turn| turn.messages()).sum();
        self.facts.exchanges += found.len() as u64;
        self.facts.outside_exchanges += messages - within;
        let place = |of: Range<u32>, begun: usize| of.start + begun as u32..of.end + begun as u32;
        self.turns.extend(found.into_iter().map(|turn| Turn {
            requests: place(turn.requests, requests.start),
            answers: place(turn.answers, answers.start),
        }));
    }

    /// Number the rows: those of each source in the order of time. Returns this order.
    pub fn number(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.rows.len() as u32).collect();
        order.sort_by_key(|at| self.rows[*at as usize].time());
        let mut next: FxHashMap<u32, u64> = FxHashMap::default();
        let mut lone = LONE_RECEIVES_FROM;
        for at in &order {
            let row = &mut self.rows[*at as usize];
            let number = match row.src == self.outside {
                true => &mut lone,
                false => next.entry(row.src).or_default(),
            };
            row.seq = *number;
            *number += 1;
        }
        order
    }

    /// The exchanges, in the order of time, with the node that answered. For numbered rows.
    pub fn exchanges(&mut self) -> impl Iterator<Item = (u32, Exchange)> {
        let rows = &self.rows;
        let of = |range: &Range<u32>| &rows[range.start as usize..range.end as usize];
        self.turns.sort_by_key(|turn| of(&turn.requests)[0].time());
        self.turns.iter().map(move |turn| {
            let (requests, answers) = (of(&turn.requests), of(&turn.answers));
            (answers[0].src, Exchange { request: leg(requests), answer: leg(answers) })
        })
    }
}

/// The end that connected, or that was first to write, asks.
fn asker_first([one, other]: [&End; 2]) -> [&End; 2] {
    let first = |end: &End| end.sends.first().map_or(i64::MAX, |op| op.enter);
    let is_other = match (one.birth, other.birth) {
        (Some(Birth::Connected), _) | (_, Some(Birth::Accepted)) => false,
        (_, Some(Birth::Connected)) | (Some(Birth::Accepted), _) => true,
        _ => first(other) < first(one),
    };
    if is_other { [other, one] } else { [one, other] }
}

fn leg(rows: &[MessageRow]) -> Leg {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let written = rows.iter().filter(|row| row.ready != NULL && row.sent != NULL);
    let parts = written.map(|row| (row.ready, row.sent, row.writing));
    let writing_ns = match first.ready != NULL && last.sent != NULL {
        true => writing(parts).min((last.sent - first.ready).max(0)),
        false => NULL,
    };
    Leg {
        src: last.src.into(),
        seq: last.seq as i64,
        messages: rows.len() as i64,
        bytes: rows.iter().map(|row| row.bytes as i64).sum(),
        ready_ns: first.ready,
        writing_ns,
        sent_ns: last.sent,
        arrived_ns: last.arrival.at,
        arrived_error_ns: last.arrival.error,
        taken_ns: last.taken,
    }
}
