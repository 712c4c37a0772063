//! Programs whose touches are all known go over one link; what the pager would have recorded of
//! them is played over others, and compared with the programs themselves over those.

use super::player::Player;
use super::*;
use pager::{Options, Place, Policy, Role};
use pager_facts::{EngineStep, Mapping, PageStretch};

const BUDGET: u64 = 256;

/// A program with one thread.
fn program(prefetch_pages: u32, touches: impl IntoIterator<Item = (f64, u64, Change)>) -> Program {
    let stretch = PageStretch { first: 1 << 20, pages: 4096 };
    let mut steps = vec![Step { gap_s: 0.001, what: What::Memory(Mapping::Map, stretch) }];
    steps.extend(touches.into_iter().map(|(gap_s, page, change)| {
        let write = change != Change::Nothing;
        let touch = Touch { page: stretch.first + page, write, change };
        Step { gap_s, what: What::Touch(touch) }
    }));
    let data = |number| (Place(number), Role::Data);
    Program {
        options: Options {
            budget_pages: BUDGET,
            staging_frames: 64,
            prefetch_pages,
            policy: Policy::ParityLog,
            servers: vec![data(0), data(1), (Place(2), Role::Parity)],
        },
        threads: vec![Thread { after: None, steps, tail_s: 0.01 }],
        work_s: EngineStep::ALL.map(|_| 1e-6),
        protects: true,
    }
}

fn store(does: bool) -> Change {
    if does { Change::Others } else { Change::Nothing }
}

fn over(mbit: u64) -> Conditions {
    let link = Link { latency_s: 30e-6, ..Link::of_bits(mbit * 1_000_000) };
    Conditions { link, speed: 1.0, turn_s: [20e-6; 2] }
}

/// Filled, and gone through in order several times, some of it changed.
fn rounds() -> Vec<(f64, u64, Change)> {
    let round = |round: u64| {
        let changes = move |page: u64| round == 0 || (page + round).is_multiple_of(3);
        (0..600).map(move |page| (20e-6, page, store(changes(page))))
    };
    (0..5).flat_map(round).collect()
}

/// Halves of ever shorter stretches side by side, as in an FFT.
fn butterflies() -> Vec<(f64, u64, Change)> {
    let mut touches: Vec<_> = (0..1024).map(|page| (10e-6, page, Change::Others)).collect();
    let mut stretches = vec![(0, 1024)];
    while let Some((first, pages)) = stretches.pop() {
        for page in 0..pages / 2 {
            touches.push((15e-6, first + page, Change::Others));
            touches.push((15e-6, first + pages / 2 + page, Change::Others));
        }
        if pages > 64 {
            stretches.push((first + pages / 2, pages / 2));
            stretches.push((first, pages / 2));
        }
    }
    touches
}

/// Anywhere, with a part that is used more.
fn anywhere() -> Vec<(f64, u64, Change)> {
    let mut number = 1_u64;
    let mut next = move || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        number >> 33
    };
    (0..6000)
        .map(|_| {
            let often = next() % 2 == 0;
            (30e-6, next() % if often { 100 } else { 900 }, store(next() % 4 == 0))
        })
        .collect()
}

struct Compared {
    /// What the program takes over the link, and what is predicted for it.
    truth: Played,
    predicted: Played,
}

fn compared(program: &Program, from_mbit: u64, to_mbit: u64) -> Compared {
    let (recorded, mut events) = Player::play_recorded(program, &over(from_mbit)).unwrap();
    for (step, _) in EngineStep::ALL {
        events.push(pager_facts::PageEvent::Work { step, count: 1000, ns: 1_000_000 });
    }
    let Options { policy, servers, .. } = program.options.clone();
    let read = Recording::of_events(events, policy, servers, recorded.elapsed_s).unwrap();
    let read = read.program();
    Compared {
        truth: play(program, &over(to_mbit)).unwrap(),
        predicted: play(&read, &over(to_mbit)).unwrap(),
    }
}

fn off(predicted: f64, truth: f64) -> f64 {
    predicted / truth - 1.0
}

