//! A process's log: a file of which each thread has two chunks mapped, its windows.
//!
//! A slot is stored into memory that belongs to the file, so whatever ends the process leaves it. A
//! thread that has filled a window goes on in its other one, whose slots are written out before.
//! The space of a window is taken before it is mapped (`space`), so a full disk is an error here
//! and no signal later. Memory is two windows for each thread, however long the log is.
//!
//! No lock is taken. A signal handler that logs in the middle of all this takes a slot, or a
//! window, of its own.

use crate::thread::Thread;
use crate::{next, space, thread, window};
use interpose::errno;
use libc::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use streams::entry::{HEAD_BYTES, SLOT_BYTES, head, thread_slot};

/// The log's file; −1 while there is none.
static FILE: AtomicI32 = AtomicI32::new(-1);
/// Its head, mapped.
static HEAD: AtomicPtr<AtomicU64> = AtomicPtr::new(null_mut());
/// Chunks that were handed out.
static CHUNKS: AtomicU32 = AtomicU32::new(0);
/// Datagram sockets that this process has opened, which are not traced.
static DATAGRAM_SOCKETS: AtomicU64 = AtomicU64::new(0);
/// Windows of threads that have ended.
static LEFT: [AtomicUsize; 64] = [const { AtomicUsize::new(0) }; 64];
/// Calls a thread's end; −1 where that cannot be had.
static AT_THREAD_END: AtomicI32 = AtomicI32::new(-1);

/// Write an entry down. `false`: there is no room for it, and there never will be.
#[inline(always)]
pub fn write<const WORDS: usize>(words: &[u64; WORDS]) -> bool {
    let bytes = WORDS * 8;
    let place = thread::with(|own| {
        loop {
            let at = own.next.load(Ordering::Relaxed);
            window::room_in(at, bytes)?;
            if advance(&own.next, at, at + bytes) {
                return Some(at);
            }
        }
    });
    match place.or_else(|| errno::kept(|| in_next_window(bytes))) {
        Some(at) => {
            store(at, words);
            true
        }
        None => false,
    }
}

