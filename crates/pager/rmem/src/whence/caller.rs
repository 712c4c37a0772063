//! Who called: the nearest word on a stack that is a return address into the program.
//!
//! Frames are not unwound: that takes registers that the kernel does not tell, and tables. A
//! function that keeps nothing on its stack, as those that copy memory, has its return address as
//! the first word.

use super::code::{Code, Spot};
use crate::own_memory::read_memory;

/// Bytes of the stack that are searched.
const BYTES: usize = 2048;
/// The longest call instruction.
const CALL_BYTES: usize = 7;

/// The call into which the stack that ends at `stack` leads. Nothing is read there of which
/// `paged` says that a part may be paged.
pub fn nearest(stack: usize, code: &Code, paged: impl Fn(usize, usize) -> bool) -> Option<Spot> {
    if !cfg!(target_arch = "x86_64") || paged(stack, BYTES) {
        return None;
    }
    let mut bytes = [0; BYTES];
    let read = read_memory(stack, &mut bytes);
    let words = bytes[..read].as_chunks().0.iter().map(|word| usize::from_ne_bytes(*word));
    words.filter_map(|word| Some((word, code.program_spot(word)?))).find_map(|(word, mut spot)| {
        // The call itself: what it returns to may be another line.
        spot.offset = spot.offset.saturating_sub(1);
        follows_a_call(word).then_some(spot)
    })
}

/// Whether the instruction before an address is a call.
fn follows_a_call(address: usize) -> bool {
    let mut before = [0; CALL_BYTES];
    read_memory(address.saturating_sub(CALL_BYTES), &mut before) == CALL_BYTES
        && ends_in_a_call(&before)
}

/// E8 and four bytes, or FF with the operation 2 and up to five bytes more (Intel SDM, CALL).
fn ends_in_a_call(before: &[u8; CALL_BYTES]) -> bool {
    let direct = before[2] == 0xe8;
    let indirect = before.windows(2).any(|two| two[0] == 0xff && two[1] >> 3 & 7 == 2);
    direct || indirect
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_other_instructions() {
        let calls: [&[u8]; 4] = [
            &[0xe8, 1, 2, 3, 4],
            &[0xff, 0xd0],
            &[0xff, 0x15, 1, 2, 3, 4],
            &[0x41, 0xff, 0x94, 0xc1, 1, 2, 3],
        ];
        let ending = |bytes: &[u8]| {
            let mut before = [0x90; CALL_BYTES];
            let bytes = &bytes[bytes.len().saturating_sub(CALL_BYTES)..];
            before[CALL_BYTES - bytes.len()..].copy_from_slice(bytes);
            ends_in_a_call(&before)
        };
        assert!(calls.iter().all(|call| ending(call)));
        let jump: &[u8] = &[0xff, 0xe0];
        assert!(!ending(&[0x90]) && !ending(jump) && !ending(&[0xe9, 1, 2, 3, 4]));
    }

    #[test]
    fn paged_memory_and_what_is_not_there_are_not_read() {
        let mut code = Code::default();
        code.spot(0);
        let word = &raw const code as usize;
        assert_eq!(nearest(word, &code, |_, _| true), None);
        assert_eq!(nearest(16, &code, |_, _| false), None);
    }
}
