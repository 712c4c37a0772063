//! Who runs: threads wait in their seats until it is their turn.

use super::world::{Parcel, Waking, Woken, World};
use crate::spec::{NodeId, Spec};
use machine::{Machine, Time};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The world and a place to wait for each node.
pub(super) struct Seats {
    world: Mutex<World>,
    places: Vec<Condvar>,
}

impl Seats {
    pub fn new(machine: &Machine, spec: &Spec, seed: u64) -> Seats {
        Seats {
            world: Mutex::new(World::new(machine, spec, seed)),
            places: (0..spec.nodes).map(|_| Condvar::new()).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Wait until nothing before `now` is left to happen; by how much the node was interrupted
    /// meanwhile.
    pub fn wait_for_turn(&self, me: NodeId, now: Time) -> Time {
        let mut world = self.world();
        if !world.is_first(me, now) {
            world.ready(me, now);
            world = self.pass_on(world, me);
        }
        world.stolen(me)
    }

    /// Sleep until then, or until what wakes the node.
    pub fn sleep(&self, me: NodeId, now: Time, until: Time, waking: Waking) -> Woken {
        let mut world = self.world();
        if !world.sleeps(me, now, until, waking) {
            return Woken { at: now, by_message: false };
        }
        self.pass_on(world, me).woken(me)
    }

    /// Messages on their way to `to` if the node may send another one.
    pub fn room(&self, me: NodeId, to: NodeId) -> Option<u32> {
        self.world().room(me, to)
    }

    pub fn in_flight(&self, me: NodeId, to: NodeId) -> u32 {
        self.world().in_flight(me, to)
    }

    pub fn send(&self, now: Time, to: NodeId, parcel: Parcel) {
        self.world().send(now, to, parcel);
    }

    /// The message that the node sent last is to have a receipt.
    pub fn ask_for_receipt(&self, me: NodeId, counts: u32) {
        self.world().ask_for_receipt(me, counts);
    }

    /// What has been heard of arrivals since the last call.
    pub fn receipts(&self, me: NodeId) -> u32 {
        self.world().receipts(me)
    }

    pub fn take(&self, me: NodeId, now: Time) -> Option<Parcel> {
        self.world().take(me, now)
    }

    /// A node that has ended without leaving, and whose messages have all been taken here.
    pub fn dropped(&self, me: NodeId) -> Option<NodeId> {
        self.world().dropped(me)
    }

    /// The node will not run again.
    pub fn leave(&self, me: NodeId, in_order: bool) {
        let mut world = self.world();
        if let Some(next) = world.leave(me, in_order) {
            self.places[usize::from(next)].notify_one();
        }
    }

    /// Let whoever is first run, and wait to be that.
    fn pass_on<'a>(
        &'a self,
        mut world: MutexGuard<'a, World>,
        me: NodeId,
    ) -> MutexGuard<'a, World> {
        match world.next_to_run() {
            Some(next) if next == me => return world,
            Some(next) => self.places[usize::from(next)].notify_one(),
            None => {}
        }
        let waits = |world: &mut World| !world.runs(me);
        let place = &self.places[usize::from(me)];
        place.wait_while(world, waits).unwrap_or_else(PoisonError::into_inner)
    }

    fn world(&self) -> MutexGuard<'_, World> {
        // A node that panics does so in its own code, not in ours.
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
