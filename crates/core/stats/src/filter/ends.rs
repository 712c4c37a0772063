//! Between which messages of a run a cut lies, found by reading the run a few times.
//!
//! A first pass counts times. Where many values share a counter, further passes look into that
//! counter alone, and where few messages are left, they are sorted. Memory does not grow with the
//! messages, and the ends are exact.

use super::Filter;
use super::cut::{Bounds, Cut, RankKey, Share};
use crate::columns::Columns;
use crate::compare::Measured;
use crate::distribution::Distribution;

/// Messages that are sorted rather than counted once more.
const SORTED_MOST: u64 = 1 << 18;

/// Looks for the ends of a filter's cut. [`CutSearch::pass`] is fed with the run,
/// [`CutSearch::learn`] takes what that gathered, until it says that no more is needed.
#[derive(Clone, Debug)]
pub struct CutSearch {
    filter: Filter,
    cut: Cut,
    /// Messages of the first pass: taken by the rest of the filter, and ranked among them.
    seen: Option<(u64, u64)>,
    /// Below and above what is taken, where there is an end.
    ends: [Option<End>; 2],
}

/// One end: the message of this rank among those that are left.
#[derive(Clone, Debug)]
struct End {
    /// The digits of its key that are known.
    known: Vec<i64>,
    /// Where the next one lies.
    range: Option<(i64, i64)>,
    /// From 1.
    rank: u64,
    /// Messages that are left.
    left: u64,
}

/// What a pass over the run gathers: one a thread, merged at the end.
#[derive(Clone, Debug)]
pub struct CutPass {
    filter: Filter,
    stage: Measured,
    messages: u64,
    looks: Vec<Look>,
}

#[derive(Clone, Debug)]
struct Look {
    end: End,
    counted: Distribution,
    /// Kept where they are few.
    keys: Option<Vec<RankKey>>,
}

/// Why a cut takes no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// There are messages, and none has the time.
    #[error("none of its {messages} messages has a time of {stage}")]
    NoTimes {
        /// Those that the rest of the filter takes.
        messages: u64,
        /// The stage of the cut.
        stage: &'static str,
    },
    /// There are too few messages for so small a share.
    #[error("{from} to {to} % of {of} messages is less than one; choose a larger share")]
    Nothing {
        /// Where the cut begins.
        from: Share,
        /// Where it ends.
        to: Share,
        /// Messages that were ranked.
        of: u64,
    },
}

impl CutSearch {
    /// A search for the ends of the filter's cut; `None` where it has none, or they are known.
    pub fn new(filter: &Filter) -> Option<CutSearch> {
        let cut = filter.cut.clone().filter(|cut| cut.bounds.is_none())?;
        Some(CutSearch { filter: filter.uncut(), cut, seen: None, ends: [None, None] })
    }

    /// What the next pass gathers.
    pub fn pass(&self) -> CutPass {
        let everything = End { known: Vec::new(), range: None, rank: 0, left: u64::MAX };
        let ends: Vec<End> = match self.seen {
            None => vec![everything],
            Some(_) => self.ends.iter().flatten().filter(|end| !end.is_found()).cloned().collect(),
        };
        CutPass {
            filter: self.filter.clone(),
            stage: self.cut.stage(),
            messages: 0,
            looks: ends.into_iter().map(Look::new).collect(),
        }
    }

    /// Take what a pass gathered; whether that was the last.
    ///
    /// # Errors
    /// When the cut takes nothing of the messages that there are.
    pub fn learn(&mut self, pass: CutPass) -> Result<bool, CutError> {
        match self.seen {
            None => self.begin(&pass)?,
            Some(_) => {
                let open = self.ends.iter_mut().flatten().filter(|end| !end.is_found());
                open.zip(pass.looks).for_each(|(end, look)| end.narrow(look));
            }
        }
        Ok(self.ends.iter().flatten().all(End::is_found))
    }

    /// The filter with the ends of its cut.
    pub fn settled(self) -> Filter {
        let (_, of) = self.seen.unwrap_or_default();
        let [above, up_to] = self.ends.map(|end| end.and_then(|end| end.found()));
        let bounds = Some(Bounds { of, above, up_to });
        Filter { cut: Some(Cut { bounds, ..self.cut }), ..self.filter }
    }

