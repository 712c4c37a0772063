//! What places answer.

use super::Engine;
use super::asked::What;
use super::perform::frame_of;
use super::scribe::Transfer;
use crate::checksum;
use crate::disk::{Done, Found};
use crate::link::{FetchTimes, Reply, StoreTimes};
use crate::{PageBytes, PageEntry};
use clock::{Exchange, Ticks};
use pager::{Access, Failure, Installed, Into, Operation, PAGE_BYTES, Page, Place, Tag};
use pager_facts::{Batch, EngineStep, FrameTask, Happened, Way};
use record::Kind;

impl Engine {
    /// Read what a server has sent. Whether there was anything.
    pub(super) fn hear(&mut self, at: usize) -> bool {
        let Some(mut link) = self.servers.sites[at].link.take() else { return false };
        let clock = self.time.clock;
        let heard = link.receive(|| clock.now().0, &mut |reply| self.answer(at, reply));
        match heard {
            Ok(some) => {
                let site = &mut self.servers.sites[at];
                site.link = Some(link);
                site.heard = if some { clock.now().0 } else { site.heard };
                some
            }
            Err(error) => {
                drop(link);
                self.lose(at, error.to_string());
                true
            }
        }
    }

    fn answer(&mut self, at: usize, reply: Reply<'_>) {
        let place = self.servers.sites[at].place;
        self.served(at, &reply);
        match reply {
            Reply::Granted { slots, .. } => self.pager.granted(place, slots),
            Reply::Stored { operations, times } => {
                let batch = operations.len();
                self.progress.rate.went(batch * PAGE_BYTES);
                self.note(at, Way::Out, operations, times.answered);
                let begun = self.time.now();
                operations
                    .iter()
                    .for_each(|operation| self.stored(at, Operation(*operation), &times, batch));
                let took = self.time.now() - begun;
                self.waits.page_events.worked(EngineStep::Stored, batch as u64, took);
            }
            Reply::Pages { operations, entries, bytes, times } => {
                let begun = self.time.now();
                self.pages(at, operations, entries, bytes, &times);
                let (many, took) = (operations.len() as u64, self.time.now() - begun);
                self.waits.page_events.worked(EngineStep::Receive, many, took);
            }
            Reply::Pong { sent, server_received, server_sent, received } => {
                self.servers.sites[at].exchanges.push(Exchange {
                    local_sent: Ticks(sent),
                    remote_received: Ticks(server_received),
                    remote_sent: Ticks(server_sent),
                    local_received: Ticks(received),
                });
            }
        }
        self.perform_all();
    }

    /// How long the server had the request.
    fn served(&mut self, at: usize, reply: &Reply<'_>) {
        let ticks = match reply {
            Reply::Stored { times, .. } => times.taken.saturating_sub(times.arrived),
            Reply::Pages { times, .. } => times.sent.saturating_sub(times.ready),
            Reply::Granted { .. } | Reply::Pong { .. } => 0,
        };
        // Of the server's clock. What is not a number is nothing.
        self.waits.served(
            (ticks as f64 * self.servers.sites[at].ns_per_tick / self.time.ns_per_tick) as u64,
        );
    }

    /// A batch is done. Its first page was asked for first.
    fn note(&mut self, at: usize, way: Way, operations: &[u64], done: u64) {
        let bytes = (operations.len() * PAGE_BYTES) as u64;
        let asked = operations.first().and_then(|operation| self.asks.ready(Operation(*operation)));
        let server = self.servers.sites[at].server as u32;
        self.waits.timeline.batch(Batch { way, server, asked: asked.unwrap_or(done), done, bytes });
    }

    fn stored(&mut self, at: usize, operation: Operation, times: &StoreTimes, batch: usize) {
        let Some(asked) = self.asks.take(operation) else { return };
        let kind = if let What::Store { kind } = asked.what { kind } else { Kind::Other };
        self.scribe.out(kind, &self.servers.sites[at], asked.ready, times, batch);
        self.pager.done(operation, Ok(None));
    }

    /// A batch of pages. Those that are right and follow one another go into the program together.
    fn pages(
        &mut self,
        at: usize,
        operations: &[u64],
        entries: &[PageEntry],
        bytes: &[u8],
        times: &FetchTimes,
    ) {
        let batch = operations.len();
        self.progress.rate.came(bytes.len());
        self.note(at, Way::In, operations, times.arrived);
        let mut run = Run {
            first: Page(0),
            number: 0,
            access: Access::Write,
            operations: Vec::with_capacity(batch),
        };
        for (number, (operation, entry)) in operations.iter().zip(entries).enumerate() {
            let operation = Operation(*operation);
            let page_bytes = &bytes[number * PAGE_BYTES..][..PAGE_BYTES];
            let Some(asked) = self.asks.take(operation) else { continue };
            let What::Fetch { into, version, checksum, cancelled, .. } = asked.what else {
                continue;
            };
            let right = entry.tag.is_some_and(|tag| is_right(tag, version, checksum, page_bytes));
            let transfer =
                Transfer { ready: times.ready, sent: times.sent, arrived: times.arrived };
            match into {
                _ if !right => self.pager.done(operation, Err(Failure::Wrong)),
                Into::Frame(_) => self.fill_frame(operation, into, page_bytes),
                Into::Page(page) => {
                    match self.pager.welcome(operation, page).filter(|_| !cancelled) {
                        None => self.pager.done(operation, Ok(Some(Installed::Gone))),
                        Some(access) => {
                            if !run.takes(page, number, access) {
                                self.fill_run(&mut run, bytes);
                            }
                            run.add(page, number, access, operation);
                        }
                    }
                }
            }
            self.scribe.incoming(&self.servers.sites[at], &transfer, batch);
        }
        self.fill_run(&mut run, bytes);
        self.scribe.taken(self.time.now());
    }

