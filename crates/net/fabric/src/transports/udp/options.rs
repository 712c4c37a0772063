//! What a udp transport is told: window, timer, sizes, tasks, and the faults that are put in on
//! purpose.

use crate::error::FabricError;
use crate::plant::time_ns;
use crate::spec::{Spec, Waiting};
use crate::transports::OptionTakes::{Bytes, Count, Duration, Text, Word};
use crate::transports::{GivenOptions, TransportOption};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Least payload of a datagram that is of use: a header, a message's own header, and some of the
/// message.
const DATAGRAM_BYTES_MIN: u32 = 256;
/// Largest payload of a UDP datagram over IPv4.
const DATAGRAM_BYTES_MAX: u32 = 65_507;
/// Longest period of the periodic timer, and longest injected delay, µs.
const LONGEST_US: u64 = 10_000_000;
/// Largest window: what an acknowledgement can speak of one by one.
const ACKS_MAX: u32 = 1024;

/// Unacknowledged messages with the study's timer, as on its network; and with ours.
const PERIODIC_ACKS: u32 = 29;
const ADAPTIVE_ACKS: u32 = 256;
/// Period of the periodic timer, µs.
const PERIOD_US: u64 = 1000;

/// What can be asked of it.
pub(super) const OPTIONS: &[TransportOption] = &[
    TransportOption {
        name: "timer",
        value: "TIMER",
        about: "When unacknowledged messages are sent again  [default: adaptive]",
        takes: Word(&[
            ("periodic", "All of them at each period, as on the Myrinet"),
            (
                "adaptive",
                "Each after its own time, which follows the round trips; at once when later ones \
                are acknowledged",
            ),
        ]),
    },
    TransportOption {
        name: "period",
        value: "TIME",
        about: "Period of the periodic timer, e.g. 1ms or 200us  [default: 1ms]",
        takes: Duration,
    },
    TransportOption {
        name: "max-acks",
        value: "MESSAGES",
        about: "Messages that may be unacknowledged; then the sender waits  [default: 256; \
        periodic 29]",
        takes: Count(1, ACKS_MAX as u64),
    },
    TransportOption {
        name: "messages-per-datagram",
        value: "MESSAGES",
        about: "Most messages in one datagram, if they are ready together (see --batch)  \
        [default: 64]",
        takes: Count(1, 1024),
    },
    TransportOption {
        name: "datagram",
        value: "BYTES",
        about: "Largest payload of a datagram; larger messages are split  [default: 1472]",
        takes: Bytes,
    },
    TransportOption {
        name: "receive-task",
        value: "RECEIVE_TASK",
        about: "Which thread handles arriving messages and acknowledgements  [default: inline]",
        takes: Word(&[
            ("inline", "The node's thread, when it sends or looks"),
            ("own", "A separate thread"),
        ]),
    },
    TransportOption {
        name: "user-priority",
        value: "USER_PRIORITY",
        about: "Priority of a node's thread relative to its receive task, both on one core; needs \
        --receive-task own",
        takes: Word(&[("high", "Above its receive task"), ("low", "Below its receive task")]),
    },
    TransportOption {
        name: "resend-cost",
        value: "TIME",
        about: "Occupy the sender for so long for each message sent again, as a slow network card \
        would, e.g. 20us  [default: 0]",
        takes: Duration,
    },
    TransportOption {
        name: "udp-faults",
        value: "FAULTS",
        about: "Faults to inject, e.g. \
        loss=1%,duplicate=1%,reorder=1%,delay=1%,delay-by=500us,seed=1",
        takes: Text(|text| Ok(serde_json::to_value(faults(text)?).unwrap_or_default())),
    },
];

/// The options that were given.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Given {
    timer: Option<String>,
    period: Option<u64>,
    max_acks: Option<u32>,
    messages_per_datagram: Option<u16>,
    datagram: Option<u64>,
    receive_task: Option<String>,
    user_priority: Option<UserPriority>,
    resend_cost: Option<u64>,
    udp_faults: Option<UdpFaults>,
}

/// What the transport is told, or why that cannot be.
pub(super) fn settings(given: &GivenOptions) -> Result<Value, String> {
    let given: Given = serde_json::from_value(Value::Object(given.clone()))
        .map_err(|error| format!("transport udp: {error}"))?;
    serde_json::to_value(given.options()?).map_err(|error| error.to_string())
}

/// A receive task of its own gets no time beside a node that looks without pause.
pub(super) fn must_block(settings: &Value) -> bool {
    UdpOptions::read(settings)
        .is_ok_and(|options| matches!(options.receive_task, ReceiveTask::Own { .. }))
}

