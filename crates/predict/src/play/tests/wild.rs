//! Receives for any source or tag. Sending takes 2 us, latency 10, receiving 3: what is ready at T
//! has come at T + 12 and is taken at T + 15.

use super::{machine, program, us, work};
use crate::play::{Played, Rematched, Stamps, Stuck, play};
use crate::{Envelope, Program, Step, Wildcards};
use machine::Machine;

const SPECIFIC: Envelope = Envelope { communicator: 0, tag: 7, any_source: false, any_tag: false };
const ANY_SOURCE: Envelope = Envelope { any_source: true, ..SPECIFIC };
const ANY_TAG: Envelope = Envelope { any_tag: true, ..SPECIFIC };

/// The program with these envelopes, by message.
fn open(program: Program, envelopes: &[Envelope]) -> Program {
    let mut wildcards = Wildcards::default();
    (0..).zip(envelopes).for_each(|(message, envelope)| wildcards.add(message, *envelope));
    Program { wildcards: wildcards.into(), ..program }
}

/// Which messages were taken, in that order, and when, us.
fn taken(program: &Program, machine: &Machine) -> (Vec<(u32, f64)>, Played) {
    let mut taken = Vec::new();
    let tell = |message, at: Stamps| taken.push((message, us(at.taken)));
    let played = play(program, machine, 1, tell).unwrap();
    (taken, played)
}

/// Node 0 collects two results of node 1, each after so long, and two of node 2, each after 50 us.
/// With 30 us they come at 42 and 74, and at 62 and 114: so they were recorded.
fn results(of_1_us: u64) -> Program {
    let collect: Vec<Step> =
        (0..4).flat_map(|receive| [Step::Post(receive), Step::Take(receive)]).collect();
    let worker = |us, first: u32| [work(us), Step::Send(first), work(us), Step::Send(first + 2)];
    let results = [(1, 0, 0), (2, 0, 0), (1, 0, 0), (2, 0, 0)];
    let all = program(&results, &[&collect, &worker(of_1_us, 0), &worker(50, 1)]);
    open(all, &[ANY_SOURCE; 4])
}

#[test]
fn results_are_taken_as_they_come() {
    let (order, played) = taken(&results(30), &machine(""));
    assert_eq!(order, [(0, 45.0), (1, 65.0), (2, 77.0), (3, 117.0)]);
    assert_eq!(played.rematched, Rematched { receives: 4, changed: 0 });
}

#[test]
fn of_a_slower_worker_they_are_taken_later() {
    // Thrice as slow, they come at 102 and 194.
    let slower = results(90);
    let (order, played) = taken(&slower, &machine(""));
    assert_eq!(order, [(1, 65.0), (0, 105.0), (3, 117.0), (2, 197.0)]);
    assert_eq!(played.rematched, Rematched { receives: 4, changed: 4 });
    // Each waits for its own: those of node 2 lie about.
    let (order, played) = taken(&slower.as_recorded(), &machine(""));
    assert_eq!(order, [(0, 105.0), (1, 108.0), (2, 197.0), (3, 200.0)]);
    assert_eq!(played.rematched, Rematched::default());
}

#[test]
fn receives_posted_ahead_are_served_in_the_order_posted() {
    let mut ahead = results(90);
    let all = (0..4).map(Step::Post).chain((0..4).rev().map(Step::Take));
    ahead.courses[0].steps = all.collect();
    // The last receive has the last message, which is waited for first.
    let (order, _) = taken(&ahead, &machine(""));
    assert_eq!(order, [(2, 197.0), (3, 200.0), (0, 203.0), (1, 206.0)]);
}

