//! The whole pager with a program, a driver and servers, under a seed: every read sees the last
//! write.

mod machine;
mod places;

use machine::{Machine, Slip, Touch};
use rand::RngExt;

use crate::{Options, Page, Place, Policy, Role};

/// Seeds of `cargo test`; more by the environment variable FOURSTAMP_SEEDS.
const SEEDS: u64 = 500;

fn seeds() -> u64 {
    std::env::var("FOURSTAMP_SEEDS")
        .map_or(SEEDS, |text| text.parse().expect("FOURSTAMP_SEEDS is a number"))
}

/// Memory that the program has mapped: first page, how many.
type Region = (u64, u64);

struct Run {
    machine: Machine,
    regions: Vec<Region>,
    /// System calls that wait for their pages.
    holds: Vec<(Region, bool)>,
    crashes: u32,
    next_value: u64,
}

impl Run {
    fn new(seed: u64, policy: Policy) -> Run {
        let mut random = <rand_pcg::Pcg64Mcg as rand::SeedableRng>::seed_from_u64(seed);
        let data = random.random_range(1..=4u16);
        let mut servers: Vec<(Place, Role)> = (0..data).map(|i| (Place(i), Role::Data)).collect();
        servers.push((Place(data), Role::Parity));
        if random.random_bool(0.3) {
            servers.push((Place(data + 1), Role::Spare));
        }
        if policy == Policy::Disk {
            servers.clear();
        }
        let options = Options {
            budget_pages: random.random_range(16..=200),
            staging_frames: random.random_range(8..=100),
            prefetch_pages: random.random_range(0..=64),
            policy,
            servers,
        };
        let capacity = random.random_range(20..=600);
        let mut machine = Machine::new(options, random.random(), capacity);
        machine.trouble = if random.random_bool(0.5) { 10 } else { 0 };
        machine.may_lose = policy == Policy::None;
        Run { machine, regions: Vec::new(), holds: Vec::new(), crashes: 0, next_value: 1 }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.machine.random.random_range(0..bound)
    }

    fn map(&mut self) {
        let pages = 1 + self.below(300);
        let first = 1000 + self.below(6) * 400;
        self.machine.map(first, pages);
        self.end_calls(first, pages);
        self.cut(first, pages);
        self.regions.push((first, pages));
    }

    fn some_range(&mut self) -> Option<Region> {
        if self.regions.is_empty() {
            return None;
        }
        let index = self.below(self.regions.len() as u64) as usize;
        let (first, pages) = self.regions[index];
        let from = self.below(pages);
        Some((first + from, 1 + self.below(pages - from)))
    }

    /// A few touches of one kind.
    fn touches(&mut self) {
        let Some((first, pages)) = self.some_range() else { return };
        let (stride, random) = (1 + self.below(4), self.machine.chance(300));
        let (backwards, writes) = (self.machine.chance(200), self.below(1001) as u32);
        let (mut at, length) = (0, 1 + self.below(pages));
        for _ in 0..length {
            let offset = if random { self.below(pages) } else { at % pages };
            at += stride;
            let page = first + if backwards { pages - 1 - offset } else { offset };
            let touch = if self.machine.chance(writes) { self.write() } else { Touch::Read };
            if !self.touch(page, touch) {
                return;
            }
        }
    }

    fn write(&mut self) -> Touch {
        self.next_value += 1;
        Touch::Write(if self.machine.chance(50) { 0 } else { self.next_value })
    }

    /// By some thread that waits for nothing. `false`: all wait for too long, something else has to
    /// happen first.
    fn touch(&mut self, page: u64, touch: Touch) -> bool {
        for _ in 0..1000 {
            if let Some(thread) = self.machine.threads.iter().position(Option::is_none) {
                self.machine.touch(thread, page, touch);
                let answers = self.below(3);
                for _ in 0..answers {
                    self.machine.step();
                }
                return true;
            }
            if !self.machine.step() {
                self.machine.tick();
                self.check_holds();
            }
        }
        false
    }

    fn event(&mut self) {
        match self.below(100) {
            0..10 => self.map(),
            10..13 => self.unmap(),
            13..18 => {
                if let Some((first, pages)) = self.some_range() {
                    self.machine.forget(first, pages);
                    self.machine.wake_all();
                }
            }
            18..21 => self.remap(),
            21..27 => self.hold(),
            27..32 => self.release(),
            32..35 => {
                if let Some((page, _)) = self.some_range() {
                    self.machine.drop_silently(page);
                }
            }
            35..37 => self.crash(),
            37..39 => self.rejoin(),
            39..45 => self.machine.tick(),
            45..47 => self.fork(),
            _ => self.touches(),
        }
        self.check_holds();
    }

