//! Messages on their way.

use super::Message;
use crate::Time;

/// A message on its way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    pub from: u16,
    pub to: u16,
    pub links: u8,
    pub packets: u32,
    /// Packets that have not been handled yet.
    pub missing: u32,
    /// Its number among those of its pair, where that matters.
    pub turn: u64,
    /// What each packet but the last keeps a link busy.
    pub takes: Time,
    pub last_takes: Time,
    pub latency: Time,
}

impl Way {
    /// What a packet keeps a link busy.
    pub fn takes(&self, packet: u32) -> Time {
        if packet + 1 < self.packets { self.takes } else { self.last_takes }
    }

    /// What those after the first do.
    pub fn rest_takes(&self) -> Time {
        match self.packets {
            1 => 0,
            packets => Time::from(packets - 2) * self.takes + self.last_takes,
        }
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Ways {
    all: Vec<Way>,
    free: Vec<Message>,
}

impl Ways {
    pub fn add(&mut self, way: Way) -> Message {
        match self.free.pop() {
            Some(message) => {
                self.all[message as usize] = way;
                message
            }
            None => {
                self.all.push(way);
                self.all.len() as Message - 1
            }
        }
    }

    pub fn at(&mut self, message: Message) -> &mut Way {
        &mut self.all[message as usize]
    }

    /// It has come: its number may be another's.
    pub fn end(&mut self, message: Message) -> Way {
        self.free.push(message);
        self.all[message as usize]
    }
}
