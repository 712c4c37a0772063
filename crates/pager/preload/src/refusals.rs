//! What paged memory cannot do, and a program must not believe to have.
//!
//! Locked memory: it would have to stay, which is what paging is against.

use crate::paged::table;
use crate::state::{Owner, is_on, mapping_owner, running};
use crate::{raw, say};
use interpose::errno;
use libc::{c_int, c_uint, c_void, size_t};
use std::sync::atomic::AtomicBool;

/// Say the first time that the program asks for something which paged memory has not.
pub fn refuse(said: &AtomicBool, what: &str) {
    say::once(
        said,
        format_args!(
            "{what} is refused, because paged memory does not support it; run the program with a \
            larger --threshold, so that this memory stays local"
        ),
    );
}

/// # Safety
/// As for `mlock(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mlock(address: *const c_void, bytes: size_t) -> c_int {
    // SAFETY: the caller's own arguments.
    unsafe { mlock2(address, bytes, 0) }
}

/// # Safety
/// As for `mlock2(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mlock2(address: *const c_void, bytes: size_t, flags: c_uint) -> c_int {
    static SAID: AtomicBool = AtomicBool::new(false);
    if let Owner::Engine(_) = mapping_owner(address as usize, bytes)
        && is_paged(address as usize, bytes)
    {
        refuse(&SAID, "mlock of paged memory");
        return no_memory();
    }
    // SAFETY: the caller's own arguments.
    unsafe { raw::mlock(address, bytes, flags.cast_signed()) }
}

/// # Safety
/// As for `mlockall(2)`. Refused as soon as memory is paged or may be later.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mlockall(flags: c_int) -> c_int {
    static SAID: AtomicBool = AtomicBool::new(false);
    if running().is_some() || is_on() && flags & libc::MCL_FUTURE != 0 {
        refuse(&SAID, "mlockall");
        return no_memory();
    }
    // SAFETY: the caller's own arguments.
    unsafe { raw::mlockall(flags) }
}

/// Whether any part is paged now: the engine has more addresses than memory.
fn is_paged(address: usize, bytes: usize) -> bool {
    !table().paged((address, bytes)).is_empty()
}

fn no_memory() -> c_int {
    errno::set(libc::ENOMEM);
    -1
}
