//! Groups: cells at different places that one parity page covers.

use super::cells::NONE;
use crate::{Checksum, Frame, Place, Slot};

/// The most members a group can have.
pub(super) const WIDEST: usize = 16;

/// How the members of a group are made safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protection {
    /// Not: a single copy.
    Nothing,
    /// One member, and a copy of it where the parity would be: the xor of one page is the page.
    Copy,
    /// The xor of the members, made in a frame, sent when the group is full.
    Xor,
}

/// What becomes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Takes members.
    Open,
    /// Takes no more.
    Sealed,
    /// Its active pages are to be put elsewhere.
    Broken,
}

/// Where the parity is, apart from the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParityState {
    /// Nowhere yet, or never.
    Absent,
    /// On the way.
    Writing,
    /// At its slot.
    Stored,
    /// It was, or should have been.
    Lost,
}

#[derive(Debug)]
pub(super) struct Group {
    pub(super) members: Vec<u32>,
    pub(super) protection: Protection,
    pub(super) phase: Phase,
    /// Members that are the newest of their page.
    pub(super) active: u32,
    /// What must end before the group can: writes without answer, parity that looks for a place.
    pub(super) pending: u32,
    /// The dissolving under way, or [`NONE`].
    pub(super) job: u32,
    /// Waits to be dissolved.
    pub(super) queued: bool,
    /// Broken to make room.
    pub(super) reclaimed: bool,
    /// It is not where its policy wants it: on the disk for want of room, or without parity.
    pub(super) homesick: bool,
    pub(super) parity: Parity,
    links: Links,
    alive: bool,
}

/// The parity of a group, or the second copy of its only member.
#[derive(Debug)]
pub(super) struct Parity {
    pub(super) frame: Option<Frame>,
    pub(super) sum: Option<Checksum>,
    pub(super) state: ParityState,
    pub(super) place: Place,
    pub(super) slot: Slot,
    pub(super) version: u64,
}

/// Where a group is listed: in the list of so many active members, between these; in that of none
/// it is in no list.
#[derive(Clone, Copy, Debug)]
struct Links {
    list: usize,
    before: u32,
    after: u32,
}

impl Parity {
    const ABSENT: Parity = Parity {
        frame: None,
        sum: None,
        state: ParityState::Absent,
        place: Place::DISK,
        slot: Slot(0),
        version: 0,
    };
}

impl Links {
    const NONE: Links = Links { list: 0, before: NONE, after: NONE };
}

impl Group {
    /// Whether the parity can be had, from the frame or its place.
    pub(super) fn has_parity(&self) -> bool {
        self.parity.frame.is_some() || self.parity.state == ParityState::Stored
    }

    /// Whether a slot is taken for it.
    pub(super) fn holds_parity_slot(&self) -> bool {
        matches!(self.parity.state, ParityState::Writing | ParityState::Stored)
    }

    pub(super) fn has_inactive(&self) -> bool {
        (self.active as usize) < self.members.len()
    }
}

/// Groups by number; those with room to win are listed by how many active members they have.
#[derive(Debug)]
pub(super) struct Groups {
    groups: Vec<Group>,
    free: Vec<u32>,
    lists: [u32; WIDEST + 1],
    pub(super) homesick: u64,
}

impl Groups {
    pub(super) fn new() -> Groups {
        Groups { groups: Vec::new(), free: Vec::new(), lists: [NONE; WIDEST + 1], homesick: 0 }
    }

    pub(super) fn open(&mut self, protection: Protection) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.groups.push(Group::empty());
            self.groups.len() as u32 - 1
        });
        let group = &mut self[number];
        let members = std::mem::take(&mut group.members);
        *group = Group { members, protection, alive: true, ..Group::empty() };
        group.members.clear();
        number
    }

    pub(super) fn remove(&mut self, number: u32) {
        self.unlist(number);
        self.set_homesick(number, false);
        let group = &mut self[number];
        // So that whoever still comes with this number finds nothing to do.
        (group.alive, group.queued, group.phase) = (false, false, Phase::Open);
        self.free.push(number);
    }

    pub(super) fn set_homesick(&mut self, number: u32, homesick: bool) {
        let before = std::mem::replace(&mut self[number].homesick, homesick);
        self.homesick = self.homesick + u64::from(homesick) - u64::from(before);
    }

    /// To be called when the phase or the number of active members has changed.
    pub(super) fn relist(&mut self, number: u32) {
        self.unlist(number);
        let group = &self[number];
        if group.phase != Phase::Sealed || group.active == 0 || !group.has_inactive() {
            return;
        }
        let list = group.active as usize;
        let after = std::mem::replace(&mut self.lists[list], number);
        self[number].links = Links { list, before: NONE, after };
        if after != NONE {
            self[after].links.before = number;
        }
    }

    /// A sealed group with replaced members, of those the one with the fewest active.
    pub(super) fn fewest_active(&self) -> Option<u32> {
        self.lists.iter().copied().find(|&number| number != NONE)
    }

    /// Groups that exist, with their numbers, from `start` on.
    pub(super) fn from(&self, start: u32) -> impl Iterator<Item = (u32, &Group)> {
        let rest = self.groups.get(start as usize..).unwrap_or_default();
        (start..).zip(rest).filter(|(_, group)| group.alive)
    }

    fn unlist(&mut self, number: u32) {
        let Links { list, before, after } = std::mem::replace(&mut self[number].links, Links::NONE);
        if list == 0 {
            return;
        }
        match before {
            NONE => self.lists[list] = after,
            _ => self[before].links.after = after,
        }
        if after != NONE {
            self[after].links.before = before;
        }
    }
}

impl Group {
    fn empty() -> Group {
        Group {
            members: Vec::new(),
            protection: Protection::Nothing,
            phase: Phase::Open,
            active: 0,
            pending: 0,
            job: NONE,
            queued: false,
            reclaimed: false,
            homesick: false,
            parity: Parity::ABSENT,
            links: Links::NONE,
            alive: false,
        }
    }
}

impl std::ops::Index<u32> for Groups {
    type Output = Group;

    fn index(&self, number: u32) -> &Group {
        &self.groups[number as usize]
    }
}

impl std::ops::IndexMut<u32> for Groups {
    fn index_mut(&mut self, number: u32) -> &mut Group {
        &mut self.groups[number as usize]
    }
}
