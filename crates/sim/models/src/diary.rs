//! Diary: an object that runs ahead by messages to itself, and is told too late that it need not
//! have.
//!
//! It replays what a memo of 1988 tells of one message, "M": it waited 383 of its 385 ms in the
//! receive queue, which was empty when it arrived, because its node was cancelling 64 messages that
//! M's receiver had sent to itself, in one sweep. M's receive time was earlier than the send time
//! of all but five of them.
//!
//! Here the diary turns 64 pages, a day each, told by a message to itself; each day it tells that
//! day's page to write, which is real work. A caller on another node works longer than that, then
//! calls the diary off, as of the first day, and a little later sends it a note for day 5.5: M.
//! Cancelling a day takes its page back, which is as much work as writing it was; the first page is
//! the longest, and M arrives while it is taken back. An engine that cancels everything in one
//! sweep (`zip_forward`) has no eyes for M until all pages are taken back; one that looks at what
//! has arrived between any two steps takes M soon.
//!
//! The result is always the same: a day, a note, and no page.
//!
//! Source: the "Story of a Message" of the memo; the model is ours.

mod recipe;

use crate::ModelError;
use crate::error::demand;
use crate::phold::spin;
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, History, Model, ObjectId, VirtualTime};

/// What a command line calls it.
pub const NAME: &str = "diary";

/// Parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiaryOptions {
    /// Days that the diary runs ahead.
    pub days: u32,
    /// Steps of work to write a page, and to take it back.
    pub work_steps: u32,
    /// Notes that the caller sends, one after the other.
    pub notes: u32,
}

impl Default for DiaryOptions {
    fn default() -> DiaryOptions {
        DiaryOptions { days: 64, work_steps: 0, notes: 1 }
    }
}

/// What names a message of this model in the record of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageName {
    /// Object that sends it.
    pub from: ObjectId,
    /// Object that it is for.
    pub to: ObjectId,
    /// Its virtual receive time.
    pub receive: f64,
}

/// The memo's message M, of a diary of so many days: the caller's first note.
pub fn memo_message(days: u32) -> MessageName {
    MessageName { from: caller(days), to: DIARY, receive: NOTE }
}

fn caller(days: u32) -> ObjectId {
    ObjectId(days + 1)
}

/// The model. Objects: the diary, its pages, the caller, and as many who do nothing as make two
/// equal halves of all, so that two nodes have the diary and the caller apart.
#[derive(Clone, Debug)]
pub struct Diary {
    options: DiaryOptions,
}

/// An object.
#[derive(Clone, Debug, PartialEq)]
pub enum DiaryState {
    /// The one that runs ahead.
    Diary {
        /// Whether it has been called off.
        called_off: bool,
        /// Days that it wrote.
        days: u32,
        /// Notes that it got.
        notes: u32,
    },
    /// What it wrote on a day.
    Page {
        /// Its number.
        page: u32,
        /// Depends on every step of writing.
        ink: u64,
        /// Its events: it is bound into the diary, then written.
        events: u32,
    },
    /// Who calls it off.
    Caller {
        /// Depends on every step of its work.
        thought: u64,
    },
    /// Does nothing.
    Idle,
}

const DIARY: ObjectId = ObjectId(0);
/// Most days: a run of more says nothing new.
const DAYS_MAX: u32 = 100_000;
/// The caller works so many pages' time before it calls, in halves: longer than the diary takes to
/// write all pages.
const PATIENCE_HALVES: u32 = 5;
/// In thoughts of so many, so that its node is never silent for long.
const THOUGHT: u32 = 4;
/// The first page takes so many pages' time: the sweep begins with taking it back.
const FIRST_PAGE: u32 = 8;
/// The caller takes so many before the first note, so that it comes when the sweep has just begun.
const BEFORE_NOTE: u32 = 2;
/// And before each further one.
const BETWEEN_NOTES: u32 = 8;

/// What a message means.
mod selector {
    pub const TURN: i32 = 0;
    pub const BIND: i32 = 1;
    pub const WRITE: i32 = 2;
    pub const CALL_OFF: i32 = 3;
    pub const NOTE: i32 = 4;
    pub const THINK: i32 = 5;
}

