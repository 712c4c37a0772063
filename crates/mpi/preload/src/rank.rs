//! What the tracer knows while it runs in a rank, and how calls get at it.
//!
//! There is one [`Tracer`] a process, made when the program has initialised MPI. Its state is taken
//! for a moment before and after each call, never across it. MPI itself forbids calls at the same
//! time below `MPI_THREAD_MULTIPLE`, so that only there a lock is needed.

use crate::arguments::{Count, Handle, Place};
use crate::communicators::Communicators;
use crate::frame::Frame;
use crate::handles::HandleMap;
use crate::invocation::Invocation;
use crate::library::Library;
use crate::log::{Log, Pending};
use crate::neighbours;
use crate::requests::Requests;
use crate::sends::Sends;
use crate::sites::Sites;
use crate::trouble;
use calls::entry::{BYTES_MAX, Call, Completion, Neighbours};
use calls::list::NAMES;
use clock::Clock;
use mpi_facts::RankFacts;
use record::{NodeSheet, RunFolder};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// How often each function that is only counted was called.
pub static COUNTED: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];
/// The tracer while calls are logged, else null.
static TRACER: AtomicPtr<Tracer> = AtomicPtr::new(std::ptr::null_mut());

/// The tracer of this process.
pub struct Tracer {
    /// What stamps are taken with.
    pub clock: Clock,
    /// The MPI library.
    pub library: Library,
    /// Whether threads may call at the same time.
    threads: bool,
    lock: Mutex<()>,
    state: UnsafeCell<Rank>,
}

// SAFETY: `state` is only reached through `Tracer::with`, which holds the lock where threads may
// call at the same time; elsewhere MPI obliges the program to let only one thread call at a time,
// with synchronisation of its own between them.
unsafe impl Sync for Tracer {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Tracer {}

/// What is known of this rank.
pub struct Rank {
    /// Its number in the world.
    pub rank: i32,
    /// Where calls go.
    pub log: Log,
    /// Requests under way.
    pub requests: Requests,
    /// Messages that a probe has taken, by handle: their numbers.
    pub messages: HandleMap,
    /// Communicators.
    pub communicators: Communicators,
    /// The numbers of windows, which are those of communicators, by handle.
    pub windows: HandleMap,
    /// Sizes of datatypes.
    pub types: Types,
    /// Places in the program.
    pub sites: Sites,
    /// Sends that may be made again.
    pub sends: Sends,
    /// Completions of the call at hand.
    pub done: Vec<Completion>,
    /// For closing the log.
    pub sheet: NodeSheet,
    /// The live folder of the run.
    pub live: PathBuf,
    /// Holds the run's lock.
    pub folder: Option<RunFolder>,
    /// What the facts say, but for what is counted.
    pub facts: RankFacts,
    threads: u32,
}

/// Sizes of datatypes in bytes, by handle.
pub struct Types {
    sizes: HandleMap,
    last: (usize, u64),
}

/// Begin to log.
pub fn start(clock: Clock, library: Library, rank: Rank, threads: bool) -> &'static Tracer {
    let tracer =
        Tracer { clock, library, threads, lock: Mutex::new(()), state: UnsafeCell::new(rank) };
    // Never freed: other threads may be in a call when the tracing ends.
    let tracer: *mut Tracer = Box::leak(Box::new(tracer));
    TRACER.store(tracer, Ordering::Release);
    // SAFETY: just made, and never freed; nobody has another reference that could change it.
    unsafe { &*tracer }
}

/// Log nothing any more.
pub fn stop() {
    TRACER.store(std::ptr::null_mut(), Ordering::Release);
}

/// The tracer, while calls are logged.
#[inline(always)]
pub fn tracer() -> Option<&'static Tracer> {
    // SAFETY: null, or a tracer that is never freed.
    unsafe { TRACER.load(Ordering::Acquire).as_ref() }
}

/// The rank's state, while nobody else has it.
pub struct Turn<'a> {
    rank: &'a mut Rank,
    _guard: Option<MutexGuard<'a, ()>>,
}

impl Deref for Turn<'_> {
    type Target = Rank;

    #[inline(always)]
    fn deref(&self) -> &Rank {
        self.rank
    }
}

impl DerefMut for Turn<'_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Rank {
        self.rank
    }
}

impl Tracer {
    /// Whether threads may call at the same time.
    #[inline(always)]
    pub fn has_threads(&self) -> bool {
        self.threads
    }

    /// Do something with the rank's state. It must not be asked for within `work`, nor may `work`
    /// make calls that wait.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut Rank) -> R) -> R {
        work(&mut self.turn())
    }

    /// The rank's state, under the same terms, until the value is dropped.
    #[inline(always)]
    pub fn turn(&self) -> Turn<'_> {
        let guard = if self.threads { Some(self.wait()) } else { None };
        // SAFETY: see `Sync` above: nobody else is in here now, and who has it does not come back.
        Turn { rank: unsafe { &mut *self.state.get() }, _guard: guard }
    }

    #[cold]
    fn wait(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(|error| error.into_inner())
    }
}

impl Tracer {
    /// In a child of this process: let go of the run's lock, which the parent holds on its own.
    pub fn leave_to_parent(&self) {
        // SAFETY: only this thread exists in a child that has just been forked, and it is not
        // within `with`, because calls are never made from there.
        let rank = unsafe { &mut *self.state.get() };
        rank.folder = None;
    }
}

