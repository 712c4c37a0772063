//! Every page that travels leaves a record with four stamps.
//!
//! A page out: ready when the pager wanted it gone, sent when its first byte was handed to the
//! socket, arrived when the server had it, taken when it was in its slot. A page in: ready when the
//! server had read the request, sent just before it answered, arrived when the answer was here,
//! taken when it was in the program's memory.

use super::site::Site;
use crate::RmemError;
use crate::about::ServerAbout;
use crate::link::StoreTimes;
use clock::{Clock, Exchange, Quality, best_offset};
use pager::PAGE_BYTES;
use record::{
    ArrivedClock, Column, How, Kind, Mode, NodeSheet, Recorder, RecorderOptions, Row, RunFolder,
    Schema, WhenFull,
};
use std::path::Path;

/// Stamps of a page on its way in, but the last.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub ready: u64,
    pub sent: u64,
    pub arrived: u64,
}

/// Writes the rows of one process.
pub struct Scribe {
    writer: Option<Writer>,
    /// Pages that have arrived and are not taken yet.
    waiting: Vec<Row>,
    /// The program's node.
    node: u16,
    disk: u16,
    sequence: u64,
    pub outs: u64,
    pub ins: u64,
    pub parities: u64,
}

struct Writer {
    clock: Clock,
    folder: RunFolder,
    recorder: Recorder,
    /// Of the disk and the servers: they write no rows, but their sheets say what their clocks are.
    others: Vec<Recorder>,
}

/// For what others do not write.
const NO_ROWS: RecorderOptions =
    RecorderOptions { mode: Mode::Memory, capacity_rows: 1, when_full: WhenFull::Drop };

impl Scribe {
    /// One that only counts.
    pub fn counting() -> Scribe {
        Scribe {
            writer: None,
            waiting: Vec::new(),
            node: 0,
            disk: u16::MAX,
            sequence: 0,
            outs: 0,
            ins: 0,
            parities: 0,
        }
    }

    /// One that writes into the run at `path`. The program's process takes the first node number
    /// that is free, then come `servers` servers, and the disk.
    pub fn writing(
        path: &Path,
        clock: &Clock,
        quality: Quality,
        servers: usize,
    ) -> Result<Scribe, RmemError> {
        let failed = |error: record::RecordError| RmemError::Record { reason: error.to_string() };
        let folder = RunFolder::join(path).map_err(failed)?;
        let schema = Schema::new(&[Column::Batch]);
        let options = RecorderOptions {
            mode: Mode::Stream,
            capacity_rows: 1 << 16,
            when_full: WhenFull::Drop,
        };
        for node in (0..u32::from(u16::MAX)).step_by(servers + 2) {
            let sheet = NodeSheet::with_quality(0, node, clock, quality);
            let recorder = match folder.recorder(sheet.clone(), &schema, options) {
                Err(record::RecordError::NodeTaken { .. }) => continue,
                other => other.map_err(failed)?,
            };
            let disk = node + servers as u32 + 1;
            let disk_sheet = NodeSheet::with_quality(0, disk, clock, quality);
            let others = vec![folder.recorder(disk_sheet, &schema, NO_ROWS).map_err(failed)?];
            let writer = Writer { clock: *clock, folder, recorder, others };
            let (node, disk) = (node as u16, disk as u16);
            let mut scribe = Scribe::counting();
            (scribe.writer, scribe.node, scribe.disk) = (Some(writer), node, disk);
            return Ok(scribe);
        }
        Err(RmemError::Record { reason: "the run has too many processes".into() })
    }

    /// The node number of the configuration's server `server`.
    pub fn node_of(&self, server: usize) -> u16 {
        self.node + 1 + server as u16
    }

