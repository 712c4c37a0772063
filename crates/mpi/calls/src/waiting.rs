//! What the ranks were blocked for: every message, every collective and every epoch of a window
//! says it of the calls that waited for it, and [`Accounts`] keeps what counts.
//!
//! A send waits for its receive only if it is synchronous or travels by rendezvous. How it
//! travelled is known from its size, where messages of the run show it ([`Usual`]). Where they do
//! not, one that is larger than what libraries send at once has waited, if its call lasted until
//! after the posting with nothing else to explain it. A smaller send, and one of a size that
//! travels at once, may have been kept from running or waited for room, or its call waited for
//! another message: which, is not known, and its time is counted apart.

use crate::blocked::{About, Accounts, Blocked, Span, Wait};
use crate::cause::Cause;
use crate::collectives::Collectives;
use crate::event::Event;
use crate::groups::{Seen, View};
use crate::message::{Got, Mode, Sent};
use crate::one_sided::OneSided;
use crate::protocol::{Protocol, protocol, settled};
use crate::shards::Share;
use crate::usual::{Usual, size_class};
use mpi_facts::Blocking;
use record::NULL;

/// Libraries send no more than this at once unless they are told to: Open MPI over TCP 64 KiB, and
/// all others less.
const AT_ONCE_MOST: u64 = 1 << 16;

/// The waits of the whole run.
pub(crate) struct Waiting {
    accounts: Accounts,
    collectives: Collectives,
    one_sided: OneSided,
    unknown_sends: u64,
    unknown_ns: i64,
}

impl Waiting {
    /// None yet, of ranks whose clocks may be so far apart; the accounts are those of `share`.
    pub fn new(clock_error: i64, share: Share) -> Waiting {
        Waiting {
            accounts: Accounts::new(share),
            collectives: Collectives::new(clock_error),
            one_sided: OneSided::new(clock_error),
            unknown_sends: 0,
            unknown_ns: 0,
        }
    }

    /// Two ranks' calls made a message.
    pub fn message(&mut self, sent: &Sent, got: &Got, clock_error: i64, usual: &Usual) {
        if sent.src == got.dst || sent.ready == NULL || got.posted == NULL {
            return;
        }
        let about = |sites: [u32; 2]| About {
            function: None,
            sites,
            tag: i64::from(sent.label.tag),
            seq: sent.seq as i64,
            bytes: sent.bytes,
            ready: sent.ready,
            taken: got.taken,
        };
        self.late_sender(sent, got, about([got.site, sent.site]));
        self.late_receiver(sent, got, clock_error, usual, about([sent.site, got.site]));
    }

    /// The receiver stood in the call that took it, or in a probe for it.
    fn late_sender(&mut self, sent: &Sent, got: &Got, about: About) {
        let wait =
            Wait { cause: Cause::LateSender, by: sent.src, until: sent.ready, sure: true, about };
        let rank = got.dst;
        if got.taken != NULL && got.awaited != NULL {
            let taking = Span { rank, row: got.done_row, enter: got.awaited, exit: got.taken };
            self.accounts.add(taking, wait);
        }
        let looked = &got.looked;
        let probed = looked.is_probe && looked.from != NULL && looked.row != got.done_row;
        if probed {
            let probe = Span { rank, row: looked.row, enter: looked.from, exit: looked.until };
            self.accounts.add(probe, wait);
        }
    }

    /// The sender stood in the call that released it.
    fn late_receiver(
        &mut self,
        sent: &Sent,
        got: &Got,
        clock_error: i64,
        usual: &Usual,
        about: About,
    ) {
        let known = sent.released != NULL && sent.done.enter != NULL;
        let lasted = known && sent.released > got.posted + clock_error;
        if !lasted || sent.mode == Mode::Local || got.posted <= sent.done.enter {
            return;
        }
        let own = protocol(sent, got, clock_error);
        let of_size = usual.protocol(size_class(sent.bytes));
        let sure = match (sent.mode, settled(own, of_size)) {
            (Mode::Synchronous, _) | (_, Protocol::Rendezvous) => true,
            (_, Protocol::Unknown) if of_size == Protocol::Unknown && sent.bytes > AT_ONCE_MOST => {
                false
            }
            (_, Protocol::Unknown) if !self.accounts.are_of(sent.src) => return,
            (_, Protocol::Unknown) => {
                self.unknown_sends += 1;
                self.unknown_ns = self.unknown_ns.saturating_add(got.posted - sent.done.enter);
                return;
            }
            (_, Protocol::Eager) => return,
        };
        let span = Span {
            rank: sent.src,
            row: sent.done.row,
            enter: sent.done.enter,
            exit: sent.released,
        };
        let (cause, by, until) = (Cause::LateReceiver, got.dst, got.posted);
        self.accounts.add(span, Wait { cause, by, until, sure, about });
    }

    /// A rank called a collective, or started one.
    #[inline]
    pub fn collective(&mut self, rank: u32, event: &Event, seen: Option<&Seen>) {
        self.collectives.add(rank, event, seen, &mut self.accounts);
    }

    /// A rank called a function of one-sided communication.
    #[inline]
    pub fn one_sided(&mut self, rank: u32, event: &Event, view: &View) {
        self.one_sided.add(rank, event, view, &mut self.accounts);
    }

    /// Hand over the blocked calls that ended before `to`.
    #[inline]
    pub fn close<E>(
        &mut self,
        to: i64,
        each: impl FnMut(&Blocked) -> Result<(), E>,
    ) -> Result<(), E> {
        self.one_sided.reached(to);
        self.accounts.close(to, each)
    }

    /// What is said of it.
    pub fn facts(&self) -> Blocking {
        let [compared, not_compared] = self.collectives.counts();
        Blocking {
            unknown_sends: self.unknown_sends,
            unknown_ns: self.unknown_ns,
            too_late: self.accounts.late,
            collectives_compared: compared,
            collectives_not_compared: not_compared,
            epochs_compared: self.one_sided.compared(),
            epochs_not_compared: self.one_sided.not_compared(),
        }
    }
}
