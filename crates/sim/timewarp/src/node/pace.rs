//! Who may not run now: throttling, penalties, and objects whose messages came back.
//!
//! What is held back leaves the pending set, so that others come up, and returns to it when GVT has
//! moved. An object at GVT is never held back.

use super::Node;
use super::optimism::Optimism;
use super::residents::Residents;
use crate::pending::{Entry, Pending};
use crate::{Model, Throttle, VirtualTime, Watch};

/// What is held back, and what throttling and the memory budget go by, as of the last GVT.
pub(super) struct Restraint {
    /// Entries of objects that may not run now.
    pub held: Vec<Entry>,
    /// Objects that wait for GVT because a message of theirs came back.
    returned: Vec<u32>,
    /// Whether there are any of either.
    pub is_any: bool,
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
    /// How far this node may run ahead.
    pub optimism: Optimism,
}

/// What is known after a round of GVT.
pub(super) struct Round {
    pub before: VirtualTime,
    pub gvt: VirtualTime,
    /// Events run here since it was last computed.
    pub run: u32,
    /// Whether any node lacks a core.
    pub crowded: bool,
}

impl Restraint {
    pub fn new(throttle: &Throttle) -> Restraint {
        Restraint {
            held: Vec::new(),
            returned: Vec::new(),
            is_any: false,
            steps_to: VirtualTime::INVALID,
            memory_to: VirtualTime::INVALID,
            committed: 0,
            undone: 0,
            too_much_undone: false,
            penalised: false,
            optimism: Optimism::new(*throttle == Throttle::Adaptive),
        }
    }

    /// GVT has moved.
    pub fn advance(&mut self, round: &Round, throttle: &Throttle) {
        let Round { before, gvt, run, crowded } = *round;
        self.optimism.learn(crowded, run, self.committed, self.undone);
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

    /// Take an object's next entries out of the pending set.
    #[cold]
    fn hold<S>(&mut self, first: &Entry, objects: &mut Residents<S>, pending: &mut Pending) {
        let object = &mut objects[first.object.0];
        object.held_from = object.held_from.min(first.time);
        self.is_any = true;
        while let Some(entry) = pending.pop_beside(first) {
            self.held.push(entry);
        }
    }

    /// Nothing of an object from `time` on may run before GVT has moved.
    pub fn hold_from<S>(&mut self, index: u32, time: VirtualTime, objects: &mut Residents<S>) {
        let object = &mut objects[index];
        object.held_from = object.held_from.min(time);
        self.returned.push(index);
        self.is_any = true;
    }

    /// Put back what was held.
    pub fn release<S>(&mut self, objects: &mut Residents<S>, pending: &mut Pending) {
        self.penalised = false;
        self.is_any = false;
        for entry in self.held.drain(..) {
            objects[entry.object.0].held_from = VirtualTime::INVALID;
            pending.push(entry);
        }
        for index in self.returned.drain(..) {
            objects[index].held_from = VirtualTime::INVALID;
        }
    }

    /// Nothing else is ready: start again from the first object passed over for a penalty.
    pub fn release_penalised<S>(
        &mut self,
        objects: &mut Residents<S>,
        pending: &mut Pending,
    ) -> bool {
        let release = self.penalised && !self.held.is_empty();
        if release {
            self.release(objects, pending);
        }
        release
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Whether the object of this entry may not run now.
    #[inline]
    pub(super) fn must_hold(&mut self, first: &Entry) -> bool {
        if first.time <= self.gvt.now {
            return false;
        }
        if self.restraint.is_any && first.time >= self.objects[first.object.0].held_from {
            return true;
        }
        let restrained = first.time > self.restraint.memory_to
            || (self.setup.options.penalty > 0 && self.is_penalised(first))
            || (self.setup.options.throttle.looks_at_objects() && self.is_throttled(first));
        restrained && !self.is_abandoned(first)
    }

    /// A penalty is worked off a little each time that the scheduler meets its object.
    fn is_penalised(&mut self, first: &Entry) -> bool {
        let reward = self.setup.options.reward;
        let pace = &mut self.objects[first.object.0].pace;
        pace.cancellations = pace.cancellations.saturating_sub(reward);
        let passed_over = pace.cancellations > 0 && reward > 0;
        self.totals.counters.penalised += u64::from(passed_over);
        self.restraint.penalised |= passed_over;
        passed_over
    }

    fn is_throttled(&mut self, first: &Entry) -> bool {
        if self.gvt.now <= VirtualTime::STARTED {
            return false;
        }
        let (gvt, rounds) = (self.gvt.now.simtime(), self.gvt.rounds);
        let pace = &mut self.objects[first.object.0].pace;
        let blocked = match self.setup.options.throttle {
            Throttle::Never | Throttle::Adaptive => false,
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
                first.time.simtime() > 0.0 && first.time > self.restraint.steps_to
            }
            Throttle::States { limit } => pace.events > limit,
            Throttle::Undone => self.restraint.too_much_undone,
            Throttle::Window { window } => first.time > VirtualTime::at(gvt + window),
        };
        self.totals.counters.throttled += u64::from(blocked);
        blocked
    }

    /// Take the object's next entries out of the pending set.
    pub(super) fn hold(&mut self, first: &Entry) {
        self.restraint.hold(first, &mut self.objects, &mut self.agenda.pending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ObjectId;
    use crate::node::object::Object;

    #[test]
    fn what_is_held_leaves_the_pending_set_until_gvt_moves() {
        let (mut restraint, mut pending) = (Restraint::new(&Throttle::Never), Pending::new());
        let mut objects = Residents::with_capacity(2);
        for id in [0, 1] {
            objects.house(ObjectId(id), Object::new((), 0));
        }
        let entry = |object, time: f64, slot| Entry {
            time: VirtualTime::at(time),
            object: ObjectId(object),
            slot,
        };
        let entries = [entry(0, 1.0, 0), entry(0, 1.0, 1), entry(1, 2.0, 2)];
        entries.into_iter().for_each(|entry| pending.push(entry));
        restraint.hold(&entries[0], &mut objects, &mut pending);
        restraint.hold_from(1, VirtualTime::at(2.0), &mut objects);
        assert_eq!((restraint.held.len(), pending.len(), restraint.is_any), (2, 1, true));
        assert_eq!([0, 1].map(|at| objects[at].held_from), [1.0, 2.0].map(VirtualTime::at));
        assert!(!restraint.release_penalised(&mut objects, &mut pending), "no penalty is due");
        restraint.release(&mut objects, &mut pending);
        assert_eq!((restraint.held.len(), pending.len(), restraint.is_any), (0, 3, false));
        assert_eq!([0, 1].map(|at| objects[at].held_from), [VirtualTime::INVALID; 2]);
    }

    fn round(before: f64, gvt: f64) -> Round {
        let [before, gvt] = [before, gvt].map(VirtualTime::at);
        Round { before, gvt, run: 7, crowded: false }
    }

    #[test]
    fn steps_of_gvt_and_undone_events_are_judged_when_gvt_moves() {
        let mut restraint = Restraint::new(&Throttle::Undone);
        (restraint.committed, restraint.undone) = (3, 4);
        let throttle = Throttle::GvtSteps { wsize: 2.0 };
        restraint.advance(&round(10.0, 15.0), &throttle);
        assert!(restraint.too_much_undone);
        assert_eq!(restraint.steps_to, VirtualTime::at(20.0));
        restraint.advance(&round(15.0, 16.0), &Throttle::Undone);
        assert!(!restraint.too_much_undone, "counted anew");
    }
}
