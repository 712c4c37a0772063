//! Polls. Sending takes 2 us, latency 10, receiving 3: what is ready at T has come at T + 12 and is
//! taken at T + 15.

use super::{machine, played, program, us, work};
use crate::Step;

const TURN: Step = Step::Turns { ns: 50_000 };
const NO_TURN: Step = Step::Turns { ns: 0 };

#[test]
fn what_is_polled_for_is_found_at_the_next_poll() {
    let steps: [&[Step]; 2] =
        [&[work(100), Step::Send(0)], &[work(7), TURN, Step::Take(0), NO_TURN]];
    let one = program(&[(0, 1, 0)], &steps);
    let (slow, stamps) = played(&one, &machine(""));
    // It has come at 112; polls are at 7, 57, 107 and 157.
    assert_eq!((us(stamps[0].arrived), us(stamps[0].taken)), (112.0, 160.0));
    assert_eq!(us(slow.nodes[1].waiting), 150.0);
    // What it computes between polls is as much faster as its processor.
    let (_, stamps) = played(&one, &machine("").with("processor.speed", 2.0));
    assert_eq!(us(stamps[0].taken), 3.5 + 75.0 + 3.0);
}

#[test]
fn what_has_come_is_found_at_once_and_turns_end() {
    let steps: [&[Step]; 2] = [
        &[Step::Send(0), work(100), Step::Send(1)],
        &[work(50), TURN, Step::Take(0), NO_TURN, Step::Take(1)],
    ];
    let two = program(&[(0, 1, 0), (0, 1, 0)], &steps);
    let (_, stamps) = played(&two, &machine(""));
    assert_eq!((us(stamps[0].taken), us(stamps[1].taken)), (53.0, 117.0));
}

#[test]
fn who_polls_hears_at_its_polls_that_a_long_message_waits() {
    let steps: [&[Step]; 2] =
        [&[work(30), Step::Send(0), Step::Free(0)], &[Step::Post(0), TURN, Step::Take(0), NO_TURN]];
    let one = program(&[(0, 1, 5000)], &steps);
    let (_, stamps) = played(&one, &machine("eager = \"4KiB\""));
    // Asked at 42, heard at 50, answered in 5, there at 65, sent in 5, there after 15: at 85.
    assert_eq!((us(stamps[0].arrived), us(stamps[0].taken)), (85.0, 103.0));
}

#[test]
fn who_polls_between_pieces_of_computing_moves_messages_meanwhile() {
    let piece = [work(50), Step::Hear];
    let pieces: Vec<Step> =
        [Step::Post(0)].into_iter().chain(piece.repeat(4)).chain([Step::Take(0)]).collect();
    let sender = [Step::Send(0), Step::Free(0)];
    let taken = |steps: &[Step]| {
        let one = program(&[(0, 1, 5000)], &[&sender, steps]);
        us(played(&one, &machine("eager = \"4KiB\"")).1[0].taken)
    };
    // Asked at 12, heard at 50 and answered in 5: it is there long before the computing ends.
    assert_eq!(taken(&pieces), 200.0 + 5.0 + 3.0);
    // Who does not hear in between answers at the end: 10 back, 5 to answer, 15 to come.
    let deaf: Vec<Step> = pieces.into_iter().filter(|step| *step != Step::Hear).collect();
    assert_eq!(taken(&deaf), 200.0 + 5.0 + 10.0 + 5.0 + 15.0 + 3.0);
}

/// A probe that knows which message it found waits for it, or for word of it.
#[test]
fn a_probe_waits_until_its_message_is_to_be_seen() {
    let steps: [&[Step]; 2] =
        [&[work(30), Step::Send(0)], &[Step::Probe(0), work(40), Step::Post(0), Step::Take(0)]];
    let one = program(&[(0, 1, 5000)], &steps);
    let (_, stamps) = played(&one, &machine(""));
    // There at 47: it computes after that.
    assert_eq!(us(stamps[0].taken), 47.0 + 40.0 + 3.0);
    let (_, stamps) = played(&one, &machine("eager = \"4KiB\""));
    // Word of it is there at 42; asked for at 82, answered in 5, there at 97, sent in 5.
    assert_eq!(us(stamps[0].arrived), 82.0 + 5.0 + 10.0 + 5.0 + 15.0);
}
