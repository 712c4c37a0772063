//! The event at hand.

use crate::context::Doings;

pub(crate) struct Hand<P> {
    /// Slots of its bundle, in canonical order.
    pub bundle: Vec<u32>,
    /// What its handler does.
    pub doings: Doings<P>,
    /// For making its digest.
    pub scratch: Vec<u8>,
}

impl<P> Default for Hand<P> {
    fn default() -> Hand<P> {
        Hand { bundle: Vec::new(), doings: Doings::default(), scratch: Vec::new() }
    }
}
