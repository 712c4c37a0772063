//! The promised figures: who against whom, how compared, and the bound.

use super::estimate::{Estimate, compare_medians, median};
use anyhow::{Result, bail};

/// One promise.
#[derive(Debug)]
pub struct Figure {
    /// As given to `--only`; figures that belong together share one.
    pub name: &'static str,
    /// In words.
    pub what: &'static str,
    /// Contestants.
    pub ours: &'static str,
    pub peer: &'static str,
    /// Which number of each launch is compared.
    pub number: Number,
    pub compared: Compared,
    pub bound: Bound,
    /// Both must sleep about as often, or they do not wait in the same way and the figure says
    /// nothing: a receiver that looks a while before it sleeps is ten times faster in a ping-pong
    /// than one that sleeps at once.
    pub same_sleeps: bool,
}

/// A promise whose contestants need not sleep alike: what is compared are ours and a peer.
pub const fn figure(
    name: &'static str,
    what: &'static str,
    (ours, peer): (&'static str, &'static str),
    (number, compared): (Number, Compared),
    bound: Bound,
) -> Figure {
    Figure { name, what, ours, peer, number, compared, bound, same_sleeps: false }
}

/// A number of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    RoundTripNs,
    MessagesPerSecond,
    EventsPerSecond,
    WallSeconds,
    PeakGib,
    /// Voluntary context switches of all its processes.
    Sleeps,
    /// Time of one call.
    CallNs,
    /// On the disk.
    BytesPerMessage,
    /// Of faults that fetch a page.
    FaultP50Ns,
    /// See `FaultP50Ns`.
    FaultP99Ns,
    BytesPerSecond,
    /// Pages that crossed the network.
    Transfers,
    /// From a paged program's begin to its end.
    PagedSeconds,
    /// As a part of what was measured.
    PredictionError,
    /// One program's number over another's, which the launch has taken in turn.
    Ratio,
}

/// How two medians become a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Ours over theirs.
    Ratio,
    /// Half the difference of round trips: what one message costs, both sides together.
    HalfDifferenceNs,
    /// The difference.
    DifferenceNs,
    /// Ours as it is.
    Ours,
}

/// What is promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

/// What the launches say of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Met,
    Missed,
    /// The interval holds the bound, or there is none.
    Undecided,
    /// The two do not do the same thing.
    NotAlike,
}

