//! The client's end of a connection to a page server.

use crate::about::ServerAbout;
use crate::wire::answer::{Answer, PageEntry, Shortage};
use crate::wire::channel::{Broken, Channel};
use crate::wire::fields::{Entry, PageBytes};
use crate::wire::inbox::Inbox;
use crate::wire::{BATCH_MAX, DISCARD_MAX, Kind, Sender, WireError};
use fabric::RunKey;
use outgoing::Outgoing;
use pager::Tag;
use pending::Pending;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

mod connect;
mod error;
mod outgoing;
mod pending;

pub use error::LinkError;

/// A connection to a page server. Nothing here waits after [`Link::connect`], and nothing allocates
/// but what is queued beyond [`Link::room`].
pub struct Link {
    address: String,
    about: ServerAbout,
    channel: Channel,
    inbox: Inbox,
    outgoing: Outgoing,
    pending: Pending,
    /// The entries of the batch that came last.
    entries: Vec<PageEntry>,
    /// Since when the socket takes nothing, though something waits.
    stuck: Option<u64>,
}

/// Stamps of a page on its way out. The outer two are the client's clock, the inner two the
/// server's; ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreTimes {
    /// Client: the first byte was handed to the socket.
    pub sent: u64,
    /// Server: the last byte had come.
    pub arrived: u64,
    /// Server: the page was stored.
    pub taken: u64,
    /// Client: the answer had come.
    pub answered: u64,
}

/// Stamps of a page on its way in. The outer two are the client's clock, the inner two the
/// server's; ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchTimes {
    /// Client: the request was handed to the socket.
    pub asked: u64,
    /// Server: it had read the request.
    pub ready: u64,
    /// Server: just before it wrote the answer.
    pub sent: u64,
    /// Client: the answer had come.
    pub arrived: u64,
}

/// An answer.
#[derive(Debug)]
pub enum Reply<'a> {
    /// To [`Link::reserve`]: room for so many slots more, which follow those granted before. May be
    /// less than was asked for; 0 is a refusal.
    Granted {
        /// How many.
        slots: u32,
        /// Why not more.
        shortage: Shortage,
    },
    /// To one batch of [`Link::write`].
    Stored {
        /// All of the batch, in order.
        operations: &'a [u64],
        /// Of the batch.
        times: StoreTimes,
    },
    /// To one batch of [`Link::read`].
    Pages {
        /// All of the batch, in order.
        operations: &'a [u64],
        /// As many.
        entries: &'a [PageEntry],
        /// As many times [`pager::PAGE_BYTES`], in order, without gaps.
        bytes: &'a [u8],
        /// Of the batch.
        times: FetchTimes,
    },
    /// To [`Link::ping`].
    Pong {
        /// As given to `ping`.
        sent: u64,
        /// Server's ticks: the ping had come.
        server_received: u64,
        /// Server's ticks: just before it answered.
        server_sent: u64,
        /// Client's ticks: the answer had come.
        received: u64,
    },
}

impl Link {
    /// Connect, prove both ways who is there, encrypt if asked, and hear the server's greeting, all
    /// within `deadline` (apart from a slow name server). Waits.
    ///
    /// # Errors
    /// When there is no page server of this key at the address, or it refuses.
    pub fn connect(
        address: &str,
        key: &RunKey,
        encrypt: bool,
        deadline: Duration,
    ) -> Result<Link, LinkError> {
        let (channel, inbox, about) = connect::connect(address, key, encrypt, deadline)?;
        Ok(Link {
            address: address.to_owned(),
            about,
            channel,
            inbox,
            outgoing: Outgoing::new(),
            pending: Pending::new(),
            entries: Vec::with_capacity(BATCH_MAX),
            stuck: None,
        })
    }

    /// What the server said of itself.
    pub fn about(&self) -> &ServerAbout {
        &self.about
    }

    /// The address that was given.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether more may be queued. Whoever queues asks first; so the buffers stay bounded.
    #[inline]
    pub fn room(&self) -> bool {
        self.outgoing.has_room() && self.pending.has_room()
    }

    /// Ask for room for `slots` more. Answered by [`Reply::Granted`].
    pub fn reserve(&mut self, slots: u32) {
        self.ask(Kind::Reserve, Kind::Granted, &slots.to_le_bytes());
    }

    /// Keep a page in a slot. Writes in a row leave as one batch. `purpose` is for the server's
    /// counts: 0 page-out, 1 parity, 2 move.
    pub fn write(&mut self, operation: u64, slot: u32, tag: Tag, bytes: &PageBytes, purpose: u8) {
        let entry = Entry { slot, mark: purpose.into(), tag };
        if let Some(begun) = self.outgoing.page(&entry, bytes) {
            self.pending.begin(&begun, Kind::Stored);
        }
        self.pending.operation(operation);
    }