impl Rank {
    /// A rank that has made no calls yet.
    pub fn new(
        rank: i32,
        log: Log,
        communicators: Communicators,
        sheet: NodeSheet,
        folder: RunFolder,
    ) -> Rank {
        Rank {
            rank,
            log,
            requests: Requests::new(),
            messages: HandleMap::new(),
            communicators,
            windows: HandleMap::new(),
            types: Types { sizes: HandleMap::new(), last: (0, 0) },
            sites: Sites::new(),
            sends: Sends::new(),
            done: Vec::with_capacity(64),
            sheet,
            live: folder.live(),
            folder: Some(folder),
            facts: RankFacts::default(),
            threads: 0,
        }
    }

    /// The number of the next thread.
    #[cold]
    pub fn next_thread(&mut self) -> u8 {
        self.threads += 1;
        u8::try_from(self.threads - 1).unwrap_or(u8::MAX)
    }

    /// The number of the place that called.
    #[inline(always)]
    pub fn site(&mut self, frame: &Frame) -> u32 {
        // SAFETY: the call of this frame has not returned.
        let (number, entry) = unsafe { self.sites.number(frame.return_address_at()) };
        if let Some(entry) = entry {
            let written = self.log.entry(&entry);
            self.check(written);
        }
        number
    }

    /// The number of a line of source that an interpreter runs.
    #[cold]
    pub fn site_of_line(&mut self, line: u32, file: &[u8], function: &[u8]) -> u32 {
        let (number, entry) = self.sites.line(line, file, function);
        if let Some(entry) = entry {
            let written = self.log.entry(&entry);
            self.check(written);
        }
        number
    }

    /// The number of a communicator.
    #[inline(always)]
    pub fn communicator(&mut self, handle: usize, library: &Library) -> u32 {
        match self.communicators.known(handle) {
            Some(number) => number,
            None if handle == library.handles.comm_null => calls::entry::UNKNOWN_COMMUNICATOR,
            None => self.new_communicator(handle, calls::entry::UNKNOWN_COMMUNICATOR, library),
        }
    }

    /// Give a communicator that the program has made a number.
    #[cold]
    pub fn new_communicator(&mut self, handle: usize, parent: u32, library: &Library) -> u32 {
        let (number, entry) = self.communicators.register(handle, parent, library);
        let written = self.log.entry(&entry);
        self.check(written);
        if let Some(sources) = neighbours::sources(handle, library) {
            let entry = Neighbours { id: number, sources }.encode();
            let written = self.log.entry(&entry);
            self.check(written);
        }
        number
    }

    /// Bytes of so many elements of a datatype.
    #[inline(always)]
    pub fn bytes(
        &mut self,
        call: &Invocation,
        count: Place<Count>,
        datatype: Place<Handle>,
        library: &Library,
    ) -> u64 {
        self.size_of(count.read(call), datatype.read(call, &library.layout), library)
    }

    /// Bytes of `count` elements of `datatype`, which may be none where there are no elements.
    #[inline(always)]
    pub fn size_of(&mut self, count: u64, datatype: usize, library: &Library) -> u64 {
        if count == 0 {
            return 0;
        }
        count.saturating_mul(self.types.size(datatype, library)).min(BYTES_MAX)
    }

    /// Write down a call that is being made.
    #[inline(always)]
    pub fn begin(&mut self, call: &Call) -> Pending {
        match self.log.begun(call) {
            Ok(pending) => pending,
            Err(error) => {
                self.give_up(&error);
                Pending::default()
            }
        }
    }

    /// Write down a call.
    #[inline(always)]
    pub fn write(&mut self, call: &Call) {
        let written = self.log.call(call);
        self.check(written);
    }

    /// The same with what it completed, which is in `done`.
    #[inline]
    pub fn write_done(&mut self, call: &Call) {
        let written = match self.done.is_empty() {
            true => self.log.call(call),
            false => self.log.call_with(call, &self.done),
        };
        self.done.clear();
        self.check(written);
    }

    /// Stop when the log cannot be written any more.
    #[inline(always)]
    pub fn check(&mut self, written: std::io::Result<()>) {
        if let Err(error) = written {
            self.give_up(&error);
        }
    }

    #[cold]
    fn give_up(&mut self, error: &std::io::Error) {
        stop();
        let what = format!(
            "tracing stopped in rank {}; the program continues: cannot write {}: {error}; make \
            room there, or choose another folder (--out; FOURSTAMP_MPI_LOCAL for a host's own)",
            self.rank,
            self.live.display()
        );
        trouble::say_once(&self.live, self.rank, &what);
    }
}

impl Types {
    #[inline(always)]
    fn size(&mut self, datatype: usize, library: &Library) -> u64 {
        if self.last.0 != datatype {
            self.last = (datatype, self.search(datatype, library));
        }
        self.last.1
    }

    #[inline]
    fn search(&mut self, datatype: usize, library: &Library) -> u64 {
        if let Some(size) = self.sizes.get(datatype) {
            return size;
        }
        if datatype == library.handles.type_null {
            // To ask for its size would end the program, where the call itself may not look at it.
            return 0;
        }
        let mut size = 0i64;
        // SAFETY: the program passes this datatype to the library just so, and there is room for
        // the answer.
        let failed = unsafe { library.type_size(datatype, &raw mut size as usize) } != 0;
        let size = if failed { 0 } else { u64::try_from(size).unwrap_or(0) };
        if datatype != 0 {
            self.sizes.insert(datatype, size);
        }
        size
    }

    /// A datatype was freed: its handle may be another's next.
    pub fn forget(&mut self) {
        self.sizes.clear();
        self.last = (0, 0);
    }
}
