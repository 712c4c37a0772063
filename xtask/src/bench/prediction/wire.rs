//! The links that programs are measured over.

use crate::bench::delay_line::DelayLine;
use crate::process;
use crate::workspace::Workspace;
use anyhow::Result;
use shaped::{Link, Namespaces};
use std::ffi::OsStr;
use std::time::Duration;

/// What the shaper of every link passes at once: what a gigabit carries while timers are late.
const BURST_BYTES: u64 = 14_100;
/// Of wires of a length, bit/s.
const RATE: f64 = 100e6;

/// A link between both namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Of so many Mbit/s.
    Rate(u64),
    /// Of 100 Mbit/s, and so much longer one way, us.
    Delay(u64),
}

impl Wire {
    /// Its folder's name.
    pub fn name(self) -> String {
        match self {
            Wire::Rate(rate) => format!("{rate}-mbit"),
            Wire::Delay(us) => format!("{us}-us"),
        }
    }

    /// As tables have it.
    pub fn words(self) -> String {
        match self {
            Wire::Rate(rate) => format!("{rate} Mbit/s"),
            Wire::Delay(us) => format!("{} ms", us as f64 / 1e3),
        }
    }

    /// What `fourstamp predict` is told of how another wire differs; `None`: there are no words for
    /// it.
    pub fn change_to(self, other: Wire) -> Option<[String; 2]> {
        match (self, other) {
            (Wire::Rate(from), Wire::Rate(to)) => {
                Some(["--bandwidth".into(), format!("{}x", to as f64 / from as f64)])
            }
            (Wire::Delay(from), Wire::Delay(to)) if from < to => {
                Some(["--latency".into(), format!("+{}us", to - from)])
            }
            _ => None,
        }
    }
}

/// What TCP does in both namespaces: BBR, the default of some hosts, sends what comes after a pause
/// piece by piece, which is no matter of the wire.
const WITHOUT_PACING: &str = "net.ipv4.tcp_congestion_control=reno";

/// Lays one wire after the other.
pub struct Layer<'a> {
    workspace: &'a Workspace,
    boxes: &'a Namespaces,
    joined: bool,
    line: Option<DelayLine>,
}

impl<'a> Layer<'a> {
    pub fn new(workspace: &'a Workspace, boxes: &'a Namespaces) -> Layer<'a> {
        Layer { workspace, boxes, joined: false, line: None }
    }

    /// Make it this one. Nothing may be under way.
    pub fn lay(&mut self, wire: Wire) -> Result<()> {
        match wire {
            Wire::Rate(rate) => {
                let burst_bytes = Some(BURST_BYTES);
                let link = Link { burst_bytes, ..Link::of_rate(rate * 1_000_000) };
                match std::mem::replace(&mut self.joined, true) {
                    true => self.boxes.reshape(&link)?,
                    false => self.boxes.join(&link)?,
                }
            }
            Wire::Delay(us) => {
                self.line = None;
                self.line = Some(DelayLine::lay(self.workspace, self.boxes, us, RATE)?);
                self.without_pacing()?;
            }
        }
        Ok(())
    }

    fn without_pacing(&self) -> Result<()> {
        for place in 0..2 {
            let mut sysctl = self.boxes.within(place, OsStr::new("sysctl"));
            let set = sysctl.args(["-q", "-w", WITHOUT_PACING]);
            process::capture_within(set, Duration::from_secs(20))?;
        }
        Ok(())
    }
}
