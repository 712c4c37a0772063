//! Control messages as bytes: a length, a kind, a body.
//!
//! Most bodies are JSON, so that a capture can be read. Clock pings are not, because the time to
//! write them counts; nor are log chunks, because there may be gigabytes of them. Every length is
//! checked before anything is allocated for it.

use crate::protocol::{LogChunk, Message};
use clock::Ticks;
use std::io::{ErrorKind, Read};

/// Length 4 (of the body, little-endian), kind 1.
pub(crate) const HEAD_BYTES: usize = 5;
/// Longest body.
pub(crate) const BODY_BYTES_MAX: usize = 1 << 20;
/// Longest body of anything but an assignment, an outcome or a log chunk.
pub(crate) const SMALL_BODY_BYTES_MAX: usize = 16 << 10;
/// Longest run of file bytes in one log chunk: below the frame's limit, with room for the name.
pub(crate) const CHUNK_BYTES_MAX: usize = 256 << 10;

const JSON: u8 = 1;
const PING: u8 = 2;
const PONG: u8 = 3;
const CHUNK: u8 = 4;

/// One frame of the control connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame {
    /// A control message.
    Message(Message),
    /// Coordinator: tell me your time.
    Ping {
        /// Which.
        sequence: u32,
    },
    /// Node: this is my time.
    Pong {
        /// Of the ping.
        sequence: u32,
        /// When the ping had come.
        received: Ticks,
        /// Just before this left.
        sent: Ticks,
    },
    /// Node: part of a log.
    Chunk(LogChunk),
}

/// Why bytes are not a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side has closed the connection between frames.
    #[error("the connection was closed")]
    Closed,
    /// The connection ended within a frame.
    #[error("the connection ended within a control message")]
    Truncated,
    /// Longer than it may be.
    #[error("a control message of {bytes} bytes where {limit} are allowed")]
    Oversized {
        /// As announced.
        bytes: usize,
        /// As allowed.
        limit: usize,
    },
    /// A kind of frame that does not exist.
    #[error("a control message of unknown kind {kind}")]
    UnknownKind {
        /// Its code.
        kind: u8,
    },
    /// The body is not what its kind says.
    #[error("a malformed control message: {what}")]
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// The connection failed.
    #[error("the connection failed: {source}")]
    Io {
        /// What the system said.
        source: std::io::Error,
    },
}

/// Decode the first frame in `bytes` and say how many it took; `None` when it is not all there yet.
///
/// # Errors
/// When the bytes can never become a frame. Never panics and never allocates more than the bytes
/// given: the target of the fuzzer.
pub fn decode_control(bytes: &[u8]) -> Result<Option<(Frame, usize)>, FrameError> {
    let Some((head, rest)) = bytes.split_first_chunk::<HEAD_BYTES>() else {
        return Ok(None);
    };
    let (length, kind) = read_head(head, BODY_BYTES_MAX)?;
    match rest.get(..length) {
        Some(body) => Ok(Some((decode_body(kind, body)?, HEAD_BYTES + length))),
        None => Ok(None),
    }
}

/// Read one frame from a blocking stream. `limit` bounds its body.
pub(crate) fn read_frame(stream: &mut impl Read, limit: usize) -> Result<Frame, FrameError> {
    let (kind, body) = read_raw(stream, limit)?;
    decode_body(kind, &body)
}

/// The same in two steps, so that the arrival can be stamped before the decoding.
pub(crate) fn read_raw(stream: &mut impl Read, limit: usize) -> Result<(u8, Vec<u8>), FrameError> {
    let mut head = [0; HEAD_BYTES];
    loop {
        match stream.read(&mut head[..1]) {
            Ok(0) => return Err(FrameError::Closed),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(broken(error, FrameError::Closed)),
        }
    }
    stream.read_exact(&mut head[1..]).map_err(|error| broken(error, FrameError::Truncated))?;
    let (length, kind) = read_head(&head, limit)?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).map_err(|error| broken(error, FrameError::Truncated))?;
    Ok((kind, body))
}

