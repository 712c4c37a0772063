//! What went one way at an end of a connection: how much, by which calls, and where messages end.

use crate::framing::{Class, Reason};

/// What the calls of one way at an end came to.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    /// Calls, with those that were refused.
    pub calls: u64,
    pub bytes: u64,
    /// Bytes that the kernel had counted when a process was done with the end, with those that had
    /// gone before.
    counted: u64,
    /// The longest call took so long, ns.
    pub longest_ns: i64,
    /// The first was entered, and the last returned, ns.
    pub first: i64,
    pub last: Option<i64>,
    /// There will be no further bytes.
    pub is_ended: bool,
    pub marks: Marked,
    movers: Nodes,
}

/// Ends of messages that were found there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marked {
    /// Slots of the log that hold them and come on the walk, behind a call in their chunk.
    pub slots: u64,
    /// Those at the beginning of a chunk: the call that they belong to is in an earlier one.
    pub early: Vec<(u64, Class)>,
    pub count: u64,
    /// Those of [`Class::Paired`].
    pub paired: u64,
    /// The least offset.
    pub first: Option<u64>,
    /// The greatest.
    pub last: u64,
    /// One of them, where the bytes end, is in no slot.
    pub has_last: bool,
    /// Why no more were found.
    pub stop: Option<Reason>,
    finders: Nodes,
}

/// Processes, as far as it matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Nodes {
    #[default]
    None,
    One(u32),
    Several,
}

impl Nodes {
    fn add(&mut self, node: u32) {
        *self = match *self {
            Nodes::None => Nodes::One(node),
            Nodes::One(other) if other == node => Nodes::One(node),
            _ => Nodes::Several,
        };
    }

    fn merge(&mut self, other: Nodes) {
        match other {
            Nodes::None => {}
            Nodes::One(node) => self.add(node),
            Nodes::Several => *self = Nodes::Several,
        }
    }
}

impl Default for Moved {
    fn default() -> Moved {
        Moved {
            calls: 0,
            bytes: 0,
            counted: 0,
            longest_ns: 0,
            first: i64::MAX,
            last: None,
            is_ended: false,
            marks: Marked::default(),
            movers: Nodes::None,
        }
    }
}

impl Moved {
    /// A call of a process.
    pub fn call(&mut self, node: u32, (enter, exit): (i64, i64), bytes: u32) {
        self.calls += 1;
        self.bytes += u64::from(bytes);
        self.longest_ns = self.longest_ns.max(exit.saturating_sub(enter));
        self.first = self.first.min(enter);
        self.last = self.last.max(Some(exit));
        self.movers.add(node);
    }

    /// So many bytes had gone there by the kernel's account, when a process was done with it.
    pub fn count(&mut self, bytes: u64) {
        self.counted = self.counted.max(bytes);
    }

    /// Whether the kernel has counted more than these calls moved, where so many had gone before.
    pub fn hides_bytes(&self, before: u64) -> bool {
        self.counted > before + self.bytes
    }

    /// What another process did there.
    pub fn merge(&mut self, other: &Moved) {
        self.calls += other.calls;
        self.bytes += other.bytes;
        self.counted = self.counted.max(other.counted);
        self.longest_ns = self.longest_ns.max(other.longest_ns);
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
        self.is_ended |= other.is_ended;
        self.movers.merge(other.movers);
        self.marks.merge(&other.marks);
    }

    /// Whether one process made all of them.
    pub fn is_of_one(&self) -> bool {
        matches!(self.movers, Nodes::One(_))
    }

    /// All of it is there: what was found is only of use where one process saw all bytes.
    pub fn complete(&mut self) {
        let found = &mut self.marks;
        if found.finders == Nodes::None {
            return;
        }
        let is_of_one = self.movers == Nodes::None || self.movers == found.finders;
        if !is_of_one || found.finders == Nodes::Several {
            let (slots, stop) = (found.slots, Some(Reason::Processes));
            *found = Marked { slots, stop, ..Marked::default() };
            return;
        }
        if self.ends_with_its_bytes() {
            self.marks.add(self.bytes, Class::Paired);
            self.marks.has_last = true;
        }
    }

    /// Whether the last message ends where the bytes do.
    fn ends_with_its_bytes(&self) -> bool {
        let is_to_the_end = self.marks.stop == Some(Reason::ToTheEnd) && self.is_ended;
        is_to_the_end && self.marks.last < self.bytes
    }
}

impl Marked {
    /// A process found these, in a slot of its log.
    pub fn slot(&mut self, node: u32, ends: impl Iterator<Item = (u64, Class)>) {
        self.slots += 1;
        self.finders.add(node);
        ends.for_each(|(offset, class)| self.add(offset, class));
    }

    /// The same at the beginning of a chunk.
    pub fn early_slot(&mut self, node: u32, ends: impl Iterator<Item = (u64, Class)>) {
        self.finders.add(node);
        for (offset, class) in ends {
            self.add(offset, class);
            self.early.push((offset, class));
        }
    }

    /// A process found no more.
    pub fn stop(&mut self, node: u32, reason: Reason) {
        self.finders.add(node);
        self.stop = Some(reason);
    }

    fn add(&mut self, offset: u64, class: Class) {
        self.count += 1;
        self.paired += u64::from(class == Class::Paired);
        self.first = Some(self.first.map_or(offset, |first| first.min(offset)));
        self.last = self.last.max(offset);
    }

    fn merge(&mut self, other: &Marked) {
        self.slots += other.slots;
        self.early.extend(&other.early);
        self.count += other.count;
        self.paired += other.paired;
        self.first = [self.first, other.first].into_iter().flatten().min();
        self.last = self.last.max(other.last);
        self.stop = other.stop.or(self.stop);
        self.finders.merge(other.finders);
    }
}
