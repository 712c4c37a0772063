//! Our own threads, and the end of a process in which only they are left.
//!
//! A process ends when the last of its threads does, and the C library then calls `exit`, as when
//! `main` ends by `pthread_exit` and the threads that it began go on. Ours are threads as well, so
//! nobody would be the last.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::{fs, io};

/// What the names of the recorder's threads begin with.
const RECORDERS: &str = "fourstamp-";

/// How many there are besides those of the recorder.
static OURS: AtomicUsize = AtomicUsize::new(0);

/// What a thread of ours holds for as long as it runs. One that has not begun, or has just ended,
/// counts as the program's, so that no process is ended too early.
pub struct Ours(());

impl Ours {
    pub fn begin() -> Ours {
        OURS.fetch_add(1, SeqCst);
        Ours(())
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        OURS.fetch_sub(1, SeqCst);
    }
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
        if living() != Some(OURS.load(SeqCst)) {
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

/// Threads of this process that have not ended, but for those of the recorder.
fn living() -> Option<usize> {
    let threads = fs::read_dir("/proc/self/task").ok()?.flatten();
    let stats = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
    Some(stats.filter(|stat| counts(stat)).count())
}

/// Whether a thread goes on, and is not of the recorder, which names its own.
fn counts(stat: &str) -> bool {
    let Some((name, rest)) = stat.rsplit_once(')') else { return false };
    let name = name.split_once('(').map_or("", |(_, name)| name);
    let state = rest.split_whitespace().next();
    state.is_some_and(|state| !is_over(state)) && !name.starts_with(RECORDERS)
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
        assert!(counts("8 (worker) S 1") && !counts("8 (worker) Z 1"));
        assert!(!counts("8 (fourstamp-keep) S 1"));
        assert!(living() >= Some(2), "this thread, and the one that waits for it");
    }
}
