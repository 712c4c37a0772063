//! How far an object has run ahead, and how much it may.

/// What penalties and throttling go by; not kept up when there are none.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::node) struct Pace {
    /// Penalty not yet worked off.
    pub cancellations: u32,
    /// Events not committed.
    pub events: u32,
    /// Messages sent by them.
    pub outputs: u32,
    /// Events committed since the allowance was last computed.
    pub committed: u32,
    /// Events that it may run ahead.
    pub allowance: f64,
    /// The GVT round of the allowance.
    pub round: u64,
}

impl Pace {
    pub fn executed(&mut self, outputs: u32) {
        self.events += 1;
        self.outputs += outputs;
        self.allowance -= 1.0;
    }

    pub fn undone(&mut self, outputs: u32) {
        self.events = self.events.saturating_sub(1);
        self.outputs = self.outputs.saturating_sub(outputs);
        self.allowance += 1.0;
    }

    pub fn committed(&mut self, outputs: u32) {
        self.events -= 1;
        self.outputs -= outputs;
        self.committed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_undone_gives_back_what_it_took() {
        let mut pace = Pace { allowance: 5.0, ..Pace::default() };
        pace.executed(3);
        pace.executed(4);
        pace.undone(4);
        assert_eq!((pace.events, pace.outputs, pace.allowance), (1, 3, 4.0));
        pace.committed(3);
        assert_eq!((pace.events, pace.outputs, pace.committed), (0, 0, 1));
        assert_eq!(pace.allowance, 4.0, "what was committed stays spent");
    }
}