/// Go on from one place to another. `false`: a signal's handler has gone on meanwhile.
#[inline(always)]
fn advance(next: &AtomicUsize, from: usize, to: usize) -> bool {
    // Nobody else than this thread goes on there: one instruction is enough, and need not lock.
    #[cfg(target_arch = "x86_64")]
    {
        let is_done: u8;
        // SAFETY: the word is this thread's, and no other reads or writes it.
        unsafe {
            std::arch::asm!(
                "cmpxchg qword ptr [{next}], {to}",
                "sete {is_done}",
                next = in(reg) next.as_ptr(),
                to = in(reg) to,
                is_done = lateout(reg_byte) is_done,
                inout("rax") from => _,
                options(nostack),
            );
        }
        is_done != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        next.compare_exchange_weak(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[inline(always)]
fn store(at: usize, words: &[u64]) {
    let places = at as *const AtomicU64;
    // In reverse: the head comes last, and until then the slot does not count.
    for (place, word) in words.iter().enumerate().rev() {
        // SAFETY: `at` is a place in a chunk that is mapped and has room for these words, and which
        // nobody else has been given.
        unsafe { (*places.add(place)).store(*word, Ordering::Release) };
    }
}

/// Go on in another window, say whose it is from here on, and take room there.
#[cold]
fn in_next_window(bytes: usize) -> Option<usize> {
    let file = file()?;
    let bytes = SLOT_BYTES + bytes;
    let at = match exchange(|own| &own.before, 0) {
        0 => match LEFT.iter().find_map(taken) {
            Some(at) if window::room_in(at, bytes).is_some() => at,
            Some(at) => emptied(file, at)?,
            None => window::map(file, next_chunk(), next_chunk())?,
        },
        full => emptied(file, full)?,
    };
    thread::with(|own| own.has_logged_wait.set(false));
    store(at, &thread_slot(this_thread()));
    let full = exchange(|own| &own.next, at + bytes);
    // There is another one where a signal's handler has been here meanwhile.
    leave(exchange(|own| &own.before, full));
    have_thread_end_noticed();
    Some(at + SLOT_BYTES)
}

/// As the system numbers it.
fn this_thread() -> u32 {
    // SAFETY: a system call without arguments.
    unsafe { libc::syscall(libc::SYS_gettid) as u32 }
}

/// Put a place into one of this thread's words, and have the one that was there.
fn exchange(word: impl FnOnce(&Thread) -> &AtomicUsize, place: usize) -> usize {
    thread::with(|own| word(own).swap(place, Ordering::Relaxed))
}

fn next_chunk() -> u32 {
    CHUNKS.fetch_add(1, Ordering::Relaxed)
}

/// A window that a thread has left, if there is one here.
fn taken(left: &AtomicUsize) -> Option<usize> {
    let at = left.swap(0, Ordering::AcqRel);
    (at != 0).then_some(at)
}

/// Write out a window that is filled up to `at`: where it begins.
fn emptied(file: c_int, at: usize) -> Option<usize> {
    // SAFETY: it was taken from where one thread finds it. Who was interrupted before filling a
    // slot there has filled it, but where the signal's handler has filled all of another window
    // meanwhile: that slot may then be lost, or stand for another one.
    unsafe { window::empty(file, at, next_chunk()) }
}

/// Leave a window that is filled up to `at` for whoever needs one. Where enough are left, its slots
/// count where they are.
fn leave(at: usize) {
    let free = |left: &&AtomicUsize| {
        left.compare_exchange(0, at, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    if at != 0 && LEFT.iter().find(free).is_none() {
        window::unmap(at);
    }
}

/// Begin to log into this file, of which the descriptor is ours now, and say what this process is.
/// `false`: its head cannot be had.
pub fn begin(file: c_int, run: [u64; 2], about: &[u8]) -> bool {
    // SAFETY: plain system calls on a file that is ours; the mapping is never removed. The text has
    // its place within it, and nobody else knows the mapping yet.
    let words = unsafe {
        if !space::take(file, 0, HEAD_BYTES) {
            return false;
        }
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let mapped = libc::mmap(null_mut(), HEAD_BYTES, access, libc::MAP_SHARED, file, 0);
        if mapped == libc::MAP_FAILED {
            return false;
        }
        if let Some((at, bytes)) = head::about_in_place(about) {
            mapped.byte_add(at).cast::<u8>().copy_from(bytes.as_ptr(), bytes.len());
        }
        mapped.cast::<AtomicU64>()
    };
    HEAD.store(words, Ordering::Release);
    let put = |at: usize, word: u64| {
        if let Some(place) = head_word(at) {
            place.store(word, Ordering::Release);
        }
    };
    put(head::FORMAT_AT, head::FORMAT);
    put(head::RUN_AT, run[0]);
    put(head::RUN_AT + 1, run[1]);
    put(head::DATAGRAM_SOCKETS_AT, DATAGRAM_SOCKETS.load(Ordering::Relaxed));
    put(0, head::MAGIC);
    CHUNKS.store(0, Ordering::Relaxed);
    FILE.store(file, Ordering::Release);
    true
}

/// A child has been made: what is mapped here is its parent's log. Only one thread is there.
pub fn leave_to_parent() {
    exchange(|own| &own.next, 0);
    exchange(|own| &own.before, 0);
    LEFT.iter().for_each(|left| left.store(0, Ordering::Relaxed));
    HEAD.store(null_mut(), Ordering::Relaxed);
    DATAGRAM_SOCKETS.store(0, Ordering::Relaxed);
    let file = FILE.swap(-1, Ordering::Relaxed);
    if file >= 0 {
        // SAFETY: the child's copy of our descriptor.
        unsafe { libc::syscall(libc::SYS_close, file) };
    }
}

/// Give up the descriptor's number, which the program wants for one of its own, for a higher one.
/// Where there is none, no chunk follows.
pub fn move_on() {
    let Some(file) = file() else { return };
    // SAFETY: copies our own descriptor and closes it, by the functions behind ours.
    unsafe {
        let above = file as usize as *mut c_void;
        FILE.store(next::fcntl(file, libc::F_DUPFD_CLOEXEC, above), Ordering::Release);
        next::close(file);
    }
}

/// Whether this descriptor is the log's, which the program knows nothing of.
pub fn is_ours(descriptor: c_int) -> bool {
    descriptor >= 0 && FILE.load(Ordering::Relaxed) == descriptor
}

/// The log's descriptor, while there is one.
pub fn file() -> Option<c_int> {
    let file = FILE.load(Ordering::Relaxed);
    (file >= 0).then_some(file)
}

/// A word of the head, while there is a log.
pub fn head_word(at: usize) -> Option<&'static AtomicU64> {
    let words = HEAD.load(Ordering::Acquire);
    // SAFETY: a mapping of `HEAD_BYTES` that is never removed, and the place is in it.
    (!words.is_null() && at < head::WORDS).then(|| unsafe { &*words.add(at) })
}

/// Count a socket that is not traced: it may be opened before the log begins.
pub fn count_datagram_socket() {
    let count = DATAGRAM_SOCKETS.fetch_add(1, Ordering::Relaxed) + 1;
    if let Some(word) = head_word(head::DATAGRAM_SOCKETS_AT) {
        word.fetch_max(count, Ordering::Relaxed);
    }
}

/// Note something that the process does.
pub fn notice(bits: u64) {
    if let Some(word) = head_word(head::NOTICED_AT) {
        word.fetch_or(bits, Ordering::Relaxed);
    }
}

/// Have a thread's windows kept for another thread, when it ends.
fn have_thread_end_noticed() {
    let key = AT_THREAD_END.load(Ordering::Relaxed);
    if key >= 0 {
        // SAFETY: a key that was made; the value only has to differ from null.
        unsafe { libc::pthread_setspecific(key as u32, std::ptr::dangling()) };
    }
}

/// Once, as the library is loaded: keys that are made early need no memory later.
pub fn prepare() {
    unsafe extern "C" fn ended(_: *mut c_void) {
        leave(exchange(|own| &own.before, 0));
        leave(exchange(|own| &own.next, 0));
    }
    let mut key = 0;
    // SAFETY: room for a key, and a handler of this library, which is never unloaded.
    if unsafe { libc::pthread_key_create(&raw mut key, Some(ended)) } == 0 {
        AT_THREAD_END.store(key as i32, Ordering::Relaxed);
    }
}
