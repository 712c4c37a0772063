//! A figure of a machine, and how it is known.

use serde::{Deserialize, Serialize};

/// A figure of a machine in the base unit of its row (ns, bytes, bytes a second, or plain).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    pub value: f64,
    /// Where the truth may lie; to be swept before a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    #[serde(default)]
    pub basis: Basis,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
}

/// How a figure is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Somebody's choice.
    #[default]
    Chosen,
    /// Measured here.
    Measured,
    /// The document says so.
    Stated,
    /// Computed from what documents say.
    Computed,
    /// The literature of its time says so.
    Literature,
    /// Nobody says: an estimate, with its range.
    Estimated,
}

impl Constant {
    /// A chosen value.
    pub fn of(value: f64) -> Constant {
        Constant { value, range: None, basis: Basis::Chosen, source: String::new() }
    }
}

impl Basis {
    pub const ALL: [Basis; 6] = [
        Basis::Chosen,
        Basis::Measured,
        Basis::Stated,
        Basis::Computed,
        Basis::Literature,
        Basis::Estimated,
    ];

    /// The word that files and tables use.
    pub fn word(self) -> &'static str {
        match self {
            Basis::Chosen => "chosen",
            Basis::Measured => "measured",
            Basis::Stated => "stated",
            Basis::Computed => "computed",
            Basis::Literature => "literature",
            Basis::Estimated => "estimated",
        }
    }

    /// The basis that this word names.
    pub fn named(word: &str) -> Option<Basis> {
        Basis::ALL.into_iter().find(|basis| basis.word() == word)
    }

    /// Whether such a figure must say within which range the truth may lie.
    pub fn needs_range(self) -> bool {
        self == Basis::Estimated
    }
}
