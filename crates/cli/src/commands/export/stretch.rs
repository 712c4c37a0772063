//! Which stretch of a run is exported: what was asked for, cut where it would hold too many events.

use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// A stretch of the timeline; what overlaps it is exported.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its begin, ns.
    pub from_ns: i64,
    /// Its end.
    pub to_ns: i64,
    /// Where it was cut, s, if it was.
    pub cut_at_s: Option<f64>,
    /// The first begin of an event that overlaps it, once events were counted.
    pub first_ns: Option<i64>,
}

/// Events are counted by milliseconds, about: 2^20 ns.
const SLICE: u32 = 20;

impl Stretch {
    /// From and to these seconds, or the ends of the run.
    pub fn of(from_s: Option<f64>, to_s: Option<f64>) -> Result<Stretch> {
        let ns = |seconds: f64| (seconds * 1e9) as i64;
        let stretch = Stretch {
            from_ns: from_s.map_or(i64::MIN, ns),
            to_ns: to_s.map_or(i64::MAX, ns),
            cut_at_s: None,
            first_ns: None,
        };
        if stretch.from_ns >= stretch.to_ns {
            bail!("--from must be less than --to");
        }
        Ok(stretch)
    }

    /// Whether something from `from` to `to` overlaps it.
    #[inline]
    pub fn overlaps(&self, from: i64, to: i64) -> bool {
        from < self.to_ns && to >= self.from_ns
    }

    /// Where it was cut, and the remedy; nothing where it was not.
    pub fn told(&self, limit: u64) -> String {
        self.cut_at_s.map_or_else(String::new, |seconds| {
            format!(
                "It ends at {seconds:.6} s of the run, because the limit of {limit} events was \
                reached: choose a stretch with --from and --to, or raise --limit.\n"
            )
        })
    }

    /// Cut so that it holds about `limit` events at most. `each` hands over begin, end and number
    /// of all events.
    pub fn limited(
        &self,
        limit: u64,
        each: impl FnOnce(&mut dyn FnMut(i64, i64, u64)) -> Result<()>,
    ) -> Result<Stretch> {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        let mut first_ns: Option<i64> = None;
        each(&mut |from, to, events| {
            if self.overlaps(from, to) {
                first_ns = Some(first_ns.map_or(from, |first| first.min(from)));
                *counts.entry(from.max(self.from_ns) >> SLICE).or_default() += events;
            }
        })?;
        let mut sum = 0;
        for (at, (slice, events)) in counts.into_iter().enumerate() {
            sum += events;
            // A single slice that is too many is still shown: nothing at all would help nobody.
            if sum > limit && at > 0 {
                let to_ns = slice << SLICE;
                let cut_at_s = Some(to_ns as f64 / 1e9);
                return Ok(Stretch { to_ns, cut_at_s, first_ns, ..*self });
            }
        }
        Ok(Stretch { first_ns, ..*self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(limit: u64) -> Stretch {
        let each = |add: &mut dyn FnMut(i64, i64, u64)| {
            (0..100).for_each(|ms| add(ms << SLICE, (ms << SLICE) + 5, 10));
            Ok(())
        };
        Stretch::of(None, None).unwrap().limited(limit, each).unwrap()
    }

    #[test]
    fn a_stretch_is_cut_where_the_limit_is_reached() {
        assert_eq!(limited(1000).cut_at_s, None);
        assert_eq!(limited(995).to_ns, 99 << SLICE);
        assert_eq!(limited(500).to_ns, 50 << SLICE);
        assert_eq!(limited(1).to_ns, 1 << SLICE);
    }

    #[test]
    fn what_reaches_into_a_stretch_belongs_to_it() {
        let stretch = Stretch::of(Some(1.0), Some(2.0)).unwrap();
        let second = 1_000_000_000;
        assert!(stretch.overlaps(0, second) && stretch.overlaps(2 * second - 1, 9 * second));
        assert!(!stretch.overlaps(0, second - 1) && !stretch.overlaps(2 * second, 2 * second));
        assert!(Stretch::of(Some(2.0), Some(1.0)).is_err());
    }
}
