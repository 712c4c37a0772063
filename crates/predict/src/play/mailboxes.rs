//! Messages that are matched while a program is played, as MPI does it: a message goes to the first
//! receive posted that takes it, a receive takes the first message come that fits.
//!
//! A receive has the number of the message that it took when it was recorded. The network hands
//! over the messages of a pair in the order in which they were sent, so none overtakes another.
//!
//! The program is known only as it ran. Once a node has taken fewer messages of another than it had
//! by the same step, and then sends to that one, it may answer what was not asked: [`Mailboxes`]
//! says so, and what is played then is not that program.

use crate::{Courses, Envelope, Wildcards};
use machine::{Table, pair};
use std::collections::VecDeque;

/// Receives for any source or tag, and how many of them took a message of another source or tag
/// than when they were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rematched {
    pub receives: u64,
    pub changed: u64,
}

/// Those of all nodes.
pub(super) struct Mailboxes<'a, C> {
    program: &'a C,
    wildcards: Option<&'a Wildcards>,
    /// By node and communicator.
    boxes: Table<Mailbox>,
    /// By receive: its message.
    messages: Table<u32>,
    /// By message: its receive.
    receives: Table<u32>,
    /// By pair of taker and sender: how many messages more than recorded were taken.
    more: Table<i64>,
    rematched: Rematched,
}

#[derive(Default)]
struct Mailbox {
    /// Receives without a message.
    posted: VecDeque<u32>,
    /// Messages without a receive.
    come: VecDeque<u32>,
}

impl<'a, C: Courses> Mailboxes<'a, C> {
    pub fn new(program: &'a C) -> Mailboxes<'a, C> {
        Mailboxes {
            program,
            wildcards: program.wildcards().filter(|wildcards| !wildcards.is_empty()),
            boxes: Table::default(),
            messages: Table::default(),
            receives: Table::default(),
            more: Table::default(),
            rematched: Rematched::default(),
        }
    }

    /// A message has come, or word of a long one. Whether a receive was posted for it.
    pub fn comes(&mut self, message: u32) -> bool {
        let Some(envelope) = self.envelope(message) else { return false };
        let mut posted = std::mem::take(&mut self.mailbox(message, envelope).posted);
        let place = posted.iter().position(|receive| self.fits(*receive, message));
        let receive = place.and_then(|place| posted.remove(place));
        let mailbox = self.mailbox(message, envelope);
        mailbox.posted = posted;
        match receive {
            Some(receive) => self.bind(receive, message),
            None => mailbox.come.push_back(message),
        }
        receive.is_some()
    }

    /// A receive is posted: its message, if that is known.
    pub fn post(&mut self, receive: u32) -> Option<u32> {
        if let Some(message) = self.probe(receive) {
            return Some(message);
        }
        let envelope = self.envelope(receive)?;
        self.mailbox(receive, envelope).posted.push_back(receive);
        None
    }

    /// The message that a receive takes, or will take now that a probe has found it.
    pub fn probe(&mut self, receive: u32) -> Option<u32> {
        if let Some(message) = self.message_of(receive) {
            return Some(message);
        }
        let envelope = self.envelope(receive)?;
        let mut come = std::mem::take(&mut self.mailbox(receive, envelope).come);
        let place = come.iter().position(|message| self.fits(receive, *message));
        let message = place.and_then(|place| come.remove(place));
        self.mailbox(receive, envelope).come = come;
        self.bind(receive, message?);
        message
    }

    /// The message of a receive, if that is known.
    pub fn message_of(&self, receive: u32) -> Option<u32> {
        match self.envelope(receive) {
            Some(_) => self.messages.get(&receive.into()).copied(),
            None => Some(receive),
        }
    }

    /// The receive of a message, if that is known.
    pub fn receive_of(&self, message: u32) -> Option<u32> {
        match self.envelope(message) {
            Some(_) => self.receives.get(&message.into()).copied(),
            None => Some(message),
        }
    }

    /// A receive has its message.
    pub fn took(&mut self, receive: u32, message: u32) {
        let Some((asked, got)) = self.envelope(receive).zip(self.envelope(message)) else { return };
        self.messages.remove(&receive.into());
        self.receives.remove(&message.into());
        let (was, is) = (self.program.message(receive), self.program.message(message));
        if was.from != is.from {
            *self.more.entry(pair(was.to, was.from)).or_default() -= 1;
            *self.more.entry(pair(was.to, is.from)).or_default() += 1;
        }
        if asked.is_open() {
            self.rematched.receives += 1;
            self.rematched.changed += u64::from((was.from, asked.tag) != (is.from, got.tag));
        }
    }

    /// Whether a message to this node may answer one that was not taken yet.
    pub fn is_unasked(&self, message: u32) -> bool {
        if self.wildcards.is_none() || message >= self.program.own_messages() {
            return false;
        }
        let parcel = self.program.message(message);
        self.more.get(&pair(parcel.from, parcel.to)).is_some_and(|more| *more < 0)
    }

    pub fn rematched(&self) -> Rematched {
        self.rematched
    }

    fn bind(&mut self, receive: u32, message: u32) {
        self.messages.insert(receive.into(), message);
        self.receives.insert(message.into(), receive);
    }

    fn fits(&self, receive: u32, message: u32) -> bool {
        let Some((asked, got)) = self.envelope(receive).zip(self.envelope(message)) else {
            return false;
        };
        let from = |message| self.program.message(message).from;
        (asked.any_source || from(receive) == from(message))
            && (asked.any_tag || asked.tag == got.tag)
    }

    fn envelope(&self, message: u32) -> Option<Envelope> {
        self.wildcards?.envelope(message).copied()
    }

    fn mailbox(&mut self, message: u32, envelope: Envelope) -> &mut Mailbox {
        let to = self.program.message(message).to;
        let key = u64::from(to) << u32::BITS | u64::from(envelope.communicator);
        self.boxes.entry(key).or_default()
    }
}
