//! What stretches show, size by size.

use super::Stretch;
use std::collections::BTreeMap;

/// One size.
#[derive(Clone, Debug, Default)]
pub(super) struct Shown {
    pub packets: u32,
    pub one_way: Vec<f64>,
    pub receive: Vec<f64>,
    pub sending: Vec<f64>,
    pub taking: Vec<f64>,
    pub passing: Vec<f64>,
    pub passing_error: Vec<f64>,
    pub crowd: Option<u32>,
    pub under_way: Option<u32>,
    pub not_arrived: Option<u32>,
}

/// All sizes, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Sizes(pub BTreeMap<u64, Shown>);

/// A value at a size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At {
    pub bytes: u64,
    pub packets: f64,
    pub value: f64,
}

impl Sizes {
    pub fn of<'a>(stretches: impl Iterator<Item = &'a Stretch>) -> Sizes {
        let mut sizes = Sizes::default();
        for stretch in stretches {
            let shown = sizes.0.entry(stretch.bytes).or_default();
            shown.packets = shown.packets.max(stretch.packets).max(1);
            shown.one_way.extend(stretch.one_way);
            shown.receive.extend(stretch.receive);
            shown.sending.extend(stretch.sending);
            shown.taking.extend(stretch.taking);
            shown.passing.extend(stretch.passing);
            shown.passing_error.extend(stretch.passing_error);
            shown.crowd = shown.crowd.max(stretch.crowd);
            shown.not_arrived = match (shown.not_arrived, stretch.not_arrived) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            shown.under_way = shown.under_way.max(stretch.under_way);
        }
        sizes
    }

    /// What its stretches come to, of each size that has any.
    fn each<'a>(
        &'a self,
        of: impl Fn(&Shown) -> Option<f64> + 'a,
    ) -> impl Iterator<Item = At> + 'a {
        self.0.iter().filter_map(move |(bytes, shown)| {
            let packets = f64::from(shown.packets);
            Some(At { bytes: *bytes, packets, value: of(shown)? })
        })
    }

    pub fn one_way(&self) -> impl Iterator<Item = At> + '_ {
        self.each(|shown| median(&shown.one_way))
    }

    pub fn receive(&self) -> impl Iterator<Item = At> + '_ {
        self.each(|shown| median(&shown.receive))
    }

    pub fn sending(&self) -> impl Iterator<Item = At> + '_ {
        self.each(|shown| median(&shown.sending))
    }

    pub fn taking(&self) -> impl Iterator<Item = At> + '_ {
        self.each(|shown| median(&shown.taking))
    }

    /// The mean: messages come in lumps, and stretches of a stream with many of them or few.
    pub fn passing(&self) -> impl Iterator<Item = At> + '_ {
        self.each(|shown| mean(&shown.passing))
    }
}

/// How far the figure of the smallest size's stream may be off.
pub(super) fn passing_error(sizes: &Sizes) -> f64 {
    let first = sizes.0.values().find(|shown| !shown.passing.is_empty());
    first.and_then(|shown| median(&shown.passing_error)).unwrap_or(0.0)
}

/// How much the stretches of a usual size differ, as a part of their median.
pub(super) fn noise(sizes: &Sizes) -> f64 {
    let of = |values: &[f64]| {
        let middle = median(values).filter(|_| values.len() > 2)?;
        let off: Vec<f64> = values.iter().map(|value| (value / middle - 1.0).abs()).collect();
        Some(median(&off)? / (values.len() as f64).sqrt())
    };
    let each: Vec<f64> = sizes.0.values().filter_map(|shown| of(&shown.one_way)).collect();
    median(&each).unwrap_or(0.0)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle one; of two, their mean.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = (sorted.len().checked_sub(1)? / 2, sorted.len() / 2);
    Some((sorted[low] + sorted[high]) / 2.0)
}
