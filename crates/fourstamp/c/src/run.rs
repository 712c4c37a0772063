//! The run folder, for C.

use crate::failure::{Code, Failure, call};
use crate::handle::{Handle, Kind};
use crate::text;
use crate::versioned::{self, Versioned};
use record::{RunFolder, RunInfo};
use std::ffi::{c_char, c_int};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What a `fourstamp_run` holds: any thread may use it, and closing takes it out.
pub struct Run(Mutex<Option<RunFolder>>);

impl Kind for Run {
    const WORD: u64 = u64::from_le_bytes(*b"4stRun.\x01");
    const NAME: &str = "run";
}

/// `fourstamp_run_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RunOptions {
    pub size: usize,
    pub workload: *const c_char,
    pub transport: *const c_char,
}

// SAFETY: it is C's, begins with its size, has words alone, and null pointers are pointers.
unsafe impl Versioned for RunOptions {
    const NAME: &str = "fourstamp_run_options";
    const FIRST_BYTES: usize = 24;
}

impl Run {
    fn publish(folder: RunFolder) -> *mut Handle<Run> {
        Handle::publish(Run(Mutex::new(Some(folder))))
    }

    /// Does something with the folder.
    pub fn with<T>(
        &self,
        what: impl FnOnce(&RunFolder) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        // A panic while it was held has become an error of that call; the folder is as it was.
        let folder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have closed it since it was found open.
        what(folder.as_ref().ok_or_else(closed)?)
    }

    fn take(&self) -> Result<RunFolder, Failure> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(closed)
    }
}

#[cold]
fn closed() -> Failure {
    Failure::new(Code::Closed, "the run was closed before")
}

/// Makes a run: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_create(
    path: *const c_char,
    options: *const RunOptions,
    run: *mut *mut Handle<Run>,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise, here and below.
        let (path, room) = unsafe { (text::path(path)?, room(run, "run")?) };
        // SAFETY: as above.
        let options = unsafe { versioned::read(options) }?;
        // SAFETY: as above.
        let (workload, transport) =
            unsafe { (text::words(options.workload), text::words(options.transport)) };
        let mut info = RunInfo::new(&workload.unwrap_or_else(program));
        info.transport = transport.unwrap_or_default();
        *room = Run::publish(RunFolder::create(path, info)?);
        Ok(())
    })
}

/// Joins a run: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_join(path: *const c_char, run: *mut *mut Handle<Run>) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let (path, room) = unsafe { (text::path(path)?, room(run, "run")?) };
        *room = Run::publish(RunFolder::join(path)?);
        Ok(())
    })
}

/// The end of a process's part: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_leave(run: *mut Handle<Run>) -> c_int {
    // SAFETY: the caller's promise.
    call(|| unsafe { Handle::close(run) }?.take().map(drop))
}

/// Closes a run: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_close(run: *mut Handle<Run>, messages: *mut u64) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let rows = unsafe { Handle::close(run) }?.take()?.close()?.rows();
        // SAFETY: the caller's promise.
        if let Some(messages) = unsafe { messages.as_mut() } {
            *messages = rows;
        }
        Ok(())
    })
}

/// Where a handle is to be put.
///
/// # Safety
/// `given` is null, or points to a pointer that nobody else uses.
pub unsafe fn room<'a, T>(given: *mut *mut T, what: &str) -> Result<&'a mut *mut T, Failure> {
    // SAFETY: the caller's promise.
    unsafe { given.as_mut() }.ok_or_else(|| Failure::null(what))
}

/// The file name of the program that runs.
fn program() -> String {
    let first = std::env::args_os().next().unwrap_or_default();
    Path::new(&first).file_name().unwrap_or_default().to_string_lossy().into_owned()
}
