//! Streams of the C library: for large transfers its own code hands the program's buffer to the
//! kernel, by a call that nobody can stand before.

use crate::hold::{in_pieces, needs};
use crate::next;
use libc::{FILE, c_int, c_void, size_t};
use std::ptr::null_mut;

macro_rules! streams {
    ($($name:ident($pointer:ty);)*) => {
        $(
            /// # Safety
            /// As for the C library's function of this name.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $name(
                buffer: $pointer, bytes: size_t, count: size_t, stream: *mut FILE,
            ) -> size_t {
                let all = bytes.saturating_mul(count);
                if !needs(buffer as usize, all) {
                    // SAFETY: the caller's own arguments.
                    return unsafe { next::$name(buffer, bytes, count, stream) };
                }
                let moved = in_pieces(buffer as usize, all, true, |at, wanted| {
                    // SAFETY: a piece of the caller's own buffer.
                    unsafe { next::$name(buffer.byte_add(at), 1, wanted, stream) }.cast_signed()
                });
                // What needs holding has bytes.
                moved.cast_unsigned() / bytes
            }
        )*
    };
}

streams! {
    fread(*mut c_void);
    fread_unlocked(*mut c_void);
    fwrite(*const c_void);
    fwrite_unlocked(*const c_void);
}

macro_rules! checked {
    ($($checked:ident => $name:ident;)*) => {
        $(
            /// What a program calls that was compiled with checks of its buffers' sizes.
            ///
            /// # Safety
            /// As for the C library's function of this name.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $checked(
                buffer: *mut c_void, room: size_t, bytes: size_t, count: size_t, stream: *mut FILE,
            ) -> size_t {
                if bytes.checked_mul(count).is_none_or(|all| all > room) {
                    // SAFETY: the caller's own arguments; the C library ends a program whose buffer
                    // is too small.
                    return unsafe { next::$checked(buffer, room, bytes, count, stream) };
                }
                // SAFETY: the caller's own arguments.
                unsafe { $name(buffer, bytes, count, stream) }
            }
        )*
    };
}

checked! {
    __fread_chk => fread;
    __fread_unlocked_chk => fread_unlocked;
}

/// A stream keeps its own buffer where the program's would have to be held all the time.
///
/// # Safety
/// As for `setvbuf(3)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn setvbuf(
    stream: *mut FILE,
    buffer: *mut i8,
    mode: c_int,
    bytes: size_t,
) -> c_int {
    let buffer = if needs(buffer as usize, bytes) { null_mut() } else { buffer };
    // SAFETY: the caller's own arguments, or none of the buffer.
    unsafe { next::setvbuf(stream, buffer, mode, bytes) }
}
