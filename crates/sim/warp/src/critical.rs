//! The critical path: the chain of committed events that had to follow one another, and how long it
//! took.
//!
//! An event can begin when its object's previous event has ended and when every event that sent it
//! a message has. So it ends, at the earliest, its own time after the latest of these; the largest
//! such end is the length of the critical path. No run of the same events can take less, on however
//! many nodes and however messages travel, unless it guesses right: lazy cancellation lets a
//! message leave before what it depends on is known.
//!
//! It is worked out after the run, from its committed events in canonical order, each told with how
//! long it took and what sent its messages. So the engine carries nothing for it, and it exists for
//! every driver and either cancellation. What lies off the path is forgotten as the pass goes on.
//!
//! Source: CRITPATH of the Time Warp Operating System, which counts in the same way but while
//! running.

use crate::WarpError;
use crate::sorted::{Entry, array, merge, number};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use timewarp::{Cause, ObjectId, VirtualTime};

/// A committed event as the critical path needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// When.
    pub time: VirtualTime,
    /// Whose.
    pub object: ObjectId,
    /// How long it took, ns.
    pub spent_ns: u64,
    /// Messages that it sent and that were not dropped.
    pub sends: u32,
    /// What its messages came from, in canonical order.
    pub causes: Vec<Cause>,
}

/// An event on the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Whose.
    pub object: ObjectId,
    /// When.
    pub time: VirtualTime,
    /// How long it took, ns.
    pub spent_ns: u64,
    /// When it ended at the earliest, ns since the first event of all could begin.
    pub ends_ns: u64,
    /// Selector of the message that it had to wait for; `None`: it waited for its own object, or
    /// for nothing.
    pub selector: Option<i32>,
}

/// The critical path of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriticalPath {
    /// Its events, first to last.
    pub steps: Vec<Step>,
    /// Its length, ns.
    pub length_ns: u64,
    /// The time of all committed events, ns.
    pub work_ns: u64,
    /// How many there were.
    pub events: u64,
}

impl CriticalPath {
    /// Of the links that nodes have left in these files.
    ///
    /// # Errors
    /// When a file cannot be read, or the events in them do not fit together.
    pub fn of_files(paths: &[PathBuf]) -> Result<CriticalPath, WarpError> {
        let mut pass = Pass::default();
        merge(paths, |link: Link| {
            pass.add(&link).map_err(|reason| WarpError::Model {
                reason: format!("no critical path: {reason}"),
            })
        })?;
        Ok(pass.finish())
    }

    /// How many times as fast as one node any number of nodes can be: all work over the path. 1 if
    /// there is none.
    pub fn parallelism(&self) -> f64 {
        if self.length_ns == 0 { 1.0 } else { self.work_ns as f64 / self.length_ns as f64 }
    }

    /// Objects by their time on the path, most first: object, events, ns.
    pub fn by_object(&self) -> Vec<(ObjectId, u64, u64)> {
        let mut sums: HashMap<ObjectId, (u64, u64)> = HashMap::new();
        for step in &self.steps {
            let sum = sums.entry(step.object).or_default();
            *sum = (sum.0 + 1, sum.1 + step.spent_ns);
        }
        let mut rows: Vec<_> =
            sums.into_iter().map(|(object, (events, ns))| (object, events, ns)).collect();
        rows.sort_by_key(|(object, _, ns)| (std::cmp::Reverse(*ns), *object));
        rows
    }
}

/// No event.
const NONE: u32 = u32::MAX;

/// An event that the path may still go through.
struct Header {
    step: Step,
    before: u32,
    /// Later events that lead back here, its object's latest event, and messages not yet consumed.
    references: u32,
    messages: u32,
}

/// Goes through events in canonical order.
#[derive(Default)]
struct Pass {
    headers: Vec<Header>,
    free: Vec<u32>,
    /// The latest event of each object.
    latest: HashMap<ObjectId, u32>,
    /// Events with messages that are not consumed.
    senders: HashMap<(ObjectId, VirtualTime), u32>,
    longest: Option<u32>,
    path: CriticalPath,
}