/// The same with the other timer. The window stays what it was: one thing is changed.
pub(super) fn other_timer(given: &GivenOptions) -> Option<(GivenOptions, &'static str)> {
    let options = UdpOptions::read(&settings(given).ok()?).ok()?;
    let (timer, said) = match options.timer {
        UdpTimer::Periodic { .. } => ("adaptive", "the adaptive timer"),
        UdpTimer::Adaptive => ("periodic", "the periodic timer"),
    };
    let mut given = given.clone();
    given.insert("max-acks".into(), options.max_acks.into());
    given.insert("timer".into(), timer.into());
    given.remove("period");
    Some((given, said))
}

/// Find what cannot be carried out.
pub(super) fn check(spec: &Spec) -> Result<(), FabricError> {
    let options = UdpOptions::of(spec)?;
    if must_block(&spec.transport.settings) && spec.wait == Waiting::Polling {
        let reason = "--receive-task own needs --receive blocking: a node that polls without \
        pause leaves its receive task no time";
        return Err(FabricError::BadSpec { reason: reason.into() });
    }
    options.check()
}

impl Given {
    fn options(&self) -> Result<UdpOptions, String> {
        let usual = UdpOptions::default();
        let periodic = self.timer.as_deref() == Some("periodic");
        let own = self.receive_task.as_deref() == Some("own");
        if self.period.is_some() && !periodic {
            return Err("--period belongs to the periodic timer: add --timer periodic".into());
        }
        if self.user_priority.is_some() && !own {
            return Err(
                "--user-priority is relative to the receive task: add --receive-task own".into()
            );
        }
        let period_us = self.period.unwrap_or(PERIOD_US);
        let bytes = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let user_priority = self.user_priority;
        Ok(UdpOptions {
            timer: if periodic { UdpTimer::Periodic { period_us } } else { usual.timer },
            max_acks: self.max_acks.unwrap_or(if periodic { PERIODIC_ACKS } else { ADAPTIVE_ACKS }),
            messages_per_datagram: self
                .messages_per_datagram
                .unwrap_or(usual.messages_per_datagram),
            datagram_bytes: self.datagram.map_or(usual.datagram_bytes, bytes),
            receive_task: if own { ReceiveTask::Own { user_priority } } else { usual.receive_task },
            resend_cost_us: self.resend_cost.unwrap_or(0),
            faults: self.udp_faults,
        })
    }
}

/// `loss=1%,duplicate=0.5%,reorder=2%,delay=10%,delay-by=500us,seed=7`: each may be left out.
fn faults(text: &str) -> Result<UdpFaults, String> {
    let mut faults = UdpFaults::NONE;
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            format!(
                "'{part}' has no value: write \
                loss=1%,duplicate=1%,reorder=1%,delay=1%,delay-by=500us,seed=1"
            )
        })?;
        match name {
            "loss" => faults.loss = share(value)?,
            "duplicate" => faults.duplicate = share(value)?,
            "reorder" => faults.reorder = share(value)?,
            "delay" => faults.delay = share(value)?,
            "delay-by" => {
                let ns = time_ns(value)
                    .ok_or_else(|| format!("'{value}' is not a time: write e.g. 500us"))?;
                faults.delay_us = ns / 1000;
            }
            "seed" => {
                faults.seed = value
                    .parse()
                    .map_err(|_| format!("'{value}' is not a seed: write a whole number"))?
            }
            other => {
                return Err(format!(
                    "'{other}' is not a fault: choose from loss, duplicate, reorder, delay, \
                    delay-by and seed"
                ));
            }
        }
    }
    Ok(faults)
}

/// `1%` or `0.01`, from none to 90 %.
fn share(text: &str) -> Result<f64, String> {
    let (number, scale) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    let share = number.parse::<f64>().map(|number| number / scale).ok();
    share
        .filter(|share| (0.0..=0.9).contains(share))
        .ok_or_else(|| format!("'{text}' is not a share from 0 to 90%: write e.g. 1% or 0.01"))
}

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
    /// For so long its sender is occupied for each message that goes again, µs.
    #[serde(default, skip_serializing_if = "is_none")]
    pub resend_cost_us: u64,
    /// Faults put in on purpose.
    pub faults: Option<UdpFaults>,
}

