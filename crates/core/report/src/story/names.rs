//! What the objects of a simulation are called.

use std::collections::BTreeMap;

/// The names of objects; those without one are called by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectNames {
    names: BTreeMap<i64, String>,
}

impl ObjectNames {
    /// With these names, in the order of the objects' numbers. A name that is only the number says
    /// nothing more.
    pub fn new(names: impl IntoIterator<Item = String>) -> ObjectNames {
        let numbered = (0i64..).zip(names).filter(|(number, name)| *name != number.to_string());
        ObjectNames { names: numbered.collect() }
    }

    /// Its name, if it has one.
    pub fn name(&self, object: i64) -> Option<&str> {
        self.names.get(&object).map(String::as_str)
    }

    /// `object 3`, or its name.
    pub(super) fn of(&self, object: i64) -> String {
        self.name(object).map_or_else(|| format!("object\u{a0}{object}"), str::to_owned)
    }

    /// The same where the object may not be known.
    pub(super) fn of_some(&self, object: Option<i64>) -> String {
        object.map_or_else(|| "an object".to_owned(), |object| self.of(object))
    }
}
