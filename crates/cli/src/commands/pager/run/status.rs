//! How far the program is: on SIGUSR1, or each second.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Says how far a run is until it ends.
pub struct Status {
    folder: PathBuf,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
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
        let thread = each_second.then(|| {
            let (end, ended) = channel();
            let folder = folder.clone();
            let watch = move || {
                while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                    say(&folder);
                }
            };
            (end, std::thread::spawn(watch))
        });
        Status { folder, thread }
    }

    /// SIGUSR1 is a question; all other signals are the program's.
    pub fn on_signal(&self) -> impl Fn(i32) -> bool + Send + 'static {
        let folder = self.folder.clone();
        move |signal| {
            let asked = signal == signal_hook::consts::SIGUSR1;
            if asked {
                say(&folder);
            }
            asked
        }
    }

    /// No more.
    pub fn end(self) {
        if let Some((end, thread)) = self.thread {
            drop(end);
            // It has nothing to say that would matter now.
            let _ = thread.join();
        }
    }
}

/// A line for each process. As new as the process's last word: at most a second old.
fn say(folder: &Path) {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut some = false;
    for file in files.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let Ok(text) = std::fs::read(&file) else { continue };
        let Ok(progress) = serde_json::from_slice::<Progress>(&text) else { continue };
        eprintln!("{}", line(&progress));
        some = true;
    }
    if !some {
        eprintln!("fourstamp: nothing is paged yet");
    }
}

fn line(progress: &Progress) -> String {
    let Progress { pid, resident_bytes, outside_bytes, page_ins, page_outs, seconds, servers } = progress;
    let up = servers.iter().filter(|server| server.state == "up").count();
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    format!(
        "fourstamp: process {pid} at {:.0} s: {:.1} MiB here, {:.1} MiB outside; {page_outs} pages out, {page_ins} in; {up} of {} servers up",
        seconds.elapsed,
        mib(*resident_bytes),
        mib(*outside_bytes),
        servers.len()
    )
}
