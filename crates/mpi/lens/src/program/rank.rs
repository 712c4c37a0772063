//! The calls of each rank as steps.

use super::collectives::{Collectives, Counter};
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
        let class = usize::try_from(function).ok().and_then(|at| CLASSES.get(at));
        let rank = call.rank();
        if call.value(CallColumn::Thread).unwrap_or(0) > 0 {
            return Err(ProgramError::Threads { rank });
        }
        let Some(enter) = call.value(CallColumn::Enter) else { return Ok(()) };
        let Some(exit) = call.value(CallColumn::Exit) else {
            return Err(ProgramError::Cut { rank, call: function_name(function) });
        };
        if class == Some(&Class::Life) {
            self.life(function, enter, exit);
            return Ok(());
        }
        if self.finalized || self.began.is_none() {
            return Ok(());
        }
        let site = call.value(CallColumn::Site).unwrap_or(0) as u32;
        self.work(enter - self.until, 2 * site);
        self.until = exit;
        let before = self.steps.len();
        self.steps.extend(deeds.at(call.number()));
        self.steps.extend(self.later.remove(&call.number()).into_iter().flatten());
        let communicator = call.value(CallColumn::Communicator);
        let made = collectives.steps_of(&mut self.counter, rank, function, communicator);
        match (made, call.value(CallColumn::DoneIn)) {
            (Some(steps), Some(row)) => self.later.entry(row).or_default().extend(steps),
            (Some(steps), None) => self.steps.extend(steps),
            (None, _) if self.steps.len() > before || waits_for_what_follows(class) => {}
            (None, _) => {
                self.work(exit - enter, 2 * site + 1);
                if !matches!(class, Some(Class::Local | Class::Wait)) {
                    kept.call(function, (exit - enter).max(0) as u64);
                }
            }
        }
        Ok(())
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

/// Looking for a message: what it takes until one is there is the wait of the receive that follows.
fn waits_for_what_follows(class: Option<&Class>) -> bool {
    use Class::{Inspect, MatchedProbe, Probe, Test};
    matches!(class, Some(Probe | MatchedProbe | Test | Inspect))
}
