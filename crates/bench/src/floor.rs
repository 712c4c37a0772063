//! The floor under every result: what the machine itself takes, with nothing of ours in between.
//!
//! A message time means little without it. Two floors, each between two threads pinned to two cores
//! where there are two: one cache line passed to and fro, and a plain TCP ping-pong with nothing
//! but `read` and `write`.

use clock::Clock;
use fabric::{Pinning, Waiting, pin_node};
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

/// Round-trip times of a floor, in ticks of `clock`, in the order in which they were measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Floor {
    /// What was measured.
    pub name: String,
    /// Round trips, ticks.
    pub round_trip_ticks: Vec<u64>,
    /// Whether both ends had a core of their own.
    pub pinned: bool,
}

impl Floor {
    /// The smallest time with at least the part `p` of all times at or below it, ticks; 0 if there
    /// are none.
    pub fn quantile_ticks(&self, p: f64) -> u64 {
        let mut times = self.round_trip_ticks.clone();
        let rank = ((p * times.len() as f64).ceil() as usize).saturating_sub(1);
        if rank < times.len() { *times.select_nth_unstable(rank).1 } else { 0 }
    }
}

/// One cache line between two cores: the least that any message through memory can take.
pub fn cache_line(clock: Clock, trips: usize) -> Floor {
    #[repr(align(128))]
    struct Line(AtomicU64);
    let line = Line(AtomicU64::new(0));
    let mut times = Vec::with_capacity(trips);
    let mut pinned = (false, false);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let pinned = is_core(&pin_node(1, 2));
            for trip in 0..trips as u64 {
                wait_for(&line.0, 2 * trip + 1);
                line.0.store(2 * trip + 2, Ordering::Release);
            }
            pinned
        });
        let leading = scope.spawn(|| {
            let pinned = is_core(&pin_node(0, 2));
            let mut last = clock.now().0;
            for trip in 0..trips as u64 {
                line.0.store(2 * trip + 1, Ordering::Release);
                wait_for(&line.0, 2 * trip + 2);
                let now = clock.now().0;
                times.push(now.wrapping_sub(last));
                last = now;
            }
            pinned
        });
        pinned = (leading.join().unwrap_or(false), other.join().unwrap_or(false));
    });
    Floor {
        name: "one cache line between two cores".into(),
        round_trip_ticks: times,
        pinned: pinned.0 && pinned.1,
    }
}

/// A minimal TCP ping-pong over loopback: 8 bytes, no delay, nothing else.
pub fn tcp(clock: Clock, trips: usize, waiting: Waiting) -> std::io::Result<Floor> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let mut times = Vec::with_capacity(trips);
    let pinned = std::thread::scope(|scope| -> std::io::Result<(bool, bool)> {
        let other = scope.spawn(|| -> std::io::Result<bool> {
            let pinned = is_core(&pin_node(1, 2));
            let mut stream = prepared(listener.accept()?.0, waiting)?;
            let mut message = [0; 8];
            for _ in 0..trips {
                read_all(&mut stream, &mut message)?;
                stream.write_all(&message)?;
            }
            Ok(pinned)
        });
        let leading = scope.spawn(|| -> std::io::Result<bool> {
            let pinned = is_core(&pin_node(0, 2));
            let mut stream = prepared(TcpStream::connect(address)?, waiting)?;
            let mut message = [0; 8];
            let mut last = clock.now().0;
            for _ in 0..trips {
                stream.write_all(&message)?;
                read_all(&mut stream, &mut message)?;
                let now = clock.now().0;
                times.push(now.wrapping_sub(last));
                last = now;
            }
            Ok(pinned)
        });
        let joined = |handle: std::thread::ScopedJoinHandle<'_, std::io::Result<bool>>| {
            handle.join().unwrap_or_else(|_| Err(std::io::Error::other("the thread panicked")))
        };
        Ok((joined(leading)?, joined(other)?))
    })?;
    let how = if waiting == Waiting::Polling { "polling" } else { "blocking" };
    Ok(Floor {
        name: format!("plain TCP, {how}"),
        round_trip_ticks: times,
        pinned: pinned.0 && pinned.1,
    })
}

fn is_core(pinning: &Pinning) -> bool {
    matches!(pinning, Pinning::Core(_))
}

/// Spin until the line holds `value`; on a machine with one core somebody else must get to run
/// meanwhile.
fn wait_for(line: &AtomicU64, value: u64) {
    let mut looks = 0u32;
    while line.load(Ordering::Acquire) != value {
        std::hint::spin_loop();
        looks += 1;
        if looks.is_multiple_of(1 << 14) {
            std::thread::yield_now();
        }
    }
}

fn prepared(stream: TcpStream, waiting: Waiting) -> std::io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    stream.set_nonblocking(waiting == Waiting::Polling)?;
    Ok(stream)
}

fn read_all(stream: &mut TcpStream, mut into: &mut [u8]) -> std::io::Result<()> {
    while !into.is_empty() {
        match stream.read(into) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(read) => into = &mut into[read..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::hint::spin_loop(),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trip_of_every_floor_takes_time() {
        let clock = Clock::best();
        let floors = [
            cache_line(clock, 1000),
            tcp(clock, 100, Waiting::Polling).expect("loopback"),
            tcp(clock, 100, Waiting::Blocking).expect("loopback"),
        ];
        for floor in floors {
            assert!(floor.round_trip_ticks.len() >= 100, "{}", floor.name);
            assert!(floor.round_trip_ticks.iter().all(|ticks| *ticks > 0), "{}", floor.name);
        }
    }
}
