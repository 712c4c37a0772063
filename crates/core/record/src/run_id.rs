//! What tells one run from every other, and from a folder that only says that it is that run.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A run's random number: in `run.json`, in the names of what the run keeps in memory, and in that
/// memory's head. 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunId(u128);

impl RunId {
    /// One that no other run has.
    pub fn new() -> RunId {
        RunId(memory::new_owner())
    }

    /// The name of something of the run in shared memory.
    pub fn name_of(self, what: &str) -> String {
        memory::leased_name(self.0, what)
    }

    /// As the owner of named memory.
    pub(crate) fn owner(self) -> u128 {
        self.0
    }

    /// As two words, the lower half first.
    pub fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// What [`words`](RunId::words) gave.
    pub fn of_words([low, high]: [u64; 2]) -> RunId {
        RunId(u128::from(high) << 64 | u128::from(low))
    }
}

impl Default for RunId {
    fn default() -> RunId {
        RunId::new()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

impl Serialize for RunId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl std::str::FromStr for RunId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<RunId, &'static str> {
        let hexadecimal = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| hexadecimal);
        number.map(RunId).ok_or("the id of a run must have 32 hexadecimal digits")
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RunId, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_from_text_and_words_and_other_text_is_refused() {
        let id = RunId::new();
        assert_eq!(
            serde_json::from_str::<RunId>(&serde_json::to_string(&id).unwrap()).unwrap(),
            id
        );
        assert_eq!(RunId::of_words(id.words()), id);
        assert_ne!(RunId::new(), id);
        for text in ["\"\"", "\"+0000000000000000000000000000001\"", "\"../../x\"", "7"] {
            assert!(serde_json::from_str::<RunId>(text).is_err(), "{text}");
        }
    }
}
