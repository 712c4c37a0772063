//! What a udp transport is told: window, timer, sizes, tasks, and the faults that are put in on
//! purpose.

use crate::error::FabricError;
use serde::{Deserialize, Serialize};

/// Least payload of a datagram that is of use: a header, a message's own header, and some of the
/// message.
const DATAGRAM_BYTES_MIN: u32 = 256;
/// Largest payload of a UDP datagram over IPv4.
const DATAGRAM_BYTES_MAX: u32 = 65_507;
/// Longest period of the periodic timer, and longest injected delay, µs.
const LONGEST_US: u64 = 10_000_000;
/// Largest window: what an acknowledgement can speak of one by one.
const ACKS_MAX: u32 = 1024;

/// How the udp transport makes datagrams reliable.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpOptions {
    /// When what has not been acknowledged is sent again.
    pub timer: UdpTimer,
    /// Messages (fragments of large ones) to one peer that may be unacknowledged; then there is no
    /// room.
    pub max_acks: u32,
    /// Messages in one datagram.
    pub messages_per_datagram: u16,
    /// Largest payload of a datagram, bytes.
    pub datagram_bytes: u32,
    /// Who handles what comes.
    pub receive_task: ReceiveTask,
    /// Faults put in on purpose.
    pub faults: Option<UdpFaults>,
}

/// When what has not been acknowledged is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum UdpTimer {
    /// All of it, whenever the period is over, whatever its age: the timer of the Myrinet study.
    Periodic {
        /// The period, µs.
        period_us: u64,
    },
    /// Each message by itself, after a time that follows the measured round trips (RFC 6298), or
    /// when three later datagrams have been acknowledged.
    Adaptive,
}

/// Who handles what comes: messages and acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "name")]
pub enum ReceiveTask {
    /// The node's thread, when it sends or looks.
    Inline,
    /// A thread of its own beside it, which sleeps until something comes.
    Own {
        /// Which of the two goes first, on the one core that they then share.
        user_priority: Option<UserPriority>,
    },
}

/// The priority of the node's own thread, against that of the receive task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UserPriority {
    /// Above it.
    High,
    /// Below it.
    Low,
}

/// What happens to datagrams on purpose, by chance that a seed decides. Probabilities from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct UdpFaults {
    /// Decides which.
    pub seed: u64,
    /// It is not sent.
    pub loss: f64,
    /// It is sent twice.
    pub duplicate: f64,
    /// It is sent after some that follow it.
    pub reorder: f64,
    /// It is sent later.
    pub delay: f64,
    /// By at most so much, µs.
    pub delay_us: u64,
}

impl Default for UdpOptions {
    fn default() -> UdpOptions {
        UdpOptions {
            timer: UdpTimer::Adaptive,
            max_acks: 256,
            messages_per_datagram: 64,
            datagram_bytes: 1472,
            receive_task: ReceiveTask::Inline,
            faults: None,
        }
    }
}

impl UdpFaults {
    /// None at all, with a usual delay for when some are asked for.
    pub const NONE: UdpFaults =
        UdpFaults { seed: 1, loss: 0.0, duplicate: 0.0, reorder: 0.0, delay: 0.0, delay_us: 500 };
}

impl UdpOptions {
    /// Find what cannot be carried out.
    pub(crate) fn check(&self) -> Result<(), FabricError> {
        let refuse = |reason: String| Err(FabricError::BadSpec { reason });
        if self.max_acks == 0 || self.max_acks > ACKS_MAX {
            return refuse(format!(
                "{} unacknowledged messages: the window holds 1 to {ACKS_MAX}",
                self.max_acks
            ));
        }
        if self.messages_per_datagram == 0 {
            return refuse("a datagram must hold at least one message".into());
        }
        if !(DATAGRAM_BYTES_MIN..=DATAGRAM_BYTES_MAX).contains(&self.datagram_bytes) {
            let asked = self.datagram_bytes;
            return refuse(format!(
                "datagrams of {asked} bytes: UDP carries up to {DATAGRAM_BYTES_MAX}, and less than {DATAGRAM_BYTES_MIN} is all header"
            ));
        }
        if let UdpTimer::Periodic { period_us } = self.timer
            && !(1..=LONGEST_US).contains(&period_us)
        {
            return refuse(format!("a period of {period_us} µs: the timer takes 1 µs to 10 s"));
        }
        self.faults.map_or(Ok(()), |faults| faults.check())
    }
}

impl UdpFaults {
    fn check(&self) -> Result<(), FabricError> {
        let named = [
            ("loss", self.loss),
            ("duplicate", self.duplicate),
            ("reorder", self.reorder),
            ("delay", self.delay),
        ];
        for (name, chance) in named {
            if !(0.0..=0.9).contains(&chance) {
                let reason =
                    format!("udp faults: {name} of {chance} is no probability from 0 to 0.9");
                return Err(FabricError::BadSpec { reason });
            }
        }
        if self.delay_us > LONGEST_US {
            let reason = format!("udp faults: a delay of {} µs; at most 10 s", self.delay_us);
            return Err(FabricError::BadSpec { reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_refused_with_its_limits() {
        let good = UdpOptions::default();
        good.check().unwrap();
        let said = |options: UdpOptions| options.check().unwrap_err().to_string();
        assert!(said(UdpOptions { max_acks: 0, ..good }).contains("1 to 1024"));
        assert!(said(UdpOptions { max_acks: 1025, ..good }).contains("1025"));
        assert!(said(UdpOptions { datagram_bytes: 65_508, ..good }).contains("65507"));
        assert!(said(UdpOptions { messages_per_datagram: 0, ..good }).contains("at least one"));
        let timer = UdpTimer::Periodic { period_us: 0 };
        assert!(said(UdpOptions { timer, ..good }).contains("period"));
        let faults = Some(UdpFaults { reorder: f64::NAN, ..UdpFaults::NONE });
        assert!(said(UdpOptions { faults, ..good }).contains("reorder"));
        let faults = Some(UdpFaults { loss: 0.95, ..UdpFaults::NONE });
        assert!(said(UdpOptions { faults, ..good }).contains("loss of 0.95"));
    }
}
