//! What a message is, by the protocol of a connection: rules that find where messages end.
//!
//! A rule is a state machine over the bytes of one direction. It is given them as calls moved them,
//! cut anywhere, and finds the same ends however they are cut. It has a fixed size and
//! allocates nothing. Bytes that it does not allow end the framing of that direction, with a
//! [`Reason`]. Where no rule was given one is guessed from the first byte: [`Guess`].
//!
//! | File | Rule |
//! |---|---|
//! | `resp` | Redis: RESP2 and RESP3, and commands as plain lines |
//! | `http` | HTTP/1.0 and 1.1 |
//! | `length` | a count before each message |
//! | `lines` | a message is a line |
//! | `plain` | what one call wrote |
//!
//! A new rule is a file that implements `Rule`, and a line in `rules!` of `rules`.

mod guess;
mod http;
mod length;
mod line;
mod lines;
mod plain;
mod reason;
mod resp;
mod rules;
mod shared;
mod step;

pub use guess::Guess;
pub use reason::Reason;
pub use rules::{PortRule, RuleError, Rules, help};
pub use shared::Shared;
pub use step::{Class, Side};

use rules::Any;
use step::Step;

/// What is found in a direction's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A message ends before this byte of the direction.
    End(u64, Class),
    /// The rule that is followed, of which none was given.
    Guess(Guess),
    /// From this byte on messages are not found any more.
    Stop(u64, Reason),
}

/// Follows one direction of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Follower {
    /// `None` before one was guessed.
    rule: Option<Any>,
    side: Side,
    /// Bytes so far.
    offset: u64,
    /// Bytes to come that the rule need not see.
    pass: u64,
    /// The message ends behind them.
    then: Option<Class>,
    is_over: bool,
}

impl Follower {
    /// From the first byte of a direction on.
    pub fn new(rule: &PortRule, side: Side) -> Follower {
        Follower::by(Some(rule.rule), side)
    }

    /// The same, by a rule that is to be guessed.
    pub fn guessing(side: Side) -> Follower {
        Follower::by(None, side)
    }

    fn by(rule: Option<Any>, side: Side) -> Follower {
        Follower { rule, side, offset: 0, pass: 0, then: None, is_over: false }
    }

    /// Whether nothing is found any more.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Take the next bytes.
    pub fn follow(&mut self, mut bytes: &[u8], shared: &Shared, mut found: impl FnMut(Found)) {
        self.guess(bytes.first(), shared, &mut found);
        while !bytes.is_empty() && !self.is_over {
            let Some(rule) = &mut self.rule else { return };
            if self.pass > 0 {
                let passed = self.pass.min(bytes.len() as u64);
                bytes = &bytes[passed as usize..];
                self.passed(passed, &mut found);
                continue;
            }
            let offset = self.offset;
            let ran = rule.run(bytes, self.side, |end| {
                found(Found::End(offset + end as u64, Class::Paired));
            });
            if ran > 0 {
                self.offset += ran as u64;
                bytes = &bytes[ran..];
                continue;
            }
            let taken = match rule.step(bytes, self.side, shared) {
                Step::Took(taken) => taken,
                Step::End(taken, class) => {
                    found(Found::End(self.offset + taken as u64, class));
                    taken
                }
                Step::Pass(taken, pass) => {
                    self.pass = pass;
                    taken
                }
                Step::PassToEnd(taken, pass, class) => {
                    (self.pass, self.then) = (pass, Some(class));
                    taken
                }
                Step::Stop(taken, reason) => {
                    self.offset += taken as u64;
                    return self.stop(reason, found);
                }
            };
            self.offset += taken as u64;
            bytes = &bytes[taken.min(bytes.len())..];
            self.passed(0, &mut found);
        }
    }

    /// Guess a rule, if none is followed. Who cannot ends without a word: nobody was promised any.
    fn guess(&mut self, first: Option<&u8>, shared: &Shared, found: &mut impl FnMut(Found)) {
        let (None, Some(first)) = (&self.rule, first) else { return };
        let guess = match self.side {
            Side::Request => shared.guess(Guess::of(*first)),
            Side::Answer => shared.guess(None),
        };
        self.rule = guess.map(Guess::any);
        self.is_over |= guess.is_none();
        if self.side == Side::Request {
            guess.into_iter().for_each(|guess| found(Found::Guess(guess)));
        }
    }

    /// The next bytes were moved by a call that does not show them.
    pub fn unseen(&mut self, bytes: u64, mut found: impl FnMut(Found)) {
        if self.rule.is_none() {
            self.is_over = true;
        }
        if self.is_over {
            return;
        }
        let passed = self.pass.min(bytes);
        self.passed(passed, &mut found);
        if passed < bytes {
            self.stop(Reason::Unseen, found);
        }
    }

    /// End it.
    pub fn stop(&mut self, reason: Reason, mut found: impl FnMut(Found)) {
        if !self.is_over {
            self.is_over = true;
            found(Found::Stop(self.offset, reason));
        }
    }

    fn passed(&mut self, bytes: u64, found: &mut impl FnMut(Found)) {
        self.offset += bytes;
        self.pass -= bytes;
        if self.pass == 0
            && let Some(class) = self.then.take()
        {
            found(Found::End(self.offset, class));
        }
    }
}

#[cfg(test)]
mod tests;
