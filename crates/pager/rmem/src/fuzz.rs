//! The decoders of what comes over a connection, for the fuzz target. Not part of the public
//! interface.

use crate::server::arena::Arena;
use crate::server::session::Session;
use crate::server::slots::Slots;
use crate::wire::answer::Answer;
use crate::wire::inbox::{Inbox, RECEIVE_BYTES};
use crate::wire::request::Request;
use crate::wire::{Header, ITEM_BYTES, Kind, Sender, WireError};
use std::sync::Arc;

/// Pages that the fuzzed server lends.
const PAGES: u64 = 24;

/// A server's whole treatment of a client's stream, cut into reads of at most `cut` bytes. What it
/// answers must be frames. Returns how many.
pub fn requests(stream: &[u8], cut: usize) -> usize {
    let Ok(slots) = Slots::new(Arc::new(Arena::new(PAGES, Some(0)))) else { return 0 };
    let mut session = Session::new(slots, Arc::default());
    session.slots.grow(8);
    let mut answered = Vec::new();
    let mut inbox = Inbox::new();
    let mut all_understood = true;
    for piece in stream.chunks(cut.clamp(1, RECEIVE_BYTES)) {
        fill(&mut inbox, piece);
        all_understood = serve(&mut inbox, &mut session, &mut answered).is_some();
        if !all_understood {
            break;
        }
    }
    let answers = answers(&answered, usize::MAX);
    assert!(answers.is_ok(), "the server's own answers are not understood: {answers:?}");
    answers.unwrap_or_default() + usize::from(all_understood)
}

/// A client's treatment of a server's stream. Returns how many frames were understood.
pub fn answers(stream: &[u8], cut: usize) -> Result<usize, WireError> {
    let (mut inbox, mut count) = (Inbox::new(), 0);
    for piece in stream.chunks(cut.clamp(1, RECEIVE_BYTES)) {
        fill(&mut inbox, piece);
        while let Some((header, body)) = inbox.next(Sender::Server)? {
            if let Answer::Pages { entries, bytes, .. } = Answer::decode(&header, body)? {
                assert_eq!(entries.count() * pager::PAGE_BYTES, bytes.len());
            }
            count += 1;
        }
    }
    Ok(count)
}

/// A client's stream that is well-formed: one frame for each (kind, count, slot, filling). Noise
/// alone seldom gets as far as a body.
pub fn stream(recipes: &[(u8, u8, u8, u8)]) -> Vec<u8> {
    const KINDS: [Kind; 5] = [Kind::Reserve, Kind::Write, Kind::Read, Kind::Discard, Kind::Ping];
    let mut bytes = Vec::new();
    for (number, (kind, count, slot, filling)) in recipes.iter().enumerate() {
        let kind = KINDS[usize::from(*kind) % KINDS.len()];
        let count = if matches!(kind, Kind::Write | Kind::Read | Kind::Discard) {
            1 + count % 64
        } else {
            1
        };
        let header = Header::new(kind, count.into(), number as u64);
        bytes.extend_from_slice(&header.encode());
        let start = bytes.len();
        bytes.resize(start + header.length as usize, *filling);
        let stride = if kind == Kind::Write { ITEM_BYTES } else { 4 };
        for (index, item) in bytes[start..].chunks_exact_mut(stride).enumerate() {
            // Most slots are among those that were granted.
            item[..4].copy_from_slice(&((u32::from(*slot) + index as u32) % 9).to_le_bytes());
        }
    }
    bytes
}

/// Decode one header and encode it again: what is believed must come out as it was.
pub fn header(bytes: &[u8]) {
    for sender in [Sender::Client, Sender::Server] {
        if let Ok(Some(header)) = Header::decode(bytes, sender) {
            assert_eq!(Header::decode(&header.encode(), sender), Ok(Some(header)));
            assert_eq!(header.encode()[..], bytes[..header.encode().len()]);
        }
    }
}

fn fill(inbox: &mut Inbox, piece: &[u8]) {
    inbox.room()[..piece.len()].copy_from_slice(piece);
    inbox.filled(piece.len());
}

/// `None`: the connection would end.
fn serve(inbox: &mut Inbox, session: &mut Session, answered: &mut Vec<u8>) -> Option<()> {
    while let Some((header, body)) = inbox.next(Sender::Client).ok()? {
        let request = Request::decode(&header, body).ok()?;
        if Session::changes(&request) || session.outbox.is_full() {
            answered.extend(session.outbox.take(&session.slots, 3));
        }
        session.answer(header.request, request, 1, || 2).ok()?;
    }
    answered.extend(session.outbox.take(&session.slots, 3));
    Some(())
}
