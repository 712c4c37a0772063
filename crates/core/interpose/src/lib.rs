//! What libraries that are loaded before a program (`LD_PRELOAD`) share: finding the functions that
//! theirs stand before, leaving `errno` as the program expects it, and the limit of its files.
//!
//! `dlsym` may allocate while it looks for a function. A library that stands before the allocator
//! names a function that needs no looking up, which serves meanwhile.

pub mod errno;
pub mod limit;

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Declare functions of the same name behind this library in the loader's order: each is looked up
/// when it is first called, and kept. `$abi` is their calling convention, `$missing` is told the
/// name of one that there is none of, and does not return.
/// `look_all_up` looks all of them up at once.
#[macro_export]
macro_rules! functions {
    (abi $abi:literal, missing $missing:path; $(
        $name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty)?
            $(, meanwhile $meanwhile:ident)?;
    )*) => {
        $(
            /// The function of that name.
            ///
            /// # Safety
            /// As for the function itself.
            #[inline(always)]
            #[allow(clippy::too_many_arguments, reason = "they are the C library's")]
            pub unsafe fn $name($($argument: $kind),*) $(-> $result)? {
                type Function = unsafe extern $abi fn($($kind),*) $(-> $result)?;
                // Apart, so that whoever calls the function has nothing else there.
                #[cold]
                #[inline(never)]
                fn looked_up() -> usize {
                    let meanwhile: Option<usize> =
                        None$(.or(Some($meanwhile as *const () as usize)))?;
                    match $crate::find($crate::name!($name), &found::$name, meanwhile) {
                        Some(address) => address,
                        None => $missing($crate::name!($name)),
                    }
                }
                let address = match found::$name.load(std::sync::atomic::Ordering::Relaxed) {
                    0 => looked_up(),
                    address => address,
                };
                // SAFETY: found under this name, and this is the function's type.
                let function = unsafe { core::mem::transmute::<usize, Function>(address) };
                // SAFETY: the caller answers for the arguments.
                unsafe { function($($argument),*) }
            }
        )*
        /// Where each function is; 0 before it has been looked up.
        #[allow(non_upper_case_globals, reason = "named like the functions")]
        mod found {
            $(pub static $name: std::sync::atomic::AtomicUsize =
                std::sync::atomic::AtomicUsize::new(0);)*
        }
        /// Look up all functions that there are, so that none is looked up in a signal handler.
        #[allow(dead_code, reason = "not every library is called in one")]
        pub fn look_all_up() {
            $($crate::find($crate::name!($name), &found::$name, None);)*
        }
    };
}

/// An identifier as a C string.
#[macro_export]
macro_rules! name {
    ($name:ident) => {
        match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => unreachable!(),
        }
    };
}

/// Look a function up, and keep it. `meanwhile` serves whoever asks while it is looked for, and
/// where there is none.
#[cold]
pub fn find(name: &CStr, found: &AtomicUsize, meanwhile: Option<usize>) -> Option<usize> {
    static LOOKING: AtomicBool = AtomicBool::new(false);
    if let Some(meanwhile) = meanwhile
        && LOOKING.swap(true, Ordering::Acquire)
    {
        return Some(meanwhile);
    }
    // SAFETY: a terminated string; RTLD_NEXT asks the objects that come after this one.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) } as usize;
    if meanwhile.is_some() {
        LOOKING.store(false, Ordering::Release);
    }
    let address = if address == 0 { meanwhile } else { Some(address) };
    if let Some(address) = address {
        found.store(address, Ordering::Relaxed);
    }
    address
}
