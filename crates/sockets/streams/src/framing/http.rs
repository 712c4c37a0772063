//! HTTP/1.0 and HTTP/1.1 (RFC 9112): a message is a head and its body. The body's length comes from
//! `Content-Length` or chunks; an answer to HEAD, and one of 1xx, 204 or 304, has none; an answer
//! without a length is the rest of its connection.
//!
//! What contradicts itself, or is allowed only to the lenient, ends the framing: a head that two
//! readers would read in two ways is not read in one.

use super::line::Line;
use super::reason::Reason;
use super::shared::Shared;
use super::step::{Class, Rule, Side, Step};

/// No line of a head is longer.
const LINE_MAX: usize = 1 << 16;
/// No chunk is longer.
const CHUNK_MAX: u64 = 1 << 40;
/// A method is not longer.
const METHOD_MAX: usize = 24;

/// In the middle of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Http {
    phase: Phase,
    line: Line<64>,
    head: Head,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Fields,
    ChunkSize,
    /// What ends a chunk.
    ChunkEnd,
    Trailers,
    /// Another protocol.
    Left,
}

/// What a head has said so far.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// Of an answer.
    status: u16,
    method: Method,
    length: Option<u64>,
    coding: Coding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Method {
    #[default]
    Any,
    Head,
    Connect,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Coding {
    #[default]
    None,
    Chunked,
    Other,
}

impl Rule for Http {
    const NAME: &'static str = "http";
    const HELP: &'static [&'static str] = &["HTTP/1.1: a request or an answer, with its body"];
    const ONE_FOR_ONE: bool = true;

    fn new(argument: Option<&str>) -> Option<Http> {
        let http = Http { phase: Phase::Start, line: Line::EMPTY, head: Head::default() };
        argument.is_none().then_some(http)
    }

    fn step(&mut self, bytes: &[u8], side: Side, shared: &Shared) -> Step {
        let is_new = self.phase == Phase::Start && self.line.length == 0;
        let is_left = is_new && side == Side::Request && shared.is_upgraded();
        if is_left || self.phase == Phase::Left {
            return Step::Stop(0, Reason::Upgrade);
        }
        let (taken, is_whole) = self.line.take(bytes);
        if self.line.length > LINE_MAX {
            return Step::Stop(0, Reason::TooLong);
        }
        if self.line.has_zero || self.phase == Phase::Start && !may_begin(&self.line, side) {
            return Step::Stop(0, Reason::NotThis);
        }
        if !is_whole {
            return Step::Took(taken);
        }
        let line = std::mem::replace(&mut self.line, Line::EMPTY);
        self.next(taken, &line, (side, shared)).unwrap_or_else(|reason| Step::Stop(0, reason))
    }
}

impl Http {
    /// A line is whole.
    fn next(
        &mut self,
        taken: usize,
        line: &Line<64>,
        (side, shared): (Side, &Shared),
    ) -> Result<Step, Reason> {
        let is_empty = line.is_kept() && line.text().is_empty();
        match self.phase {
            // A line that is left over before a request.
            Phase::Start if is_empty => {}
            Phase::Start => {
                self.head = start(line, side)?;
                self.phase = Phase::Fields;
            }
            Phase::Fields if is_empty => {
                self.phase = Phase::Start;
                return match side {
                    Side::Request => self.request(taken, shared),
                    Side::Answer => self.answer(taken, shared),
                };
            }
            Phase::Fields => self.head.field(line)?,
            Phase::ChunkSize => match chunk_size(line)? {
                0 => self.phase = Phase::Trailers,
                size => {
                    self.phase = Phase::ChunkEnd;
                    return Ok(Step::Pass(taken, size));
                }
            },
            Phase::ChunkEnd if is_empty => self.phase = Phase::ChunkSize,
            Phase::ChunkEnd | Phase::Left => return Err(Reason::NotThis),
            Phase::Trailers if is_empty => {
                self.phase = Phase::Start;
                return Ok(Step::End(taken, Class::Paired));
            }
            Phase::Trailers => {}
        }
        Ok(Step::Took(taken))
    }

    /// The head of a request is whole.
    fn request(&mut self, taken: usize, shared: &Shared) -> Result<Step, Reason> {
        if !shared.ask(self.head.method != Method::Any) {
            return Err(Reason::ManyOpen);
        }
        if self.head.method == Method::Connect {
            shared.upgrade();
        }
        match self.head.coding {
            Coding::Other => Err(Reason::NotThis),
            Coding::Chunked => Ok(self.chunks(taken)),
            Coding::None => Ok(body(taken, self.head.length.unwrap_or(0))),
        }
    }

