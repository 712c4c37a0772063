//! How far the program is: on SIGUSR1, or each second. And, unasked, when it cannot go on.

use pager_drive::status::{NO_ROOM, is_stuck, lines};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks after which the columns are named again: a screenful.
const HEAD_EVERY: usize = 20;

/// Says how far a run is until it ends.
pub struct Status {
    run: PathBuf,
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Status {
    /// For the run at `path`; each second, if asked for.
    pub fn new(path: &Path, each_second: bool) -> Status {
        let run = path.to_path_buf();
        let (end, ended) = channel();
        let watched = run.clone();
        let watch = move || {
            let (mut looks, mut stuck) = (0, false);
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                if each_second {
                    say(&watched, looks % HEAD_EVERY == 0);
                }
                looks += 1;
                let was_stuck = std::mem::replace(&mut stuck, is_stuck(&watched));
                if stuck && !was_stuck {
                    eprintln!("{NO_ROOM}");
                }
            }
        };
        Status { run, end, thread: std::thread::spawn(watch) }
    }

    /// SIGUSR1 is a question; all other signals are the program's.
    pub fn on_signal(&self) -> impl Fn(i32) -> bool + Send + 'static {
        let run = self.run.clone();
        move |signal| {
            let asked = signal == signal_hook::consts::SIGUSR1;
            if asked {
                say(&run, true);
            }
            asked
        }
    }

    /// No more.
    pub fn end(self) {
        drop(self.end);
        // It has nothing to say that would matter now.
        let _ = self.thread.join();
    }
}

fn say(run: &Path, with_head: bool) {
    lines(run, with_head).iter().for_each(|line| eprintln!("{line}"));
}
