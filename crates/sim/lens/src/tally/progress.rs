//! GVT and the rates of events along the run.
//!
//! A node commits the events of a whole GVT round at one moment. Drawn as they come, commits would
//! be needles with nothing between them; so each node's are spread over the time since its last.

use stats::build::{Stretch, between};
use stats::timeline::{Slice, Timeline};

use super::{Piece, within_model};
use crate::simulation::{SimulationBin, Work};

/// Slices at most: enough to see a step, few enough that a slice has events to count.
const SLICES: i64 = 400;

/// Counts by slice.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    slices: Timeline<Counts>,
    /// First begin and last end; the first is after the last when no stamp is known.
    span: (i64, i64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    pieces: u64,
    executed: u64,
    undone: u64,
    gvt: Option<f64>,
}

/// Events that one node committed, by when it did.
#[derive(Clone, Debug)]
pub(super) struct Commits {
    slices: Timeline<Committed>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Committed {
    events: u64,
    /// The last end of a step of fossil collection; means nothing without events.
    at: i64,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress { slices: Timeline::new(SLICES), span: (i64::MAX, i64::MIN) }
    }
}

impl Progress {
    /// Take in a piece of work where it ended.
    pub fn add(&mut self, piece: &Piece) {
        let (Some(begin), Some(end)) = (piece.begin, piece.end) else { return };
        self.span = (self.span.0.min(begin), self.span.1.max(end));
        let counts = self.slices.at(end);
        counts.pieces += 1;
        match piece.work {
            Work::Execution => counts.executed += 1,
            Work::Rollback => counts.undone += piece.amount,
            Work::Collection => {}
            Work::GvtRound => counts.gvt = higher(counts.gvt, within_model(piece.to)),
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Progress) {
        self.slices.merge(&other.slices);
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
    }

    /// The slices from the run's begin to its end, without gaps. `commits` are the nodes', each
    /// with the begin of its work.
    pub fn bins<'a>(
        &self,
        commits: impl Iterator<Item = (i64, &'a Commits)>,
    ) -> Vec<SimulationBin> {
        let mut bins: Vec<SimulationBin> =
            self.slices.stretches(self.span).iter().map(bin).collect();
        commits.for_each(|(begin, commits)| commits.spread(begin, &mut bins));
        bins
    }
}

impl Default for Commits {
    fn default() -> Commits {
        Commits { slices: Timeline::new(SLICES) }
    }
}

impl Commits {
    /// Take in a step of fossil collection.
    pub fn add(&mut self, piece: &Piece) {
        if let Some(end) = piece.end.filter(|_| piece.begin.is_some()) {
            self.slices.at(end).merge(&Committed { events: piece.amount, at: end });
        }
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: &Commits) {
        self.slices.merge(&other.slices);
    }

    /// Add each slice's commits to the rates of the bins since the slice before that had any.
    fn spread(&self, begin: i64, bins: &mut [SimulationBin]) {
        let Some((first, last)) = bins.first().zip(bins.last()).map(|(a, b)| (a.from_ns, b.to_ns))
        else {
            return;
        };
        let mut since = begin.max(first);
        for (_, _, committed) in
            self.slices.slices().filter(|(_, _, committed)| committed.events > 0)
        {
            let until = committed.at.min(last).max(since.saturating_add(1));
            let rate = committed.events as f64 / between(since, until);
            let at = bins.partition_point(|bin| bin.to_ns <= since);
            for bin in bins[at..].iter_mut().take_while(|bin| bin.from_ns < until) {
                let inside = between(bin.from_ns.max(since), bin.to_ns.min(until));
                bin.committed_per_s += rate * inside / between(bin.from_ns, bin.to_ns) * 1e9;
            }
            since = until;
        }
    }
}

impl Slice for Committed {
    fn merge(&mut self, other: &Committed) {
        self.at = match (self.is_empty(), other.is_empty()) {
            (_, true) => self.at,
            (true, false) => other.at,
            (false, false) => self.at.max(other.at),
        };
        self.events += other.events;
    }

    fn is_empty(&self) -> bool {
        self.events == 0
    }
}

impl Slice for Counts {
    fn merge(&mut self, other: &Counts) {
        self.pieces += other.pieces;
        self.executed += other.executed;
        self.undone += other.undone;
        self.gvt = higher(self.gvt, other.gvt);
    }

    fn is_empty(&self) -> bool {
        self.pieces == 0
    }
}

fn higher(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

fn bin(stretch: &Stretch<Counts>) -> SimulationBin {
    let seconds = stretch.seconds();
    SimulationBin {
        from_ns: stretch.from_ns,
        to_ns: stretch.to_ns,
        executed_per_s: stretch.held.executed as f64 / seconds,
        undone_per_s: stretch.held.undone as f64 / seconds,
        committed_per_s: 0.0,
        gvt: stretch.held.gvt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(work: Work, begin: i64, end: i64, amount: u64, to: f64) -> Piece {
        let (begin, end) = (Some(begin), Some(end));
        Piece {
            work,
            launch: 0,
            node: 0,
            begin,
            end,
            object: None,
            amount,
            from: None,
            to: Some(to),
        }
    }

    #[test]
    fn commits_are_spread_over_the_time_since_those_before() {
        let (mut progress, mut commits) =
            (Progress::default(), [Commits::default(), Commits::default()]);
        // 100 events a millisecond for a second, committed 10,000 at a time.
        for at in 0..100_000_i64 {
            progress.add(&piece(Work::Execution, at * 10_000, at * 10_000 + 5_000, 1, 0.0));
        }
        for at in 1..=10_i64 {
            // Two nodes, one somewhat later than the other.
            for (node, late) in [0, 9_000_000].into_iter().enumerate() {
                let end = (at * 100_000_000 + late).min(1_000_000_000);
                let collection = piece(Work::Collection, end - 10, end, 5_000, 0.0);
                progress.add(&collection);
                commits[node].add(&collection);
            }
            progress.add(&piece(
                Work::GvtRound,
                at * 100_000_000 - 10,
                at * 100_000_000,
                1,
                at as f64,
            ));
        }
        let bins = progress.bins(commits.iter().map(|commits| (0, commits)));
        assert!((200..=400).contains(&bins.len()), "{} bins", bins.len());
        assert!(bins.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns), "bins have gaps");
        assert_eq!((bins[0].from_ns, bins[bins.len() - 1].to_ns), (0, 1_000_000_001));
        for bin in &bins {
            assert!((bin.executed_per_s - 1e5).abs() < 2e3, "{bin:?}");
            assert!((bin.committed_per_s - 1e5).abs() < 5e3, "{bin:?}");
        }
        let committed =
            |bin: &SimulationBin| bin.committed_per_s * (bin.to_ns - bin.from_ns) as f64 / 1e9;
        assert!((bins.iter().map(committed).sum::<f64>() - 1e5).abs() < 1e-3);
        let gvt: Vec<f64> = bins.iter().filter_map(|bin| bin.gvt).collect();
        assert_eq!(gvt, (1..=10).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn the_moments_before_and_after_the_models_time_are_no_gvt() {
        let mut progress = Progress::default();
        for (at, gvt) in [(1, -999_999_998.0), (2, 7.5), (3, 999_999_999.0), (4, f64::INFINITY)] {
            progress.add(&piece(Work::GvtRound, at * 1_000_000, at * 1_000_000 + 9, 1, gvt));
        }
        let gvt: Vec<f64> =
            progress.bins(std::iter::empty()).iter().filter_map(|bin| bin.gvt).collect();
        assert_eq!(gvt, [7.5]);
        assert!(Progress::default().bins(std::iter::empty()).is_empty());
    }
}
