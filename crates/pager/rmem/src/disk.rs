//! The local disk as a place for pages: a nameless file, read and written by a thread of its own.

use crate::RmemError;
use crate::ours::Ours;
use crate::wire::fields::PageBytes;
use clock::Clock;
use pager::{PAGE_BYTES, Tag};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{pread, pwrite};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Most pages in one call of the system.
const BATCH: usize = 64;

/// Pages in a row, aligned as reading past the system's cache demands.
#[repr(C, align(4096))]
struct Pages([PageBytes; BATCH]);

enum Job {
    Write { operation: u64, slot: u32, bytes: Box<PageBytes>, sent: u64 },
    Read { operation: u64, slot: u32, sent: u64 },
}

/// Something that has been done.
pub struct Done {
    pub operation: u64,
    pub times: DiskTimes,
    pub outcome: io::Result<Found>,
}

/// What a job was.
pub enum Found {
    Stored,
    Page { bytes: Box<PageBytes>, tag: Option<Tag> },
}

/// Ticks of the program's clock.
#[derive(Clone, Copy, Debug)]
pub struct DiskTimes {
    /// It was asked for.
    pub sent: u64,
    /// The thread that reads and writes had it.
    pub arrived: u64,
    /// It was done.
    pub taken: u64,
}

/// The file, its thread, and what its slots hold.
pub struct Disk {
    jobs: Option<Sender<Job>>,
    done: Receiver<Raw>,
    bell: std::sync::Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
    tags: Vec<Option<Tag>>,
}

/// As the thread says it: tags are not its business.
struct Raw {
    operation: u64,
    slot: u32,
    times: DiskTimes,
    outcome: io::Result<Option<Box<PageBytes>>>,
}

impl Disk {
    /// A new file in `folder`, gone with this process.
    pub fn open(folder: &Path, clock: Clock) -> Result<Disk, RmemError> {
        let failed = |source| RmemError::Disk { folder: folder.to_path_buf(), source };
        let file = open_nameless(folder).map_err(failed)?;
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|e| failed(e.into()))?;
        let bell = std::sync::Arc::new(bell);
        let (jobs, queue) = channel();
        let (finished, done) = channel();
        let ring = std::sync::Arc::clone(&bell);
        let work = move || {
            let _ours = Ours::begin();
            Worker { file, clock, queue, finished, ring, buffer: aligned() }.run();
        };
        let thread =
            std::thread::Builder::new().name("pager-disk".into()).spawn(work).map_err(failed)?;
        Ok(Disk { jobs: Some(jobs), done, bell, thread: Some(thread), tags: Vec::new() })
    }

    /// Keep a page.
    pub fn write(&mut self, operation: u64, slot: u32, tag: Tag, bytes: &PageBytes, sent: u64) {
        let at = slot as usize;
        if self.tags.len() <= at {
            self.tags.resize(at + 1, None);
        }
        self.tags[at] = Some(tag);
        self.give(Job::Write { operation, slot, bytes: Box::new(*bytes), sent });
    }

    /// Bring a page.
    pub fn read(&mut self, operation: u64, slot: u32, sent: u64) {
        self.give(Job::Read { operation, slot, sent });
    }

    /// What a slot should hold.
    pub fn tag(&self, slot: u32) -> Option<Tag> {
        self.tags.get(slot as usize).copied().flatten()
    }

    /// The slot holds nothing of use.
    pub fn discard(&mut self, slot: u32) {
        if let Some(tag) = self.tags.get_mut(slot as usize) {
            *tag = None;
        }
    }

    /// The next that is done, without waiting.
    pub fn next_done(&mut self) -> Option<Done> {
        let Raw { operation, slot, times, outcome } = self.done.try_recv().ok()?;
        let tag = self.tag(slot);
        let found = |bytes: Option<Box<PageBytes>>| match bytes {
            Some(bytes) => Found::Page { bytes, tag },
            None => Found::Stored,
        };
        Some(Done { operation, times, outcome: outcome.map(found) })
    }

    /// Stop the bell.
    pub fn hush(&self) {
        // Nothing to read: it was not ringing.
        let _ = rustix::io::read(&*self.bell, &mut [0; 8]);
    }

    fn give(&mut self, job: Job) {
        let jobs = self.jobs.as_ref().expect("the queue is there until the end");
        jobs.send(job).expect("the thread is there as long as the queue is");
    }
}

impl AsFd for Disk {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (*self.bell).as_fd()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // If it panicked, its file is gone all the same.
            let _ = thread.join();
        }
    }
}

struct Worker {
    file: OwnedFd,
    clock: Clock,
    queue: Receiver<Job>,
    finished: Sender<Raw>,
    ring: std::sync::Arc<OwnedFd>,
    buffer: Box<Pages>,
}

