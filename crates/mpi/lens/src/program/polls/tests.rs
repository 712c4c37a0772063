//! Times are ns; a row of the table is written as it would have been recorded.

use super::*;
use calls::list::Operation;

const TAKE: Step = Step::Take(0);

/// So many polls that found nothing, from then to then; before them it computed since `until`.
fn vain(until: i64, [enter, exit]: [i64; 2], polls: i64) -> Poll {
    Poll { before: enter - until, enter, exit, site: 4, vain: polls, steps: Vec::new() }
}

/// A poll that found the message.
fn found(until: i64, enter: i64) -> Poll {
    Poll { steps: vec![TAKE], ..vain(until, [enter, enter + 100], 0) }
}

fn computing(ns: u64) -> Step {
    Step::Work { ns, site: 8 }
}

fn played(rows: Vec<Poll>) -> (Vec<Step>, (u64, u64)) {
    let (mut polls, mut steps, mut kept) = (Polls::default(), Vec::new(), Kept::default());
    rows.into_iter().for_each(|row| polls.add(row));
    polls.end(&mut steps, &mut kept);
    assert!(polls.is_empty());
    (steps, kept.poll_loops)
}

#[test]
fn a_loop_until_something_has_come_computes_only_before_it() {
    let rows = vec![
        vain(0, [500_000, 500_100], 1),
        vain(500_100, [600_000, 600_100], 1),
        vain(600_100, [700_000, 700_100], 1),
        found(700_100, 800_000),
    ];
    let turns = |ns| Step::Turns { ns };
    let expected = vec![computing(500_000), turns(100_000), TAKE, turns(0)];
    assert_eq!(played(rows), (expected, (1, 300_000)));
}

#[test]
fn polls_that_were_put_together_are_as_many_turns() {
    let rows = vec![vain(0, [1000, 190_000], 19), found(190_000, 191_000)];
    let turns = |ns| Step::Turns { ns };
    let expected = vec![computing(1000), turns(10_000), TAKE, turns(0)];
    assert_eq!(played(rows), (expected, (1, 190_000)));
}

#[test]
fn a_loop_that_does_nothing_else_only_waits() {
    let rows = vec![vain(0, [1000, 91_000], 900), found(91_100, 91_200)];
    assert_eq!(played(rows), (vec![computing(1000), TAKE], (0, 0)));
}

#[test]
fn polls_between_pieces_of_computing_leave_the_computing_as_it_was() {
    // Found at the second poll of four, and not waited for there.
    let rows = vec![
        vain(0, [100_000, 100_100], 1),
        found(100_100, 200_000),
        vain(200_100, [300_000, 300_100], 1),
        vain(300_100, [400_000, 400_100], 1),
    ];
    let piece = [computing(99_900), Step::Hear];
    let mut expected = vec![computing(100_000), Step::Hear];
    (0..3).for_each(|_| expected.extend(piece));
    expected.push(TAKE);
    assert_eq!(played(rows), (expected, (0, 0)));
}

#[test]
fn pieces_between_polls_that_were_put_together_are_computed() {
    let rows = vec![vain(0, [1000, 61_000], 4)];
    let mut expected = vec![computing(1000), Step::Hear];
    (0..3).for_each(|_| expected.extend([computing(20_000), Step::Hear]));
    assert_eq!(played(rows), (expected, (0, 0)));
}

#[test]
fn what_is_left_of_a_turn_behind_what_was_found_is_no_further_turn() {
    // Two requests are asked for in each turn; the first was the last to be done.
    let rows = vec![
        vain(0, [100_000, 100_300], 2),
        vain(100_300, [200_000, 200_300], 2),
        found(200_300, 300_000),
        vain(300_100, [300_200, 300_300], 1),
    ];
    let (steps, loops) = played(rows);
    assert_eq!(loops, (1, 200_000));
    let computed = |step: &Step| match step {
        Step::Work { ns, .. } => *ns,
        _ => 0,
    };
    assert_eq!(steps.iter().map(computed).sum::<u64>(), 100_000 + 100);
}

#[test]
fn a_message_that_is_there_at_once_is_looked_for_in_the_turns_of_the_last_loop() {
    let mut polls = Polls::default();
    let (mut steps, mut kept) = (Vec::new(), Kept::default());
    for rows in [vec![vain(0, [1000, 1100], 1), found(1100, 81_000)], vec![found(0, 7000)]] {
        steps.clear();
        rows.into_iter().for_each(|row| polls.add(row));
        polls.end(&mut steps, &mut kept);
    }
    let turns = |ns| Step::Turns { ns };
    assert_eq!(steps, [computing(7000), turns(80_000), TAKE, turns(0)]);
}

#[test]
fn probes_that_block_are_no_polls() {
    let polls = [Operation::Test, Operation::Iprobe, Operation::Improbe, Operation::Testsome];
    assert!(polls.into_iter().all(|one| is_one(one as i64)));
    let others = [Operation::Probe, Operation::Mprobe, Operation::Wait, Operation::Recv];
    assert!(!others.into_iter().any(|one| is_one(one as i64)));
    assert!(!is_one(-1));
}
