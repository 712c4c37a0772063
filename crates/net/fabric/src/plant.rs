//! What is planted in a fabric to test what analyses find: delays of known size, in known places.
//!
//! Pure: whether a message is delayed, and by how much, follows from the seed, the pair of nodes
//! and the message's number, so that a made-up record can have the same plant as a real run.
//! [`Planted`](crate::planted::Planted) carries it out.

use crate::spec::NodeId;
use serde::{Deserialize, Serialize};

mod parse;

pub(crate) use parse::time_ns;

/// Longest delay that can be planted: a peer that is silent for longer is given up.
const LONGEST_NS: u64 = 1_000_000_000;

/// All that is planted in a fabric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plant {
    /// Decides which messages are delayed.
    pub seed: u64,
    /// What is planted; the delays of several add up.
    pub plantings: Vec<Planting>,
}

/// One thing that is planted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Planting {
    /// A part of the messages, chosen by the seed, is late by so much.
    Peak {
        /// Their part, 0 to 1.
        mass: f64,
        /// By how much, ns.
        by_ns: u64,
        /// Where they spend it.
        stage: PlantStage,
    },
    /// Every so many messages of a pair, one is late.
    Every {
        /// Messages from one late one to the next.
        messages: u64,
        /// By how much, ns.
        by_ns: u64,
        /// Where it spends it.
        stage: PlantStage,
    },
    /// Messages larger than this are late.
    Knee {
        /// Largest size that is not, bytes.
        at_bytes: u64,
        /// By how much, ns.
        jump_ns: u64,
        /// Where they spend it.
        stage: PlantStage,
    },
    /// Each packet of a message takes so long.
    Packets {
        /// Largest payload of a packet, bytes.
        payload_bytes: u64,
        /// Time a packet, ns.
        each_ns: u64,
        /// Where the message spends it.
        stage: PlantStage,
    },
    /// After every so many messages, the receiver looks at nothing for a while: what comes queues.
    Pause {
        /// Messages that it takes between two pauses.
        messages: u64,
        /// How long, ns.
        for_ns: u64,
    },
}

/// Where a planted delay is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlantStage {
    /// Before the network is given the message: B.
    SendWait,
    /// Before the receiving network has it: C.
    Transit,
    /// Before the program is given it: D.
    ReceiveWait,
}

/// A message as a plant sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passing {
    /// From.
    pub src: NodeId,
    /// To.
    pub dst: NodeId,
    /// Its number among the messages of this pair, from 0.
    pub number: u64,
    /// Payload.
    pub bytes: u64,
}

impl Plant {
    /// How long `message` is held up in `stage`, ns.
    pub fn delay_ns(&self, stage: PlantStage, message: &Passing) -> u64 {
        let delay = |(number, planting): (usize, &Planting)| {
            planting.delay_ns(stage, message, self.seed, number as u64)
        };
        self.plantings.iter().enumerate().map(delay).sum()
    }

    /// Whether it can be carried out: it may come from another process.
    pub(crate) fn check(&self) -> Result<(), String> {
        let impossible = |planting: &&Planting| match **planting {
            Planting::Peak { by_ns, .. } => by_ns > LONGEST_NS,
            Planting::Every { messages, by_ns, .. } => messages == 0 || by_ns > LONGEST_NS,
            Planting::Knee { jump_ns, .. } => jump_ns > LONGEST_NS,
            Planting::Packets { payload_bytes, each_ns, .. } => {
                payload_bytes == 0 || each_ns > LONGEST_NS
            }
            Planting::Pause { messages, for_ns } => messages == 0 || for_ns > LONGEST_NS,
        };
        match self.plantings.iter().find(impossible) {
            None => Ok(()),
            Some(planting) => Err(format!(
                "{planting} cannot be planted: counts must be at least 1, delays at most 1s"
            )),
        }
    }

    /// How long a receiver looks at nothing once it has taken its message number `taken`, from 1;
    /// ns.
    pub fn pause_ns(&self, taken: u64) -> u64 {
        let pause = |planting: &Planting| match *planting {
            Planting::Pause { messages, for_ns } if taken.is_multiple_of(messages) => for_ns,
            _ => 0,
        };
        self.plantings.iter().map(pause).sum()
    }
}

