//! How much TCP sends before it hears from the other end: ten packets at first (RFC 6928), twice as
//! much with each round trip, and little again after a while in which nothing was sent (RFC 2861).
//!
//! What the model leaves out: losses, and all that makes a sender leave this slow start earlier.

use machine::{PS_PER_NS, Time};

/// What a new connection sends at once, bytes.
const FIRST: u64 = 10 * 1448;
/// A window is halved for each time that this and a round trip passed in which nothing was sent.
const IDLE: Time = 200_000_000 * PS_PER_NS;

/// The link between the ends.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    pub there_and_back: Time,
    pub bytes_per_s: f64,
}

/// The window of a direction of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    bytes: u64,
    /// When the first bytes of this round were sent, and how many were in it.
    began: Time,
    sent: u64,
}

impl Default for Window {
    fn default() -> Window {
        Window { bytes: FIRST, began: 0, sent: 0 }
    }
}

impl Window {
    /// So many bytes are to be sent. How long the last of them wait for word from the other end, if
    /// the link does not hold them up as long anyway.
    pub fn send(&mut self, now: Time, bytes: u64, trip: Trip) -> Time {
        self.go_on(now, trip);
        let (mut left, mut leaves) = (bytes, now);
        while left > self.bytes.saturating_sub(self.sent) {
            if takes(self.bytes, trip) >= trip.there_and_back {
                // Word comes before the window is empty.
                break;
            }
            left -= self.bytes.saturating_sub(self.sent);
            self.sent = self.sent.max(self.bytes);
            self.grow(self.began + trip.there_and_back);
            leaves = leaves.max(self.began);
        }
        self.sent += left;
        let on_the_way = takes(bytes - left, trip);
        (leaves - now).saturating_sub(on_the_way)
    }

    /// What was sent a round trip ago has been acknowledged.
    fn go_on(&mut self, now: Time, trip: Trip) {
        let since = now.saturating_sub(self.began);
        if since < trip.there_and_back {
            return;
        }
        let idle = since / (IDLE + trip.there_and_back);
        if idle > 0 {
            self.bytes = (self.bytes >> idle.min(63)).max(FIRST);
            (self.began, self.sent) = (now, 0);
        } else {
            self.grow(now);
        }
    }

    /// A new round: who used the window may send more.
    fn grow(&mut self, began: Time) {
        self.bytes += self.sent.min(self.bytes);
        (self.began, self.sent) = (began, 0);
    }
}

/// How long so many bytes keep the link busy.
fn takes(bytes: u64, trip: Trip) -> Time {
    (bytes as f64 / trip.bytes_per_s * 1e9 * PS_PER_NS as f64) as Time
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Time = 1_000_000 * PS_PER_NS;
    const TRIP: Trip = Trip { there_and_back: 20 * MS, bytes_per_s: 1e12 };

    #[test]
    fn a_new_connection_doubles_what_it_sends_with_each_round_trip() {
        let mut window = Window::default();
        assert_eq!(window.send(0, FIRST, TRIP), 0);
        assert_eq!(window.send(MS, 1, TRIP), 19 * MS, "it waits for word of the first");
        let mut window = Window::default();
        // 1, 2, 4 and 8 of the 15 windows.
        let late = window.send(0, 15 * FIRST, TRIP);
        assert!((59 * MS..=60 * MS).contains(&late), "{late}");
        assert_eq!(window.send(90 * MS, 8 * FIRST, TRIP), 0);
    }

    #[test]
    fn what_was_idle_begins_anew_and_a_slow_link_is_full_anyway() {
        let mut window = Window::default();
        window.send(0, 15 * FIRST, TRIP);
        assert_eq!(window.send(10_000 * MS, FIRST, TRIP), 0);
        assert!(window.send(10_001 * MS, FIRST, TRIP) > 0);
        let slow = Trip { bytes_per_s: FIRST as f64 * 50.0, ..TRIP };
        assert_eq!(Window::default().send(0, 100 * FIRST, slow), 0);
    }
}