/// All of them.
pub const FIGURES: &[Figure] = &[
    Figure {
        name: "floor",
        what: "shm ping-pong 8 B, recorded, polling / one cache line between two cores",
        ours: "shm",
        peer: "cache line",
        number: Number::RoundTripNs,
        compared: Compared::Ratio,
        bound: Bound::AtMost(2.0),
        same_sleeps: false,
    },
    Figure {
        name: "mpi",
        what: "the same / Open MPI shared memory in plain C",
        ours: "shm",
        peer: "Open MPI",
        number: Number::RoundTripNs,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "tcp-polling",
        what: "tcp ping-pong 8 B, recorded, polling / plain TCP in C, polling",
        ours: "tcp, polling",
        peer: "plain TCP, polling",
        number: Number::RoundTripNs,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.1),
        same_sleeps: false,
    },
    Figure {
        name: "tcp-blocking",
        what: "tcp ping-pong 8 B, recorded, blocking / plain TCP in C, blocking",
        ours: "tcp, blocking",
        peer: "plain TCP, blocking",
        number: Number::RoundTripNs,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.1),
        same_sleeps: true,
    },
    Figure {
        name: "udp-polling",
        what: "udp ping-pong 14 B, recorded, polling / sockperf's UDP, polling",
        ours: "udp, polling",
        peer: "sockperf UDP, polling",
        number: Number::RoundTripNs,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "udp-loss",
        what: "udp stream 8 B at 1 % loss, adaptive timer / without loss, messages a second",
        ours: "udp stream, 1 % lost",
        peer: "udp stream",
        number: Number::MessagesPerSecond,
        compared: Compared::Ratio,
        bound: Bound::AtLeast(0.9),
        same_sleeps: false,
    },
    Figure {
        name: "recording",
        what: "cost of recording a message, both sides together, over the same run unrecorded",
        ours: "shm",
        peer: "shm, unrecorded",
        number: Number::RoundTripNs,
        compared: Compared::HalfDifferenceNs,
        bound: Bound::AtMost(60.0),
        same_sleeps: false,
    },
    Figure {
        name: "stream",
        what: "stream 8 B over shm, recorded / Open MPI windows of 64 in plain C, messages a \
        second",
        ours: "shm stream",
        peer: "Open MPI windows",
        number: Number::MessagesPerSecond,
        compared: Compared::Ratio,
        bound: Bound::AtLeast(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "report",
        what: "report of a large run / DuckDB, same quantiles and histograms, wall time",
        ours: REPORT,
        peer: DUCKDB,
        number: Number::WallSeconds,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "report-counted",
        what: "the same / DuckDB by the fastest way that we found",
        ours: REPORT,
        peer: DUCKDB_COUNTED,
        number: Number::WallSeconds,
        compared: Compared::Ratio,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "memory",
        what: "peak memory of that report",
        ours: REPORT,
        peer: DUCKDB,
        number: Number::PeakGib,
        compared: Compared::Ours,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "watching",
        what: "shm ping-pong 8 B for 3 s, watched / not watched, messages a second",
        ours: "shm, watched",
        peer: "shm, not watched",
        number: Number::MessagesPerSecond,
        compared: Compared::Ratio,
        bound: Bound::AtLeast(0.99),
        same_sleeps: false,
    },
    Figure {
        name: "explain",
        what: "explaining a run of 10 M messages",
        ours: EXPLAIN,
        peer: EXPLAIN,
        number: Number::WallSeconds,
        compared: Compared::Ours,
        bound: Bound::AtMost(10.0),
        same_sleeps: false,
    },
    Figure {
        name: "explain-memory",
        what: "peak memory of that",
        ours: EXPLAIN,
        peer: EXPLAIN,
        number: Number::PeakGib,
        compared: Compared::Ours,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
    Figure {
        name: "story",
        what: "the story of the slowest of 10 M messages",
        ours: STORY,
        peer: STORY,
        number: Number::WallSeconds,
        compared: Compared::Ours,
        bound: Bound::AtMost(10.0),
        same_sleeps: false,
    },
    Figure {
        name: "story-memory",
        what: "peak memory of that",
        ours: STORY,
        peer: STORY,
        number: Number::PeakGib,
        compared: Compared::Ours,
        bound: Bound::AtMost(1.0),
        same_sleeps: false,
    },
];

/// The contestants that read a large run.
pub const REPORT: &str = "report";
pub const DUCKDB: &str = "DuckDB";
pub const DUCKDB_COUNTED: &str = "DuckDB, counted";
/// Those that read one of 10 M messages.
pub const EXPLAIN: &str = "explain";
pub const STORY: &str = "story";

/// The figures asked for; those about the report only with a run to read.
pub fn choose(only: &[String], with_report: bool) -> Result<Vec<&'static Figure>> {
    let chosen = named(FIGURES, only)?;
    Ok(chosen.into_iter().filter(|figure| with_report || figure.ours != REPORT).collect())
}

