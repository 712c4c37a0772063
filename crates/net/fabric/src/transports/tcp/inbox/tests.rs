//! Cuts, stamps, acknowledgements, noise.

use super::*;
use proptest::prelude::*;
use record::{ArrivedClock, Kind};

const MAX: usize = 600;

fn frame(flag: Flag, seq: u64, payload: &[u8]) -> Vec<u8> {
    let head = Head { ready: 1, sent: 2, seq, kind: Kind::Data, flag, batch: 1, in_flight: 0 };
    let taken = Taken { messages: seq as u32, bytes: 0 };
    let mut bytes = Frame { head: Some(head), len: payload.len(), taken }.encode().to_vec();
    bytes.extend_from_slice(payload);
    bytes
}

fn ack(messages: u32) -> Vec<u8> {
    Frame { head: None, len: 0, taken: Taken { messages, bytes: 0 } }.encode().to_vec()
}

fn feed(inbox: &mut Inbox, bytes: &[u8], span: Option<Span>) -> Result<Option<Taken>, FrameError> {
    inbox.room()[..bytes.len()].copy_from_slice(bytes);
    inbox.commit(bytes.len(), span)
}

fn read_at(earliest: u64, latest: u64) -> Option<Span> {
    Some(Span { clock: ArrivedClock::Kernel, earliest, latest, exact: true })
}

proptest! {
    /// However the stream is cut into reads, the same frames come out, in a buffer that holds
    /// little more than one.
    #[test]
    fn cuts_do_not_matter(
        sizes in prop::collection::vec(0..MAX, 1..40),
        cuts in prop::collection::vec(1usize..900, 1..50),
    ) {
        let payload = |k: usize| (0..sizes[k]).map(|i| (i * 7 + k) as u8).collect::<Vec<_>>();
        let whole = |k: usize| frame(Flag::Last, k as u64, &payload(k));
        let stream: Vec<u8> = (0..sizes.len()).flat_map(whole).collect();
        let mut inbox = Inbox::new(MAX, 2 * (MAX + HEADER_BYTES));
        let (mut at, mut got, mut cuts) = (0, 0, cuts.into_iter().cycle());
        while got < sizes.len() {
            if let Some(delivery) = inbox.next() {
                prop_assert_eq!(delivery.head.seq, got as u64);
                prop_assert_eq!(inbox.payload(), payload(got));
                got += 1;
                continue;
            }
            let bytes = cuts.next().unwrap().min(stream.len() - at).min(inbox.room().len());
            prop_assert!(bytes > 0, "no room for the rest of a frame");
            feed(&mut inbox, &stream[at..at + bytes], None).unwrap();
            at += bytes;
        }
        prop_assert!(inbox.next().is_none() && inbox.filled == inbox.checked);
    }

    /// Acknowledgements between messages, in whatever reads: every message comes out, within the
    /// bounds of the read that brought its last byte, and is observed only if it ended that.
    #[test]
    fn arrivals_are_true_between_acknowledgements(
        parts in prop::collection::vec(prop_oneof![Just(None), (0..MAX).prop_map(Some)], 1..60),
        cuts in prop::collection::vec(1usize..900, 1..50), taken_every in 1usize..5,
    ) {
        let mut inbox = Inbox::new(MAX, 64 << 10);
        let (mut stream, mut ends) = (Vec::new(), Vec::new());
        for part in &parts {
            let seq = ends.len() as u64;
            let piece = |size: usize| frame(Flag::Last, seq, &vec![seq as u8; size]);
            stream.extend(part.map_or_else(|| ack(1), piece));
            ends.extend(part.map(|_| stream.len()));
        }
        let (mut at, mut got, mut read_ends) = (0, 0, Vec::new());
        let mut check = |inbox: &mut Inbox, read_ends: &[usize]| {
            while let Some(delivery) = inbox.next() {
                prop_assert_eq!(delivery.head.seq, got as u64);
                prop_assert!(inbox.payload().iter().all(|byte| *byte == got as u8));
                let by = read_ends.iter().position(|end| *end >= ends[got]).unwrap() as u64;
                let came = delivery.came.unwrap();
                prop_assert!(came.earliest <= by && by < came.latest, "{by}: {came:?}");
                prop_assert!(
                    !came.exact || (read_ends[by as usize] == ends[got] && came.latest == by + 1)
                );
                got += 1;
            }
            Ok(())
        };
        for (number, cut) in cuts.into_iter().cycle().enumerate() {
            let bytes = cut.min(stream.len() - at).min(inbox.room().len());
            let when = read_at(number as u64, number as u64 + 1);
            feed(&mut inbox, &stream[at..at + bytes], when).unwrap();
            at += bytes;
            read_ends.push(at);
            if number.is_multiple_of(taken_every) || at == stream.len() {
                check(&mut inbox, &read_ends)?;
            }
            if at == stream.len() {
                break;
            }
        }
        prop_assert_eq!(got, ends.len());
        prop_assert!(inbox.filled == inbox.checked);
    }

    #[test]
    fn noise_never_panics(
        noise in prop::collection::vec(any::<u8>(), 0..2000), cut in 1usize..500,
    ) {
        let mut inbox = Inbox::new(MAX, 2 * (MAX + HEADER_BYTES));
        for part in noise.chunks(cut) {
            if inbox.room().len() < part.len() || feed(&mut inbox, part, None).is_err() {
                break;
            }
            while inbox.next().is_some() {}
        }
    }
}

