//! Operations that are under way, by their handles.

use super::check;
use crate::error::FabricError;
use crate::transports::mpi::library::{Handle, Library};
use crate::transports::mpi::process::is_over;
use std::ffi::{c_int, c_void};

/// A handle of an operation. The null handle is an operation that has ended.
#[derive(Clone, Copy)]
pub(in super::super) struct Request {
    library: &'static Library,
    handle: Handle,
}

impl Request {
    pub fn null(library: &'static Library) -> Request {
        Request { library, handle: library.constants.request_null }
    }

    /// Where a function of the library writes the handle.
    #[inline]
    pub fn place(&mut self) -> *mut Handle {
        &raw mut self.handle
    }

    #[inline]
    pub fn is_null(&self) -> bool {
        self.handle == self.library.constants.request_null
    }

    /// Whether it has ended; if so a persistent one is inactive now, any other is null. Makes
    /// progress.
    #[inline]
    pub fn test(&mut self) -> Result<bool, FabricError> {
        let place = self.place();
        // SAFETY: the handle is valid or null.
        unsafe { test(self.library, place) }
    }

    /// Start a persistent operation, which is inactive by the callers' contract.
    #[inline]
    pub fn start(&mut self) -> Result<(), FabricError> {
        // SAFETY: a persistent handle, inactive as said.
        let code = unsafe { (self.library.functions.start)(self.place()) };
        check(self.library, code, "posting a receive")
    }

    /// End it without a message. `false`: it could not be ended, its buffer belongs to MPI.
    pub fn cancel(&mut self) -> bool {
        const LOOKS: u32 = 1000;
        if self.is_null() || is_over() {
            return self.is_null();
        }
        // One whose message has come is inactive, and must not be cancelled.
        if self.test().unwrap_or(false) {
            return true;
        }
        // SAFETY: a handle that is not null and not freed.
        if unsafe { (self.library.functions.cancel)(self.place()) } != 0 {
            return false;
        }
        (0..LOOKS).any(|_| self.test().unwrap_or(false))
    }

    pub fn free(&mut self) {
        if !self.is_null() && !is_over() {
            // SAFETY: a handle that is not null; an inactive persistent one is freed at once.
            unsafe { (self.library.functions.request_free)(self.place()) };
        }
    }
}

/// Whether the operation whose handle is there has ended.
///
/// # Safety
/// There must be a handle of the library, valid or null, of the width that it has there.
#[inline]
unsafe fn test(library: &Library, place: *mut Handle) -> Result<bool, FabricError> {
    let mut done: c_int = 0;
    // SAFETY: the caller answers for the handle; the status is not asked for.
    let code =
        unsafe { (library.functions.test)(place, &raw mut done, library.constants.status_ignore) };
    check(library, code, "asking MPI for a message")?;
    Ok(done != 0)
}

/// Handles side by side, as the library wants them.
enum Handles {
    Wide(Vec<u64>),
    Narrow(Vec<u32>),
}

/// Several operations, of which MPI is asked at once.
pub(in super::super) struct Requests {
    library: &'static Library,
    handles: Handles,
    /// Where MPI says which have ended.
    ended: Vec<c_int>,
}

impl Requests {
    pub fn new(library: &'static Library, requests: impl Iterator<Item = Request>) -> Requests {
        let handles: Vec<u64> = requests.map(|request| request.handle as u64).collect();
        let ended = vec![0; handles.len()];
        let handles = match library.constants.narrow {
            true => Handles::Narrow(handles.into_iter().map(|handle| handle as u32).collect()),
            false => Handles::Wide(handles),
        };
        Requests { library, handles, ended }
    }

    pub fn len(&self) -> usize {
        self.ended.len()
    }

    #[inline]
    pub fn set(&mut self, at: usize, request: Request) {
        match &mut self.handles {
            Handles::Wide(handles) => handles[at] = request.handle as u64,
            Handles::Narrow(handles) => handles[at] = request.handle as u32,
        }
    }

    #[inline]
    pub fn is_null(&self, at: usize) -> bool {
        let null = self.library.constants.request_null;
        match &self.handles {
            Handles::Wide(handles) => handles[at] == null as u64,
            Handles::Narrow(handles) => handles[at] == null as u32,
        }
    }

    /// Ask for one that is not null: as [`Request::test`].
    #[inline]
    pub fn test(&mut self, at: usize) -> Result<bool, FabricError> {
        let place = match &mut self.handles {
            Handles::Wide(handles) => (&raw mut handles[at]).cast::<Handle>(),
            Handles::Narrow(handles) => (&raw mut handles[at]).cast::<Handle>(),
        };
        // SAFETY: a handle of the library's width, valid or null.
        unsafe { test(self.library, place) }
    }

    /// Which have ended, of those that are neither null nor inactive. Makes progress.
    #[inline]
    pub fn test_some(&mut self) -> Result<&[c_int], FabricError> {
        let mut count: c_int = 0;
        let first: *mut c_void = match &mut self.handles {
            Handles::Wide(handles) => handles.as_mut_ptr().cast(),
            Handles::Narrow(handles) => handles.as_mut_ptr().cast(),
        };
        // SAFETY: as many handles of the library's width as `ended` has places for indices, and
        // statuses are not asked for.
        let code = unsafe {
            (self.library.functions.test_some)(
                self.ended.len() as c_int,
                first,
                &raw mut count,
                self.ended.as_mut_ptr(),
                self.library.constants.status_ignore,
            )
        };
        check(self.library, code, "asking MPI for messages")?;
        // MPI_UNDEFINED (nothing is active) is negative in every library.
        Ok(&self.ended[..usize::try_from(count).unwrap_or(0)])
    }

    /// Ask for nothing any more.
    pub fn clear(&mut self) {
        self.ended.clear();
        self.handles = Handles::Wide(Vec::new());
    }
}
