//! What the nodes of a recorded run did, freed from when they did it.

use crate::Wildcards;
use std::sync::Arc;

/// A recorded run as its nodes' steps, in order, and the messages that these name.
///
/// What a step takes on the recorded machine is not in it, but for computing: a machine says what
/// the others take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// By node.
    pub courses: Vec<Course>,
    /// By the number that steps give them: those of the program first.
    pub messages: Vec<Parcel>,
    /// How many of these the program sent itself; the others belong to its collectives.
    pub own_messages: u32,
    /// Who makes a sender wait.
    pub flow: Flow,
    /// The messages that are matched anew.
    pub wildcards: Arc<Wildcards>,
    /// See [`Courses::asks_first`].
    pub asks_first: bool,
}

/// What a node did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// When it began, ns after the first of all.
    pub begins_ns: u64,
    pub steps: Vec<Step>,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parcel {
    pub from: u16,
    pub to: u16,
    pub bytes: u64,
}

/// Something that a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It computes. Times of one `site` may stand for each other.
    Work { ns: u64, site: u32 },
    /// It hands a message over.
    Send(u32),
    /// It waits until one is there that the receive of this one takes.
    Probe(u32),
    /// It says that it will take one: this one, or where messages are matched anew another.
    Post(u32),
    /// It waits until it has it.
    Take(u32),
    /// It waits until a message that it sent needs its buffer no longer.
    Free(u32),
    /// It is in a call for a moment, and hears what has come for it.
    Hear,
    /// From now on, what it waits for it looks for at such turns, and computes in between. 0: as
    /// often as the machine looks.
    Turns { ns: u64 },
}

/// Who makes a sender wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// MPI's way: a message up to the machine's eager limit goes at once, a longer one when its
    /// receive has been posted and both ends are in a call to hear of it.
    #[default]
    Eager,
    /// The fabric's way: a message needs a buffer, and room in the window of its pair; who has
    /// looked so many times in vain sleeps.
    Window { looks: u32 },
}

/// What nodes do, step by step: a [`Program`], or what makes one up as it is asked.
pub trait Courses {
    fn nodes(&self) -> usize;
    /// When a node begins, ns after the first of all.
    fn begins_ns(&self, node: u16) -> u64;
    /// A node's step by its number. Each node is asked in order, and more than once for some.
    fn step(&self, node: u16, number: usize) -> Option<Step>;
    /// How many messages there are: steps give them numbers below that.
    fn messages(&self) -> u32;
    fn message(&self, message: u32) -> Parcel;
    fn flow(&self) -> Flow;

    /// How many of these are no collective's.
    fn own_messages(&self) -> u32 {
        self.messages()
    }

    /// Those that are matched anew.
    fn wildcards(&self) -> Option<&Wildcards> {
        None
    }

    /// Whether a node hears of long messages only in steps that wait or look. Else it hears before
    /// it begins anything, and answers before it asks for its own.
    fn asks_first(&self) -> bool {
        false
    }

    /// The longest message.
    fn most_bytes(&self) -> u64 {
        let bytes = |message| self.message(message).bytes;
        (0..self.messages()).map(bytes).max().unwrap_or(0)
    }
}

impl Program {
    /// The same with all messages taken as they were recorded.
    pub fn as_recorded(mut self) -> Program {
        self.wildcards = Arc::default();
        self
    }
}

impl Courses for Program {
    fn nodes(&self) -> usize {
        self.courses.len()
    }

    fn begins_ns(&self, node: u16) -> u64 {
        self.courses[usize::from(node)].begins_ns
    }

    fn step(&self, node: u16, number: usize) -> Option<Step> {
        self.courses[usize::from(node)].steps.get(number).copied()
    }

    fn messages(&self) -> u32 {
        self.messages.len() as u32
    }

    fn message(&self, message: u32) -> Parcel {
        self.messages[message as usize]
    }

    fn flow(&self) -> Flow {
        self.flow
    }

    fn own_messages(&self) -> u32 {
        self.own_messages
    }

    fn wildcards(&self) -> Option<&Wildcards> {
        Some(&self.wildcards)
    }

    fn asks_first(&self) -> bool {
        self.asks_first
    }
}