#[test]
fn only_the_message_that_ends_a_read_is_observed() {
    let mut inbox = Inbox::new(MAX, 4096);
    let three: Vec<u8> = (0..3).flat_map(|seq| frame(Flag::Last, seq, b"12345678")).collect();
    feed(&mut inbox, &three, read_at(100, 200)).unwrap();
    let exact: Vec<bool> =
        std::iter::from_fn(|| inbox.next()).map(|delivery| delivery.came.unwrap().exact).collect();
    assert_eq!(exact, [false, false, true]);
    // A read that ends within the next frame observed that one's beginning, not the end of this.
    let two: Vec<u8> = (3..5).flat_map(|seq| frame(Flag::Last, seq, b"12345678")).collect();
    feed(&mut inbox, &two[..60], read_at(200, 300)).unwrap();
    let first = inbox.next().unwrap().came.unwrap();
    assert_eq!((first.earliest, first.latest, first.exact), (200, 300, false));
    feed(&mut inbox, &two[60..], read_at(300, 400)).unwrap();
    assert!(inbox.next().unwrap().came.unwrap().exact);
}

/// The kernel's stamps begin while much waits: what came before has its own, on the other clock.
#[test]
fn reads_that_are_joined_keep_their_clocks() {
    let mut inbox = Inbox::new(MAX, 1 << 16);
    for seq in 0..200 {
        let clock = if seq < 100 { ArrivedClock::Receiver } else { ArrivedClock::Kernel };
        let span = Span { clock, earliest: seq, latest: seq + 1, exact: true };
        feed(&mut inbox, &frame(Flag::Last, seq, b"12345678"), Some(span)).unwrap();
    }
    for seq in 0..200 {
        let came = inbox.next().unwrap().came.unwrap();
        assert_eq!(
            came.clock,
            if seq < 100 { ArrivedClock::Receiver } else { ArrivedClock::Kernel }
        );
        assert!(came.earliest <= seq && seq < came.latest, "{seq}: {came:?}");
    }
    assert!(inbox.reads.len() <= 2);
}

#[test]
fn acknowledgements_are_seen_ahead_of_messages_not_taken() {
    let mut inbox = Inbox::new(MAX, 4096);
    let data = frame(Flag::Last, 5, &[0; 100]);
    let ack = Frame { head: None, len: 0, taken: Taken { messages: 9, bytes: 77 } }.encode();
    assert_eq!(feed(&mut inbox, &data, None).unwrap().unwrap().messages, 5);
    assert_eq!(feed(&mut inbox, &ack, None), Ok(Some(Taken { messages: 9, bytes: 77 })));
    assert_eq!(inbox.next().unwrap().head.seq, 5);
    assert!(inbox.next().is_none());
}

/// A node that takes nothing, with a message before it, reads acknowledgements for ever, however
/// they are cut.
#[test]
fn acknowledgements_take_no_room() {
    for cut in [HEADER_BYTES, 1, 29, HEADER_BYTES + 1] {
        let mut inbox = Inbox::new(MAX, MAX + 3 * HEADER_BYTES);
        feed(&mut inbox, &frame(Flag::Last, 0, &[7; MAX]), read_at(10, 20)).unwrap();
        let mut told = 0;
        let all: Vec<u8> = (1..=3000).flat_map(ack).collect();
        for (number, part) in all.chunks(cut).enumerate() {
            let came = 100 + number as u64;
            let taken = feed(&mut inbox, part, read_at(came, came + 1)).unwrap();
            told = taken.map_or(told, |taken| taken.messages);
        }
        assert_eq!((told, inbox.filled == inbox.checked), (3000, true));
        assert!(inbox.reads.len() <= 2, "{} reads are kept", inbox.reads.len());
        let came = inbox.next().unwrap().came.unwrap();
        assert_eq!((came.earliest, came.latest, came.exact), (10, 20, true), "cut into {cut}");
        assert_eq!(inbox.payload(), &[7; MAX]);
        assert!(inbox.next().is_none());
    }
}

/// The stamp of a read that ends with an acknowledgement is that one's.
#[test]
fn a_message_before_an_acknowledgement_in_one_read_is_bracketed() {
    let mut inbox = Inbox::new(MAX, 4096);
    feed(&mut inbox, &[frame(Flag::Last, 0, b"first"), ack(1)].concat(), read_at(100, 200))
        .unwrap();
    feed(&mut inbox, &[ack(2), frame(Flag::Last, 1, b"second")].concat(), read_at(200, 300))
        .unwrap();
    let came: Vec<Span> =
        std::iter::from_fn(|| inbox.next()).map(|delivery| delivery.came.unwrap()).collect();
    assert_eq!([came[0].exact, came[1].exact], [false, true]);
    assert_eq!([came[0].latest, came[1].latest], [200, 300]);
}

#[test]
fn what_came_before_garbage_is_delivered() {
    let mut inbox = Inbox::new(MAX, 4096);
    let mut bytes = frame(Flag::Last, 0, b"good");
    bytes.extend_from_slice(&[0xff; HEADER_BYTES]);
    assert!(matches!(feed(&mut inbox, &bytes, None), Err(FrameError::TooLong { .. })));
    assert_eq!(inbox.next().unwrap().head.seq, 0);
    assert_eq!(inbox.payload(), b"good");
    assert!(inbox.next().is_none());
}

#[test]
fn nothing_but_acknowledgements_follows_a_bye() {
    let mut inbox = Inbox::new(MAX, 4096);
    feed(&mut inbox, &frame(Flag::Bye, 0, b""), None).unwrap();
    let ack = Frame { head: None, len: 0, taken: Taken::default() }.encode();
    assert!(feed(&mut inbox, &ack, None).is_ok() && inbox.bye_seen());
    assert_eq!(feed(&mut inbox, &frame(Flag::Last, 1, b""), None), Err(FrameError::AfterBye));
}
