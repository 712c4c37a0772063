//! The places: which slots are in use, and how much room there is.

use super::Role;
use super::groups::WIDEST;
use crate::{Place, Slot};

/// Whose a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Nobody,
    Cell(u32),
    Parity(u32),
}

/// Where something can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    At(Place),
    /// Room has been asked for.
    Wait,
    Nowhere,
}

/// The places of a group, without memory of their own.
#[derive(Default)]
pub(super) struct Places {
    list: [Option<Place>; WIDEST + 1],
    count: usize,
}

impl Places {
    pub(super) fn push(&mut self, place: Place) {
        self.list[self.count] = Some(place);
        self.count += 1;
    }

    pub(super) fn has(&self, place: Place) -> bool {
        self.list[..self.count].contains(&Some(place))
    }
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) place: Place,
    pub(super) role: Role,
    pub(super) up: bool,
    /// Room was asked for and not answered yet.
    pub(super) asked: bool,
    /// It gave no room when asked last.
    pub(super) full: bool,
    /// It refused a write in spite of its grant; nothing is sent until it is asked again.
    pub(super) shut: bool,
    pub(super) refused_at_ns: u64,
    pub(super) granted: u32,
    owners: Vec<Owner>,
    free: Vec<u32>,
}

impl Store {
    pub(super) fn new(place: Place, role: Role) -> Store {
        let granted = if place == Place::DISK { u32::MAX } else { 0 };
        Store {
            place,
            role,
            up: true,
            asked: false,
            full: false,
            shut: false,
            refused_at_ns: 0,
            granted,
            owners: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Slots that could be taken.
    pub(super) fn room(&self) -> u32 {
        match self.up && !self.shut {
            true => self.free.len() as u32 + (self.granted - self.owners.len() as u32),
            false => 0,
        }
    }

    /// Slots that pages on their way out leave free: to put groups together needs some room.
    pub(super) fn kept_for_moves(&self) -> u32 {
        if self.place == Place::DISK { 0 } else { self.granted / 64 + 2 }
    }

    /// Below this much room, groups are put together.
    pub(super) fn short(&self) -> u32 {
        self.granted / 16 + 2 * self.kept_for_moves()
    }

    pub(super) fn used(&self) -> u32 {
        (self.owners.len() - self.free.len()) as u32
    }

    pub(super) fn touched(&self) -> u32 {
        self.owners.len() as u32
    }

    pub(super) fn owns(&self, slot: Slot, owner: Owner) -> bool {
        self.owners.get(slot.0 as usize) == Some(&owner)
    }

    pub(super) fn has_room(&self, moved: bool) -> bool {
        self.room() > if moved { 0 } else { self.kept_for_moves() }
    }

    pub(super) fn take(&mut self, owner: Owner) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.owners.push(Owner::Nobody);
            self.owners.len() as u32 - 1
        });
        self.owners[slot as usize] = owner;
        Slot(slot)
    }
}

#[derive(Debug)]
pub(super) struct Stores {
    /// The disk last.
    stores: Vec<Store>,
    turn: usize,
    /// Where a page went last.
    last: usize,
}

impl Stores {
    pub(super) fn new(servers: &[(Place, Role)]) -> Stores {
        let mut stores: Vec<Store> =
            servers.iter().map(|&(place, role)| Store::new(place, role)).collect();
        stores.push(Store::new(Place::DISK, Role::Spare));
        Stores { stores, turn: 0, last: 0 }
    }

    pub(super) fn all(&self) -> &[Store] {
        &self.stores
    }

    pub(super) fn servers_mut(&mut self) -> impl Iterator<Item = &mut Store> {
        self.stores.iter_mut().filter(|store| store.place != Place::DISK)
    }

