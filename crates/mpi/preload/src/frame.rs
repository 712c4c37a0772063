//! The arguments of a call, as the trampolines lay them out.

/// Where the return address is: behind the six arguments that come in registers.
pub const RETURN_ADDRESS: usize = 6;
/// Most arguments that a function of the list has.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub const ARGUMENTS_MAX: usize = 13;

/// A row of words: six arguments, the return address, the other arguments.
#[derive(Clone, Copy)]
pub struct Frame(*mut usize);

/// Place in the row of argument `number`.
pub const fn place(number: usize) -> usize {
    if number < RETURN_ADDRESS { number } else { number + 1 }
}

/// A row of arguments whose caller is not known.
#[cfg(not(target_arch = "x86_64"))]
pub fn row(arguments: &[usize]) -> [usize; ARGUMENTS_MAX + 1] {
    let mut row = [0; ARGUMENTS_MAX + 1];
    arguments.iter().enumerate().for_each(|(number, argument)| row[place(number)] = *argument);
    row
}

impl Frame {
    /// The row at `start`.
    ///
    /// # Safety
    /// `start` must be a row as a trampoline makes it, and stay so while this value is used.
    pub unsafe fn new(start: *mut usize) -> Frame {
        Frame(start)
    }

    /// The word at a place that [`place`] gave for one of the function's own arguments, or
    /// [`RETURN_ADDRESS`].
    #[inline(always)]
    pub fn at(&self, place: usize) -> usize {
        // SAFETY: the row holds every argument of the function, and places are made from its list
        // of arguments.
        unsafe { *self.0.add(place) }
    }

    /// Where the return address is: on x86-64 where the caller's call put it, on the stack.
    #[inline(always)]
    pub fn return_address_at(&self) -> *const usize {
        self.0.wrapping_add(RETURN_ADDRESS)
    }

    /// Put another word in an argument's place.
    #[inline(always)]
    pub fn set(&self, place: usize, word: usize) {
        // SAFETY: as in `at`; the row is the trampoline's own copy, or the argument area of the
        // stack, which belongs to the callee.
        unsafe { *self.0.add(place) = word }
    }

    /// Call `function`, which takes `arguments` arguments, with those of the row.
    ///
    /// # Safety
    /// `function` must be the function whose arguments these are.
    #[inline(always)]
    pub unsafe fn call(&self, function: usize, arguments: usize) -> usize {
        macro_rules! with {
            ($($number:literal)*) => {{
                type Function = unsafe extern "C" fn($(with!(@word $number)),*) -> usize;
                // SAFETY: the caller says that `function` is a C function of this many words.
                let function = unsafe { core::mem::transmute::<usize, Function>(function) };
                // SAFETY: the same.
                unsafe { function($(self.at(place($number))),*) }
            }};
            (@word $number:literal) => { usize };
        }
        match arguments {
            // A function that takes fewer does not look at the rest of the registers.
            0..=6 => with!(0 1 2 3 4 5),
            7 => with!(0 1 2 3 4 5 6),
            8 => with!(0 1 2 3 4 5 6 7),
            9 => with!(0 1 2 3 4 5 6 7 8),
            10 => with!(0 1 2 3 4 5 6 7 8 9),
            11 => with!(0 1 2 3 4 5 6 7 8 9 10),
            12 => with!(0 1 2 3 4 5 6 7 8 9 10 11),
            _ => with!(0 1 2 3 4 5 6 7 8 9 10 11 12),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_has_room_for_every_function() {
        assert_eq!(calls::list::ARGUMENTS.iter().max(), Some(&ARGUMENTS_MAX));
    }

    #[test]
    fn arguments_arrive_in_their_order_on_both_sides_of_the_return_address() {
        extern "C" fn digits(
            a: usize,
            b: usize,
            c: usize,
            d: usize,
            e: usize,
            f: usize,
            g: usize,
            h: usize,
        ) -> usize {
            [a, b, c, d, e, f, g, h].iter().fold(0, |number, digit| number * 10 + digit)
        }
        let mut words = [1, 2, 3, 4, 5, 6, 99, 7, 8];
        // SAFETY: the array is a row of eight arguments.
        let frame = unsafe { Frame::new(words.as_mut_ptr()) };
        let function: extern "C" fn(
            usize,
            usize,
            usize,
            usize,
            usize,
            usize,
            usize,
            usize,
        ) -> usize = digits;
        // SAFETY: `digits` takes eight words.
        assert_eq!(unsafe { frame.call(function as usize, 8) }, 12_345_678);
    }
}
