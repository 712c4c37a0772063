//! Threads that encode and write files, so that who makes the rows does not wait for them.
//!
//! Each thread has some of the files and gets rows for them in batches through a bounded channel.

use crate::RecordError;
use rustc_hash::FxHashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// More threads than this are never kept busy.
const THREADS_MAX: usize = 8;

/// A file that a thread writes, or several that belong together.
pub trait Filed: Send + 'static {
    /// Rows for it.
    type Batch: Send;
    /// What there is to say of it when it is complete.
    type Done: Send;

    /// Take these rows in.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write(&mut self, batch: Self::Batch) -> Result<(), RecordError>;

    /// Nothing more will come.
    ///
    /// # Errors
    /// As for [`write`](Filed::write).
    fn complete(self) -> Result<Self::Done, RecordError>;
}

/// Files with the threads that write them. They are known by their places. A file that is not
/// completed does not stay.
pub struct Filing<F: Filed> {
    /// `None` for one whose error has been told.
    threads: Vec<Option<Thread<F>>>,
}

struct Thread<F: Filed> {
    jobs: SyncSender<Job<F::Batch>>,
    handle: JoinHandle<Result<Completed<F>, RecordError>>,
}

/// Files that are complete, with their places.
type Completed<F> = Vec<(usize, <F as Filed>::Done)>;

enum Job<B> {
    Write(usize, B),
    Complete(usize),
}

impl<F: Filed> Filing<F> {
    /// Start threads for these files, by their places; `None` where there is none. So many batches
    /// may wait for a thread.
    pub fn start(files: Vec<Option<F>>, batches_max: usize) -> Filing<F> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = cores.clamp(1, THREADS_MAX).min(files.len().max(1));
        let mut shares: Vec<Vec<(usize, F)>> = (0..count).map(|_| Vec::new()).collect();
        for (place, file) in files.into_iter().enumerate() {
            shares[place % count].extend(file.map(|file| (place, file)));
        }
        let threads = shares.into_iter().map(|share| Some(Thread::start(share, batches_max)));
        Filing { threads: threads.collect() }
    }

    /// Rows for the file at a place; for none they are nothing.
    ///
    /// # Errors
    /// What has failed in the thread that writes it.
    pub fn write(&mut self, place: usize, batch: F::Batch) -> Result<(), RecordError> {
        self.send(place, Job::Write(place, batch))
    }

    /// Complete the files at these places. They come in the order of their places.
    ///
    /// # Errors
    /// As for [`write`](Filing::write).
    pub fn finish(
        mut self,
        places: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<(usize, F::Done)>, RecordError> {
        places.into_iter().try_for_each(|place| self.send(place, Job::Complete(place)))?;
        let mut done = Vec::new();
        for thread in self.threads.into_iter().flatten() {
            done.extend(thread.join()?);
        }
        done.sort_by_key(|(place, _)| *place);
        Ok(done)
    }

    fn send(&mut self, place: usize, job: Job<F::Batch>) -> Result<(), RecordError> {
        let at = place % self.threads.len();
        let Some(thread) = &self.threads[at] else { return Err(RecordError::WriterGone) };
        if thread.jobs.send(job).is_ok() {
            return Ok(());
        }
        // It has ended: with its error.
        let thread = self.threads[at].take();
        thread.map_or(Ok(()), |thread| thread.join().map(drop))?;
        Err(RecordError::WriterGone)
    }
}

impl<F: Filed> Thread<F> {
    fn start(files: Vec<(usize, F)>, batches_max: usize) -> Thread<F> {
        let (jobs, work) = sync_channel(batches_max);
        Thread { jobs, handle: std::thread::spawn(move || carry_out(files, &work)) }
    }

    fn join(self) -> Result<Completed<F>, RecordError> {
        drop(self.jobs);
        self.handle.join().map_err(|_| RecordError::WriterGone)?
    }
}

fn carry_out<F: Filed>(
    files: Vec<(usize, F)>,
    jobs: &Receiver<Job<F::Batch>>,
) -> Result<Completed<F>, RecordError> {
    let mut files: FxHashMap<usize, F> = files.into_iter().collect();
    let mut done = Vec::new();
    for job in jobs {
        match job {
            Job::Write(place, batch) => {
                files.get_mut(&place).map_or(Ok(()), |file| file.write(batch))?;
            }
            Job::Complete(place) => {
                let completed = files.remove(&place).map(F::complete).transpose()?;
                done.extend(completed.map(|completed| (place, completed)));
            }
        }
    }
    Ok(done)
}

/// Put a row to the others; all of them once there are so many.
#[inline]
pub fn full_batch<T>(batch: &mut Vec<T>, row: T, rows: usize) -> Option<Vec<T>> {
    batch.push(row);
    (batch.len() >= rows).then(|| std::mem::replace(batch, Vec::with_capacity(rows)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails at a number, and panics at another.
    struct Numbers(Vec<u32>);

    const FAILS: u32 = 1000;
    const PANICS: u32 = 1001;

    impl Filed for Numbers {
        type Batch = Vec<u32>;
        type Done = Vec<u32>;

        fn write(&mut self, batch: Vec<u32>) -> Result<(), RecordError> {
            assert!(!batch.contains(&PANICS), "as it was told to");
            if batch.contains(&FAILS) {
                return Err(RecordError::Ended { path: "a file".into() });
            }
            self.0.extend(batch);
            Ok(())
        }

        fn complete(self) -> Result<Vec<u32>, RecordError> {
            Ok(self.0)
        }
    }

    fn filing(files: usize) -> Filing<Numbers> {
        // One place in three has no file.
        let files = (0..files).map(|place| (place % 3 != 2).then(|| Numbers(Vec::new())));
        Filing::start(files.collect(), 2)
    }

    #[test]
    fn each_file_gets_its_rows_in_order_and_what_is_not_wanted_is_not_completed() {
        let mut filing = filing(10);
        for number in 0..100 {
            (0..10).for_each(|place| filing.write(place, vec![number, place as u32]).unwrap());
        }
        let done = filing.finish((0..10).filter(|place| *place != 4)).unwrap();
        let places: Vec<usize> = done.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [0, 1, 3, 6, 7, 9]);
        for (place, numbers) in done {
            let expected: Vec<u32> = (0..100).flat_map(|number| [number, place as u32]).collect();
            assert_eq!(numbers, expected);
        }
    }

    #[test]
    fn what_fails_is_told_and_a_thread_that_is_gone_is_not_waited_for() {
        let mut failing = filing(1);
        failing.write(0, vec![FAILS]).unwrap();
        let error = (0..).find_map(|number| failing.write(0, vec![number % 10]).err()).unwrap();
        assert!(matches!(error, RecordError::Ended { .. }), "{error}");
        assert!(matches!(failing.write(0, vec![1]), Err(RecordError::WriterGone)));
        let mut panicking = filing(1);
        panicking.write(0, vec![PANICS]).unwrap();
        assert!(matches!(panicking.finish([0]), Err(RecordError::WriterGone)));
    }

    #[test]
    fn a_batch_is_handed_over_when_it_is_full() {
        let mut batch = Vec::new();
        let full: Vec<_> = (0..7).filter_map(|row| full_batch(&mut batch, row, 3)).collect();
        assert_eq!((full, batch), (vec![vec![0, 1, 2], vec![3, 4, 5]], vec![6]));
    }
}
