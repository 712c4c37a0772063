//! Parts of objects: an object that has moved is cut at a virtual time, and its part from there on
//! is on another node.
//!
//! Only the last part, which has no end, is ever cut; the earlier ones stay where they are and go
//! when GVT passes their ends. So an object's moves are a row of times, each later than the one
//! before, and whoever has the part from move `v` on either still has it to the end of time or
//! knows move `v + 1`. What a node does not know it asks nobody: it sends to whom it takes for the
//! owner, and each owner passes on to the next, so that a message never comes round in a circle.
//! (That is why what is said of an older move is never believed over a newer one.)

use super::Node;
use super::load::Load;
use super::passing::Passings;
use crate::{Counters, Model, ObjectId, Packet, Part, Placement, VirtualTime, Watch};
use std::collections::BTreeMap;

/// What a node knows of moves.
pub(super) struct Moving {
    pub atlas: Atlas,
    /// Parts of objects here whose later parts are elsewhere.
    pub ended: Vec<Ended>,
    /// From here on what is first is looked at before it runs: the state at the end of one of those
    /// parts is to be sent.
    pub look_from: VirtualTime,
    /// Messages passed on that may yet be cancelled or come back.
    pub passings: Passings,
    pub load: Load,
}

/// Where objects are, as far as this node knows.
pub(super) struct Atlas {
    places: Vec<Place>,
    /// Those that have moved.
    moved: BTreeMap<ObjectId, Vec<Stay>>,
    /// Those of whom more than one stay matters still.
    unsettled: Vec<ObjectId>,
}

/// Where an object lives: on this node under a number, or on another node.
#[derive(Clone, Copy)]
struct Place(u32);

const ELSEWHERE: u32 = 1 << 31;
/// Beside `ELSEWHERE`: it depends on the time; the moves are known.
const SPLIT: u32 = 1 << 30;

impl Place {
    const SPLIT: Place = Place(ELSEWHERE | SPLIT);

    /// Its number here, or else its node.
    #[inline]
    fn here(self) -> Result<u32, u16> {
        if self.0 & ELSEWHERE == 0 { Ok(self.0) } else { Err(self.0 as u16) }
    }

    #[inline]
    fn is_split(self) -> bool {
        self.0 & (ELSEWHERE | SPLIT) == ELSEWHERE | SPLIT
    }

    fn of(at: Result<u32, u16>) -> Place {
        Place(at.unwrap_or_else(|node| ELSEWHERE | u32::from(node)))
    }
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
    /// Before anything has moved.
    fn new(placement: &Placement, id: u16, objects: u32) -> Atlas {
        let mut next = 0..;
        let place = |object| match placement.node_of(ObjectId(object)) {
            node if node == id => Place::of(Ok(next.next().unwrap_or_default())),
            node => Place::of(Err(node)),
        };
        let places = (0..objects).map(place).collect();
        Atlas { places, moved: BTreeMap::new(), unsettled: Vec::new() }
    }

    /// Who has to do with a virtual time of an object: its number here, or the node that is known
    /// to have that part of it.
    #[inline]
    pub fn route(&self, object: ObjectId, time: VirtualTime) -> Result<u32, u16> {
        let place = self.places[object.index()];
        match place.here() {
            Err(_) if place.is_split() => self.find(object, time),
            known => known,
        }
    }

    /// Whether there is such an object; where nothing moves, whether it is here.
    #[inline]
    pub fn may_be_here(&self, object: ObjectId, may_move: bool) -> bool {
        self.places.get(object.index()).is_some_and(|place| place.here().is_ok() || may_move)
    }