/// Times of the first days' events, all before the first day.
const FIRST_THOUGHT: f64 = 0.1;
const NEXT_THOUGHT: f64 = 1e-7;
const BINDING: f64 = 0.25;
/// The note's receive time: later than the send times of five days.
const NOTE: f64 = 5.5;

impl Diary {
    /// With these parameters.
    ///
    /// # Errors
    /// When there is no day, or too many of them.
    pub fn new(options: &DiaryOptions) -> Result<Diary, ModelError> {
        let (days, notes) = (options.days, options.notes);
        demand((1..=DAYS_MAX).contains(&days), "days", days, "give 1 to 100000")?;
        demand((1..=1000).contains(&notes), "notes", notes, "give 1 to 1000")?;
        Ok(Diary { options: options.clone() })
    }

    fn caller(&self) -> ObjectId {
        caller(self.options.days)
    }

    fn is_page(&self, object: ObjectId) -> bool {
        (1..=self.options.days).contains(&object.0)
    }

    /// So many pages' time of work.
    fn think(&self, thought: u64, pages: u32) -> u64 {
        (0..pages).fold(thought, |thought, _| spin(thought, self.options.work_steps))
    }

    fn turn(
        &self,
        state: &mut DiaryState,
        bundle: Bundle<'_, u64>,
        context: &mut Context<'_, u64>,
    ) {
        let DiaryState::Diary { called_off, days, notes } = state else { return };
        let has = |selector| bundle.iter().any(|message| message.selector == selector);
        *called_off |= has(selector::CALL_OFF);
        *notes += bundle.iter().filter(|message| message.selector == selector::NOTE).count() as u32;
        if has(selector::TURN) {
            *days += 1;
            let day = bundle.first().payload.min(u64::from(self.options.days) + 1) as u32;
            if !*called_off && day <= self.options.days {
                context.send(DIARY, context.now().after(1.0), selector::TURN, u64::from(day) + 1);
                // Last, so that it is the first of this event's messages to be cancelled.
                context.send(ObjectId(day), context.now().after(0.5), selector::WRITE, 0);
            }
        }
    }

    /// How often the caller thinks before it calls.
    fn patience(&self) -> u64 {
        u64::from((self.options.days + FIRST_PAGE) * PATIENCE_HALVES / 2 / THOUGHT)
    }

    /// First it thinks for long, then it calls the diary off, then it sends notes.
    fn call(&self, thought: &mut u64, thoughts: u64, context: &mut Context<'_, u64>) {
        let patience = self.patience();
        let note = thoughts.saturating_sub(patience);
        let pages = match note {
            0 if thoughts == patience => 0,
            0 => THOUGHT,
            1 => BEFORE_NOTE,
            _ => BETWEEN_NOTES,
        };
        *thought = self.think(*thought, pages);
        match note {
            0 if thoughts == patience => {
                context.send(DIARY, VirtualTime::at(1.0), selector::CALL_OFF, 0)
            }
            0 => {}
            note => {
                let receive = NOTE + (note - 1) as f64 * NEXT_THOUGHT;
                context.send(DIARY, VirtualTime::at(receive), selector::NOTE, note);
            }
        }
        if note < u64::from(self.options.notes) {
            context.send(
                self.caller(),
                context.now().after(NEXT_THOUGHT),
                selector::THINK,
                thoughts + 1,
            );
        }
    }
}

impl Model for Diary {
    type State = DiaryState;
    type Payload = u64;
    type Undo = ();

    fn objects(&self) -> u32 {
        2 * (self.options.days + 1)
    }

    fn name(&self, object: ObjectId) -> String {
        match object {
            DIARY => "diary".into(),
            page if self.is_page(page) => format!("page{}", page.0),
            other if other == self.caller() => "caller".into(),
            idle => format!("idle{}", idle.0),
        }
    }