// Said where it is not the usual.
fn is_none(cost_us: &u64) -> bool {
    *cost_us == 0
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
            max_acks: ADAPTIVE_ACKS,
            messages_per_datagram: 64,
            datagram_bytes: 1472,
            receive_task: ReceiveTask::Inline,
            resend_cost_us: 0,
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
    /// Those of a spec.
    pub(super) fn of(spec: &Spec) -> Result<UdpOptions, FabricError> {
        UdpOptions::read(&spec.transport.settings)
            .map_err(|error| FabricError::BadSpec { reason: format!("settings of udp: {error}") })
    }

    fn read(settings: &Value) -> serde_json::Result<UdpOptions> {
        match settings {
            Value::Null => Ok(UdpOptions::default()),
            settings => UdpOptions::deserialize(settings),
        }
    }

    /// Find what cannot be carried out.
    pub(crate) fn check(&self) -> Result<(), FabricError> {
        let refuse = |reason: String| Err(FabricError::BadSpec { reason });
        if self.max_acks == 0 || self.max_acks > ACKS_MAX {
            return refuse(format!(
                "{} unacknowledged messages: the window must be 1 to {ACKS_MAX}",
                self.max_acks
            ));
        }
        if self.messages_per_datagram == 0 {
            return refuse("a datagram must hold at least one message".into());
        }
        if !(DATAGRAM_BYTES_MIN..=DATAGRAM_BYTES_MAX).contains(&self.datagram_bytes) {
            let asked = self.datagram_bytes;
            return refuse(format!(
                "datagrams of {asked} bytes: give {DATAGRAM_BYTES_MIN} to {DATAGRAM_BYTES_MAX}; \
                UDP carries no more, and less is all header"
            ));
        }
        if let UdpTimer::Periodic { period_us } = self.timer
            && !(1..=LONGEST_US).contains(&period_us)
        {
            return refuse(format!("a period of {period_us} µs: give 1 µs to 10 s"));
        }
        if self.resend_cost_us > LONGEST_US {
            return refuse(format!(
                "a resend cost of {} µs: give 10 s at most",
                self.resend_cost_us
            ));
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
                    format!("udp faults: {name} of {chance} is not a probability from 0 to 0.9");
                return Err(FabricError::BadSpec { reason });
            }
        }
        if self.delay_us > LONGEST_US {
            let reason = format!(
                "udp faults: a delay of {} µs is too long; give at most 10 s",
                self.delay_us
            );
            return Err(FabricError::BadSpec { reason });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_is_refused_with_its_limits() {
        let good = UdpOptions::default();
        good.check().unwrap();
        let said = |options: UdpOptions| options.check().unwrap_err().to_string();
        assert!(said(UdpOptions { max_acks: 0, ..good }).contains("1 to 1024"));
        assert!(said(UdpOptions { resend_cost_us: 1 << 40, ..good }).contains("10 s at most"));
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

    #[test]
    fn faults_as_people_write_them() {
        let all =
            faults("loss=1%,duplicate=0.02,reorder=3%,delay=10%,delay-by=2ms,seed=7").unwrap();
        let expected = UdpFaults {
            seed: 7,
            loss: 0.01,
            duplicate: 0.02,
            reorder: 0.03,
            delay: 0.1,
            delay_us: 2000,
        };
        assert_eq!(all, expected);
        assert_eq!(faults("loss=30%").unwrap(), UdpFaults { loss: 0.3, ..UdpFaults::NONE });
        for (wrong, said) in [
            ("loss", "has no value"),
            ("lost=1%", "not a fault"),
            ("loss=91%", "90%"),
            ("loss=much", "'much'"),
            ("loss=NaN", "NaN"),
            ("seed=x", "not a seed"),
        ] {
            assert!(faults(wrong).unwrap_err().contains(said), "{wrong}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_the_remedy() {
        let given = |options: Value| options.as_object().unwrap().clone();
        let said = |options: Value| settings(&given(options)).unwrap_err();
        assert!(said(json!({"period": 1000})).contains("--timer periodic"));
        let both = json!({"user-priority": "low", "receive-task": "inline"});
        assert!(said(both).contains("--receive-task own"));
        assert!(said(json!({"max-acks": "many"})).contains("udp"));
        let options = |options: Value| UdpOptions::read(&settings(&given(options)).unwrap());
        assert_eq!(options(json!({})).unwrap(), UdpOptions::default());
        let periodic = options(json!({"timer": "periodic"})).unwrap();
        assert_eq!(
            (periodic.max_acks, periodic.timer),
            (29, UdpTimer::Periodic { period_us: 1000 })
        );
    }

    #[test]
    fn the_other_timer_keeps_the_window() {
        let given = json!({"timer": "periodic", "period": 500}).as_object().unwrap().clone();
        let (other, said) = other_timer(&given).unwrap();
        assert_eq!(said, "the adaptive timer");
        assert_eq!(Value::Object(other.clone()), json!({"timer": "adaptive", "max-acks": 29}));
        assert_eq!(other_timer(&other).unwrap().1, "the periodic timer");
    }
}
