//! What the machine does beside a launch on purpose: threads that keep processors busy, and traffic
//! over loopback TCP. Both run in this process, for as long as the launch does.

use crate::args::BackgroundArgs;
use anyhow::{Context, Result};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What is written at a time, bytes: about a frame of a large network.
const PIECE_BYTES: usize = 8192;
/// How often a thread looks whether to end.
const LOOK: Duration = Duration::from_millis(20);

/// It goes on until it is ended or dropped.
pub struct Background {
    begun: Instant,
    stop: Arc<AtomicBool>,
    received: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

/// What went on beside a launch.
#[derive(Clone, Copy, Debug)]
pub struct Beside {
    time: Duration,
    /// Bytes that came, of the traffic.
    bytes: u64,
}

impl Background {
    /// Begin what is asked for, which may be nothing.
    pub fn begin(asked: &BackgroundArgs) -> Result<Background> {
        let mut background = Background {
            begun: Instant::now(),
            stop: Arc::default(),
            received: Arc::default(),
            threads: Vec::new(),
        };
        for _ in 0..asked.background.unwrap_or(0) {
            let stop = Arc::clone(&background.stop);
            background.thread(move || busy(&stop))?;
        }
        if let Some(bits) = asked.background_traffic {
            let listener = TcpListener::bind("127.0.0.1:0");
            let listener = listener.context("no address for --background-traffic")?;
            let to = TcpStream::connect(listener.local_addr()?)?;
            let (from, _) = listener.accept()?;
            let stop = Arc::clone(&background.stop);
            background.thread(move || send(to, bits, &stop))?;
            let (stop, received) = (Arc::clone(&background.stop), Arc::clone(&background.received));
            background.thread(move || receive(from, &stop, &received))?;
        }
        Ok(background)
    }

    fn thread(&mut self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = std::thread::Builder::new().name("background".into());
        self.threads.push(thread.spawn(work).context("no thread for --background")?);
        Ok(())
    }

    /// End it.
    pub fn end(self) -> Beside {
        let time = self.begun.elapsed();
        let received = Arc::clone(&self.received);
        drop(self);
        Beside { time, bytes: received.load(Ordering::Relaxed) }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn busy(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        std::hint::spin_loop();
    }
}

/// At the rate, in pieces; what could not be sent in time is made up for, as far as the kernel
/// takes it.
fn send(mut to: TcpStream, bits_per_s: u64, stop: &AtomicBool) {
    let (begun, mut sent, piece) = (Instant::now(), 0u64, [0x5a; PIECE_BYTES]);
    let _ = to.set_write_timeout(Some(LOOK));
    while !stop.load(Ordering::Relaxed) {
        let due = Duration::from_secs_f64(sent as f64 * 8.0 / bits_per_s as f64);
        if let Some(early) = due.checked_sub(begun.elapsed()) {
            std::thread::sleep(early.min(LOOK));
            continue;
        }
        match to.write(&piece) {
            Ok(bytes) => sent += bytes as u64,
            Err(error) if is_early(&error) => {}
            Err(_) => return,
        }
    }
}

fn receive(mut from: TcpStream, stop: &AtomicBool, received: &AtomicU64) {
    let mut room = vec![0; 1 << 16];
    let _ = from.set_read_timeout(Some(LOOK));
    while !stop.load(Ordering::Relaxed) {
        match from.read(&mut room) {
            Ok(0) => return,
            Ok(bytes) => {
                received.fetch_add(bytes as u64, Ordering::Relaxed);
            }
            Err(error) if is_early(&error) => {}
            Err(_) => return,
        }
    }
}

fn is_early(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// What a reader of the run must know of it.
pub fn note(asked: &BackgroundArgs, beside: &[Beside]) -> Option<String> {
    let busy = asked.background.map(|threads| {
        format!("{} kept processors busy", document::counted(threads.into(), "thread"))
    });
    let time: f64 = beside.iter().map(|launch| launch.time.as_secs_f64()).sum();
    let bits = 8.0 * beside.iter().map(|launch| launch.bytes as f64).sum::<f64>();
    let traffic = asked.background_traffic.map(|_| {
        let rate = if time > 0.0 { bits / time / 1e6 } else { 0.0 };
        format!("{rate:.1} Mbit/s of other traffic went over loopback TCP")
    });
    let said: Vec<String> = busy.into_iter().chain(traffic).collect();
    (!said.is_empty()).then(|| {
        format!("beside each launch, on the machine that started the run, {}", said.join(", and "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traffic_goes_on_at_its_rate_and_is_said() {
        let asked = BackgroundArgs { background: Some(1), background_traffic: Some(8_000_000) };
        let background = Background::begin(&asked).unwrap();
        let received = Arc::clone(&background.received);
        while received.load(Ordering::Relaxed) < 50_000 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let beside = background.end();
        // Never ahead of its time, but for a piece.
        let most = 1e6 * beside.time.as_secs_f64() + 2.0 * PIECE_BYTES as f64;
        assert!((50_000.0..=most).contains(&(beside.bytes as f64)), "{beside:?}");
        let said = note(&asked, &[beside]).unwrap();
        assert!(
            said.contains("kept processors busy") && said.contains("Mbit/s of other"),
            "{said}"
        );
        assert_eq!(note(&BackgroundArgs::default(), &[beside]), None);
    }
}
