//! Faults put in on purpose between the state of a pair and its socket: loss, doubles, other order,
//! delay. A seed decides, so the k-th datagram of a pair meets the same fate in every run.
//!
//! Pure: time is an argument, in ticks.

use super::options::UdpFaults;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Datagrams held back at a time; beyond, they go at once.
const HELD_MAX: usize = 4096;
/// A datagram that others shall overtake lets at most so many pass.
const OVERTAKEN_MAX: u64 = 8;

/// The faults of one direction of a pair.
pub(crate) struct Faults {
    chances: UdpFaults,
    random: Random,
    /// Ticks of the longest delay.
    delay_ticks: u64,
    passed: u64,
    late: BinaryHeap<Reverse<(u64, u64, Vec<u8>)>>,
    overtaken: Vec<Held>,
    /// Datagrams that were not sent.
    pub lost: u64,
}

struct Held {
    /// It goes when so many have passed, or then.
    passed: u64,
    until: u64,
    datagram: Vec<u8>,
}

impl Faults {
    /// `direction` tells the directions of a run apart; `delay_ticks`: the longest delay.
    pub fn new(chances: UdpFaults, direction: u64, delay_ticks: u64) -> Faults {
        Faults {
            chances,
            random: Random(chances.seed ^ direction.wrapping_mul(0xA24B_AED4_963E_E407)),
            delay_ticks,
            passed: 0,
            late: BinaryHeap::new(),
            overtaken: Vec::new(),
            lost: 0,
        }
    }

    /// A datagram goes out: what becomes of it. `send` gets what goes now.
    pub fn pass(&mut self, now: u64, datagram: &[u8], send: &mut impl FnMut(&[u8])) {
        // Always five draws, so that the fate of the k-th does not hang on which faults are asked
        // for.
        let [lost, doubled, overtaken, delayed] = [0; 4].map(|_: i32| self.random.unit());
        let share = self.random.unit();
        self.passed += 1;
        if lost < self.chances.loss {
            self.lost += 1;
        } else {
            let held = self.late.len() + self.overtaken.len() >= HELD_MAX;
            if doubled < self.chances.duplicate {
                send(datagram);
            }
            if !held && overtaken < self.chances.reorder {
                let passed = self.passed + 1 + (share * OVERTAKEN_MAX as f64) as u64;
                let until = now.saturating_add(self.delay_ticks);
                self.overtaken.push(Held { passed, until, datagram: datagram.to_vec() });
            } else if !held && delayed < self.chances.delay {
                let at = now.saturating_add((share * self.delay_ticks as f64) as u64);
                self.late.push(Reverse((at, self.passed, datagram.to_vec())));
            } else {
                send(datagram);
            }
        }
        self.due(now, send);
    }

    /// Let go what has been held back long enough.
    pub fn due(&mut self, now: u64, send: &mut impl FnMut(&[u8])) {
        while self.late.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            if let Some(Reverse((_, _, datagram))) = self.late.pop() {
                send(&datagram);
            }
        }
        let passed = self.passed;
        self.overtaken.retain(|held| {
            let stays = held.passed > passed && held.until > now;
            if !stays {
                send(&held.datagram);
            }
            stays
        });
    }

    /// When something that is held back goes.
    pub fn deadline(&self) -> u64 {
        let late = self.late.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
        self.overtaken.iter().map(|held| held.until).fold(late, u64::min)
    }
}

/// SplitMix64 (Steele, Lea and Flood, 2014): small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    /// From 0 to less than 1.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANCES: UdpFaults =
        UdpFaults { seed: 5, loss: 0.1, duplicate: 0.2, reorder: 0.15, delay: 0.25, delay_us: 0 };

    /// What comes out, when one datagram a tick goes in.
    fn out(chances: UdpFaults, datagrams: u64) -> (Vec<u64>, u64) {
        let (mut faults, mut out) = (Faults::new(chances, 3, 20), Vec::new());
        let mut send = |datagram: &[u8]| out.push(u64::from_le_bytes(datagram.try_into().unwrap()));
        for now in 0..datagrams {
            faults.pass(now, &now.to_le_bytes(), &mut send);
        }
        faults.due(datagrams + 20, &mut send);
        assert_eq!(faults.deadline(), u64::MAX, "nothing is held back for ever");
        (out, faults.lost)
    }

    #[test]
    fn datagrams_are_lost_and_doubled_as_often_as_asked() {
        let n = 40_000;
        let (out, lost) = out(CHANCES, n);
        let expected = |chance: f64| chance * n as f64;
        assert!((lost as f64 - expected(0.1)).abs() < 300.0, "{lost}");
        let doubles = out.len() as f64 - (n - lost) as f64;
        assert!((doubles - expected(0.9 * 0.2)).abs() < 400.0, "{doubles}");
        let overtaken = out.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!(overtaken > n as usize / 20, "{overtaken}");
    }

    #[test]
    fn a_seed_decides_and_no_faults_change_nothing() {
        assert_eq!(out(CHANCES, 1000), out(CHANCES, 1000));
        assert_ne!(out(CHANCES, 1000), out(UdpFaults { seed: 6, ..CHANCES }, 1000));
        assert_eq!(out(UdpFaults::NONE, 1000), ((0..1000).collect(), 0));
    }
}
