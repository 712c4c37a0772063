//! What several threads of a rank post, in an order that is possible.
//!
//! A log has calls in the order in which they were left. Of one thread that is the order in which
//! it posted; a thread that is slow to wake up, or had no core, leaves a call after others that it
//! came before. Which of two calls that overlap was first nobody sees. No message is taken before
//! it was sent if sends count in the order in which their calls were entered, and receives in that
//! in which theirs were left, wherever any order gives that: so they are handed on. Calls that
//! overlap are counted.

use crate::at_once::AtOnce;
use crate::channel::Channel;
use crate::event::Event;
use crate::message::Sent;
use mpi_facts::ByThreads;
use record::NULL;
use std::collections::BTreeMap;

/// A call is expected to be left so long, at most, after one that was entered later and posted
/// something on the same channel, ns: some slices of a busy core.
const LATE_MOST_NS: i64 = 50_000_000;
/// Calls that are held, at most.
const HELD_MOST: usize = 1 << 12;

/// Calls that are held until those are known that were entered before.
#[derive(Default)]
pub(crate) struct Posted {
    /// By when they were entered, and in the order in which they came.
    held: BTreeMap<(i64, u64), Held>,
    came: u64,
    /// When the last of the calls so far was left, ns.
    left: i64,
    sends: AtOnce,
    receives: AtOnce,
    counts: ByThreads,
}

struct Held {
    channel: Channel,
    thread: u8,
    exit: i64,
    /// None for a receive, which was handed on before.
    send: Option<Sent>,
}

impl Posted {
    /// The next call posted something on a channel: this send, or a receive.
    pub fn post(&mut self, channel: Channel, event: &Event, send: Option<Sent>) {
        let held = Held { channel, thread: event.call.thread, exit: event.exit, send };
        self.held.insert((event.enter, self.came), held);
        self.came += 1;
        if event.exit != NULL {
            self.left = self.left.max(event.exit);
        }
    }

    /// Hand on sends that nothing earlier is expected to come before; all, where nothing will come.
    pub fn release(&mut self, is_end: bool, mut take: impl FnMut(Sent)) {
        let until = self.left.saturating_sub(LATE_MOST_NS);
        while let Some((&(enter, _), _)) = self.held.first_key_value() {
            let is_due = is_end || enter <= until;
            if !is_due && self.held.len() <= HELD_MOST {
                return;
            }
            let Some((_, Held { channel, thread, exit, send })) = self.held.pop_first() else {
                return;
            };
            let (kind, count) = match send {
                Some(_) => (&mut self.sends, &mut self.counts.sends),
                None => (&mut self.receives, &mut self.counts.receives),
            };
            *count += u64::from(kind.post(channel, thread, (enter, exit)));
            send.into_iter().for_each(&mut take);
        }
    }

    /// When the first call was entered of those that are held.
    pub fn first(&self) -> Option<i64> {
        self.held.first_key_value().map(|((enter, _), _)| *enter)
    }

    /// Calls that overlapped, of those that were released.
    pub fn counts(&self) -> ByThreads {
        self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Label;
    use crate::entry::Call;
    use crate::message::{Done, Mode};

    const MS: i64 = 1_000_000;

    fn post(posted: &mut Posted, (thread, seq): (u8, u64), (enter, exit): (i64, i64)) {
        let label = Label { communicator: 0, tag: 5, partitioned: false };
        let call = Call { thread, ..Call::default() };
        let event = Event { call, enter, exit, ..Event::none() };
        let sent = Sent {
            src: 0,
            dst: 1,
            label,
            seq,
            ready: enter,
            released: exit,
            bytes: 8,
            row: 0,
            site: 0,
            blocking: true,
            mode: Mode::Standard,
            done: Done { row: 0, enter },
        };
        posted.post(Channel::new(0, 1, label), &event, Some(sent));
    }

    fn released(posted: &mut Posted, is_end: bool) -> Vec<u64> {
        let mut all = Vec::new();
        posted.release(is_end, |sent| all.push(sent.seq));
        all
    }

    #[test]
    fn a_send_that_was_entered_first_comes_first_however_late_its_call_was_left() {
        let mut posted = Posted::default();
        for (who, enter, exit) in [((0, 1), 10, 11), ((0, 2), 12, 13), ((1, 0), 9, 30)] {
            post(&mut posted, who, (enter * MS, exit * MS));
            assert!(released(&mut posted, false).is_empty());
        }
        post(&mut posted, (0, 3), (50 * MS, 61 * MS));
        assert_eq!(released(&mut posted, false), [0, 1]);
        assert_eq!(posted.first(), Some(12 * MS));
        assert_eq!(released(&mut posted, true), [2, 3]);
        assert_eq!(posted.first(), None);
        let counts = ByThreads { sends: 2, receives: 0 };
        assert_eq!(posted.counts(), counts, "those that the slow one went on beside");
    }

    #[test]
    fn what_a_call_posts_stays_in_its_order_and_no_more_is_held_than_there_is_room_for() {
        let mut posted = Posted::default();
        for number in 0..HELD_MOST as u64 + 2 {
            post(&mut posted, (0, number), (5, NULL));
        }
        assert_eq!(released(&mut posted, false), [0, 1]);
        assert_eq!(released(&mut posted, true).len(), HELD_MOST);
        assert!(posted.counts().is_none());
    }
}
