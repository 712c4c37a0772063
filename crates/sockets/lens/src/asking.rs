//! When a process waited for answers itself.

/// Stretches of time in which a process had asked somebody and had no answer yet: in order, and
/// apart from each other.
#[derive(Debug, Default)]
pub struct Asking {
    from: Vec<i64>,
    until: Vec<i64>,
    /// The length of all before each, ns.
    before: Vec<i64>,
}

impl Asking {
    /// Of these stretches, which may overlap.
    pub fn of(mut stretches: Vec<(i64, i64)>) -> Asking {
        stretches.sort_unstable();
        let mut asking = Asking::default();
        let mut total = 0;
        for (from, until) in stretches {
            match asking.until.last_mut() {
                Some(last) if from <= *last => {
                    total += (until - *last).max(0);
                    *last = until.max(*last);
                }
                _ => {
                    asking.from.push(from);
                    asking.until.push(until);
                    asking.before.push(total);
                    total += until - from;
                }
            }
        }
        asking
    }

    /// How much of a stretch it was, ns.
    pub fn within(&self, (from, until): (i64, i64)) -> i64 {
        (self.up_to(until) - self.up_to(from)).max(0)
    }

    /// How much there was before a moment.
    fn up_to(&self, at: i64) -> i64 {
        let next = self.from.partition_point(|from| *from <= at);
        let Some(last) = next.checked_sub(1) else { return 0 };
        self.before[last] + at.min(self.until[last]) - self.from[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_counts_once() {
        let asking = Asking::of(vec![(50, 60), (10, 20), (15, 30), (12, 14)]);
        assert_eq!(asking.within((0, 100)), 30);
        assert_eq!(asking.within((25, 55)), 10);
        assert_eq!(asking.within((30, 50)), 0);
        assert_eq!(asking.within((-5, 11)), 1);
        assert_eq!(Asking::default().within((0, 9)), 0);
    }
}