    fn unmap(&mut self) {
        let Some((first, pages)) = self.some_range() else { return };
        self.machine.unmap(first, pages);
        self.end_calls(first, pages);
        self.cut(first, pages);
    }

    fn cut(&mut self, first: u64, pages: u64) {
        let end = first + pages;
        let parts = self.regions.iter().flat_map(|&(from, n)| {
            let low = (from, (from + n).min(first).saturating_sub(from));
            let high_from = from.max(end);
            [low, (high_from, (from + n).saturating_sub(high_from))]
        });
        self.regions = parts.filter(|r| r.1 > 0).collect();
    }

    fn remap(&mut self) {
        let Some((first, pages)) = self.some_range() else { return };
        let to = 10_000 + self.below(4) * 400;
        if first >= 10_000 {
            return;
        }
        self.machine.moved(first, to, pages);
        self.end_calls(first, pages);
        self.end_calls(to, pages);
        self.cut(first, pages);
        self.cut(to, pages);
        self.regions.push((to, pages));
    }

    fn hold(&mut self) {
        let Some((first, pages)) = self.some_range() else { return };
        let pages = pages.min(1 + self.machine.budget / 4);
        if self.holds.iter().all(|(h, _)| h.0 + h.1 <= first || first + pages <= h.0)
            && self.machine.pager.hold(Page(first), pages)
        {
            self.holds.push(((first, pages), false));
        }
        self.machine.drain();
    }

    /// Pages of a system call are there from the first moment on until its end.
    fn check_holds(&mut self) {
        for (region, begun) in &mut self.holds {
            if !*begun && self.machine.pager.held(Page(region.0), region.1) {
                *begun = true;
                let pages = region.0..region.0 + region.1;
                let truth = &self.machine.truth;
                let there =
                    pages.filter(|p| truth.contains_key(p) && self.machine.memory.contains_key(p));
                self.machine.pinned.extend(there);
            }
        }
    }

    /// What a child would find is what was written last, however much else goes on. The budget is
    /// kept again later.
    fn fork(&mut self) {
        let all = self.regions.clone();
        let contents = self.machine.truth.values().filter(|value| **value != 0).count() as u64;
        if contents > 0 && self.machine.chance(100) {
            assert!(!self.machine.pager.gather(contents - 1), "more than is allowed");
        }
        assert!(self.machine.pager.gather(u64::MAX));
        self.machine.most = u64::MAX;
        self.machine.drain();
        for (first, pages) in &all {
            self.machine.pager.bring(Page(*first), *pages);
            self.machine.drain();
        }
        let all_here = (0..20_000).find_map(|_| {
            if !self.machine.step() {
                self.machine.tick();
            }
            let how = all.iter().map(|(first, n)| self.machine.pager.gathered(Page(*first), *n));
            let how = how.collect::<Option<Vec<bool>>>();
            self.machine.drain();
            how
        });
        let all_here = all_here.expect("all comes at last").into_iter().all(|here| here);
        assert!(all_here || self.machine.may_lose);
        let Machine { truth, memory, .. } = &self.machine;
        let wrong = truth.iter().find(|(page, value)| memory.get(page).unwrap_or(&0) != *value);
        assert!(!all_here || wrong.is_none(), "a child finds something else: {wrong:?}");
        if self.machine.chance(500) {
            self.touches();
        }
        self.machine.pager.scatter();
        self.machine.most = self.machine.pager.status().resident_pages.max(self.machine.budget);
        self.machine.drain();
    }

    fn release(&mut self) {
        if let Some((region, _)) = self.holds.pop() {
            self.end_call(region);
        }
    }

    fn end_call(&mut self, (first, pages): Region) {
        for page in first..first + pages {
            self.machine.pinned.remove(&page);
        }
        self.machine.pager.release(Page(first), pages);
        self.machine.drain();
    }

    /// System calls on memory that was unmapped or moved end: with an error.
    fn end_calls(&mut self, first: u64, pages: u64) {
        let over = |h: &(Region, bool)| h.0.0 < first + pages && first < h.0.0 + h.0.1;
        for (region, _) in self.holds.extract_if(.., |h| over(h)).collect::<Vec<_>>() {
            self.end_call(region);
        }
    }

