//! Where pages are kept outside, and how the loss of a place is survived.
//!
//! Each put makes a *cell*: the contents at one slot of one place. Cells at different places make a
//! *group*, which one parity page covers. Parity logging has wide groups; a mirror is a group of
//! one with its parity, for the xor of one page is the page; no reliability is a group of one
//! without. A cell that a newer one replaces stays where it is, because the parity still includes
//! it, until all of its group are replaced.
//!
//! One mechanism serves rebuilding after a crash, making room, and bringing pages back from the
//! disk: a group is *dissolved*, that is, its newest pages are read, or made again from the others,
//! and put anew (`dissolve`). What has not been acknowledged when its place dies is still in its
//! frame and takes another place in the same group, so that the parity stays right (`placing`).
//!
//! Source: Markatos and Dramitinos, "Implementation of a Reliable Remote Memory Pager", USENIX
//! 1996. The disk counts as reliable, as there.

mod cells;
mod dissolve;
mod fetch;
mod groups;
mod held;
mod jobs;
mod loss;
mod operations;
mod parity;
mod placing;
mod policy;
mod queues;
mod room;
mod row;
mod status;
mod stores;
#[cfg(test)]
mod tests;
mod uses;
mod wanted;

use std::collections::VecDeque;

use cells::{Cells, State};
use groups::{Groups, Phase, WIDEST};
use held::{Held, Released};
use jobs::Jobs;
use operations::{Operations, Summed, What};
pub use policy::{Policy, Role, UnknownPolicy};
use queues::Queues;
use room::Room;
use row::Row;
pub use status::{PlaceStatus, VaultStatus};
use stores::{Owner, Stores};
use wanted::{Get, Wanted};

use crate::{
    Action, Checksum, Failure, Frame, Installed, Into, Operation, Outcome, Page, Place, Urgency,
};

/// What the vault tells its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The vault is done with a frame that was given to [`Vault::put`]: every such frame comes back
    /// exactly once. If nothing newer was put, the contents are safe outside now. (`page` is its
    /// name when it was put.)
    Stored { page: Page, frame: Frame },
    /// The answer to [`Vault::get`], with `into` as asked.
    Fetched { page: Page, into: Into, got: Fetched },
    /// The page can never be read again. Told once. The vault knows it no more.
    Lost { page: Page },
}

/// How a get went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// The contents are where they were wanted.
    There(Installed),
    /// Only for [`Into::Page`]: the contents are in this frame. Install from it, then
    /// [`Vault::give_back`].
    InFrame(Frame),
    /// Lost, or never put.
    Lost,
    /// The program gave the page up meanwhile.
    Gone,
}

/// Pages outside.
#[derive(Debug)]
pub(crate) struct Vault {
    policy: Policy,
    /// The most members that a group has.
    widest: usize,
    stores: Stores,
    cells: Cells,
    groups: Groups,
    /// The groups that take members.
    row: Row,
    held: Held,
    operations: Operations,
    queues: Queues,
    jobs: Jobs,
    wanted: Wanted,
    room: Room,
    events: VecDeque<Event>,
    counts: VaultStatus,
}

type Out = VecDeque<Action>;

const JOBS: u32 = 16;
/// Pages in a row that go to one server: two servers share the largest window of reading ahead.
const STRIPE_MOST: u32 = 32;

impl Vault {
    /// Its own frames are numbered from `staging` on: behind as many others.
    pub(crate) fn new(policy: Policy, servers: &[(Place, Role)], staging: u32) -> Vault {
        let widest = servers.len().clamp(1, WIDEST);
        let stripe = stripe(staging);
        Vault {
            policy,
            widest,
            stores: Stores::new(servers),
            cells: Cells::default(),
            groups: Groups::new(),
            row: Row::new(stripe),
            held: Held::new(staging, parity_frames(stripe), gather_frames(widest)),
            operations: Operations::default(),
            queues: Queues::default(),
            jobs: Jobs::default(),
            wanted: Wanted::default(),
            room: Room::default(),
            events: VecDeque::new(),
            counts: VaultStatus::default(),
        }
    }

    /// How many frames of its own it needs.
    pub(crate) fn frames_wanted(&self) -> u32 {
        self.held.wanted()
    }

    /// Takes the frame's contents as the newest of this page. The frame is the vault's (unchanged,
    /// still readable) until [`Event::Stored`].
    pub(crate) fn put(&mut self, page: Page, frame: Frame, checksum: Checksum, out: &mut Out) {
        self.held.put(frame, page);
        self.counts.page_outs += 1;
        self.keep(page, frame, checksum, false, out);
        self.pump(out);
    }

    /// [`Event::Fetched`] comes later, once. (Maybe at once: look at the events.)
    pub(crate) fn get(&mut self, page: Page, into: Into, urgency: Urgency, out: &mut Out) {
        let get = Get { page, into, urgency };
        match self.cells.newest(page) {
            Some(cell) => self.fetch(get, cell, out),
            None => self.tell(get, Fetched::Lost),
        }
        self.pump(out);
    }

    /// A frame of [`Fetched::InFrame`] is not needed any more.
    pub(crate) fn give_back(&mut self, frame: Frame, out: &mut Out) {
        self.release(frame, out);
        self.pump(out);
    }

    /// Checksum of the newest contents that were put.
    pub(crate) fn holds(&self, page: Page) -> Option<Checksum> {
        self.cells.newest(page).map(|cell| self.cells[cell].checksum)
    }

    /// The program gave it up.
    pub(crate) fn forget(&mut self, page: Page, out: &mut Out) {
        if let Some(cell) = self.cells.forget(page) {
            self.retire(cell, out);
            self.pump(out);
        }
    }

