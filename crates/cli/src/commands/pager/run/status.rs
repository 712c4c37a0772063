//! How far the program is: on SIGUSR1, or each second. And, unasked, when it cannot go on.

use crate::paged;
use pager_facts::{Paged, ServerState};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Looks after which the columns are named again: a screenful.
const HEAD_EVERY: usize = 20;

const NO_ROOM: &str = "fourstamp: no server has room for more pages and the disk (--disk) is full: \
the program waits until there is room; free some, or end it";

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
                let was_stuck = std::mem::replace(
                    &mut stuck,
                    paged::processes(&watched).iter().any(|one| one.no_room),
                );
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

/// A line for each process, below the names of the columns.
fn say(run: &Path, with_head: bool) {
    // At most a second old.
    let all = paged::processes(run);
    if all.is_empty() {
        return eprintln!("fourstamp: nothing is paged yet");
    }
    if with_head {
        eprintln!(
            "{}",
            row(["process", "time", "here", "outside", "pages out", "pages in", "servers up"])
        );
    }
    all.iter().for_each(|progress| eprintln!("{}", line(progress)));
}

fn line(process: &Paged) -> String {
    let up = process.servers.iter().filter(|server| server.state == ServerState::Up).count();
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let cells = [
        process.pid.to_string(),
        format!("{:.0} s", process.seconds.elapsed),
        mib(process.resident_bytes),
        mib(process.outside_bytes),
        process.page_outs.to_string(),
        process.page_ins.to_string(),
        format!("{up} of {}", process.servers.len()),
    ];
    row(cells.each_ref().map(String::as_str))
}

/// In columns that leave room for a day and for terabytes, and fit 80.
fn row([process, time, here, outside, out, back, up]: [&str; 7]) -> String {
    format!("{process:>8}{time:>8}{here:>13}{outside:>14}{out:>12}{back:>12}{up:>12}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager_facts::ServerState::{Down, Up};
    use pager_facts::{PageServer, PagedSeconds};

    #[test]
    fn columns_line_up_in_80() {
        let one = |pid, pages, servers: &[ServerState]| {
            let servers =
                servers.iter().map(|state| PageServer { state: *state, ..Default::default() });
            line(&Paged {
                pid,
                resident_bytes: 8 << 20,
                outside_bytes: pages * 4096,
                page_ins: pages,
                page_outs: 7 * pages,
                seconds: PagedSeconds { elapsed: pages as f64 / 10_000.0, ..Default::default() },
                servers: servers.collect(),
                ..Paged::default()
            })
        };
        let lines = [one(7, 12, &[]), one(4_194_304, 123_456_789, &[Up, Down, Up])];
        assert!(lines[1].ends_with("2 of 3") && lines[1].contains("482253.1 MiB"), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.chars().count() == 79), "{lines:?}");
    }
}
