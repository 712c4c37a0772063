//! A line that comes in pieces: its beginning and its end are kept.

/// Bytes of the end that are kept.
const TAIL: usize = 10;

/// A line so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<const KEPT: usize> {
    kept: [u8; KEPT],
    tail: [u8; TAIL],
    /// All its bytes.
    pub length: usize,
    /// A byte of it was 0.
    pub has_zero: bool,
}

impl<const KEPT: usize> Line<KEPT> {
    /// None of it.
    pub const EMPTY: Line<KEPT> =
        Line { kept: [0; KEPT], tail: [0; TAIL], length: 0, has_zero: false };

    /// Take bytes up to the end of the line: how many, and whether the line is whole.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = &bytes[..end.map_or(bytes.len(), |at| at + 1)];
        let from = self.length.min(KEPT);
        let room = (KEPT - from).min(taken.len());
        self.kept[from..from + room].copy_from_slice(&taken[..room]);
        let last = taken.len().min(TAIL);
        self.tail.copy_within(last.., 0);
        self.tail[TAIL - last..].copy_from_slice(&taken[taken.len() - last..]);
        self.length += taken.len();
        self.has_zero |= taken.contains(&0);
        (taken.len(), end.is_some())
    }

    /// As much of it as is kept.
    pub fn beginning(&self) -> &[u8] {
        &self.kept[..self.length.min(KEPT)]
    }

    /// Whether all of it is kept.
    pub fn is_kept(&self) -> bool {
        self.length <= KEPT
    }

    /// As much of it as is kept, without what ends a line.
    pub fn text(&self) -> &[u8] {
        without_end(self.beginning())
    }

    /// Whether it ends so.
    pub fn ends_with(&self, end: &[u8]) -> bool {
        let known = &self.tail[TAIL - self.length.min(TAIL)..];
        known.ends_with(end)
    }
}

/// A line without what ends it.
pub(super) fn without_end(line: &[u8]) -> &[u8] {
    let text = line.strip_suffix(b"\n").unwrap_or(line);
    text.strip_suffix(b"\r").unwrap_or(text)
}
