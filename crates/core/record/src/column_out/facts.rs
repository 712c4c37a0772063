//! What the statistics of a column say.

use crate::NULL;

/// What the statistics say of the values that are there.
pub struct Facts {
    pub least: i64,
    pub most: i64,
    pub nulls: usize,
}

impl Facts {
    pub fn of(values: &[i64], optional: bool) -> Facts {
        let (least, most) = ends(values);
        if !optional || least != NULL {
            return Facts { least, most, nulls: 0 };
        }
        let known = || values.iter().copied().filter(|value| *value != NULL);
        let least = known().min().unwrap_or(i64::MAX);
        Facts { least, most, nulls: values.len() - known().count() }
    }

    /// Of rows that all hold this value.
    pub fn of_one(value: i64, optional: bool, rows: usize) -> Facts {
        match optional && value == NULL {
            true => Facts { least: i64::MAX, most: NULL, nulls: rows },
            false => Facts { least: value, most: value, nulls: 0 },
        }
    }
}

/// The least and the most of some values.
fn ends(values: &[i64]) -> (i64, i64) {
    // Several at a time, because each comparison has to wait for the one before.
    let (fours, rest) = values.as_chunks::<4>();
    let (mut least, mut most) = ([i64::MAX; 4], [i64::MIN; 4]);
    for four in fours {
        for at in 0..4 {
            least[at] = least[at].min(four[at]);
            most[at] = most[at].max(four[at]);
        }
    }
    let least = rest.iter().chain(&least).copied().min().unwrap_or(i64::MAX);
    let most = rest.iter().chain(&most).copied().max().unwrap_or(NULL);
    (least, most)
}
