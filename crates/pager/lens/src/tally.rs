//! The page transfers of a paged program along the run.
//!
//! A page on its way out counts when it was sent, one on its way in when it arrived: both stamps
//! are of the program's own clock, so that no error between clocks moves one against the other.

use record::{Field, Kind, NULL};

use stats::build::Stretch;
use stats::timeline::{Slice, Timeline};
use stats::{Columns, Tally, own};

use crate::found::{PageKind, PageTransfers, Paging, PagingBin};

/// Slices at most. Pages travel in batches: with more slices, each would show its batches and not
/// the program's phases.
const SLICES: i64 = 256;

/// What is told apart: what it is called in the record, and the stamp of the program's side.
const KINDS: [(PageKind, Kind, Field); 3] = [
    (PageKind::In, Kind::PageIn, Field::ArrivedNs),
    (PageKind::Out, Kind::PageOut, Field::SentNs),
    (PageKind::Parity, Kind::Parity, Field::SentNs),
];

/// Transfers by slice.
#[derive(Clone, Debug)]
pub(crate) struct PagingTally {
    slices: Timeline<Counts>,
    /// First and last transfer; the first is after the last when there are none.
    span: (i64, i64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    pages: [u64; 3],
    bytes: [u64; 3],
}

impl Default for PagingTally {
    fn default() -> PagingTally {
        PagingTally { slices: Timeline::new(SLICES), span: (i64::MAX, i64::MIN) }
    }
}

impl Tally for PagingTally {
    /// Costs a look at the kinds when none is a page.
    fn add_all(&mut self, columns: &Columns) {
        if columns.shared(Field::Kind).is_some_and(|kind| place_of(kind).is_none()) {
            return;
        }
        for row in 0..columns.rows() {
            let Some(kind) = place_of(columns.at(Field::Kind, row)) else { continue };
            let at = columns.at(KINDS[kind].2, row);
            if at != NULL {
                self.count(kind, at, columns.at(Field::Bytes, row).max(0).unsigned_abs());
            }
        }
    }

    fn merge(&mut self, other: Box<dyn Tally>) {
        let other = own::<PagingTally>(other);
        self.slices.merge(&other.slices);
        self.span = (self.span.0.min(other.span.0), self.span.1.max(other.span.1));
    }
}

impl PagingTally {
    /// What is shown; `None` when no page travelled.
    pub fn shown(&self) -> Option<Paging> {
        let stretches = self.slices.stretches(self.span);
        let kinds: Vec<PageTransfers> =
            (0..KINDS.len()).filter_map(|kind| of_kind(kind, &stretches)).collect();
        (!kinds.is_empty()).then(|| Paging { kinds, series: stretches.iter().map(bin).collect() })
    }

    fn count(&mut self, kind: usize, at: i64, bytes: u64) {
        self.span = (self.span.0.min(at), self.span.1.max(at));
        let counts = self.slices.at(at);
        counts.pages[kind] += 1;
        counts.bytes[kind] += bytes;
    }
}

impl Slice for Counts {
    fn merge(&mut self, other: &Counts) {
        self.pages.iter_mut().zip(other.pages).for_each(|(mine, theirs)| *mine += theirs);
        self.bytes.iter_mut().zip(other.bytes).for_each(|(mine, theirs)| *mine += theirs);
    }

    fn is_empty(&self) -> bool {
        self.pages == [0; 3]
    }
}

fn place_of(kind: i64) -> Option<usize> {
    KINDS.iter().position(|(_, of_record, _)| *of_record as i64 == kind)
}

fn of_kind(kind: usize, stretches: &[Stretch<Counts>]) -> Option<PageTransfers> {
    let pages: u64 = stretches.iter().map(|stretch| stretch.held.pages[kind]).sum();
    let few = pages / 100;
    let first = outermost(stretches.iter(), kind, few)?;
    let last = outermost(stretches.iter().rev(), kind, few)?;
    let inside =
        stretches.iter().filter(|one| one.from_ns >= first.from_ns && one.to_ns <= last.to_ns);
    let (bytes, seconds) = inside.fold((0, 0.0), |(bytes, seconds), one| {
        (bytes + one.held.bytes[kind], seconds + one.seconds())
    });
    Some(PageTransfers {
        kind: KINDS[kind].0,
        pages,
        from_ns: first.from_ns,
        to_ns: last.to_ns,
        bytes_per_s: bytes as f64 / seconds,
        peak_bytes_per_s: stretches
            .iter()
            .map(|one| bin(one).bytes_per_s[kind])
            .fold(0.0, f64::max),
    })
}

/// Where more than `few` pages have been met.
fn outermost<'a>(
    mut stretches: impl Iterator<Item = &'a Stretch<Counts>>,
    kind: usize,
    few: u64,
) -> Option<&'a Stretch<Counts>> {
    let mut met = 0;
    stretches.find(|stretch| {
        met += stretch.held.pages[kind];
        met > few
    })
}

