//! Functions of the interpreter, found in the program that has it. Extensions find them in the same
//! scope; one that has not all of them (PyPy) is left alone.

use std::ffi::{CStr, c_void};

/// An object, or a thread's state: the interpreter's own.
pub type Pointer = *mut c_void;

/// The interpreter's function `name`, as what it is.
///
/// # Safety
/// `F` must be the type of a pointer to that function.
pub unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: a terminated name; the loader's own search.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: the caller says that it is a pointer, and of what; it is not null.
    (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
}

/// Fill a struct of functions, each under its name; `None` if one is missing. The types are those
/// of the struct's fields.
macro_rules! functions {
    ($type:ident { $($field:ident: $name:literal $(or $other:literal)?),* $(,)? }) => {
        $type {
            $(
                // SAFETY: the field's type is that of the function in Python's C API.
                $field: unsafe { $crate::python::capi::function($name) }
                    // SAFETY: the same.
                    $(.or_else(|| unsafe { $crate::python::capi::function($other) }))??,
            )*
        }
    };
}
pub(crate) use functions;
