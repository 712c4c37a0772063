//! The second walk: every message and every call becomes a row.

use crate::CloseError;
use crate::arrival::arrival;
use crate::blocked::Blocked;
use crate::channel::Channel;
use crate::clocks::ClockErrors;
use crate::doubts::{Channels, Doubts, Fault};
use crate::event::{Event, Size};
use crate::groups::View;
use crate::matching::Matches;
use crate::message::{Got, Sent};
use crate::order::Order;
use crate::row::MessageRow;
use crate::shards::Share;
use crate::traffic::Traffic;
use crate::usual::Usual;
use crate::waiting::Waiting;
use crate::writers::{Rows, Writers};
use mpi_facts::Blocking;
use serde::{Deserialize, Serialize};

/// Receives without a send are numbered from here, beyond every send of their source.
const LONE_RECEIVES_FROM: u64 = 1 << 40;

/// What was counted while writing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub matched: u64,
    pub lone_sends: u64,
    pub lone_receives: u64,
    pub violations: u64,
    /// Messages that did not fit.
    pub truncated: u64,
    /// Channels whose sends and receives do not belong together as they were matched.
    pub doubts: Doubts,
    /// What is not known of blocked calls.
    pub blocking: Blocking,
}

/// What is known beforehand.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub errors: &'a ClockErrors,
    pub usual: &'a Usual,
    /// Channels whose messages are left unmatched.
    pub doubts: &'a Doubts,
}

/// Writes rows.
pub(crate) struct Recording<'a> {
    writers: Writers,
    /// Whose rows are written.
    share: Share,
    orders: Vec<Order>,
    /// Ranks that have files.
    present: Vec<bool>,
    /// Ranks whose logs are whole to their end.
    ended_well: Vec<bool>,
    known: Known<'a>,
    waiting: Waiting,
    channels: Channels,
    written: Written,
    /// Receives without a send of each rank.
    lone_receives: Vec<u64>,
    failed: Option<CloseError>,
    progress: &'a mut dyn FnMut(u64, u64),
    words: u64,
}

impl<'a> Recording<'a> {
    pub fn new(
        (writers, share): (Writers, Share),
        (present, ended_well): (Vec<bool>, Vec<bool>),
        known: Known<'a>,
        progress: &'a mut dyn FnMut(u64, u64),
        words: u64,
    ) -> Recording<'a> {
        let orders = present.iter().map(|_| Order::default()).collect();
        let lone_receives = vec![0; present.len()];
        let written = Written::default();
        Recording {
            writers,
            share,
            orders,
            present,
            ended_well,
            known,
            waiting: Waiting::new(known.errors.most(), share),
            lone_receives,
            channels: Channels::default(),
            written,
            failed: None,
            progress,
            words,
        }
    }

    /// Complete the files.
    pub fn finish(mut self) -> Result<(Written, Vec<Rows>), CloseError> {
        for (rank, order) in self.orders.iter_mut().enumerate() {
            order.finish(|row| self.writers.message(rank, row))?;
        }
        if let Some(error) = self.failed {
            return Err(error);
        }
        let writers = &mut self.writers;
        self.waiting.close(i64::MAX, |blocked| put_wait(writers, &self.present, blocked))?;
        self.written.blocking = self.waiting.facts();
        self.written.doubts = self.channels.doubts();
        Ok((self.written, self.writers.finish()?))
    }

    fn left_over(&mut self, channel: Channel) {
        let ended_well = |rank: u32| self.ended_well.get(rank as usize) == Some(&true);
        if ended_well(channel.src()) && ended_well(channel.dst()) {
            self.channels.left_over(channel);
        }
    }

    // As for `Writers::message`.
    #[inline(always)]
    fn write(&mut self, dst: u32, number: Option<u64>, row: &MessageRow) {
        let rank = dst as usize;
        // The row of a message for a rank that left nothing has no file to be in; it is counted all
        // the same.
        if self.failed.is_some() || !self.present.get(rank).copied().unwrap_or(false) {
            return;
        }
        let writers = &mut self.writers;
        let result = match number {
            Some(number) => self.orders[rank].put(number, *row, |row| writers.message(rank, row)),
            None => writers.message(rank, row),
        };
        self.failed = result.err();
    }
}

