//! The throttle: a rule and the numbers that rules take stand in lines of their own, in any order.

use super::{ConfigError, Located, Remarks};
use crate::Job;
use timewarp::Throttle;

/// Ticks that stand for an event: the original's default of 200,000 for TADD is 200 events here.
const TICKS_AN_EVENT: f64 = 1000.0;

/// The numbers that rules take, with the original's defaults.
struct Numbers {
    window: Option<f64>,
    ethrottle: u32,
    wsize: f64,
    tmult: f64,
    tadd_events: f64,
}

/// Set the throttle from all commands that are about it.
pub(super) fn settle(
    commands: &[Located],
    job: &mut Job,
    remarks: &mut Remarks,
) -> Result<(), ConfigError> {
    let mut numbers =
        Numbers { window: None, ethrottle: 20, wsize: 20.0, tmult: 2.0, tadd_events: 200.0 };
    let mut chosen = None;
    for located in commands {
        match located.command.setting() {
            Some(("THROTTLE", rule)) => chosen = Some((rule as u32, located)),
            Some(("WINDOW", window)) => numbers.window = Some(window),
            Some(("ETHROTTLE", states)) => numbers.ethrottle = states as u32,
            Some(("WSIZE", factor)) => numbers.wsize = factor,
            Some(("TMULT", factor)) => numbers.tmult = factor,
            Some(("TADD", ticks)) => {
                numbers.tadd_events = ticks / TICKS_AN_EVENT;
                let events = numbers.tadd_events;
                let text = format!(
                    "TADD is taken as {events} events: work is counted in events, 1000 ticks each"
                );
                remarks.once("TADD", &located.place, &text);
            }
            _ => {}
        }
    }
    let rule = chosen.map_or(0, |(rule, _)| rule);
    say_what_is_idle(commands, rule, remarks);
    if let Some((rule, located)) = chosen {
        let throttle = numbers.rule(rule);
        job.engine.throttle = throttle.ok_or_else(|| {
            located.place.error("rule 6 needs a window: add a line WINDOW with a simtime")
        })?;
    }
    Ok(())
}

/// A number of a rule that is not chosen.
fn say_what_is_idle(commands: &[Located], rule: u32, remarks: &mut Remarks) {
    for Located { command, place } in commands {
        let (name, of) = match command.setting() {
            Some((name @ "WINDOW", _)) => (name, 6),
            Some((name @ "ETHROTTLE", _)) => (name, 4),
            Some((name @ "WSIZE", _)) => (name, 3),
            Some((name @ ("TMULT" | "TADD"), _)) => (name, 2),
            _ => continue,
        };
        if of != rule {
            let text = format!("{name} changes nothing: it belongs to THROTTLE {of}");
            remarks.once(name, place, &text);
        }
    }
}

impl Numbers {
    /// `None`: a number lacks.
    fn rule(&self, rule: u32) -> Option<Throttle> {
        Some(match rule {
            1 => Throttle::Outputs { limit: 100 },
            2 => Throttle::Allowance { tmult: self.tmult, tadd: self.tadd_events },
            3 => Throttle::GvtSteps { wsize: self.wsize },
            4 => Throttle::States { limit: self.ethrottle },
            5 => Throttle::Undone,
            6 => Throttle::Window { window: self.window? },
            _ => Throttle::Never,
        })
    }
}