impl Pass {
    fn add(&mut self, link: &Link) -> Result<(), String> {
        let previous = self.latest.get(&link.object).copied().unwrap_or(NONE);
        let (mut before, mut selector) = (previous, None);
        let mut consumed = Vec::with_capacity(link.causes.len());
        for cause in &link.causes {
            let Some(sender) = self.sender(cause)? else { continue };
            consumed.push((cause, sender));
            if self.ends(sender) > self.ends(before) {
                (before, selector) = (sender, Some(cause.selector));
            }
        }
        let ends_ns = self.ends(before).saturating_add(link.spent_ns);
        let Link { time, object, spent_ns, .. } = *link;
        let step = Step { object, time, spent_ns, ends_ns, selector };
        let at = self.put(Header { step, before, references: 1, messages: link.sends });
        if before != NONE {
            self.headers[before as usize].references += 1;
        }
        for (cause, sender) in consumed {
            self.consume(cause, sender)?;
        }
        self.latest.insert(object, at);
        self.release(previous);
        if link.sends > 0 {
            self.headers[at as usize].references += 1;
            self.senders.insert((object, time), at);
        }
        self.path.work_ns = self.path.work_ns.saturating_add(spent_ns);
        self.path.events += 1;
        self.keep_longest(at);
        Ok(())
    }

    /// The event that sent a message; `None` if it came from before all events.
    fn sender(&self, cause: &Cause) -> Result<Option<u32>, String> {
        if cause.send == VirtualTime::NEGINF {
            return Ok(None);
        }
        match self.senders.get(&(cause.sender, cause.send)) {
            Some(at) => Ok(Some(*at)),
            None => Err(format!(
                "a message of object {} sent at {} comes from no committed event",
                cause.sender.0, cause.send
            )),
        }
    }

    fn ends(&self, at: u32) -> u64 {
        if at == NONE { 0 } else { self.headers[at as usize].step.ends_ns }
    }

    fn put(&mut self, header: Header) -> u32 {
        match self.free.pop() {
            Some(at) => {
                self.headers[at as usize] = header;
                at
            }
            None => {
                self.headers.push(header);
                (self.headers.len() - 1) as u32
            }
        }
    }

    fn consume(&mut self, cause: &Cause, sender: u32) -> Result<(), String> {
        let key = (cause.sender, cause.send);
        if self.senders.get(&key) != Some(&sender) {
            return Err(format!(
                "more messages of object {} sent at {} were taken than it has sent",
                cause.sender.0, cause.send
            ));
        }
        let header = &mut self.headers[sender as usize];
        header.messages -= 1;
        if header.messages == 0 {
            self.senders.remove(&key);
            self.release(sender);
        }
        Ok(())
    }

    fn keep_longest(&mut self, at: u32) {
        let longest = self.longest.unwrap_or(NONE);
        if longest != NONE && self.ends(at) <= self.ends(longest) {
            return;
        }
        self.headers[at as usize].references += 1;
        self.longest = Some(at);
        self.release(longest);
    }

    /// One reference less; what nothing leads back to any more is forgotten, and so on backwards.
    fn release(&mut self, from: u32) {
        let mut at = from;
        while at != NONE {
            let header = &mut self.headers[at as usize];
            header.references -= 1;
            if header.references > 0 {
                return;
            }
            self.free.push(at);
            at = header.before;
        }
    }

    fn finish(mut self) -> CriticalPath {
        let mut at = self.longest.unwrap_or(NONE);
        self.path.length_ns = self.ends(at);
        while at != NONE {
            self.path.steps.push(self.headers[at as usize].step);
            at = self.headers[at as usize].before;
        }
        self.path.steps.reverse();
        self.path
    }
}

impl Entry for Link {
    fn key(&self) -> (VirtualTime, ObjectId) {
        (self.time, self.object)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.spent_ns.to_le_bytes())?;
        out.write_all(&self.sends.to_le_bytes())?;
        out.write_all(&(self.causes.len() as u32).to_le_bytes())?;
        for Cause { sender, send, selector } in &self.causes {
            out.write_all(&sender.0.to_le_bytes())?;
            send.words().iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))?;
            out.write_all(&selector.to_le_bytes())?;
        }
        Ok(())
    }

    fn read((time, object): (VirtualTime, ObjectId), from: &mut impl Read) -> io::Result<Link> {
        let spent_ns = u64::from_le_bytes(array(from)?);
        let (sends, count) = (number(from)?, number(from)?);
        let causes = (0..count).map(|_| cause(from)).collect::<io::Result<_>>()?;
        Ok(Link { time, object, spent_ns, sends, causes })
    }
}

