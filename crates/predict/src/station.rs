//! A thing that does one piece of work after another.

/// First come, first served; pieces must be given in the order in which they come, and one that comes too early waits for its predecessor.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Station {
    free_s: f64,
}

impl Station {
    /// When a piece of work that comes at `at_s` and takes `busy_s` is done.
    pub(crate) fn serve(&mut self, at_s: f64, busy_s: f64) -> f64 {
        self.free_s = self.free_s.max(at_s) + busy_s;
        self.free_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_queues() {
        let mut station = Station::default();
        assert_eq!(station.serve(1.0, 2.0), 3.0);
        assert_eq!(station.serve(2.0, 1.0), 4.0, "it waits for the one before");
        assert_eq!(station.serve(10.0, 1.0), 11.0, "and not when nothing is before it");
    }
}
