//! How a call went wrong: a code for the program, a line for the person.

use record::{HeaderError, RecordError};
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The codes of the header, in its order and with its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    Null = 1,
    Handle,
    Closed,
    Forked,
    Size,
    Argument,
    Header,
    Halves,
    NotEmpty,
    NotARun,
    Ended,
    GoingOn,
    NodeTaken,
    DiskFull,
    File,
    Memory,
    Bug,
}

/// What the header calls success.
pub const OK: c_int = 0;

/// Why a call cannot do what it should.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub text: String,
}

impl Failure {
    #[cold]
    pub fn new(code: Code, text: impl Into<String>) -> Failure {
        Failure { code, text: text.into() }
    }

    #[cold]
    pub fn null(what: &str) -> Failure {
        Failure::new(Code::Null, format!("{what} is NULL; pass a pointer to one"))
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        let code = match &error {
            RecordError::NotEmpty { .. } => Code::NotEmpty,
            RecordError::NotARun { .. } => Code::NotARun,
            RecordError::Ended { .. } => Code::Ended,
            RecordError::GoingOn { .. } => Code::GoingOn,
            RecordError::NodeTaken { .. } => Code::NodeTaken,
            RecordError::Buffer { .. } => Code::Memory,
            RecordError::Capacity { .. } => Code::Argument,
            error if error.is_disk_full() => Code::DiskFull,
            _ => Code::File,
        };
        Failure::new(code, error.to_string())
    }
}

impl From<HeaderError> for Failure {
    #[cold]
    fn from(error: HeaderError) -> Failure {
        Failure::new(Code::Header, error.to_string())
    }
}

/// Does what a function of the interface does: its code, and no panic past this point.
#[inline(always)]
pub fn call(what: impl FnOnce() -> Result<(), Failure>) -> c_int {
    // What a panic leaves half done belongs to its handle alone, and only the record's own code,
    // which is safe, can panic: the worst that a later call meets is another error.
    match catch_unwind(AssertUnwindSafe(what)) {
        Ok(Ok(())) => OK,
        Ok(Err(failure)) => keep(failure),
        Err(panic) => keep(of_panic(&*panic)),
    }
}

#[cold]
fn of_panic(panic: &dyn std::any::Any) -> Failure {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    Failure::new(Code::Bug, format!("an error in libfourstamp, please report it: {said}"))
}

thread_local! {
    /// What went wrong last on this thread.
    static LAST: RefCell<CString> = RefCell::default();
}

/// Keeps what went wrong for [`fourstamp_error`]; its code.
#[cold]
pub fn keep(failure: Failure) -> c_int {
    // No path or message of the system's has a zero byte in it; if one had, it would end there.
    let text = failure.text.split('\0').next().unwrap_or_default();
    let text = CString::new(text).unwrap_or_default();
    // A thread that is ending has no place for it any more, and nobody who could ask.
    let _ = LAST.try_with(|last| last.replace(text));
    failure.code as c_int
}

/// What went wrong last on the calling thread: see `fourstamp.h`.
#[unsafe(no_mangle)]
pub extern "C" fn fourstamp_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn a_panic_becomes_a_code_and_its_text() {
        std::panic::set_hook(Box::new(|_| {}));
        let code = call(|| panic!("index {} of 3", 7));
        let _ = std::panic::take_hook();
        assert_eq!(code, Code::Bug as c_int);
        // SAFETY: the text is valid until this thread's next failure.
        let text = unsafe { CStr::from_ptr(fourstamp_error()) };
        assert!(text.to_str().unwrap().ends_with("please report it: index 7 of 3"));
    }
}
