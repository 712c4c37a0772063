use super::*;
use crate::arrival::Arrival;
use crate::op::Wait;
use proptest::prelude::*;

fn row(ready: i64, taken: i64) -> MessageRow {
    let arrival = Arrival::UNKNOWN;
    MessageRow {
        src: 0,
        dst: 1,
        seq: 0,
        bytes: 1,
        class: None,
        ready,
        writing: 0,
        sent: ready,
        arrival,
        taken,
        waited: Wait::UNKNOWN,
        connection: 0,
        threads: [0; 2],
    }
}

fn rows(of: &[(i64, i64)]) -> Vec<MessageRow> {
    of.iter().map(|(ready, taken)| row(*ready, *taken)).collect()
}

type Places = (Range<u64>, Range<u64>);

fn turn(requests: Range<u64>, answers: Range<u64>) -> Places {
    (requests, answers)
}

fn found(turns: &mut Turns) -> Vec<Places> {
    let turns = std::iter::from_fn(|| turns.next());
    turns.map(|Turn { places: [requests, answers], .. }| (requests, answers)).collect()
}

/// Of messages that are all there.
fn of_both(requests: &[MessageRow], answers: &[MessageRow]) -> Vec<Places> {
    let mut turns = Turns::new();
    requests.iter().for_each(|row| turns.push(0, row));
    answers.iter().for_each(|row| turns.push(1, row));
    turns.finish();
    found(&mut turns)
}

/// Of messages that come one by one, in the order in which they are taken.
fn one_by_one(requests: &[MessageRow], answers: &[MessageRow]) -> Vec<Places> {
    let (mut turns, mut at, mut all) = (Turns::new(), [0, 0], Vec::new());
    let sides = [requests, answers];
    let next = |at: &[usize; 2], side: usize| sides[side].get(at[side]);
    while at[0] < requests.len() || at[1] < answers.len() {
        let taken = |side| next(&at, side).map_or(i64::MAX, |row: &MessageRow| row.taken);
        let side =
            usize::from(at[0] == requests.len() || at[1] < answers.len() && taken(1) < taken(0));
        turns.push(side, &sides[side][at[side]]);
        at[side] += 1;
        let bound =
            |side| next(&at, side).map_or((i64::MAX, i64::MAX), |row| (row.ready, row.taken));
        turns.know([bound(0), bound(1)]);
        all.extend(found(&mut turns));
    }
    turns.finish();
    all.extend(found(&mut turns));
    all
}

#[test]
fn each_request_has_the_answer_that_follows_it() {
    let (requests, answers) = (rows(&[(0, 5), (30, 34)]), rows(&[(8, 12), (40, 41)]));
    assert_eq!(of_both(&requests, &answers), [turn(0..1, 0..1), turn(1..2, 1..2)]);
}

#[test]
fn a_request_and_an_answer_may_be_several_messages() {
    let requests = rows(&[(0, 5), (1, 5), (30, 34)]);
    let answers = rows(&[(8, 12), (9, 14), (40, 41)]);
    assert_eq!(of_both(&requests, &answers), [turn(0..2, 0..2), turn(2..3, 2..3)]);
}

#[test]
fn what_was_asked_before_the_answer_was_read_is_not_paired_and_the_next_is() {
    // The second request left while the first answer was on its way.
    let requests = rows(&[(0, 5), (10, 20), (60, 65)]);
    let answers = rows(&[(8, 14), (25, 30), (70, 75)]);
    assert_eq!(of_both(&requests, &answers), [turn(2..3, 2..3)]);
}

#[test]
fn a_greeting_is_no_answer_and_what_was_not_read_is_not_paired() {
    let requests = rows(&[(10, 15), (30, NULL)]);
    let answers = rows(&[(0, 3), (18, 22)]);
    assert_eq!(of_both(&requests, &answers), [turn(0..1, 1..2)]);
    // Whether it still belongs to the first answer cannot be told.
    let answers = rows(&[(0, 3), (18, 22), (40, NULL)]);
    assert_eq!(of_both(&requests, &answers), []);
}

#[test]
fn an_answer_and_the_next_request_at_one_moment_are_two_turns() {
    let (requests, answers) = (rows(&[(0, 5), (12, 15)]), rows(&[(5, 12), (15, 20)]));
    assert_eq!(of_both(&requests, &answers), [turn(0..1, 0..1), turn(1..2, 1..2)]);
}

/// Exchanges one after another: how many messages ask and answer, and how long each step takes.
fn exchanges() -> impl Strategy<Value = Vec<(u32, u32, i64)>> {
    prop::collection::vec((1..4u32, 1..4u32, 0..50i64), 0..30)
}

proptest! {
    /// What took turns is found whole, however long each step took.
    #[test]
    fn turns_are_found(made in exchanges()) {
        let (mut now, mut requests, mut answers, mut expected) = (0, vec![], vec![], vec![]);
        for (asks, replies, step) in made {
            let begun = (requests.len() as u64, answers.len() as u64);
            let mut write = |to: &mut Vec<MessageRow>, count: u32| {
                let written = (0..i64::from(count)).map(|number| now + number).collect::<Vec<_>>();
                now += i64::from(count) + step;
                to.extend(written.into_iter().map(|ready| row(ready, now)));
            };
            write(&mut requests, asks);
            write(&mut answers, replies);
            let (asks, replies) = (u64::from(asks), u64::from(replies));
            expected.push(turn(begun.0..begun.0 + asks, begun.1..begun.1 + replies));
        }
        prop_assert_eq!(one_by_one(&requests, &answers), &expected[..]);
        prop_assert_eq!(of_both(&requests, &answers), expected);
    }

    /// Whatever the order, a turn that is found was asked, read, answered and read in this order.
    #[test]
    fn what_is_found_is_in_order(
        asks in prop::collection::vec((0..40i64, 0..40i64), 0..20),
        replies in prop::collection::vec((0..40i64, 0..40i64), 0..20),
    ) {
        let stream = |of: Vec<(i64, i64)>| {
            let mut ready: Vec<i64> = of.iter().map(|(ready, _)| *ready).collect();
            ready.sort_unstable();
            let mut last = 0;
            ready.into_iter().zip(of).map(|(ready, (_, later))| {
                last = (ready + later).max(last);
                row(ready, last)
            }).collect::<Vec<_>>()
        };
        let (requests, answers) = (stream(asks), stream(replies));
        let turns = of_both(&requests, &answers);
        prop_assert_eq!(&one_by_one(&requests, &answers), &turns);
        for (asked, answered) in turns {
            let asked = &requests[asked.start as usize..asked.end as usize];
            let answered = &answers[answered.start as usize..answered.end as usize];
            prop_assert!(asked[asked.len() - 1].taken <= answered[0].ready);
            prop_assert!(asked[asked.len() - 1].ready <= answered[0].taken);
        }
    }
}

/// As where the answerer was killed within the call that wrote the last answer.
#[test]
fn an_answer_that_was_read_and_not_logged_spoils_no_turn_before_it() {
    let requests = rows(&[(0, 10), (40, 50)]);
    let answers = rows(&[(20, 30), (NULL, 70)]);
    assert_eq!(of_both(&requests, &answers), [turn(0..1, 0..1)]);
}