impl Worker {
    fn run(mut self) {
        let mut jobs = Vec::with_capacity(BATCH);
        while let Ok(job) = self.queue.recv() {
            jobs.push(job);
            jobs.extend(self.queue.try_iter().take(BATCH - 1));
            let arrived = self.clock.now().0;
            for run in jobs.chunk_by(neighbours) {
                self.carry_out(run, arrived);
            }
            jobs.clear();
            // It is only full when it rings already.
            let _ = rustix::io::write(&*self.ring, &1u64.to_ne_bytes());
        }
    }

    /// Jobs of one kind on slots in a row.
    fn carry_out(&mut self, run: &[Job], arrived: u64) {
        let reading = matches!(run[0], Job::Read { .. });
        let result = if reading { self.read(run) } else { self.write(run) };
        let taken = self.clock.now().0;
        for (at, job) in run.iter().enumerate() {
            let (operation, slot, sent) = job.about();
            let outcome = match &result {
                Ok(()) => Ok(reading.then(|| Box::new(self.buffer.0[at]))),
                Err(error) => Err(io::Error::from(*error)),
            };
            let times = DiskTimes { sent, arrived, taken };
            // Nobody listens any more when the program ends.
            let _ = self.finished.send(Raw { operation, slot, times, outcome });
        }
    }

    fn read(&mut self, run: &[Job]) -> rustix::io::Result<()> {
        let mut bytes = &mut self.buffer.0.as_flattened_mut()[..run.len() * PAGE_BYTES];
        let mut offset = u64::from(run[0].about().1) * PAGE_BYTES as u64;
        while !bytes.is_empty() {
            let read = pread(&self.file, &mut *bytes, offset)?;
            if read == 0 {
                return Err(rustix::io::Errno::IO);
            }
            (bytes, offset) = (&mut bytes[read..], offset + read as u64);
        }
        Ok(())
    }

    fn write(&mut self, run: &[Job]) -> rustix::io::Result<()> {
        for (page, job) in self.buffer.0.iter_mut().zip(run) {
            if let Job::Write { bytes, .. } = job {
                page.copy_from_slice(&**bytes);
            }
        }
        let mut bytes = &self.buffer.0.as_flattened()[..run.len() * PAGE_BYTES];
        let mut offset = u64::from(run[0].about().1) * PAGE_BYTES as u64;
        while !bytes.is_empty() {
            let written = pwrite(&self.file, bytes, offset)?;
            (bytes, offset) = (&bytes[written..], offset + written as u64);
        }
        Ok(())
    }
}

impl Job {
    /// Operation, slot, when it was asked for.
    fn about(&self) -> (u64, u32, u64) {
        match *self {
            Job::Write { operation, slot, sent, .. } | Job::Read { operation, slot, sent } => {
                (operation, slot, sent)
            }
        }
    }
}

fn neighbours(one: &Job, next: &Job) -> bool {
    matches!(one, Job::Read { .. }) == matches!(next, Job::Read { .. })
        && one.about().1 + 1 == next.about().1
}

/// Past the system's cache, which would take the memory that the program lacks, where the file
/// system can do that.
fn open_nameless(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let private = Mode::RUSR | Mode::WUSR;
    let file = openat(CWD, folder, flags | OFlags::DIRECT, private)
        .or_else(|_| openat(CWD, folder, flags, private))?;
    Ok(file)
}

fn aligned() -> Box<Pages> {
    Box::new(Pages([[0; PAGE_BYTES]; BATCH]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager::Checksum;

    fn wait(disk: &mut Disk) -> Done {
        loop {
            if let Some(done) = disk.next_done() {
                return done;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn pages_come_back_with_their_tags() {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::open(folder.path(), Clock::system()).unwrap();
        let tag = |version| Tag { version, checksum: Checksum(7) };
        for slot in 0..200 {
            disk.write(u64::from(slot), slot, tag(u64::from(slot)), &[slot as u8; PAGE_BYTES], 0);
        }
        for operation in 0..200 {
            assert_eq!(wait(&mut disk).operation, operation);
        }
        for slot in (0..200).rev() {
            disk.read(1000 + u64::from(slot), slot, 0);
        }
        for slot in (0..200u32).rev() {
            let done = wait(&mut disk);
            assert_eq!(done.operation, 1000 + u64::from(slot));
            let Ok(Found::Page { bytes, tag: found }) = done.outcome else { panic!("a page") };
            assert_eq!((*bytes, found), ([slot as u8; PAGE_BYTES], Some(tag(u64::from(slot)))));
        }
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the file has no name");
    }

    #[test]
    fn what_was_never_written_cannot_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::open(folder.path(), Clock::system()).unwrap();
        disk.read(1, 5, 0);
        assert!(wait(&mut disk).outcome.is_err());
        assert!(Disk::open(Path::new("/nonexistent"), Clock::system()).is_err());
    }
}
