//! What can stand in a file.

/// A command with its arguments.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    missing_docs,
    reason = "fields are the arguments by the names that the reference gives them"
)]
pub enum Command {
    /// An object and its node.
    Obcreate { name: String, kind: String, node: u32 },
    /// A configuration message.
    Tell { receiver: String, time: f64, selector: i32, text: String },
    /// The end of the configuration.
    Go,
    /// One that sets an option; [`crate::settings`] has them.
    Set { name: &'static str, numbers: Vec<f64> },
    /// A command of the original that has no meaning here.
    Foreign { name: &'static str, reason: &'static str },
}

impl Command {
    /// Of one that sets an option, its name and its first number, 0 if it has none.
    pub(super) fn setting(&self) -> Option<(&'static str, f64)> {
        match self {
            Command::Set { name, numbers } => {
                Some((*name, numbers.first().copied().unwrap_or(0.0)))
            }
            _ => None,
        }
    }
}
