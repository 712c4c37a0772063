//! What the ranks of a job knew of each other, and when, by the bytes that travelled between them.
//!
//! A rank knows of another's k-th collective once bytes have come to it that were written after
//! that rank had entered it, or after their writer knew (the vector clocks of Fidge and Mattern,
//! 1988).

use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// A library may end with control messages on their way.
const UNREAD_MAX: u64 = 256;

/// By rank: how many of its collectives another knows to have been entered.
pub type Known = Vec<usize>;

/// Something that happened, in the order in which events of one moment are taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Enters,
    Sends(Connection, u64),
    Gets(Connection, u64),
    Leaves,
}

/// From whom to whom, by address and port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Connection(String, String);

/// The transfers of a job.
pub struct Wire {
    /// When, whose, and what.
    events: Vec<(i64, usize, Deed)>,
    ranks: usize,
}

/// Bytes on a connection that have not all come.
#[derive(Default)]
struct Stream {
    sent: u64,
    got: u64,
    /// Where each write ends, and what its writer knew.
    writes: VecDeque<(u64, Known)>,
}

impl Wire {
    /// What `wire.c` has left in `folder`; `zero` is that of the run's timeline.
    pub fn read(folder: &Path, ranks: usize, zero: i64) -> Wire {
        let mut events = Vec::new();
        for rank in 0..ranks {
            let text = std::fs::read_to_string(folder.join(rank.to_string())).unwrap();
            assert!(!text.contains("full"), "more transfers than the witness holds");
            events.extend(text.lines().map(|line| (of_line(line, zero), rank)).map(flat));
        }
        Wire { events, ranks }
    }

    /// What each rank knew when it left each of its collectives; `spans` has, by rank, when it
    /// entered and left them.
    pub fn known(&self, spans: &[Vec<(i64, i64)>]) -> Vec<Vec<Known>> {
        let mut events = self.events.clone();
        for (rank, spans) in spans.iter().enumerate() {
            events.extend(spans.iter().map(|(enter, _)| (*enter, rank, Deed::Enters)));
            events.extend(spans.iter().map(|(_, exit)| (*exit, rank, Deed::Leaves)));
        }
        // Stable: a rank's own transfers of one moment stay in their order.
        events.sort_by_key(|(ns, ..)| *ns);
        let mut known = vec![vec![0; self.ranks]; self.ranks];
        let mut left = vec![Vec::new(); self.ranks];
        let mut streams: HashMap<Connection, Stream> = HashMap::new();
        for (_, rank, deed) in events {
            match deed {
                Deed::Enters => known[rank][rank] += 1,
                Deed::Sends(way, bytes) => {
                    streams.entry(way).or_default().send(bytes, &known[rank]);
                }
                Deed::Gets(way, bytes) => {
                    streams.entry(way).or_default().get(bytes, &mut known[rank]);
                }
                Deed::Leaves => left[rank].push(known[rank].clone()),
            }
        }
        for (way, stream) in streams.iter().filter(|(_, stream)| stream.is_between_ranks()) {
            // What nobody reads any more at the end.
            let unread = stream.sent.checked_sub(stream.got).expect("what is read was written");
            assert!(unread <= UNREAD_MAX, "all bytes of {way:?} are seen at both ends");
        }
        left
    }
}

fn flat(((ns, deed), rank): ((i64, Deed), usize)) -> (i64, usize, Deed) {
    (ns, rank, deed)
}

fn of_line(line: &str, zero: i64) -> (i64, Deed) {
    let words: Vec<&str> = line.split(' ').collect();
    let [what, ns, local, peer, bytes] = words[..] else { panic!("{line}") };
    let ns = ns.parse::<i64>().unwrap() - zero;
    let (local, peer, bytes) = (local.to_owned(), peer.to_owned(), bytes.parse().unwrap());
    match what {
        "sent" => (ns, Deed::Sends(Connection(local, peer), bytes)),
        _ => (ns, Deed::Gets(Connection(peer, local), bytes)),
    }
}

impl Stream {
    fn send(&mut self, bytes: u64, known: &Known) {
        self.sent += bytes;
        self.writes.push_back((self.sent, known.clone()));
    }

    /// A write tells what its writer knew when all of it has come.
    fn get(&mut self, bytes: u64, known: &mut Known) {
        self.got += bytes;
        while self.writes.front().is_some_and(|(end, _)| *end <= self.got) {
            let (_, told) = self.writes.pop_front().expect("there is a first one");
            known.iter_mut().zip(told).for_each(|(known, told)| *known = told.max(*known));
        }
    }

    /// The other end of one with the launcher is not seen.
    fn is_between_ranks(&self) -> bool {
        self.sent > 0 && self.got > 0
    }
}
