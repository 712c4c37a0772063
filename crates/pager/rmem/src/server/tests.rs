use super::*;
use crate::checksum;
use crate::link::{Link, LinkError, Reply};
use crate::{PageBytes, Shortage};
use pager::Tag;
use std::thread::JoinHandle;
use std::time::Instant;

mod children;
mod keys;
mod model;
mod speed;
mod strangers;

const DEADLINE: Duration = Duration::from_secs(20);

/// A server in a thread of this process.
struct Running {
    server: Arc<PageServer>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    key: RunKey,
}

impl Running {
    fn start(pages: u64, change: impl FnOnce(&mut ServerOptions)) -> Running {
        let key = RunKey::generate().unwrap();
        let mut options = ServerOptions::new("127.0.0.1:0", pages * PAGE_BYTES as u64, key.clone());
        options.reserve_bytes = Some(0);
        change(&mut options);
        let server = Arc::new(PageServer::bind(options).unwrap());
        let stop = Arc::new(AtomicBool::new(false));
        let thread = std::thread::spawn({
            let (server, stop) = (server.clone(), stop.clone());
            move || server.run(&stop).unwrap()
        });
        Running { server, stop, thread: Some(thread), key }
    }

    fn address(&self) -> String {
        self.server.address().to_string()
    }

    fn client(&self, encrypt: bool) -> Client {
        Client { link: Link::connect(&self.address(), &self.key, encrypt, DEADLINE).unwrap() }
    }

