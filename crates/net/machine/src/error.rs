//! What can be wrong with a machine.

/// What is wrong with a machine's file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// A line says something that cannot be.
    #[error("{file}:{line}: {what}")]
    Line { file: String, line: usize, what: String },
    /// Something is not there.
    #[error("{file}: {what}")]
    Missing { file: String, what: String },
}
