//! What happens to paged memory in a forked child: it is there, as ordinary memory (`inherited`),
//! or it is not there, and must not seem to be.
//!
//! The engine keeps paged memory out of children (`MADV_DONTFORK`): a child would lack all
//! pages that are away, silently. Where that memory was the child gets ranges without access, so
//! that nothing else comes to lie there, and a touch ends it with one line. Programs that fork to
//! call `exec` never notice.

use crate::inherited::{Gathered, Shared};
use crate::paged::table;
use crate::table::Table;
use crate::{raw, say, state};
use libc::{c_int, c_void, siginfo_t};
use std::cell::UnsafeCell;
use std::sync::MutexGuard;

/// The list's lock while a thread forks, so that the child finds the list whole, and what the child
/// gets.
struct Forking(UnsafeCell<Option<(MutexGuard<'static, Table>, Option<Shared>)>>);

// SAFETY: only who has the list's lock touches it.
unsafe impl Sync for Forking {}

static FORKING: Forking = Forking(UnsafeCell::new(None));

/// The program's own handler of this signal, for what is none of ours.
struct Before(UnsafeCell<libc::sigaction>);

// SAFETY: written once, in a new child that has one thread and no handler yet.
unsafe impl Sync for Before {}

// SAFETY: all zero is a valid value: the default action.
static BEFORE: Before = Before(UnsafeCell::new(unsafe { std::mem::zeroed() }));

/// From now on children are told apart.
pub fn watch() {
    // SAFETY: functions that live as long as the process: the library is never unloaded.
    unsafe { libc::pthread_atfork(Some(prepare), Some(in_parent), Some(in_child)) };
}

extern "C" fn prepare() {
    let gathered = Gathered::bring();
    let guard = table();
    let shared = gathered.map(|gathered| gathered.share(&guard));
    // SAFETY: this thread has the lock.
    unsafe { *FORKING.0.get() = Some((guard, shared)) };
}

extern "C" fn in_parent() {
    // SAFETY: this thread has the lock, since `prepare`.
    let forking = unsafe { (*FORKING.0.get()).take() };
    if let Some((table, Some(shared))) = forking {
        shared.end(table);
    }
}

extern "C" fn in_child() {
    // SAFETY: this thread has the lock, since `prepare`.
    let forking = unsafe { (*FORKING.0.get()).take() };
    if let Some((table, shared)) = forking.filter(|_| !state::is_child()) {
        match shared {
            Some(_) => state::become_heir(),
            None => {
                table.all_paged().for_each(|((address, bytes), _)| close(address, bytes));
                listen();
            }
        }
        state::become_child();
    }
}

/// Nothing else may come to lie there.
fn close(address: usize, bytes: usize) {
    let flags =
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: replaces nothing: the kernel refuses where something is.
    let closed = unsafe { raw::mmap(address as *mut c_void, bytes, libc::PROT_NONE, flags, -1, 0) };
    if closed as usize != address {
        say::end(format_args!(
            "a forked child cannot be kept from paged memory at {address:#x}, so it ends before \
            it reads wrong data"
        ));
    }
}

fn listen() {
    // SAFETY: all zero is a valid value.
    let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
    let handler: extern "C" fn(c_int, *mut siginfo_t, *mut c_void) = fault;
    ours.sa_sigaction = handler as usize;
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: a handler with the arguments that SA_SIGINFO gives it, and room for the one before.
    unsafe { libc::sigaction(libc::SIGSEGV, &raw const ours, BEFORE.0.get()) };
}

extern "C" fn fault(signal: c_int, about: *mut siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel says what happened.
    let (address, from_kernel) = unsafe { ((*about).si_addr() as usize, (*about).si_code > 0) };
    if from_kernel && matches!(state::owner(address, 1), state::Owner::Parent) {
        touched(address);
    }
    // Not ours: the handler from before meets it when the instruction is tried again, or the signal
    // comes again. SAFETY: what was there before.
    unsafe { libc::sigaction(signal, BEFORE.0.get(), std::ptr::null_mut()) };
    if !from_kernel {
        // SAFETY: sends this thread a signal.
        unsafe { libc::raise(signal) };
    }
}

/// A child needs its parent's paged memory: end it.
pub fn touched(address: usize) -> ! {
    // SAFETY: asks for numbers.
    let (own, parent) = unsafe { (libc::getpid(), libc::getppid()) };
    say::say(format_args!(
        "process {own}, forked by {parent}, touched paged memory at {address:#x}, which only its \
        parent has; use threads, exec after fork, --fork-budget, or a larger --threshold"
    ));
    // SAFETY: sets the default action, and ends this process by the signal that a touch of absent
    // memory is.
    unsafe {
        libc::signal(libc::SIGSEGV, libc::SIG_DFL);
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut all, libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const all, std::ptr::null_mut());
        libc::raise(libc::SIGSEGV);
        libc::_exit(2)
    }
}
