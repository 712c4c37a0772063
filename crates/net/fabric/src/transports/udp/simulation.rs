//! Two halves of a pair over a simulated network, under a seed: what is promised must hold whatever
//! the network does.

use super::counters::UdpReport;
use super::datagram::{DatagramError, TagKey};
use super::faults::Faults;
use super::options::{UdpFaults, UdpOptions, UdpTimer};
use super::pair::{Pair, PairKeys, Setup};
use super::timing::Times;
use crate::transport::{Flag, Head};
use proptest::prelude::*;
use record::Kind;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A tick is a microsecond here.
const STEP: u64 = 5;
/// Simulated time after which whoever still waits waits in vain.
const LIMIT: u64 = 300_000_000;
const MESSAGES: u64 = 150;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }
}

struct End {
    pair: Pair,
    faults: Faults,
    report: UdpReport,
    sent: u64,
    got: u64,
}

/// Arrival, order, to whom, what.
type OnItsWay = (u64, u64, usize, Vec<u8>);

struct World {
    ends: [End; 2],
    network: BinaryHeap<Reverse<OnItsWay>>,
    number: u64,
    now: u64,
    /// From one end to the other.
    latency: u64,
    random: Random,
}

fn payload(from: usize, number: u64) -> Vec<u8> {
    let mut random = Random(number * 2 + from as u64);
    let bytes = random.below(if number.is_multiple_of(7) { 900 } else { 30 });
    (0..bytes).map(|_| random.below(256) as u8).collect()
}

fn world(seed: u64, options: UdpOptions, faults: UdpFaults) -> World {
    let period = match options.timer {
        UdpTimer::Periodic { period_us } => Some(period_us),
        UdpTimer::Adaptive => None,
    };
    let times = Times { period, first: 2000, least: 200, most: 200_000 };
    let end = |me: u8| {
        let keys = PairKeys { ours: TagKey([me; 16]), theirs: TagKey([1 - me; 16]) };
        let setup = Setup { peer: (1 - me).into(), options, times, keys, acks_every: 16, now: 0 };
        let chances = UdpFaults { seed, ..faults };
        End {
            pair: Pair::new(setup),
            faults: Faults::new(chances, me.into(), 500),
            report: UdpReport::default(),
            sent: 0,
            got: 0,
        }
    };
    World {
        ends: [end(0), end(1)],
        network: BinaryHeap::new(),
        number: 0,
        now: 0,
        latency: 20,
        random: Random(seed),
    }
}

impl World {
    /// Play until all is acknowledged; `Err` says what went wrong.
    fn play(&mut self) -> Result<(), String> {
        while self.now < LIMIT {
            self.deliver().map_err(|error| error.to_string())?;
            for me in 0..2 {
                self.act(me)?;
                self.transmit(me);
            }
            let over = |end: &End| {
                end.got == MESSAGES && end.sent == MESSAGES && end.pair.all_acknowledged()
            };
            if self.ends.iter().all(over) {
                return Ok(());
            }
            self.now += STEP;
        }
        let [a, b] = &self.ends;
        Err(format!(
            "it hangs: {}+{} messages have come of {}+{} sent",
            a.got, b.got, b.sent, a.sent
        ))
    }

    fn deliver(&mut self) -> Result<(), DatagramError> {
        while self.network.peek().is_some_and(|Reverse((at, ..))| *at <= self.now) {
            let Some(Reverse((_, _, to, datagram))) = self.network.pop() else { break };
            let end = &mut self.ends[to];
            let ours = end.pair.receive(&datagram, None, self.now, &mut end.report)?;
            assert!(ours, "a datagram lost its seal");
        }
        Ok(())
    }

    /// The program of a node: sends now and then, takes now and then, and sometimes does neither
    /// for long.
    fn act(&mut self, me: usize) -> Result<(), String> {
        let end = &mut self.ends[me];
        let asleep = (self.now / 20_000 + me as u64).is_multiple_of(3);
        for _ in 0..if asleep { 0 } else { self.random.below(4) } {
            if end.sent < MESSAGES && !end.pair.has_room() {
                end.pair.found_no_room(self.now);
            } else if end.sent < MESSAGES {
                let head = Head {
                    ready: 1,
                    sent: 2,
                    seq: end.sent,
                    kind: Kind::Data,
                    flag: Flag::Last,
                    batch: 1,
                    in_flight: end.pair.in_flight(),
                };
                end.pair.put(&head, &payload(me, end.sent));
                end.sent += 1;
            }
        }
        for _ in 0..if asleep { 0 } else { self.random.below(3) } {
            let Some((head, _)) = end.pair.next() else { break };
            let due = end.got;
            if head.seq != due || end.pair.payload() != payload(1 - me, due) {
                return Err(format!("message {} came where {due} was due", head.seq));
            }
            end.got += 1;
        }
        Ok(())
    }

    fn transmit(&mut self, me: usize) {
        let World { ends, network, number, now, random, latency } = self;
        let (end, mut out) = (&mut ends[me], Vec::new());
        let mut send = |datagram: &[u8]| {
            *number += 1;
            network.push(Reverse((*now + *latency, *number, 1 - me, datagram.to_vec())));
        };
        let idle = random.below(2) == 0;
        while end.pair.transmit(*now, idle, &mut out, &mut end.report) {
            end.faults.pass(*now, &out, &mut send);
        }
        end.faults.due(*now, &mut send);
    }
}

