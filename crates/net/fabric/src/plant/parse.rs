//! Plantings as they are written: `peak:mass=0.001,by=50us,stage=transit`.

use super::{LONGEST_NS, PlantStage, Planting};
use std::fmt;
use std::str::FromStr;

const FORMS: &str = "peak:mass=0.001,by=50us; every:messages=1000,by=50us; knee:at=4040,jump=3us; \
packets:payload=1448,each=5us; \
                     pause:messages=1000,for=1ms; all but pause with stage=send-wait, transit or \
                     receive-wait";

/// The settings of a planting, taken one by one.
struct Settings<'a> {
    left: Vec<(&'a str, &'a str)>,
}

impl FromStr for Planting {
    type Err = String;

    /// A kind and its settings; the stage is transit unless another is given.
    fn from_str(text: &str) -> Result<Planting, String> {
        let (kind, settings) =
            text.split_once(':').ok_or_else(|| format!("write one of {FORMS}"))?;
        let mut settings = Settings::of(settings)?;
        let planting = match kind {
            "peak" => Planting::Peak {
                mass: settings.mass()?,
                by_ns: settings.time("by")?,
                stage: settings.stage()?,
            },
            "every" => Planting::Every {
                messages: settings.count("messages")?,
                by_ns: settings.time("by")?,
                stage: settings.stage()?,
            },
            "knee" => Planting::Knee {
                at_bytes: settings.count("at")?,
                jump_ns: settings.time("jump")?,
                stage: settings.stage()?,
            },
            "packets" => Planting::Packets {
                payload_bytes: settings.count("payload")?,
                each_ns: settings.time("each")?,
                stage: settings.stage()?,
            },
            "pause" => Planting::Pause {
                messages: settings.count("messages")?,
                for_ns: settings.time("for")?,
            },
            other => return Err(format!("'{other}' cannot be planted; write one of {FORMS}")),
        };
        settings.nothing_left(planting)
    }
}

impl fmt::Display for Planting {
    /// As it can be read again.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |stage: PlantStage| match stage {
            PlantStage::SendWait => ",stage=send-wait",
            PlantStage::Transit => "",
            PlantStage::ReceiveWait => ",stage=receive-wait",
        };
        match *self {
            Planting::Peak { mass, by_ns, stage } => {
                write!(out, "peak:mass={mass},by={}{}", Time(by_ns), at(stage))
            }
            Planting::Every { messages, by_ns, stage } => {
                write!(out, "every:messages={messages},by={}{}", Time(by_ns), at(stage))
            }
            Planting::Knee { at_bytes, jump_ns, stage } => {
                write!(out, "knee:at={at_bytes},jump={}{}", Time(jump_ns), at(stage))
            }
            Planting::Packets { payload_bytes, each_ns, stage } => {
                write!(out, "packets:payload={payload_bytes},each={}{}", Time(each_ns), at(stage))
            }
            Planting::Pause { messages, for_ns } => {
                write!(out, "pause:messages={messages},for={}", Time(for_ns))
            }
        }
    }
}

/// A time in the largest unit that leaves it whole.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
        let unit = units.into_iter().find(|(_, ns)| self.0 > 0 && self.0.is_multiple_of(*ns));
        let (name, ns) = unit.unwrap_or(("ns", 1));
        write!(out, "{}{name}", self.0 / ns)
    }
}

/// `50us`, `1.5ms`: ns, if it is a time.
pub(crate) fn time_ns(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (_, ns) = units.iter().find(|(unit, _)| *unit == &text[end..])?;
    text[..end].parse::<f64>().ok().map(|number| (number * ns) as u64)
}

impl<'a> Settings<'a> {
    fn of(text: &'a str) -> Result<Settings<'a>, String> {
        let pair = |part: &'a str| {
            part.split_once('=').ok_or_else(|| {
                format!("'{part}' is not a setting: write NAME=VALUE, as in {FORMS}")
            })
        };
        Ok(Settings { left: text.split(',').map(pair).collect::<Result<_, _>>()? })
    }

    fn take(&mut self, name: &str) -> Option<&'a str> {
        let at = self.left.iter().position(|(known, _)| *known == name)?;
        Some(self.left.remove(at).1)
    }

    fn wanted(&mut self, name: &str) -> Result<&'a str, String> {
        self.take(name).ok_or_else(|| format!("{name}= is missing; write one of {FORMS}"))
    }

    fn mass(&mut self) -> Result<f64, String> {
        let text = self.wanted("mass")?;
        let mass = text.parse().ok().filter(|mass| (0.0..=1.0).contains(mass));
        mass.ok_or_else(|| format!("mass={text}: write the share of messages, from 0 to 1"))
    }

    fn count(&mut self, name: &str) -> Result<u64, String> {
        let text = self.wanted(name)?;
        let count = text.parse().ok().filter(|count| *count > 0);
        count.ok_or_else(|| format!("{name}={text}: write a whole number above 0"))
    }

    fn time(&mut self, name: &str) -> Result<u64, String> {
        let text = self.wanted(name)?;
        time_ns(text)
            .filter(|ns| *ns <= LONGEST_NS)
            .ok_or_else(|| format!("{name}={text}: write a time of at most 1s, e.g. 50us"))
    }

    fn stage(&mut self) -> Result<PlantStage, String> {
        match self.take("stage") {
            None | Some("transit") => Ok(PlantStage::Transit),
            Some("send-wait") => Ok(PlantStage::SendWait),
            Some("receive-wait") => Ok(PlantStage::ReceiveWait),
            Some(other) => Err(format!("stage={other}: write send-wait, transit or receive-wait")),
        }
    }

    fn nothing_left(self, planting: Planting) -> Result<Planting, String> {
        match self.left.first() {
            None => Ok(planting),
            Some((name, _)) => Err(format!("{name}= has no meaning here; write one of {FORMS}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_can_be_read_again() {
        for text in [
            "peak:mass=0.001,by=50us",
            "every:messages=1000,by=1500ns,stage=send-wait",
            "knee:at=4040,jump=3us",
            "packets:payload=1448,each=5ms,stage=receive-wait",
            "pause:messages=9,for=1s",
        ] {
            assert_eq!(text.parse::<Planting>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wanted) in [
            ("peak", "write one of"),
            ("hill:by=1us", "'hill' cannot be planted"),
            ("peak:by=1us", "mass= is missing"),
            ("peak:mass=2,by=1us", "from 0 to 1"),
            ("peak:mass=0.1,by=1", "by=1: write a time"),
            ("peak:mass=0.1,by=2s", "at most 1s"),
            ("peak:mass=0.1,by=1us,stage=b", "stage=b"),
            ("peak:mass=0.1,by=1us,every=3", "every= has no meaning"),
            ("every:messages=0,by=1us", "above 0"),
            ("knee:at", "'at' is not a setting"),
            ("pause:messages=9,for=1ms,stage=transit", "stage= has no meaning"),
        ] {
            let said = text.parse::<Planting>().unwrap_err();
            assert!(said.contains(wanted), "{text}: {said}");
        }
    }
}