    fn fill_run(&mut self, run: &mut Run, bytes: &[u8]) {
        let many = run.operations.len();
        if many == 0 {
            return;
        }
        let mut hows = std::mem::take(&mut self.buffers.hows);
        let part = &bytes[run.number * PAGE_BYTES..][..many * PAGE_BYTES];
        self.fill(run.first, part, run.access, |_, how| hows.push(how));
        for (operation, how) in run.operations.drain(..).zip(hows.drain(..)) {
            self.pager.done(operation, Ok(Some(how)));
        }
        self.buffers.hows = hows;
    }

    fn fill_frame(&mut self, operation: Operation, into: Into, bytes: &[u8]) {
        let Some(frame) = frame_of(into) else { return };
        let (_, result) = self.pages.uffd.copy(self.staging.address(frame), bytes);
        let outcome = match result {
            Ok(()) => Ok(None),
            Err(error) => {
                self.progress.events.frames_failed(1, FrameTask::Fill, &error);
                Err(Failure::Wrong)
            }
        };
        self.pager.done(operation, outcome);
    }

    /// What the disk has done. Whether there was anything.
    pub(super) fn hear_disk(&mut self) -> bool {
        let mut some = false;
        while let Some(done) = self.disk.next_done() {
            some = true;
            self.disk_done(done);
            self.perform_all();
        }
        some
    }

    fn disk_done(&mut self, Done { operation, times, outcome }: Done) {
        let operation = Operation(operation);
        let Some(asked) = self.asks.take(operation) else { return };
        let stored = StoreTimes {
            sent: times.sent,
            arrived: times.arrived,
            taken: times.taken,
            answered: times.taken,
        };
        match (outcome, asked.what) {
            (Ok(Found::Stored), What::Store { kind }) => {
                self.scribe.disk_out(kind, asked.ready, &stored);
                self.progress.events.disk_took();
                self.pager.done(operation, Ok(None));
            }
            (
                Ok(Found::Page { bytes, tag }),
                What::Fetch { into, version, checksum, cancelled, .. },
            ) => {
                if !tag.is_some_and(|tag| is_right(tag, version, checksum, &*bytes)) {
                    self.progress.events.tell(Happened::DiskWrong);
                    return self.pager.done(operation, Err(Failure::Wrong));
                }
                self.scribe.disk_in(times.sent, times.arrived, times.taken);
                self.place_from_disk(operation, into, &bytes, cancelled);
                self.scribe.taken(self.time.now());
            }
            (Err(error), _) => {
                let full = self.progress.events.disk_failed(&error);
                self.pager.done(operation, Err(if full { Failure::Full } else { Failure::Wrong }));
            }
            _ => self.pager.done(operation, Err(Failure::Wrong)),
        }
    }

    fn place_from_disk(
        &mut self,
        operation: Operation,
        into: Into,
        bytes: &PageBytes,
        cancelled: bool,
    ) {
        let Into::Page(page) = into else { return self.fill_frame(operation, into, bytes) };
        let mut installed = Installed::Gone;
        if let Some(access) = self.pager.welcome(operation, page).filter(|_| !cancelled) {
            self.fill(page, bytes, access, |_, how| installed = how);
        }
        self.pager.done(operation, Ok(Some(installed)));
    }

    /// A server is gone, with all that it held.
    pub(super) fn lose(&mut self, at: usize, why: String) {
        let site = &mut self.servers.sites[at];
        let place = site.place;
        (site.link, site.down) = (None, true);
        site.waiting.clear();
        site.reads.clear();
        site.discards.clear();
        let server = self.servers.sites[at].server;
        let address = self.config.servers[server].address.clone();
        self.progress.recovery.lost_server();
        self.progress.events.tell(Happened::ServerDown { server: place.0, address, why });
        self.forget_asks(place);
        self.perform_all();
        self.look_for(server);
        // Whoever watches the run is told now. What cannot be written is written a second later.
        let _ = self.save_progress();
    }

    fn forget_asks(&mut self, place: Place) {
        let open = self.asks.of(place);
        self.pager.down(place);
        for operation in open {
            self.asks.take(operation);
            self.pager.done(operation, Err(Failure::Down));
        }
    }
}

/// Pages of a batch that follow one another both in the answer and in the program, and are put
/// there alike.
struct Run {
    first: Page,
    number: usize,
    access: Access,
    operations: Vec<Operation>,
}

impl Run {
    fn takes(&self, page: Page, number: usize, access: Access) -> bool {
        let many = self.operations.len();
        let follows = page.0 == self.first.0 + many as u64 && number == self.number + many;
        many == 0 || (follows && access == self.access)
    }

    fn add(&mut self, page: Page, number: usize, access: Access, operation: Operation) {
        if self.operations.is_empty() {
            (self.first, self.number, self.access) = (page, number, access);
        }
        self.operations.push(operation);
    }
}

/// Whether these are the bytes that were kept under this version.
fn is_right(tag: Tag, version: u64, expected: Option<pager::Checksum>, bytes: &[u8]) -> bool {
    let Ok(bytes) = <&PageBytes>::try_from(bytes) else { return false };
    tag.version == version
        && expected.is_none_or(|checksum| checksum == tag.checksum)
        && checksum(bytes) == tag.checksum
}
