//! Whether this process is traced, and the beginning of its log: at its first use of a socket, so
//! that the many small programs that a script starts leave nothing.
//!
//! The state lies in a page that the kernel wipes in every child with a memory of its own, however
//! it was made. So a child begins anew, or is not traced; it never writes into its parent's log. A
//! child that shares its parent's memory (`vfork`) is told by the process's number, which lies
//! there too.

use crate::{frames, listing, log, next, number, thread};
use clock::Clock;
use interpose::{errno, limit};
use libc::{c_int, c_void};
use record::{Machine, NodeSheet, RunFolder};
use std::fs::File;
use std::io::{Error, Write};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use streams::ProcessFacts;
use streams::entry::{CHUNK_BYTES, HEAD_BYTES, SOCKETS_MAX, head, noticed};
use streams::variables::{CLOCK, CommandClock, FRAMES, PARENT, PIPES, RUN};

/// Nothing has been begun.
const NEW: u32 = 0;
/// A thread is beginning.
const BEGINNING: u32 = 1;
/// Calls are logged.
const LOGGING: u32 = 2;
/// They are not, and will not be.
const OFF: u32 = 3;

/// What every call looks at, in one line of the cache.
#[repr(align(64))]
struct Here {
    /// The wiped page: the state, and behind it whose it is, which is 0 until that is known.
    state: AtomicPtr<AtomicU32>,
    /// Which process this is among those that have one memory from fork to fork; in sockets'
    /// entries.
    generation: AtomicU32,
    /// What stamps are taken with.
    clock: OnceLock<Clock>,
}

static HERE: Here = Here {
    state: AtomicPtr::new(null_mut()),
    generation: AtomicU32::new(0),
    clock: OnceLock::new(),
};
const _: () = assert!(size_of::<Here>() == 64);

/// How the process is traced; none where it is not.
static TASK: OnceLock<Task> = OnceLock::new();
/// The command asks for pipes.
static TAKES_PIPES: AtomicBool = AtomicBool::new(false);
/// Sockets that were numbered.
static SOCKETS: AtomicU32 = AtomicU32::new(0);

/// What the command asks for.
struct Task {
    run: PathBuf,
    clock: Option<CommandClock>,
    follows: bool,
}

/// The state of a process that is being traced.
#[derive(Clone, Copy)]
pub struct Tracing {
    clock: &'static Clock,
    /// See [`crate::table::Known::is_of`].
    pub generation: u32,
}

impl Tracing {
    /// Now, in ticks.
    #[inline(always)]
    pub fn now(&self) -> u64 {
        self.clock.now().0
    }
}

/// Whether the process may be traced, now or when it uses a socket.
#[inline(always)]
pub fn is_on() -> bool {
    !HERE.state.load(Ordering::Relaxed).is_null()
}

/// Whether pipes are looked at like sockets.
#[inline(always)]
pub fn takes_pipes() -> bool {
    TAKES_PIPES.load(Ordering::Relaxed)
}

/// Whether recording is over, or was never begun: from here on no call is made but the program's.
pub fn is_off() -> bool {
    let page = HERE.state.load(Ordering::Relaxed);
    // SAFETY: null, or a page that is never unmapped.
    unsafe { page.as_ref() }.is_none_or(|state| state.load(Ordering::Acquire) == OFF)
}

/// The tracing of this process, if it has begun.
#[inline(always)]
pub fn tracing_already() -> Option<Tracing> {
    let page = HERE.state.load(Ordering::Relaxed);
    // SAFETY: null, or a page that is never unmapped.
    let state = unsafe { page.as_ref() }?.load(Ordering::Acquire);
    if state == LOGGING { current() } else { None }
}

/// The tracing of this process, which begins if it has not; `None` when its calls are not logged.
#[inline(always)]
pub fn tracing() -> Option<Tracing> {
    let page = HERE.state.load(Ordering::Relaxed);
    if page.is_null() {
        return None;
    }
    // SAFETY: a page that is never unmapped.
    match unsafe { &*page }.load(Ordering::Acquire) {
        LOGGING => current(),
        OFF => None,
        // SAFETY: as above.
        _ => begin_once(unsafe { &*page }),
    }
}

#[inline(always)]
fn current() -> Option<Tracing> {
    let generation = HERE.generation.load(Ordering::Relaxed);
    Some(Tracing { clock: HERE.clock.get()?, generation })
}