/// The body of a frame of this kind.
pub(crate) fn decode_body(kind: u8, body: &[u8]) -> Result<Frame, FrameError> {
    match kind {
        JSON => decode_message(body),
        PING => {
            let [sequence] = words::<1>(body)?;
            Ok(Frame::Ping { sequence: sequence as u32 })
        }
        PONG => {
            let [sequence, received, sent] = words::<3>(body)?;
            Ok(Frame::Pong {
                sequence: sequence as u32,
                received: Ticks(received),
                sent: Ticks(sent),
            })
        }
        CHUNK => decode_chunk(body),
        kind => Err(FrameError::UnknownKind { kind }),
    }
}

impl Frame {
    /// The frame as bytes.
    ///
    /// # Errors
    /// When it is longer than the other side would accept.
    pub fn encode(&self) -> Result<Vec<u8>, FrameError> {
        let mut bytes = vec![0; HEAD_BYTES];
        let (kind, limit) = match self {
            Frame::Message(message) => {
                serde_json::to_writer(&mut bytes, message)
                    .map_err(|error| malformed(error.to_string()))?;
                (JSON, limit_of(message))
            }
            Frame::Ping { sequence } => {
                bytes.extend_from_slice(&u64::from(*sequence).to_le_bytes());
                (PING, SMALL_BODY_BYTES_MAX)
            }
            Frame::Pong { sequence, received, sent } => {
                for word in [u64::from(*sequence), received.0, sent.0] {
                    bytes.extend_from_slice(&word.to_le_bytes());
                }
                (PONG, SMALL_BODY_BYTES_MAX)
            }
            Frame::Chunk(chunk) => {
                encode_chunk(chunk, &mut bytes)?;
                (CHUNK, BODY_BYTES_MAX)
            }
        };
        let length = bytes.len() - HEAD_BYTES;
        if length > limit {
            return Err(FrameError::Oversized { bytes: length, limit });
        }
        bytes[..4].copy_from_slice(&(length as u32).to_le_bytes());
        bytes[4] = kind;
        Ok(bytes)
    }
}

fn read_head(head: &[u8; HEAD_BYTES], limit: usize) -> Result<(usize, u8), FrameError> {
    let bytes = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if bytes > limit { Err(FrameError::Oversized { bytes, limit }) } else { Ok((bytes, head[4])) }
}

fn decode_message(body: &[u8]) -> Result<Frame, FrameError> {
    let message: Message =
        serde_json::from_slice(body).map_err(|error| malformed(error.to_string()))?;
    let limit = limit_of(&message);
    if body.len() > limit {
        return Err(FrameError::Oversized { bytes: body.len(), limit });
    }
    Ok(Frame::Message(message))
}

fn limit_of(message: &Message) -> usize {
    if message.may_be_large() { BODY_BYTES_MAX } else { SMALL_BODY_BYTES_MAX }
}

