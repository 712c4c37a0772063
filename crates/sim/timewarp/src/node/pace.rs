//! Who may not run now: throttling, penalties, and objects whose messages came back.
//!
//! What is held back leaves the pending set, so that others come up, and returns to it when GVT has
//! moved. An object at GVT is never held back.

use super::Node;
use crate::pending::Entry;
use crate::{Model, Throttle, VirtualTime, Watch};

/// What throttling and the memory budget go by, as of the last GVT.
pub(super) struct Horizon {
    /// Throttling by steps of GVT: nothing beyond this.
    steps_to: VirtualTime,
    /// The memory budget: nothing beyond this until GVT has moved.
    pub memory_to: VirtualTime,
    /// Events committed and undone on this node since the last GVT, and in the interval before it.
    pub committed: u64,
    pub undone: u64,
    too_much_undone: bool,
    /// Whether any penalty is due.
    penalised: bool,
}

impl Default for Horizon {
    fn default() -> Horizon {
        Horizon {
            steps_to: VirtualTime::INVALID,
            memory_to: VirtualTime::INVALID,
            committed: 0,
            undone: 0,
            too_much_undone: false,
            penalised: false,
        }
    }
}

impl Horizon {
    /// GVT has moved.
    pub fn advance(&mut self, before: VirtualTime, gvt: VirtualTime, throttle: &Throttle) {
        self.memory_to = VirtualTime::INVALID;
        self.too_much_undone = self.undone > self.committed;
        (self.committed, self.undone) = (0, 0);
        if let Throttle::GvtSteps { wsize } = throttle
            && gvt > before
            && before > VirtualTime::STARTED
        {
            self.steps_to =
                VirtualTime::at(before.simtime() + wsize * (gvt.simtime() - before.simtime()));
        }
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Whether the object of this entry may not run now.
    #[inline]
    pub(super) fn must_hold(&mut self, first: &Entry) -> bool {
        if first.time <= self.gvt.now {
            return false;
        }
        (self.anything_held && first.time >= self.objects[first.object.index()].held_from)
            || first.time > self.horizon.memory_to
            || (self.options.penalty > 0 && self.is_penalised(first))
            || (self.options.throttle != Throttle::Never && self.is_throttled(first))
    }

    /// A penalty is worked off a little each time that the scheduler meets its object.
    fn is_penalised(&mut self, first: &Entry) -> bool {
        let reward = self.options.reward;
        let pace = &mut self.objects[first.object.index()].pace;
        pace.cancellations = pace.cancellations.saturating_sub(reward);
        let passed_over = pace.cancellations > 0 && reward > 0;
        self.counters.penalised += u64::from(passed_over);
        self.horizon.penalised |= passed_over;
        passed_over
    }

    fn is_throttled(&mut self, first: &Entry) -> bool {
        if self.gvt.now <= VirtualTime::STARTED {
            return false;
        }
        let (gvt, rounds) = (self.gvt.now.simtime(), self.gvt.rounds);
        let pace = &mut self.objects[first.object.index()].pace;
        let blocked = match self.options.throttle {
            Throttle::Never => false,
            Throttle::Outputs { limit } => pace.outputs > limit,
            Throttle::Allowance { tmult, tadd } => {
                if pace.round != rounds {
                    pace.round = rounds;
                    pace.allowance =
                        tmult * f64::from(pace.committed) + tadd - f64::from(pace.events);
                    pace.committed = 0;
                }
                pace.allowance <= 0.0
            }
            Throttle::GvtSteps { .. } => {
                first.time.simtime() > 0.0 && first.time > self.horizon.steps_to
            }
            Throttle::States { limit } => pace.events > limit,
            Throttle::Undone => self.horizon.too_much_undone,
            Throttle::Window { window } => first.time > VirtualTime::at(gvt + window),
        };
        self.counters.throttled += u64::from(blocked);
        blocked
    }

    /// Take an object's next entries out of the pending set.
    #[cold]
    pub(super) fn hold(&mut self, first: &Entry) {
        let object = &mut self.objects[first.object.index()];
        object.held_from = object.held_from.min(first.time);
        self.anything_held = true;
        while let Some(entry) = self.pending.pop_beside(first) {
            self.held.push(entry);
        }
    }

    /// Put back what was held.
    pub(super) fn release_held(&mut self) {
        self.horizon.penalised = false;
        self.anything_held = false;
        for entry in self.held.drain(..) {
            self.objects[entry.object.index()].held_from = VirtualTime::INVALID;
            self.pending.push(entry);
        }
        for index in self.returned.drain(..) {
            self.objects[index as usize].held_from = VirtualTime::INVALID;
        }
    }

    /// Nothing else is ready: start again from the first object passed over for a penalty.
    pub(super) fn release_penalised(&mut self) -> bool {
        let release = self.horizon.penalised && !self.held.is_empty();
        if release {
            self.release_held();
        }
        release
    }
}
