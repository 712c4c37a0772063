//! What a server does with a client's requests. No socket here: requests in, answers into an
//! [`Outbox`].

use super::counts::Counts;
use super::outbox::Outbox;
use super::slots::Slots;
use crate::wire::answer::{Refusal, Shortage};
use crate::wire::fields::Entry;
use crate::wire::request::{Items, Request};
use std::sync::Arc;

/// One client's pages.
pub(crate) struct Session {
    pub slots: Slots,
    pub outbox: Outbox,
    counts: Arc<Counts>,
}

impl Session {
    pub fn new(slots: Slots, counts: Arc<Counts>) -> Session {
        Session { slots, outbox: Outbox::new(), counts }
    }

    /// Whether the request changes slots, so that pages which wait in the outbox must be sent
    /// first.
    pub fn changes(request: &Request<'_>) -> bool {
        matches!(request, Request::Write(_) | Request::Discard(_))
    }

    /// Do what is asked. `arrived`: when all of it had come; `now`: the clock.
    ///
    /// # Errors
    /// When the client asks for what it has no right to: the connection must end. Nothing of that
    /// request was done.
    pub fn answer(
        &mut self,
        number: u64,
        request: Request<'_>,
        arrived: u64,
        now: impl Fn() -> u64,
    ) -> Result<(), Refusal> {
        debug_assert!(!Session::changes(&request) || !self.outbox.has_pages());
        match request {
            Request::Reserve { slots } => self.reserve(number, slots),
            Request::Write(items) => self.write(number, items, arrived, now)?,
            Request::Read(wanted) => {
                self.check(wanted.clone())?;
                self.counts.fetched(wanted.clone().count());
                self.outbox.pages(number, now(), wanted, &self.slots);
            }
            Request::Discard(slots) => {
                self.check(slots.clone())?;
                slots.for_each(|slot| self.slots.discard(slot));
            }
            Request::Ping { ticks } => self.outbox.pong(number, ticks, arrived),
            Request::Start { .. } | Request::Who => return Err(Refusal::Frame),
        }
        Ok(())
    }

    fn reserve(&mut self, number: u64, asked: u32) {
        let (granted, shortage) = self.slots.grow(asked);
        if shortage != Shortage::None {
            self.counts.refused_grant();
        }
        self.outbox.granted(number, granted, shortage);
    }

    fn write(
        &mut self,
        number: u64,
        items: Items<'_>,
        arrived: u64,
        now: impl Fn() -> u64,
    ) -> Result<(), Refusal> {
        self.check(items.clone().map(|(entry, _)| entry.slot))?;
        let mut count = 0;
        for (Entry { slot, mark, tag }, page) in items {
            self.slots.store(slot, tag, page);
            self.counts.stored(mark, 1);
            count += 1;
        }
        self.outbox.stored(number, count, arrived, now());
        Ok(())
    }

    fn check(&self, slots: impl IntoIterator<Item = u32>) -> Result<(), Refusal> {
        match slots.into_iter().all(|slot| self.slots.has(slot)) {
            true => Ok(()),
            false => Err(Refusal::Slot),
        }
    }
}
