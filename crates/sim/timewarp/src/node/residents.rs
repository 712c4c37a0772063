//! The objects that live on a node, or parts of them, by the numbers that it gives them.

use super::object::Object;
use super::object::rare_counters::RareCounters;
use crate::{Counters, ObjectId};
use std::collections::BTreeMap;

pub(super) struct Residents<S> {
    objects: Vec<Object<S>>,
    /// Their numbers in the model.
    ids: Vec<ObjectId>,
    /// Places that are free.
    vacant: Vec<u32>,
    /// What objects counted here that are not here any more ...
    gone: BTreeMap<ObjectId, Counters>,
    /// ... and what concerns them that met its end here.
    apart: BTreeMap<ObjectId, RareCounters>,
}

impl<S> Residents<S> {
    pub fn with_capacity(objects: usize) -> Residents<S> {
        Residents {
            objects: Vec::with_capacity(objects),
            ids: Vec::with_capacity(objects),
            vacant: Vec::new(),
            gone: BTreeMap::new(),
            apart: BTreeMap::new(),
        }
    }

    /// Its number in the model.
    #[inline]
    pub fn id(&self, index: u32) -> ObjectId {
        self.ids[index as usize]
    }

    /// How many numbers are given; some may be free again.
    pub fn len(&self) -> u32 {
        self.objects.len() as u32
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Object<S>> {
        self.objects.iter_mut()
    }

    /// Give an object a number here.
    pub fn house(&mut self, id: ObjectId, object: Object<S>) -> u32 {
        match self.vacant.pop() {
            Some(index) => {
                self.ids[index as usize] = id;
                self.objects[index as usize] = object;
                index
            }
            None => {
                self.ids.push(id);
                self.objects.push(object);
                self.len() - 1
            }
        }
    }

    /// What there was here of an object is over. What it counted stays.
    pub fn let_go(&mut self, index: u32) {
        let counters = self[index].counters();
        self.gone.entry(self.id(index)).or_default().add(&counters);
        self.vacant.push(index);
    }

    /// Where to count what meets its end here although its object is elsewhere.
    pub fn apart(&mut self, object: ObjectId) -> &mut RareCounters {
        self.apart.entry(object).or_default()
    }

    /// The objects here that go on to the end of time.
    pub fn last_parts(&self) -> Vec<u32> {
        let lasts = |(index, object): (u32, &Object<S>)| object.extent.is_last().then_some(index);
        (0..).zip(&self.objects).filter_map(lasts).collect()
    }

    /// What was counted here, by object.
    pub fn counters(&self) -> BTreeMap<ObjectId, Counters> {
        let mut all = self.gone.clone();
        for (object, rare) in &self.apart {
            all.entry(*object).or_default().add(&rare.counters());
        }
        for (index, object) in (0..).zip(&self.objects) {
            if !self.vacant.contains(&index) {
                all.entry(self.id(index)).or_default().add(&object.counters());
            }
        }
        all
    }
}

impl<S> std::ops::Index<u32> for Residents<S> {
    type Output = Object<S>;

    #[inline]
    fn index(&self, index: u32) -> &Object<S> {
        &self.objects[index as usize]
    }
}

impl<S> std::ops::IndexMut<u32> for Residents<S> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Object<S> {
        &mut self.objects[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residents() -> Residents<()> {
        let mut residents = Residents::with_capacity(2);
        for id in [7, 9] {
            residents.house(ObjectId(id), Object::new((), 0));
        }
        residents
    }

    #[test]
    fn a_place_is_given_again_and_what_was_counted_there_stays() {
        let mut residents = residents();
        residents[0].counts.events = 5;
        residents[0].extent.end = crate::VirtualTime::at(3.0);
        assert_eq!(residents.last_parts(), [1]);
        residents.let_go(0);
        residents.apart(ObjectId(7)).anti_received += 2;
        assert_eq!(residents.house(ObjectId(8), Object::new((), 0)), 0);
        residents[0].counts.events = 1;
        assert_eq!((residents.len(), residents.id(0)), (2, ObjectId(8)));
        let counted = residents.counters();
        let of = |id| (counted[&ObjectId(id)].events, counted[&ObjectId(id)].anti_received);
        assert_eq!([7, 8, 9].map(of), [(5, 2), (1, 0), (0, 0)]);
    }

    #[test]
    fn what_has_gone_is_counted_once() {
        let mut residents = residents();
        residents[1].counts.events = 4;
        residents.let_go(1);
        assert_eq!(residents.counters()[&ObjectId(9)].events, 4);
    }
}