/// The greatest errors of time and of pages that come, over all pairs of links.
fn worst(program: &Program) -> (f64, f64) {
    let links = [30, 100, 300, 1000];
    let mut worst = (0.0_f64, 0.0_f64);
    for from in links {
        for to in links {
            let Compared { truth, predicted } = compared(program, from, to);
            let time = off(predicted.elapsed_s, truth.elapsed_s);
            let pages = off(predicted.page_ins as f64, truth.page_ins as f64);
            worst = (worst.0.max(time.abs()), worst.1.max(pages.abs()));
        }
    }
    worst
}

/// Rounds in which every other page is cleared, which nobody has to keep, and filled in the next.
fn cleared() -> Vec<(f64, u64, Change)> {
    let what = |odd| if odd { Change::Zeros } else { Change::Others };
    let round = |round: u64| {
        (0..600).map(move |page| (20e-6, page, what((page + round).is_multiple_of(2))))
    };
    (0..4).flat_map(round).collect()
}

#[test]
fn pages_that_leave_all_zero_go_nowhere_and_are_predicted_so() {
    let program = program(0, cleared());
    let truth = play(&program, &over(100)).unwrap();
    // Those of the last round that are still in memory leave no more.
    let filled = 4 * 300;
    assert!((filled - BUDGET..filled).contains(&truth.page_outs), "{truth:?}");
    assert!(truth.page_ins <= 3 * 300, "{truth:?}");
    let (time, pages) = worst(&program);
    assert!(time < 0.02 && pages == 0.0, "{time} {pages}");
}

#[test]
fn reading_in_order_is_predicted_to_a_few_pages() {
    let (time, pages) = worst(&program(64, rounds()));
    assert!(time < 0.03 && pages < 0.06, "{time} {pages}");
}

/// Each stretch that fits into memory is gone through again and again, and nobody sees that.
#[test]
fn an_fft_is_predicted_as_far_as_it_is_seen() {
    let (time, pages) = worst(&program(64, butterflies()));
    assert!(time < 0.32 && pages < 0.45, "{time} {pages}");
}

#[test]
fn touches_anywhere_are_predicted_as_far_as_they_are_seen() {
    let (time, pages) = worst(&program(64, anywhere()));
    assert!(time < 0.08 && pages < 0.11, "{time} {pages}");
}

/// Without reading ahead every first touch is seen.
#[test]
fn over_the_recorded_network_the_pager_does_the_same_again() {
    for (touches, most) in [(rounds(), 0.0), (butterflies(), 0.01)] {
        let Compared { truth, predicted } = compared(&program(0, touches), 100, 100);
        let ins = off(predicted.page_ins as f64, truth.page_ins as f64);
        let time = off(predicted.elapsed_s, truth.elapsed_s);
        assert!(ins.abs() <= most && time.abs() <= most + 1e-3, "{ins} {time}");
    }
}

#[test]
fn the_shares_of_the_time_add_up() {
    let played = play(&program(64, anywhere()), &over(100)).unwrap();
    let sum: f64 = Share::ALL.iter().map(|share| played.spent[*share]).sum();
    assert!((sum / played.elapsed_s - 1.0).abs() < 1e-9, "{sum} of {}", played.elapsed_s);
    assert!(Share::ALL.iter().all(|share| played.spent[*share] > 0.0));
}

#[test]
fn draws_differ_and_come_back() {
    let program = program(64, rounds());
    let drawn = |draw| play_drawn(&program, &over(100), 1, draw).unwrap();
    assert_eq!(drawn(3), drawn(3));
    // Every time of computing is the same here, but the first and the last.
    let other = super::draw::drawn(&program, 1, 4);
    assert_eq!(other.threads[0].steps.len(), program.threads[0].steps.len());
}

#[test]
fn a_faster_processor_and_a_faster_network_are_faster() {
    let program = program(64, rounds());
    let at = |mbit, speed| play(&program, &Conditions { speed, ..over(mbit) }).unwrap().elapsed_s;
    assert!(at(100, 4.0) < at(100, 1.0) && at(1000, 1.0) < at(100, 1.0));
}
