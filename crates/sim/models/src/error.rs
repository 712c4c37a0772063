//! What can be wrong with a model's parameters and data.

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// A parameter that makes no sense.
    #[error("{name} = {value}: {reason}")]
    Parameter {
        /// Which one, as the options struct spells it.
        name: &'static str,
        /// What it was.
        value: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// A file of data that cannot be read.
    #[error("{reason}")]
    File {
        /// Which, why, and what would be right.
        reason: String,
    },
    /// A row of data that makes no sense.
    #[error("{place}: {reason}")]
    Data {
        /// File and line, or the row where there is no file.
        place: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
}

impl ModelError {
    /// About a parameter: what it was, what is wrong with it and what would be right.
    pub fn parameter(
        name: &'static str,
        value: impl ToString,
        reason: impl Into<String>,
    ) -> ModelError {
        ModelError::Parameter { name, value: value.to_string(), reason: reason.into() }
    }
}

/// `Ok` when `good`, otherwise an error about this parameter.
pub(crate) fn demand(
    good: bool,
    name: &'static str,
    value: impl ToString,
    reason: &str,
) -> Result<(), ModelError> {
    if good { Ok(()) } else { Err(ModelError::parameter(name, value, reason)) }
}