fn words<const N: usize>(body: &[u8]) -> Result<[u64; N], FrameError> {
    if body.len() != N * size_of::<u64>() {
        return Err(malformed(format!(
            "{} bytes where {} are due",
            body.len(),
            N * size_of::<u64>()
        )));
    }
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(body.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    Ok(words)
}

/// Offset 8, whole 1, length of the name 1, name, bytes.
fn encode_chunk(chunk: &LogChunk, out: &mut Vec<u8>) -> Result<(), FrameError> {
    let name_bytes =
        u8::try_from(chunk.name.len()).map_err(|_| malformed("a long file name".into()))?;
    out.extend_from_slice(&chunk.offset.to_le_bytes());
    out.push(u8::from(chunk.whole));
    out.push(name_bytes);
    out.extend_from_slice(chunk.name.as_bytes());
    out.extend_from_slice(&chunk.bytes);
    Ok(())
}

fn decode_chunk(body: &[u8]) -> Result<Frame, FrameError> {
    let short = || malformed("a short log chunk".into());
    let (offset, rest) = body.split_first_chunk::<8>().ok_or_else(short)?;
    let ([whole, name_bytes], rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
    let (name, bytes) = rest.split_at_checked(usize::from(*name_bytes)).ok_or_else(short)?;
    let name =
        std::str::from_utf8(name).map_err(|_| malformed("a file name that is not UTF-8".into()))?;
    Ok(Frame::Chunk(LogChunk {
        name: name.to_owned(),
        offset: u64::from_le_bytes(*offset),
        whole: *whole != 0,
        bytes: bytes.to_vec(),
    }))
}

fn malformed(what: String) -> FrameError {
    FrameError::Malformed { what }
}

fn broken(error: std::io::Error, ended: FrameError) -> FrameError {
    match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => ended,
        _ => FrameError::Io { source: error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn frames() -> Vec<Frame> {
        let outcome = json!({ "messages": 10, "name": "x".repeat(SMALL_BODY_BYTES_MAX) });
        let chunk = LogChunk {
            name: "launch-0-node-1.log".into(),
            offset: 7,
            whole: false,
            bytes: vec![1, 2, 3],
        };
        vec![
            Frame::Message(Message::Go),
            Frame::Message(Message::Progress {
                done: u64::MAX,
                goal: 0,
                status: serde_json::Value::Null,
            }),
            Frame::Message(Message::Progress {
                done: 1,
                goal: 0,
                status: serde_json::json!({ "gvt": 1.5 }),
            }),
            Frame::Message(Message::Done { outcome }),
            Frame::Message(Message::Release { more: true }),
            Frame::Ping { sequence: 5 },
            Frame::Pong { sequence: 6, received: Ticks(u64::MAX), sent: Ticks(1) },
            Frame::Chunk(chunk),
        ]
    }

    #[test]
    fn frames_survive_the_wire_one_after_another() {
        let bytes: Vec<u8> = frames().iter().flat_map(|frame| frame.encode().unwrap()).collect();
        let mut stream = &bytes[..];
        for frame in frames() {
            assert_eq!(read_frame(&mut stream, BODY_BYTES_MAX).unwrap(), frame);
        }
        assert!(matches!(read_frame(&mut stream, BODY_BYTES_MAX), Err(FrameError::Closed)));
    }

    #[test]
    fn a_frame_cut_anywhere_is_not_all_there() {
        for frame in frames() {
            let bytes = frame.encode().unwrap();
            for cut in [0, 1, HEAD_BYTES - 1, HEAD_BYTES, bytes.len() - 1] {
                assert!(cut == bytes.len() || decode_control(&bytes[..cut]).unwrap().is_none());
                let expected_closed = cut == 0;
                let error = read_frame(&mut &bytes[..cut], BODY_BYTES_MAX).unwrap_err();
                assert_eq!(matches!(error, FrameError::Closed), expected_closed, "{error}");
            }
            assert_eq!(decode_control(&bytes).unwrap(), Some((frame, bytes.len())));
        }
    }

    #[test]
    fn what_is_too_long_is_refused_before_it_is_read() {
        let head = [&u32::MAX.to_le_bytes()[..], &[JSON]].concat();
        assert!(matches!(decode_control(&head), Err(FrameError::Oversized { .. })));
        let long = Message::Failed { reason: "x".repeat(SMALL_BODY_BYTES_MAX) };
        assert!(matches!(Frame::Message(long).encode(), Err(FrameError::Oversized { .. })));
        let huge = Message::Done { outcome: json!("x".repeat(BODY_BYTES_MAX)) };
        assert!(matches!(Frame::Message(huge).encode(), Err(FrameError::Oversized { .. })));
    }

    #[test]
    fn a_small_message_in_a_large_frame_is_refused() {
        let padded = format!("{{\"type\":\"go\"{}}}", " ".repeat(SMALL_BODY_BYTES_MAX));
        assert!(matches!(decode_body(JSON, padded.as_bytes()), Err(FrameError::Oversized { .. })));
        assert_eq!(decode_body(JSON, b"{\"type\":\"go\"}").unwrap(), Frame::Message(Message::Go));
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = format!("{{\"type\":\"done\",\"outcome\":{}", "[".repeat(BODY_BYTES_MAX / 2));
        assert!(matches!(decode_body(JSON, deep.as_bytes()), Err(FrameError::Malformed { .. })));
    }

    proptest! {
        #[test]
        fn no_bytes_make_decoding_panic(
            kind in 0u8..6, body in proptest::collection::vec(any::<u8>(), 0..64), raw: Vec<u8>,
        ) {
            let framed = [&(body.len() as u32).to_le_bytes()[..], &[kind], &body[..]].concat();
            for bytes in [framed, raw] {
                if let Ok(Some((frame, used))) = decode_control(&bytes) {
                    prop_assert!(used <= bytes.len());
                    let again = decode_control(&frame.encode().unwrap()).unwrap();
                    prop_assert_eq!(again.map(|(again, _)| again), Some(frame));
                }
            }
        }
    }
}
