//! What receivers did while messages lay in their sockets.

use document::Colour;

/// Parts of a receive wait, in the order of time.
pub const PARTS: [(&str, Colour); 3] =
    [("elsewhere", Colour("work")), ("waking", Colour("idle")), ("reading", Colour("cycle"))];

/// Sums over messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Messages of which it is known.
    pub known: u64,
    /// Messages of which it is not.
    pub unknown: u64,
    /// Each of [`PARTS`], ns.
    pub parts: [i64; 3],
}

impl Unread {
    /// A message lay there from its arrival until it was taken. Its receiver began to wait for it
    /// at `awaited`; that wait was over at `woken`, or when the message was taken.
    pub fn add(&mut self, (arrived, taken): (i64, i64), awaited: Option<i64>, woken: Option<i64>) {
        let Some(awaited) = awaited.filter(|_| arrived <= taken) else {
            self.unknown += 1;
            return;
        };
        let begun = awaited.max(arrived).min(taken);
        let over = woken.unwrap_or(taken).max(begun).min(taken);
        self.known += 1;
        for (sum, ns) in self.parts.iter_mut().zip([begun - arrived, over - begun, taken - over]) {
            *sum += ns;
        }
    }

    /// Those of both.
    pub fn merge(&mut self, other: &Unread) {
        self.known += other.known;
        self.unknown += other.unknown;
        self.parts.iter_mut().zip(other.parts).for_each(|(sum, ns)| *sum += ns);
    }

    /// So much of all messages, of one, ns.
    pub fn mean(&self, ns: i64) -> Option<i64> {
        (self.known > 0).then(|| ns / self.known as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_wait_are_all_of_it_whenever_the_receiver_looked() {
        let of = |awaited, woken| {
            let mut unread = Unread::default();
            unread.add((100, 200), awaited, woken);
            assert_eq!(unread.parts.iter().sum::<i64>(), 100 * unread.known as i64);
            unread.parts
        };
        assert_eq!(of(Some(40), None), [0, 100, 0], "in the read");
        assert_eq!(of(Some(40), Some(130)), [0, 30, 70], "in epoll");
        assert_eq!(of(Some(150), None), [50, 50, 0], "elsewhere, then in the read");
        assert_eq!(of(Some(150), Some(160)), [50, 10, 40], "elsewhere, then in epoll");
        assert_eq!(of(None, None), [0; 3], "not known");
    }
}
