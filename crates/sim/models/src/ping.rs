//! Ping: two objects that return one message to each other.
//!
//! It measures the cost of one message plus one event, on one node or between two. There is always
//! exactly one message alive, so an optimistic engine must report no rollback and no anti-message.
//!
//! Source: the model of that name in TWOS 2.7.

mod recipe;

use crate::ModelError;
use crate::error::demand;
use serde::{Deserialize, Serialize};
use timewarp::{Bundle, Context, Model, ObjectId, Tell, VirtualTime};

/// What a command line calls it.
pub const NAME: &str = "ping";

const PING: ObjectId = ObjectId(0);
const PONG: ObjectId = ObjectId(1);
const LAST_STOP: f64 = 999_999_998.0;

/// Parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PingOptions {
    /// Simtime from which an event sends nothing.
    pub stop: f64,
}

impl Default for PingOptions {
    fn default() -> PingOptions {
        PingOptions { stop: 2500.0 }
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct Ping {
    stop: f64,
}

impl Ping {
    /// With these parameters.
    ///
    /// # Errors
    /// When the stop time is no time.
    pub fn new(options: &PingOptions) -> Result<Ping, ModelError> {
        let stop = options.stop;
        demand(
            (0.0..=LAST_STOP).contains(&stop),
            "stop",
            stop,
            "give a simtime from 0 to 999999998",
        )?;
        Ok(Ping { stop })
    }
}

impl Model for Ping {
    /// Its role: 1 for ping, 0 for pong.
    type State = i32;
    type Payload = Vec<u8>;
    type Undo = ();

    fn objects(&self) -> u32 {
        2
    }

    fn name(&self, object: ObjectId) -> String {
        if object == PING { "ping" } else { "pong" }.into()
    }

    fn kind(&self, _: ObjectId) -> &'static str {
        "player"
    }

    fn tells(&self) -> Vec<Tell<Vec<u8>>> {
        vec![Tell {
            receiver: PING,
            receive: VirtualTime::at(0.0),
            selector: 0,
            payload: b"go ".to_vec(),
        }]
    }

    fn init(&self, object: ObjectId, _: &mut Context<'_, Vec<u8>>) -> i32 {
        i32::from(object == PING)
    }

    #[inline]
    fn event(&self, _: &mut i32, _: Bundle<'_, Vec<u8>>, context: &mut Context<'_, Vec<u8>>) {
        let now = context.now();
        if now.simtime() < self.stop {
            let other = if context.object() == PING { PONG } else { PING };
            context.send(other, now.after(1.0), 0, Vec::new());
        }
    }

    fn state_bytes(&self, role: &i32) -> Option<Vec<u8>> {
        Some(role.to_be_bytes().to_vec())
    }

    fn state_from_bytes(&self, _: ObjectId, bytes: &[u8]) -> Option<i32> {
        Some(i32::from_be_bytes(bytes.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_time_must_be_a_time() {
        for stop in [-1.0, f64::NAN, f64::INFINITY, 1e9] {
            let error = Ping::new(&PingOptions { stop }).unwrap_err();
            assert!(error.to_string().starts_with("stop = "), "{error}");
        }
        assert!(Ping::new(&PingOptions::default()).is_ok());
    }
}
