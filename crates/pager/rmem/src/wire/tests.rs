use super::*;
use crate::fuzz;
use answer::Answer;
use fields::{Entry, PageBytes};
use inbox::Inbox;
use pager::{Checksum, Tag};
use proptest::prelude::*;
use request::Request;

fn any_bytes(lead: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (lead, prop::collection::vec(any::<u8>(), 0..300))
        .prop_map(|(lead, rest)| [lead, rest].concat())
}

/// Headers that are almost right, so that bodies are reached.
fn lead() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![Just(0u32), Just(4), Just(8), Just(24), 0u32..200, any::<u32>()];
    (0u8..80, 0u16..4, length, any::<u64>()).prop_map(|(kind, count, length, request)| {
        let mut bytes = vec![kind, 0];
        bytes.extend_from_slice(&count.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&request.to_le_bytes());
        bytes
    })
}

/// A frame of writes: slot, version and filling of each page.
fn write_frame(pages: &[(u32, u64, u8)]) -> Vec<u8> {
    let mut bytes = Header::new(Kind::Write, pages.len(), 9).encode().to_vec();
    for (slot, version, filling) in pages {
        let tag = Tag { version: *version, checksum: Checksum(u128::from(*version) << 70) };
        Entry { slot: *slot, mark: 0, tag }.put(&mut bytes);
        bytes.extend_from_slice(&[*filling; PAGE_BYTES]);
    }
    bytes
}

proptest! {
    #[test]
    fn any_bytes_give_frames_or_an_error(bytes in any_bytes(lead()), cut in 1usize..400) {
        fuzz::requests(&bytes, cut);
        let _ = fuzz::answers(&bytes, cut);
        fuzz::header(&bytes);
    }

    #[test]
    fn a_client_that_keeps_the_form_is_answered(
        recipes in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 0..12), cut in 1usize..300_000,
    ) {
        fuzz::requests(&fuzz::stream(&recipes), cut);
    }

    #[test]
    fn a_header_survives_the_wire(
        index in 0..Kind::ALL.len(), count: prop::sample::Index, request: u64,
    ) {
        let kind = Kind::ALL[index];
        let count = 1 + count.index(kind.count_max());
        let header = match kind.body(count) {
            Body::Exactly(_) => Header::new(kind, count, request),
            Body::UpTo(most) => Header::of_length(kind, most),
        };
        prop_assert_eq!(Header::decode(&header.encode(), kind.sender()), Ok(Some(header)));
        prop_assert!(header.length as usize + HEADER_BYTES <= FRAME_BYTES_MAX);
    }

    #[test]
    fn pages_survive_the_wire_whatever_the_pieces(
        pages in prop::collection::vec((any::<u32>(), any::<u64>(), any::<u8>()), 1..=BATCH_MAX),
        cut in 1usize..200_000,
    ) {
        let frame = write_frame(&pages);
        let stream = [&frame[..], &frame].concat();
        let (mut inbox, mut came) = (Inbox::new(), Vec::new());
        for piece in stream.chunks(cut) {
            inbox.room()[..piece.len()].copy_from_slice(piece);
            inbox.filled(piece.len());
            while let Some((header, body)) = inbox.next(Sender::Client).unwrap() {
                let Request::Write(items) = Request::decode(&header, body).unwrap() else {
                    panic!("{header:?}")
                };
                came.extend(items.map(|(entry, page)| {
                    (entry.slot, entry.tag.version, page[PAGE_BYTES - 1])
                }));
            }
        }
        prop_assert!(inbox.is_empty());
        prop_assert_eq!(came, [&pages[..], &pages].concat());
    }
}

#[test]
fn what_is_not_a_frame_is_named() {
    let good = Header::new(Kind::Read, 3, 7).encode();
    let with = |at: usize, value: u8| {
        let mut bytes = good;
        bytes[at] = value;
        Header::decode(&bytes, Sender::Client)
    };
    let read = Kind::Read as u8;
    assert_eq!(with(0, 0), Err(WireError::Kind(0)));
    assert_eq!(
        with(0, Kind::Pages as u8),
        Err(WireError::Kind(Kind::Pages as u8)),
        "comes from servers only"
    );
    assert_eq!(with(1, 1), Err(WireError::Field("flag")));
    assert_eq!(with(2, 0), Err(WireError::Count { kind: read, count: 0 }));
    assert_eq!(with(2, 65), Err(WireError::Count { kind: read, count: 65 }));
    assert_eq!(with(4, 13), Err(WireError::Length { kind: read, count: 3, length: 13 }));
    assert_eq!(with(7, 0xff), Err(WireError::Length { kind: read, count: 3, length: 0xff00_000c }));
    assert_eq!(Header::decode(&good[..HEADER_BYTES - 1], Sender::Client), Ok(None));
}

#[test]
fn the_longest_frame_fits_the_inbox_at_its_worst_place() {
    let page: PageBytes = [3; PAGE_BYTES];
    let mut frame = Header::new(Kind::Pages, BATCH_MAX, 1).encode().to_vec();
    frame.extend_from_slice(&[0; TIMES_BYTES]);
    (0..BATCH_MAX).for_each(|slot| Entry::of(slot as u32, None).put(&mut frame));
    (0..BATCH_MAX).for_each(|_| frame.extend_from_slice(&page));
    assert_eq!(frame.len(), FRAME_BYTES_MAX);
    let stream = frame.repeat(5);
    assert_eq!(fuzz::answers(&stream, 64 << 10), Ok(5));
    let mut inbox = Inbox::new();
    let mut frames = 0;
    for piece in stream.chunks(inbox::RECEIVE_BYTES) {
        inbox.room()[..piece.len()].copy_from_slice(piece);
        inbox.filled(piece.len());
        while let Some((header, body)) = inbox.next(Sender::Server).unwrap() {
            let answer = Answer::decode(&header, body);
            assert!(matches!(answer, Ok(Answer::Pages { bytes, .. }) if bytes[0] == 3));
            frames += 1;
        }
    }
    assert_eq!(frames, 5);
}

#[test]
fn the_shaped_streams_reach_every_request() {
    let recipes: Vec<(u8, u8, u8, u8)> = (0..5).map(|kind| (kind, 0, 1, 3)).collect();
    // Every request but the discard is answered, and all are understood.
    assert_eq!(fuzz::requests(&fuzz::stream(&recipes), usize::MAX), 4 + 1);
    assert_eq!(
        fuzz::requests(&fuzz::stream(&[(2, 0, 8, 0)]), usize::MAX),
        0,
        "slot 8 was not granted"
    );
}
