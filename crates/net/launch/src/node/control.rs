//! What the work sees of the coordinator, and the thread that listens to it.

use super::REASON_CHARS_MAX;
use crate::frame::{BODY_BYTES_MAX, Frame, FrameError, decode_body, read_raw};
use crate::protocol::{Message, Ready};
use clock::{Clock, Quality};
use fabric::RunKey;
use serde_json::Value;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A node's view of its coordinator. Shared by all threads of the process.
pub struct Control {
    /// Finish with what there is. Read it as often as you like; it is written once.
    pub stop: Apart<AtomicBool>,
    /// Units of work done. Stored by the work, read twice a second: store it every thousand
    /// messages or so, not with each.
    pub done: Apart<AtomicU64>,
    /// Units of work in all; 0 if unknown.
    pub goal: Apart<AtomicU64>,
    clock: Clock,
    quality: Quality,
    key: RunKey,
    ready: Ready,
    listeners: Mutex<Vec<Option<TcpListener>>>,
    sender: Mutex<TcpStream>,
    stage: Mutex<Stage>,
    changed: Condvar,
    /// Why this node ends though its coordinator did not say so.
    leaves: Mutex<Option<String>>,
    /// What the work says about itself besides the two counts.
    status: Mutex<Option<Box<dyn Fn() -> Value + Send>>>,
}

/// A value on cache lines of its own (two of them, since processors fetch in pairs), so that
/// writing one does not slow down who reads its neighbour.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The launch was stopped before this node began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped before it began")]
pub struct Stopped;

impl From<Stopped> for String {
    fn from(stopped: Stopped) -> String {
        stopped.to_string()
    }
}

#[derive(Default)]
struct Stage {
    go: bool,
    /// The work has returned.
    over: bool,
}

impl Control {
    pub(super) fn new(
        sender: TcpStream,
        listeners: Vec<TcpListener>,
        ready: Ready,
        clock: Clock,
        quality: Quality,
        key: RunKey,
    ) -> Control {
        Control {
            stop: Apart::default(),
            done: Apart::default(),
            goal: Apart::default(),
            clock,
            quality,
            key,
            ready,
            listeners: Mutex::new(listeners.into_iter().map(Some).collect()),
            sender: Mutex::new(sender),
            stage: Mutex::default(),
            changed: Condvar::new(),
            leaves: Mutex::new(None),
            status: Mutex::new(None),
        }
    }

    /// From now on send what `status` says along with the two counts, twice a second: a small
    /// value, for whoever shows progress. It is called on the control thread.
    pub fn tell_status(&self, status: impl Fn() -> Value + Send + 'static) {
        *lock(&self.status) = Some(Box::new(status));
    }

    /// Say that everything is set up, and sleep until all nodes are and the coordinator lets them
    /// begin.
    ///
    /// # Errors
    /// [`Stopped`] when it will not come to that.
    pub fn ready_and_wait_go(&self) -> Result<(), Stopped> {
        // If it cannot be said, the control thread sees the same connection fail and sets `stop`.
        let _ = self.send(&Frame::Message(Message::Ready(self.ready.clone())));
        let mut stage = lock(&self.stage);
        while !stage.go && !self.is_stopped() {
            stage = self.changed.wait(stage).unwrap_or_else(PoisonError::into_inner);
        }
        if stage.go { Ok(()) } else { Err(Stopped) }
    }

    /// Whether to finish with what there is.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The port that peers of the `index`-th node of this process connect to; once.
    pub fn take_listener(&self, index: usize) -> Option<TcpListener> {
        lock(&self.listeners).get_mut(index)?.take()
    }

    /// What to take stamps with.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// That clock, measured.
    pub fn quality(&self) -> Quality {
        self.quality
    }

    /// What peers prove that they know.
    pub fn key(&self) -> &RunKey {
        &self.key
    }

    pub(super) fn send(&self, frame: &Frame) -> Result<(), String> {
        let bytes = frame.encode().map_err(|error| error.to_string())?;
        let sent = lock(&self.sender).write_all(&bytes);
        sent.map_err(|error| format!("the coordinator cannot be reached: {error}"))
    }

