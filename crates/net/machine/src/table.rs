//! The table of constants: what a machine's file may say of processors and network. Parsing,
//! checks, `machine show` and the documents follow from it.

use crate::Unit;

/// A constant that a file may give.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Section and name, as `processor.send`.
    pub name: &'static str,
    pub unit: Unit,
    /// What it is where a file leaves it out; `None`: it must not.
    pub usual: Option<f64>,
    /// Bounds of its value, in the unit's base.
    pub within: [f64; 2],
    /// What it is, in a line.
    pub about: &'static str,
}

/// Those that may differ by the size of a message.
const BY_SIZE: [&str; 6] = [
    "processor.send",
    "processor.receive",
    "processor.copy",
    "network.latency",
    "network.bandwidth",
    "network.gap",
];

impl Field {
    /// Whether a file may give several, by the size of a message.
    pub fn by_size(&self) -> bool {
        BY_SIZE.contains(&self.name)
    }
}

const fn field(
    name: &'static str,
    unit: Unit,
    usual: Option<f64>,
    within: [f64; 2],
    about: &'static str,
) -> Field {
    Field { name, unit, usual, within, about }
}

/// An hour: longer is a slip of the pen.
const LONG: f64 = 3600e9;
/// No bound worth one.
const LARGE: f64 = 1e15;
const ANY_TIME: [f64; 2] = [0.0, LONG];

/// In the order in which they are shown.
pub const FIELDS: [Field; 22] = [
    field("processor.speed", Unit::Ratio, Some(1.0), [1e-3, 1e6], "times as fast as costs say"),
    field("processor.send", Unit::Time, None, ANY_TIME, "of the sender, a message"),
    field("processor.receive", Unit::Time, None, ANY_TIME, "of the receiver, a message"),
    field("processor.copy", Unit::Rate, Some(LARGE), [1e3, LARGE], "of payloads, at both ends"),
    field("processor.look", Unit::Time, Some(100.0), [1.0, LONG], "for a message, in vain"),
    field("processor.wake", Unit::Time, Some(0.0), ANY_TIME, "from asleep to at work"),
    field("processor.interrupt", Unit::Time, Some(0.0), ANY_TIME, "by each packet that comes"),
    field("processor.timer", Unit::Time, Some(0.0), ANY_TIME, "from one timer interrupt on"),
    field("processor.timer-takes", Unit::Time, Some(0.0), ANY_TIME, "of the processor, each time"),
    field("network.latency", Unit::Time, None, ANY_TIME, "of each link"),
    field("network.bandwidth", Unit::Rate, None, [1e3, LARGE], "of each link, each way"),
    field("network.packet", Unit::Bytes, Some(LARGE), [1.0, LARGE], "largest payload of a packet"),
    field("network.header", Unit::Bytes, Some(0.0), [0.0, LARGE], "on the wire, a packet"),
    field("network.gap", Unit::Time, Some(0.0), ANY_TIME, "of a link, a packet, besides its bytes"),
    field(
        "network.burst",
        Unit::Bytes,
        Some(0.0),
        [0.0, LARGE],
        "of a link that was idle, at once",
    ),
    field("network.hop", Unit::Time, Some(0.0), ANY_TIME, "of each node between, a packet"),
    field("network.handler", Unit::Time, Some(0.0), ANY_TIME, "of the receiving end, a packet"),
    field("network.buffers", Unit::Count, Some(1024.0), [1.0, 1e6], "messages unfinished, a node"),
    field(
        "network.window",
        Unit::Bytes,
        Some(524_288.0),
        [64.0, LARGE],
        "sent and not taken, a pair",
    ),
    field(
        "network.eager",
        Unit::Bytes,
        Some(LARGE),
        [0.0, LARGE],
        "largest MPI message that does not wait for its receive",
    ),
    field("network.loss", Unit::Ratio, Some(0.0), [0.0, 0.9], "share of packets lost"),
    field("network.resend", Unit::Time, Some(0.0), ANY_TIME, "until a lost packet goes again"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_usual_values_are_allowed() {
        let names: std::collections::BTreeSet<_> = FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), FIELDS.len());
        for field in &FIELDS {
            let [least, most] = field.within;
            let usual = field.usual.unwrap_or(least);
            let off = field.unit == Unit::Time && usual == 0.0;
            assert!(off || (least..=most).contains(&usual), "{}", field.name);
        }
    }
}
