//! Servers and a disk whose pages are one number each. They answer in order, each at its own pace,
//! and may crash, hang, fill up.

use std::collections::{HashMap, VecDeque};

use crate::{Action, Checksum, Failure, Frame, Into, Operation, Outcome, Place, Tag};

/// Contents of a page: one number stands for 4096 bytes.
pub(crate) type Bytes = u64;

pub(crate) fn checksum(bytes: Bytes) -> Checksum {
    Checksum(
        u128::from(bytes ^ 0x9e37_79b9).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c834),
    )
}

/// What a place has been asked; frames are read when it is asked, as a driver's socket does.
enum Request {
    Write { operation: Operation, slot: u32, bytes: Bytes, tag: Tag },
    Read { operation: Operation, slot: u32, version: u64, checksum: Option<Checksum>, into: Into },
    Reserve { slots: u32 },
}

/// What a place answers.
pub(crate) enum Reply {
    Granted(u32),
    Done(Operation, Outcome),
    Bytes(Operation, Into, Bytes),
}

pub(crate) struct Server {
    pub up: bool,
    /// Answers nothing, until it is found to be dead.
    pub hangs: bool,
    /// How many slots it grants in all.
    pub capacity: u32,
    granted: u32,
    slots: HashMap<u32, (Bytes, Tag)>,
    requests: VecDeque<Request>,
}

impl Server {
    pub fn new(capacity: u32) -> Server {
        Server {
            up: true,
            hangs: false,
            capacity,
            granted: 0,
            slots: HashMap::new(),
            requests: VecDeque::new(),
        }
    }

    /// The disk: all its slots are granted.
    pub fn endless() -> Server {
        Server { granted: u32::MAX, ..Server::new(u32::MAX) }
    }

    pub fn pending(&self) -> bool {
        self.up && !self.hangs && !self.requests.is_empty()
    }

    /// It is gone, with all that it held. Returns what will never be answered.
    pub fn crash(&mut self) -> Vec<Operation> {
        self.up = false;
        self.slots.clear();
        self.requests.drain(..).filter_map(|r| r.operation()).collect()
    }

    pub fn answer(&mut self) -> Option<Reply> {
        Some(match self.requests.pop_front()? {
            Request::Reserve { slots } => {
                let slots = slots.min(self.capacity - self.granted);
                self.granted += slots;
                Reply::Granted(slots)
            }
            Request::Write { operation, slot, bytes, tag } => {
                assert!(slot < self.granted, "a slot that was never granted");
                self.slots.insert(slot, (bytes, tag));
                Reply::Done(operation, Ok(None))
            }
            Request::Read { operation, slot, version, checksum, into } => {
                match self.slots.get(&slot) {
                    Some(&(bytes, tag))
                        if tag.version == version && checksum.is_none_or(|c| c == tag.checksum) =>
                    {
                        Reply::Bytes(operation, into, bytes)
                    }
                    _ => Reply::Done(operation, Err(Failure::Wrong)),
                }
            }
        })
    }
}

impl Request {
    fn operation(&self) -> Option<Operation> {
        match *self {
            Request::Write { operation, .. } | Request::Read { operation, .. } => Some(operation),
            Request::Reserve { .. } => None,
        }
    }
}

/// All places.
pub(crate) struct Places {
    pub servers: Vec<Server>,
    pub disk: Server,
}

impl Places {
    pub fn at(&mut self, place: Place) -> &mut Server {
        match place {
            Place::DISK => &mut self.disk,
            Place(number) => &mut self.servers[usize::from(number)],
        }
    }

    /// Those that can answer now.
    pub fn pending(&self) -> Vec<Place> {
        let servers =
            (0..self.servers.len()).filter(|&i| self.servers[i].pending()).map(|i| Place(i as u16));
        servers.chain(self.disk.pending().then_some(Place::DISK)).collect()
    }

    /// Takes an action that is for a place. Returns the operation if the place is down.
    pub fn take(&mut self, action: Action, frames: &[Option<Bytes>]) -> Option<Operation> {
        let bytes = |frame: Frame| frames[frame.0 as usize].expect("an empty frame is sent");
        let (place, request) = match action {
            Action::Write { operation, place, slot, frame, tag, .. } => {
                assert!(tag.checksum == checksum(bytes(frame)), "a wrong checksum is sent");
                (place, Request::Write { operation, slot: slot.0, bytes: bytes(frame), tag })
            }
            Action::Read { operation, place, slot, version, checksum, into, .. } => {
                (place, Request::Read { operation, slot: slot.0, version, checksum, into })
            }
            Action::Reserve { place, slots } => (place, Request::Reserve { slots }),
            Action::Discard { place, slot } => {
                self.at(place).slots.remove(&slot.0);
                return None;
            }
            _ => unreachable!("an action for no place"),
        };
        let server = self.at(place);
        if !server.up {
            return request.operation();
        }
        server.requests.push_back(request);
        None
    }
}
