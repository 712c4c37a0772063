//! The dictionary of a column of few different values.

use super::plain::{Plain, Shape, put_plain};
use parquet::basic::Encoding;
use rustc_hash::FxHashMap;

/// The different values of a column, in the order in which they came.
pub struct Dictionary {
    pub values: Vec<i64>,
    places: FxHashMap<i64, u32>,
    /// Places found lately: most values come again soon.
    lately: [(i64, u32); 256],
}

impl Dictionary {
    pub fn new() -> Dictionary {
        let places = FxHashMap::default();
        Dictionary { values: Vec::new(), places, lately: [(0, u32::MAX); 256] }
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.places.clear();
        self.lately = [(0, u32::MAX); 256];
    }

    #[inline]
    pub fn place(&mut self, value: i64) -> u32 {
        let slot = (value.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64 as i64) as u64 >> 56) as usize;
        let (known, place) = self.lately[slot];
        if known == value && place != u32::MAX {
            return place;
        }
        let next = self.values.len() as u32;
        let place = *self.places.entry(value).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        self.lately[slot] = (value, place);
        place
    }

    pub fn page(&self, shape: Shape) -> Plain {
        let mut bytes = Vec::new();
        self.values.iter().for_each(|value| put_plain(*value, shape, &mut bytes));
        Plain { bytes, count: self.values.len(), encoding: Encoding::PLAIN }
    }
}
