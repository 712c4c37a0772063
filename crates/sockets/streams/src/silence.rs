//! From when on a process that was killed may have done what it did not log.

/// When the first of the processes that wrote into an end logged its last call that did; of all
/// that used it, its last call there, where none of them wrote. A process that is killed does not
/// log the calls within which its threads are, though the bytes are gone: what another thread does
/// elsewhere meanwhile says nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    /// ns.
    pub from: i64,
    is_of_writer: bool,
}

impl Silence {
    /// Of nobody.
    pub const NONE: Silence = Silence { from: i64::MAX, is_of_writer: false };

    /// A process has done this, too: when it wrote for the last time, if it did, and when it made
    /// its last call.
    pub fn go_on(&mut self, wrote: Option<i64>, last: i64) {
        let before = if self.from == i64::MAX { i64::MIN } else { self.from };
        *self = match (wrote, self.is_of_writer) {
            (Some(wrote), true) => Silence { from: before.max(wrote), is_of_writer: true },
            (Some(wrote), false) => Silence { from: wrote, is_of_writer: true },
            (None, true) => *self,
            (None, false) => Silence { from: before.max(last), is_of_writer: false },
        };
    }

    /// Another process used the end.
    pub fn add(&mut self, other: Silence) {
        if other.is_of_writer == self.is_of_writer {
            self.from = self.from.min(other.from);
        } else if other.is_of_writer {
            *self = other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_writes_counts_and_of_several_the_first_that_fell_silent() {
        let of = |wrote, last| {
            let mut silence = Silence::NONE;
            silence.go_on(wrote, last);
            silence
        };
        let mut all = Silence::NONE;
        all.add(of(None, 50));
        assert_eq!(all.from, 50, "nobody wrote so far");
        all.add(of(Some(900), 1000));
        all.add(of(Some(700), 2000));
        all.add(of(None, 10));
        assert_eq!(all.from, 700);
        let mut twice = of(Some(5), 80);
        twice.go_on(None, 300);
        twice.go_on(Some(9), 100);
        assert_eq!(twice.from, 9, "what it read later says nothing");
    }
}
