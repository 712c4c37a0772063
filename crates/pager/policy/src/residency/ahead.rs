//! Reading ahead of need, and letting go of what a stream has read.

use super::Residency;
use crate::prefetch::{Ask, Span};
use crate::table::{List, Seat, State, flag};
use crate::{Into, Page, Urgency};

impl Residency {
    /// Reads a window ahead, as far as there is room: the first page that is outside into a frame,
    /// as the trigger, the others into memory. Those in frames are put back.
    pub(super) fn read_ahead(&mut self, ask: Ask) {
        let most = u64::from(ask.pages).min(self.spare_room()) as u32;
        let (mut steps, mut found, mut trigger) = (0, 0, None);
        let mut page = ask.from;
        while found < most && steps < 4 * ask.pages {
            let Some(seat) = self.table.seat(page) else { break };
            if self.can_be_put_back(seat) {
                self.note_soon(seat, Some(ask.stride));
                self.take_back(seat);
                found += 1;
            } else if self.fetchable(seat) {
                self.status.page_ins_prefetch += 1;
                self.note_return(seat, Some(ask.stride));
                if trigger.is_none() && self.read_framed(seat) {
                    trigger = Some(page);
                } else {
                    self.read(seat, Urgency::Prefetch);
                }
                found += 1;
            }
            steps += 1;
            page = Page(page.0.wrapping_add_signed(ask.stride));
        }
        self.status.windows += u64::from(found > 0);
        self.reads.streams.fetched(ask, steps, trigger);
    }

    fn can_be_put_back(&self, seat: Seat) -> bool {
        let entry = self.table[seat];
        entry.state == State::Framed && !entry.has(flag::WAITING | flag::TRIGGER)
    }

    fn fetchable(&self, seat: Seat) -> bool {
        let entry = self.table[seat];
        entry.state == State::Stored
            && !entry.has(flag::WAITING)
            && !self.reads.ghosts.contains(&self.table.key(seat))
    }

    /// `false`: there is no frame.
    fn read_framed(&mut self, seat: Seat) -> bool {
        let Some(frame) = self.empty_frame() else { return false };
        self.framed[frame].owner = seat;
        self.status.coming_pages += 1;
        let entry = &mut self.table[seat];
        entry.state = State::ComingFramed;
        entry.frame = frame.0;
        entry.set(flag::TRIGGER);
        self.vault.get(self.table.key(seat), Into::Frame(frame), Urgency::Prefetch, &mut self.out);
        true
    }

    /// Pages that the stream has read need not stay.
    pub(super) fn pass(&mut self, span: Span) {
        for step in 0..i64::from(span.steps) {
            let page = Page(span.from.0.wrapping_add_signed(span.stride.wrapping_mul(step)));
            let Some(seat) = self.table.seat(page) else { continue };
            if self.table[seat].list == List::Probation && self.table[seat].has(flag::STREAM) {
                self.queues.remove(&mut self.table, seat);
                self.queues.push(&mut self.table, seat, List::Passing);
            }
        }
    }
}
