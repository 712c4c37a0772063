//! What objects are known by.

/// An object's number: its place in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The sender of configuration messages.
    pub const CONFIGURATION: ObjectId = ObjectId(u32::MAX);

    /// Its place in canonical order, where configuration comes before all objects.
    #[inline]
    pub(crate) fn rank(self) -> i64 {
        if self == ObjectId::CONFIGURATION { -1 } else { i64::from(self.0) }
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