    fn crash(&mut self) {
        if self.machine.places.servers.is_empty() {
            return;
        }
        let place = Place(self.below(self.machine.places.servers.len() as u64) as u16);
        if !self.machine.places.at(place).up {
            return;
        }
        if !self.machine.pager.settled() {
            // Contents may be in one copy only: for this crash to cost nothing, what is under way
            // must end first.
            if self.machine.chance(700) && self.run_until_settled().is_err() {
                return;
            }
            self.machine.may_lose |= self.crashes > 0 && !self.machine.pager.settled();
        }
        self.crashes += 1;
        if self.machine.chance(300) {
            self.machine.places.at(place).hangs = true;
            for _ in 0..20 {
                self.machine.step();
            }
        }
        let outcomes_first = self.machine.chance(500);
        self.machine.crash(place, outcomes_first);
    }

    fn rejoin(&mut self) {
        let down = self.machine.places.servers.iter().position(|s| !s.up);
        let Some(index) = down else { return };
        let capacity = self.machine.places.servers[index].capacity;
        self.machine.places.servers[index] = places::Server::new(capacity);
        let role = [Role::Data, Role::Parity, Role::Spare][self.below(3) as usize];
        self.machine.pager.joined(Place(index as u16), role);
        self.machine.drain();
    }

    fn run_until_settled(&mut self) -> Result<(), String> {
        for _ in 0..20_000 {
            if !self.machine.step() {
                if self.machine.pager.settled() && self.machine.threads.iter().all(Option::is_none)
                {
                    return Ok(());
                }
                self.machine.tick();
            }
        }
        Err(format!(
            "not settled: {:?}, threads {:?}",
            self.machine.pager.status(),
            self.machine.threads
        ))
    }

    /// At the end, everything is as it was written.
    fn finish(&mut self) {
        while !self.holds.is_empty() {
            self.release();
        }
        self.run_until_settled().unwrap();
        let mut pages: Vec<u64> = self.machine.truth.keys().copied().collect();
        pages.sort_unstable();
        for page in pages {
            assert!(self.touch(page, Touch::Read), "page {page} never comes");
        }
        self.run_until_settled().unwrap();
        let status = self.machine.pager.status();
        assert_eq!(
            status.resident_pages,
            self.machine.memory.len() as u64 + status.surprises_pending(&self.machine)
        );
        assert!(status.resident_pages <= self.machine.budget, "{status:?}");
        assert!(self.machine.may_lose || status.lost.is_empty());
    }
}

impl crate::Status {
    /// Pages dropped silently that the pager still thinks resident.
    fn surprises_pending(&self, machine: &Machine) -> u64 {
        self.resident_pages - (machine.memory.len() as u64).min(self.resident_pages)
    }
}

fn rehearse(seed: u64, policy: Policy, slip: Option<Slip>) {
    let mut run = Run::new(seed, policy);
    run.machine.slip = slip;
    run.map();
    for _ in 0..60 {
        run.event();
    }
    run.finish();
}

fn all_seeds(policy: Policy) {
    for seed in 0..seeds() {
        if let Err(cause) = std::panic::catch_unwind(|| rehearse(seed, policy, None)) {
            eprintln!("seed {seed} with policy {policy} fails");
            std::panic::resume_unwind(cause);
        }
    }
}

#[test]
fn every_read_sees_the_last_write_without_redundancy() {
    all_seeds(Policy::None);
}

#[test]
fn every_read_sees_the_last_write_with_parity_logging() {
    all_seeds(Policy::ParityLog);
}

#[test]
fn every_read_sees_the_last_write_with_other_policies() {
    for policy in [Policy::Mirror, Policy::Disk] {
        all_seeds(policy);
    }
}

/// The first seed that finds a driver out.
fn noticed(slip: Slip) -> Option<u64> {
    let fails =
        |seed| std::panic::catch_unwind(|| rehearse(seed, Policy::Disk, Some(slip))).is_err();
    (0..20_000).find(|&seed| fails(seed))
}

#[test]
fn drivers_that_put_pages_where_they_are_not_welcome_are_noticed() {
    assert!(noticed(Slip::PutsUnwelcome).is_some());
}

#[test]
fn drivers_that_hide_writes_are_noticed() {
    assert!(noticed(Slip::HidesWrites).is_some());
}