    /// A server is there: a sheet for it, so that its stamps can be put on the timeline.
    pub fn meet(&mut self, node: u16, about: &ServerAbout) -> Result<(), RmemError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let failed = |error: record::RecordError| RmemError::Record { reason: error.to_string() };
        let sheet = writer.recorder.sheet().of_another(u32::from(node), &about.process());
        if let Some(known) = writer.others.iter_mut().find(|other| other.sheet().node == sheet.node)
        {
            return known
                .update_sheet(|old| *old = NodeSheet { buffer: old.buffer.take(), ..sheet })
                .map_err(failed);
        }
        let schema = Schema::new(&[Column::Batch]);
        writer.others.push(writer.folder.recorder(sheet, &schema, NO_ROWS).map_err(failed)?);
        Ok(())
    }

    /// A page that was stored at a server.
    pub fn out(&mut self, kind: Kind, site: &Site, ready: u64, times: &StoreTimes, batch: usize) {
        self.push_out(kind, site.node, ready, times, batch);
    }

    /// A page that was stored on the disk.
    pub fn disk_out(&mut self, kind: Kind, ready: u64, times: &StoreTimes) {
        self.push_out(kind, self.disk, ready, times, 1);
    }

    fn push_out(&mut self, kind: Kind, to: u16, ready: u64, times: &StoreTimes, batch: usize) {
        match kind {
            Kind::Parity => self.parities += 1,
            _ => self.outs += 1,
        }
        let (node, stamps) = (self.node, [ready, times.sent, times.arrived, times.taken]);
        let row = self.row(kind, node, to, stamps, batch);
        if let Some(writer) = &mut self.writer {
            writer.recorder.push(&row);
        }
    }

    /// A page that has arrived. [`Scribe::taken`] says when it was in its place.
    pub fn incoming(&mut self, site: &Site, transfer: &Transfer, batch: usize) {
        self.push_in(site.node, transfer, batch);
    }

    /// The same from the disk.
    pub fn disk_in(&mut self, ready: u64, sent: u64, arrived: u64) {
        self.push_in(self.disk, &Transfer { ready, sent, arrived }, 1);
    }

    fn push_in(&mut self, from: u16, transfer: &Transfer, batch: usize) {
        self.ins += 1;
        let Transfer { ready, sent, arrived } = *transfer;
        let node = self.node;
        let row = self.row(Kind::PageIn, from, node, [ready, sent, arrived, 0], batch);
        if self.writer.is_some() {
            self.waiting.push(row);
        }
    }

    /// What has arrived is in its place now.
    pub fn taken(&mut self, now: u64) {
        let Some(writer) = &mut self.writer else { return };
        for mut row in self.waiting.drain(..) {
            row.taken = now;
            writer.recorder.push(&row);
        }
    }

    fn row(
        &mut self,
        kind: Kind,
        src: u16,
        dst: u16,
        [ready, sent, arrived, taken]: [u64; 4],
        batch: usize,
    ) -> Row {
        self.sequence += 1;
        Row {
            ready,
            sent,
            arrived,
            taken,
            seq: self.sequence,
            src,
            dst,
            kind,
            hops: 1,
            arrived_clock: ArrivedClock::Receiver,
            arrived_how: How::Observed,
            bytes: PAGE_BYTES as u64,
            packets: 0,
            in_flight: 0,
            queue_len: 0,
            batch: batch as u16,
        }
    }

    /// What is known of a server's clock. A sheet that cannot be written costs rows two stamps, and
    /// closing the run says so.
    pub fn synchronise(&mut self, node: u16, exchanges: &[Exchange]) {
        let Some(writer) = &mut self.writer else { return };
        let local = writer.recorder.sheet().quality.calibration();
        let own = writer.recorder.sheet().domain.clone();
        let Some(other) =
            writer.others.iter_mut().find(|other| other.sheet().node == u32::from(node))
        else {
            return;
        };
        if other.sheet().domain == own {
            return;
        }
        if let Ok(offset) = best_offset(exchanges, local, other.sheet().quality.calibration()) {
            let _ = other.update_sheet(|sheet| sheet.offsets.push(offset.reversed()));
        }
    }

    /// The program ends. Rows dropped for want of room are in the sheet.
    pub fn finish(&mut self) -> Result<(), RmemError> {
        let Some(Writer { clock, recorder, others, .. }) = self.writer.take() else {
            return Ok(());
        };
        for other in others {
            let anchor = other.sheet().anchors[0];
            // As above.
            let _ = other.finish(anchor);
        }
        let finished = recorder.finish(clock.anchor());
        finished.map(drop).map_err(|error| RmemError::Record { reason: error.to_string() })
    }
}

/// An engine that cannot begin, because a server or the disk refuses, has written no rows. Its
/// buffers would stay: whoever has started the program takes their names away with the run.
impl Drop for Scribe {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // What it failed for is said already.
            let _ = self.finish();
        }
    }
}
