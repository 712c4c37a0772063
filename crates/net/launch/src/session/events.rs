//! What an event means for the member that it comes from, and what a failure does.

use super::pings::Answer;
use super::*;
use crate::away;

/// How long the end of a process may lag behind the end of its connection.
const AFTER_CLOSE: Duration = Duration::from_secs(1);

impl Session<'_> {
    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Refused { reason } => self.note(Note::Refused(reason)),
            Event::Joined { connection, join } => self.admit(connection, join),
            Event::Heard { from, frame, received } => {
                if let Some(index) = self.index_of(from) {
                    self.hear(index, frame, received);
                }
            }
            Event::Closed { from, error } => {
                if let Some(index) = self.index_of(from) {
                    self.lose(index, &error);
                }
            }
        }
    }

    fn hear(&mut self, index: usize, frame: Frame, received: Ticks) {
        let member = &mut self.members[index];
        match (frame, member.phase) {
            (Frame::Message(Message::Ready(ready)), Phase::Assigned)
                if ready.domains.len() == member.hosted.len() =>
            {
                member.ready = Some(ready);
                member.enter(Phase::Ready);
            }
            (Frame::Message(Message::Progress { done, goal, status }), _) => {
                member.status = status;
                member.answered(done, goal);
            }
            (
                Frame::Message(Message::Done { outcome }),
                Phase::Assigned | Phase::Ready | Phase::Working,
            ) => {
                member.outcome = Some(outcome);
                // What the work counted last may be newer than the last answer.
                member.enter(Phase::Ended);
            }
            (
                Frame::Message(Message::Failed { reason }),
                Phase::Assigned | Phase::Ready | Phase::Working,
            ) => {
                // Told to stop before it was told to begin: that is obedience.
                let obeyed = self.winding_down && member.phase < Phase::Working;
                if !obeyed {
                    self.fail(index, Cause::Failed { reason });
                }
                self.members[index].phase = Phase::Ended;
            }
            (Frame::Pong { sequence, received: remote_received, sent: remote_sent }, _) => {
                let local_received = received;
                self.pings.answered(Answer {
                    sequence,
                    remote_received,
                    remote_sent,
                    local_received,
                });
            }
            (Frame::Chunk(chunk), _) => {
                member.shipped();
                let from = away::Sender {
                    launch: self.options.launch,
                    hosted: &member.hosted,
                    leaves: &member.leaves(self.options),
                };
                if let Err(cause) = away::store(self.folder.path(), &from, &chunk) {
                    self.fail(index, cause);
                }
            }
            // Given up already, but its process did not know: nothing it says matters now.
            (_, Phase::Gone) => {}
            (Frame::Message(other), _) => {
                let how = format!("it said \"{}\" out of turn", other.name());
                self.fail(index, Cause::Broken { how });
            }
            (Frame::Ping { .. }, _) => self
                .fail(index, Cause::Broken { how: "it asked the coordinator for the time".into() }),
        }
    }

    /// A connection has ended.
    fn lose(&mut self, index: usize, error: &FrameError) {
        if self.members[index].phase == Phase::Gone {
            return;
        }
        let (slot, over) = (self.members[index].slot, self.members[index].is_over());
        if over || self.released {
            self.members[index].phase = Phase::Gone;
            if !self.released {
                let node = self.members[index].hosted.first().copied().unwrap_or(slot);
                self.note(Note::Remark(format!(
                    "node {node} had finished, but left before it was released"
                )));
            }
            return;
        }
        let cause = match (error, self.fleet.obituary(slot, AFTER_CLOSE)) {
            (
                FrameError::Closed | FrameError::Truncated | FrameError::Io { .. },
                Some(obituary),
            ) => Cause::Died { how: obituary.how },
            (FrameError::Closed | FrameError::Truncated | FrameError::Io { .. }, None) => {
                Cause::Lost { how: error.to_string() }
            }
            _ => Cause::Broken { how: error.to_string() },
        };
        self.fail(index, cause);
    }

    pub(super) fn fail(&mut self, index: usize, cause: Cause) {
        let last_line = self.fleet.last_line(self.members[index].slot);
        let member = &mut self.members[index];
        if member.phase == Phase::Gone {
            return;
        }
        member.phase = Phase::Gone;
        let failure = member.failure(cause, last_line);
        if failure.cause.is_loss() {
            (self.observe)(Note::Lost(failure.to_string()));
        }
        self.failures.push(failure);
    }

    pub(super) fn fail_all(&mut self, which: impl Fn(&Member) -> bool, cause: &Cause) {
        for index in 0..self.members.len() {
            if which(&self.members[index]) {
                self.fail(index, cause.clone());
            }
        }
    }

    pub(super) fn tell_all(&mut self, message: &Message) {
        for index in 0..self.members.len() {
            if self.members[index].answers() {
                let sent = self.members[index].tell(message.clone());
                self.sent(index, sent);
            }
        }
    }

    /// A message that could not be sent: the end of the connection, which is also an event, tells
    /// more. Only a peer that does not read any more has none.
    pub(super) fn sent(&mut self, index: usize, sent: Result<(), FrameError>) {
        if let Err(FrameError::Io { source }) = sent
            && matches!(
                source.kind(),
                std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut
            )
        {
            self.fail(
                index,
                Cause::Silent { waited_ms: self.options.deadlines.answer.as_millis() as u64 },
            );
        }
    }
}