    /// Who has this time of an object that has moved.
    fn find(&self, object: ObjectId, time: VirtualTime) -> Result<u32, u16> {
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

    /// Note where an object is from some time on. What is no news is not taken in.
    pub fn learn(&mut self, object: ObjectId, stay: Stay) {
        let home = self.places[object.index()].here();
        let first = Stay { begin: VirtualTime::NEGINF, version: 0, at: home };
        let stays = self.moved.entry(object).or_insert_with(|| vec![first]);
        let at = stays.partition_point(|known| known.version < stay.version);
        // Before the first: of no use any more.
        if at == 0 || stays.get(at).is_some_and(|known| known.version == stay.version) {
            return;
        }
        if stays.len() == 1 {
            self.unsettled.push(object);
        }
        stays.insert(at, stay);
        self.places[object.index()] = Place::SPLIT;
    }

    /// Forget stays that ended at GVT or before.
    fn settle(&mut self, gvt: VirtualTime) {
        let (moved, places) = (&mut self.moved, &mut self.places);
        self.unsettled.retain(|object| {
            let Some(stays) = moved.get_mut(object) else { return false };
            let over = stays.iter().skip(1).take_while(|next| next.begin <= gvt).count();
            stays.drain(..over);
            if let [stay] = stays[..] {
                places[object.index()] = Place::of(stay.at);
            }
            stays.len() > 1
        });
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

impl Moving {
    pub fn new(placement: &Placement, id: u16, objects: u32) -> Moving {
        Moving {
            atlas: Atlas::new(placement, id, objects),
            ended: Vec::new(),
            look_from: VirtualTime::POSINF,
            passings: Passings::default(),
            load: Load::default(),
        }
    }

    /// An event was executed or undone: if it was in a part that has an end, its state there may be
    /// another one.
    pub fn mind_end(&mut self, index: u32, end: VirtualTime) {
        if end == VirtualTime::INVALID {
            return;
        }
        if let Some(ended) = self.ended.iter_mut().find(|ended| ended.index == index) {
            ended.stale = true;
            self.look_from = self.look_from.min(ended.end);
        }
    }

    /// What GVT must not pass while a later part does not know the state that it begins with.
    pub fn least_stale(&self) -> VirtualTime {
        let stale = self.ended.iter().filter(|ended| ended.stale);
        stale.map(|ended| ended.end.just_before()).min().unwrap_or(VirtualTime::FINISHED)
    }
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Everything before `time` is done here, as far as is known: later parts that begin until then
    /// are told the states that they begin with, where these have changed. Whether there were any
    /// to look at.
    #[cold]
    pub(super) fn send_states(&mut self, time: VirtualTime) -> bool {
        let mut ended = std::mem::take(&mut self.moving.ended);
        let mut looked = false;
        for part in ended.iter_mut().filter(|part| part.stale && part.end <= time) {
            let waits = |entry: &crate::pending::Entry| entry.object.0 == part.index;
            if self.restraint.held.iter().any(waits) {
                continue;
            }
            looked = true;
            part.stale = false;
            self.send_state(part);
        }
        let stale = ended.iter().filter(|part| part.stale);
        self.moving.look_from =
            stale.map(|part| part.end).fold(VirtualTime::POSINF, VirtualTime::min);
        self.moving.ended = ended;
        looked
    }

    fn send_state(&mut self, part: &mut Ended) {
        let object = &mut self.objects[part.index];
        // A model that has once written a state can write them all.
        let Some(state) = self.setup.model.state_bytes(&object.state) else { return };
        if state == part.sent {
            return;
        }
        object.rare.resent_states += 1;
        self.budget.states = self.budget.states + state.len() - part.sent.len();
        part.sent.clone_from(&state);
        let (id, begin, version) = (self.objects.id(part.index), part.end, part.version);
        let again = Part { object: id, begin, version, moves: false, state };
        self.post(part.to, Packet::Part(Box::new(again)));
    }

    /// GVT has moved: what is known of places becomes simpler.
    pub(super) fn settle_moves(&mut self) {
        if !self.setup.may_move {
            return;
        }
        self.moving.atlas.settle(self.gvt.now);
        self.forget_passings();
    }

    /// All that can be is committed: parts that ended before have nothing left to do.
    pub(super) fn let_parts_go(&mut self) {
        let gvt = self.gvt.now;
        let (over, left) =
            std::mem::take(&mut self.moving.ended).into_iter().partition(|part| part.end <= gvt);
        self.moving.ended = left;
        let over: Vec<Ended> = over;
        for part in over {
            self.let_go(&part);
        }
    }

    fn let_go(&mut self, part: &Ended) {
        let index = part.index;
        debug_assert!(!part.stale && self.objects[index].records.oldest() == super::slots::NONE);
        while self.object(index).records.base() != super::slots::NONE {
            self.free_oldest(index);
        }
        self.budget.states -=
            size_of::<M::State>() + self.object(index).state_heap + part.sent.len();
        self.objects.let_go(index);
    }

    /// What was counted here, by object; and of those that have moved once more, for a line of its
    /// own.
    #[allow(clippy::type_complexity)]
    pub(super) fn count_objects(&self) -> (Vec<(u32, Counters)>, Vec<(u16, u32, Counters)>) {
        let all = self.objects.counters();
        let has_moved = |object: &ObjectId| self.moving.atlas.version(*object) > 0;
        let moved = all.iter().filter(|(object, _)| has_moved(object));
        let parts =
            moved.map(|(object, counters)| (self.setup.id, object.0, counters.clone())).collect();
        (all.into_iter().map(|(object, counters)| (object.0, counters)).collect(), parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Object 0 of two, at home on node 3, which is not here.
    fn atlas() -> Atlas {
        let place = |node| Place::of(Err(node));
        Atlas {
            places: vec![place(3), Place::of(Ok(0))],
            moved: BTreeMap::new(),
            unsettled: vec![],
        }
    }

    fn stay(begin: f64, version: u32, at: Result<u32, u16>) -> Stay {
        Stay { begin: VirtualTime::at(begin), version, at }
    }

    fn routes(atlas: &Atlas, times: [f64; 4]) -> [Result<u32, u16>; 4] {
        times.map(|time| atlas.route(ObjectId(0), VirtualTime::at(time)))
    }

    #[test]
    fn a_time_of_an_object_is_where_its_latest_known_move_before_took_it() {
        let mut atlas = atlas();
        assert_eq!(routes(&atlas, [0.0, 5.0, 9.0, 20.0]), [Err(3); 4]);
        atlas.learn(ObjectId(0), stay(9.0, 2, Ok(6)));
        atlas.learn(ObjectId(0), stay(5.0, 1, Err(1)));
        assert_eq!(routes(&atlas, [0.0, 5.0, 9.0, 20.0]), [Err(3), Err(1), Ok(6), Ok(6)]);
        assert_eq!((atlas.version(ObjectId(0)), atlas.part_here(ObjectId(0), 2)), (2, Some(6)));
        atlas.learn(ObjectId(0), stay(7.0, 2, Err(0)));
        assert_eq!(routes(&atlas, [0.0, 5.0, 8.0, 20.0])[2], Err(1), "what is known stays");
    }

    #[test]
    fn what_gvt_has_passed_is_forgotten_and_not_believed_again() {
        let mut atlas = atlas();
        atlas.learn(ObjectId(0), stay(5.0, 1, Err(1)));
        atlas.learn(ObjectId(0), stay(9.0, 2, Ok(6)));
        atlas.settle(VirtualTime::at(6.0));
        assert_eq!(atlas.stay(ObjectId(0), VirtualTime::at(0.0)).map(|stay| stay.version), Some(1));
        atlas.settle(VirtualTime::at(9.0));
        assert!(!atlas.places[0].is_split() && atlas.unsettled.is_empty());
        atlas.learn(ObjectId(0), stay(5.0, 1, Err(1)));
        assert_eq!(routes(&atlas, [0.0, 5.0, 9.0, 20.0]), [Ok(6); 4]);
        assert!(atlas.may_be_here(ObjectId(0), false) && !atlas.may_be_here(ObjectId(2), true));
    }
}
