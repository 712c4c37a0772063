//! The functions of MPI that we call, and how.
//!
//! One signature serves all libraries: a handle is passed as a word of 64 bits. Open MPI's and the
//! standard ABI's are pointers; MPICH's are ints, which its functions read as the lower half of the
//! register or of the place on the stack (x86-64 and aarch64, Linux). Where a library writes a
//! handle, it writes the lower half of a word whose upper half is zero.

use std::ffi::{CStr, c_char, c_int, c_void};

/// A handle, as wide as the widest of them.
pub(in super::super) type Handle = usize;

/// Whether it is so on this machine.
pub(in super::super) const FITS: bool =
    cfg!(all(target_pointer_width = "64", target_endian = "little"));

macro_rules! functions {
    ($($field:ident: $name:literal($($argument:ty),*);)*) => {
        /// Functions of a loaded library.
        pub(in super::super) struct Functions {
            $(pub $field: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            /// Where `symbol` says they are.
            ///
            /// # Errors
            /// The name of the first that is missing.
            pub fn find(symbol: impl Fn(&CStr) -> *mut c_void) -> Result<Functions, &'static str> {
                $(
                    let address = symbol($name);
                    if address.is_null() {
                        return Err($name.to_str().unwrap_or_default());
                    }
                    // SAFETY: the symbol of this name is a function with these arguments: the
                    // standard says so, but for the width of handles (see above).
                    let $field = unsafe {
                        std::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($argument),*) -> c_int,
                        >(address)
                    };
                )*
                Ok(Functions { $($field),* })
            }
        }
    };
}

functions! {
    initialized: c"MPI_Initialized"(*mut c_int);
    init_thread: c"MPI_Init_thread"(*mut c_int, *mut c_void, c_int, *mut c_int);
    finalize: c"MPI_Finalize"();
    abort: c"MPI_Abort"(Handle, c_int);
    get_library_version: c"MPI_Get_library_version"(*mut c_char, *mut c_int);
    error_string: c"MPI_Error_string"(c_int, *mut c_char, *mut c_int);
    comm_rank: c"MPI_Comm_rank"(Handle, *mut c_int);
    comm_size: c"MPI_Comm_size"(Handle, *mut c_int);
    comm_idup: c"MPI_Comm_idup"(Handle, *mut Handle, *mut Handle);
    comm_set_errhandler: c"MPI_Comm_set_errhandler"(Handle, Handle);
    comm_free: c"MPI_Comm_free"(*mut Handle);
    barrier: c"MPI_Barrier"(Handle);
    ibarrier: c"MPI_Ibarrier"(Handle, *mut Handle);
    bcast: c"MPI_Bcast"(*mut c_void, c_int, Handle, c_int, Handle);
    iallgather: c"MPI_Iallgather"(
        *const c_void, c_int, Handle, *mut c_void, c_int, Handle, Handle, *mut Handle
    );
    isend: c"MPI_Isend"(*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    irecv: c"MPI_Irecv"(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    recv_init: c"MPI_Recv_init"(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    start: c"MPI_Start"(*mut Handle);
    // Statuses are never asked for: their pointer is the library's constant that says so.
    test: c"MPI_Test"(*mut Handle, *mut c_int, usize);
    test_some: c"MPI_Testsome"(c_int, *mut c_void, *mut c_int, *mut c_int, usize);
    cancel: c"MPI_Cancel"(*mut Handle);
    request_free: c"MPI_Request_free"(*mut Handle);
}
