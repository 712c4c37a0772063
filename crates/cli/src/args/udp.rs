//! Arguments of `--transport udp`: how datagrams are made reliable.

use super::quantity;
use clap::{Args, ValueEnum};
use fabric::{ReceiveTask, UdpFaults, UdpOptions, UdpTimer, UserPriority};
use std::time::Duration;

/// Unacknowledged messages with the study's timer, as on its network; and with ours.
const PERIODIC_ACKS: u32 = 29;
const ADAPTIVE_ACKS: u32 = 256;

/// What a measurement over udp takes.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Transport udp")]
pub struct UdpArgs {
    /// When what is not acknowledged goes again  [default: adaptive]
    #[arg(long, value_enum)]
    pub timer: Option<Timer>,
    /// Of the periodic timer, as 1ms or 200us  [default: 1ms]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub period: Option<Duration>,
    /// Messages that may be unacknowledged; then the sender waits  [default: 256; periodic 29]
    #[arg(long, value_name = "MESSAGES", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub max_acks: Option<u32>,
    /// Messages in one datagram, of those that are ready together (see --batch)  [default: 64]
    #[arg(long, value_name = "MESSAGES", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub messages_per_datagram: Option<u16>,
    /// Largest payload of a datagram; larger messages go in several  [default: 1472]
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    pub datagram: Option<usize>,
    /// Who handles what comes, messages and acknowledgements  [default: inline]
    #[arg(long, value_enum)]
    pub receive_task: Option<Task>,
    /// Priority of a node's own thread against its receive task's, both on one core; needs
    /// --receive-task own
    #[arg(long, value_enum, requires = "receive_task")]
    pub user_priority: Option<Priority>,
    /// Trouble put in on purpose, as loss=1%,duplicate=1%,reorder=1%,delay=1%,delay-by=500us,seed=1
    #[arg(long, value_name = "FAULTS", value_parser = faults)]
    pub udp_faults: Option<UdpFaults>,
}

/// When what is not acknowledged goes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Timer {
    /// All of it whenever the period is over, as on the Myrinet
    Periodic,
    /// Each message by its own time, which follows the round trips; at once when later ones are
    /// acknowledged
    Adaptive,
}

/// Who handles what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Task {
    /// The node's thread, when it sends or looks
    Inline,
    /// A thread of its own
    Own,
}

/// Priority of a node's own thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Priority {
    /// Above its receive task
    High,
    /// Below its receive task
    Low,
}

impl UdpArgs {
    /// What the transport is told, or why that cannot be.
    pub fn options(&self) -> Result<UdpOptions, String> {
        let usual = UdpOptions::default();
        let periodic = self.timer == Some(Timer::Periodic);
        if self.period.is_some() && !periodic {
            return Err("--period is the periodic timer's: add --timer periodic".into());
        }
        if self.user_priority.is_some() && self.receive_task != Some(Task::Own) {
            return Err(
                "--user-priority is against the receive task's: add --receive-task own".into()
            );
        }
        let period = self.period.unwrap_or(Duration::from_millis(1));
        let user_priority = self.user_priority.map(|priority| match priority {
            Priority::High => UserPriority::High,
            Priority::Low => UserPriority::Low,
        });
        Ok(UdpOptions {
            timer: match periodic {
                true => UdpTimer::Periodic { period_us: period.as_micros() as u64 },
                false => UdpTimer::Adaptive,
            },
            max_acks: self.max_acks.unwrap_or(if periodic { PERIODIC_ACKS } else { ADAPTIVE_ACKS }),
            messages_per_datagram: self
                .messages_per_datagram
                .unwrap_or(usual.messages_per_datagram),
            datagram_bytes: match self.datagram {
                Some(bytes) => u32::try_from(bytes).unwrap_or(u32::MAX),
                None => usual.datagram_bytes,
            },
            receive_task: match self.receive_task {
                Some(Task::Own) => ReceiveTask::Own { user_priority },
                _ => ReceiveTask::Inline,
            },
            faults: self.udp_faults,
        })
    }

    /// An argument that was given though the transport is another one.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.timer.is_some(), "--timer"),
            (self.period.is_some(), "--period"),
            (self.max_acks.is_some(), "--max-acks"),
            (self.messages_per_datagram.is_some(), "--messages-per-datagram"),
            (self.datagram.is_some(), "--datagram"),
            (self.receive_task.is_some(), "--receive-task"),
            (self.udp_faults.is_some(), "--udp-faults"),
        ];
        given.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

/// `loss=1%,duplicate=0.5%,reorder=2%,delay=10%,delay-by=500us,seed=7`: each may be left out.
fn faults(text: &str) -> Result<UdpFaults, String> {
    let mut faults = UdpFaults::NONE;
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or_else(|| {
            format!(
                "'{part}' says no value: write \
                loss=1%,duplicate=1%,reorder=1%,delay=1%,delay-by=500us,seed=1"
            )
        })?;
        match name {
            "loss" => faults.loss = share(value)?,
            "duplicate" => faults.duplicate = share(value)?,
            "reorder" => faults.reorder = share(value)?,
            "delay" => faults.delay = share(value)?,
            "delay-by" => faults.delay_us = quantity::duration(value)?.as_micros() as u64,
            "seed" => {
                faults.seed = value
                    .parse()
                    .map_err(|_| format!("'{value}' is no seed: write a whole number"))?
            }
            other => {
                return Err(format!(
                    "'{other}' is no fault: there are loss, duplicate, reorder, delay, delay-by \
                    and seed"
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
        .ok_or_else(|| format!("'{text}' is no share from 0 to 90%: write 1% or 0.01"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("loss", "says no value"),
            ("lost=1%", "no fault"),
            ("loss=91%", "90%"),
            ("loss=much", "'much'"),
            ("loss=NaN", "NaN"),
            ("seed=x", "no seed"),
        ] {
            assert!(faults(wrong).unwrap_err().contains(said), "{wrong}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_refused_with_the_remedy() {
        let period = Some(Duration::from_millis(1));
        assert!(
            UdpArgs { period, ..UdpArgs::default() }
                .options()
                .unwrap_err()
                .contains("--timer periodic")
        );
        let user_priority = Some(Priority::Low);
        let receive_task = Some(Task::Inline);
        let both = UdpArgs { user_priority, receive_task, ..UdpArgs::default() };
        assert!(both.options().unwrap_err().contains("--receive-task own"));
        assert_eq!(UdpArgs::default().options().unwrap(), UdpOptions::default());
        let periodic =
            UdpArgs { timer: Some(Timer::Periodic), ..UdpArgs::default() }.options().unwrap();
        assert_eq!(
            (periodic.max_acks, periodic.timer),
            (29, UdpTimer::Periodic { period_us: 1000 })
        );
    }
}