/// The number of a new socket.
pub fn next_number() -> Option<u32> {
    let number = SOCKETS.fetch_add(1, Ordering::Relaxed);
    (number < SOCKETS_MAX).then_some(number)
}

/// Stop for good: there is no room for another entry.
#[cold]
pub fn stop() {
    let page = HERE.state.load(Ordering::Relaxed);
    if page.is_null() {
        return;
    }
    // SAFETY: a page that is never unmapped.
    unsafe { &*page }.store(OFF, Ordering::Release);
    if let (Some(word), Some(clock)) = (log::head_word(head::STOPPED_AT), HERE.clock.get()) {
        let _ = word.compare_exchange(0, clock.now().0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cold]
fn begin_once(state: &AtomicU32) -> Option<Tracing> {
    if is_inside() || is_vforked_child() {
        return None;
    }
    loop {
        match state.compare_exchange(NEW, BEGINNING, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => break,
            Err(LOGGING) => return current(),
            Err(OFF) => return None,
            // SAFETY: no arguments.
            Err(_) => unsafe { libc::sched_yield() },
        };
    }
    let begun = errno::kept(|| {
        set_inside(true);
        let begun = begin();
        set_inside(false);
        begun
    });
    if let Err(why) = &begun {
        say(&format!("process {} is not traced; it goes on: {why}", std::process::id()));
    }
    let is_on = matches!(begun, Ok(true));
    state.store(if is_on { LOGGING } else { OFF }, Ordering::Release);
    if is_on { current() } else { None }
}

/// Begin the log of this process. `false`: it is not to be traced.
fn begin() -> Result<bool, Box<dyn std::error::Error>> {
    let Some(task) = TASK.get() else { return Ok(false) };
    let is_child = HERE.generation.fetch_add(1, Ordering::Relaxed) > 0;
    let parents = log::head_word(head::NOTICED_AT).filter(|_| is_child);
    if is_child {
        log::leave_to_parent();
        SOCKETS.store(0, Ordering::Relaxed);
        if !task.follows {
            return Ok(false);
        }
    }
    let begun = begin_log(task);
    match begun {
        Err(why) if is_child && has_been_said(&*why, parents) => Ok(false),
        begun => begun.map(|()| true),
    }
}

/// Note in its parent's log that a child has none: it may not write anywhere else. What one child
/// has said its brothers and its own children need not say.
fn has_been_said(why: &(dyn std::error::Error + 'static), parents: Option<&AtomicU64>) -> bool {
    /// A child has this from its parent.
    static SAID: AtomicBool = AtomicBool::new(false);
    let is_crowded = why.is::<number::AllTaken>();
    let lost = if is_crowded { noticed::CROWDED } else { noticed::LOST_CHILD };
    let before = parents.map_or(0, |parents| parents.fetch_or(lost, Ordering::Relaxed));
    SAID.swap(true, Ordering::Relaxed) || before & lost != 0
}

fn begin_log(task: &Task) -> Result<(), Box<dyn std::error::Error>> {
    if !limit::allows_file_of((HEAD_BYTES + CHUNK_BYTES) as u64) {
        return Err("it may not write a file as long as its log (ulimit -f)".into());
    }
    own();
    let clock = *HERE.clock.get_or_init(Clock::best);
    let folder = RunFolder::join(&task.run)?;
    let live = folder.live();
    let (node, file) = number::take(&live)?;
    let mut sheet = sheet_of(node, &clock, task.clock.as_ref());
    // What is written is in the file at once: no end of the process loses any of it.
    sheet.finished = true;
    let about = serde_json::to_vec(&ProcessFacts::here())?;
    let file = out_of_the_way(file)?;
    let run = folder.info().id.map_or([0; 2], record::RunId::words);
    if !log::begin(file, run, &about) {
        return Err(Box::new(Error::last_os_error()));
    }
    sheet.save_into(&live)?;
    Ok(())
}

/// Ours goes above this number, or to the end of what is allowed: each fork copies the table of
/// descriptors up to the highest.
const ABOVE: u64 = 4096;

/// The program's own descriptors get the numbers that they would have without us.
fn out_of_the_way(file: File) -> std::io::Result<c_int> {
    let mut limit = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
    // SAFETY: room for the limit.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    let from = limit.rlim_cur.min(ABOVE).saturating_sub(16) as usize;
    // SAFETY: copies a descriptor that is open; the function behind ours, which logs nothing.
    let copy = unsafe { next::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, from as *mut c_void) };
    if copy < 0 { Err(Error::last_os_error()) } else { Ok(copy) }
}

fn sheet_of(node: u32, clock: &Clock, told: Option<&CommandClock>) -> NodeSheet {
    let same = told.filter(|told| {
        told.quality.source == clock.source() && told.boot_id == Machine::boot_id_here()
    });
    match same {
        Some(told) => NodeSheet::with_quality(0, node, clock, told.quality),
        None => NodeSheet::new(0, node, clock),
    }
}

/// What is written of trouble is never longer.
const TROUBLE_BYTES: u64 = 1 << 16;

/// Say it in one line on standard error, and write it beside the logs.
fn say(what: &str) {
    let line = format!("fourstamp: {what}\n");
    // SAFETY: so many bytes are there. The plain system call: the exported `write` is our own.
    unsafe { libc::syscall(libc::SYS_write, 2, line.as_ptr(), line.len()) };
    let Some(task) = TASK.get() else { return };
    // That it is there says that something was said.
    let path = task.run.join("live").join(streams::TROUBLE_FILE);
    let trouble = File::options().create(true).append(true).open(path);
    if let Ok(mut file) = trouble
        && limit::allows_file_of(TROUBLE_BYTES)
    {
        let _ = file.write_all(format!("{what}\n").as_bytes());
    }
}

/// Do something for the tracer: the calls that it makes are its own.
pub fn inside<T>(work: impl FnOnce() -> T) -> T {
    let before = set_inside(true);
    let value = errno::kept(work);
    set_inside(before);
    value
}

/// Say whether this thread is at work for the tracer: whether it was.
fn set_inside(is_so: bool) -> bool {
    thread::with(|own| own.inside.replace(is_so))
}

/// Whether this process shares its memory with the parent that it will leave by `exec`: what it
/// does to its descriptors says nothing about its parent's.
pub fn is_vforked_child() -> bool {
    let owner = owner().map_or(0, |owner| owner.load(Ordering::Relaxed));
    owner != 0 && owner != number_here()
}

/// The process with this memory.
fn owner() -> Option<&'static AtomicU32> {
    let page = HERE.state.load(Ordering::Acquire);
    // SAFETY: null, or a page that is never unmapped.
    (!page.is_null()).then(|| unsafe { &*page.add(1) })
}

/// This process is the one with this memory: called where it cannot be a child that shares it.
extern "C" fn own() {
    if let Some(owner) = owner() {
        owner.store(number_here(), Ordering::Relaxed);
    }
}

fn number_here() -> u32 {
    // SAFETY: no arguments.
    (unsafe { next::syscall(libc::SYS_getpid, 0, 0, 0, 0, 0, 0) }) as u32
}

/// Whether this thread is at work for the tracer.
pub fn is_inside() -> bool {
    thread::with(|own| own.inside.get())
}

/// Called by the loader.
extern "C" fn loaded() {
    let Some(run) = std::env::var_os(RUN).filter(|run| !run.is_empty()) else { return };
    let parent = std::env::var(PARENT).unwrap_or_default();
    let follows = parent.is_empty();
    // SAFETY: no arguments.
    if !follows && parent.parse() != Ok(unsafe { libc::getppid() }) {
        return;
    }
    next::look_all_up();
    log::prepare();
    let clock = std::env::var(CLOCK).ok();
    let clock = clock.and_then(|text| serde_json::from_str(&text).ok());
    let _ = TASK.set(Task { run: PathBuf::from(run), clock, follows });
    match std::env::var(FRAMES).unwrap_or_default().parse() {
        Ok(rules) => frames::prepare(rules),
        Err(error) => say(&format!("the rules of ports ({FRAMES}) are not used: {error}")),
    }
    TAKES_PIPES.store(std::env::var_os(PIPES).is_some(), Ordering::Relaxed);
    let _ = HERE.clock.set(Clock::best());
    // SAFETY: a fresh page that is never unmapped.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = libc::mmap(null_mut(), 4096, access, how, -1, 0);
        if page == libc::MAP_FAILED || libc::madvise(page, 4096, libc::MADV_WIPEONFORK) != 0 {
            return say("not traced: the kernel wipes no memory on fork (Linux 4.14 does)");
        }
        HERE.state.store(page.cast(), Ordering::Release);
        own();
        // A child of `vfork` does not come by here. One that was made without the C library's
        // `fork` has no owner until it begins its log.
        libc::pthread_atfork(None, None, Some(own));
    }
    listing::account_for_all();
}

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = loaded;
