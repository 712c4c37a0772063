//! The calls of each rank as steps.

use super::collectives::{Collectives, Counter};
use super::polls::{self, Poll, Polls};
use super::{Deeds, Kept, ProgramError};
use crate::{CallRow, CallTables, function_name};
use calls::list::{CLASSES, Class, NAMES};
use calls::table::CallColumn;
use predict::{Course, Step};
use std::collections::HashMap;

/// What all ranks did, and how long that took.
pub(super) struct Courses {
    pub courses: Vec<Course>,
    pub measured_ns: u64,
}

/// A rank's course while it is read.
#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    /// When its first and its last call that counts was left.
    began: Option<i64>,
    until: i64,
    counter: Counter,
    polls: Polls,
    finalized: bool,
    /// Collectives that did not block, by the row of the call that waited for them.
    later: HashMap<i64, Vec<Step>>,
}

pub(super) fn courses(
    tables: &CallTables,
    ranks: usize,
    deeds: &mut [Deeds],
    collectives: &Collectives,
    kept: &mut Kept,
) -> Result<Courses, ProgramError> {
    let mut readers: Vec<Reader> = (0..ranks).map(|_| Reader::default()).collect();
    tables.each_call(|call| {
        let rank = call.rank() as usize;
        readers[rank].call(call, &mut deeds[rank], collectives, kept)
    })?;
    readers.iter_mut().for_each(|reader| reader.polls.end(&mut reader.steps, kept));
    let begins = readers.iter().filter_map(|reader| reader.began).min().unwrap_or(0);
    let ends = readers.iter().map(|reader| reader.until).max().unwrap_or(0);
    let course = |reader: Reader| Course {
        begins_ns: reader.began.map_or(0, |began| (began - begins).max(0) as u64),
        steps: reader.steps,
    };
    Ok(Courses {
        courses: readers.into_iter().map(course).collect(),
        measured_ns: (ends - begins).max(0) as u64,
    })
}

impl Reader {
    fn call(
        &mut self,
        call: CallRow<'_>,
        deeds: &mut Deeds,
        collectives: &Collectives,
        kept: &mut Kept,
    ) -> Result<(), ProgramError> {
        let function = call.value(CallColumn::Call).unwrap_or(-1);
        let class = class(function);
        let rank = call.rank();
        if call.value(CallColumn::Thread).unwrap_or(0) > 0 {
            return Err(ProgramError::Threads { rank });
        }
        let Some(enter) = call.value(CallColumn::Enter) else { return Ok(()) };
        let Some(exit) = call.value(CallColumn::Exit) else {
            return Err(ProgramError::Cut { rank, call: function_name(function) });
        };
        if class == Some(&Class::Local) && !self.polls.is_empty() {
            // It is part of what the program does between polls.
            return Ok(());
        }
        if !polls::is_one(function) {
            self.polls.end(&mut self.steps, kept);
        }
        if class == Some(&Class::Life) {
            self.life(function, enter, exit);
            return Ok(());
        }
        // What asks only whether MPI has begun may come before that.
        if self.finalized || (self.began.is_none() && class == Some(&Class::Local)) {
            return Ok(());
        }
        if self.began.is_none() {
            // How MPI began here was not seen.
            (self.began, self.until) = (Some(enter), enter);
        }
        self.play(call, [enter, exit], deeds, collectives, kept);
        Ok(())
    }

    /// A call between the first and the last.
    fn play(
        &mut self,
        call: CallRow<'_>,
        [enter, exit]: [i64; 2],
        deeds: &mut Deeds,
        collectives: &Collectives,
        kept: &mut Kept,
    ) {
        let function = call.value(CallColumn::Call).unwrap_or(-1);
        let site = call.value(CallColumn::Site).unwrap_or(0) as u32;
        let before = enter - self.until;
        self.until = exit;
        let later = self.later.remove(&call.number()).into_iter().flatten();
        let mut steps: Vec<Step> = deeds.at(call.number()).chain(later).collect();
        if polls::is_one(function) {
            let vain = call.value(CallColumn::Polls).unwrap_or(0);
            self.polls.add(Poll { before, enter, exit, site, vain, steps });
            return;
        }
        self.work(before, 2 * site);
        let communicator = call.value(CallColumn::Communicator);
        let made = collectives.steps_of(&mut self.counter, call.rank(), function, communicator);
        match (made, call.value(CallColumn::DoneIn)) {
            (Some(made), Some(row)) => self.later.entry(row).or_default().extend(made),
            (Some(made), None) => steps.extend(made),
            (None, _) if !steps.is_empty() => {}
            (None, _) => self.keep(function, exit - enter, site, kept),
        }
        self.steps.extend(steps);
    }

    /// A call that did nothing that is played.
    fn keep(&mut self, function: i64, ns: i64, site: u32, kept: &mut Kept) {
        let class = class(function);
        if waits_for_what_follows(class) {
            return;
        }
        self.work(ns, 2 * site + 1);
        if !matches!(class, Some(Class::Local | Class::Wait)) {
            kept.call(function, ns.max(0) as u64);
        }
    }

    fn life(&mut self, function: i64, enter: i64, exit: i64) {
        let name = usize::try_from(function).ok().and_then(|at| NAMES.get(at)).copied();
        match name {
            Some("Finalize") => {
                if self.began.is_some() {
                    self.work(enter - self.until, 0);
                    self.until = enter;
                }
                self.finalized = true;
            }
            _ if self.began.is_none() => (self.began, self.until) = (Some(exit), exit),
            _ => {}
        }
    }

    fn work(&mut self, ns: i64, site: u32) {
        if let Some(ns) = u64::try_from(ns).ok().filter(|ns| *ns > 0) {
            self.steps.push(Step::Work { ns, site });
        }
    }
}

fn class(function: i64) -> Option<&'static Class> {
    CLASSES.get(usize::try_from(function).ok()?)
}

/// A probe that blocks: where it is not known which message it found, what it takes is the wait of
/// the receive that follows.
fn waits_for_what_follows(class: Option<&Class>) -> bool {
    matches!(class, Some(Class::Probe | Class::MatchedProbe))
}
