//! A wall around the Parquet decoder.
//!
//! The `parquet` crate returns errors for most damage, but asserts and slices in some paths, so
//! that a damaged file can make it panic. For a reader of somebody's file a panic is never the
//! answer, so here, and only here, it becomes an error. Nothing that outlives the call is left
//! half-changed: a batch whose reading failed is begun anew by the next.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Do `work`, with a panic in it as an error.
pub(crate) fn guarded<T, E: ToString>(work: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    hush();
    INSIDE.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(false);
    match done {
        Ok(done) => done.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("cannot be decoded ({})", said(&*panic))),
    }
}

/// A panic that becomes an error must not print a backtrace first. The hook leaves all other panics
/// to whoever had the hook before.
fn hush() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let earlier = take_hook();
        set_hook(Box::new(move |info| {
            if !INSIDE.get() {
                earlier(info);
            }
        }));
    });
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_with_what_it_said() {
        let failed = guarded(|| -> Result<(), String> { panic!("index 7 of 3") });
        assert_eq!(failed, Err("cannot be decoded (index 7 of 3)".to_string()));
        assert_eq!(guarded(|| Ok::<_, String>(3)), Ok(3));
    }
}
