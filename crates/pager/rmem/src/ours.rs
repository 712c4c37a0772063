//! Our own threads, and the end of a process in which only they are left.
//!
//! A process ends when the last of its threads does, and the C library then calls `exit`, as when
//! `main` ends by `pthread_exit` and the threads that it began go on. Ours are threads as well, so
//! nobody would be the last.

use std::collections::BTreeSet;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// What the names of the recorder's threads begin with.
const RECORDERS: &str = "fourstamp-";

/// The numbers of those that run, but for the recorder's.
static OURS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// What a thread of ours holds for as long as it runs. One that has not begun, or has just ended,
/// is taken for one of the program's, so that no process is ended too early.
pub struct Ours(i32);

impl Ours {
    pub fn begin() -> Ours {
        let number = rustix::thread::gettid().as_raw_nonzero().get();
        ours().insert(number);
        Ours(number)
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        ours().remove(&self.0);
    }
}

fn ours() -> MutexGuard<'static, BTreeSet<i32>> {
    // A panic leaves a number too many or too few, and no set half changed.
    OURS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks of the engine from one to the next that costs something: a tenth of a second.
const EVERY: u32 = 10;
/// Enough for what programs have run at their exit.
const STACK: usize = 1 << 20;

/// Ends the process once only our threads are left.
pub struct Last {
    end: SyncSender<i32>,
    looks: u32,
    over: bool,
}

impl Last {
    /// To be called in a thread of the program: what is written at the exit goes to the program's
    /// descriptors, of which the engine has none, and waits for the engine.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new() -> io::Result<Last> {
        let (end, told) = sync_channel(1);
        let wait = move || {
            let _ours = Ours::begin();
            if let Ok(code) = told.recv() {
                // SAFETY: what the C library does in the last thread of a process, and this one
                // stands for it: no other thread of the program is left.
                unsafe { libc::exit(code) };
            }
        };
        std::thread::Builder::new().name("pager-end".into()).stack_size(STACK).spawn(wait)?;
        Ok(Last { end, looks: 0, over: false })
    }

    /// To be called at every tick.
    pub fn look(&mut self) {
        self.looks = self.looks.wrapping_add(1);
        if self.over || !self.looks.is_multiple_of(EVERY) {
            return;
        }
        let Some(code) = code_of_dead_main() else { return };
        if !is_alone() {
            return;
        }
        self.over = self.end.send(code).is_ok();
    }
}

/// With which exit code the first thread has ended, if it has.
fn code_of_dead_main() -> Option<i32> {
    code_in(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn code_in(stat: &str) -> Option<i32> {
    // Of the fields behind the name, which may have blanks and parentheses in it.
    const STATE: usize = 0;
    const EXIT_CODE: usize = 49;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let status: i32 = fields.get(EXIT_CODE)?.parse().ok()?;
    is_over(fields.get(STATE)?).then_some(status >> 8 & 0xff)
}

fn is_over(state: &str) -> bool {
    matches!(state, "Z" | "X")
}

/// Whether all threads of this process that have not ended are ours.
fn is_alone() -> bool {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return false };
    // What has ended since it was listed is not there.
    let stats =
        threads.flatten().filter_map(|one| fs::read_to_string(one.path().join("stat")).ok());
    let going_on: Vec<i32> = stats.filter_map(|stat| going_on(&stat)).collect();
    let ours = ours();
    going_on.iter().all(|number| ours.contains(number))
}

/// The number of a thread that goes on, and is not of the recorder, which names its own.
fn going_on(stat: &str) -> Option<i32> {
    let (name, rest) = stat.rsplit_once(')')?;
    let (number, name) = name.split_once(" (")?;
    let state = rest.split_whitespace().next()?;
    if is_over(state) || name.starts_with(RECORDERS) {
        return None;
    }
    // One that cannot be read is nobody's.
    Some(number.parse().unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_first_thread_that_has_ended_has_a_code() {
        let stat = |state: &str, status: i32| {
            format!("7 (a b) c) {state} {} {status}", ["1"; 48].join(" "))
        };
        assert_eq!(code_in(&stat("Z", 4 << 8)), Some(4));
        assert_eq!(code_in(&stat("S", 0)), None);
        assert_eq!(code_in("7 (a) Z 1"), None);
        assert_eq!(code_of_dead_main(), None, "this process goes on");
        assert_eq!(going_on("8 (a (b) c) S 1"), Some(8));
        assert_eq!(going_on("8 (worker) Z 1"), None);
        assert_eq!(going_on("8 (fourstamp-keep) S 1"), None);
    }

    #[test]
    fn a_thread_that_is_not_ours_is_company() {
        let _ours = Ours::begin();
        assert!(!is_alone(), "the thread that waits for this test");
    }
}