fn options(periodic: bool, max_acks: u32, messages_per_datagram: u16) -> UdpOptions {
    let timer = if periodic { UdpTimer::Periodic { period_us: 1000 } } else { UdpTimer::Adaptive };
    UdpOptions { timer, max_acks, messages_per_datagram, ..UdpOptions::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// All messages, once, in order, over whatever network.
    #[test]
    fn everything_comes_once_and_in_order(
        seed: u64, periodic: bool,
        max_acks in prop::sample::select(vec![1, 2, 7, 29, 256]), together in 1u16..20,
        loss in 0.0..0.3, duplicate in 0.0..0.3, reorder in 0.0..0.3, delay in 0.0..0.3,
    ) {
        let faults = UdpFaults { seed, loss, duplicate, reorder, delay, delay_us: 0 };
        let mut world = world(seed, options(periodic, max_acks, together), faults);
        world.play().map_err(TestCaseError::fail)?;
        for end in &world.ends {
            let counts = end.report.counts;
            prop_assert_eq!((counts.refused, counts.beyond_room), (0, 0));
            prop_assert_eq!(end.pair.in_flight(), 0);
            let resent: u32 = end.report.resent.iter().map(|moment| moment.messages).sum();
            prop_assert!(u64::from(resent) <= counts.resent());
        }
    }
}

/// A sender that believes more than it is told must be found out by the very same play, within a
/// time that is enough otherwise.
#[test]
fn a_broken_acknowledgement_is_found_out() {
    let faults = UdpFaults { loss: 0.1, ..UdpFaults::NONE };
    let fails = |seed: u64, credulous: bool| {
        let mut world = world(seed, options(false, 29, 4), faults);
        if credulous {
            world.ends[0].pair.become_credulous();
        }
        // A lost message that is thought delivered never comes.
        world.now = LIMIT - 1_000_000;
        world.play().is_err()
    };
    for seed in 0..20 {
        assert_eq!((fails(seed, true), fails(seed, false)), (true, false), "seed {seed}");
    }
}

/// Without faults nothing goes again by the adaptive timer, and nothing comes twice.
#[test]
fn a_good_network_sees_nothing_twice() {
    let mut world = world(3, options(false, 29, 4), UdpFaults::NONE);
    world.play().unwrap();
    for end in &world.ends {
        let counts = end.report.counts;
        assert_eq!(
            (counts.resent(), counts.duplicates_removed, counts.out_of_order),
            (0, 0, 0),
            "{counts:?}"
        );
    }
}

/// A network slower than the first guess at it: the timer learns that, instead of sending
/// everything twice for ever.
#[test]
fn the_adaptive_timer_learns_a_slow_network() {
    let mut world = world(3, options(false, 29, 1), UdpFaults::NONE);
    world.latency = 5_000;
    world.play().unwrap();
    for end in &world.ends {
        assert!(end.report.counts.resent() < MESSAGES / 2, "{:?}", end.report.counts);
    }
}

/// The study's timer: what is on its way when it strikes goes again, though nothing was lost.
#[test]
fn the_periodic_timer_sends_again_what_is_only_on_its_way() {
    let mut removed_in_all = 0;
    for seed in 0..10 {
        let mut world = world(seed, options(true, 29, 1), UdpFaults::NONE);
        world.latency = 300;
        world.play().unwrap();
        for (me, end) in world.ends.iter().enumerate() {
            let counts = end.report.counts;
            let removed = world.ends[1 - me].report.counts.duplicates_removed;
            assert!(
                counts.resent_by_gap == 0 && removed <= counts.resent_by_timer,
                "{counts:?} {removed}"
            );
            let strikes = |at: u64| at % 1000 < STEP;
            assert!(
                end.report.resent.iter().all(|moment| strikes(moment.at)),
                "on the millisecond"
            );
            removed_in_all += removed;
        }
    }
    assert!(removed_in_all > 100, "in ten plays it strikes much: {removed_in_all}");
}

/// Strangers' datagrams, and ours turned back, change nothing.
#[test]
fn what_the_peer_did_not_make_is_refused() {
    let mut world = world(1, options(false, 29, 4), UdpFaults::NONE);
    let (mut out, mut report) = (Vec::new(), UdpReport::default());
    let [one, other] = &mut world.ends;
    let head = Head {
        ready: 1,
        sent: 2,
        seq: 0,
        kind: Kind::Data,
        flag: Flag::Last,
        batch: 1,
        in_flight: 0,
    };
    one.pair.put(&head, b"for the other");
    assert!(one.pair.transmit(0, false, &mut out, &mut report));
    assert_eq!(one.pair.receive(&out, None, 0, &mut report), Ok(false), "reflected");
    for bytes in [&b""[..], b"short", &[0; 200]] {
        assert_eq!(other.pair.receive(bytes, None, 0, &mut report), Ok(false));
    }
    assert_eq!(report.counts.refused, 4);
    assert!(other.pair.next().is_none());
    assert_eq!(other.pair.receive(&out, None, 0, &mut report), Ok(true));
    assert_eq!(other.pair.receive(&out, None, 0, &mut report), Ok(true));
    assert!(other.pair.next().is_some() && other.pair.next().is_none());
    assert_eq!(report.counts.duplicates_removed, 1);
}
