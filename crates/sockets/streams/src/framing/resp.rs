//! RESP2 and RESP3, the protocol of Redis: a message is a command or a reply. A command is an array
//! of bulk strings, or a plain line.
//!
//! Arrays may lie in arrays. No stack is needed to find the end: an array of n elements is n more
//! that are missing, wherever it lies.
//!
//! Each command has one reply, but for those after which replies come unasked, several, or none
//! (`SUBSCRIBE`, `MONITOR`, `SYNC`, `CLIENT REPLY` and their like): from there on order tells
//! nothing.

mod swift;

use super::line::{Line, without_end};
use super::reason::Reason;
use super::shared::Shared;
use super::step::{Class, Rule, Side, Step};

/// No line is longer: an error, a simple string, a command as a line.
const LINE_MAX: usize = 1 << 16;
/// No bulk string is longer, and no array has more elements.
const COUNT_MAX: u64 = 1 << 32;
/// Bytes of a line that are kept.
const KEPT: usize = 32;
/// Longer words name no command that matters here.
const WORD_MAX: usize = 16;

/// After these the n-th reply is not the n-th command's.
const WITHOUT_ORDER: &[&[u8]] = &[
    b"SUBSCRIBE",
    b"PSUBSCRIBE",
    b"SSUBSCRIBE",
    b"UNSUBSCRIBE",
    b"PUNSUBSCRIBE",
    b"SUNSUBSCRIBE",
    b"MONITOR",
    b"SYNC",
    b"PSYNC",
];

/// Its second word may say so, too: `CLIENT REPLY`.
const CLIENT: &[u8] = b"CLIENT";

/// Letters of the shortest of all these.
const SHORTEST: usize = {
    let (mut at, mut shortest) = (0, CLIENT.len());
    while at < WITHOUT_ORDER.len() {
        if WITHOUT_ORDER[at].len() < shortest {
            shortest = WITHOUT_ORDER[at].len();
        }
        at += 1;
    }
    shortest
};

/// Whether a command of this name, or its second word, says that order tells nothing.
#[inline]
fn is_special(name: &[u8]) -> bool {
    // Most names are shorter.
    name.len() >= SHORTEST && may_be_special(name)
}

fn may_be_special(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(CLIENT) || is_without_order(name)
}

fn is_without_order(name: &[u8]) -> bool {
    WITHOUT_ORDER.iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// In the middle of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resp {
    /// Elements that are missing; 0 between messages.
    missing: u64,
    phase: Phase,
    line: Line<KEPT>,
    class: Class,
    /// Of a command: words that are whole.
    words: u32,
    word: Word,
    is_client: bool,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Line,
    /// A word of a command that is looked at: so many bytes are missing.
    Word(u8),
    /// What ends a bulk string: bytes of it so far.
    End(u8),
}

/// A word of a command.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bytes: [u8; WORD_MAX],
    length: u8,
}

impl Word {
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(place) = self.bytes.get_mut(usize::from(self.length)) {
                *place = *byte;
                self.length += 1;
            }
        }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn is(&self, name: &[u8]) -> bool {
        self.text().eq_ignore_ascii_case(name)
    }
}

impl Rule for Resp {
    const NAME: &'static str = "resp";
    const HELP: &'static [&'static str] = &["Redis: a command, or a reply"];
    const ONE_FOR_ONE: bool = true;

    fn new(argument: Option<&str>) -> Option<Resp> {
        let resp = Resp {
            missing: 0,
            phase: Phase::Line,
            line: Line::EMPTY,
            class: Class::Paired,
            words: 0,
            word: Word::default(),
            is_client: false,
        };
        argument.is_none().then_some(resp)
    }

    fn run(&self, bytes: &[u8], side: Side, mut end: impl FnMut(usize)) -> usize {
        let mut taken = 0;
        if self.missing > 0 || self.line.length > 0 {
            return taken;
        }
        while let Some(whole) = match side {
            Side::Request => swift::command(&bytes[taken..], is_special),
            Side::Answer => swift::reply(&bytes[taken..]),
        } {
            taken += whole;
            end(taken);
        }
        taken
    }

    fn step(&mut self, bytes: &[u8], side: Side, _: &Shared) -> Step {
        match self.phase {
            Phase::Line => self.line(bytes, side),
            Phase::Word(missing) => {
                let taken = bytes.len().min(usize::from(missing));
                self.word.push(&bytes[..taken]);
                self.phase = match missing - taken as u8 {
                    0 => Phase::End(0),
                    missing => Phase::Word(missing),
                };
                Step::Took(taken)
            }
            Phase::End(have) if bytes[0] != b"\r\n"[usize::from(have)] => {
                Step::Stop(0, Reason::NotThis)
            }
            Phase::End(0) => {
                self.phase = Phase::End(1);
                Step::Took(1)
            }
            Phase::End(_) => self.bulk_is_whole(1, side),
        }
    }
}

impl Resp {
    fn line(&mut self, bytes: &[u8], side: Side) -> Step {
        if self.line.length == 0
            && let Some(end) = bytes.iter().take(KEPT).position(|byte| *byte == b'\n')
        {
            // The usual case, without keeping anything.
            return self.whole(bytes, end + 1, Whole::of(&bytes[..=end]), side);
        }
        let (taken, is_whole) = self.line.take(bytes);
        if !may_begin(self.line.beginning()[0], (side, self.missing == 0)) {
            return Step::Stop(0, Reason::NotThis);
        }
        if self.line.length > LINE_MAX {
            return Step::Stop(0, Reason::TooLong);
        }
        if !is_whole {
            return Step::Took(taken);
        }
        let line = std::mem::replace(&mut self.line, Line::EMPTY);
        let whole = Whole {
            kept: line.beginning(),
            is_kept: line.is_kept(),
            ends_well: line.ends_with(b"\r\n"),
            has_zero: line.has_zero,
        };
        self.whole(bytes, taken, whole, side)
    }

