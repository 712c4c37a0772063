//! Count, extremes, sum and sum of squares, all exact.
//!
//! A mean of ten million times must not depend on the order in which they came, nor on how many
//! threads counted them: hence integers. The sum fits `i128` whatever the values. A sum of squares
//! may pass even `u128`, so it carries into a further word. Short values, the common case, are
//! summed in 64 bits, a chunk at a time, which the compiler can vectorise.

/// Exact figures of a set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moments {
    pub count: u64,
    /// Smallest; `i64::MAX` when there are none.
    pub min: i64,
    /// Largest; `i64::MIN` when there are none.
    pub max: i64,
    /// Their sum.
    pub sum: i128,
    squares: Squares,
}

/// A sum of squares in 192 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Squares {
    low: u128,
    carry: u64,
}

/// Values that are summed in 64 bits before they join the total.
const CHUNK: usize = 2048;
/// Squares of values below this, `CHUNK` of them, fit 64 bits.
const SHORT: i64 = 1 << 26;
/// Squares of values within ± this, `CHUNK` of them, fit 128 bits.
const MIDDLING: u64 = 1 << 57;

impl Default for Moments {
    fn default() -> Moments {
        Moments { count: 0, min: i64::MAX, max: i64::MIN, sum: 0, squares: Squares::default() }
    }
}

impl Moments {
    /// The figures of `values`.
    pub fn of(values: &[i64]) -> Moments {
        let mut moments = Moments::default();
        moments.add_slice(values);
        moments
    }

    /// Take in each of `values`.
    pub fn add_slice(&mut self, values: &[i64]) {
        values.chunks(CHUNK).for_each(|chunk| self.add_chunk(chunk));
    }

    /// Take in `value`, `times` over.
    pub fn add_times(&mut self, value: i64, times: u64) {
        if times == 0 {
            return;
        }
        self.count += times;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += i128::from(value) * i128::from(times);
        self.squares.add_times(square(value), times);
    }

    /// Take in all that `other` took in.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
        self.squares.add(other.squares.low);
        self.squares.carry += other.squares.carry;
    }

    /// Arithmetic mean; 0 when there are no values.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// Variance with divisor `count − 1`; 0 for fewer than two values.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let about_mean = self.squares_about_mean().unwrap_or_else(|| {
            let n = self.count as f64;
            self.squares.value() - self.sum as f64 * (self.sum as f64 / n)
        });
        about_mean.max(0.0) / (self.count - 1) as f64
    }

    /// Sum of squared distances from the mean. The bulk is taken off in integers, by the whole
    /// number next to the mean, since in floating point it would take the digits with it. `None`
    /// where 128 bits are too few.
    fn squares_about_mean(&self) -> Option<f64> {
        let n = i128::from(self.count);
        let centre = self.sum / n;
        if self.squares.carry > 0 {
            return None;
        }
        let squares = i128::try_from(self.squares.low).ok()?;
        let cross = self.sum.checked_mul(2)?.checked_mul(centre)?;
        let centres = n.checked_mul(centre.checked_mul(centre)?)?;
        let about_centre = squares.checked_sub(cross)?.checked_add(centres)?;
        let rest = (self.sum - n * centre) as f64;
        Some(about_centre as f64 - rest * (rest / n as f64))
    }

    fn add_chunk(&mut self, chunk: &[i64]) {
        let (min, max) =
            chunk.iter().fold((self.min, self.max), |(low, high), &v| (low.min(v), high.max(v)));
        (self.min, self.max) = (min, max);
        self.count += chunk.len() as u64;
        if min >= 0 && max < SHORT {
            let (sum, squares) = chunk.iter().fold((0_u64, 0_u64), |(sum, squares), &v| {
                let short = u64::from(v as u32);
                (sum + short, squares + short * short)
            });
            self.sum += i128::from(sum);
            self.squares.add(u128::from(squares));
        } else {
            self.add_long_chunk(chunk, min.unsigned_abs().max(max.unsigned_abs()));
        }
    }

    #[cold]
    fn add_long_chunk(&mut self, chunk: &[i64], largest: u64) {
        self.sum += chunk.iter().map(|&v| i128::from(v)).sum::<i128>();
        if largest < MIDDLING {
            self.squares.add(chunk.iter().map(|&v| square(v)).sum());
        } else {
            chunk.iter().for_each(|&v| self.squares.add(square(v)));
        }
    }
}

fn square(value: i64) -> u128 {
    let magnitude = u128::from(value.unsigned_abs());
    magnitude * magnitude
}

impl Squares {
    fn add(&mut self, squares: u128) {
        let (low, over) = self.low.overflowing_add(squares);
        self.low = low;
        self.carry += u64::from(over);
    }

    fn add_times(&mut self, square: u128, times: u64) {
        let word = u128::from(u64::MAX);
        let high = (square >> 64) * u128::from(times);
        self.add((square & word) * u128::from(times));
        self.add(high << 64);
        self.carry += (high >> 64) as u64;
    }

    fn value(self) -> f64 {
        self.carry as f64 * 2f64.powi(128) + self.low as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = i64> {
        prop_oneof![0..100_000_i64, -1000..1000_i64, any::<i64>(), Just(i64::MIN), Just(i64::MAX)]
    }

    proptest! {
        #[test]
        fn order_and_grouping_do_not_matter(
            values in prop::collection::vec(any_value(), 0..300),
            cut in 0..300_usize,
        ) {
            let whole = Moments::of(&values);
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut merged = Moments::of(right);
            merged.merge(&Moments::of(left));
            prop_assert_eq!(&merged, &whole);
            let mut single = Moments::default();
            values.iter().for_each(|&v| single.add_times(v, 1));
            prop_assert_eq!(&single, &whole);
        }

        #[test]
        fn times_is_repetition(value in any_value(), times in 0..50_u64) {
            let mut at_once = Moments::default();
            at_once.add_times(value, times);
            prop_assert_eq!(at_once, Moments::of(&vec![value; times as usize]));
        }
    }

    #[test]
    fn a_small_spread_about_a_large_mean_is_kept() {
        let day_ns = 86_400_000_000_000_i64;
        let moments = Moments::of(&[day_ns - 1, day_ns, day_ns + 1]);
        assert!((moments.variance() - 1.0).abs() < 1e-9, "variance {}", moments.variance());
    }

    #[test]
    fn extremes_do_not_overflow() {
        let moments = Moments::of(&[i64::MIN; 40]);
        assert_eq!(moments.sum, i128::from(i64::MIN) * 40);
        assert!(moments.variance() < 1e30 && moments.mean() == i64::MIN as f64);
    }
}
