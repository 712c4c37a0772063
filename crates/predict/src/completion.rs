//! A completion time as the sum of its parts.

use serde::{Deserialize, Serialize};

/// Where the time of a run went, in seconds. The parts add up to the elapsed time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// The program's own instructions.
    pub user: f64,
    /// The kernel's work for it.
    pub system: f64,
    /// Loading and starting.
    pub init: f64,
    /// Handling page transfers: work of the processor, whatever the network.
    pub protocol: f64,
    /// Waiting for bytes on the network: shorter in proportion on a faster one.
    pub blocked_bytes: f64,
    /// Waiting for all else (the way there and back, a server's turn): the same at any rate.
    pub blocked_fixed: f64,
    /// What has nothing to do with paging, and is no work of the program: the same wherever its
    /// pages are.
    pub other: f64,
}

/// A part of a completion time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    User,
    System,
    Init,
    Protocol,
    BlockedBytes,
    BlockedFixed,
    Other,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 7] = [
        Part::User,
        Part::System,
        Part::Init,
        Part::Protocol,
        Part::BlockedBytes,
        Part::BlockedFixed,
        Part::Other,
    ];
}

impl Completion {
    /// From what the 1996 paper measures: a run's elapsed, user, system and initialization times,
    /// its page transfers, and the work of one.
    ///
    /// Each of `servers` page-outs makes a transfer of parity; what is left of the elapsed time
    /// waits for bytes.
    pub fn from_1996(
        elapsed: f64,
        (user, system, init): (f64, f64, f64),
        page_outs: u64,
        page_ins: u64,
        servers: u64,
        protocol_per_page: f64,
    ) -> Completion {
        let protocol = transfers(page_outs, page_ins, servers) as f64 * protocol_per_page;
        let blocked_bytes = elapsed - user - system - init - protocol;
        Completion { user, system, init, protocol, blocked_bytes, ..Completion::default() }
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        Part::ALL.iter().map(|part| self.part(*part)).sum()
    }

    /// One of its parts.
    pub fn part(&self, part: Part) -> f64 {
        match part {
            Part::User => self.user,
            Part::System => self.system,
            Part::Init => self.init,
            Part::Protocol => self.protocol,
            Part::BlockedBytes => self.blocked_bytes,
            Part::BlockedFixed => self.blocked_fixed,
            Part::Other => self.other,
        }
    }

    /// One of its parts as a part of the whole, 0 to 1.
    pub fn share(&self, part: Part) -> f64 {
        self.part(part) / self.total()
    }

    /// What paging takes of the whole, 0 to 1.
    pub fn paging_share(&self) -> f64 {
        (self.protocol + self.blocked_bytes + self.blocked_fixed) / self.total()
    }

    /// The same run on a network that carries `factor` times as much.
    pub fn at_bandwidth(&self, factor: f64) -> Completion {
        Completion { blocked_bytes: self.blocked_bytes / factor, ..*self }
    }

    /// The same run with memory enough for all its data.
    pub fn all_memory(&self) -> Completion {
        Completion { protocol: 0.0, blocked_bytes: 0.0, blocked_fixed: 0.0, ..*self }
    }
}

/// Pages that cross the network: each one out, one of parity for each `servers` of them, each one
/// in.
fn transfers(page_outs: u64, page_ins: u64, servers: u64) -> u64 {
    page_outs + page_outs.checked_div(servers).unwrap_or(0) + page_ins
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Document 004: FFT with 24 MB of input, over 10 Mbit/s Ethernet.
    fn document() -> Completion {
        Completion::from_1996(130.76, (66.138, 3.133, 0.21), 2718, 2055, 4, 0.0016)
    }

    fn near(value: f64, expected: f64) -> bool {
        // The document cuts its figures after the third digit, its shares likewise.
        (value - expected).abs() < 0.0011
    }

    #[test]
    fn the_documents_transfers() {
        assert_eq!(transfers(2718, 0, 4), 3397);
        assert_eq!(transfers(2718, 2055, 4), 5452);
        assert_eq!(transfers(10, 5, 0), 15, "no servers, no parity");
    }

    #[test]
    fn the_documents_prediction() {
        let measured = document();
        assert!(near(measured.total(), 130.76) && near(measured.protocol, 8.723));
        assert!(near(measured.blocked_bytes, 52.556));
        assert!(near(measured.protocol + measured.blocked_bytes, 61.279));
        let faster = measured.at_bandwidth(10.0);
        assert!(near(faster.blocked_bytes, 5.255));
        assert!(near(faster.total(), 83.459), "{}", faster.total());
        for (part, percent) in [(Part::User, 79.246), (Part::System, 3.754), (Part::Init, 0.252)] {
            assert!(
                near(100.0 * faster.share(part), percent),
                "{part:?} {}",
                100.0 * faster.share(part)
            );
        }
        assert!((100.0 * faster.paging_share() - 16.748).abs() < 0.002);
        assert!(near(measured.all_memory().total(), 69.481));
    }

    proptest! {
        #[test]
        fn shares_add_up_and_more_bandwidth_never_slows(
            parts in prop::array::uniform7(0.001..1e4f64),
            factor in 1.0..1e6f64,
        ) {
            let [user, system, init, protocol, blocked_bytes, blocked_fixed, other] = parts;
            let run =
                Completion { user, system, init, protocol, blocked_bytes, blocked_fixed, other };
            let sum: f64 = Part::ALL.iter().map(|part| run.share(*part)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            let faster = run.at_bandwidth(factor).total();
            prop_assert!(faster <= run.total() && faster >= run.total() - blocked_bytes);
            prop_assert!(run.all_memory().total() < faster);
        }
    }
}