    fn begin(&mut self, pass: &CutPass) -> Result<(), CutError> {
        let Some(all) = pass.looks.first() else { return Ok(()) };
        let of = all.counted.count();
        self.seen = Some((pass.messages, of));
        let (from, to) = self.cut.ranks(of);
        match (pass.messages, of) {
            (0, _) => return Ok(()),
            (messages, 0) => {
                return Err(CutError::NoTimes { messages, stage: self.cut.stage().name() });
            }
            _ if from >= to => {
                return Err(CutError::Nothing { from: self.cut.from, to: self.cut.to, of });
            }
            _ => {}
        }
        let end = |rank: u64| {
            let mut look = all.clone();
            look.end.rank = rank;
            let mut end = look.end.clone();
            end.narrow(look);
            end
        };
        self.ends = [(from > 0).then(|| end(from)), (to < of).then(|| end(to))];
        Ok(())
    }
}

impl CutPass {
    /// Take in a batch, with the columns [`FILTER_FIELDS`](crate::FILTER_FIELDS).
    pub fn add(&mut self, columns: &Columns) {
        for row in 0..columns.rows() {
            let is_ranked = match (self.stage, columns.is_interval(row)) {
                (Measured::Cycle, true) => self.filter.takes_cycle(columns, row),
                (Measured::Cycle, false) | (_, true) => false,
                (_, false) => self.filter.takes(columns, row),
            };
            if is_ranked {
                self.messages += 1;
                if let Some(key) = RankKey::of(self.stage, columns, row) {
                    self.looks.iter_mut().for_each(|look| look.add(key));
                }
            }
        }
    }

    /// Take in what another pass of the same search gathered.
    pub fn merge(&mut self, other: CutPass) {
        self.messages += other.messages;
        for (mine, theirs) in self.looks.iter_mut().zip(other.looks) {
            mine.counted.merge(&theirs.counted);
            if let (Some(mine), Some(theirs)) = (&mut mine.keys, theirs.keys) {
                mine.extend(theirs);
            }
        }
    }
}

impl Look {
    fn new(end: End) -> Look {
        let keys = (end.left <= SORTED_MOST).then(Vec::new);
        Look { end, counted: Distribution::default(), keys }
    }

    fn add(&mut self, key: RankKey) {
        let digits = key.digits();
        let at = self.end.known.len();
        let is_like = digits[..at] == self.end.known[..];
        let within = |(low, high): (i64, i64)| (low..=high).contains(&digits[at]);
        if !is_like || !self.end.range.is_none_or(within) {
            return;
        }
        match &mut self.keys {
            Some(keys) => keys.push(key),
            None => self.counted.add(digits[at].wrapping_sub(self.end.base())),
        }
    }
}

impl End {
    fn is_found(&self) -> bool {
        self.known.len() == 4
    }

    fn found(self) -> Option<RankKey> {
        <[i64; 4]>::try_from(self.known).ok().map(RankKey::of_digits)
    }

    /// From where the next digit is counted: small numbers are counted one by one.
    fn base(&self) -> i64 {
        self.range.map_or(0, |(low, _)| low)
    }

