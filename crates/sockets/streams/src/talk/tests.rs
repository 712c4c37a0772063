//! A simulated pipe, of which it is known which call read which bytes.

use super::*;
use crate::ends::PipeUse;
use crate::entry::Address;
use crate::transport::{self, Transport};
use proptest::prelude::*;
use record::NULL;
use std::collections::{BTreeMap, VecDeque};

/// A call of one of the actors: two that write, two that read.
#[derive(Clone, Copy, Debug)]
struct Step {
    actor: usize,
    gap: i64,
    took: i64,
    moment: i64,
    bytes: u32,
    is_seen: bool,
}

/// A call, with the moment at which it moved its bytes.
#[derive(Clone, Copy, Debug)]
struct Made {
    actor: usize,
    enter: i64,
    at: i64,
    exit: i64,
    bytes: u32,
    is_seen: bool,
    /// What lay there at some moment behind it.
    unread: u32,
}

/// Of messages, by who wrote them and when that call was entered: who read them, and when that call
/// returned.
type Truth = BTreeMap<(u32, i64), (u32, i64)>;

const WRITERS: usize = 2;
/// A look takes so long.
const LOOK_NS: i64 = 4;
const OUTSIDE: u32 = 9;

fn steps(gap: i64, actors: usize) -> impl Strategy<Value = Vec<Step>> {
    let one = (0..actors, 1..gap, 1..20i64, any::<prop::sample::Index>(), 1..20u32);
    let step = one.prop_map(|(actor, gap, took, moment, bytes)| {
        let moment = moment.index(took as usize) as i64;
        Step { actor, gap, took, moment, bytes, is_seen: true }
    });
    proptest::collection::vec(step, 1..40)
}

/// What the calls did; and of each message that was read to its end, which read took that.
fn simulate(steps: &[Step]) -> (Vec<Made>, Truth, u32) {
    let mut clocks = [0; 4];
    let made = steps.iter().map(|step| {
        let clock = &mut clocks[step.actor];
        let enter = *clock + step.gap;
        *clock = enter + step.took + LOOK_NS;
        let (at, exit) = (enter + step.moment, enter + step.took);
        let Step { actor, bytes, is_seen, .. } = *step;
        Made { actor, enter, at, exit, bytes, is_seen, unread: 0 }
    });
    let mut made: Vec<Made> = made.collect();
    let moves = made.iter().enumerate().map(|(place, call)| (call.at, place, true));
    let looks = made.iter().enumerate().map(|(place, call)| (call.exit + 1, place, false));
    let mut moments: Vec<_> = moves.chain(looks).collect();
    moments.sort_unstable();
    let (mut pipe, mut truth) = (VecDeque::new(), BTreeMap::new());
    for (_, place, is_move) in moments {
        let unread = || pipe.iter().map(|(_, bytes)| *bytes).sum();
        match (is_move, made[place].actor < WRITERS) {
            (false, _) => made[place].unread = unread(),
            (true, true) => pipe.push_back((place, made[place].bytes)),
            (true, false) => {
                let mut room = made[place].bytes;
                while let Some((message, bytes)) = pipe.front_mut().filter(|_| room > 0) {
                    let taken = room.min(*bytes);
                    (room, *bytes) = (room - taken, *bytes - taken);
                    if *bytes == 0 {
                        let [from, to] = [*message, place].map(|at| made[at]);
                        truth.insert((from.actor as u32, from.enter), (to.actor as u32, to.exit));
                        pipe.pop_front();
                    }
                }
                made[place].bytes -= room;
            }
        }
    }
    // A read of nothing would have waited.
    made.retain(|call| call.bytes > 0);
    (made, truth, pipe.iter().map(|(_, bytes)| *bytes).sum())
}

fn end(transport: Transport, moved: Moved) -> End {
    let address = Address { host: 0, port: 0 };
    let is_written = transport == Transport::PipeWrite;
    let (sent, received) = match is_written {
        true => (moved, Moved::default()),
        false => (Moved::default(), moved),
    };
    End {
        birth: Some(Birth::Pair),
        sent,
        received,
        pipe: PipeUse { looks: 1, ..PipeUse::NONE },
        ..End::new(transport, [address, address], 0)
    }
}

#[derive(Default)]
struct Rows(Vec<MessageRow>);

impl Sink for Rows {
    fn message(&mut self, row: &mut MessageRow) {
        self.0.push(*row);
    }

    fn exchange(&mut self, _: u32, _: &Exchange) {
        panic!("nobody asks in a pipe");
    }
}

