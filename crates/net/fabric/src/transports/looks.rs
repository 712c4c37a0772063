//! When a node last looked at its paths and found nothing: whatever it finds later came later.
//! Pure.

/// The looks of one node, in its ticks.
#[derive(Default)]
pub(crate) struct Looks {
    /// Before the last look that found nothing on any path (zero: never).
    empty_at: u64,
    /// Before the next look (zero: unknown).
    next_at: u64,
}

impl Looks {
    /// As if a look had found nothing at `now`.
    pub fn from(now: u64) -> Looks {
        Looks { empty_at: now, next_at: now }
    }

    /// When it was last certain that nothing had come, in ticks (zero: never).
    #[inline]
    pub fn empty_at(&self) -> u64 {
        self.empty_at
    }

    /// The look that ends now found nothing.
    #[inline]
    pub fn found_nothing(&mut self) {
        self.empty_at = self.empty_at.max(self.next_at);
    }

    /// It is `now`, and the next look has not begun.
    #[inline]
    pub fn next_after(&mut self, now: u64) {
        self.next_at = self.next_at.max(now);
    }

    /// The node has waited for something to come, so nothing is known of the next look.
    pub fn waited(&mut self) {
        self.next_at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_had_come_before_a_look_that_finds_nothing_begins() {
        let mut looks = Looks::default();
        looks.found_nothing();
        assert_eq!(looks.empty_at(), 0, "nobody knows when that look began");
        looks.next_after(100);
        assert_eq!(looks.empty_at(), 0, "not yet");
        looks.found_nothing();
        assert_eq!(looks.empty_at(), 100);
    }

    #[test]
    fn what_a_look_found_empty_stays_so_after_a_wait() {
        let mut looks = Looks::default();
        looks.next_after(100);
        looks.found_nothing();
        looks.next_after(200);
        looks.waited();
        looks.found_nothing();
        assert_eq!(looks.empty_at(), 100, "the wait may have ended with something");
        looks.next_after(300);
        looks.found_nothing();
        assert_eq!(looks.empty_at(), 300);
    }
}
