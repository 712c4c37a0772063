//! Requests of a rank: which call began one, and which completed it.
//!
//! Requests are numbered as they begin, and most complete soon. So the last calls are looked up by
//! request in a ring, and only what completes later than [`WINDOW_MAX`] calls after it began is
//! remembered one by one, by the survey of the log.

/// A request that completes within so many entries is found in the ring.
const WINDOW_MAX: usize = 1 << 16;
/// Entries that all ranks together may hold back while they wait for completions.
const ENTRIES_HELD_MAX: usize = 1 << 22;

/// How many entries each of `ranks` ranks looks ahead.
pub(crate) fn window(ranks: usize) -> usize {
    (ENTRIES_HELD_MAX / ranks.max(1)).next_power_of_two().clamp(1 << 10, WINDOW_MAX)
}

/// Where the last requests began, by their number.
pub(crate) struct Slots {
    slots: Vec<(u32, u64)>,
}

impl Slots {
    /// Twice the window, so that a request that may still complete near is never overwritten by a
    /// later one.
    pub fn new(window: usize) -> Slots {
        Slots { slots: vec![(0, 0); window * 2] }
    }

    #[inline]
    pub fn begin(&mut self, request: u32, position: u64) {
        let at = request as usize & (self.slots.len() - 1);
        self.slots[at] = (request, position);
    }

    /// The position at which it began; it is forgotten then.
    #[inline]
    pub fn take(&mut self, request: u32) -> Option<u64> {
        let at = request as usize & (self.slots.len() - 1);
        let (found, position) = self.slots[at];
        if found != request || request == 0 {
            return None;
        }
        self.slots[at].0 = 0;
        Some(position)
    }
}

/// A set of request numbers.
#[derive(Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub fn insert(&mut self, at: u32) {
        let word = at as usize / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1 + word / 2, 0);
        }
        self.0[word] |= 1 << (at % 64);
    }

    #[inline]
    pub fn contains(&self, at: u32) -> bool {
        self.0.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }
}
