//! Requests that a rank has begun and not completed, by their handles.
//!
//! One handle may stand for several requests at once: both libraries hand out a shared one for
//! sends that were complete at once. Such requests are all alike, so they are taken in the order in
//! which they were begun.

use crate::handles::HandleMap;

/// What is known of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its number on this rank.
    pub number: u32,
    /// Whether it receives, so that its status says something.
    pub receives: bool,
    /// The rank that it was posted for, as the call's entry says it.
    pub peer: i32,
    /// The tag.
    pub tag: i32,
    /// The communicator, by the rank's own numbering.
    pub communicator: u32,
    /// Its other half, if it sends and receives in one.
    pub also: Option<Half>,
    /// Whether it is to be given up.
    pub cancelled: bool,
    /// A communicator in the making: where the program wants its handle, and its parent's number.
    pub makes: Option<(usize, u32)>,
}

/// The receive of a request that sends and receives in one, as it was posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    /// Its number on this rank.
    pub number: u32,
    /// The rank that it was posted for.
    pub peer: i32,
    /// The tag.
    pub tag: i32,
}

/// What a persistent request does each time it is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Flags of the entry.
    pub flags: u16,
    /// Peer of the entry.
    pub peer: i32,
    /// Tag of the entry.
    pub tag: i32,
    /// Bytes of the entry.
    pub bytes: u64,
    /// Communicator of the entry.
    pub communicator: u32,
    /// The function of a collective; none for messages.
    pub collective: Option<u16>,
    /// Parts that are made ready one by one; 0 for a message that is sent as a whole.
    pub partitions: u32,
}

/// A persistent request.
#[derive(Clone, Copy, Debug)]
struct Description {
    prepared: Prepared,
    /// The number of its request that is under way.
    active: u32,
    /// Parts of it that are not ready yet.
    missing: u32,
}

/// The live requests of a rank.
pub struct Requests {
    /// First and last of a handle's requests: places in `slots`.
    queues: HandleMap,
    slots: Vec<Slot>,
    /// First free slot.
    free: u32,
    last_number: u32,
    prepared: HandleMap,
    descriptions: Vec<Description>,
    free_descriptions: Vec<u32>,
}

/// What a handle stood for that is being given back.
pub struct GivenUp {
    /// Its oldest request.
    pub request: Option<Request>,
    /// The place of its description, if it is persistent.
    prepared: Option<u64>,
}

#[derive(Clone, Copy)]
struct Slot {
    request: Request,
    /// The next of the same handle, or the next free one.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Requests {
    /// None yet.
    pub fn new() -> Requests {
        Requests {
            queues: HandleMap::new(),
            slots: Vec::with_capacity(1024),
            free: NONE,
            last_number: 0,
            prepared: HandleMap::new(),
            descriptions: Vec::new(),
            free_descriptions: Vec::new(),
        }
    }

    /// A number for a new request.
    #[inline]
    pub fn number(&mut self) -> u32 {
        // After four thousand million the numbers begin again; 0 is none.
        self.last_number = self.last_number.checked_add(1).unwrap_or(1);
        self.last_number
    }

    /// `handle` now stands for `request` too.
    #[inline]
    pub fn add(&mut self, handle: usize, request: Request) {
        let slot = self.slot(Slot { request, next: NONE });
        match self.queues.get_mut(handle) {
            Some(queue) => {
                let (first, last) = unpack(*queue);
                self.slots[last as usize].next = slot;
                *queue = pack(first, slot);
            }
            None => self.queues.insert(handle, pack(slot, slot)),
        }
    }

    /// The oldest request that `handle` stands for.
    #[inline]
    pub fn peek(&self, handle: usize) -> Option<Request> {
        let (first, _) = unpack(self.queues.get(handle)?);
        Some(self.slots[first as usize].request)
    }

    /// The same, and `handle` stands for it no more.
    #[inline]
    pub fn take(&mut self, handle: usize) -> Option<Request> {
        let (first, last) = unpack(self.queues.get(handle)?);
        let Slot { request, next } = self.slots[first as usize];
        match first == last {
            true => drop(self.queues.remove(handle)),
            false => self.queues.insert(handle, pack(next, last)),
        }
        self.slots[first as usize].next = self.free;
        self.free = first;
        Some(request)
    }

    /// `handle` stands for `request` after all, as its oldest.
    pub fn put_back(&mut self, handle: usize, request: Request) {
        let slot = self.slot(Slot { request, next: NONE });
        match self.queues.get_mut(handle) {
            Some(queue) => {
                let (first, last) = unpack(*queue);
                self.slots[slot as usize].next = first;
                *queue = pack(slot, last);
            }
            None => self.queues.insert(handle, pack(slot, slot)),
        }
    }

    /// `handle` is a persistent request that does this.
    pub fn prepare(&mut self, handle: usize, prepared: Prepared) {
        let description = Description { prepared, active: 0, missing: 0 };
        let at = match self.free_descriptions.pop() {
            Some(at) => at,
            None => {
                self.descriptions.push(description);
                self.descriptions.len() as u32 - 1
            }
        };
        self.descriptions[at as usize] = description;
        self.prepared.insert(handle, u64::from(at));
    }

