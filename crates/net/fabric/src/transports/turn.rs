//! Whose turn it is, of several. Pure.

/// Everybody in turn: whoever has much must not keep the others waiting.
#[derive(Default)]
pub(crate) struct Turn {
    next: usize,
}

impl Turn {
    /// Whose turn it is, of `of`; then it is the next one's.
    #[inline]
    pub fn take(&mut self, of: usize) -> usize {
        let now = self.next;
        self.next = if now + 1 == of { 0 } else { now + 1 };
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_turn_before_anybody_has_another() {
        let mut turn = Turn::default();
        let turns: Vec<usize> = (0..7).map(|_| turn.take(3)).collect();
        assert_eq!(turns, [0, 1, 2, 0, 1, 2, 0]);
    }
}