    /// The answer to an operation.
    pub(crate) fn done(&mut self, operation: Operation, outcome: Outcome, out: &mut Out) {
        let Some((place, what)) = self.operations.answered(operation) else {
            self.counts.late += 1;
            return;
        };
        match outcome {
            Err(Failure::Down) => self.lose_place(place, out),
            Err(Failure::Wrong) => self.counts.wrong += 1,
            Err(Failure::Full) => self.shut(place),
            Ok(_) => {}
        }
        self.answered(what, outcome, out);
        self.pump(out);
    }

    /// How many slots a place gives.
    pub(crate) fn granted(&mut self, place: Place, slots: u32, out: &mut Out) {
        self.room_granted(place, slots);
        self.pump(out);
    }

    /// A place is gone, with all that it held.
    pub(crate) fn down(&mut self, place: Place, out: &mut Out) {
        self.lose_place(place, out);
        self.pump(out);
    }

    /// A place is there (again), and empty.
    pub(crate) fn joined(&mut self, place: Place, role: Role, out: &mut Out) {
        self.lose_place(place, out);
        self.stores.joined(place, role);
        self.pump(out);
    }

    /// The answer to [`Action::Sum`].
    pub(crate) fn sum(&mut self, frame: Frame, checksum: Checksum, out: &mut Out) {
        match self.operations.summed(frame) {
            Some(Summed::Parity(group)) => self.parity_summed(group, checksum),
            Some(Summed::Job(job)) => self.rebuilt(job, checksum, out),
            None => self.counts.late += 1,
        }
        self.pump(out);
    }

    /// Time passes.
    pub(crate) fn tick(&mut self, now_ns: u64, out: &mut Out) {
        self.room.tick(now_ns);
        self.look_for_room();
        self.bring_home(out);
        self.pump(out);
    }

    /// The next thing to tell. Drain after every call.
    pub(crate) fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Puts whose frame is not back yet.
    pub(crate) fn backlog(&self) -> u32 {
        self.held.backlog()
    }

    /// Whether nothing is under way, and nothing waits to be made safe again.
    pub(crate) fn settled(&self) -> bool {
        self.queues.is_empty()
            && self.operations.is_empty()
            && self.held.backlog() == 0
            && self.jobs.is_idle()
    }

    /// Counters, and what each place holds. Walks over all groups: not for every page.
    pub(crate) fn status(&self) -> VaultStatus {
        let mut status = self.counts.clone();
        status.places = self.stores.all().iter().map(stores::Store::status).collect();
        for (_, group) in self.groups.from(0) {
            match group.phase {
                Phase::Open => status.groups_open += 1,
                Phase::Sealed => status.groups_full += 1,
                Phase::Broken => status.groups_broken += 1,
            }
            status.groups_with_inactive +=
                u64::from(group.phase == Phase::Sealed && group.has_inactive());
            status.unprotected +=
                u64::from(group.phase == Phase::Sealed && self.lacks_parity(group));
            for &member in &group.members {
                let cell = &self.cells[member];
                let counted = cell.active && cell.state == State::Stored;
                let place =
                    status.places.iter_mut().find(|place| counted && place.place == cell.place);
                if let Some(place) = place {
                    place.pages += 1;
                }
            }
        }
        status
    }

    fn answered(&mut self, what: What, outcome: Outcome, out: &mut Out) {
        match what {
            What::Write { cell } => self.wrote(cell, outcome, out),
            What::Parity { group } => self.wrote_parity(group, outcome, out),
            What::Get { get, cell, version } => self.got(get, cell, version, outcome, out),
            What::Gather { job, input } => self.gathered(job, input, outcome, out),
        }
    }

    /// Whatever has become possible.
    fn pump(&mut self, out: &mut Out) {
        self.reclaim(out);
        loop {
            self.start_jobs(out);
            let moved = self.place_waiting(out);
            if !moved {
                break;
            }
        }
        self.ask_for_room(out);
    }

    /// All that was at the place is lost; all that was on the way there is answered.
    fn lose_place(&mut self, place: Place, out: &mut Out) {
        if !self.stores.get(place).is_some_and(|store| store.up) {
            return;
        }
        let owners = self.stores.down(place);
        for owner in owners {
            match owner {
                Owner::Cell(cell) => self.lose_slot(cell, out),
                Owner::Parity(group) => self.lose_parity(group, out),
                Owner::Nobody => {}
            }
        }
        for what in self.operations.abandon(place) {
            self.answered(what, Err(Failure::Down), out);
        }
    }

    /// One use of a frame less; when it was the last, the frame goes back where it came from.
    fn release(&mut self, frame: Frame, out: &mut Out) {
        match self.held.release(frame) {
            Some(Released::Own) => out.push_back(Action::Empty { frame }),
            Some(Released::Put(page)) => self.events.push_back(Event::Stored { page, frame }),
            None => {}
        }
    }

    fn tell(&mut self, get: Get, got: Fetched) {
        self.events.push_back(Event::Fetched { page: get.page, into: get.into, got });
    }
}

/// Where there is little memory, few groups are open, for each holds a frame.
fn stripe(staging: u32) -> u32 {
    (staging / 16).clamp(1, STRIPE_MOST)
}

/// For a row that is open and one that is on its way, which keep theirs when they break, and some
/// for the groups that their pages go to then: with 2 a crash can be the end of all progress.
fn parity_frames(stripe: u32) -> u32 {
    2 * stripe + 16
}

/// Nine groups at a time: one of them always for a thread that waits.
fn gather_frames(widest: usize) -> u32 {
    9 * (widest as u32 + 2)
}
