//! What the nodes of a recorded run did, freed from when they did it.

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
    /// It says that it will take one.
    Post(u32),
    /// It waits until it has one.
    Take(u32),
    /// It waits until a message that it sent needs its buffer no longer.
    Free(u32),
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
