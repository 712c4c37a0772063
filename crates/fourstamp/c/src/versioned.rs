//! Structs that say their size, so that a program may be older or newer than the library.
//!
//! Members are only ever added at the end, and zero in one means what was before it came. So an
//! older program's struct is filled up with zeros; a newer program's must have zeros where this
//! library knows nothing.

use crate::failure::{Code, Failure};

/// A struct of the header that begins with its size.
///
/// # Safety
/// The type is `repr(C)`, its first member is its size as `usize`, it has no padding, and all bytes
/// zero are a value of it.
pub unsafe trait Versioned: Copy {
    /// Its name in the header.
    const NAME: &str;
    /// Its size in the first version that had it.
    const FIRST_BYTES: usize;
}

/// No version will have so long a struct: a larger size is one that was never set.
const BYTES_MAX: usize = 4096;

/// What C gives; all zero where it gives none.
///
/// # Safety
/// `given` is null, or points to as many bytes as its size says.
pub unsafe fn read<T: Versioned>(given: *const T) -> Result<T, Failure> {
    // SAFETY: all zero is a value of such a type.
    let mut known: T = unsafe { std::mem::zeroed() };
    if given.is_null() {
        return Ok(known);
    }
    // SAFETY: the caller's promise.
    let given = unsafe { std::slice::from_raw_parts(given.cast::<u8>(), size_of_given(given)?) };
    let (first, beyond) = given.split_at(given.len().min(size_of::<T>()));
    if beyond.iter().any(|byte| *byte != 0) {
        return Err(newer::<T>());
    }
    // SAFETY: both are at least that long, and any bytes are a value of the integers and pointers
    // that such a type is made of.
    unsafe { (&raw mut known).cast::<u8>().copy_from(first.as_ptr(), first.len()) };
    Ok(known)
}

/// Gives C what it has room for.
///
/// # Safety
/// `room` is null, or points to as many bytes as its size says, which nobody else uses.
pub unsafe fn write<T: Versioned>(room: *mut T, value: &T) -> Result<(), Failure> {
    if room.is_null() {
        return Err(Failure::null(T::NAME));
    }
    // SAFETY: the caller's promise.
    let size = unsafe { size_of_given(room) }?;
    // The size stays as the program has set it.
    let from = size_of::<usize>();
    let upto = size.min(size_of::<T>());
    // SAFETY: both have `upto` bytes, the room has `size`.
    unsafe {
        let (room, value) = (room.cast::<u8>(), (&raw const *value).cast::<u8>());
        room.add(from).copy_from(value.add(from), upto - from);
        room.add(upto).write_bytes(0, size - upto);
    }
    Ok(())
}

/// # Safety
/// `given` points to a size.
unsafe fn size_of_given<T: Versioned>(given: *const T) -> Result<usize, Failure> {
    // SAFETY: the caller's promise; it need not be aligned.
    let size = unsafe { given.cast::<usize>().read_unaligned() };
    if (T::FIRST_BYTES..=BYTES_MAX).contains(&size) {
        return Ok(size);
    }
    let (name, first) = (T::NAME, T::FIRST_BYTES);
    let text = format!(
        "{name} says that it has {size} bytes, but has {first} at least; begin with \
        {}_INIT",
        name.to_uppercase()
    );
    Err(Failure::new(Code::Size, text))
}

#[cold]
fn newer<T: Versioned>() -> Failure {
    let text = format!(
        "{} asks for something that libfourstamp {} does not know; run the program with the \
        library of its header, or leave the newer members zero",
        T::NAME,
        env!("CARGO_PKG_VERSION")
    );
    Failure::new(Code::Size, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The struct as this library knows it, as an older program does, and as a newer one.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Known {
        size: usize,
        first: u64,
        second: u64,
    }

    // SAFETY: all of the above.
    unsafe impl Versioned for Known {
        const NAME: &str = "known";
        const FIRST_BYTES: usize = 16;
    }

    fn given(words: &[usize]) -> Result<Known, Code> {
        // SAFETY: the tests below give as many bytes as they say, or a size that is refused.
        unsafe { read(words.as_ptr().cast::<Known>()) }.map_err(|failure| failure.code)
    }

    #[test]
    fn older_and_newer_structs_are_read_and_what_is_not_known_is_refused() {
        assert_eq!(given(&[16, 5]), Ok(Known { size: 16, first: 5, second: 0 }));
        assert_eq!(given(&[24, 5, 6]), Ok(Known { size: 24, first: 5, second: 6 }));
        assert_eq!(given(&[32, 5, 6, 0]), Ok(Known { size: 32, first: 5, second: 6 }));
        for wrong in [&[32, 5, 6, 1][..], &[0, 5], &[8], &[4097], &[usize::MAX]] {
            assert_eq!(given(wrong), Err(Code::Size), "{wrong:?}");
        }
    }

    #[test]
    fn a_struct_is_written_as_far_as_the_program_has_room() {
        let value = Known { size: 24, first: 5, second: 6 };
        for (before, after) in [
            ([16, 1, 1, 1], [16, 5, 1, 1]),
            ([24, 1, 1, 1], [24, 5, 6, 1]),
            ([32, 1, 1, 1], [32, 5, 6, 0]),
        ] {
            let mut room: [usize; 4] = before;
            // SAFETY: the room is as large as it says.
            unsafe { write(room.as_mut_ptr().cast::<Known>(), &value) }.unwrap();
            assert_eq!(room, after);
        }
    }
}
