//! The keys that a door accepts: one, or several while people move from an old key to a new one.
//!
//! A door tries each of them on a hello, so their number is bounded: a stranger costs a door at
//! most [`KeyRing::MOST`] times what it costs one with a single key.

use crate::key::{KeyError, RunKey};
use std::sync::{Arc, Mutex, PoisonError};

/// Keys of which whoever connects must hold one. Clones share them: what
/// [`replace`](KeyRing::replace) puts in is what every hello is tried with from then on.
#[derive(Clone, Debug)]
pub struct KeyRing(Arc<Mutex<Arc<[RunKey]>>>);

impl KeyRing {
    /// Most keys at a time.
    pub const MOST: usize = 8;

    /// A ring of these.
    ///
    /// # Errors
    /// When there is none, or more than [`KeyRing::MOST`].
    pub fn new(keys: Vec<RunKey>) -> Result<KeyRing, KeyError> {
        Ok(KeyRing(Arc::new(Mutex::new(checked(keys)?))))
    }

    /// From now on these are accepted, and no others. Who was let in before is not concerned.
    ///
    /// # Errors
    /// As for [`KeyRing::new`]; then the ring stays as it was.
    pub fn replace(&self, keys: Vec<RunKey>) -> Result<(), KeyError> {
        let keys = checked(keys)?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    /// Those that are accepted now: at least one.
    pub(crate) fn now(&self) -> Arc<[RunKey]> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl From<RunKey> for KeyRing {
    fn from(key: RunKey) -> KeyRing {
        KeyRing(Arc::new(Mutex::new(Arc::new([key]))))
    }
}

impl From<&RunKey> for KeyRing {
    fn from(key: &RunKey) -> KeyRing {
        KeyRing::from(key.clone())
    }
}

fn checked(keys: Vec<RunKey>) -> Result<Arc<[RunKey]>, KeyError> {
    match keys.len() {
        0 => Err(KeyError::Missing),
        1..=KeyRing::MOST => Ok(keys.into()),
        given => Err(KeyError::TooMany { given, most: KeyRing::MOST }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: usize) -> Vec<RunKey> {
        (0..count).map(|_| RunKey::generate().unwrap()).collect()
    }

    #[test]
    fn a_ring_holds_at_least_one_key_and_not_too_many() {
        assert!(matches!(KeyRing::new(keys(0)), Err(KeyError::Missing)));
        let error = KeyRing::new(keys(KeyRing::MOST + 1)).unwrap_err();
        assert!(
            error.to_string().contains("9 run keys") && error.to_string().contains("at most 8")
        );
        assert_eq!(KeyRing::new(keys(KeyRing::MOST)).unwrap().now().len(), KeyRing::MOST);
    }

    #[test]
    fn clones_share_what_is_put_in_and_a_bad_replacement_changes_nothing() {
        let (old, new) = (keys(1), keys(2));
        let ring = KeyRing::new(old.clone()).unwrap();
        let shared = ring.clone();
        assert!(ring.replace(Vec::new()).is_err() && ring.replace(keys(9)).is_err());
        assert_eq!(shared.now()[..], old[..]);
        ring.replace(new.clone()).unwrap();
        assert_eq!(shared.now()[..], new[..]);
    }
}
