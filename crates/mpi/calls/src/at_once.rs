//! Sends, or receives, that threads of a rank post at once on one channel. Which of them the
//! library takes first nobody sees: the order of their calls is only a guess there.

use crate::channel::Channel;
use record::NULL;
use rustc_hash::FxHashMap;

/// Channels that are remembered before those are forgotten on which no call can be going on.
const KEPT: usize = 1 << 10;

/// The calls of one kind, sends or receives, that a rank may be in.
#[derive(Default)]
pub(crate) struct AtOnce {
    latest: FxHashMap<Channel, Latest>,
    /// So many channels are looked through for those that are over.
    sweep_at: usize,
}

/// The call that is left last, of those that were entered so far.
#[derive(Clone, Copy)]
struct Latest {
    thread: u8,
    until: i64,
}

impl AtOnce {
    /// The next call of the rank, which posts something on this channel between these times.
    /// Whether another thread was in such a call. Calls come in the order in which they were
    /// entered.
    pub fn post(&mut self, channel: Channel, thread: u8, (enter, exit): (i64, i64)) -> bool {
        self.sweep(enter);
        let until = if exit == NULL { i64::MAX } else { exit };
        let here = Latest { thread, until };
        let latest = self.latest.entry(channel).or_insert(here);
        let is_at_once = latest.thread != here.thread && enter < latest.until;
        if until >= latest.until {
            *latest = here;
        }
        is_at_once
    }

    fn sweep(&mut self, now: i64) {
        if self.latest.len() >= self.sweep_at.max(KEPT) {
            self.latest.retain(|_, latest| latest.until > now);
            self.sweep_at = self.latest.len() * 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::Label;

    fn channel(tag: i32) -> Channel {
        Channel::new(0, 1, Label { communicator: 0, tag, partitioned: false })
    }

    /// Of calls by thread, tag and time.
    fn found(calls: &[(u8, i32, i64, i64)]) -> Vec<bool> {
        let mut at_once = AtOnce::default();
        let one = |&(thread, tag, enter, exit): &(u8, i32, i64, i64)| {
            at_once.post(channel(tag), thread, (enter, exit))
        };
        calls.iter().map(one).collect()
    }

    #[test]
    fn calls_of_two_threads_on_one_channel_are_at_once_where_they_overlap() {
        assert_eq!(found(&[(0, 5, 0, 10), (1, 5, 10, 20), (0, 5, 20, 30)]), [false; 3]);
        assert_eq!(found(&[(0, 5, 0, 10), (1, 5, 9, 20), (1, 5, 20, 30)]), [false, true, false]);
        assert_eq!(found(&[(0, 5, 0, 10), (1, 6, 9, 20)]), [false; 2], "another tag");
        assert_eq!(found(&[(0, 5, 0, 10), (0, 5, 9, 20)]), [false; 2], "one call posts several");
        assert_eq!(found(&[(0, 5, 0, NULL), (1, 5, 99, 100)]), [false, true], "it never ended");
        let nested = [(0, 5, 0, 100), (1, 5, 10, 20), (2, 5, 30, 40)];
        assert_eq!(found(&nested), [false, true, true], "the first goes on");
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let mut at_once = AtOnce::default();
        for tag in 0..100 * KEPT as i32 {
            let enter = i64::from(tag) * 10;
            assert!(!at_once.post(channel(tag), 0, (enter, enter + 25)));
        }
        assert!(at_once.latest.len() <= KEPT + 3, "{}", at_once.latest.len());
    }
}