impl Planting {
    fn delay_ns(&self, stage: PlantStage, message: &Passing, seed: u64, number: u64) -> u64 {
        let here = |at: PlantStage, late: bool, by: u64| if at == stage && late { by } else { 0 };
        match *self {
            Planting::Peak { mass, by_ns, stage: at } => {
                here(at, draw(seed, number, message) < mass, by_ns)
            }
            Planting::Every { messages, by_ns, stage: at } => {
                here(at, (message.number + 1).is_multiple_of(messages), by_ns)
            }
            Planting::Knee { at_bytes, jump_ns, stage: at } => {
                here(at, message.bytes > at_bytes, jump_ns)
            }
            Planting::Packets { payload_bytes, each_ns, stage: at } => here(
                at,
                true,
                each_ns.saturating_mul(message.bytes.div_ceil(payload_bytes)).min(LONGEST_NS),
            ),
            Planting::Pause { .. } => 0,
        }
    }
}

/// A number from 0 to 1 that is the message's own.
fn draw(seed: u64, planting: u64, message: &Passing) -> f64 {
    let pair = u64::from(message.src) << 16 | u64::from(message.dst);
    let mixed = [planting, pair, message.number]
        .into_iter()
        .fold(mix(seed), |state, part| mix(state ^ part));
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Spreads a number over all bits (Steele, Lea & Flood 2014: SplitMix).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u64, bytes: u64) -> Passing {
        Passing { src: 0, dst: 1, number, bytes }
    }

    fn plant(seed: u64, text: &str) -> Plant {
        Plant { seed, plantings: vec![text.parse().unwrap()] }
    }

    #[test]
    fn a_peak_has_its_mass_and_its_seed() {
        let late = |seed| -> Vec<u64> {
            let plant = plant(seed, "peak:mass=0.01,by=50us");
            (0..100_000)
                .filter(|n| plant.delay_ns(PlantStage::Transit, &message(*n, 8)) == 50_000)
                .collect()
        };
        // Standard deviation 31.
        assert!((850..1150).contains(&late(1).len()), "{}", late(1).len());
        assert_ne!(late(1), late(2));
        assert_eq!(late(1), late(1));
        let elsewhere = plant(1, "peak:mass=1,by=50us,stage=send-wait");
        assert_eq!(elsewhere.delay_ns(PlantStage::Transit, &message(0, 8)), 0);
        assert_eq!(elsewhere.delay_ns(PlantStage::SendWait, &message(0, 8)), 50_000);
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        let check = |planting| Plant { seed: 1, plantings: vec![planting] }.check();
        let stage = PlantStage::Transit;
        assert!(check(Planting::Packets { payload_bytes: 0, each_ns: 1, stage }).is_err());
        assert!(check(Planting::Pause { messages: 1, for_ns: u64::MAX }).is_err());
        assert!(check(Planting::Knee { at_bytes: 0, jump_ns: LONGEST_NS, stage }).is_ok());
    }

    #[test]
    fn delays_follow_size_and_number() {
        let of = |text: &str, number, bytes| {
            plant(1, text).delay_ns(PlantStage::Transit, &message(number, bytes))
        };
        assert_eq!(
            (of("knee:at=4040,jump=3us", 0, 4040), of("knee:at=4040,jump=3us", 0, 4041)),
            (0, 3000)
        );
        let packets = "packets:payload=1448,each=5us";
        assert_eq!(
            [0, 1448, 1449, 2897].map(|bytes| of(packets, 0, bytes)),
            [0, 5000, 10_000, 15_000]
        );
        let late: Vec<u64> =
            (0..30).filter(|n| of("every:messages=10,by=1us", *n, 8) > 0).collect();
        assert_eq!(late, [9, 19, 29]);
        let pause = plant(1, "pause:messages=10,for=1ms");
        assert_eq!(
            [9, 10, 11, 20].map(|taken| pause.pause_ns(taken)),
            [0, 1_000_000, 0, 1_000_000]
        );
    }
}