fn bin(stretch: &Stretch<Counts>) -> PagingBin {
    let rates = |counts: [u64; 3]| counts.map(|count| count as f64 / stretch.seconds());
    PagingBin {
        from_ns: stretch.from_ns,
        to_ns: stretch.to_ns,
        pages_per_s: rates(stretch.held.pages),
        bytes_per_s: rates(stretch.held.bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Values;

    const PAGE: i64 = 4096;

    fn take(rows: &[(Kind, i64)]) -> PagingTally {
        let kinds: Vec<i64> = rows.iter().map(|(kind, _)| *kind as i64).collect();
        let times: Vec<i64> = rows.iter().map(|(_, at)| *at).collect();
        let columns = Columns::new(rows.len())
            .with(Field::Kind, Values::Each(&kinds))
            .with(Field::Bytes, Values::Constant(PAGE))
            .with(Field::SentNs, Values::Each(&times))
            .with(Field::ArrivedNs, Values::Each(&times));
        let mut tally = PagingTally::default();
        tally.add_all(&columns);
        tally
    }

    /// 1,000 pages leave in the first second, 2,000 come back in the third, and one goes out at the
    /// very end.
    fn two_phases() -> Vec<(Kind, i64)> {
        let out = (0..1_000).map(|page| (Kind::PageOut, page * 1_000_000));
        let parity = (0..500).map(|page| (Kind::Parity, page * 2_000_000));
        let back = (0..2_000).map(|page| (Kind::PageIn, 2_000_000_000 + page * 500_000));
        out.chain(parity)
            .chain(back)
            .chain([(Kind::PageOut, 3_000_000_000), (Kind::Data, 5)])
            .collect()
    }

    #[test]
    fn phases_are_found_with_their_rates() {
        let paging = take(&two_phases()).shown().unwrap();
        let found: Vec<(PageKind, u64)> =
            paging.kinds.iter().map(|of| (of.kind, of.pages)).collect();
        assert_eq!(found, [(PageKind::In, 2_000), (PageKind::Out, 1_001), (PageKind::Parity, 500)]);
        let near = |ns: i64, s: f64| (ns as f64 / 1e9 - s).abs() < 0.03;
        let [back, out] = [paging.kinds[0], paging.kinds[1]];
        assert!(near(back.from_ns, 2.0) && near(back.to_ns, 3.0), "{back:?}");
        assert!(
            near(out.from_ns, 0.0) && near(out.to_ns, 1.0),
            "the one at the end does not count: {out:?}"
        );
        assert!((back.bytes_per_s / (2_000.0 * PAGE as f64) - 1.0).abs() < 0.05, "{back:?}");
        assert!(back.peak_bytes_per_s >= back.bytes_per_s);
    }

    #[test]
    fn slices_have_no_gaps_and_lose_no_page_in_any_order() {
        let rows = two_phases();
        let whole = take(&rows).shown();
        let mut merged = PagingTally::default();
        rows.chunks(700).rev().for_each(|part| merged.merge(Box::new(take(part))));
        assert_eq!(merged.shown(), whole);
        let series = whole.unwrap().series;
        assert!(series.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns));
        assert!((64..=256).contains(&series.len()), "{}", series.len());
        let pages = |kind: usize| -> f64 {
            series
                .iter()
                .map(|bin| bin.pages_per_s[kind] * (bin.to_ns - bin.from_ns) as f64 / 1e9)
                .sum()
        };
        assert_eq!([0, 1, 2].map(|kind| pages(kind).round()), [2_000.0, 1_001.0, 500.0]);
    }

    #[test]
    fn runs_without_pages_have_none_and_missing_stamps_are_passed_over() {
        assert_eq!(take(&[(Kind::Data, 1), (Kind::Reply, 2)]).shown(), None);
        assert_eq!(take(&[(Kind::PageIn, NULL)]).shown(), None);
        assert_eq!(PagingTally::default().shown(), None);
    }
}
