//! The live log: rows as raw ticks, appended while a run goes on.
//!
//! A head names the format and the columns; chunks of whole rows follow, each with its length and a
//! checksum, so that a log that was cut off, or damaged in the middle, gives back every other row.
//! Every part is a multiple of 8 bytes long, which is what lets a reader find the next chunk after
//! damage. docs/FORMAT.md has the layout byte by byte.

use crate::{Column, Schema};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

const MAGIC: [u8; 8] = *b"4STMPLOG";
const CHUNK_MAGIC: [u8; 4] = *b"ROWS";
/// Bytes of the head, with room for columns to come.
const HEAD_BYTES: usize = 64;
const CHUNK_HEAD_BYTES: usize = 24;
/// Most bytes of rows in one chunk: bounds what a reader must hold, and what damage costs.
const CHUNK_BYTES_MAX: usize = 1 << 20;

/// What the head of a log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogHead {
    /// Launch of the node.
    pub launch: u32,
    /// The node.
    pub node: u32,
    /// Columns of its rows.
    pub schema: Schema,
}

/// What was wrong with a log. None of it hides other rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogDamage {
    /// Places where something other than a sound chunk stood.
    pub chunks: u64,
    /// Rows missing between sound chunks.
    pub rows: u64,
    /// Whether the end was cut off in the middle of a chunk, as a kill leaves it.
    pub torn: bool,
}

/// Why a file is not a live log at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogHeadError {
    /// Wrong first bytes, checksum or contents.
    NotALog(&'static str),
    /// A newer program wrote it.
    TooNew(u32),
}

/// Appends rows to a log. After an error the file ends after its last whole chunk, and appending
/// may be tried again.
pub(crate) struct LogWriter {
    file: File,
    stride: usize,
    rows: u64,
    /// Length of the file up to its last whole chunk.
    sound_bytes: u64,
    buffer: Vec<u8>,
}

/// Reads a log's rows, whatever its state.
pub struct LogReader<R> {
    source: R,
    head: LogHead,
    window: Vec<u8>,
    /// What of `window` has been used.
    used: usize,
    ended: bool,
    next_row: u64,
    damage: LogDamage,
    in_damage: bool,
}

/// Most rows in one chunk of rows of `stride` words.
pub(crate) fn chunk_rows_max(stride: usize) -> usize {
    CHUNK_BYTES_MAX / (stride * size_of::<u64>())
}

impl LogHead {
    /// As the first bytes of a log.
    pub fn to_bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        let columns = self.schema.columns();
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&crate::FORMAT.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.launch.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.node.to_le_bytes());
        bytes[20] = columns.len() as u8;
        for (byte, column) in bytes[21..HEAD_BYTES - 4].iter_mut().zip(columns) {
            *byte = *column as u8;
        }
        let sum = crc32fast::hash(&bytes[..HEAD_BYTES - 4]);
        bytes[HEAD_BYTES - 4..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Read the head back.
    ///
    /// # Errors
    /// When the bytes are not the head of a log, or of a newer one.
    pub fn from_bytes(bytes: &[u8; HEAD_BYTES]) -> Result<LogHead, LogHeadError> {
        if bytes[..8] != MAGIC {
            return Err(LogHeadError::NotALog("does not begin like a live log"));
        }
        let format = le_u32(&bytes[8..]);
        if format > crate::FORMAT {
            return Err(LogHeadError::TooNew(format));
        }
        if crc32fast::hash(&bytes[..HEAD_BYTES - 4]) != le_u32(&bytes[HEAD_BYTES - 4..]) {
            return Err(LogHeadError::NotALog("has a damaged header"));
        }
        let codes = bytes[21..HEAD_BYTES - 4].get(..usize::from(bytes[20]));
        let columns =
            codes.and_then(|codes| codes.iter().map(|code| Column::from_code(*code)).collect());
        let columns: Vec<Column> =
            columns.ok_or(LogHeadError::NotALog("names columns that do not exist"))?;
        Ok(LogHead {
            launch: le_u32(&bytes[12..]),
            node: le_u32(&bytes[16..]),
            schema: Schema::new(&columns),
        })
    }
}

impl LogWriter {
    /// Begin a log in `file`, which must be empty.
    pub fn new(mut file: File, head: &LogHead) -> std::io::Result<LogWriter> {
        file.write_all(&head.to_bytes())?;
        let stride = head.schema.stride();
        Ok(LogWriter { file, stride, rows: 0, sound_bytes: HEAD_BYTES as u64, buffer: Vec::new() })
    }

    /// Append whole rows: at most [`chunk_rows_max`] of them.
    pub fn append(&mut self, rows: &[u64]) -> std::io::Result<()> {
        let count = rows.len() / self.stride;
        debug_assert!(count * self.stride == rows.len() && count <= chunk_rows_max(self.stride));
        self.buffer.clear();
        self.buffer.resize(CHUNK_HEAD_BYTES, 0);
        self.buffer.extend(rows.iter().flat_map(|word| word.to_le_bytes()));
        let sum = crc32fast::hash(&self.buffer[CHUNK_HEAD_BYTES..]);
        let head = chunk_head(count as u32, self.rows, sum);
        self.buffer[..CHUNK_HEAD_BYTES].copy_from_slice(&head);
        if let Err(error) = self.file.write_all(&self.buffer) {
            // Take half a chunk away again, so that what is tried next begins where this one did.
            let _ = self.file.set_len(self.sound_bytes);
            let _ = self.file.seek(SeekFrom::Start(self.sound_bytes));
            return Err(error);
        }
        self.rows += count as u64;
        self.sound_bytes += self.buffer.len() as u64;
        Ok(())
    }
}