    /// Wait until the summary is as it should be.
    fn until(&self, what: &str, is_so: impl Fn(&ServerSummary) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.server.summary()) {
            assert!(begun.elapsed() < DEADLINE, "no {what}: {:?}", self.server.summary());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Whether the server serves a client as it should, after whatever was done to it.
    fn assert_unharmed(&self) {
        let mut client = self.client(false);
        assert_eq!(client.reserve(1), (1, Shortage::None));
        client.store(0, 1, &[5; PAGE_BYTES]);
        assert_eq!(client.fetch(0), (Some(1), [5; PAGE_BYTES]));
    }

    fn end(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok(), "the server panicked");
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}

/// A client that waits for its answers.
struct Client {
    link: Link,
}

impl Client {
    /// Send what is queued and take answers until `take` has said that it has enough.
    fn wait(&mut self, mut take: impl FnMut(Reply<'_>) -> bool) {
        self.try_wait(&mut take).unwrap();
    }

    fn try_wait(&mut self, take: &mut dyn FnMut(Reply<'_>) -> bool) -> Result<(), LinkError> {
        let clock = Clock::best();
        let (begun, mut enough) = (Instant::now(), false);
        while !enough {
            assert!(begun.elapsed() < DEADLINE, "no answer");
            self.link.flush(clock.now().0)?;
            if !self.link.receive(|| clock.now().0, &mut |reply| enough |= take(reply))? {
                std::thread::yield_now();
            }
        }
        Ok(())
    }

    fn reserve(&mut self, asked: u32) -> (u32, Shortage) {
        self.link.reserve(asked);
        let mut got = (0, Shortage::None);
        self.wait(|reply| match reply {
            Reply::Granted { slots, shortage } => {
                got = (slots, shortage);
                true
            }
            other => panic!("{other:?}"),
        });
        got
    }

    fn store(&mut self, slot: u32, version: u64, page: &PageBytes) {
        self.link.write(7, slot, Tag { version, checksum: checksum(page) }, page, 0);
        self.wait(|reply| matches!(reply, Reply::Stored { operations: [7], .. }));
    }

    /// The version and the bytes.
    fn fetch(&mut self, slot: u32) -> (Option<u64>, PageBytes) {
        self.link.read(&[(8, slot)]);
        let mut got = (None, [0; PAGE_BYTES]);
        self.wait(|reply| {
            let Reply::Pages { operations: [8], entries: [entry], bytes, .. } = reply else {
                panic!("{reply:?}")
            };
            got = (entry.tag.map(|tag| tag.version), bytes.try_into().unwrap());
            true
        });
        got
    }
}

#[test]
fn a_page_comes_back_with_its_tag_and_its_stamps() {
    let running = Running::start(16, |_| {});
    let mut client = running.client(false);
    let about = client.link.about().clone();
    assert_eq!((about.capacity_pages, about.pid), (16, std::process::id()));
    assert_eq!(about.boot_id, Machine::boot_id_here());
    assert_eq!(client.reserve(4), (4, Shortage::None));
    let page: PageBytes = std::array::from_fn(|i| (i % 251) as u8);
    client.link.write(11, 2, Tag { version: 5, checksum: checksum(&page) }, &page, 1);
    // Both ends are on one machine, so all four stamps are of one clock, and must be in order.
    client.wait(|reply| {
        let Reply::Stored { operations: [11], times } = reply else { panic!("{reply:?}") };
        assert!(times.sent < times.arrived && times.arrived < times.taken, "{times:?}");
        assert!(times.taken < times.answered, "{times:?}");
        true
    });
    client.link.read(&[(12, 2), (13, 3)]);
    client.wait(|reply| {
        let Reply::Pages { operations: [12, 13], entries: [held, empty], bytes, times } = reply
        else {
            panic!("{reply:?}")
        };
        assert_eq!(held.tag, Some(Tag { version: 5, checksum: checksum(&page) }));
        assert_eq!(empty.tag, None);
        assert!(bytes[..PAGE_BYTES] == page && bytes[PAGE_BYTES..] == [0; PAGE_BYTES]);
        assert!(times.asked < times.ready && times.ready <= times.sent, "{times:?}");
        assert!(times.sent < times.arrived, "{times:?}");
        true
    });
    assert_eq!(client.link.oldest(), None);
    client.link.ping(99);
    client.wait(|reply| {
        let Reply::Pong { sent: 99, server_received, server_sent, received } = reply else {
            panic!("{reply:?}")
        };
        assert!(server_received <= server_sent && server_sent < received);
        true
    });
    let summary = running.server.summary();
    assert_eq!((summary.parity, summary.page_outs, summary.fetched), (1, 0, 2));
}

#[test]
fn writes_in_a_row_leave_in_batches() {
    let running = Running::start(200, |_| {});
    let mut client = running.client(false);
    client.reserve(200);
    for slot in 0..150u32 {
        let page = [slot as u8; PAGE_BYTES];
        client.link.write(
            slot.into(),
            slot,
            Tag { version: 1, checksum: checksum(&page) },
            &page,
            0,
        );
    }
    let (mut stored, mut batches) = (Vec::new(), Vec::new());
    client.wait(|reply| {
        let Reply::Stored { operations, .. } = reply else { panic!("{reply:?}") };
        stored.extend_from_slice(operations);
        batches.push(operations.len());
        stored.len() == 150
    });
    assert_eq!(stored, (0..150).collect::<Vec<u64>>());
    assert_eq!(batches, [64, 64, 22]);
    let wanted: Vec<(u64, u32)> = (0..150).map(|slot| (slot, slot as u32)).collect();
    client.link.read(&wanted);
    let mut slot = 0;
    client.wait(|reply| {
        let Reply::Pages { bytes, .. } = reply else { panic!("{reply:?}") };
        for page in bytes.chunks(PAGE_BYTES) {
            assert!(page == [slot as u8; PAGE_BYTES], "slot {slot}");
            slot += 1;
        }
        slot == 150
    });
}

#[test]
fn a_write_behind_a_read_does_not_change_what_is_read() {
    let running = Running::start(4, |_| {});
    let mut client = running.client(false);
    client.reserve(1);
    client.store(0, 1, &[1; PAGE_BYTES]);
    client.link.read(&[(1, 0)]);
    client.link.write(
        2,
        0,
        Tag { version: 2, checksum: checksum(&[2; PAGE_BYTES]) },
        &[2; PAGE_BYTES],
        0,
    );
    client.link.read(&[(3, 0)]);
    let mut seen = Vec::new();
    client.wait(|reply| {
        if let Reply::Pages { entries, bytes, .. } = reply {
            seen.push((entries[0].tag.unwrap().version, bytes[0]));
        }
        seen.len() == 2
    });
    assert_eq!(seen, [(1, 1), (2, 2)]);
}

#[test]
fn clients_cannot_see_one_anothers_slots() {
    let running = Running::start(16, |_| {});
    let (mut one, mut other) = (running.client(false), running.client(true));
    one.reserve(4);
    other.reserve(4);
    one.store(0, 1, &[1; PAGE_BYTES]);
    assert_eq!(other.fetch(0), (None, [0; PAGE_BYTES]));
    other.store(0, 2, &[2; PAGE_BYTES]);
    assert_eq!(one.fetch(0), (Some(1), [1; PAGE_BYTES]));
    other.link.read(&[(1, 4)]);
    let refused = other.try_wait(&mut |_| false).unwrap_err();
    assert!(matches!(refused, LinkError::Refused { .. }), "{refused}");
    running.until("count", |summary| summary.broken_rules == 1);
    assert_eq!(one.fetch(0), (Some(1), [1; PAGE_BYTES]), "the other client goes on");
}

#[test]
fn memory_is_bounded_and_comes_back() {
    let running = Running::start(8, |_| {});
    let (mut one, mut other) = (running.client(false), running.client(false));
    assert_eq!(one.reserve(6), (6, Shortage::None));
    assert_eq!(other.reserve(6), (2, Shortage::Full));
    assert_eq!(other.reserve(1), (0, Shortage::Full));
    running.until("the refusals", |summary| summary.refused_grants == 2);
    drop(one);
    running.until("memory back", |summary| summary.granted_pages == 2);
    assert_eq!(other.reserve(6), (6, Shortage::None));
    assert_eq!(other.fetch(7), (None, [0; PAGE_BYTES]));
}

#[test]
fn a_machine_without_memory_to_spare_refuses() {
    let running = Running::start(8, |options| options.reserve_bytes = Some(u64::MAX));
    assert_eq!(running.client(false).reserve(1), (0, Shortage::Machine));
}

#[test]
fn the_end_of_a_server_ends_its_connections() {
    let mut running = Running::start(8, |_| {});
    let mut client = running.client(false);
    client.reserve(1);
    running.end();
    let lost = client.try_wait(&mut |_| false).unwrap_err();
    assert!(matches!(lost, LinkError::Closed { .. }), "{lost}");
    running.until("room", |summary| summary.granted_pages == 0);
}
