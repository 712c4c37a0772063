//! A column of a row group that is being filled.
//!
//! Most columns of most row groups hold one value throughout. Such a column is that value and a
//! count until another value comes: it takes no memory, and who encodes it need not look through
//! its rows.

use crate::Values;

/// The values so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filling {
    rows: usize,
    /// The value of all rows, while `each` is empty.
    one: i64,
    each: Vec<i64>,
}

impl Filling {
    /// How many there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Append one.
    #[inline]
    pub fn push(&mut self, value: i64) {
        self.extend(std::iter::once(value));
    }

    /// Append some.
    #[inline]
    pub fn extend(&mut self, values: impl ExactSizeIterator<Item = i64> + Clone) {
        let rows = self.rows + values.len();
        if self.each.is_empty() {
            if self.rows == 0 {
                self.one = values.clone().next().unwrap_or_default();
            }
            if values.clone().all(|value| value == self.one) {
                self.rows = rows;
                return;
            }
            self.each.resize(self.rows, self.one);
        }
        self.each.extend(values);
        self.rows = rows;
    }

    /// Begin anew; the memory is used again.
    pub fn clear(&mut self) {
        self.each.clear();
        self.rows = 0;
    }

    /// All of them.
    pub fn values(&self) -> Values<'_> {
        if self.each.is_empty() { Values::Constant(self.one) } else { Values::Each(&self.each) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_column_holds_what_was_put_in_and_says_when_that_is_one_value(
            parts in proptest::collection::vec(
                (0i64..3, 0usize..5, prop::bool::weighted(0.2)), 0..12),
        ) {
            let mut filling = Filling::default();
            for _ in 0..2 {
                filling.clear();
                let mut expected: Vec<i64> = Vec::new();
                for (value, times, varies) in &parts {
                    let part = (0..*times as i64).map(|at| value + at * i64::from(*varies));
                    let part: Vec<i64> = part.collect();
                    filling.extend(part.iter().copied());
                    part.first().into_iter().for_each(|first| filling.push(*first));
                    expected.extend(part.iter().chain(part.first()));
                }
                prop_assert_eq!(filling.rows(), expected.len());
                let values: Vec<i64> = filling.values().iter(expected.len()).collect();
                prop_assert_eq!(&values, &expected);
                let is_one = expected.iter().all(|value| *value == expected[0]);
                prop_assert_eq!(matches!(filling.values(), Values::Constant(_)), is_one);
            }
        }
    }
}
