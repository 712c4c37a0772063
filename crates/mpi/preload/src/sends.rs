//! Blocking sends that are made time after time from the same place with the same arguments: what
//! the log says of one is then known without looking anything up.

use crate::invocation::Invocation;
use crate::log::Pending;

/// Sends that are remembered at a time.
const REMEMBERED: usize = 64;
/// What an entry follows from: all arguments but the first, which is the buffer.
const ARGUMENTS: [usize; 5] = [1, 2, 3, 4, 5];

/// The last send of each place, as far as there is room.
pub struct Sends {
    last: [Send; REMEMBERED],
}

#[derive(Clone, Copy, Default)]
struct Send {
    site: u32,
    operation: u16,
    thread: u8,
    /// As they came in: where a C int has other bits above it, it is another send.
    arguments: [usize; ARGUMENTS.len()],
    pending: Pending,
}

impl Sends {
    /// None yet.
    pub fn new() -> Sends {
        Sends { last: [Send::default(); REMEMBERED] }
    }

    /// How the last send like this one was written down, if it is remembered.
    #[inline(always)]
    pub fn find(&self, call: &Invocation, site: u32, thread: u8) -> Option<Pending> {
        let last = &self.last[site as usize % REMEMBERED];
        let is_same = last.site == site
            && usize::from(last.operation) == call.operation
            && last.thread == thread
            && ARGUMENTS
                .iter()
                .zip(&last.arguments)
                .all(|(at, argument)| call.frame.at(*at) == *argument);
        is_same.then_some(last.pending)
    }

    /// This send was written down so.
    pub fn remember(&mut self, call: &Invocation, site: u32, thread: u8, pending: Pending) {
        let operation = call.operation as u16;
        let arguments = ARGUMENTS.map(|at| call.frame.at(at));
        self.last[site as usize % REMEMBERED] =
            Send { site, operation, thread, arguments, pending };
    }

    /// A handle was freed: it may be another's next.
    pub fn forget(&mut self) {
        self.last = [Send::default(); REMEMBERED];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use calls::list::{CLASSES, Class, SIGNATURES};

    #[test]
    fn all_sends_have_the_arguments_that_are_compared() {
        let sends = SIGNATURES.iter().zip(CLASSES).filter(|(_, class)| **class == Class::Send);
        for (signature, _) in sends {
            let names: Vec<&str> = signature.iter().map(|argument| argument.name).collect();
            assert_eq!(names, ["buf", "count", "datatype", "dest", "tag", "comm"]);
        }
    }

    #[test]
    fn a_send_that_differs_in_anything_but_its_buffer_is_another() {
        let mut sends = Sends::new();
        let mut words = [90, 8, 77, 1, 5, 44];
        // SAFETY: the array is a row of six arguments.
        let call = Invocation::new(0, unsafe { Frame::new(words.as_mut_ptr()) });
        sends.remember(&call, 3, 0, Pending::default());
        call.frame.set(0, 91);
        assert!(sends.find(&call, 3, 0).is_some(), "another buffer");
        assert!(sends.find(&call, 3 + REMEMBERED as u32, 0).is_none(), "another place");
        assert!(sends.find(&call, 3, 1).is_none(), "another thread");
        for at in ARGUMENTS {
            let before = call.frame.at(at);
            call.frame.set(at, before + 1);
            assert!(sends.find(&call, 3, 0).is_none(), "argument {at}");
            call.frame.set(at, before);
        }
        assert!(sends.find(&call, 3, 0).is_some());
        sends.forget();
        assert!(sends.find(&call, 3, 0).is_none());
    }
}
