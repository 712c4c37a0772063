//! Parts of objects: an object that has moved is cut at a virtual time, and its part from there on
//! is on another node.
//!
//! Only the last part, which has no end, is ever cut; the earlier ones stay where they are and go
//! when GVT passes their ends. So an object's moves are a row of times, each later than the one
//! before, and whoever has the part from move `v` on either still has it to the end of time or
//! knows move `v + 1`. What a node does not know it asks nobody: it sends to whom it takes for the
//! owner, and each owner passes on to the next, so that a message never comes round in a circle.
//! (That is why what is said of an older move is never believed over a newer one.)

use super::object::Object;
use super::{Node, Place};
use crate::{Counters, Model, ObjectId, Packet, Part, VirtualTime, Watch};
use std::collections::BTreeMap;

/// Where objects are that have moved, as far as this node knows.
#[derive(Default)]
pub(super) struct Atlas {
    moved: BTreeMap<ObjectId, Vec<Stay>>,
    /// Those of whom more than one stay matters still.
    unsettled: Vec<ObjectId>,
}

/// An object is there from then on, until its next stay begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    pub begin: VirtualTime,
    /// Which move it was; 0: where it was made.
    pub version: u32,
    /// Its number here, or its node.
    pub at: Result<u32, u16>,
}

impl Atlas {
    /// Who has this time of an object that has moved.
    pub fn find(&self, object: ObjectId, time: VirtualTime) -> Result<u32, u16> {
        self.stay(object, time).map_or(Err(0), |stay| stay.at)
    }

    /// The same with all that is known of it; `None`: it is not known to have moved.
    pub fn stay(&self, object: ObjectId, time: VirtualTime) -> Option<Stay> {
        let stays = self.moved.get(&object)?;
        stays.iter().rfind(|stay| stay.begin <= time).or(stays.first()).copied()
    }

    /// The latest move that is known of.
    pub fn version(&self, object: ObjectId) -> u32 {
        self.moved.get(&object).and_then(|stays| stays.last()).map_or(0, |stay| stay.version)
    }

    /// The part here that begins with this move.
    pub fn part_here(&self, object: ObjectId, version: u32) -> Option<u32> {
        let stays = self.moved.get(&object)?;
        stays.iter().find(|stay| stay.version == version).and_then(|stay| stay.at.ok())
    }

    /// Take in a stay; `home` is where the object was as long as it had not moved. `false`: nothing
    /// new.
    fn learn(&mut self, object: ObjectId, stay: Stay, home: Result<u32, u16>) -> bool {
        let first = Stay { begin: VirtualTime::NEGINF, version: 0, at: home };
        let stays = self.moved.entry(object).or_insert_with(|| vec![first]);
        let at = stays.partition_point(|known| known.version < stay.version);
        // Before the first: of no use any more.
        if at == 0 || stays.get(at).is_some_and(|known| known.version == stay.version) {
            return false;
        }
        if stays.len() == 1 {
            self.unsettled.push(object);
        }
        stays.insert(at, stay);
        true
    }

    /// Forget stays that ended at GVT or before. Returns those of whom one is left, with it.
    fn settle(&mut self, gvt: VirtualTime) -> Vec<(ObjectId, Result<u32, u16>)> {
        let mut settled = Vec::new();
        let moved = &mut self.moved;
        self.unsettled.retain(|object| {
            let Some(stays) = moved.get_mut(object) else { return false };
            let over = stays.iter().skip(1).take_while(|next| next.begin <= gvt).count();
            stays.drain(..over);
            if let [stay] = stays[..] {
                settled.push((*object, stay.at));
            }
            stays.len() > 1
        });
        settled
    }
}

/// A part here whose later part has gone to another node.
pub(super) struct Ended {
    pub index: u32,
    pub end: VirtualTime,
    /// Which move ended it, and where to.
    pub version: u32,
    pub to: u16,
    /// The state at its end, as last sent.
    pub sent: Vec<u8>,
    /// Whether something has happened in it since.
    pub stale: bool,
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Note where an object is from some time on.
    pub(super) fn note_stay(&mut self, object: ObjectId, stay: Stay) -> bool {
        let home = self.places[object.index()].here();
        let news = self.atlas.learn(object, stay, home);
        if news {
            self.places[object.index()] = Place::SPLIT;
        }
        news
    }

