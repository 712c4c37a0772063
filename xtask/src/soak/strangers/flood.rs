//! The strangers: two threads that connect to every port which the given processes listen at, and
//! behave badly.

use anyhow::{Context, Result};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::collections::VecDeque;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const THREADS: u64 = 2;
/// Connections that each thread keeps open; the oldest goes for the next.
const KEPT: usize = 1_000;
/// How often the ports are looked for.
const LOOK: Duration = Duration::from_millis(20);
/// How long a thread waits for a port that does not answer.
const PATIENCE: Duration = Duration::from_millis(50);

/// A flood; dropping it ends it.
pub struct Flood {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    processes: Mutex<Vec<u32>>,
    ports: Mutex<Vec<u16>>,
    came: AtomicU64,
    over: AtomicBool,
}

/// Sockets of both ends may be kept in one process by the thousand.
pub fn allow_many_descriptors() -> Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .context("cannot allow more descriptors")
}

impl Flood {
    /// Begin, at nobody yet.
    pub fn start(seed: u64) -> Result<Flood> {
        let shared: Arc<Shared> = Arc::default();
        let looking = {
            let shared = shared.clone();
            std::thread::spawn(move || shared.look())
        };
        let mut threads = vec![looking];
        for thread in 0..THREADS {
            let shared = shared.clone();
            let random = Pcg64Mcg::seed_from_u64(seed * THREADS + thread);
            threads.push(std::thread::spawn(move || {
                Stranger { random, kept: VecDeque::new() }.flood(&shared)
            }));
        }
        Ok(Flood { shared, threads })
    }

    /// At this process's ports too, and those of its children.
    pub fn at(&self, process: u32) {
        lock(&self.shared.processes).push(process);
    }

    /// How many have come.
    pub fn came(&self) -> u64 {
        self.shared.came.load(Ordering::Relaxed)
    }

    /// Wait until so many have come.
    pub fn wait_for(&self, count: u64) {
        let begun = Instant::now();
        while self.came() < count && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Any local user can see in /proc/net/tcp where somebody listens.
    fn look(&self) {
        while !self.over.load(Ordering::Relaxed) {
            let processes = lock(&self.processes).clone();
            let mut all = processes.clone();
            all.extend(processes.iter().flat_map(|process| children(*process)));
            let sockets: Vec<String> =
                all.iter().flat_map(|process| sockets_of(*process)).collect();
            let table = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
            *lock(&self.ports) =
                table.lines().filter_map(|line| listening(line, &sockets)).collect();
            std::thread::sleep(LOOK);
        }
    }
}

/// The port of a line of /proc/net/tcp, if one of these sockets listens there; proc(5).
fn listening(line: &str, sockets: &[String]) -> Option<u16> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
    let is_theirs = *state == "0A" && sockets.iter().any(|socket| socket == inode);
    is_theirs.then(|| u16::from_str_radix(local.split(':').nth(1)?, 16).ok())?
}

fn children(process: u32) -> Vec<u32> {
    let file = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// The numbers of a process's sockets.
fn sockets_of(process: u32) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(Path::new("/proc").join(process.to_string()).join("fd"))
    else {
        return Vec::new();
    };
    let name = |path: std::path::PathBuf| Some(std::fs::read_link(path).ok()?.to_str()?.to_owned());
    let number = |name: String| Some(name.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned());
    entries.flatten().filter_map(|entry| number(name(entry.path())?)).collect()
}

/// One thread of the flood.
struct Stranger {
    random: Pcg64Mcg,
    kept: VecDeque<TcpStream>,
}

impl Stranger {
    fn flood(mut self, shared: &Shared) {
        while !shared.over.load(Ordering::Relaxed) {
            let ports = lock(&shared.ports).clone();
            if ports.is_empty() {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            let port = ports[self.random.random_range(0..ports.len())];
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            if let Ok(stream) = TcpStream::connect_timeout(&address, PATIENCE) {
                shared.came.fetch_add(1, Ordering::Relaxed);
                self.misbehave(stream);
            }
        }
    }

    fn misbehave(&mut self, mut stream: TcpStream) {
        let said = match self.random.random_range(0..6) {
            0 => Ok(()),
            1 => stream.write_all(b"4"),
            2 => {
                let mut garbage = [0; 200];
                self.random.fill_bytes(&mut garbage);
                stream.write_all(&garbage)
            }
            3 => stream.write_all(&self.hello()[..10]),
            4 => stream.write_all(&self.hello()).and_then(|()| stream.write_all(&[7; 32])),
            _ => rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO))
                .map_err(Into::into),
        };
        // A reset is one because the stream is dropped at once; whoever was hung up on is not kept
        // either.
        let linger = rustix::net::sockopt::socket_linger(&stream);
        if said.is_ok() && !matches!(linger, Ok(Some(_))) {
            self.kept.push_back(stream);
        }
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
        // A slow drip: one byte more to somebody, now and then.
        let at = self.random.random_range(0..KEPT);
        if let Some(stream) = self.kept.get_mut(at) {
            let _ = stream.set_nonblocking(true).and_then(|()| stream.write_all(b"s"));
        }
    }

    /// What a client says first, for any of the purposes, without knowing the key.
    fn hello(&mut self) -> Vec<u8> {
        let mut nonce = [0; 32];
        self.random.fill_bytes(&mut nonce);
        let purpose = self.random.random_range(1..=3);
        let head = [&b"4stamp\r\n"[..], &[1, 0, 56, 0, 1, purpose, 0xff, 0xff], &[0; 8]].concat();
        [head, nonce.to_vec()].concat()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Lists that are replaced or pushed to as a whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ports_of_the_given_sockets_are_flooded() {
        let line = "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  \
        1000        0 4711 1";
        assert_eq!(listening(line, &["4711".into()]), Some(8080));
        assert_eq!(listening(line, &["471".into()]), None);
        assert_eq!(listening(&line.replace(" 0A ", " 01 "), &["4711".into()]), None);
        assert_eq!(listening("  sl  local_address", &["4711".into()]), None);
    }
}
