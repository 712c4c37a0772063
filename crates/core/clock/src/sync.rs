//! Two clocks brought together by messages.
//!
//! One exchange: `local` sends, `remote` receives and answers, `local` receives. Nobody knows how
//! the round trip splits into its two ways, but neither way takes less than no time, so the middle
//! of the local stamps differs from the middle of the remote stamps by at most half the round trip.
//! The exchange with the shortest round trip bounds best (Cristian 1989; NTP's clock filter, RFC
//! 5905). The bound is reached when all of the delay lies on one way: averaging many exchanges
//! would look better and promise less. Pure: stamps are arguments.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Calibration, Ticks};

/// The four stamps of one request and its answer, each on the clock of the side that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Just before the request left.
    pub local_sent: Ticks,
    /// When the request had come in.
    pub remote_received: Ticks,
    /// Just before the answer left.
    pub remote_sent: Ticks,
    /// When the answer had come in.
    pub local_received: Ticks,
}

/// The same moment on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offset {
    /// On the clock of the side that began the exchange.
    pub local: Ticks,
    /// On the other clock.
    pub remote: Ticks,
    /// The two readings are at most this far apart in time.
    pub error_ns: f64,
    /// How many exchanges were tried, the impossible ones with them.
    pub exchanges: u64,
    /// How many were left out because their stamps contradict each other: an answer before its
    /// request, or a wait at the other side longer than the whole round trip.
    pub impossible: u64,
}

/// Why exchanges give no offset.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SyncError {
    /// Nothing to choose from.
    #[error(
        "cannot synchronise the clocks: no exchange was answered; the other side must answer \
        at least one"
    )]
    NoExchange,
    /// Every exchange contradicts itself.
    #[error(
        "all {exchanges} exchanges have stamps in an impossible order: a clock ran backwards, or \
        its calibrated rate is wrong; calibrate longer, or use the system clock"
    )]
    Impossible {
        /// How many there were.
        exchanges: usize,
    },
}

impl Offset {
    /// The same offset as the other side sees it.
    pub fn reversed(self) -> Offset {
        Offset { local: self.remote, remote: self.local, ..self }
    }
}

/// The offset by the exchange with the shortest round trip, that is the least error. The
/// calibrations give the rates of the two clocks and their steps, which widen the bound.
pub fn best_offset(
    exchanges: &[Exchange],
    local: Calibration,
    remote: Calibration,
) -> Result<Offset, SyncError> {
    if exchanges.is_empty() {
        return Err(SyncError::NoExchange);
    }
    let possible = || {
        exchanges
            .iter()
            .filter_map(|exchange| exchange.error_ns(local, remote).map(|e| (e, exchange)))
    };
    let (error_ns, best) = possible()
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .ok_or(SyncError::Impossible { exchanges: exchanges.len() })?;
    Ok(Offset {
        local: middle(best.local_sent, best.local_received),
        remote: middle(best.remote_received, best.remote_sent),
        error_ns,
        exchanges: exchanges.len() as u64,
        impossible: (exchanges.len() - possible().count()) as u64,
    })
}

impl Exchange {
    /// How far apart the two middles can be; nothing if the stamps contradict each other.
    fn error_ns(&self, local: Calibration, remote: Calibration) -> Option<f64> {
        let away_ticks = self.local_received.since(self.local_sent);
        let held_ticks = self.remote_sent.since(self.remote_received);
        if away_ticks < 0 || held_ticks < 0 {
            return None;
        }
        let away_ns = away_ticks as f64 * local.ns_per_tick;
        let held_ns = held_ticks as f64 * remote.ns_per_tick;
        // A reading may stand for any moment of its step, and the rates are only known so well.
        let steps_ns = local.step_ns + remote.step_ns;
        let doubt_ns = steps_ns + (away_ns * local.error_ppm + held_ns * remote.error_ppm) * 1e-6;
        let round_trip_ns = away_ns - held_ns;
        let rounding_ns = (local.ns_per_tick + remote.ns_per_tick) / 2.0;
        (round_trip_ns >= -doubt_ns)
            .then(|| (round_trip_ns + doubt_ns) / 2.0 + steps_ns / 2.0 + rounding_ns)
    }
}

fn middle(from: Ticks, to: Ticks) -> Ticks {
    Ticks(from.0.wrapping_add_signed(to.since(from) / 2))
}