    /// A line is whole: so many of these bytes are the rest of it.
    fn whole(&mut self, bytes: &[u8], taken: usize, line: Whole<'_>, side: Side) -> Step {
        let is_first = self.missing == 0;
        let kind = line.kept[0];
        if !may_begin(kind, (side, is_first)) {
            return Step::Stop(0, Reason::NotThis);
        }
        if is_first {
            (self.missing, self.class, self.words) = (1, Class::Paired, 0);
            (self.word, self.is_client) = (Word::default(), false);
        }
        if kind.is_ascii_alphabetic() {
            return self.plain(taken, line);
        }
        self.typed((bytes, taken), line, (side, is_first))
            .unwrap_or_else(|reason| Step::Stop(0, reason))
    }

    /// A command that is a line.
    fn plain(&mut self, taken: usize, line: Whole<'_>) -> Step {
        if line.has_zero {
            return Step::Stop(0, Reason::NotThis);
        }
        let words = line.text().split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        for word in words.take(2) {
            self.word.push(word);
            self.word_is_whole();
        }
        self.element(taken)
    }

    /// A line that says what follows.
    fn typed(
        &mut self,
        (bytes, taken): (&[u8], usize),
        line: Whole<'_>,
        (side, is_first): (Side, bool),
    ) -> Result<Step, Reason> {
        if !line.ends_well {
            return Err(Reason::NotThis);
        }
        let kind = line.kept[0];
        match kind {
            b'$' | b'=' | b'!' => match line.count()? {
                None => Ok(self.element(taken)),
                Some(length) => Ok(self.bulk((bytes, taken), length, side)),
            },
            b'*' | b'~' | b'>' | b'%' | b'|' => {
                let each = if matches!(kind, b'%' | b'|') { 2 } else { 1 };
                let elements = line.count()?.unwrap_or(0) * each;
                if is_first && (kind == b'>' || side == Side::Request && elements == 0) {
                    // Nobody asked for it; and a command without words has no reply.
                    self.class = Class::Aside;
                }
                self.missing = self.missing.saturating_add(elements);
                // Attributes stand before a reply, and are none.
                Ok(if kind == b'|' { Step::Took(taken) } else { self.element(taken) })
            }
            _ => Ok(self.element(taken)),
        }
    }

    fn bulk(&mut self, (bytes, taken): (&[u8], usize), length: u64, side: Side) -> Step {
        let is_looked_at = side == Side::Request
            && (self.words == 0 || self.words == 1 && self.is_client)
            && (1..=WORD_MAX as u64).contains(&length);
        self.word = Word::default();
        let end = taken + length as usize;
        if bytes.get(end..end + 2) == Some(b"\r\n") {
            // The usual case: all of it is here.
            if is_looked_at {
                self.word.push(&bytes[taken..end]);
            }
            return self.bulk_is_whole(end + 2, side);
        }
        self.phase = if is_looked_at { Phase::Word(length as u8) } else { Phase::End(0) };
        match is_looked_at || length == 0 {
            true => Step::Took(taken),
            false => Step::Pass(taken, length),
        }
    }

    fn bulk_is_whole(&mut self, taken: usize, side: Side) -> Step {
        self.phase = Phase::Line;
        if side == Side::Request {
            self.word_is_whole();
        }
        self.element(taken)
    }

    /// A word of a command is whole.
    fn word_is_whole(&mut self) {
        let word = std::mem::take(&mut self.word);
        let is_without_order = match self.words {
            0 => is_without_order(word.text()),
            _ => self.is_client && word.is(b"REPLY"),
        };
        if is_without_order {
            self.class = Class::Last;
        }
        self.is_client = self.words == 0 && word.is(CLIENT);
        self.words = self.words.saturating_add(1);
    }

    /// An element is whole: the message, too, where none is missing then.
    fn element(&mut self, taken: usize) -> Step {
        self.missing -= 1;
        match self.missing {
            0 => Step::End(taken, self.class),
            _ => Step::Took(taken),
        }
    }
}

/// Whether a line may begin like this.
fn may_begin(kind: u8, (side, is_first): (Side, bool)) -> bool {
    match (side, is_first) {
        (Side::Request, true) => kind == b'*' || kind.is_ascii_alphabetic(),
        (Side::Request, false) => kind == b'$',
        (Side::Answer, _) => b"+-:$*_#,(!=%~>|".contains(&kind),
    }
}

/// A line that is there to its end.
struct Whole<'a> {
    /// Its beginning.
    kept: &'a [u8],
    /// That is all of it.
    is_kept: bool,
    ends_well: bool,
    has_zero: bool,
}

impl<'a> Whole<'a> {
    fn of(line: &'a [u8]) -> Whole<'a> {
        let ends_well = line.ends_with(b"\r\n");
        Whole { kept: line, is_kept: true, ends_well, has_zero: line.contains(&0) }
    }

    /// As much of it as is kept, without what ends a line.
    fn text(&self) -> &'a [u8] {
        without_end(self.kept)
    }

    /// The number in it; `None` for −1, which stands for nothing.
    fn count(&self) -> Result<Option<u64>, Reason> {
        let digits = &self.text()[1..];
        if !self.is_kept || digits.is_empty() {
            return Err(Reason::NotThis);
        }
        if digits == b"-1" {
            return Ok(None);
        }
        let mut count: u64 = 0;
        for digit in digits {
            if !digit.is_ascii_digit() {
                return Err(Reason::NotThis);
            }
            count = count.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
        }
        if count > COUNT_MAX { Err(Reason::TooLong) } else { Ok(Some(count)) }
    }
}