/// The figures of `all` with these names; all without names.
pub fn named(all: &'static [Figure], only: &[String]) -> Result<Vec<&'static Figure>> {
    if let Some(unknown) = only.iter().find(|name| all.iter().all(|figure| figure.name != **name)) {
        let names: Vec<_> = all.iter().map(|figure| figure.name).collect();
        bail!("no figure {unknown}; there are {}", names.join(", "));
    }
    let asked = |figure: &&Figure| only.is_empty() || only.iter().any(|name| name == figure.name);
    Ok(all.iter().filter(asked).collect())
}

impl Figure {
    /// From pairs of launches of the same round.
    pub fn estimate(&self, rounds: &[(f64, f64)], seed: u64) -> Option<Estimate> {
        let compare = match self.compared {
            Compared::Ratio => |ours: f64, theirs: f64| ours / theirs,
            Compared::HalfDifferenceNs => |ours: f64, theirs: f64| (ours - theirs) / 2.0,
            Compared::DifferenceNs => |ours: f64, theirs: f64| ours - theirs,
            Compared::Ours => |ours: f64, _: f64| ours,
        };
        compare_medians(rounds, compare, seed)
    }

    /// The verdict on an estimate, given how often both slept in each round.
    pub fn verdict(&self, estimate: Estimate, sleeps: &[(f64, f64)]) -> Verdict {
        let (ours, theirs): (Vec<f64>, Vec<f64>) = sleeps.iter().copied().unzip();
        let alike =
            median(ours).zip(median(theirs)).is_some_and(|(a, b)| a <= 2.0 * b && b <= 2.0 * a);
        if self.same_sleeps && !alike { Verdict::NotAlike } else { self.bound.verdict(estimate) }
    }

    /// The figure with its unit.
    pub fn show(&self, value: f64) -> String {
        match (self.compared, self.number) {
            (Compared::Ratio, _) | (_, Number::Ratio) => format!("{value:.2}×"),
            (_, Number::EventsPerSecond) => format!("{:.1} M/s", value / 1e6),
            (_, Number::PeakGib) => format!("{value:.2} GiB"),
            (_, Number::WallSeconds) => format!("{value:.1} s"),
            (_, Number::BytesPerMessage) => format!("{value:.1} B"),
            (_, Number::BytesPerSecond) => format!("{:.2} GB/s", value / 1e9),
            (_, Number::PredictionError) => format!("{:.1} %", value * 100.0),
            _ => format!("{value:.0} ns"),
        }
    }
}

impl Bound {
    /// Whether the interval lies within, outside, or across the bound.
    pub fn verdict(self, estimate: Estimate) -> Verdict {
        let Some((low, high)) = estimate.interval else { return Verdict::Undecided };
        let (best, worst, bound) = match self {
            Bound::AtMost(bound) => (low, high, bound),
            Bound::AtLeast(bound) => (-high, -low, -bound),
        };
        match (best <= bound, worst <= bound) {
            (_, true) => Verdict::Met,
            (false, _) => Verdict::Missed,
            _ => Verdict::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_decides() {
        let estimate = Estimate { value: 1.0, interval: Some((0.9, 1.2)) };
        assert_eq!(Bound::AtMost(1.2).verdict(estimate), Verdict::Met);
        assert_eq!(Bound::AtMost(1.1).verdict(estimate), Verdict::Undecided);
        assert_eq!(Bound::AtMost(0.8).verdict(estimate), Verdict::Missed);
        assert_eq!(Bound::AtLeast(0.9).verdict(estimate), Verdict::Met);
        assert_eq!(Bound::AtLeast(1.0).verdict(estimate), Verdict::Undecided);
        assert_eq!(Bound::AtLeast(1.3).verdict(estimate), Verdict::Missed);
        let of_few = Estimate { interval: None, ..estimate };
        assert_eq!(Bound::AtMost(1.2).verdict(of_few), Verdict::Undecided);
    }

    /// Seen: a "blocking" receiver that mostly polled came out at 0.10× of one that slept, and was
    /// called met.
    #[test]
    fn what_waits_differently_is_not_compared() {
        let blocking = choose(&["tcp-blocking".into()], false).unwrap()[0];
        let estimate = Estimate { value: 0.1, interval: Some((0.1, 0.1)) };
        assert_eq!(blocking.verdict(estimate, &[(2_095.0, 43_955.0); 3]), Verdict::NotAlike);
        assert_eq!(blocking.verdict(estimate, &[]), Verdict::NotAlike, "not known to be alike");
        assert_eq!(blocking.verdict(estimate, &[(44_300.0, 43_955.0); 3]), Verdict::Met);
    }

    #[test]
    fn recording_costs_half_the_difference_of_round_trips() {
        let recording = choose(&["recording".into()], false).unwrap()[0];
        let estimate = recording.estimate(&[(300.0, 200.0); 5], 1).unwrap();
        assert_eq!(recording.show(estimate.value), "50 ns");
    }

    #[test]
    fn figures_are_chosen_by_name() {
        assert_eq!(choose(&[], true).unwrap().len(), FIGURES.len());
        assert!(choose(&[], false).unwrap().iter().all(|figure| figure.name != "report"));
        assert!(choose(&["nonsense".into()], true).is_err());
    }
}