    /// An event was executed or undone: if it was in a part that has an end, its state there may be
    /// another one.
    pub(super) fn mind_end(&mut self, index: u32) {
        if self.objects[index as usize].end == VirtualTime::INVALID {
            return;
        }
        if let Some(ended) = self.ended.iter_mut().find(|ended| ended.index == index) {
            ended.stale = true;
            self.look_from = self.look_from.min(ended.end);
        }
    }

    /// What GVT must not pass while a later part does not know the state that it begins with.
    pub(super) fn least_stale(&self) -> VirtualTime {
        let stale = self.ended.iter().filter(|ended| ended.stale);
        stale.map(|ended| ended.end.just_before()).min().unwrap_or(VirtualTime::FINISHED)
    }

    /// Everything before `time` is done here, as far as is known: later parts that begin until then
    /// are told the states that they begin with, where these have changed. Whether there were any
    /// to look at.
    #[cold]
    pub(super) fn send_states(&mut self, time: VirtualTime) -> bool {
        let mut ended = std::mem::take(&mut self.ended);
        let mut looked = false;
        for part in ended.iter_mut().filter(|part| part.stale && part.end <= time) {
            let waits = |entry: &crate::pending::Entry| entry.object.0 == part.index;
            if self.held.iter().any(waits) {
                continue;
            }
            looked = true;
            part.stale = false;
            self.send_state(part);
        }
        let stale = ended.iter().filter(|part| part.stale);
        self.look_from = stale.map(|part| part.end).fold(VirtualTime::POSINF, VirtualTime::min);
        self.ended = ended;
        looked
    }

    fn send_state(&mut self, part: &mut Ended) {
        let object = &mut self.objects[part.index as usize];
        // A model that has once written a state can write them all.
        let Some(state) = self.model.state_bytes(&object.state) else { return };
        if state == part.sent {
            return;
        }
        object.rare.resent_states += 1;
        self.budget.states = self.budget.states + state.len() - part.sent.len();
        part.sent.clone_from(&state);
        let (id, begin, version) = (self.ids[part.index as usize], part.end, part.version);
        let again = Part { object: id, begin, version, moves: false, state };
        self.post(part.to, Packet::Part(Box::new(again)));
    }

    /// GVT has moved: what is known of places becomes simpler.
    pub(super) fn settle_moves(&mut self) {
        if !self.may_move {
            return;
        }
        for (object, at) in self.atlas.settle(self.gvt.now) {
            self.places[object.index()] = Place::of(at);
        }
        self.forget_passings();
    }

    /// All that can be is committed: parts that ended before have nothing left to do.
    pub(super) fn let_parts_go(&mut self) {
        let gvt = self.gvt.now;
        let (over, left) =
            std::mem::take(&mut self.ended).into_iter().partition(|part| part.end <= gvt);
        self.ended = left;
        let over: Vec<Ended> = over;
        for part in over {
            self.let_go(&part);
        }
    }

    fn let_go(&mut self, part: &Ended) {
        let index = part.index;
        debug_assert!(!part.stale && self.objects[index as usize].oldest == super::slots::NONE);
        while self.object(index).base != super::slots::NONE {
            self.free_oldest(index);
        }
        let counters = self.object(index).counters();
        self.gone.entry(self.ids[index as usize]).or_default().add(&counters);
        self.budget.states -=
            size_of::<M::State>() + self.object(index).state_heap + part.sent.len();
        self.vacant.push(index);
    }

    /// The objects here that go on to the end of time.
    pub(super) fn last_parts(&self) -> Vec<u32> {
        let lasts = |(index, object): (u32, &Object<M::State>)| {
            (object.end == VirtualTime::INVALID).then_some(index)
        };
        (0..).zip(&self.objects).filter_map(lasts).collect()
    }

    /// What was counted here, by object; and of those that have moved once more, for a line of its
    /// own.
    #[allow(clippy::type_complexity)]
    pub(super) fn count_objects(&self) -> (Vec<(u32, Counters)>, Vec<(u16, u32, Counters)>) {
        let mut all = self.gone.clone();
        for (object, rare) in &self.apart {
            all.entry(*object).or_default().add(&rare.counters());
        }
        for (index, object) in (0..).zip(&self.objects) {
            if !self.vacant.contains(&index) {
                all.entry(self.ids[index as usize]).or_default().add(&object.counters());
            }
        }
        let has_moved = |object: &ObjectId| self.atlas.version(*object) > 0;
        let moved = all.iter().filter(|(object, _)| has_moved(object));
        let parts = moved.map(|(object, counters)| (self.id, object.0, counters.clone())).collect();
        (all.into_iter().map(|(object, counters)| (object.0, counters)).collect(), parts)
    }
}
