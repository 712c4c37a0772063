//! How many reads from outside the replacement costs, against plain FIFO and LRU with as much
//! memory (frames included).

use std::collections::{HashMap, VecDeque};

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::{Action, Checksum, Fault, Grabbed, Installed, Into, Options, Page, Pager, Policy};

const BUDGET: u64 = 1000;
const STAGING: u32 = 100;

/// Runs page touches; everything is answered at once. Returns the pages read from outside, asked
/// for or ahead.
fn reads(touches: impl Iterator<Item = u64>, prefetch_pages: u32) -> u64 {
    let options = Options {
        budget_pages: BUDGET,
        staging_frames: STAGING,
        prefetch_pages,
        policy: Policy::Disk,
        servers: Vec::new(),
    };
    let mut pager = Pager::new(options).unwrap();
    let mut resident = std::collections::HashSet::new();
    pager.map(Page(0), 100_000);
    for page in touches {
        for _ in 0..3 {
            if resident.contains(&page) {
                break;
            }
            let fault = pager.fault(Page(page), false);
            assert!(fault.is_some_and(|f| f != Fault::Lost));
            carry_out(&mut pager, &mut resident);
        }
        assert!(resident.contains(&page), "page {page} does not come");
    }
    let status = pager.status();
    status.page_ins_demand + status.page_ins_prefetch
}

fn carry_out(pager: &mut Pager, resident: &mut std::collections::HashSet<u64>) {
    while let Some(action) = next_action(pager) {
        match action {
            Action::Zero { page } | Action::Install { page, .. } => {
                resident.insert(page.0);
                pager.installed(page, Installed::Done);
            }
            Action::Grab { page, .. } => {
                resident.remove(&page.0);
                pager.grabbed(page, Grabbed::Taken(Checksum(u128::from(page.0))));
            }
            Action::Drop { .. } => unreachable!("nothing is protected"),
            Action::Read { operation, into, .. } => {
                let installed = match into {
                    Into::Page(page) => resident.insert(page.0).then_some(Installed::Done),
                    Into::Frame(_) => None,
                };
                pager.done(operation, Ok(installed));
            }
            Action::Write { operation, .. } => pager.done(operation, Ok(None)),
            Action::Reserve { place, slots } => pager.granted(place, slots),
            _ => {}
        }
    }
}

/// Tidies up when there is nothing else to do.
fn next_action(pager: &mut Pager) -> Option<Action> {
    pager.next_action().or_else(|| {
        pager.tidy();
        pager.next_action()
    })
}

fn fifo(touches: impl Iterator<Item = u64>) -> u64 {
    let (mut queue, mut there, mut seen, mut reads) =
        (VecDeque::new(), std::collections::HashSet::new(), std::collections::HashSet::new(), 0);
    for page in touches {
        if there.insert(page) {
            reads += u64::from(!seen.insert(page));
            queue.push_back(page);
            if queue.len() as u64 > BUDGET + u64::from(STAGING) {
                there.remove(&queue.pop_front().unwrap());
            }
        }
    }
    reads
}

fn lru(touches: impl Iterator<Item = u64>) -> u64 {
    let (mut by_time, mut time_of) = (std::collections::BTreeMap::new(), HashMap::new());
    let (mut seen, mut reads) = (std::collections::HashSet::new(), 0);
    for (now, page) in touches.enumerate() {
        match time_of.insert(page, now) {
            Some(before) => {
                by_time.remove(&before);
            }
            None => reads += u64::from(!seen.insert(page)),
        }
        by_time.insert(now, page);
        if time_of.len() as u64 > BUDGET + u64::from(STAGING) {
            let (_, oldest) = by_time.pop_first().unwrap();
            time_of.remove(&oldest);
        }
    }
    reads
}

fn compare(name: &str, touches: impl Fn() -> Box<dyn Iterator<Item = u64>>) -> (u64, u64, u64) {
    let found = (reads(touches(), 64), fifo(touches()), lru(touches()));
    eprintln!("{name}: {} reads, FIFO {}, LRU {}", found.0, found.1, found.2);
    found
}

#[test]
fn a_loop_a_little_larger_than_memory_mostly_stays() {
    let (ours, fifo, lru) =
        compare("loop of 1.2 × memory", || Box::new((0..20).flat_map(|_| 0..1320)));
    assert!(ours * 2 < fifo && ours * 2 < lru);
}

#[test]
fn a_shuffled_loop_is_no_worse_than_fifo() {
    let order = |i: u64| i * 7919 % 1321;
    let (ours, fifo, _) = compare("shuffled loop of 1.2 × memory", || {
        Box::new((0..20).flat_map(move |_| (0..1321).map(order)))
    });
    assert!(ours <= fifo + fifo / 50);
}

#[test]
fn popular_pages_stay() {
    let zipf = || {
        let mut random = Pcg64Mcg::new(7);
        // Inverse of the cumulative distribution of 1/x, over 20000 pages; scattered, so that
        // neighbours mean nothing.
        (0..300_000).map(move |_| (20_000f64.powf(random.random::<f64>()) as u64) * 7919 % 20_011)
    };
    let (ours, fifo, lru) = compare("zipf", || Box::new(zipf()));
    assert!(ours < fifo, "better than FIFO");
    assert!(ours < lru + lru / 5, "not much worse than LRU, which sees every touch");
}

#[test]
fn a_scan_does_not_wash_out_what_is_hot() {
    let mixed = || {
        let mut random = Pcg64Mcg::new(8);
        (0..200_000u64).map(move |i| {
            if i % 4 == 0 {
                10_000 + (i / 4) % 40_000
            } else {
                random.random_range(0..700u64) * 7919 % 5003
            }
        })
    };
    let (ours, fifo, lru) = compare("scan + hot set", || Box::new(mixed()));
    let forced = 10_000; // The scan's second round: 50 000 steps over 40 000 pages.
    assert!(ours < fifo && ours < lru + lru / 10, "hot pages stay");
    assert!(ours < 3 * forced);
}

#[test]
fn random_reads_read_nothing_ahead() {
    let mut random = Pcg64Mcg::new(9);
    let touches: Vec<u64> = (0..60_000).map(|_| random.random_range(0..50_000)).collect();
    let (with, without) = (reads(touches.iter().copied(), 64), reads(touches.iter().copied(), 0));
    assert!(with <= without + without / 100, "{with} reads with prefetching, {without} without");
}
