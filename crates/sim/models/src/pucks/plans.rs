//! What an object has predicted, so that it can call it off.

use super::name::Name;
use super::{HORIZON, PLANS_MAX, PucksPayload};
use serde::{Deserialize, Serialize};
use timewarp::VirtualTime;

/// A prediction: a message sent for a time at which something will touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// With whom.
    pub partner: Name,
    /// Which of the object's predictions it was.
    pub action: u32,
    /// When.
    pub time: VirtualTime,
}

/// An object's plans, in slots whose numbers matter: the lowest free one is taken, and withdrawing
/// goes through them in order.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plans {
    slots: Vec<Option<Plan>>,
    /// Predictions so far.
    predictions: u32,
}

impl Plans {
    /// A new prediction: what its messages say.
    #[inline]
    pub(super) fn add(&mut self, partner: Name, time: VirtualTime) -> Result<u32, &'static str> {
        let action = self.predictions;
        self.predictions += 1;
        let plan = Some(Plan { partner, action, time });
        match self.slots.iter().position(Option::is_none) {
            Some(free) => self.slots[free] = plan,
            None if self.slots.len() < PLANS_MAX => self.slots.push(plan),
            None => return Err("it has more plans than its 90 slots hold"),
        }
        Ok(action)
    }

    /// Forget all plans with this partner, or with anyone; each is shown in the order of the slots.
    #[inline]
    pub(super) fn forget(&mut self, partner: Option<Name>, mut show: impl FnMut(Plan)) {
        for slot in &mut self.slots {
            if let Some(plan) = *slot
                && partner.is_none_or(|partner| plan.partner == partner)
            {
                *slot = None;
                show(plan);
            }
        }
    }

    /// Slots in use.
    pub fn used(&self) -> usize {
        self.slots.iter().flatten().count()
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}

impl Plan {
    /// Whether its messages can and need be called off, for those that sent one to themselves.
    #[inline]
    pub(super) fn stands(&self, now: VirtualTime) -> bool {
        self.time > now && now.simtime() < HORIZON
    }

    #[inline]
    pub(super) fn cancel(&self, with: Name) -> PucksPayload {
        PucksPayload::Cancel { with, action: self.action }
    }
}

impl Clone for Plans {
    fn clone(&self) -> Plans {
        Plans { slots: self.slots.clone(), predictions: self.predictions }
    }

    /// Reuses memory.
    #[inline]
    fn clone_from(&mut self, source: &Plans) {
        self.slots.clone_from(&source.slots);
        self.predictions = source.predictions;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_slot_is_taken_and_the_order_is_that_of_slots() {
        let mut plans = Plans::default();
        let add =
            |plans: &mut Plans, puck| plans.add(Name::puck(puck), VirtualTime::at(1.0)).unwrap();
        assert_eq!([1, 2, 1, 3].map(|puck| add(&mut plans, puck)), [0, 1, 2, 3]);
        let mut shown = Vec::new();
        plans.forget(Some(Name::puck(1)), |plan| shown.push(plan.action));
        assert_eq!((&shown, plans.used()), (&vec![0, 2], 2));
        assert_eq!([4, 4, 4].map(|puck| add(&mut plans, puck)), [4, 5, 6]);
        shown.clear();
        plans.forget(None, |plan| shown.push(plan.action));
        assert_eq!((shown, plans.used()), (vec![4, 1, 5, 3, 6], 0));
    }

    #[test]
    fn there_are_90_slots() {
        let mut plans = Plans::default();
        let mut add = || plans.add(Name::puck(0), VirtualTime::at(1.0));
        assert!((0..90).all(|action| add() == Ok(action)));
        assert!(add().is_err());
    }
}
