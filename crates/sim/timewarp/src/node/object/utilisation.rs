//! What share of its node's time an object has used usefully, from look to look.

/// Work that was not undone.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::node) struct Utilisation {
    /// At the last look, ns.
    effective_ns: i64,
    percent: f32,
}

impl Utilisation {
    /// Look again: the object has come to `effective_ns` in all, `elapsed_ns` after the last look.
    /// Returns what it did since, which is negative where events of an earlier look were undone.
    pub fn look(&mut self, effective_ns: i64, elapsed_ns: f64) -> i64 {
        let worked_ns = effective_ns - std::mem::replace(&mut self.effective_ns, effective_ns);
        self.percent = (worked_ns as f64 * 100.0 / elapsed_ns) as f32;
        worked_ns
    }

    /// What the last look found.
    pub fn percent(&self) -> f64 {
        self.percent.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_counts_the_work_since_the_one_before() {
        let mut utilisation = Utilisation::default();
        assert_eq!((utilisation.look(250, 1000.0), utilisation.percent()), (250, 25.0));
        assert_eq!((utilisation.look(750, 2000.0), utilisation.percent()), (500, 25.0));
        assert_eq!((utilisation.look(650, 1000.0), utilisation.percent()), (-100, -10.0));
    }
}
