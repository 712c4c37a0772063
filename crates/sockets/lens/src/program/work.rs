//! What of a thread's time was computing, and what waiting.

use super::messages::Seen;
use record::NULL;

/// The time before a message was taken, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// The thread went on with what it did before.
    pub tail: i64,
    /// From when the message had come to when the thread went on; `None`: it did not wait.
    pub wake: Option<i64>,
    /// It read the message, and what it read and did besides since its wait.
    pub head: i64,
}

impl Before {
    /// Of a message that a thread took which had done something until `free`.
    pub fn of(seen: &Seen, free: i64) -> Before {
        if seen.awaited == NULL {
            return Before::default();
        }
        let began = seen.awaited.max(free);
        let tail = (began - free).max(0);
        if seen.woken == NULL {
            // It waited in the read, if at all.
            return match seen.arrived > began {
                true => Before { tail, wake: Some(seen.taken - seen.arrived), head: 0 },
                false => Before { tail, wake: None, head: (seen.taken - began).max(0) },
            };
        }
        let woken = seen.woken.max(began);
        let wake = (woken > began).then_some((woken - seen.arrived.max(began)).max(0));
        Before { tail, wake, head: (seen.taken - woken).max(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(awaited: i64, woken: i64, [arrived, taken]: [i64; 2]) -> Seen {
        Seen {
            nodes: [0, 1],
            threads: [1, 1],
            seq: 0,
            bytes: 1,
            connection: 0,
            ready: 0,
            sent: 0,
            arrived,
            is_observed: true,
            taken,
            awaited,
            woken,
            waited_alone: false,
            stalled: 0,
        }
    }

    #[test]
    fn a_wait_is_no_computing() {
        let before = |tail, wake, head| Before { tail, wake, head };
        let in_poll = seen(150, 205, [200, 230]);
        assert_eq!(Before::of(&in_poll, 100), before(50, Some(5), 25));
        assert_eq!(Before::of(&in_poll, 210), before(0, None, 20), "it served another meanwhile");
        let in_read = seen(150, NULL, [200, 230]);
        assert_eq!(Before::of(&in_read, 100), before(50, Some(30), 0));
        assert_eq!(Before::of(&seen(220, NULL, [200, 230]), 100), before(120, None, 10));
        assert_eq!(Before::of(&seen(NULL, NULL, [200, 230]), 100), before(0, None, 0));
    }
}