    /// Bring pages (operation, slot), in batches of up to 64. What was asked for by one call never
    /// shares a batch with another's.
    pub fn read(&mut self, reads: &[(u64, u32)]) {
        self.outgoing.seal();
        for (operation, slot) in reads {
            if let Some(begun) = self.outgoing.slot(Kind::Read, BATCH_MAX, *slot) {
                self.pending.begin(&begun, Kind::Pages);
            }
            self.pending.operation(*operation);
        }
        self.outgoing.seal();
    }

    /// These slots hold nothing of use any more. Not answered.
    pub fn discard(&mut self, slots: &[u32]) {
        for slot in slots {
            self.outgoing.slot(Kind::Discard, DISCARD_MAX, *slot);
        }
    }

    /// Ask for the server's clock. `ticks` comes back.
    pub fn ping(&mut self, ticks: u64) {
        self.ask(Kind::Ping, Kind::Pong, &ticks.to_le_bytes());
    }

    /// Send what the socket takes; `now` is the `sent` stamp, in ticks. True: nothing waits any
    /// more. False: call again when the socket can be written.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn flush(&mut self, now: u64) -> Result<bool, LinkError> {
        self.outgoing.seal();
        let is_out = self.send(now);
        is_out.map_err(|broken| LinkError::of(broken, &self.address))
    }

    /// Read once from the socket, and hand every whole answer to `take`. False: nothing was there.
    ///
    /// # Errors
    /// When the connection is lost, or what came is no answer.
    pub fn receive(
        &mut self,
        now: impl Fn() -> u64,
        take: &mut dyn FnMut(Reply<'_>),
    ) -> Result<bool, LinkError> {
        let came = self.channel.receive(&mut self.inbox);
        if !came.map_err(|broken| LinkError::of(broken, &self.address))? {
            return Ok(false);
        }
        let arrived = now();
        let nonsense = |fault| LinkError::Nonsense { address: self.address.clone(), fault };
        while let Some((header, body)) = self.inbox.next(Sender::Server).map_err(nonsense)? {
            let answer = Answer::decode(&header, body).map_err(nonsense)?;
            if let Answer::Refused(refusal) = answer {
                return Err(LinkError::Refused {
                    address: self.address.clone(),
                    reason: refusal.reason(),
                });
            }
            let asked = self.pending.answer(&header).map_err(nonsense)?;
            take(reply(answer, asked, arrived, &mut self.entries).map_err(nonsense)?);
        }
        Ok(true)
    }

    /// Since when (ticks, as given to [`Link::flush`]) the oldest request waits for its answer, or
    /// for the socket to take it; `None`: none does.
    pub fn oldest(&self) -> Option<u64> {
        self.pending.oldest().or(self.stuck)
    }

    /// Whether something was queued that the socket has not taken.
    pub fn is_waiting(&self) -> bool {
        !self.outgoing.is_empty()
    }

    fn ask(&mut self, kind: Kind, answer: Kind, body: &[u8]) {
        let begun = self.outgoing.whole(kind, body);
        self.pending.begin(&begun, answer);
    }

    fn send(&mut self, now: u64) -> Result<bool, Broken> {
        loop {
            let is_out = self.outgoing.waiting().is_empty();
            let bytes = if is_out { 0 } else { self.channel.push(self.outgoing.waiting())? };
            self.outgoing.went(bytes);
            self.pending.went(self.outgoing.taken(), now);
            if bytes > 0 {
                self.stuck = None;
                continue;
            }
            let is_out = is_out && self.channel.drained()?;
            self.stuck = if is_out { None } else { self.stuck.or(Some(now)) };
            return Ok(is_out);
        }
    }
}

/// An answer as the caller sees it.
fn reply<'a>(
    answer: Answer<'a>,
    (asked, operations): (u64, &'a [u64]),
    answered: u64,
    scratch: &'a mut Vec<PageEntry>,
) -> Result<Reply<'a>, WireError> {
    Ok(match answer {
        Answer::Granted { slots, shortage } => Reply::Granted { slots, shortage },
        Answer::Stored { arrived, taken } => {
            let times = StoreTimes { sent: asked, arrived, taken, answered };
            Reply::Stored { operations, times }
        }
        Answer::Pages { ready, sent, entries, bytes } => {
            scratch.clear();
            scratch.extend(entries);
            let times = FetchTimes { asked, ready, sent, arrived: answered };
            Reply::Pages { operations, entries: scratch, bytes, times }
        }
        Answer::Pong { ticks, received, sent } => Reply::Pong {
            sent: ticks,
            server_received: received,
            server_sent: sent,
            received: answered,
        },
        Answer::Started | Answer::Greeting(_) | Answer::Refused(_) => {
            return Err(WireError::Unasked);
        }
    })
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}
