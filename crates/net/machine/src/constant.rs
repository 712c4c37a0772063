//! A figure of a machine, and how it is known.

use serde::{Deserialize, Serialize};

/// A figure of a machine in the base unit of its row (ns, bytes, bytes a second, or plain).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constant {
    pub value: f64,
    /// Where the truth may lie; to be swept before a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// What it may be, each together with what the other figures of the machine are at that place
    /// of their draws.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draws: Vec<f64>,
    #[serde(default)]
    pub basis: Basis,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// What it is for larger messages, where it differs; ascending by size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub larger: Vec<Larger>,
}

/// What a figure is for messages from a size on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Larger {
    /// The smallest such message, bytes.
    pub from: u64,
    /// Has no larger ones of its own.
    #[serde(flatten)]
    pub figure: Constant,
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
        Constant {
            value,
            range: None,
            draws: Vec::new(),
            basis: Basis::Chosen,
            source: String::new(),
            larger: Vec::new(),
        }
    }

    /// Its pieces, each with the smallest message that it is for.
    pub fn pieces(&self) -> impl Iterator<Item = (u64, &Constant)> {
        let larger = self.larger.iter().map(|larger| (larger.from, &larger.figure));
        std::iter::once((0, self)).chain(larger)
    }

    /// The piece for a message of so many bytes.
    pub fn at(&self, bytes: u64) -> &Constant {
        let larger = self.larger.iter().rev().find(|larger| larger.from <= bytes);
        larger.map_or(self, |larger| &larger.figure)
    }

    /// Another figure for messages of `from` bytes on.
    pub fn and_from(mut self, from: u64, figure: Constant) -> Constant {
        self.larger.push(Larger { from, figure });
        self
    }

    /// Put it, with its pieces, at a place of its range, 0 to 1.
    pub(crate) fn set_within(&mut self, place: f64) {
        if let Some([least, most]) = self.range {
            self.value = least + (most - least) * place;
        }
        self.larger.iter_mut().for_each(|larger| larger.figure.set_within(place));
    }

    /// Put it, with its pieces, at one of its draws; where it has none, at a place of its range.
    pub(crate) fn set_drawn(&mut self, draw: usize, place: f64) {
        match self.draws.len() {
            0 => self.set_within(place),
            count => {
                self.value = self.draws[draw % count];
                self.larger.iter_mut().for_each(|larger| larger.figure.set_drawn(draw, place));
            }
        }
    }

    pub(crate) fn forget_range(&mut self) {
        self.range = None;
        self.draws = Vec::new();
        self.larger.iter_mut().for_each(|larger| larger.figure.forget_range());
    }

    /// The same with another for every value, end of a range and draw.
    pub(crate) fn with_each(&self, other: &impl Fn(f64) -> f64) -> Constant {
        let larger = self
            .larger
            .iter()
            .map(|larger| Larger { from: larger.from, figure: larger.figure.with_each(other) });
        Constant {
            value: other(self.value),
            range: self.range.map(|ends| ends.map(other)),
            draws: self.draws.iter().copied().map(other).collect(),
            larger: larger.collect(),
            ..self.clone()
        }
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
