use super::*;
use proptest::prelude::*;

fn send(enter: i64, bytes: u32) -> Op {
    Op {
        enter,
        exit: enter + 5,
        stamp: NULL,
        bytes,
        offered: bytes,
        node: 0,
        thread: 7,
        flags: 0,
        look: None,
        wait: None,
    }
}

fn receive(exit: i64, bytes: u32, stamp: i64) -> Op {
    let flags = flags::STAMPED | flags::EMPTIED;
    Op { enter: exit - 3, exit, stamp, bytes, offered: 0, node: 1, flags, ..send(0, 0) }
}

/// What one wrote and another read, told in the order in which the calls returned.
fn between(
    sends: &[Op],
    receives: &[Op],
    silent_from: i64,
) -> Result<(Vec<MessageRow>, Counts), Doubt> {
    late(sends, receives, ([0; 2], None), silent_from)
}

/// Who is not traced.
const OTHERS: u32 = 2;

/// The same of ends that had carried so many bytes before they were traced; `had_arrived` up to
/// then.
fn late(
    sends: &[Op],
    receives: &[Op],
    (before, had_arrived): ([u64; 2], Option<(u64, i64)>),
    silent_from: i64,
) -> Result<(Vec<MessageRow>, Counts), Doubt> {
    let bytes = |ops: &[Op]| ops.iter().map(|op| u64::from(op.bytes)).sum();
    let written = Span::of(before[0], bytes(sends));
    let read = Span::of(before[1], bytes(receives));
    let longest_ns = sends.iter().map(|op| op.exit - op.enter).max().unwrap_or(0);
    let way = Way {
        transport: Transport::Tcp,
        from: 0,
        to: 1,
        silent_from,
        written,
        read,
        had_arrived,
        outside: OTHERS,
        longest_ns,
        apart_ns: 0,
    };
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
    // What was said of those to come holds of those that came, but for others'.
    for (count, (ready, taken)) in bounds {
        let is_later = |bound: i64, at: i64| at == NULL || at >= bound;
        let next = rows.get(count);
        assert!(next.is_none_or(|row| {
            way.is_others(row) || is_later(ready, row.ready) && is_later(taken, row.taken)
        }));
    }
    Ok((rows, direction.counts))
}

fn matched(sends: &[Op], receives: &[Op]) -> (Vec<MessageRow>, Option<Counts>) {
    match between(sends, receives, i64::MAX) {
        Ok((rows, counts)) => (rows, Some(counts)),
        Err(_) => (Vec::new(), None),
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

#[test]
fn what_others_wrote_or_read_before_has_one_side_and_the_rest_is_matched() {
    // 10 bytes were written before the writer was found, 6 were read before the reader was.
    let (sends, receives) =
        ([send(100, 4), send(200, 8)], [receive(50, 3, 10), receive(300, 13, 210)]);
    let (rows, counts) = late(&sends, &receives, ([10, 6], None), i64::MAX).unwrap();
    assert_eq!(counts, Counts { matched: 2, lone_sends: 0, lone_receives: 2, ..counts });
    let found: Vec<_> = rows.iter().map(|row| (row.src, row.dst, row.bytes, row.taken)).collect();
    assert_eq!(found, [(OTHERS, 1, 3, 50), (OTHERS, 1, 1, 300), (0, 1, 4, 300), (0, 1, 8, 300)]);
    // The reader was found behind the first message, within the second.
    let (rows, counts) = late(&sends, &[receive(300, 6, 210)], ([0, 6], None), i64::MAX).unwrap();
    assert_eq!(counts, Counts { matched: 1, lone_sends: 1, lone_receives: 0, ..counts });
    let found: Vec<_> = rows.iter().map(|row| (row.src, row.dst, row.bytes, row.taken)).collect();
    assert_eq!(found, [(0, OTHERS, 4, NULL), (0, 1, 8, 300)]);
}

#[test]
fn what_lay_unread_when_the_reader_was_found_had_arrived_by_then() {
    let got = Op { stamp: NULL, flags: 0, ..receive(900, 8, NULL) };
    let late = |had_arrived| {
        let sends = [send(100, 4), send(200, 4)];
        late(&sends, &[got], ([0; 2], had_arrived), i64::MAX).unwrap().0
    };
    let latest = |row: &MessageRow| row.arrival.at + row.arrival.error;
    assert_eq!(late(None).iter().map(latest).collect::<Vec<_>>(), [900, 900]);
    assert_eq!(late(Some((4, 180))).iter().map(latest).collect::<Vec<_>>(), [180, 900]);
    assert_eq!(late(Some((8, 400))).iter().map(latest).collect::<Vec<_>>(), [400, 400]);
}

proptest! {
    /// The same, where each end is found when some bytes have passed.
    #[test]
    fn the_byte_is_the_rule_from_where_it_is_known(
        writes in proptest::collection::vec(1u32..40, 1..40),
        reads in proptest::collection::vec(1u32..60, 1..60),
        (unseen_writes, unseen_reads) in (0usize..20, 0usize..20),
    ) {
        let ends = |parts: &[u32]| {
            let sum = |end: &mut u64, part: &u32| { *end += u64::from(*part); Some(*end) };
            parts.iter().scan(0, sum).collect::<Vec<u64>>()
        };
        let total = ends(&writes).last().copied().unwrap_or(0);
        let mut left = total;
        let reads: Vec<u32> = reads.iter().map(|bytes| {
            let bytes = left.min(u64::from(*bytes)) as u32;
            left -= u64::from(bytes);
            bytes
        }).filter(|bytes| *bytes > 0).collect();
        let (sent, taken) = (ends(&writes), ends(&reads));
        let before = |ends: &[u64], unseen: usize| match unseen {
            0 => 0,
            _ => ends.get(unseen - 1).or(ends.last()).copied().unwrap_or(0),
        };
        let written_from = before(&sent, unseen_writes);
        let read_from = before(&taken, unseen_reads);
        let sends: Vec<Op> = (0..).zip(&writes).map(|(at, bytes)| send(at * 10, *bytes)).collect();
        let receive = |(at, bytes): (i64, &u32)| receive(100_000 + at * 10, *bytes, 50_000);
        let receives: Vec<Op> = (0..).zip(&reads).map(receive).collect();
        let sends = &sends[unseen_writes.min(sends.len())..];
        let receives_seen = &receives[unseen_reads.min(receives.len())..];
        let found = late(sends, receives_seen, ([written_from, read_from], None), i64::MAX);
        let (rows, _) = found.expect("no contradiction");
        let written: Vec<_> = rows.iter().filter(|row| row.src == 0).collect();
        prop_assert_eq!(written.len(), sends.len());
        let ends = sent.iter().filter(|end| **end > written_from);
        for (row, end) in written.iter().zip(ends) {
            let read = taken.iter().position(|taken| taken >= end);
            let expected = read.filter(|_| *end > read_from).map_or(NULL, |at| receives[at].exit);
            prop_assert_eq!(row.taken, expected);
            prop_assert_eq!(row.dst == OTHERS, *end <= read_from);
        }
        let others: u64 = rows.iter().filter(|row| row.src == OTHERS).map(|row| row.bytes).sum();
        let last = taken.last().copied().unwrap_or(0);
        let both = Span { from: read_from, to: last.max(read_from) };
        prop_assert_eq!(others, both.and(Span { from: 0, to: written_from }).bytes());
    }

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
