//! Pings to compare clocks by, and the answer to the last one: one is under way at a time.

use clock::Ticks;

/// The pings of one launch.
#[derive(Default)]
pub(super) struct Pings {
    sequence: u32,
    answer: Option<Answer>,
}

/// What an answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The ping that it answers.
    pub sequence: u32,
    /// When the ping came and when the answer went, on the other's clock.
    pub remote_received: Ticks,
    pub remote_sent: Ticks,
    /// When the answer came, on ours.
    pub local_received: Ticks,
}

impl Pings {
    /// The number of a new ping. Answers to earlier ones are of no use from now on.
    pub fn begin(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// An answer has come.
    pub fn answered(&mut self, answer: Answer) {
        self.answer = Some(answer);
    }

    /// The answer to the last ping, if it has come. That of a ping that was given up is dropped.
    pub fn take_answer(&mut self) -> Option<Answer> {
        self.answer.take().filter(|answer| answer.sequence == self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_a_ping_that_was_given_up_is_dropped() {
        let mut pings = Pings::default();
        let at = Ticks(5);
        let answer = |sequence| Answer {
            sequence,
            remote_received: at,
            remote_sent: at,
            local_received: at,
        };
        let first = pings.begin();
        assert_eq!(pings.take_answer(), None);
        let second = pings.begin();
        pings.answered(answer(first));
        assert_eq!(pings.take_answer(), None, "too late");
        pings.answered(answer(second));
        assert_eq!(pings.take_answer(), Some(answer(second)));
        assert_eq!(pings.take_answer(), None, "once");
    }
}
