//! The rules of the throttle, and how they are written.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Which objects may not run ahead. An object at GVT always may. Work is counted in events: the
/// engine reads no clock. Under each of them a node runs nothing ahead while it undoes and commits
/// nothing at all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "rule")]
pub enum Throttle {
    /// None.
    Never,
    /// While some node lacks a core, all on a node that runs ahead in vain: once it undoes more
    /// than it commits, it runs fewer events before the next GVT, and more again while it undoes
    /// few.
    Adaptive,
    /// 1: those with more than so many messages sent and not committed.
    Outputs {
        /// How many (100).
        limit: u32,
    },
    /// 2: those whose allowance of uncommitted events is used up; at each GVT it is `tmult` times
    /// what was committed since, plus `tadd`, less what is not committed.
    Allowance {
        /// Factor (2).
        tmult: f64,
        /// Events (200).
        tadd: f64,
    },
    /// 3: those beyond the previous GVT by more than `wsize` times its last step.
    GvtSteps {
        /// Factor (20).
        wsize: f64,
    },
    /// 4: those with more than so many states beyond the first one.
    States {
        /// How many (20).
        limit: u32,
    },
    /// 5: all on a node that undid more since the last GVT than it committed, until the next.
    Undone,
    /// 6: those beyond GVT by more than this.
    Window {
        /// Simtime.
        window: f64,
    },
}

impl Throttle {
    /// Whether it holds back objects, one by one.
    pub(crate) fn looks_at_objects(self) -> bool {
        !matches!(self, Throttle::Never | Throttle::Adaptive)
    }

    /// Why it cannot be carried out, if it cannot.
    pub(super) fn mistake(self) -> Option<&'static str> {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        match self {
            Throttle::Window { window } if !positive(window) => {
                Some("the throttling window must be above 0")
            }
            Throttle::GvtSteps { wsize } if !positive(wsize) => Some("wsize must be above 0"),
            Throttle::Allowance { tmult, tadd }
                if !positive(tadd) || !tmult.is_finite() || tmult < 0.0 =>
            {
                Some("tadd must be above 0, and tmult not below it")
            }
            _ => None,
        }
    }
}

const KNOWN: &str = "the rules are adaptive, never, outputs:100, allowance:2,200, gvt-steps:20, \
states:20, undone, window:5";

impl FromStr for Throttle {
    type Err = String;

    /// A rule by its name or by its number in the Time Warp Operating System, with its parameters
    /// behind a colon.
    fn from_str(text: &str) -> Result<Throttle, String> {
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        let numbers: Result<Vec<f64>, _> =
            values.split(',').filter(|value| !value.is_empty()).map(str::parse::<f64>).collect();
        let numbers =
            numbers.map_err(|_| format!("'{values}' is not a list of numbers: {KNOWN}"))?;
        let real = |at: usize, usual: f64| match numbers.get(at).copied().unwrap_or(usual) {
            number if number.is_finite() && number >= 0.0 => Ok(number),
            number => Err(format!("{number} is below 0: {KNOWN}")),
        };
        let whole = |at: usize, usual: f64| real(at, usual).map(|number| number as u32);
        let (rule, takes) = match name {
            "0" | "never" => (Throttle::Never, 0),
            "adaptive" => (Throttle::Adaptive, 0),
            "1" | "outputs" => (Throttle::Outputs { limit: whole(0, 100.0)? }, 1),
            "2" | "allowance" => {
                (Throttle::Allowance { tmult: real(0, 2.0)?, tadd: real(1, 200.0)? }, 2)
            }
            "3" | "gvt-steps" => (Throttle::GvtSteps { wsize: real(0, 20.0)? }, 1),
            "4" | "states" => (Throttle::States { limit: whole(0, 20.0)? }, 1),
            "5" | "undone" => (Throttle::Undone, 0),
            "6" | "window" if !numbers.is_empty() => {
                (Throttle::Window { window: real(0, 0.0)? }, 1)
            }
            "6" | "window" => {
                return Err("a window needs its width in simtime, e.g. \
            window:5"
                    .into());
            }
            _ => return Err(format!("there is no rule '{name}': {KNOWN}")),
        };
        if numbers.len() > takes {
            return Err(format!("'{name}' needs {takes} numbers: {KNOWN}"));
        }
        Ok(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_by_name_and_number() {
        let throttle = str::parse::<Throttle>;
        assert_eq!(throttle("0"), Ok(Throttle::Never));
        assert_eq!(throttle("adaptive"), Ok(Throttle::Adaptive));
        assert_eq!(throttle("1"), throttle("outputs:100"));
        assert_eq!(throttle("allowance:3"), Ok(Throttle::Allowance { tmult: 3.0, tadd: 200.0 }));
        assert_eq!(throttle("2:2.5,7"), Ok(Throttle::Allowance { tmult: 2.5, tadd: 7.0 }));
        assert_eq!(throttle("window:0.5"), Ok(Throttle::Window { window: 0.5 }));
        for wrong in ["7", "window", "states:1,2", "outputs:-1", "outputs:x", "fast"] {
            assert!(throttle(wrong).is_err(), "{wrong}");
        }
    }
}
