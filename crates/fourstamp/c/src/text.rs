//! Text that C gives, and text that it is given.

use crate::failure::Failure;
use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path, whatever its bytes.
///
/// # Safety
/// `given` is null, or points to bytes that end in a zero and stay for as long as the path.
pub unsafe fn path<'a>(given: *const c_char) -> Result<&'a Path, Failure> {
    if given.is_null() {
        return Err(Failure::null("path"));
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(given) }.to_bytes();
    Ok(Path::new(OsStr::from_bytes(bytes)))
}

/// Words for `run.json`; `None` where there is no pointer.
///
/// # Safety
/// `given` is null, or points to bytes that end in a zero.
pub unsafe fn words(given: *const c_char) -> Option<String> {
    // SAFETY: the caller's promise.
    (!given.is_null()).then(|| unsafe { CStr::from_ptr(given) }.to_string_lossy().into_owned())
}

/// The library's version.
#[unsafe(no_mangle)]
pub extern "C" fn fourstamp_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version has no zero byte"),
        };
    VERSION.as_ptr()
}
