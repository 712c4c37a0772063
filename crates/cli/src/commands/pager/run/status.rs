//! How far the program is: on SIGUSR1, or each second. And, unasked, when it cannot go on.

use serde::Deserialize;
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
    folder: PathBuf,
    end: Sender<()>,
    thread: JoinHandle<()>,
}

/// What of a process's progress is shown.
#[derive(Deserialize)]
struct Progress {
    pid: u32,
    resident_bytes: u64,
    outside_bytes: u64,
    page_ins: u64,
    page_outs: u64,
    seconds: Seconds,
    servers: Vec<Server>,
    no_room: bool,
}

#[derive(Deserialize)]
struct Seconds {
    elapsed: f64,
}

#[derive(Deserialize)]
struct Server {
    state: String,
}

impl Status {
    /// For the run at `path`; each second, if asked for.
    pub fn new(path: &Path, each_second: bool) -> Status {
        let folder = path.join(crate::paged::FOLDER);
        let (end, ended) = channel();
        let watched = folder.clone();
        let watch = move || {
            let (mut looks, mut stuck) = (0, false);
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                if each_second {
                    say(&watched, looks % HEAD_EVERY == 0);
                }
                looks += 1;
                let was_stuck =
                    std::mem::replace(&mut stuck, all(&watched).iter().any(|one| one.no_room));
                if stuck && !was_stuck {
                    eprintln!("{NO_ROOM}");
                }
            }
        };
        Status { folder, end, thread: std::thread::spawn(watch) }
    }

    /// SIGUSR1 is a question; all other signals are the program's.
    pub fn on_signal(&self) -> impl Fn(i32) -> bool + Send + 'static {
        let folder = self.folder.clone();
        move |signal| {
            let asked = signal == signal_hook::consts::SIGUSR1;
            if asked {
                say(&folder, true);
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

/// What the processes said last: at most a second old.
fn all(folder: &Path) -> Vec<Progress> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let whole = files.filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let mut all: Vec<Progress> =
        whole.filter_map(|file| serde_json::from_slice(&std::fs::read(file).ok()?).ok()).collect();
    all.sort_by_key(|progress| progress.pid);
    all
}

/// A line for each process, below the names of the columns.
fn say(folder: &Path, with_head: bool) {
    let all = all(folder);
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

fn line(progress: &Progress) -> String {
    let Progress {
        pid,
        resident_bytes,
        outside_bytes,
        page_ins,
        page_outs,
        seconds,
        servers,
        no_room: _,
    } = progress;
    let up = servers.iter().filter(|server| server.state == "up").count();
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let cells = [
        pid.to_string(),
        format!("{:.0} s", seconds.elapsed),
        mib(*resident_bytes),
        mib(*outside_bytes),
        page_outs.to_string(),
        page_ins.to_string(),
        format!("{up} of {}", servers.len()),
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

    #[test]
    fn columns_line_up_in_80() {
        let one = |pid, pages, servers: &[&str]| {
            let states = servers.iter().map(|state| Server { state: (*state).to_owned() });
            line(&Progress {
                pid,
                resident_bytes: 8 << 20,
                outside_bytes: pages * 4096,
                page_ins: pages,
                page_outs: 7 * pages,
                seconds: Seconds { elapsed: pages as f64 / 10_000.0 },
                servers: states.collect(),
                no_room: false,
            })
        };
        let lines = [one(7, 12, &[]), one(4_194_304, 123_456_789, &["up", "down", "up"])];
        assert!(lines[1].ends_with("2 of 3") && lines[1].contains("482253.1 MiB"), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.chars().count() == 79), "{lines:?}");
    }
}
