//! How far the program is: on SIGUSR1, or each second. And, unasked, when it cannot go on.

use pager_drive::facts::processes;
use pager_drive::news::News;
use pager_drive::patience::Patience;
use pager_drive::status::{NO_ROOM, lines};
use pager_drive::unpaged::{Bound, Watch, programs};
use pager_facts::Paged;
use rustix::process::{Pid, Signal, kill_process};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks after which the columns are named again: a screenful.
const HEAD_EVERY: usize = 20;
/// How often the program's memory is looked at: a program may be short.
const LOOK: Duration = Duration::from_millis(200);
/// Looks a second.
const LOOKS: usize = 5;
/// How long a process has to end when it is asked to, s.
const END_S: u64 = 5;

/// Says how far a run is until it ends.
pub struct Status {
    run: PathBuf,
    bound: Bound,
    end: Sender<()>,
    thread: JoinHandle<Vec<String>>,
}

/// What the user wants to know, and how long to wait.
pub struct Wanted {
    pub each_second: bool,
    /// Zero: for ever.
    pub give_up_after: Duration,
}

/// What the thread that looks knows.
struct Looks {
    run: PathBuf,
    bound: Bound,
    each_second: bool,
    watch: Watch,
    news: News,
    /// Until a process is asked to end, and until it is killed.
    patience: [(Patience, Signal); 2],
    give_up_after: Duration,
    stuck: bool,
}

impl Status {
    /// For the run at `path`; each second, if asked for.
    pub fn new(path: &Path, bound: Bound, wanted: &Wanted) -> Status {
        let (end, ended) = channel();
        let mut looks = Looks {
            run: path.to_path_buf(),
            bound: bound.clone(),
            each_second: wanted.each_second,
            watch: Watch::new(bound.clone()),
            news: News::default(),
            patience: patience(wanted.give_up_after),
            give_up_after: wanted.give_up_after,
            stuck: false,
        };
        if !Watch::is_possible() {
            eprintln!(
                "fourstamp: this kernel does not list the children of a process \
                (CONFIG_PROC_CHILDREN): memory that is not paged is not watched"
            );
        }
        let watch = move || {
            let mut number = 0;
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                looks.look(number);
                number += 1;
            }
            looks.news();
            looks.watch.summary()
        };
        Status { run: path.to_path_buf(), bound, end, thread: std::thread::spawn(watch) }
    }

    /// SIGUSR1 is a question; all other signals are the program's.
    pub fn on_signal(&self) -> impl Fn(i32) -> bool + Send + 'static {
        let (run, bound) = (self.run.clone(), self.bound.clone());
        move |signal| {
            let asked = signal == signal_hook::consts::SIGUSR1;
            if asked {
                say(&run, &bound, true);
            }
            asked
        }
    }

    /// No more. What was not paged, a line for each process that had more than it was to have.
    pub fn end(self) -> Vec<String> {
        drop(self.end);
        self.thread.join().unwrap_or_default()
    }
}

impl Looks {
    fn look(&mut self, number: usize) {
        self.watch.look().iter().for_each(|line| eprintln!("{line}"));
        let processes = self.news();
        let (second, part) = (number / LOOKS, number % LOOKS);
        if part < LOOKS - 1 {
            return;
        }
        if self.each_second {
            say(&self.run, &self.bound, second.is_multiple_of(HEAD_EVERY));
        }
        let stuck = processes.iter().any(|process| process.no_room);
        if stuck && !std::mem::replace(&mut self.stuck, stuck) {
            eprintln!("{NO_ROOM}{}", self.limit());
        }
        self.stuck = stuck;
        self.give_up(&processes);
    }

    /// Tell what has happened.
    fn news(&mut self) -> Vec<Paged> {
        let processes = processes(&self.run);
        self.news.look(&processes).iter().for_each(|line| eprintln!("{line}"));
        processes
    }

    fn limit(&self) -> String {
        match self.give_up_after.as_secs() {
            0 => String::new(),
            seconds => format!("; in {seconds} s it is ended (--give-up-after)"),
        }
    }

    fn give_up(&mut self, processes: &[Paged]) {
        let running = programs();
        for (patience, signal) in &mut self.patience {
            for pid in patience.look(processes).into_iter().filter(|pid| running.contains(pid)) {
                eprintln!(
                    "fourstamp: process {pid} has waited for room for {} s (--give-up-after) and \
                    is ended by {}: the servers and the disk are full; give the servers more \
                    memory, or name a larger folder with --disk",
                    self.give_up_after.as_secs(),
                    if *signal == Signal::TERM { "SIGTERM" } else { "SIGKILL" }
                );
                let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
                // One that has ended by itself needs no ending.
                let _ = pid.map(|pid| kill_process(pid, *signal));
            }
        }
    }
}

/// One look a second.
fn patience(most: Duration) -> [(Patience, Signal); 2] {
    let seconds = most.as_secs();
    let kill = if seconds == 0 { 0 } else { seconds + END_S };
    [(Patience::new(seconds), Signal::TERM), (Patience::new(kill), Signal::KILL)]
}

fn say(run: &Path, bound: &Bound, with_head: bool) {
    lines(run, &bound.over(), with_head).iter().for_each(|line| eprintln!("{line}"));
}
