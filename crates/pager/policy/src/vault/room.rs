//! Room at the places: asking for it, making it, and going back to where it is better.

use super::groups::Phase;
use super::stores::Store;
use super::{Out, PlaceStatus, Policy, Role, Vault};
use crate::{Action, Place};

/// How many slots are asked for at once: 16 MiB.
const CHUNK: u32 = 4096;
/// With less room than this besides what is kept for moves, more is asked for: before it is needed.
const LOW: u32 = 1024;
/// How long a place that gave no room is left alone.
const RETRY_NS: u64 = 250_000_000;
/// How many groups are dissolved at a time to make room, or to come back from the disk.
const AT_A_TIME: u32 = 8;
/// How many groups are looked at in one tick.
const LOOK_AT: usize = 1024;

/// The longest pause between attempts to bring pages home that won nothing.
const PAUSE_MOST_NS: u64 = 10_000_000_000;

/// What is done about room.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Groups that are being dissolved to make some.
    pub(super) reclaiming: u32,
    homecoming: Homecoming,
    now_ns: u64,
}

/// Bringing pages back from the disk.
#[derive(Debug, Default)]
struct Homecoming {
    /// The group to look at next.
    from: u32,
    /// How many were homesick at the attempt before.
    before: Option<u64>,
    pause_ns: u64,
    next_ns: u64,
}

impl Room {
    /// Time passes.
    pub(super) fn tick(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }
}

impl Homecoming {
    /// What comes back may have to leave again, for want of the right room: then the next attempt
    /// is later, each time twice as much.
    fn next(&mut self, homesick: u64, now_ns: u64) {
        let in_vain = self.before.replace(homesick).is_some_and(|before| homesick >= before);
        self.pause_ns =
            if in_vain { (2 * self.pause_ns).clamp(RETRY_NS, PAUSE_MOST_NS) } else { 0 };
        self.next_ns = now_ns + self.pause_ns;
    }
}

impl Vault {
    pub(super) fn room_granted(&mut self, place: Place, slots: u32) {
        let now_ns = self.room.now_ns;
        let Some(store) = self.stores.get_mut(place) else { return };
        if !store.up || !std::mem::take(&mut store.asked) {
            self.counts.late += 1;
            return;
        }
        store.granted = store.granted.saturating_add(slots);
        store.full = slots == 0;
        store.refused_at_ns = now_ns;
    }

    /// A place refused a write: nothing more is sent there for a while.
    pub(super) fn shut(&mut self, place: Place) {
        self.counts.refused += 1;
        let now_ns = self.room.now_ns;
        if let Some(store) = self.stores.get_mut(place) {
            (store.shut, store.refused_at_ns) = (true, now_ns);
        }
    }

    pub(super) fn ask_for_room(&mut self, out: &mut Out) {
        if self.policy == Policy::Disk {
            return;
        }
        for store in self.stores.servers_mut() {
            if store.wants_room() {
                store.asked = true;
                out.push_back(Action::Reserve { place: store.place, slots: CHUNK });
            }
        }
    }

    /// Now and then: places that were full are asked again, and groups that are not where they
    /// should be go there.
    pub(super) fn look_for_room(&mut self) {
        let now_ns = self.room.now_ns;
        for store in self.stores.all_mut() {
            if (store.full || store.shut) && now_ns.saturating_sub(store.refused_at_ns) >= RETRY_NS
            {
                (store.full, store.shut) = (false, false);
            }
        }
    }

    /// Groups are put together where room is short, and come back from the disk where there is
    /// plenty.
    pub(super) fn reclaim(&mut self, out: &mut Out) {
        let is_short = |store: &Store| store.is_short();
        while self.room.reclaiming < AT_A_TIME && self.stores.all().iter().any(is_short) {
            let Some(group) = self.groups.fewest_active() else { return };
            self.groups[group].reclaimed = true;
            self.room.reclaiming += 1;
            self.counts.reclaimed += 1;
            self.break_group(group, out);
        }
    }

    /// Some of the groups that are on the disk for want of room, or without parity, try again.
    pub(super) fn bring_home(&mut self, out: &mut Out) {
        let copies = match self.policy {
            Policy::Disk => return,
            Policy::None => 1,
            _ => 2,
        };
        let busy = self.jobs.has_waiting() || self.room.reclaiming > 0;
        let too_early = self.room.now_ns < self.room.homecoming.next_ns;
        if self.groups.homesick == 0 || busy || too_early || !self.stores.comfortable(copies) {
            return;
        }
        let looked_at: Vec<(u32, bool)> = self
            .groups
            .from(self.room.homecoming.from)
            .take(LOOK_AT)
            .map(|(number, group)| (number, group.homesick && group.phase == Phase::Sealed))
            .collect();
        let chosen = looked_at.iter().filter(|(_, homesick)| *homesick).take(AT_A_TIME as usize);
        let chosen: Vec<u32> = chosen.map(|(number, _)| *number).collect();
        self.room.homecoming.from = match (chosen.last(), looked_at.last()) {
            (Some(last), _) if chosen.len() == AT_A_TIME as usize => last + 1,
            (_, Some((last, _))) if looked_at.len() == LOOK_AT => last + 1,
            _ => 0,
        };
        self.room.homecoming.next(self.groups.homesick, self.room.now_ns);
        for group in chosen {
            self.break_group(group, out);
        }
    }
}

impl Store {
    fn wants_room(&self) -> bool {
        let may_ask =
            self.up && self.role != Role::Spare && !self.asked && !self.full && !self.shut;
        may_ask && self.room() < LOW + self.kept_for_moves()
    }

    /// Full, and little left of what it granted.
    fn is_short(&self) -> bool {
        self.up && self.full && self.place != Place::DISK && self.room() < self.short()
    }

    pub(super) fn status(&self) -> PlaceStatus {
        let granted = if self.place == Place::DISK { self.touched() } else { self.granted };
        PlaceStatus {
            place: self.place,
            up: self.up,
            granted: granted.into(),
            used: self.used().into(),
            pages: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stores::Owner;
    use super::*;

    #[test]
    fn attempts_that_win_nothing_become_seldom() {
        let mut homecoming = Homecoming::default();
        let mut pause_ns = |homesick| {
            homecoming.next(homesick, 7);
            homecoming.next_ns - 7
        };
        assert_eq!([pause_ns(9), pause_ns(9), pause_ns(9)], [0, RETRY_NS, 2 * RETRY_NS]);
        assert_eq!([pause_ns(5), pause_ns(5)], [0, RETRY_NS]);
        assert!((0..20).map(|_| pause_ns(5)).all(|pause| pause <= PAUSE_MOST_NS));
    }

    #[test]
    fn a_server_that_grants_all_is_asked_before_it_has_no_room() {
        let place = Place(0);
        let mut store = Store::new(place, Role::Data);
        for chunk in 1..=64 {
            store.granted = chunk * CHUNK;
            while store.has_room(false) {
                store.take(Owner::Nobody);
            }
            assert!(store.wants_room(), "{} slots granted", store.granted);
        }
    }
}