fn cause(from: &mut impl Read) -> io::Result<Cause> {
    let sender = ObjectId(number(from)?);
    let words = [u64::from_le_bytes(array(from)?), u64::from_le_bytes(array(from)?)];
    Ok(Cause {
        sender,
        send: VirtualTime::from_words(words),
        selector: i32::from_le_bytes(array(from)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(object: u32, time: f64, spent_ns: u64, sends: u32, causes: &[(u32, f64)]) -> Link {
        let causes = causes
            .iter()
            .map(|(sender, send)| Cause {
                sender: ObjectId(*sender),
                send: VirtualTime::at(*send),
                selector: 7,
            })
            .collect();
        Link { time: VirtualTime::at(time), object: ObjectId(object), spent_ns, sends, causes }
    }

    fn pass(links: &[Link]) -> (Pass, Result<(), String>) {
        let mut pass = Pass::default();
        let done = links.iter().try_for_each(|link| pass.add(link));
        (pass, done)
    }

    /// Object 0 sends to 1 and 2; what takes longest leads through 1, which is then waited for by
    /// 2.
    #[test]
    fn the_longest_chain_is_found_through_messages_and_through_an_objects_own_events() {
        let begin = VirtualTime::NEGINF.simtime();
        let links = [
            link(0, 1.0, 10, 2, &[(0, begin)]),
            link(1, 2.0, 50, 1, &[(0, 1.0)]),
            link(2, 2.0, 20, 0, &[(0, 1.0)]),
            link(2, 3.0, 5, 0, &[(1, 2.0)]),
            link(2, 4.0, 7, 0, &[(2, begin)]),
        ];
        let (pass, done) = pass(&links);
        done.unwrap();
        let path = pass.finish();
        let steps: Vec<_> = path
            .steps
            .iter()
            .map(|s| (s.object.0, s.time.simtime(), s.ends_ns, s.selector))
            .collect();
        assert_eq!(
            steps,
            [(0, 1.0, 10, None), (1, 2.0, 60, Some(7)), (2, 3.0, 65, Some(7)), (2, 4.0, 72, None)]
        );
        assert_eq!((path.length_ns, path.work_ns, path.events), (72, 92, 5));
        assert_eq!(path.by_object()[0], (ObjectId(1), 1, 50));
        assert!((path.parallelism() - 92.0 / 72.0).abs() < 1e-12);
    }

    #[test]
    fn what_lies_off_the_path_is_forgotten() {
        let begin = VirtualTime::NEGINF.simtime();
        let mut links =
            vec![link(0, 1.0, 1, 1, &[(0, begin)]), link(1, 1.0, 1000, 1, &[(1, begin)])];
        for step in 1..1000 {
            let time = f64::from(step);
            links.push(link(0, time + 1.0, 1, 1, &[(0, time)]));
            links.push(link(1, time + 1.0, 1000, 1, &[(1, time)]));
        }
        let (pass, done) = pass(&links);
        done.unwrap();
        // Object 1's own chain is kept; of object 0's, one event after another leads back to the
        // first.
        assert_eq!(pass.headers.len() - pass.free.len(), 2000);
        let joined = link(0, 2000.0, 1, 0, &[(0, 1000.0), (1, 1000.0)]);
        let mut pass = pass;
        pass.add(&joined).unwrap();
        assert_eq!(
            pass.headers.len() - pass.free.len(),
            1001,
            "object 0's earlier events are forgotten"
        );
        assert_eq!(pass.finish().length_ns, 1_000_001);
    }

    #[test]
    fn a_message_from_nowhere_is_an_error() {
        let (_, done) = pass(&[link(1, 2.0, 1, 0, &[(0, 1.0)])]);
        assert!(done.unwrap_err().contains("no committed event"));
        assert_eq!(Pass::default().finish(), CriticalPath::default());
        assert_eq!(CriticalPath::default().parallelism(), 1.0);
    }

    #[test]
    fn a_message_that_is_taken_twice_is_an_error() {
        let mut pass = Pass::default();
        pass.add(&link(0, 1.0, u64::MAX, 1, &[])).unwrap();
        let said = pass.add(&link(1, 2.0, 5, 0, &[(0, 1.0), (0, 1.0)])).unwrap_err();
        assert!(said.contains("more messages of object 0 sent at 1 were taken"), "{said}");
    }
}