impl Matches for Recording<'_> {
    #[inline]
    fn pair(&mut self, sent: &Sent, got: &Got) {
        let Known { errors, usual, doubts } = self.known;
        if doubts.are_about(sent.channel()) {
            self.lone_send(sent);
            return self.lone_receive(got);
        }
        let clock_error = errors.between(sent.src, sent.dst);
        self.waiting.message(sent, got, clock_error, usual);
        if !self.share.owns(got.dst) {
            // Its row is the other's; here it counts for the sender's calls alone.
            return;
        }
        self.written.matched += 1;
        let fault = self.channels.judge(sent, got, clock_error);
        self.written.violations += u64::from(fault == Some(Fault::TooEarly));
        self.written.truncated += u64::from(got.size == Size::Cut);
        let arrival = arrival(sent, got, clock_error, usual);
        self.write(got.dst, got.number, &MessageRow::whole(sent, got, arrival));
    }

    fn lone_send(&mut self, sent: &Sent) {
        if !self.share.owns(sent.dst) {
            return;
        }
        self.left_over(sent.channel());
        self.written.lone_sends += 1;
        self.write(sent.dst, None, &MessageRow::of_send(sent));
    }

    fn lone_receive(&mut self, got: &Got) {
        // One that was posted, and nothing came, is not a message.
        if got.number.is_none() || !self.share.owns(got.dst) {
            return;
        }
        self.left_over(got.channel());
        // No two of one source have the same number, whichever rank has them.
        let (rank, ranks) = (got.dst as usize, self.lone_receives.len() as u64);
        let seq = LONE_RECEIVES_FROM + self.lone_receives[rank] * ranks + u64::from(got.dst);
        self.lone_receives[rank] += 1;
        self.written.lone_receives += 1;
        self.write(got.dst, got.number, &MessageRow::of_receive(got, seq));
    }
}

impl Traffic for Recording<'_> {
    #[inline]
    fn collective(&mut self, rank: usize, event: &Event, view: &View) {
        self.waiting.collective(rank as u32, event, view.get(event.call.communicator));
    }

    #[inline]
    fn one_sided(&mut self, rank: usize, event: &Event, view: &View) {
        self.waiting.one_sided(rank as u32, event, view);
    }

    fn doubt(&mut self, channel: Channel) {
        if self.share.owns(channel.dst()) {
            self.channels.unknown(channel);
        }
    }

    fn wants(&self, src: u32, dst: u32) -> bool {
        self.share.owns(src) || self.share.owns(dst)
    }

    fn skip(&mut self, rank: usize, number: u64) {
        if !self.share.owns(rank as u32) {
            return;
        }
        let writers = &mut self.writers;
        if let Err(error) = self.orders[rank].skip(number, |row| writers.message(rank, row)) {
            self.failed = Some(error);
        }
    }

    fn reached(&mut self, time: i64) -> Result<(), CloseError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let writers = &mut self.writers;
        let seen = time.saturating_sub(self.known.errors.most());
        self.waiting.close(seen, |blocked| put_wait(writers, &self.present, blocked))
    }

    fn is_enough(&mut self, words: u64) -> Result<bool, CloseError> {
        (self.progress)(words, self.words);
        Ok(false)
    }
}

/// Write a blocked call; that of a rank without files is nowhere to be told.
fn put_wait(writers: &mut Writers, present: &[bool], blocked: &Blocked) -> Result<(), CloseError> {
    let rank = blocked.span.rank as usize;
    match present.get(rank) {
        Some(true) => writers.wait(rank, &blocked.row()),
        _ => Ok(()),
    }
}
