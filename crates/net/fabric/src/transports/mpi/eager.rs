//! From which size on the MPI library lets a message wait for its receive, by trying.
//!
//! Rank 0 sends while rank 1 has no receive posted, and looks whether the send ends; then the
//! receive is posted. A send that ended went at once, for certain. One that did not end in time is
//! taken to wait, and tried once more. Sizes are doubled until one waits, and halved from there to
//! the byte.

use super::MpiProcess;
use super::process::{Place, place};
use super::raw::{Buffer, Channel, Post, Transfer};
use crate::error::FabricError;
use machine::EagerBounds;
use std::ffi::c_int;
use std::io;
use std::time::{Duration, Instant};

/// The first size that is tried, and the most that is.
const FIRST_BYTES: usize = 64;
const MOST_BYTES: usize = 4 << 20;
/// A send that takes longer waits for its receive. Most that go at once end within the call.
const AT_ONCE: Duration = Duration::from_millis(25);
/// How often a size is tried before it is said to wait.
const TRIALS: u32 = 2;
/// How long the other rank may take for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// A message to come, how long it is (0: none comes any more), and that it has been received.
const TAG_TRIED: c_int = 1;
const TAG_BYTES: c_int = 2;
const TAG_RECEIVED: c_int = 3;
/// The ranks that try it.
const SENDER: u16 = 0;
const RECEIVER: u16 = 1;

impl MpiProcess {
    /// Find the limit between ranks 0 and 1, in about a second. All ranks must call it, and no
    /// transport be open; rank 0 learns the answer. `None`: the others, and a job of one rank.
    ///
    /// # Errors
    /// When MPI fails, or the other rank does not come or answer.
    pub fn find_eager_limit(&self) -> Result<Option<EagerBounds>, FabricError> {
        let Some(Place { library, rank, .. }) = place().filter(|place| place.ranks > 1) else {
            return Ok(None);
        };
        let channel = Channel::open(library, Instant::now() + PATIENCE)?;
        let found = match rank {
            SENDER => Some(send_all(&channel)?),
            RECEIVER => receive_all(&channel).map(|()| None)?,
            _ => None,
        };
        channel.free();
        Ok(found)
    }
}

/// Rank 0: try sizes, then say that none comes any more.
fn send_all(channel: &Channel) -> Result<EagerBounds, FabricError> {
    // The first message between two ranks may have to wait for their connection.
    goes_at_once(channel, 1)?;
    let found = search(|bytes| goes_in_any_trial(channel, bytes))?;
    say(channel, 0)?;
    Ok(found)
}

fn goes_in_any_trial(channel: &Channel, bytes: usize) -> Result<bool, FabricError> {
    for _ in 0..TRIALS {
        if goes_at_once(channel, bytes)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a message that nobody receives yet is gone.
fn goes_at_once(channel: &Channel, bytes: usize) -> Result<bool, FabricError> {
    let (peer, buffer) = (c_int::from(RECEIVER), Buffer::new(bytes));
    let mut received = Post::new(channel, 1, peer, TAG_RECEIVED)?;
    let mut tried = Transfer::send(channel, buffer, bytes, peer, TAG_TRIED)?;
    let goes = ends_within(AT_ONCE, || tried.has_ended())?;
    say(channel, bytes)?;
    must_end(|| tried.has_ended())?;
    must_end(|| received.has_come())?;
    Ok(goes)
}

fn say(channel: &Channel, bytes: usize) -> Result<(), FabricError> {
    let word = (bytes as u64).to_le_bytes();
    let mut buffer = Buffer::new(word.len());
    buffer.bytes_mut().copy_from_slice(&word);
    send(channel, buffer, RECEIVER, TAG_BYTES)
}

/// Rank 1: receive what is told of, when it is told.
fn receive_all(channel: &Channel) -> Result<(), FabricError> {
    let peer = c_int::from(SENDER);
    loop {
        let mut told = Post::new(channel, 8, peer, TAG_BYTES)?;
        must_end(|| told.has_come())?;
        let word = told.bytes().first_chunk().copied().unwrap_or_default();
        let bytes = usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX);
        match bytes {
            0 => return Ok(()),
            1..=MOST_BYTES => {}
            _ => return Err(failed(io::ErrorKind::InvalidData, "the other rank sends nonsense")),
        }
        let mut tried = Post::new(channel, bytes, peer, TAG_TRIED)?;
        must_end(|| tried.has_come())?;
        send(channel, Buffer::new(1), SENDER, TAG_RECEIVED)?;
    }
}

fn send(channel: &Channel, buffer: Buffer, to: u16, tag: c_int) -> Result<(), FabricError> {
    let bytes = buffer.len();
    let mut sent = Transfer::send(channel, buffer, bytes, c_int::from(to), tag)?;
    must_end(|| sent.has_ended())
}

fn must_end(has_ended: impl FnMut() -> Result<bool, FabricError>) -> Result<(), FabricError> {
    match ends_within(PATIENCE, has_ended)? {
        true => Ok(()),
        false => Err(failed(io::ErrorKind::TimedOut, "the other rank does not answer")),
    }
}

/// Looking makes MPI go on. Whoever lost the core meanwhile looks once more.
fn ends_within(
    limit: Duration,
    mut has_ended: impl FnMut() -> Result<bool, FabricError>,
) -> Result<bool, FabricError> {
    let begun = Instant::now();
    loop {
        let is_late = begun.elapsed() > limit;
        if has_ended()? {
            return Ok(true);
        }
        if is_late {
            return Ok(false);
        }
        std::thread::yield_now();
    }
}

fn failed(kind: io::ErrorKind, why: &'static str) -> FabricError {
    FabricError::io("finding the eager limit")(io::Error::new(kind, why))
}

/// The limit, to the byte, of what goes up to a size and no further.
fn search<E>(mut goes_at_once: impl FnMut(usize) -> Result<bool, E>) -> Result<EagerBounds, E> {
    let (mut at_once, mut waits) = (0, FIRST_BYTES);
    while goes_at_once(waits)? {
        at_once = waits;
        if waits == MOST_BYTES {
            return Ok(EagerBounds { at_once_bytes: at_once as u64, waits_bytes: None });
        }
        waits *= 2;
    }
    while waits - at_once > 1 {
        let between = at_once.midpoint(waits);
        match goes_at_once(between)? {
            true => at_once = between,
            false => waits = between,
        }
    }
    Ok(EagerBounds { at_once_bytes: at_once as u64, waits_bytes: Some(waits as u64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_found_to_the_byte() {
        for limit in [0, 1, 63, 64, 65, 4056, 65_484, MOST_BYTES - 1] {
            let mut tried = 0;
            let found = search(|bytes| {
                tried += 1;
                assert!((1..=MOST_BYTES).contains(&bytes));
                Ok::<_, ()>(bytes <= limit)
            });
            let limit = limit as u64;
            assert_eq!(
                found,
                Ok(EagerBounds { at_once_bytes: limit, waits_bytes: Some(limit + 1) })
            );
            assert!(tried < 50, "{tried} sizes");
        }
    }

    #[test]
    fn where_all_go_at_once_no_limit_is_made_up() {
        let all = search(|_| Ok::<_, ()>(true));
        assert_eq!(all, Ok(EagerBounds { at_once_bytes: MOST_BYTES as u64, waits_bytes: None }));
        assert_eq!(search(|_| Err("broken")), Err("broken"));
    }
}
