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
}

/// Their names in files, by number.
pub const CAUSES: &[&str] = &["late-sender", "late-receiver", "collective"];

impl Cause {
    /// All of them, by number.
    pub const ALL: [Cause; 3] = [Cause::LateSender, Cause::LateReceiver, Cause::Collective];

    /// The cause of a number in a file.
    pub fn of(number: i64) -> Option<Cause> {
        Cause::ALL.get(usize::try_from(number).ok()?).copied()
    }
}