/// The messages that are told of what was seen; `None`: its bytes do not add up.
fn told(made: &[Made], unread: u32) -> Option<Vec<MessageRow>> {
    let seen: Vec<&Made> = made.iter().filter(|call| call.is_seen).collect();
    let mut moved = [Moved::default(), Moved::default()];
    for call in &seen {
        let side = usize::from(call.actor >= WRITERS);
        moved[side].call(call.actor as u32, (call.enter, call.exit), call.bytes);
    }
    let [written, read] = moved;
    let ends = [end(Transport::PipeWrite, written), end(Transport::PipeRead, read)];
    let over = made.iter().map(|call| call.exit).max().unwrap_or(0) + 10;
    let last = transport::Look { from: over, until: over + LOOK_NS, unread };
    let mut events: Vec<(i64, bool, What)> = seen.iter().map(|call| event(call)).collect();
    events.push((over, false, What::Unread(last)));
    events.sort_by_key(|(exit, ..)| *exit);
    let mut look = Look::default();
    loop {
        let mut rows = Rows::default();
        match walked(&ends, &events, look, &mut rows) {
            Ok(_) => return Some(rows.0),
            Err(Trouble::Hidden) => return None,
            Err(Trouble::Crowded) if !look.is_patient => look.is_patient = true,
            Err(trouble) => panic!("{trouble:?}"),
        }
    }
}

fn event(call: &Made) -> (i64, bool, What) {
    let is_written = call.actor < WRITERS;
    let (from, until) = (call.exit, call.exit + LOOK_NS);
    let op = Op {
        enter: call.enter,
        exit: call.exit,
        stamp: NULL,
        bytes: call.bytes,
        offered: call.bytes,
        node: call.actor as u32,
        thread: 0,
        flags: 0,
        look: Some(transport::Look { from, until, unread: call.unread }),
        wait: None,
    };
    (call.exit, is_written, if is_written { What::Sent(op) } else { What::Received(op) })
}

fn walked(
    ends: &[End; 2],
    events: &[(i64, bool, What)],
    look: Look,
    rows: &mut Rows,
) -> Result<Outcome, Trouble> {
    let ends = [&ends[0], &ends[1]];
    let mut talk = Talk::pipe(ends, look, OUTSIDE);
    for (now, is_written, what) in events {
        talk.take((*is_written, what), *now, rows)?;
    }
    talk.finish(ends, rows)
}

/// Of what is told as a message with both ends, both are right. How many there are.
fn are_right(rows: &[MessageRow], truth: &Truth) -> usize {
    let is_whole = |row: &&MessageRow| row.ready != NULL && row.taken != NULL;
    for row in rows.iter().filter(is_whole) {
        assert_eq!(truth.get(&(row.src, row.ready)), Some(&(row.dst, row.taken)), "{row:?}");
        let at = row.arrival.at;
        assert!(at == NULL || (row.ready..=row.taken).contains(&at), "{row:?}");
    }
    rows.iter().filter(is_whole).count()
}

/// A message whose write overlaps no other, and whose read does not.
fn is_certain(made: &[Made], (from, to): (&(u32, i64), &(u32, i64))) -> bool {
    let is_alone = |call: &Made| {
        let side = |other: &Made| (other.actor < WRITERS) == (call.actor < WRITERS);
        let is_call = |other: &Made| (other.actor, other.enter) == (call.actor, call.enter);
        !made.iter().any(|other| {
            side(other) && !is_call(other) && other.enter <= call.exit && call.enter <= other.exit
        })
    };
    let is = |call: &&Made| {
        (call.actor as u32, call.enter) == *from || (call.actor as u32, call.exit) == *to
    };
    made.iter().filter(is).all(is_alone)
}

proptest! {
    #[test]
    fn no_pair_is_wrong_and_none_is_missing_where_all_was_seen(
        steps in (10..400i64).prop_flat_map(|gap| steps(gap, 4)),
    ) {
        let (made, truth, unread) = simulate(&steps);
        let rows = told(&made, unread).expect("all of it was seen");
        let certain = truth.iter().filter(|pair| is_certain(&made, *pair)).count();
        prop_assert!(are_right(&rows, &truth) >= certain, "{certain} of {made:?}");
        let sum = |is: fn(&MessageRow) -> bool| {
            rows.iter().filter(|row| is(row)).map(|row| row.bytes).sum::<u64>()
        };
        let moved = |is: fn(&Made) -> bool| {
            made.iter().filter(|call| is(call)).map(|call| u64::from(call.bytes)).sum::<u64>()
        };
        prop_assert_eq!(sum(|row| row.ready != NULL), moved(|call| call.actor < WRITERS));
    }

    #[test]
    fn bytes_that_nobody_saw_are_noticed(
        steps in (10..400i64).prop_flat_map(|gap| steps(gap, 4)),
        (hidden, by_reader) in (any::<prop::sample::Index>(), any::<bool>()),
    ) {
        let (mut made, _, unread) = simulate(&steps);
        let of_side: Vec<usize> = made
            .iter()
            .enumerate()
            .filter(|(_, call)| (call.actor >= WRITERS) == by_reader)
            .map(|(at, _)| at)
            .collect();
        if !of_side.is_empty() {
            made[of_side[hidden.index(of_side.len())]].is_seen = false;
            prop_assert!(told(&made, unread).is_none());
        }
    }
}
