//! Handles that can be told from what is none, and closed ones from open ones.
//!
//! A handle's memory is never given back, so looking at one that was closed is no error of memory;
//! what it held is dropped when it is closed. All handles hang in a list, which only grows: a
//! forked child walks it and marks each, because its copy of a node would write into the parent's
//! buffer.

use crate::failure::{Code, Failure};
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// What a handle is of: a word that other memory hardly holds.
pub trait Kind {
    /// The word.
    const WORD: u64;
    /// Its name in an error.
    const NAME: &str;
}

/// What every handle begins with.
#[repr(C)]
struct Head {
    word: u64,
    state: AtomicU32,
    next: AtomicPtr<Head>,
}

/// What C holds a pointer to.
#[repr(C)]
pub struct Handle<T> {
    head: Head,
    inner: T,
}

const OPEN: u32 = 1;
const CLOSED: u32 = 2;
const FORKED: u32 = 3;

/// The handle made last.
static LAST: AtomicPtr<Head> = AtomicPtr::new(std::ptr::null_mut());

impl<T: Kind> Handle<T> {
    /// A new one, open, as C holds it.
    pub fn publish(inner: T) -> *mut Handle<T> {
        mark_in_children();
        let next = AtomicPtr::new(std::ptr::null_mut());
        let head = Head { word: T::WORD, state: AtomicU32::new(OPEN), next };
        let handle: *mut Handle<T> = Box::into_raw(Box::new(Handle { head, inner }));
        let mut last = LAST.load(Ordering::Acquire);
        // SAFETY: it was made above, and is never freed.
        let head = unsafe { &(*handle).head };
        loop {
            head.next.store(last, Ordering::Relaxed);
            let first = handle.cast::<Head>();
            match LAST.compare_exchange(last, first, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return handle,
                Err(newer) => last = newer,
            }
        }
    }

    /// What an open handle holds.
    ///
    /// # Safety
    /// `given` is null or a pointer to readable memory of a handle's size, as every handle is that
    /// this library ever gave.
    #[inline(always)]
    pub unsafe fn reach<'a>(given: *const Handle<T>) -> Result<&'a T, Failure> {
        if given.is_null() || !given.is_aligned() {
            return Err(no_handle::<T>(given.is_null()));
        }
        // SAFETY: the caller's promise; only the word is looked at before it is known for a handle,
        // which lives for ever.
        let word = unsafe { (&raw const (*given).head.word).read() };
        if word != T::WORD {
            return Err(no_handle::<T>(false));
        }
        // SAFETY: it is a handle, never freed; its head is shared and its state atomic.
        let handle = unsafe { &*given };
        match handle.head.state.load(Ordering::Acquire) {
            OPEN => Ok(&handle.inner),
            state => Err(not_open::<T>(state)),
        }
    }

    /// The same, and from now on it is closed. Of several that close it at once, one succeeds.
    ///
    /// # Safety
    /// As [`Handle::reach`].
    pub unsafe fn close<'a>(given: *const Handle<T>) -> Result<&'a T, Failure> {
        // SAFETY: the caller's promise.
        let inner = unsafe { Handle::reach(given) }?;
        // SAFETY: `reach` has found it to be a handle.
        let state = unsafe { &(*given).head.state };
        match state.compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(inner),
            Err(state) => Err(not_open::<T>(state)),
        }
    }
}

#[cold]
fn no_handle<T: Kind>(null: bool) -> Failure {
    match null {
        true => Failure::null(T::NAME),
        false => {
            let text = format!("{} is no handle of that type; was it ever opened?", T::NAME);
            Failure::new(Code::Handle, text)
        }
    }
}

#[cold]
fn not_open<T: Kind>(state: u32) -> Failure {
    match state {
        FORKED => {
            let text = format!(
                "the {} belongs to the parent process; call fourstamp_join in this one",
                T::NAME
            );
            Failure::new(Code::Forked, text)
        }
        _ => Failure::new(Code::Closed, format!("the {} was closed before", T::NAME)),
    }
}

/// From now on, a forked child finds the handles of its parent marked.
fn mark_in_children() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function is one for the whole life of the process. If there is no memory to
        // note it, children are not told; nothing else changes.
        unsafe { libc::pthread_atfork(None, None, Some(mark)) };
    });
}

/// In the child, right after the fork: no lock and no memory may be had.
extern "C" fn mark() {
    let mut at = LAST.load(Ordering::Acquire);
    // SAFETY: the list holds handles alone, which are never freed.
    while let Some(head) = unsafe { at.as_ref() } {
        let _ = head.state.compare_exchange(OPEN, FORKED, Ordering::Relaxed, Ordering::Relaxed);
        at = head.next.load(Ordering::Acquire);
    }
}
