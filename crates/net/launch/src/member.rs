//! One node process, as the coordinator knows it.

use crate::connection::Connection;
use crate::frame::{Frame, FrameError};
use crate::options::LaunchOptions;
use crate::protocol::{Join, Message, Ready};
use crate::{Cause, Failure};
use serde_json::Value;
use std::time::{Duration, Instant};

/// A process that takes part.
pub(crate) struct Member {
    pub connection: Connection,
    pub join: Join,
    /// Which of the processes it is; its nodes follow from that.
    pub slot: u16,
    pub hosted: Vec<u16>,
    pub phase: Phase,
    pub ready: Option<Ready>,
    pub outcome: Option<Value>,
    pub done: u64,
    pub goal: u64,
    /// What its work said about itself last.
    pub status: Value,
    /// When it was asked something that it has not answered.
    asked: Option<Instant>,
    /// When it last got on.
    moved: Instant,
    /// When part of its files came last.
    shipped: Option<Instant>,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Joined,
    Assigned,
    Ready,
    Working,
    /// Its work is over, well or badly; its process still answers.
    Ended,
    /// Its process is gone, or given up.
    Gone,
}

impl Member {
    pub fn new(connection: Connection, join: Join, slot: u16) -> Member {
        let hosted = (slot * join.hosts..(slot + 1) * join.hosts).collect();
        Member {
            connection,
            join,
            slot,
            hosted,
            phase: Phase::Joined,
            ready: None,
            outcome: None,
            done: 0,
            goal: 0,
            status: Value::Null,
            asked: None,
            moved: Instant::now(),
            shipped: None,
        }
    }

    pub fn tell(&mut self, message: Message) -> Result<(), FrameError> {
        self.connection.send(&Frame::Message(message))
    }

    /// Ask how far it is, unless it has not answered yet.
    pub fn ask(&mut self, now: Instant) -> Result<(), FrameError> {
        if self.asked.is_some() || !self.answers() {
            return Ok(());
        }
        self.asked = Some(now);
        self.tell(Message::Ask)
    }

    pub fn answered(&mut self, done: u64, goal: u64) {
        self.asked = None;
        if (done, goal) != (self.done, self.goal) {
            (self.done, self.goal) = (done, goal);
            self.moved = Instant::now();
        }
    }

    /// Part of its files has come. What it was asked meanwhile it may have answered behind them.
    pub fn shipped(&mut self) {
        let now = Instant::now();
        self.asked = self.asked.map(|_| now);
        self.shipped = Some(now);
    }

    /// Whether nothing of its files has come for so long.
    pub fn ships_nothing(&self, now: Instant, limit: Duration) -> bool {
        self.shipped.is_none_or(|at| now.saturating_duration_since(at) >= limit)
    }

    /// What its work leaves besides logs.
    pub fn leaves(&self, options: &LaunchOptions) -> Vec<String> {
        self.hosted.iter().flat_map(|node| (options.leaves)(*node)).collect()
    }

    pub fn enter(&mut self, phase: Phase) {
        (self.phase, self.moved) = (phase, Instant::now());
    }

    /// The coordinator itself was stopped for a while: that is nobody's silence.
    pub fn forgive(&mut self, now: Instant) {
        self.asked = self.asked.map(|_| now);
        self.moved = now;
    }

    /// Whether there is a control thread at its other end.
    pub fn answers(&self) -> bool {
        matches!(self.phase, Phase::Assigned | Phase::Ready | Phase::Working | Phase::Ended)
    }

    /// Whether nothing more is to be expected of its work.
    pub fn is_over(&self) -> bool {
        self.phase >= Phase::Ended
    }

    /// Whether it hangs, by these limits.
    pub fn hangs(
        &self,
        now: Instant,
        answer: Duration,
        progress: Option<Duration>,
    ) -> Option<Cause> {
        let since = |then: Instant| now.saturating_duration_since(then);
        let ms = |time: Duration| time.as_millis() as u64;
        if let Some(silent) = self.asked.map(since).filter(|silent| *silent > answer) {
            return Some(Cause::Silent { waited_ms: ms(silent) });
        }
        let still = since(self.moved);
        let works = self.phase == Phase::Working && self.goal > self.done;
        let stuck = works && progress.is_some_and(|limit| still > limit);
        stuck.then_some(Cause::Stuck { doing: "working", waited_ms: ms(still) })
    }

    pub fn failure(&self, cause: Cause, last_line: Option<String>) -> Failure {
        let node = self.hosted.first().copied().unwrap_or(self.slot);
        Failure { node, pid: self.join.pid, host: self.join.host.clone(), cause, last_line }
    }
}
