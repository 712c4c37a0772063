//! One peer: the state of the pair, its socket, its lifeline, and how it ends.

use super::counters::UdpReport;
use super::pair::Pair;
use super::wire::Wire;
use crate::error::FabricError;
use crate::spec::NodeId;
use crate::transports::sockets::Failure;
use crate::transports::sockets::arrive::Span;
use crate::transports::sockets::observer::Observer;
use crate::transports::sockets::stamp::Received;
use record::ArrivedClock;
use rustix::net::{RecvFlags, Shutdown, recv, shutdown};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// A peer.
pub(super) struct Link {
    pub node: NodeId,
    /// Stopped by [`crate::Transport::pause`].
    pub paused: bool,
    /// The peer's stamps are on this node's clock.
    pub same_clock: bool,
    pub pair: Pair,
    pub wire: Wire,
    pub said_bye: bool,
    /// What each message that goes again takes of whoever sends it.
    resend_cost: Duration,
    lifeline: TcpStream,
    shut: bool,
    ended: bool,
    failure: Option<Failure>,
    reported: bool,
}

/// What a read is done with.
pub(super) struct Reading<'a> {
    pub room: &'a mut [u8],
    pub observer: &'a Observer,
    pub report: &'a mut UdpReport,
}

impl Link {
    pub fn new(
        node: NodeId,
        pair: Pair,
        wire: Wire,
        lifeline: TcpStream,
        same_clock: bool,
        resend_cost: Duration,
    ) -> Link {
        Link {
            node,
            paused: false,
            same_clock,
            pair,
            wire,
            said_bye: false,
            resend_cost,
            lifeline,
            shut: false,
            ended: false,
            failure: None,
            reported: false,
        }
    }

    /// Read one datagram. `false`: there was none.
    #[inline]
    pub fn read(&mut self, reading: &mut Reading<'_>) -> bool {
        match self.wire.receive(reading.room) {
            Ok(Some(received)) => {
                let now = reading.observer.now();
                let came = came(&received, now, reading.observer);
                let datagram = &reading.room[..received.bytes];
                if let Err(error) = self.pair.receive(datagram, Some(came), now, reading.report) {
                    self.failure.get_or_insert(Failure::Garbage(error.to_string()));
                }
                true
            }
            Ok(None) => false,
            Err(error) => {
                self.failure.get_or_insert(Failure::Lost(format!("its socket broke: {error}")));
                false
            }
        }
    }

    /// Send what should go now. `idle`: acknowledgements that could wait, too.
    #[inline]
    pub fn serve(&mut self, now: u64, idle: bool, out: &mut Vec<u8>, report: &mut UdpReport) {
        if !self.wire.write() {
            return;
        }
        self.wire.due(now);
        while !self.wire.is_backed_up() && self.pair.transmit(now, idle, out, report) {
            self.wire.send(now, out);
            occupy(self.resend_cost * self.pair.again());
        }
        if let Some(error) = self.wire.broken.take() {
            self.failure
                .get_or_insert(Failure::Lost(format!("nothing can be sent to it: {error}")));
        }
    }

    /// When something may have to be done though nothing comes.
    pub fn deadline(&self) -> u64 {
        if self.has_ended() { u64::MAX } else { self.pair.deadline().min(self.wire.deadline()) }
    }

    /// Look whether the peer's process is still there. What it had sent is read first.
    pub fn look_after(&mut self, reading: &mut Reading<'_>) {
        if self.has_ended() || !self.lifeline_ended() {
            return;
        }
        while self.read(reading) {}
        self.ended = true;
        if !self.pair.bye_seen() {
            let reason = "its process ended unexpectedly".to_string();
            self.failure.get_or_insert(Failure::Lost(reason));
        }
    }

    fn lifeline_ended(&self) -> bool {
        let mut byte = [0u8; 1];
        match recv(&self.lifeline, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
            Ok((_, bytes)) => bytes == 0,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => false,
            Err(_) => true,
        }
    }

    /// Tell the peer that nothing more is needed of it.
    pub fn shut(&mut self) {
        if !self.shut {
            // Already gone: that is as good.
            let _ = shutdown(&self.lifeline, Shutdown::Write);
            self.shut = true;
        }
    }

    /// Why the peer is gone, if it is and if all that it had sent has been delivered. `again`: even
    /// if told before.
    pub fn failure(&mut self, again: bool) -> Option<FabricError> {
        let failure = self.failure.as_ref()?;
        if (self.reported && !again) || self.pair.has_next() {
            return None;
        }
        self.reported = true;
        Some(failure.error(self.node))
    }

    /// Why nothing can be sent to the peer any more.
    pub fn refusal(&self) -> Option<FabricError> {
        match &self.failure {
            Some(failure) => Some(failure.error(self.node)),
            None if self.ended => Some(Failure::Lost("it has left".to_string()).error(self.node)),
            None => None,
        }
    }

    pub fn has_ended(&self) -> bool {
        self.ended || self.failure.is_some()
    }
}

/// When a datagram came: by the kernel's stamp, which is its own alone; else by when it was looked
/// for.
#[inline]
fn came(received: &Received, now: u64, observer: &Observer) -> Span {
    if let Some(stamp_ns) = received.stamp_ns {
        return Span {
            clock: ArrivedClock::Kernel,
            earliest: stamp_ns,
            latest: stamp_ns,
            exact: true,
        };
    }
    Span {
        clock: ArrivedClock::Receiver,
        earliest: observer.looks.empty_at().min(now),
        latest: now,
        exact: observer.seen_at_once(now),
    }
}

/// Nothing else is done meanwhile: so it is with a card whose one processor sends again.
fn occupy(time: Duration) {
    if time.is_zero() {
        return;
    }
    let begun = Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}