    /// The head of an answer is whole.
    fn answer(&mut self, taken: usize, shared: &Shared) -> Result<Step, Reason> {
        let status = self.head.status;
        if status / 100 == 1 && status != 101 {
            return Ok(Step::End(taken, Class::Aside));
        }
        let is_special = shared.answer().ok_or(Reason::Unasked)?;
        let is_tunnel = is_special && shared.is_upgraded() && shared.is_answered();
        if status == 101 || is_tunnel && status / 100 == 2 {
            shared.upgrade();
            self.phase = Phase::Left;
            return Ok(Step::End(taken, Class::Paired));
        }
        if is_special && !is_tunnel || matches!(status, 204 | 304) {
            return Ok(Step::End(taken, Class::Paired));
        }
        Ok(match (self.head.coding, self.head.length) {
            (Coding::Chunked, _) => self.chunks(taken),
            (Coding::None, Some(length)) => body(taken, length),
            (Coding::None | Coding::Other, _) => Step::Stop(taken, Reason::ToTheEnd),
        })
    }

    fn chunks(&mut self, taken: usize) -> Step {
        self.phase = Phase::ChunkSize;
        Step::Took(taken)
    }
}

fn body(taken: usize, length: u64) -> Step {
    match length {
        0 => Step::End(taken, Class::Paired),
        length => Step::PassToEnd(taken, length, Class::Paired),
    }
}

/// Whether a first line may go on like this.
fn may_begin(line: &Line<64>, side: Side) -> bool {
    let so_far = line.beginning();
    match side {
        Side::Answer => {
            const NAME: &[u8] = b"HTTP/1.";
            let shorter = so_far.len().min(NAME.len());
            so_far[..shorter] == NAME[..shorter]
        }
        Side::Request => {
            let is_end = |byte: &u8| matches!(byte, b' ' | b'\r' | b'\n');
            let method = so_far.split(is_end).next().unwrap_or_default();
            let may = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
            method.len() <= METHOD_MAX && method.iter().all(may)
        }
    }
}

/// The first line.
fn start(line: &Line<64>, side: Side) -> Result<Head, Reason> {
    let text = line.text();
    match side {
        Side::Answer => {
            let digits = text.get(8..12).and_then(|part| part.strip_prefix(b" "));
            let status = digits.and_then(number).filter(|status| (100..1000).contains(status));
            let status = status.ok_or(Reason::NotThis)? as u16;
            Ok(Head { status, ..Head::default() })
        }
        Side::Request => {
            if text.starts_with(b"PRI * HTTP/2.0") {
                return Err(Reason::Http2);
            }
            let ends = [&b" HTTP/1.1\n"[..], b"HTTP/1.1\r\n", b" HTTP/1.0\n", b"HTTP/1.0\r\n"];
            if !ends.iter().any(|end| line.ends_with(end)) {
                return Err(Reason::NotThis);
            }
            let method = match text.split(|byte| *byte == b' ').next() {
                Some(b"HEAD") => Method::Head,
                Some(b"CONNECT") => Method::Connect,
                _ => Method::Any,
            };
            Ok(Head { method, ..Head::default() })
        }
    }
}

impl Head {
    /// A line of the head.
    fn field(&mut self, line: &Line<64>) -> Result<(), Reason> {
        let text = line.text();
        let Some(colon) = text.iter().position(|byte| *byte == b':') else {
            // A name of more than the bytes that are kept is none that counts.
            return if line.is_kept() { Err(Reason::NotThis) } else { Ok(()) };
        };
        let (name, value) = (&text[..colon], text[colon + 1..].trim_ascii());
        // A line that goes on from the one before, or a name that readers differ about.
        if name.is_empty() || name.iter().any(u8::is_ascii_whitespace) {
            return Err(Reason::NotThis);
        }
        let is_length = name.eq_ignore_ascii_case(b"content-length");
        let is_coding = name.eq_ignore_ascii_case(b"transfer-encoding");
        if (is_length || is_coding) && !line.is_kept() {
            return Err(Reason::NotThis);
        }
        if is_length {
            let length = number(value).ok_or(Reason::NotThis)?;
            if self.length.replace(length).is_some_and(|other| other != length) {
                return Err(Reason::NotThis);
            }
        }
        if is_coding {
            let last = value.rsplit(|byte| *byte == b',').next().unwrap_or_default();
            let is_chunked = last.trim_ascii().eq_ignore_ascii_case(b"chunked");
            self.coding = if is_chunked { Coding::Chunked } else { Coding::Other };
        }
        Ok(())
    }
}

/// Decimal digits and nothing else.
fn number(digits: &[u8]) -> Option<u64> {
    let are_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| are_digits)?;
    text.parse().ok().filter(|number| *number <= i64::MAX as u64)
}

/// The size that stands before a chunk, with or without an extension.
fn chunk_size(line: &Line<64>) -> Result<u64, Reason> {
    let text = line.text();
    let digits = text.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let are_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| are_digits).ok_or(Reason::NotThis)?;
    let size = u64::from_str_radix(text, 16).map_err(|_| Reason::TooLong)?;
    if size > CHUNK_MAX { Err(Reason::TooLong) } else { Ok(size) }
}
