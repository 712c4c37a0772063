//! How threads of the program ask the engine for something, and wait until it is done.

use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// A stretch of addresses, in whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub address: usize,
    pub bytes: usize,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// This memory is new.
    Map(Stretch),
    /// This memory is to be given back, and its addresses with it.
    Unmap(Stretch),
    /// This memory is to be given back; its addresses stay the program's.
    Close(Stretch),
    /// This memory is to be zero again.
    Forget(Stretch),
    /// The contents of this memory are to be at the address `to`, which is mapped and untouched.
    Move { from: Stretch, to: usize },
    /// This memory is to be there and to stay.
    Hold(Stretch),
    /// Nobody can touch this memory: what is there of it is to stay.
    Pin(Stretch),
    /// No longer, either of them.
    Release(Stretch),
    /// No more than so many pages have contents: all of them may be here, and none leaves.
    Gather { most: u64 },
    /// What has contents of this memory is to be here, between the two.
    Bring(Stretch),
    /// Pages leave again.
    Scatter,
    /// The program ends.
    Finish,
}

/// What the asking thread waits on.
pub struct Ticket {
    /// Whether it was granted, once that is known.
    done: Mutex<Option<bool>>,
    changed: Condvar,
}

/// Requests on their way to the engine.
pub struct Mailbox {
    requests: Mutex<VecDeque<(Request, Arc<Ticket>)>>,
    /// Whether there are any: looked at by the engine in each round.
    some: AtomicBool,
    bell: OwnedFd,
    /// The file behind it: the program may have closed it, and opened another.
    file: (u64, u64),
}

impl Mailbox {
    pub fn new() -> io::Result<Mailbox> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Mailbox {
            requests: Mutex::default(),
            some: AtomicBool::new(false),
            file: file(&bell)?,
            bell,
        })
    }

    /// Ask, and wait until it is done. Whether it was granted.
    pub fn ask(&self, request: Request) -> bool {
        let ticket = Arc::new(Ticket { done: Mutex::new(None), changed: Condvar::new() });
        {
            let mut requests = lock(&self.requests);
            requests.push_back((request, Arc::clone(&ticket)));
            self.some.store(true, Ordering::Release);
        }
        self.ring();
        ticket.wait()
    }

    /// Wake the engine. Without the bell it looks here a hundred times a second.
    fn ring(&self) {
        if file(&self.bell).ok() != Some(self.file) {
            return;
        }
        // It can only fail when it has been rung 2^64 times without an answer.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// What has come since.
    pub fn take(&self, into: &mut Vec<(Request, Arc<Ticket>)>) {
        if self.some.swap(false, Ordering::Acquire) {
            let mut word = [0; 8];
            // Nothing to read means that it was rung between our looking and now: then it will wake
            // us once for nothing.
            let _ = rustix::io::read(&self.bell, &mut word);
            into.extend(lock(&self.requests).drain(..));
        }
    }
}

impl AsFd for Mailbox {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Ticket {
    /// It is done, or refused.
    pub fn answer(&self, granted: bool) {
        *lock(&self.done) = Some(granted);
        self.changed.notify_one();
    }

    fn wait(&self) -> bool {
        let mut done = lock(&self.done);
        loop {
            if let Some(granted) = *done {
                return granted;
            }
            done = self.changed.wait(done).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// Device and inode.
fn file(descriptor: impl AsFd) -> io::Result<(u64, u64)> {
    let about = rustix::fs::fstat(descriptor)?;
    Ok((about.st_dev, about.st_ino))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