/// `ROWS`, count, number of the first row, checksum of the rows, checksum of this head.
fn chunk_head(count: u32, first_row: u64, sum: u32) -> [u8; CHUNK_HEAD_BYTES] {
    let mut head = [0; CHUNK_HEAD_BYTES];
    head[..4].copy_from_slice(&CHUNK_MAGIC);
    head[4..8].copy_from_slice(&count.to_le_bytes());
    head[8..16].copy_from_slice(&first_row.to_le_bytes());
    head[16..20].copy_from_slice(&sum.to_le_bytes());
    let own = crc32fast::hash(&head[..20]);
    head[20..].copy_from_slice(&own.to_le_bytes());
    head
}

/// What the next bytes of a log are.
enum Next {
    Chunk { rows: usize, first_row: u64 },
    Damage,
    Torn,
    End,
}

impl<R: Read> LogReader<R> {
    /// Read the head.
    ///
    /// # Errors
    /// The outer error is the source's; the inner says why this is not a live log.
    pub fn new(mut source: R) -> std::io::Result<Result<LogReader<R>, LogHeadError>> {
        let mut bytes = [0; HEAD_BYTES];
        if let Err(error) = source.read_exact(&mut bytes) {
            let short = error.kind() == std::io::ErrorKind::UnexpectedEof;
            return if short {
                Ok(Err(LogHeadError::NotALog("is too short for a live log")))
            } else {
                Err(error)
            };
        }
        Ok(LogHead::from_bytes(&bytes).map(|head| LogReader {
            source,
            head,
            window: Vec::new(),
            used: 0,
            ended: false,
            next_row: 0,
            damage: LogDamage::default(),
            in_damage: false,
        }))
    }

    /// What the head says.
    pub fn head(&self) -> &LogHead {
        &self.head
    }

    /// What was wrong so far.
    pub fn damage(&self) -> LogDamage {
        self.damage
    }

    /// Number of the row after the last one read: rows that the node had handed to this log.
    pub fn next_row(&self) -> u64 {
        self.next_row
    }

    /// The next rows, as words, replacing what is in `out`. `false` at the end.
    ///
    /// # Errors
    /// Only the source's own: damage is skipped and counted.
    pub fn next_rows(&mut self, out: &mut Vec<u64>) -> std::io::Result<bool> {
        loop {
            self.fill(CHUNK_HEAD_BYTES + CHUNK_BYTES_MAX)?;
            match self.look() {
                Next::Chunk { rows, first_row } => {
                    self.take_chunk(rows, first_row, out);
                    return Ok(true);
                }
                Next::Damage => self.skip_damage(),
                Next::Torn => {
                    self.damage.torn = true;
                    return Ok(false);
                }
                Next::End => return Ok(false),
            }
        }
    }

    fn look(&self) -> Next {
        let rest = &self.window[self.used..];
        if rest.is_empty() {
            return Next::End;
        }
        let Some(head) = rest.get(..CHUNK_HEAD_BYTES) else {
            return Next::Torn;
        };
        let rows = le_u32(&head[4..]) as usize;
        let sound = head[..4] == CHUNK_MAGIC && crc32fast::hash(&head[..20]) == le_u32(&head[20..]);
        // A number of rows below the next one is a log that repeats itself: nothing writes that.
        let first_row = le_u64(&head[8..]);
        let stride = self.head.schema.stride();
        if !sound || rows == 0 || rows > chunk_rows_max(stride) || first_row < self.next_row {
            return Next::Damage;
        }
        let bytes = rows * stride * size_of::<u64>();
        match rest.get(CHUNK_HEAD_BYTES..CHUNK_HEAD_BYTES + bytes) {
            None => Next::Torn,
            Some(body) if crc32fast::hash(body) != le_u32(&head[16..]) => Next::Damage,
            Some(_) => Next::Chunk { rows, first_row },
        }
    }

    fn take_chunk(&mut self, rows: usize, first_row: u64, out: &mut Vec<u64>) {
        let begin = self.used + CHUNK_HEAD_BYTES;
        let end = begin + rows * self.head.schema.stride() * size_of::<u64>();
        out.clear();
        out.extend(self.window[begin..end].chunks_exact(size_of::<u64>()).map(le_u64));
        self.used = end;
        self.damage.rows = self.damage.rows.saturating_add(first_row - self.next_row);
        self.next_row = first_row.saturating_add(rows as u64);
        self.in_damage = false;
    }

    fn skip_damage(&mut self) {
        if !self.in_damage {
            self.damage.chunks += 1;
            self.in_damage = true;
        }
        let rest = &self.window[self.used..];
        let step = size_of::<u64>();
        let next =
            (step..rest.len()).step_by(step).find(|at| rest[*at..].starts_with(&CHUNK_MAGIC));
        self.used += next.unwrap_or(rest.len());
    }

    /// Have at least `bytes` unused bytes in the window, or all that there are.
    fn fill(&mut self, bytes: usize) -> std::io::Result<()> {
        if self.ended || self.window.len() - self.used >= bytes {
            return Ok(());
        }
        self.window.drain(..self.used);
        self.used = 0;
        let wanted = 2 * bytes - self.window.len();
        let got = (&mut self.source).take(wanted as u64).read_to_end(&mut self.window)?;
        self.ended = got < wanted;
        Ok(())
    }
}

fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

fn le_u64(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests;
