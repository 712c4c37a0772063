//! A call on its way from the program to its MPI library.

use crate::frame::Frame;
use crate::library;
use calls::list::{ARGUMENTS, COUNT};
use std::cell::Cell;

/// A call of the program.
pub struct Invocation {
    /// Its function.
    pub operation: usize,
    /// Its arguments.
    pub frame: Frame,
    result: Cell<Option<usize>>,
    /// An argument that the tracer has put its own in for: the place, and what was there.
    replaced: Cell<Option<(usize, usize)>>,
}

impl Invocation {
    /// The call of function `operation` with the arguments in `frame`; it has not been made.
    #[inline(always)]
    pub fn new(operation: usize, frame: Frame) -> Invocation {
        Invocation { operation, frame, result: Cell::new(None), replaced: Cell::new(None) }
    }

    /// The function once more, as an index that needs no check.
    #[inline(always)]
    pub fn function(&self) -> usize {
        // SAFETY: trampolines name functions of the list, and nobody changes it.
        unsafe { std::hint::assert_unchecked(self.operation < COUNT) };
        self.operation
    }

    /// What it returned, if it has been made.
    pub fn result(&self) -> Option<usize> {
        self.result.get()
    }

    /// Make the call, once.
    #[inline(always)]
    pub fn call(&self) -> usize {
        let operation = self.function();
        let function = library::function(operation);
        // SAFETY: the library's function of the same name, with as many arguments as it takes.
        let result = unsafe { self.frame.call(function, ARGUMENTS[operation]) };
        if let Some((place, word)) = self.replaced.get() {
            self.replaced.set(None);
            self.frame.set(place, word);
        }
        self.result.set(Some(result));
        result
    }

    /// Whether the call, which has been made, returned an error.
    #[inline(always)]
    pub fn failed(&self) -> bool {
        self.result.get().is_none_or(|result| result as i32 != 0)
    }

    /// Give the library another word in an argument's place, until it has been called.
    #[inline(always)]
    pub fn replace(&self, place: usize, word: usize) {
        self.replaced.set(Some((place, self.frame.at(place))));
        self.frame.set(place, word);
    }

    /// What the call returned: 0, or the library's number of an error.
    pub fn code(&self) -> i32 {
        self.result.get().map_or(0, |result| result as i32)
    }
}