    pub(super) fn get(&self, place: Place) -> Option<&Store> {
        self.stores.iter().find(|store| store.place == place)
    }

    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Store> {
        self.stores.iter_mut().find(|store| store.place == place)
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Store> {
        self.stores.iter_mut()
    }

    /// Whether the disk is there and takes pages.
    pub(super) fn disk_open(&self) -> bool {
        self.stores.last().is_some_and(|disk| disk.up && !disk.shut)
    }

    /// A slot there, which has room.
    pub(super) fn take(&mut self, place: Place, owner: Owner) -> Slot {
        let store = self.get_mut(place).expect("a place that was chosen exists");
        store.take(owner)
    }

    /// The slot is free again.
    pub(super) fn give(&mut self, place: Place, slot: Slot) {
        let store = self.get_mut(place).expect("a place with slots exists");
        store.owners[slot.0 as usize] = Owner::Nobody;
        store.free.push(slot.0);
    }

    /// The place is gone: who had slots there.
    pub(super) fn down(&mut self, place: Place) -> Vec<Owner> {
        let Some(store) = self.get_mut(place) else { return Vec::new() };
        let role = std::mem::replace(&mut store.role, Role::Spare);
        let granted = if place == Place::DISK { u32::MAX } else { 0 };
        (store.up, store.asked, store.full, store.shut, store.granted) =
            (false, false, false, false, granted);
        store.free.clear();
        let owners = std::mem::take(&mut store.owners);
        self.replace(role);
        owners
    }

    /// A place that is there again, or new. The role that it got.
    pub(super) fn joined(&mut self, place: Place, role: Role) {
        match self.get_mut(place) {
            Some(store) => *store = Store::new(place, role),
            None => self.stores.insert(self.stores.len() - 1, Store::new(place, role)),
        }
        if role == Role::Spare
            && !self.stores.iter().any(|store| store.up && store.role == Role::Data)
        {
            self.replace(Role::Data);
        }
    }

    fn replace(&mut self, role: Role) {
        let spare = self.servers_mut().find(|store| store.up && store.role == Role::Spare);
        if let (Some(spare), true) = (spare, role != Role::Spare) {
            spare.role = role;
        }
    }

    fn up(&self, role: Role) -> impl Iterator<Item = &Store> {
        self.stores
            .iter()
            .filter(move |store| store.up && store.role == role && store.place != Place::DISK)
    }

    /// What pages go to: the servers for data; if there is none, any other.
    fn data_role(&self) -> Role {
        let has = |role| self.up(role).next().is_some();
        if has(Role::Data) || !has(Role::Parity) { Role::Data } else { Role::Parity }
    }

    /// How many members a group of parity logging should have now.
    pub(super) fn width(&self) -> usize {
        let data = self.up(self.data_role()).count();
        let takes_parity = |store: &Store| store.has_room(true) || !store.full && !store.shut;
        let own_parity = self.data_role() == Role::Data && self.up(Role::Parity).any(takes_parity);
        if own_parity { data.max(1) } else { data.saturating_sub(1).max(1) }
    }

    /// The server whose turn it is for a page, or one after it: none of `taken`.
    pub(super) fn data_place(&mut self, taken: &Places, moved: bool) -> Choice {
        let role = self.data_role();
        let turn = self.turn;
        let choice = self.in_turn(turn, role, taken, moved);
        if let Choice::At(place) = choice {
            self.last = self.stores.iter().position(|store| store.place == place).unwrap_or(0);
        }
        choice
    }

    /// It is the turn of the one after that which took a page last.
    pub(super) fn next_turn(&mut self) {
        self.turn = self.last + 1;
    }

    /// A place for the parity of a group with members at `taken`: a server for parity, any other
    /// server, the disk.
    pub(super) fn parity_place(&mut self, taken: &Places, prefer_parity: bool) -> Choice {
        let roles =
            if prefer_parity { [Role::Parity, Role::Data] } else { [Role::Data, Role::Parity] };
        for role in roles {
            match self.in_turn(self.turn, role, taken, true) {
                Choice::Nowhere => {}
                choice => return choice,
            }
        }
        self.disk()
    }

    /// The disk, which several of a group may use: it counts as reliable.
    pub(super) fn disk(&self) -> Choice {
        if self.disk_open() { Choice::At(Place::DISK) } else { Choice::Nowhere }
    }

    /// Whether there is so much room that pages can come back from the disk, each with a second
    /// copy elsewhere if it needs one.
    pub(super) fn comfortable(&self, copies: usize) -> bool {
        let roomy = |role| self.up(role).filter(|store| store.room() > 2 * store.short()).count();
        let data = roomy(self.data_role());
        data >= 1 && (copies == 1 || roomy(Role::Data) + roomy(Role::Parity) >= copies)
    }

    fn in_turn(&self, turn: usize, role: Role, taken: &Places, moved: bool) -> Choice {
        let servers = self.stores.len() - 1;
        let eligible = |store: &&Store| store.up && store.role == role && !taken.has(store.place);
        let ring = (0..servers).map(|step| &self.stores[(turn + step) % servers]).filter(eligible);
        let mut waits = false;
        for store in ring {
            if store.has_room(moved) {
                return Choice::At(store.place);
            }
            waits |= (store.asked || store.granted == 0) && !store.full && !store.shut;
        }
        if waits { Choice::Wait } else { Choice::Nowhere }
    }
}
