//! The machine's network, with what each message carries besides its bytes.

use crate::alone::Alone;
use crate::path::Path;
use machine::{Happened, Machine, Network, Tells, Time};

/// What is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
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
pub enum Told {
    Interrupted { node: u16, takes: Time },
    Came { load: Load, to: u16, path: Path },
    Freed { node: u16 },
}

/// The network of a machine, and what is on it.
pub struct Wire {
    network: Network,
    under_way: Vec<Carried>,
    alone: Alone,
}

const NOTHING: Carried =
    Carried { load: Load::Whole(0), bytes: 0, left: 0, path: Path::at_the_start() };

impl Wire {
    pub fn new(machine: &Machine, nodes: u16, seed: u64, tells: Tells) -> Wire {
        Wire {
            network: Network::telling(tells, machine, nodes, seed),
            under_way: Vec::new(),
            alone: Alone::new(machine, nodes),
        }
    }

    /// Something leaves, at a time that is not before the last that was played. `path` leads to it.
    pub fn send(&mut self, at: Time, (from, to): (u16, u16), load: Load, bytes: u64, path: &Path) {
        let place = self.network.send(at, from, to, bytes) as usize;
        if self.under_way.len() <= place {
            self.under_way.resize(place + 1, NOTHING);
        }
        self.under_way[place] = Carried { load, bytes, left: at, path: *path };
    }

    /// What a message without a byte takes from one node to another.
    pub fn latency(&mut self, pair: (u16, u16)) -> Time {
        self.alone.latency(pair)
    }

    pub fn next(&self) -> Option<Time> {
        self.network.next()
    }

    /// Play the next event, and say what nodes hear of it.
    pub fn play_next(&mut self, told: &mut Vec<(Time, Told)>) {
        let (under_way, alone) = (&self.under_way, &mut self.alone);
        self.network.play_next(&mut |when, happened| {
            let heard = match happened {
                Happened::Interrupted { node, takes } => Told::Interrupted { node, takes },
                Happened::Freed { node } => Told::Freed { node },
                Happened::Arrived(arrived) => {
                    let Carried { load, bytes, left, mut path } =
                        under_way[arrived.message as usize];
                    let alone = alone.of((arrived.from, arrived.to), bytes);
                    alone.split(&mut path, when - left);
                    Told::Came { load, to: arrived.to, path }
                }
            };
            told.push((when, heard));
        });
    }
}