    /// Tell how the work ended, unless we have left before. If the coordinator is gone, the control
    /// thread knows it.
    pub(super) fn report(&self, result: &Result<Value, String>) {
        if self.reason_to_leave().is_some() {
            return;
        }
        let message = match result {
            Ok(outcome) => Message::Done { outcome: outcome.clone() },
            Err(reason) => Message::Failed { reason: shorten(reason) },
        };
        if let Err(FrameError::Oversized { bytes, limit }) =
            Frame::Message(message.clone()).encode()
        {
            let reason = format!("its outcome has {bytes} bytes and {limit} are allowed");
            let _ = self.send(&Frame::Message(Message::Failed { reason }));
        } else {
            let _ = self.send(&Frame::Message(message));
        }
    }

    /// Finish with what there is, for a reason that is ours. The coordinator is told now, because
    /// work that waits for a peer ends only when that one is told to stop, too. When the
    /// coordinator has said so already, it is obedience.
    pub(super) fn leave(&self, reason: String) {
        if !self.is_stopped() {
            let told = Message::Failed { reason: shorten(&reason) };
            *lock(&self.leaves) = Some(reason);
            // If it cannot be said, the coordinator sees the connection end.
            let _ = self.send(&Frame::Message(told));
            self.set_stop();
        }
    }

    /// Why this node has ended though its coordinator did not say so.
    pub(super) fn reason_to_leave(&self) -> Option<String> {
        lock(&self.leaves).clone()
    }

    pub(super) fn work_is_over(&self) {
        lock(&self.stage).over = true;
        self.changed.notify_all();
    }

    /// Listen to the coordinator until it lets go (whether more launches follow) or is gone.
    pub(super) fn listen(
        &self,
        mut stream: TcpStream,
        grace: Option<Duration>,
    ) -> Result<bool, FrameError> {
        let heard = self.obey(&mut stream);
        self.set_stop();
        if let Some(grace) = grace.filter(|_| heard.is_err()) {
            self.end_within(grace);
        }
        heard
    }

    fn obey(&self, stream: &mut TcpStream) -> Result<bool, FrameError> {
        loop {
            let (kind, body) = read_raw(stream, BODY_BYTES_MAX)?;
            let received = self.clock.now();
            let answer = match decode_body(kind, &body)? {
                Frame::Ping { sequence } => {
                    Frame::Pong { sequence, received, sent: self.clock.now() }
                }
                Frame::Message(Message::Ask) => {
                    let (done, goal) =
                        (self.done.load(Ordering::Relaxed), self.goal.load(Ordering::Relaxed));
                    let status = lock(&self.status).as_ref().map_or(Value::Null, |status| status());
                    Frame::Message(Message::Progress { done, goal, status })
                }
                Frame::Message(Message::Go) => {
                    lock(&self.stage).go = true;
                    self.changed.notify_all();
                    continue;
                }
                Frame::Message(Message::Stop) => {
                    self.set_stop();
                    continue;
                }
                Frame::Message(Message::Release { more }) => return Ok(more),
                Frame::Message(other) => {
                    let what = format!("{} is not for a node at this point", other.name());
                    return Err(FrameError::Malformed { what });
                }
                _ => return Err(FrameError::Malformed { what: "not a frame for a node".into() }),
            };
            let bytes = answer.encode()?;
            lock(&self.sender).write_all(&bytes).map_err(|source| FrameError::Io { source })?;
        }
    }

    fn set_stop(&self) {
        // Under the lock, or a thread between its look and its sleep would miss it.
        let _stage = lock(&self.stage);
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// The coordinator is gone. Work that does not end by itself must not stay behind: nobody would
    /// ever end it.
    fn end_within(&self, grace: Duration) {
        let deadline = Instant::now() + grace;
        let mut stage = lock(&self.stage);
        while !stage.over {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // Not an exit: that would run the ends of a program whose work is stuck. What was
                // recorded is in named memory and survives this.
                let _ = rustix::process::kill_process(
                    rustix::process::getpid(),
                    rustix::process::Signal::KILL,
                );
                return;
            }
            stage =
                self.changed.wait_timeout(stage, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A thread that panicked while it held one of these locks left nothing half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn shorten(reason: &str) -> String {
    match reason.char_indices().nth(REASON_CHARS_MAX) {
        Some((end, _)) => format!("{} ...", &reason[..end]),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_still_fits_a_small_frame() {
        let reason = shorten(&"\u{1}ü".repeat(100_000));
        assert!(Frame::Message(Message::Failed { reason }).encode().is_ok());
        assert_eq!(shorten("short"), "short");
    }
}
