//! What threads of the program ask for.

use super::{Engine, Wanted};
use crate::mailbox::{Request, Stretch, Ticket};
use pager::{PAGE_BYTES, Page};
use pager_facts::{Happened, Mapping};
use std::sync::Arc;

impl Engine {
    pub(super) fn serve_mail(&mut self) {
        let mut wishes = std::mem::take(&mut self.buffers.wishes);
        self.shared.mailbox.take(&mut wishes);
        for (request, ticket) in wishes.drain(..) {
            let begun = self.time.now();
            let done = self.carry_out(request, &ticket);
            self.perform_all();
            if let Some(granted) = done {
                self.waits.asked(begun, self.time.now());
                ticket.answer(granted);
            }
        }
        self.buffers.wishes = wishes;
    }

    /// Whether it was granted; `None`: the ticket is answered later.
    fn carry_out(&mut self, request: Request, ticket: &Arc<Ticket>) -> Option<bool> {
        match request {
            Request::Map(stretch) => self.map(stretch),
            Request::Close(stretch) => {
                self.close(stretch);
            }
            Request::Unmap(stretch) => {
                if self.close(stretch) {
                    self.shared.arena.put_back(stretch.address, stretch.bytes);
                }
            }
            Request::Forget(stretch) => self.forget(stretch),
            Request::Move { from, to } => self.move_to(from, to),
            Request::Hold(stretch) => {
                let (first, pages) = numbers(stretch);
                if self.pager.hold(first, pages) {
                    self.note_memory(Mapping::Hold, first, pages);
                    self.wait_for(Wanted::Held, stretch, ticket);
                    return None;
                }
                self.progress.events.tell(Happened::HeldTooMuch { bytes: stretch.bytes as u64 });
                return Some(false);
            }
            Request::Pin(stretch) => {
                let (first, pages) = numbers(stretch);
                return Some(self.pager.pin(first, pages));
            }
            Request::Release(stretch) => {
                let (first, pages) = numbers(stretch);
                self.pager.release(first, pages);
                self.note_memory(Mapping::Release, first, pages);
            }
            Request::Gather { most } => {
                // What a child has, too, the kernel does not move as it is.
                self.pages.may_be_shared = true;
                return Some(self.pager.gather(most));
            }
            Request::Bring(stretch) => {
                let (first, pages) = numbers(stretch);
                self.pager.bring(first, pages);
                self.wait_for(Wanted::Gathered, stretch, ticket);
                return None;
            }
            Request::Scatter => self.pager.scatter(),
            Request::Finish => self.finish(),
        }
        Some(true)
    }

    fn wait_for(&mut self, wanted: Wanted, stretch: Stretch, ticket: &Arc<Ticket>) {
        self.waits.begin_hold(self.time.now());
        self.holds.push((wanted, stretch, Arc::clone(ticket)));
    }

    fn map(&mut self, stretch: Stretch) {
        let (first, pages) = numbers(stretch);
        if let Err(error) = self.pages.uffd.register(stretch.address, stretch.bytes) {
            // It stays ordinary memory: right, and not paged.
            let (bytes, error) = (stretch.bytes as u64, error.to_string());
            return self.progress.events.tell(Happened::NotPaged { bytes, error });
        }
        self.pager.map(first, pages);
        self.note_memory(Mapping::Map, first, pages);
    }

    /// Whether it went well. The address space stays reserved: it must not be another's before the
    /// pager has forgotten what was there.
    fn close(&mut self, stretch: Stretch) -> bool {
        let (first, pages) = numbers(stretch);
        self.asks.cancel(first.0, pages);
        self.pager.unmap(first, pages);
        self.note_memory(Mapping::Unmap, first, pages);
        self.perform_all();
        let closed = self.shared.arena.close(stretch.address, stretch.bytes);
        if let Err(error) = &closed {
            self.progress.events.tell(Happened::Failed { error: error.to_string() });
        }
        self.waits.end(first, pages, self.time.now());
        closed.is_ok()
    }

    fn forget(&mut self, stretch: Stretch) {
        let (first, pages) = numbers(stretch);
        self.asks.cancel(first.0, pages);
        // SAFETY: the program asks for just this: its contents there are of no use to it any more.
        unsafe {
            libc::syscall(libc::SYS_madvise, stretch.address, stretch.bytes, libc::MADV_DONTNEED)
        };
        self.pager.forget(first, pages);
        self.note_memory(Mapping::Forget, first, pages);
    }

    /// What is resident goes there by the kernel, what is outside by the pager's table. Half a move
    /// cannot be undone: that ends the program.
    fn move_to(&mut self, from: Stretch, to: usize) {
        let (first, pages) = numbers(from);
        let new = Page((to / PAGE_BYTES) as u64);
        self.asks.cancel(first.0, pages);
        if let Err(error) = self.pages.shift(first, new, pages) {
            panic!("{} bytes of paged memory cannot be moved: {error}", from.bytes);
        }
        self.pager.moved(first, new, pages);
        self.waits.page_events.moved(first.0, pages, new.0, self.time.now());
        self.perform_all();
        match self.shared.arena.close(from.address, from.bytes) {
            Ok(()) => self.shared.arena.put_back(from.address, from.bytes),
            Err(error) => self.progress.events.tell(Happened::Failed { error: error.to_string() }),
        }
    }

    fn note_memory(&mut self, how: Mapping, first: Page, pages: u64) {
        self.waits.page_events.memory(how, first.0, pages, self.time.now());
    }

    /// Those whose pages are all there by now.
    pub(super) fn answer_holds(&mut self) {
        if self.holds.is_empty() {
            return;
        }
        let Engine { pager, holds, waits, time, .. } = self;
        holds.retain(|(wanted, stretch, ticket)| {
            let (first, pages) = numbers(*stretch);
            let there = match wanted {
                Wanted::Held => pager.held(first, pages).then_some(true),
                Wanted::Gathered => pager.gathered(first, pages),
            };
            if let Some(all) = there {
                waits.end_hold(time.now());
                ticket.answer(all);
            }
            there.is_none()
        });
        self.perform_all();
    }

    /// The last words of the program. Faults are served on: its other threads, and its destructors,
    /// may still touch what is away.
    fn finish(&mut self) {
        if std::mem::replace(&mut self.progress.finished, true) {
            return;
        }
        self.look_at_clocks();
        if let Err(error) = self.scribe.finish() {
            self.progress.events.tell(Happened::Failed { error: error.to_string() });
        }
        if let Err(error) = self.save_progress() {
            self.progress.events.tell(Happened::Failed { error: error.to_string() });
        }
    }
}

fn numbers(stretch: Stretch) -> (Page, u64) {
    (Page((stretch.address / PAGE_BYTES) as u64), (stretch.bytes / PAGE_BYTES) as u64)
}
