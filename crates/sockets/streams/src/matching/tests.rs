use super::*;
use proptest::prelude::*;

fn send(enter: i64, bytes: u32) -> Op {
    Op { enter, exit: enter + 5, stamp: NULL, bytes, offered: bytes, node: 0, flags: 0 }
}

fn receive(exit: i64, bytes: u32, stamp: i64) -> Op {
    let flags = flags::STAMPED | flags::EMPTIED;
    Op { enter: exit - 3, exit, stamp, bytes, offered: 0, node: 1, flags }
}

/// What one wrote and another read, told in the order in which the calls returned.
fn between(
    sends: &[Op],
    receives: &[Op],
    silent_from: i64,
) -> Result<(Vec<MessageRow>, Counts), Doubt> {
    let bytes = |ops: &[Op]| ops.iter().map(|op| u64::from(op.bytes)).sum();
    let (written, read) = (bytes(sends), bytes(receives));
    let longest_ns = sends.iter().map(|op| op.exit - op.enter).max().unwrap_or(0);
    let way = Way { is_unix: false, from: 0, to: 1, silent_from, written, read, longest_ns };
    let mut direction = Direction::new(way, Marks::default());
    let mut calls: Vec<(&Op, bool)> = sends.iter().map(|op| (op, true)).collect();
    calls.extend(receives.iter().map(|op| (op, false)));
    calls.sort_by_key(|(op, _)| op.exit);
    let (mut rows, mut bounds): (Vec<MessageRow>, Vec<_>) = (Vec::new(), Vec::new());
    for (op, is_sent) in calls {
        match is_sent {
            true => direction.send(op),
            false => direction.receive(op),
        }
        while let Some(row) = direction.next()? {
            rows.push(row);
        }
        bounds.push((rows.len(), direction.bounds(op.exit)));
    }
    direction.finish();
    while let Some(row) = direction.next()? {
        rows.push(row);
    }
    // What was said of those to come holds of those that came.
    for (count, (ready, taken)) in bounds {
        let is_later = |bound: i64, at: i64| at == NULL || at >= bound;
        let next = rows.get(count);
        assert!(next.is_none_or(|row| is_later(ready, row.ready) && is_later(taken, row.taken)));
    }
    Ok((rows, direction.counts))
}

fn matched(sends: &[Op], receives: &[Op]) -> (Vec<MessageRow>, Option<Counts>) {
    match between(sends, receives, i64::MAX) {
        Ok((rows, counts)) => (rows, Some(counts)),
        Err(Doubt) => (Vec::new(), None),
    }
}

#[test]
fn what_a_killed_writer_could_not_log_is_a_read_and_the_rest_is_matched() {
    let (sends, receives) = ([send(0, 4)], [receive(50, 6, 10), receive(90, 8, 20)]);
    assert!(matched(&sends, &receives).1.is_none(), "it went on logging: that was others'");
    let found = between(&sends, &receives, 30);
    let (rows, counts) = found.expect("its last call may lack");
    assert_eq!((counts.matched, counts.lone_receives), (1, 2));
    let found: Vec<_> = rows.iter().map(|row| (row.ready, row.bytes, row.taken)).collect();
    assert_eq!(found, [(0, 4, 50), (NULL, 2, 50), (NULL, 8, 90)]);
}

#[test]
fn several_messages_in_one_read_end_with_the_observed_one() {
    let (rows, counts) = matched(&[send(0, 4), send(100, 6)], &[receive(1000, 10, 110)]);
    assert_eq!(counts.unwrap().matched, 2);
    assert!(rows.iter().all(|row| row.taken == 1000));
    assert_eq!((rows[0].arrival.how, rows[1].arrival.how), (How::Bracketed, How::Observed));
    assert_eq!(rows[1].arrival.at, 110);
    assert!((0..=110).contains(&rows[0].arrival.at));
}

#[test]
fn a_message_in_several_reads_is_taken_by_the_last() {
    let (rows, _) = matched(&[send(0, 10)], &[receive(50, 4, 10), receive(90, 6, 20)]);
    assert_eq!((rows.len(), rows[0].taken, rows[0].arrival.at), (1, 90, 20));
}

#[test]
fn a_stamp_that_a_later_message_may_have_moved_is_no_observation() {
    let mut first = receive(300, 4, 210);
    first.flags = flags::STAMPED;
    let (rows, _) = matched(&[send(0, 4), send(200, 4)], &[first, receive(310, 4, 210)]);
    assert_eq!(rows[0].arrival.how, How::Bracketed);
    let (rows, _) = matched(&[send(0, 4), send(220, 4)], &[first, receive(310, 4, 230)]);
    assert_eq!((rows[0].arrival.how, rows[0].arrival.at), (How::Observed, 210));
}

#[test]
fn what_was_refused_was_ready_before() {
    let refused = Op { flags: flags::REFUSED | flags::NO_WAIT, ..send(10, 0) };
    let then = Op { flags: flags::NO_WAIT, ..send(500, 8) };
    let (rows, _) = matched(&[refused, then], &[receive(900, 8, 520)]);
    assert_eq!((rows[0].ready, rows[0].sent), (10, 500));
    let part = Op { offered: 20, flags: flags::NO_WAIT, ..send(10, 8) };
    let (rows, _) = matched(&[part, then], &[receive(900, 16, 520)]);
    assert_eq!((rows[0].ready, rows[1].ready, rows[1].sent), (10, 10, 500));
}

#[test]
fn a_call_that_waited_handed_over_at_its_end() {
    let waited = Op { exit: 1_000_000, ..send(0, 8) };
    let (rows, _) = matched(&[waited], &[receive(2_000_000, 8, 1_500_000)]);
    assert_eq!(rows[0].sent, 1_000_000);
    let (rows, _) = matched(&[waited], &[receive(2_000_000, 8, 900_000)]);
    assert_eq!(rows[0].sent, 900_000);
}

#[test]
fn what_was_read_before_it_was_written_does_not_belong_together() {
    assert_eq!(matched(&[send(100, 4)], &[receive(50, 4, 40)]).1, None);
    assert_eq!(matched(&[send(0, 4)], &[receive(50, 5, 40)]).1, None);
}

proptest! {
    /// A stream that is cut into writes and reads at any places: every byte meets itself.
    #[test]
    fn the_byte_is_the_rule(
        writes in proptest::collection::vec(1u32..40, 1..40),
        reads in proptest::collection::vec(1u32..60, 1..60),
    ) {
        let total: u64 = writes.iter().map(|bytes| u64::from(*bytes)).sum();
        let sends: Vec<Op> = (0..).zip(&writes).map(|(at, bytes)| send(at * 10, *bytes)).collect();
        let mut left = total;
        let mut receives = Vec::new();
        for (at, bytes) in (0..).zip(&reads) {
            let bytes = left.min(u64::from(*bytes)) as u32;
            left -= u64::from(bytes);
            if bytes > 0 {
                receives.push(receive(100_000 + at * 10, bytes, 50_000));
            }
        }
        let (rows, counts) = matched(&sends, &receives);
        prop_assert!(counts.is_some());
        prop_assert_eq!(rows.len(), writes.len());
        let mut end = 0;
        for (row, bytes) in rows.iter().zip(&writes) {
            end += u64::from(*bytes);
            let mut read = 0;
            let covering = receives.iter().find(|one| {
                read += u64::from(one.bytes);
                read >= end
            });
            prop_assert_eq!(row.taken, covering.map_or(NULL, |one| one.exit));
        }
    }
}