#[test]
fn messages_of_one_sender_do_not_overtake_each_other_and_tags_are_kept_apart() {
    let sends: Vec<Step> = (0..3).map(Step::Send).collect();
    let takes: Vec<Step> = [2, 0, 1]
        .into_iter()
        .flat_map(|receive| [Step::Post(receive), Step::Take(receive)])
        .collect();
    // Recorded: the receive of tag 8 first, then two of any tag.
    let tag_8 = Envelope { tag: 8, ..SPECIFIC };
    let three = [(1, 0, 3000), (1, 0, 0), (1, 0, 0)];
    let all = open(program(&three, &[&takes, &sends]), &[ANY_TAG, ANY_TAG, tag_8]);
    let (order, played) = taken(&all, &machine(""));
    assert_eq!(order.iter().map(|(message, _)| *message).collect::<Vec<_>>(), [2, 0, 1]);
    assert_eq!(played.rematched, Rematched { receives: 2, changed: 0 });
    // Where the first receive takes any tag as well, it takes what was sent first.
    let any_8 = Envelope { tag: 8, ..ANY_TAG };
    let all = open(program(&three, &[&takes, &sends]), &[ANY_TAG, ANY_TAG, any_8]);
    let (order, played) = taken(&all, &machine(""));
    assert_eq!(order.iter().map(|(message, _)| *message).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(played.rematched, Rematched { receives: 3, changed: 2 });
}

#[test]
fn of_long_messages_the_word_that_comes_first_is_answered() {
    let takes = [Step::Post(0), Step::Take(0), Step::Post(1), Step::Take(1)];
    let late = [work(40), Step::Send(0), Step::Free(0)];
    let early = [work(10), Step::Send(1), Step::Free(1)];
    let all = program(&[(1, 0, 5000), (2, 0, 5000)], &[&takes, &late, &early]);
    let all = open(all, &[ANY_SOURCE; 2]);
    let (order, played) = taken(&all, &machine("eager = \"4KiB\""));
    // Word of message 1 is there at 22, answered in 5, back after 10, sent in 5, there after 15.
    assert_eq!(order[0], (1, 22.0 + 5.0 + 10.0 + 5.0 + 15.0 + 3.0));
    // Word of message 0 is there at 52, and heard while message 1 is waited for.
    assert_eq!(order[1], (0, 60.0 + 5.0 + 10.0 + 5.0 + 15.0 + 3.0));
    assert_eq!(played.rematched, Rematched { receives: 2, changed: 2 });
}

#[test]
fn a_probe_decides_which_message_its_receive_takes() {
    // Both are there when the second is received, but only one when the probe looks.
    let probes: Vec<Step> = [0, 1]
        .into_iter()
        .flat_map(|receive| {
            [Step::Probe(receive), work(100), Step::Post(receive), Step::Take(receive)]
        })
        .collect();
    for eager in ["", "eager = \"4KiB\""] {
        let late = [work(40), Step::Send(0), Step::Free(0)];
        let early = [work(10), Step::Send(1), Step::Free(1)];
        let all = program(&[(1, 0, 5000), (2, 0, 5000)], &[&probes, &late, &early]);
        let (order, played) = taken(&open(all, &[ANY_SOURCE; 2]), &machine(eager));
        assert_eq!(order.iter().map(|(message, _)| *message).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(played.rematched, Rematched { receives: 2, changed: 2 });
        if eager.is_empty() {
            // There at 27, after 5 us of bytes, and taken 100 later.
            assert_eq!(order[0], (1, 27.0 + 100.0 + 3.0));
        }
    }
}

/// Node 0 hands a task to whoever sends it a result.
fn master_and_workers(of_1_us: u64) -> Program {
    let master: Vec<Step> = [(0, 2), (1, 3)]
        .into_iter()
        .flat_map(|(result, task)| [Step::Post(result), Step::Take(result), Step::Send(task)])
        .collect();
    let worker = |us, result: u32| {
        [work(us), Step::Send(result), Step::Post(result + 2), Step::Take(result + 2)]
    };
    let messages = [(1, 0, 0), (2, 0, 0), (0, 1, 0), (0, 2, 0)];
    let all = program(&messages, &[&master, &worker(of_1_us, 0), &worker(50, 1)]);
    open(all, &[ANY_SOURCE, ANY_SOURCE])
}

#[test]
fn an_answer_to_one_that_has_not_asked_is_noticed() {
    let (order, _) = taken(&master_and_workers(30), &machine(""));
    assert_eq!(order.len(), 4);
    let unasked = play(&master_and_workers(90), &machine(""), 1, |_, _| ());
    assert_eq!(unasked, Err(Stuck::Unasked { node: 0, to: 1 }));
    let (order, played) = taken(&master_and_workers(90).as_recorded(), &machine(""));
    assert_eq!((order.len(), played.rematched), (4, Rematched::default()));
}

#[test]
fn a_receive_whose_message_another_took_is_stuck_and_does_not_hang() {
    let takes = [Step::Post(0), Step::Take(0), Step::Post(1), Step::Take(1)];
    let two = |of_1_us| {
        let workers = [[work(of_1_us), Step::Send(0)], [work(50), Step::Send(1)]];
        let all = program(&[(1, 0, 0), (2, 0, 0)], &[&takes, &workers[0], &workers[1]]);
        open(all, &[ANY_SOURCE, SPECIFIC])
    };
    assert!(play(&two(30), &machine(""), 1, |_, _| ()).is_ok());
    let stuck = play(&two(90), &machine(""), 1, |_, _| ());
    assert_eq!(stuck, Err(Stuck::Waits { node: 0, step: 3, message: 1 }));
}

#[test]
fn communicators_do_not_mix() {
    let takes = [Step::Post(0), Step::Take(0), Step::Post(1), Step::Take(1)];
    let all = program(
        &[(1, 0, 0), (2, 0, 0)],
        &[&takes, &[work(90), Step::Send(0)], &[work(50), Step::Send(1)]],
    );
    let other = Envelope { communicator: 1, ..ANY_SOURCE };
    let (order, played) = taken(&open(all, &[ANY_SOURCE, other]), &machine(""));
    assert_eq!(order, [(0, 105.0), (1, 108.0)]);
    assert_eq!(played.rematched, Rematched { receives: 2, changed: 0 });
}