    fn narrow(&mut self, look: Look) {
        if let Some(mut keys) = look.keys {
            let at = (self.rank as usize).saturating_sub(1).min(keys.len().saturating_sub(1));
            if !keys.is_empty() {
                self.known = keys.select_nth_unstable(at).1.digits().to_vec();
            }
            return;
        }
        let base = self.base();
        let mut passed = 0;
        for counter in look.counted.counters() {
            if passed + counter.count < self.rank {
                passed += counter.count;
                continue;
            }
            let (low, high) = (base.wrapping_add(counter.low), base.wrapping_add(counter.high));
            (self.rank, self.left) = (self.rank - passed, counter.count);
            if low == high {
                self.known.push(low);
                self.range = None;
            } else {
                self.range = Some((low, high));
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Columns;
    use proptest::prelude::*;
    use record::{Field, Kind, Values};

    /// Messages: ready, time, source; the number is the row.
    fn columns_of<'a>(lanes: &'a [Vec<i64>; 4], kind: Kind) -> Columns<'a> {
        Columns::new(lanes[0].len())
            .with(Field::Kind, Values::Constant(kind as i64))
            .with(Field::ReadyNs, Values::Each(&lanes[0]))
            .with(Field::TakenNs, Values::Each(&lanes[1]))
            .with(Field::Src, Values::Each(&lanes[2]))
            .with(Field::Dst, Values::Constant(99))
            .with(Field::Seq, Values::Each(&lanes[3]))
    }

    fn lanes(rows: &[(i64, i64, i64)]) -> [Vec<i64>; 4] {
        [
            rows.iter().map(|row| row.0).collect(),
            rows.iter().map(|row| row.0 + row.1).collect(),
            rows.iter().map(|row| row.2).collect(),
            (0..rows.len() as i64).collect(),
        ]
    }

    fn cut(from: u64, to: u64) -> Filter {
        let share = |billionths| Share::from(billionths as f64 / 1e9);
        let stage = Some(Measured::EndToEnd);
        let cut = Cut { stage, from: share(from), to: share(to), bounds: None };
        Filter { cut: Some(cut), ..Filter::default() }
    }

    /// As a run is read: in parts, each by a thread of its own. Without sorting, every digit is
    /// counted down to the last.
    fn settle(filter: &Filter, columns: &Columns, sorts: bool) -> Result<Filter, CutError> {
        let mut search = CutSearch::new(filter).expect("it has a cut");
        loop {
            let half = columns.rows() / 2;
            let (mut one, mut other) = (search.pass(), search.pass());
            if !sorts {
                let looks = one.looks.iter_mut().chain(&mut other.looks);
                looks.for_each(|look| look.keys = None);
            }
            one.add(&columns.part(0..half));
            other.add(&columns.part(half..columns.rows()));
            one.merge(other);
            if search.learn(one)? {
                return Ok(search.settled());
            }
        }
    }

    proptest! {
        #[test]
        fn a_cut_takes_the_ranks_that_it_names(
            rows in prop::collection::vec(
                (0..40_i64, prop_oneof![0..6_i64, 0..400_000_000_000_i64, -9..0_i64], 0..4_i64),
                1..80,
            ),
            ends in (0..1_000_000_000_u64, 0..1_000_000_000_u64),
            sorts: bool,
        ) {
            let lanes = lanes(&rows);
            let columns = columns_of(&lanes, Kind::Data);
            let filter = cut(ends.0.min(ends.1), ends.0.max(ends.1) + 1);
            let mut order: Vec<usize> = (0..rows.len()).collect();
            order.sort_by_key(|&row| (rows[row].1, rows[row].0, rows[row].2, row));
            let (from, to) = filter.cut.as_ref().expect("a cut").ranks(rows.len() as u64);
            match settle(&filter, &columns, sorts) {
                Err(error) => {
                    prop_assert_eq!(from, to);
                    let said = matches!(error, CutError::Nothing { .. });
                    prop_assert!(said);
                }
                Ok(settled) => {
                    let mut wanted = order[from as usize..to as usize].to_vec();
                    wanted.sort_unstable();
                    let taken: Vec<usize> =
                        (0..rows.len()).filter(|&row| settled.takes(&columns, row)).collect();
                    prop_assert_eq!(taken, wanted);
                }
            }
        }
    }

    #[test]
    fn equal_times_are_parted_by_when_they_were_ready() {
        let lanes = lanes(&(0..1000).map(|at| (1000 - at, 7, 0)).collect::<Vec<_>>());
        let columns = columns_of(&lanes, Kind::Data);
        let settled = settle(&cut(0, 950_000_000), &columns, true).expect("a cut");
        let taken: Vec<usize> = (0..1000).filter(|&row| settled.takes(&columns, row)).collect();
        assert_eq!(taken, (50..1000).collect::<Vec<_>>());
    }

    #[test]
    fn cycles_are_cut_by_themselves_and_left_out_of_other_cuts() {
        let lanes = lanes(&(0..10).map(|at| (0, at, 0)).collect::<Vec<_>>());
        let (cycles, data) = (columns_of(&lanes, Kind::Cycle), columns_of(&lanes, Kind::Data));
        let mut filter = cut(0, 500_000_000);
        let settled = settle(&filter, &data, true).expect("a cut");
        assert!((0..10).all(|row| !settled.takes_cycle(&cycles, row)));
        filter.cut.as_mut().expect("a cut").stage = Some(Measured::Cycle);
        let settled = settle(&filter, &cycles, true).expect("a cut");
        let taken = (0..10).filter(|&row| settled.takes_cycle(&cycles, row));
        assert_eq!(taken.collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!((0..10).all(|row| settled.takes(&data, row)));
    }

    #[test]
    fn what_cannot_be_ranked_is_said() {
        let lanes = lanes(&[(0, 1, 0)]);
        let columns = columns_of(&lanes, Kind::Data);
        let mut filter = cut(0, 500_000_000);
        filter.cut.as_mut().expect("a cut").stage = Some(Measured::Transit);
        let error = settle(&filter, &columns, true).expect_err("no transit");
        assert_eq!(error, CutError::NoTimes { messages: 1, stage: "transit" });
        let error = settle(&cut(999_000_000, 1_000_000_000), &columns, true).expect_err("none");
        assert_eq!(
            error.to_string(),
            "99.9 to 100 % of 1 messages is less than one; choose a \
            larger share"
        );
    }
}
