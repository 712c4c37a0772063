//! What a call can be blocked for.

/// What a rank that is in a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// A message that its sender has not sent yet.
    LateSender,
    /// A receive that its receiver has not posted yet.
    LateReceiver,
    /// A rank that a collective depends on and that has not entered it yet.
    Collective,
    /// A target that has not exposed its window yet (`MPI_Win_post`).
    LatePost,
    /// An origin that has not ended its access to this rank's window yet (`MPI_Win_complete`).
    LateComplete,
    /// A rank that has not released its lock of a window yet.
    Lock,
}

/// How many there are.
pub const COUNT: usize = 6;

/// Their names in files, by number.
pub const CAUSES: &[&str; COUNT] =
    &["late-sender", "late-receiver", "collective", "late-post", "late-complete", "lock"];

impl Cause {
    /// All of them, by number.
    pub const ALL: [Cause; COUNT] = [
        Cause::LateSender,
        Cause::LateReceiver,
        Cause::Collective,
        Cause::LatePost,
        Cause::LateComplete,
        Cause::Lock,
    ];

    /// The cause of a number in a file.
    pub fn of(number: i64) -> Option<Cause> {
        Cause::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Whether it is a message that is waited for, or its receive.
    pub fn is_of_a_message(self) -> bool {
        matches!(self, Cause::LateSender | Cause::LateReceiver)
    }
}