    fn kind(&self, object: ObjectId) -> &'static str {
        match object {
            DIARY => "diary",
            page if self.is_page(page) => "page",
            other if other == self.caller() => "caller",
            _ => "idle",
        }
    }

    fn init(&self, object: ObjectId, context: &mut Context<'_, u64>) -> DiaryState {
        match object {
            DIARY => {
                context.send(DIARY, VirtualTime::at(1.0), selector::TURN, 1);
                DiaryState::Diary { called_off: false, days: 0, notes: 0 }
            }
            page if self.is_page(page) => {
                context.send(page, VirtualTime::at(BINDING), selector::BIND, 0);
                DiaryState::Page { page: page.0, ink: u64::from(page.0), events: 0 }
            }
            caller if caller == self.caller() => {
                context.send(caller, VirtualTime::at(FIRST_THOUGHT), selector::THINK, 0);
                DiaryState::Caller { thought: 1 }
            }
            _ => DiaryState::Idle,
        }
    }

    fn event(
        &self,
        state: &mut DiaryState,
        bundle: Bundle<'_, u64>,
        context: &mut Context<'_, u64>,
    ) {
        match state {
            DiaryState::Diary { .. } => self.turn(state, bundle, context),
            DiaryState::Page { ink, events, .. } => {
                if *events > 0 {
                    *ink = self.think(*ink, pages_in(context.object()));
                }
                *events += 1;
            }
            DiaryState::Caller { thought } => self.call(thought, bundle.first().payload, context),
            DiaryState::Idle => {}
        }
    }

    fn undo(&self, state: &mut DiaryState, (): ()) {
        let DiaryState::Page { page, ink, events } = state else { return };
        *events -= 1;
        if *events > 0 {
            let pages = pages_in(ObjectId(*page));
            *ink = (0..pages).fold(*ink, |ink, _| unspin(ink, self.options.work_steps));
        }
    }

    fn history(&self, object: ObjectId) -> History {
        if self.is_page(object) { History::Records } else { History::Copy }
    }
}

/// How much longer than others this page takes.
fn pages_in(page: ObjectId) -> u32 {
    if page.0 == 1 { FIRST_PAGE } else { 1 }
}

/// The factor of [`spin`]'s steps times this is 1.
const INVERSE: u64 = inverse(0x9e37_79b9_7f4a_7c15);

/// Take back so many steps of [`spin`], the last one first: as much work as doing them was.
#[inline(never)]
fn unspin(mixed: u64, steps: u32) -> u64 {
    (0..steps)
        .rev()
        .fold(mixed, |mixed, step| (mixed ^ (mixed >> 32)).wrapping_mul(INVERSE) ^ u64::from(step))
}

/// Of an odd number, modulo 2^64, by Newton's iteration: each round doubles the bits that are
/// right.
const fn inverse(of: u64) -> u64 {
    let mut inverse = of;
    let mut round = 0;
    while round < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(of.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use timewarp::{Limits, Unwatched, sequential};

    proptest! {
        #[test]
        fn taking_back_is_the_reverse_of_writing(ink: u64, steps in 0u32..200) {
            prop_assert_eq!(unspin(spin(ink, steps), steps), ink);
            prop_assert!(steps == 0 || unspin(spin(ink, steps), steps - 1) != ink);
        }
    }

    #[test]
    fn in_order_no_page_is_written() {
        let options = DiaryOptions { days: 10, work_steps: 5, notes: 3 };
        let model = Diary::new(&options).unwrap();
        let total = sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap().total();
        // Each page is bound; a day; the caller's thoughts, its call and its sending notes; the
        // notes.
        assert_eq!(total.events, 10 + 1 + (model.patience() + 1 + 3) + 3);
        assert_eq!(model.patience(), 11);
    }

    #[test]
    fn days_and_notes_have_bounds() {
        for options in [
            DiaryOptions { days: 0, ..Default::default() },
            DiaryOptions { days: 100_001, ..Default::default() },
            DiaryOptions { notes: 0, ..Default::default() },
        ] {
            assert!(Diary::new(&options).is_err(), "{options:?}");
        }
    }
}
