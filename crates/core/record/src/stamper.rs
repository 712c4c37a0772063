//! For a program with messaging of its own: four stamps in a few lines.
//!
//! The sender takes `ready` and `sent` and puts a 32-byte [`Header`] before its message; the
//! receiver takes `arrived` and hands the header to [`Stamper::taken`], which writes the record.
//! Where no header can be carried, both sides log their half ([`RunFolder::node_of_halves`]) and
//! closing the run joins them.
//!
//! ```
//! use fourstamp_record::{Header, Run, RunFolder, RunInfo};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run");
//! let run = RunFolder::create(&path, RunInfo::new("my-program"))?;
//! let sender = run.node(0)?; // in its own process: `RunFolder::join(&path)?.node(0)?`
//! let mut receiver = run.node(1)?;
//!
//! // Node 0 sends.
//! let ready = sender.now();
//! let message = b"hello";
//! let header = sender.header(1, ready, sender.now()).to_bytes();
//! // ... write `header`, then `message`, to the network ...
//!
//! // Node 1 has read both.
//! let arrived = receiver.now();
//! let header = Header::from_bytes(&header)?;
//! receiver.taken(&header, arrived, message.len() as u64);
//!
//! sender.finish()?;
//! receiver.finish()?;
//! run.close()?;
//! assert_eq!(Run::open(&path)?.rows(), 1);
//! # Ok(())
//! # }
//! ```

use crate::{
    ABSENT, Header, Kind, NodeSheet, RecordError, Recorder, RecorderOptions, Row, RunFolder, Schema,
};
use clock::{Clock, Ticks};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A node of a program's own: its clock and its record. Used by one thread at a time; for sending
/// from others, see [`Stamper::sender`].
pub struct Stamper {
    sender: StampSender,
    recorder: Recorder,
}

/// The sending side of a node: reads its clock and numbers its messages. Clone it for each thread
/// that sends.
#[derive(Clone)]
pub struct StampSender {
    clock: Clock,
    node: u16,
    seq: Arc<AtomicU64>,
}

impl RunFolder {
    /// Node `node` of this run, recorded as [`RecorderOptions::default`] says: streamed to disk,
    /// and what does not fit its buffer dropped and counted.
    ///
    /// # Errors
    /// When the node is recorded already, memory is short, or the folder cannot be written.
    pub fn node(&self, node: u16) -> Result<Stamper, RecordError> {
        self.stamper(node, false, RecorderOptions::default())
    }

    /// The same for messages that carry no header: see [`Stamper::log_sent`] and
    /// [`Stamper::log_received`].
    ///
    /// # Errors
    /// As [`RunFolder::node`].
    pub fn node_of_halves(&self, node: u16) -> Result<Stamper, RecordError> {
        self.stamper(node, true, RecorderOptions::default())
    }

    /// The same with all choices.
    ///
    /// # Errors
    /// As [`RunFolder::node`].
    pub fn stamper(
        &self,
        node: u16,
        halves: bool,
        options: RecorderOptions,
    ) -> Result<Stamper, RecordError> {
        let clock = Clock::best();
        let mut sheet = NodeSheet::new(0, u32::from(node), &clock);
        sheet.halves = halves;
        let recorder = self.recorder(sheet, &Schema::default(), options)?;
        Ok(Stamper { sender: StampSender { clock, node, seq: Arc::default() }, recorder })
    }
}

impl Stamper {
    /// Now, on this node's clock.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        self.sender.now()
    }

    /// The header for a message to node `dst`: see [`StampSender::header`].
    #[inline]
    pub fn header(&self, dst: u16, ready: Ticks, sent: Ticks) -> Header {
        self.sender.header(dst, ready, sent)
    }

    /// The sending side, for other threads.
    pub fn sender(&self) -> StampSender {
        self.sender.clone()
    }

    /// Record a message of `bytes` bytes that came with `header`, arrived at `arrived`, and is
    /// taken now.
    #[inline]
    pub fn taken(&mut self, header: &Header, arrived: Ticks, bytes: u64) {
        let taken = self.now();
        self.record(header, Some(arrived), taken, bytes);
    }

    /// Record a message whose moment of arrival is not known, or was before its moment of being
    /// taken by more than this call. A message within this node has no `arrived`.
    #[inline]
    pub fn record(&mut self, header: &Header, arrived: Option<Ticks>, taken: Ticks, bytes: u64) {
        self.recorder.push(&Row {
            ready: header.ready.0,
            sent: header.sent.0,
            arrived: arrived.map_or(ABSENT, |ticks| ticks.0),
            taken: taken.0,
            seq: header.seq,
            kind: header.kind,
            ..self.row(header.src, header.dst, bytes)
        });
    }

    /// Record the sender's half of a message without a header. Messages to one node must be logged
    /// in the order in which they are sent.
    #[inline]
    pub fn log_sent(&mut self, dst: u16, ready: Ticks, sent: Ticks, bytes: u64) {
        let header = self.header(dst, ready, sent);
        let row = self.row(header.src, dst, bytes);
        self.recorder.push(&Row { ready: ready.0, sent: sent.0, seq: header.seq, ..row });
    }

    /// Record the receiver's half of a message without a header. Messages from one node must be
    /// logged in the order in which they were sent.
    #[inline]
    pub fn log_received(&mut self, src: u16, arrived: Ticks, taken: Ticks, bytes: u64) {
        let row = self.row(src, self.sender.node, bytes);
        self.recorder.push(&Row { arrived: arrived.0, taken: taken.0, ..row });
    }

    /// The recorder, for its counts, its notes and rows of other kinds.
    pub fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// The node ends.
    ///
    /// # Errors
    /// When its last rows cannot be written: see [`Recorder::finish`].
    pub fn finish(self) -> Result<NodeSheet, RecordError> {
        self.recorder.finish(self.sender.clock.anchor())
    }

    fn row(&self, src: u16, dst: u16, bytes: u64) -> Row {
        // A row has 40 bits for the bytes: a terabyte.
        const BYTES_MAX: u64 = (1 << 40) - 1;
        Row { bytes: bytes.min(BYTES_MAX), ..Row::between(src, dst) }
    }
}

impl StampSender {
    /// Now, on this node's clock.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        self.clock.now()
    }

    /// The header for a message to node `dst` that was ready and is handed to the network at these
    /// times. Gives the message its number; change `kind` for one that is no data.
    #[inline]
    pub fn header(&self, dst: u16, ready: Ticks, sent: Ticks) -> Header {
        let seq = self.seq.fetch_add(1, Ordering::Relaxed);
        Header { kind: Kind::Data, src: self.node, dst, seq, ready, sent }
    }
}
