//! Parameters of PHOLD.

use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The largest state: 2048 objects with a copy or two each are some gigabytes.
const STATE_MAX: u32 = 1 << 20;

/// Parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PholdOptions {
    /// Objects.
    pub objects: u32,
    /// Messages that each object begins with.
    pub start: u32,
    /// Probability that a message goes to another group, 0 to 1.
    pub remote: f64,
    /// Mean of the exponential part of a delay, simtime.
    pub mean: f64,
    /// Least delay, simtime.
    pub lookahead: f64,
    /// Of all random numbers.
    pub seed: u64,
    /// Groups of neighbours, all of one size; with one group a remote message goes to any other
    /// object.
    pub groups: u32,
    /// Steps of a loop of dependent integer operations in each event.
    pub work_steps: u32,
    /// Bytes that each object's state carries besides, of which each event changes a few.
    pub state: u32,
    /// How an object's past is kept. It changes no result.
    pub undo: Undoing,
}

impl Default for PholdOptions {
    fn default() -> PholdOptions {
        PholdOptions {
            objects: 2048,
            start: 1,
            remote: 0.25,
            mean: 0.9,
            lookahead: 0.1,
            seed: 1,
            groups: 1,
            work_steps: 0,
            state: 0,
            undo: Undoing::Auto,
        }
    }
}

impl PholdOptions {
    pub(super) fn check(&self) -> Result<(), ModelError> {
        demand(self.objects >= 1, "objects", self.objects, "give at least 1")?;
        demand(self.objects < u32::MAX, "objects", self.objects, "give at most 4294967294")?;
        demand(
            self.start >= 1,
            "start",
            self.start,
            "without messages nothing happens; give at least 1",
        )?;
        demand(
            (0.0..=1.0).contains(&self.remote),
            "remote",
            self.remote,
            "give a probability from 0 to 1",
        )?;
        demand(
            self.mean > 0.0 && self.mean.is_finite(),
            "mean",
            self.mean,
            "give a number above 0",
        )?;
        demand(
            self.lookahead > 0.0 && self.lookahead.is_finite(),
            "lookahead",
            self.lookahead,
            "give a number above 0: a message must be received strictly later",
        )?;
        demand(self.state <= STATE_MAX, "state", self.state, "give at most 1048576 bytes")?;
        self.check_groups()?;
        match self.undo {
            Undoing::Snapshots { every: 0 } => Err(ModelError::parameter(
                "undo",
                self.undo,
                "give at least 1 event from one copy to the next",
            )),
            _ => Ok(()),
        }
    }

    fn check_groups(&self) -> Result<(), ModelError> {
        let (objects, groups) = (self.objects, self.groups);
        if groups == 0 || groups > objects || !objects.is_multiple_of(groups) {
            let reason = format!(
                "groups must be of equal size; give a divisor of {objects}, the number of objects"
            );
            return Err(ModelError::parameter("groups", groups, reason));
        }
        demand(
            self.remote == 0.0 || objects >= 2,
            "objects",
            objects,
            "a remote message needs another object as its receiver; give at least 2, or remote = 0",
        )
    }
}

/// How PHOLD's objects keep their past: `auto`, `copy`, `records`, or `snapshots:K`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Undoing {
    /// Copies of the state, as often as pays.
    Auto,
    /// A copy of the state before every event.
    Copy,
    /// A record made by every event.
    Records,
    /// A copy before every so many events.
    Snapshots {
        /// Events from one to the next.
        every: u32,
    },
}

impl fmt::Display for Undoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undoing::Auto => f.write_str("auto"),
            Undoing::Copy => f.write_str("copy"),
            Undoing::Records => f.write_str("records"),
            Undoing::Snapshots { every } => write!(f, "snapshots:{every}"),
        }
    }
}

impl FromStr for Undoing {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Undoing, ModelError> {
        let every = || text.strip_prefix("snapshots:").and_then(|every| every.parse().ok());
        match text {
            "auto" => Ok(Undoing::Auto),
            "copy" => Ok(Undoing::Copy),
            "records" => Ok(Undoing::Records),
            _ => match every() {
                Some(every) if every > 0 => Ok(Undoing::Snapshots { every }),
                _ => Err(ModelError::parameter(
                    "undo",
                    text,
                    "give auto, copy, records, or snapshots:K with K events from one copy to the \
                    next",
                )),
            },
        }
    }
}

impl TryFrom<String> for Undoing {
    type Error = ModelError;

    fn try_from(text: String) -> Result<Undoing, ModelError> {
        text.parse()
    }
}

impl From<Undoing> for String {
    fn from(undoing: Undoing) -> String {
        undoing.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(options: PholdOptions) -> String {
        options.check().unwrap_err().to_string()
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let good = PholdOptions { objects: 12, ..Default::default() };
        assert_eq!(good.check(), Ok(()));
        assert!(refused(PholdOptions { objects: 0, ..good.clone() }).starts_with("objects = 0"));
        assert!(refused(PholdOptions { objects: 1, ..good.clone() }).contains("at least 2"));
        assert!(refused(PholdOptions { start: 0, ..good.clone() }).starts_with("start = 0"));
        assert!(refused(PholdOptions { groups: 5, ..good.clone() }).contains("divisor of 12"));
        assert!(refused(PholdOptions { groups: 0, ..good.clone() }).contains("divisor"));
        for remote in [-0.1, 1.1, f64::NAN] {
            assert!(refused(PholdOptions { remote, ..good.clone() }).starts_with("remote = "));
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(PholdOptions { mean: bad, ..good.clone() }).starts_with("mean = "));
            assert!(
                refused(PholdOptions { lookahead: bad, ..good.clone() })
                    .starts_with("lookahead = ")
            );
        }
        let state = STATE_MAX + 1;
        assert!(refused(PholdOptions { state, ..good.clone() }).starts_with("state = 1048577"));
        let undo = Undoing::Snapshots { every: 0 };
        assert!(refused(PholdOptions { undo, ..good }).starts_with("undo = snapshots:0"));
        assert!(PholdOptions { objects: 1, remote: 0.0, ..Default::default() }.check().is_ok());
    }

    #[test]
    fn undo_kinds_are_written_as_they_are_read() {
        let every = Undoing::Snapshots { every: 16 };
        for undo in [Undoing::Auto, Undoing::Copy, Undoing::Records, every] {
            assert_eq!(undo.to_string().parse(), Ok(undo));
        }
        for bad in ["", "copies", "snapshots", "snapshots:0", "snapshots:x"] {
            assert!(bad.parse::<Undoing>().is_err(), "{bad}");
        }
    }

    #[test]
    fn options_go_through_json() {
        let options = PholdOptions { undo: Undoing::Snapshots { every: 8 }, ..Default::default() };
        let text = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<PholdOptions>(&text).unwrap(), options);
        assert_eq!(serde_json::from_str::<PholdOptions>("{}").unwrap(), PholdOptions::default());
        assert!(serde_json::from_str::<PholdOptions>(r#"{"rmote": 1}"#).is_err());
    }
}
