//! How many copies of states a run made, where it made fewer than one an event.

use crate::Objects;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use timewarp::{ObjectId, Outcome};

/// Copies of the states of one kind of objects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindCopies {
    /// Which kind.
    pub kind: String,
    /// Events executed, those undone included.
    pub executed: u64,
    /// Copies made before them.
    pub copies: u64,
}

impl KindCopies {
    /// Where a result has them.
    pub const KEY: &'static str = "state_copies";

    /// Of each kind that did not have a copy for every event, in the order of the kinds' names. A
    /// run in order makes no copies at all, and has none of this.
    pub fn of(objects: &dyn Objects, outcome: &Outcome) -> Vec<KindCopies> {
        let mut kinds: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (object, counters) in &outcome.objects {
            let (executed, copies) = kinds.entry(objects.kind_of(ObjectId(*object))).or_default();
            *executed += counters.started;
            *copies += counters.copies;
        }
        let fewer =
            kinds.into_iter().filter(|(_, (executed, copies))| (1..*executed).contains(copies));
        fewer
            .map(|(kind, (executed, copies))| KindCopies { kind: kind.into(), executed, copies })
            .collect()
    }

    /// Events for each copy.
    pub fn events_each(&self) -> f64 {
        self.executed as f64 / self.copies as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::Told;
    use timewarp::Counters;

    /// Objects whose kinds are these.
    struct Kinds(&'static [&'static str]);

    impl Objects for Kinds {
        fn count(&self) -> u32 {
            self.0.len() as u32
        }

        fn name_of(&self, object: ObjectId) -> String {
            object.0.to_string()
        }

        fn kind_of(&self, object: ObjectId) -> &'static str {
            self.0[object.0 as usize]
        }

        fn told(&self) -> Vec<Told> {
            Vec::new()
        }
    }

    #[test]
    fn kinds_with_fewer_copies_than_events_are_told() {
        let kinds = Kinds(&["large", "small", "large", "idle", "in order"]);
        let counted = [(60, 20), (50, 50), (30, 25), (0, 0), (9, 0)];
        let of = |(started, copies)| Counters { started, copies, ..Counters::default() };
        let objects = (0..).zip(counted.map(of)).collect();
        let outcome = Outcome { objects, ..Outcome::default() };
        let found = KindCopies::of(&kinds, &outcome);
        assert_eq!(found, [KindCopies { kind: "large".into(), executed: 90, copies: 45 }]);
        assert_eq!(found[0].events_each(), 2.0);
    }
}