    /// What `handle`, which has been started, does, and the number of its request.
    pub fn start(&mut self, handle: usize) -> Option<(Prepared, u32)> {
        let at = self.prepared.get(handle)? as usize;
        let active = self.number();
        let description = &mut self.descriptions[at];
        description.active = active;
        description.missing = description.prepared.partitions;
        Some((description.prepared, active))
    }

    /// So many parts of `handle` are ready. What it sends, and the number of its request, once all
    /// are.
    pub fn ready(&mut self, handle: usize, parts: u32) -> Option<(Prepared, u32)> {
        let at = self.prepared.get(handle)? as usize;
        let description = &mut self.descriptions[at];
        let before = description.missing;
        description.missing = before.saturating_sub(parts);
        let whole = before > 0 && description.missing == 0;
        whole.then_some((description.prepared, description.active))
    }

    /// Whether `handle` stands for a persistent request.
    pub fn is_prepared(&self, handle: usize) -> bool {
        self.prepared.get(handle).is_some()
    }

    /// The oldest request that `handle` stands for is to be given up.
    pub fn cancel(&mut self, handle: usize) {
        if let Some(queue) = self.queues.get(handle) {
            self.slots[unpack(queue).0 as usize].request.cancelled = true;
        }
    }

    /// `handle` is being given back, and may be another's as soon as it is.
    pub fn give_up(&mut self, handle: usize) -> GivenUp {
        GivenUp { request: self.take(handle), prepared: self.prepared.remove(handle) }
    }

    /// `handle` was not given back.
    pub fn restore(&mut self, handle: usize, given_up: GivenUp) {
        if let Some(request) = given_up.request {
            self.put_back(handle, request);
        }
        if let Some(description) = given_up.prepared {
            self.prepared.insert(handle, description);
        }
    }

    /// It was.
    pub fn forget(&mut self, given_up: GivenUp) {
        self.free_descriptions.extend(given_up.prepared.map(|at| at as u32));
    }

    #[inline]
    fn slot(&mut self, slot: Slot) -> u32 {
        if self.free == NONE {
            self.slots.push(slot);
            return self.slots.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.slots[at as usize].next;
        self.slots[at as usize] = slot;
        at
    }
}

#[inline(always)]
fn pack(first: u32, last: u32) -> u64 {
    u64::from(first) | u64::from(last) << 32
}

#[inline(always)]
fn unpack(queue: u64) -> (u32, u32) {
    (queue as u32, (queue >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, VecDeque};

    proptest! {
        #[test]
        fn every_handle_is_a_queue(
            steps in proptest::collection::vec((0..4, 1usize..5), 0..300),
        ) {
            let mut ours = Requests::new();
            let mut model: HashMap<usize, VecDeque<Request>> = HashMap::new();
            for (step, handle) in steps {
                let queue = model.entry(handle).or_default();
                if step < 2 {
                    let request = Request {
                        number: ours.number(),
                        receives: false,
                        peer: 1,
                        tag: 2,
                        communicator: 1,
                        also: None,
                        cancelled: false,
                        makes: None,
                    };
                    ours.add(handle, request);
                    queue.push_back(request);
                    continue;
                }
                prop_assert_eq!(ours.peek(handle), queue.front().copied());
                let taken = queue.pop_front();
                prop_assert_eq!(ours.take(handle), taken);
                if let Some(request) = taken.filter(|_| step == 2) {
                    ours.put_back(handle, request);
                    queue.push_front(request);
                }
            }
        }
    }

    #[test]
    fn what_was_prepared_is_known_until_it_is_given_back() {
        let mut requests = Requests::new();
        let prepared = |tag| Prepared { tag, ..PREPARED };
        requests.prepare(7, prepared(1));
        requests.prepare(8, prepared(2));
        let given_up = requests.give_up(7);
        requests.forget(given_up);
        requests.prepare(9, prepared(3));
        let given_up = requests.give_up(9);
        requests.restore(9, given_up);
        let tags = [7, 8, 9].map(|handle| requests.start(handle).map(|(prepared, _)| prepared.tag));
        assert_eq!(tags, [None, Some(2), Some(3)]);
    }

    #[test]
    fn a_handle_that_is_given_back_may_be_anothers_meanwhile() {
        let mut requests = Requests::new();
        requests.prepare(7, Prepared { tag: 1, ..PREPARED });
        let given_up = requests.give_up(7);
        requests.prepare(7, Prepared { tag: 2, ..PREPARED });
        requests.forget(given_up);
        assert_eq!(requests.start(7).map(|(prepared, _)| prepared.tag), Some(2));
    }

    const PREPARED: Prepared = Prepared {
        flags: 2,
        peer: 1,
        tag: 0,
        bytes: 8,
        communicator: 1,
        collective: None,
        partitions: 0,
    };

    #[test]
    fn a_send_in_parts_is_ready_once_all_parts_are_after_each_start() {
        let mut requests = Requests::new();
        requests.prepare(7, Prepared { partitions: 3, ..PREPARED });
        for _ in 0..2 {
            assert!(requests.ready(7, 1).is_none(), "it has not been started");
            let (_, number) = requests.start(7).unwrap();
            assert!(requests.ready(7, 2).is_none());
            assert_eq!(requests.ready(7, 1).map(|(_, number)| number), Some(number));
        }
    }
}
