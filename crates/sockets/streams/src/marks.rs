//! Where messages end in a direction that an end of a connection has framed.

use crate::framing::{Class, Reason};
use crate::op::Op;

/// A message ends there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes of the direction before its end.
    pub offset: u64,
    pub class: Class,
}

/// All that was found in a direction, by one end.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    pub list: Vec<Mark>,
    /// Why no more was found.
    pub stop: Option<Reason>,
    node: Option<u32>,
    are_of_several: bool,
}

impl Marks {
    /// A process found these.
    pub fn add(&mut self, node: u32, ends: impl Iterator<Item = (u64, Class)>) {
        self.found_by(node);
        self.list.extend(ends.map(|(offset, class)| Mark { offset, class }));
    }

    /// A process found no more.
    pub fn stop(&mut self, node: u32, reason: Reason) {
        self.found_by(node);
        self.stop = Some(reason);
    }

    fn found_by(&mut self, node: u32) {
        self.are_of_several |= self.node.is_some_and(|other| other != node);
        self.node = Some(node);
    }

    /// All of it is there, and so are the calls that moved the direction's bytes. `is_ended`: there
    /// will be no further bytes.
    pub fn complete(&mut self, calls: &[Op], is_ended: bool) {
        let Some(node) = self.node else { return };
        if self.are_of_several || calls.iter().any(|op| op.node != node) {
            *self = Marks { stop: Some(Reason::Processes), ..Marks::default() };
            return;
        }
        let total = calls.iter().map(|op| u64::from(op.bytes)).sum();
        // Chunks of the log are in the order of threads, and the call that was logged last may be
        // missing.
        self.list.sort_by_key(|mark| mark.offset);
        self.list.retain(|mark| mark.offset <= total);
        let last = self.list.last().map_or(0, |mark| mark.offset);
        if self.stop == Some(Reason::ToTheEnd) && is_ended && last < total {
            self.list.push(Mark { offset: total, class: Class::Paired });
        }
    }
}
