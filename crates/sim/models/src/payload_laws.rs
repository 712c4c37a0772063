//! What every payload must keep, for the property tests of each.

use proptest::prelude::{TestCaseError, prop_assert_eq};
use std::cmp::Ordering;
use timewarp::Payload;

pub fn encoded<P: Payload>(payload: &P) -> Vec<u8> {
    let mut bytes = Vec::new();
    payload.encode(&mut bytes);
    bytes
}

/// The typed comparison is that of the bytes.
pub fn is_ordered_as_its_bytes<P: Payload>(a: &P, b: &P) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.order(b), encoded(a).cmp(&encoded(b)));
    prop_assert_eq!(a.order(&a.clone()), Ordering::Equal);
    Ok(())
}

/// It is as long as it says, and is read as what gives the same bytes again.
pub fn is_read_as_it_was_written<P: Payload>(payload: &P) -> Result<(), TestCaseError> {
    let bytes = encoded(payload);
    prop_assert_eq!(bytes.len(), payload.bytes());
    prop_assert_eq!(P::decode(&bytes).map(|read| encoded(&read)), Some(bytes));
    Ok(())
}

/// Any bytes are refused, or read as what gives them again.
pub fn is_refused_or_itself<P: Payload>(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Some(read) = P::decode(bytes) {
        prop_assert_eq!(encoded(&read), bytes);
    }
    Ok(())
}
