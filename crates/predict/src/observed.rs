//! The program in a run of messages of which no more is known than their four stamps.
//!
//! A node sends and takes in the order recorded. Between two of these it computes; before it takes
//! a message that came later than what it did last, it waits, and nobody knows whether it computes
//! as well.

use crate::{Course, Flow, Parcel, Program, Step};
use machine::{Machine, PS_PER_NS, Processor};

/// A recorded message; times are ns on the run's timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub parcel: Parcel,
    pub ready: i64,
    pub sent: i64,
    pub arrived: i64,
    pub taken: i64,
}

/// A program, and how long it took when it was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    pub program: Program,
    /// From the first thing that a node did to the last.
    pub measured_ns: u64,
}

/// What a node did, and when.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    Took { message: u32 },
    Sent { message: u32 },
}

/// The program of a launch of so many nodes, each of which slept after so many looks in vain.
/// `machine` is the one recorded on: what sending and receiving take on it is no computing.
pub fn observed(nodes: u16, looks: u32, seen: &[Seen], machine: &Machine) -> Recorded {
    let mut deeds: Vec<Vec<(i64, Deed)>> = vec![Vec::new(); usize::from(nodes)];
    for (message, one) in seen.iter().enumerate() {
        let message = message as u32;
        deeds[usize::from(one.parcel.from)].push((one.ready, Deed::Sent { message }));
        deeds[usize::from(one.parcel.to)].push((one.taken, Deed::Took { message }));
    }
    let first = seen.iter().map(|one| one.ready).min().unwrap_or(0);
    let mut recorded = Recorded {
        program: Program {
            courses: Vec::new(),
            messages: seen.iter().map(|one| one.parcel).collect(),
            own_messages: seen.len() as u32,
            flow: Flow::Window { looks },
            ..Program::default()
        },
        measured_ns: 0,
    };
    for (node, mut deeds) in deeds.into_iter().enumerate() {
        deeds.sort_unstable();
        let mut reader = Reader {
            seen,
            processor: Processor::of(machine, node as u16),
            until: None,
            course: Course::default(),
            first,
        };
        deeds.iter().for_each(|(_, deed)| reader.deed(*deed));
        let end = reader.until.map_or(0, |until| (until - first).max(0) as u64);
        recorded.measured_ns = recorded.measured_ns.max(end);
        recorded.program.courses.push(reader.course);
    }
    recorded
}

struct Reader<'a> {
    seen: &'a [Seen],
    processor: Processor,
    /// When the last deed was done.
    until: Option<i64>,
    course: Course,
    first: i64,
}

impl Reader<'_> {
    fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Sent { message } => {
                let one = self.seen[message as usize];
                let takes = self.processor.sending(one.parcel.bytes as usize);
                self.computes(one.ready);
                self.course.steps.push(Step::Send(message));
                self.until = Some(one.sent + (takes / PS_PER_NS) as i64);
            }
            Deed::Took { message } => {
                let one = self.seen[message as usize];
                let takes = self.processor.receiving(one.parcel.bytes as usize);
                if self.until.is_some_and(|until| one.arrived <= until) {
                    self.computes(one.taken - (takes / PS_PER_NS) as i64);
                }
                self.course.steps.push(Step::Take(message));
                self.until = Some(one.taken);
            }
        }
    }

    /// It computed from its last deed to this one.
    fn computes(&mut self, until: i64) {
        let Some(from) = self.until else {
            self.course.begins_ns = (until - self.first).max(0) as u64;
            return;
        };
        let kind = |step: &Step| u32::from(matches!(step, Step::Take(_)));
        if until > from {
            let site = self.course.steps.last().map_or(0, kind);
            self.course.steps.push(Step::Work { ns: (until - from) as u64, site });
        }
    }
}
