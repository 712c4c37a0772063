//! The machine's network, with what each message carries besides its bytes.

use super::path::{Path, Share};
use machine::{Happened, Machine, Network, Time};
use std::collections::HashMap;

/// What is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// The message.
    Whole(u32),
    /// Its sender asks whether it may come.
    Ask(u32),
    /// Its receiver says that it may.
    Go(u32),
}

/// Something on its way.
#[derive(Clone, Copy, Debug)]
struct Carried {
    load: Load,
    bytes: u64,
    left: Time,
    path: Path,
}

/// What the network tells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Told {
    Interrupted { node: u16, takes: Time },
    Came { load: Load, to: u16, path: Path },
    Freed { node: u16 },
}

/// The network of a machine, and what is on it.
pub(super) struct Wire {
    network: Network,
    under_way: Vec<Option<Carried>>,
    alone: Alone,
    told: Vec<(Time, Told)>,
}

impl Wire {
    pub fn new(machine: &Machine, nodes: u16, seed: u64) -> Wire {
        Wire {
            network: Network::new(machine, nodes, seed),
            under_way: Vec::new(),
            alone: Alone { machine: lossless(machine), nodes, known: HashMap::new() },
            told: Vec::new(),
        }
    }

    /// Something leaves, at a time that is not before the last that was played. `path` leads to it.
    pub fn send(&mut self, at: Time, (from, to): (u16, u16), load: Load, bytes: u64, path: Path) {
        let place = self.network.send(at, from, to, bytes) as usize;
        if self.under_way.len() <= place {
            self.under_way.resize(place + 1, None);
        }
        self.under_way[place] = Some(Carried { load, bytes, left: at, path });
    }

    pub fn next(&self) -> Option<Time> {
        self.network.next()
    }

    /// Play the next event, and hand out what nodes hear of it.
    pub fn play_next(&mut self) -> impl Iterator<Item = (Time, Told)> + use<> {
        let mut told = std::mem::take(&mut self.told);
        let (under_way, alone) = (&mut self.under_way, &mut self.alone);
        self.network.play_next(&mut |when, happened| {
            let heard = match happened {
                Happened::Interrupted { node, takes } => Told::Interrupted { node, takes },
                Happened::Freed { node } => Told::Freed { node },
                Happened::Arrived(arrived) => {
                    let carried = under_way[arrived.message as usize].take();
                    let Some(carried) = carried else { return };
                    let alone = alone.of((arrived.from, arrived.to), carried.bytes);
                    let path = alone.split(carried.path, when - carried.left);
                    Told::Came { load: carried.load, to: arrived.to, path }
                }
            };
            told.push((when, heard));
        });
        told.into_iter()
    }
}

/// What messages take on an idle network.
struct Alone {
    machine: Machine,
    nodes: u16,
    known: HashMap<(u16, u16, u64), Parts>,
}

#[derive(Clone, Copy)]
struct Parts {
    latency: Time,
    whole: Time,
}

fn lossless(machine: &Machine) -> Machine {
    machine.clone().with("network.loss", 0.0)
}

impl Alone {
    fn of(&mut self, pair: (u16, u16), bytes: u64) -> Parts {
        let key = (pair.0, pair.1, bytes);
        if let Some(parts) = self.known.get(&key) {
            return *parts;
        }
        let (latency, whole) = (self.takes(pair, 0), self.takes(pair, bytes));
        let parts = Parts { latency, whole };
        self.known.insert(key, parts);
        parts
    }

    fn takes(&self, (from, to): (u16, u16), bytes: u64) -> Time {
        let mut network = Network::new(&self.machine, self.nodes, 0);
        network.send(0, from, to, bytes);
        let mut arrived = 0;
        let mut tell = |when, happened| {
            if matches!(happened, Happened::Arrived(_)) {
                arrived = when;
            }
        };
        while network.play_next(&mut tell) {}
        arrived
    }
}

impl Parts {
    /// The path of a message that took so long.
    fn split(self, path: Path, took: Time) -> Path {
        let latency = self.latency.min(took);
        let bytes = self.whole.min(took) - latency;
        let mut path = path
            .and(Share::Latency, latency)
            .and(Share::Bandwidth, bytes)
            .and(Share::Contention, took - latency - bytes);
        path.messages += 1;
        path
    }
}
