//! Paged memory, as threads of the program see it.

use crate::arena::whole_pages;
use crate::descriptors::own_table;
use crate::engine::{Engine, Shared};
use crate::mailbox::{Mailbox, Request, Stretch};
use crate::ours::{Last, Ours};
use crate::{Config, RmemError};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// A program's paged memory. One for each process; every thread may use it.
pub struct Memory {
    shared: Arc<Shared>,
    /// A forked child has no engine.
    process: u32,
}

/// Keeps a range resident while it lives: for the system calls of a program whose kernel serves
/// only faults of user mode.
pub struct Hold<'a> {
    memory: &'a Memory,
    stretch: Option<Stretch>,
}

impl Memory {
    /// Connect to the servers and start the engine.
    ///
    /// # Errors
    /// When the kernel or the servers refuse.
    pub fn start(config: Config) -> Result<Memory, RmemError> {
        let system = |action| move |source| RmemError::System { action, source };
        let mailbox = Mailbox::new().map_err(system("make an event descriptor"))?;
        let (tell, told) = sync_channel(1);
        let signals = Signals::block();
        let last = Last::new().map_err(system("start a thread"))?;
        let engine = move || match prepare(config, mailbox, last) {
            Ok((engine, shared)) => {
                // The other end waits.
                let _ours = Ours::begin();
                let _ = tell.send(Ok(shared));
                run_or_die(engine);
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let started = std::thread::Builder::new().name("pager".into()).spawn(engine);
        drop(signals);
        started.map_err(system("start a thread"))?;
        let shared = told.recv().map_err(|_| RmemError::NoEngine)??;
        Ok(Memory { shared, process: std::process::id() })
    }

    /// Whether the kernel serves only faults of user mode: system calls then fail on pages that are
    /// away, unless held.
    pub fn user_mode_only(&self) -> bool {
        self.shared.user_mode_only
    }

    /// New memory, all zero, in whole pages.
    ///
    /// # Errors
    /// When there is no address space, or no engine.
    pub fn map(&self, bytes: usize) -> Result<*mut u8, RmemError> {
        let bytes = whole_pages(bytes);
        let address = self.shared.arena.take(bytes)?;
        self.ask(Request::Map(Stretch { address, bytes }))?;
        Ok(address as *mut u8)
    }

    /// Address space alone: no access, no memory. At an address of the caller's choice, if it names
    /// one that can be had.
    ///
    /// # Errors
    /// When there is no address space.
    pub fn reserve(&self, bytes: usize, wish: usize) -> Result<*mut u8, RmemError> {
        let (arena, bytes) = (&self.shared.arena, whole_pages(bytes));
        let place = (wish != 0).then(|| arena.take_place(wish, bytes)).flatten();
        let address = place.map_or_else(|| arena.take_closed(bytes), Ok)?;
        Ok(address as *mut u8)
    }

    /// New memory, all zero, in a range that was reserved or closed.
    ///
    /// # Errors
    /// When the kernel gives none, or there is no engine.
    pub fn commit(&self, address: usize, bytes: usize) -> Result<(), RmemError> {
        self.shared.arena.open(address, bytes)?;
        self.ask(Request::Map(Stretch { address, bytes }))?;
        Ok(())
    }

    /// Give memory back and keep its addresses, without access.
    pub fn close(&self, address: usize, bytes: usize) {
        // As below.
        let _ = self.ask(Request::Close(Stretch { address, bytes }));
    }

    /// Bring whole pages, and keep them until they are let go. `false`: that is too much of the
    /// local memory.
    pub fn keep(&self, address: usize, bytes: usize) -> bool {
        self.ask(Request::Hold(Stretch { address, bytes })).unwrap_or(false)
    }

    /// Keep what is there of memory that nobody can touch. The same.
    pub fn pin(&self, address: usize, bytes: usize) -> bool {
        self.ask(Request::Pin(Stretch { address, bytes })).unwrap_or(false)
    }

    /// What was kept may leave again.
    pub fn let_go(&self, address: usize, bytes: usize) {
        // As below.
        let _ = self.ask(Request::Release(Stretch { address, bytes }));
    }

    /// Give memory back; part of a mapping may be.
    pub fn unmap(&self, address: usize, bytes: usize) {
        // Without an engine there is nothing to give back to: a forked child does not have the
        // memory.
        let _ = self.ask(Request::Unmap(Stretch { address, bytes: whole_pages(bytes) }));
    }

    /// What `MADV_DONTNEED` does: zero again.
    pub fn forget(&self, address: usize, bytes: usize) {
        // As above.
        let _ = self.ask(Request::Forget(Stretch { address, bytes: whole_pages(bytes) }));
    }

    /// Change the size of a mapping; `None` where it would have to move and may not.
    ///
    /// # Errors
    /// When there is no address space, or no engine.
    pub fn remap(
        &self,
        address: usize,
        bytes: usize,
        new: usize,
        may_move: bool,
    ) -> Result<Option<*mut u8>, RmemError> {
        let (old, new) = (whole_pages(bytes), whole_pages(new));
        if new < old {
            self.ask(Request::Unmap(Stretch { address: address + new, bytes: old - new }))?;
        }
        if new <= old {
            return Ok(Some(address as *mut u8));
        }
        let tail = Stretch { address: address + old, bytes: new - old };
        if self.shared.arena.take_at(tail.address, tail.bytes)?.is_some() {
            self.ask(Request::Map(tail))?;
            return Ok(Some(address as *mut u8));
        }
        if !may_move {
            return Ok(None);
        }
        let to = self.map(new)? as usize;
        self.ask(Request::Move { from: Stretch { address, bytes: old }, to })?;
        Ok(Some(to as *mut u8))
    }

    /// Whether any part of the range is paged. Without a lock; asked for every intercepted call.
    #[inline]
    pub fn covers(&self, address: usize, bytes: usize) -> bool {
        self.shared.arena.covers(address, bytes)
    }

    /// Keep a range resident until the guard is dropped. Ranges that are not paged, or larger than
    /// half of local memory, are not held.
    pub fn hold(&self, address: usize, bytes: usize) -> Hold<'_> {
        let start = address / pager::PAGE_BYTES * pager::PAGE_BYTES;
        let stretch = Stretch { address: start, bytes: whole_pages(address + bytes - start) };
        let held = bytes > 0
            && self.covers(address, bytes)
            && self.ask(Request::Hold(stretch)).unwrap_or(false);
        Hold { memory: self, stretch: held.then_some(stretch) }
    }

    /// Before a fork: from now on all that has contents may be in memory, and none of it leaves,
    /// until [`scatter`](Self::scatter). `false`: it is more than `most_bytes`.
    pub fn gather(&self, most_bytes: u64) -> bool {
        let most = most_bytes / pager::PAGE_BYTES as u64;
        self.ask(Request::Gather { most }).unwrap_or(false)
    }

    /// Bring what has contents of a range. `false`: a part of it is lost.
    pub fn bring(&self, address: usize, bytes: usize) -> bool {
        self.ask(Request::Bring(Stretch { address, bytes })).unwrap_or(false)
    }

    /// Pages may leave again.
    pub fn scatter(&self) {
        // As above.
        let _ = self.ask(Request::Scatter);
    }

    /// The program ends: write the summary and the last records. Faults are served on until the
    /// process is gone.
    pub fn finish(&self) {
        // A forked child has nothing to say.
        let _ = self.ask(Request::Finish);
    }

    /// Whether it was granted.
    fn ask(&self, request: Request) -> Result<bool, RmemError> {
        if std::process::id() != self.process {
            return Err(RmemError::NoEngine);
        }
        Ok(self.shared.mailbox.ask(request))
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if let Some(stretch) = self.stretch {
            // It was there a moment ago; if it is not, nothing is held.
            let _ = self.memory.ask(Request::Release(stretch));
        }
    }
}

fn prepare(
    config: Config,
    mailbox: Mailbox,
    last: Last,
) -> Result<(Engine, Arc<Shared>), RmemError> {
    own_table(mailbox.as_fd()).map_err(|source| RmemError::System {
        action: "give the engine a table of descriptors of its own",
        source,
    })?;
    Engine::prepare(config, mailbox, last)
}

/// A program whose pages nobody brings would wait for ever: a mistake of the engine ends it, and
/// says so.
fn run_or_die(engine: Engine) {
    let run = std::panic::AssertUnwindSafe(|| engine.run());
    if std::panic::catch_unwind(run).is_err() {
        let words = b"fourstamp: the paging engine has failed, and the program cannot \
            continue without its pages; please report the lines above\n";
        // SAFETY: the bytes are there. Nothing is to be done if standard error is closed.
        unsafe { libc::write(2, words.as_ptr().cast(), words.len()) };
        std::process::abort();
    }
}

/// Signals are the program's: threads that are started while this lives take none.
struct Signals(libc::sigset_t);

impl Signals {
    fn block() -> Signals {
        // SAFETY: both sets are filled in by these calls before they are used.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Signals(before)
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // SAFETY: the set came from the system.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
        };
    }
}
