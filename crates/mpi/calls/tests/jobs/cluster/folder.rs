//! A run folder with the logs of a simulated cluster, closed and read back.

use super::log::{RankClock, RankLog};
use calls::cause::Cause;
use calls::entry::files::{TAIL_MAGIC, log_head};
use calls::table::{
    CallColumn, WaitColumn, calls_file, columns_in_file, wait_columns_in_file, waits_file,
};
use clock::{Anchor, Clock, Quality, Source, Ticks};
use record::{
    Batch, Field, How, NULL, NodeSheet, Run, RunFolder, RunId, RunInfo, SideColumn, SideReader,
};
use std::io::Write;
use std::path::Path;

/// A row of a messages file.
#[derive(Clone, Debug)]
pub struct Row {
    pub file: usize,
    pub src: usize,
    pub dst: usize,
    pub seq: i64,
    pub bytes: i64,
    pub ready: i64,
    pub arrived: i64,
    pub error: i64,
    pub how: Option<How>,
    pub taken: i64,
    pub posted: i64,
    pub awaited: i64,
    pub released: i64,
    pub tag: i64,
    pub communicator: i64,
    pub send_call: i64,
    pub receive_call: i64,
    pub wildcard: i64,
    pub probe_call: i64,
}

/// How a rank's words lie in its files.
#[derive(Clone, Copy, Debug)]
pub enum Left {
    /// All in the log.
    Log,
    /// The last so many in the tail; the log is longer by some that are in the tail too.
    Tail(usize),
}

/// Write the logs into a new run folder and close it.
pub fn close(path: &Path, logs: &[RankLog], left: impl Fn(usize) -> Left, end: i64) -> RunInfo {
    let folder = lay(path, logs, left, end);
    assert!(calls::close::has_logs(path));
    let info = calls::close::close(folder.begin_closing().unwrap()).unwrap();
    assert!(!calls::close::has_logs(path));
    info
}

/// Write the logs into a new run folder.
pub fn lay(path: &Path, logs: &[RankLog], left: impl Fn(usize) -> Left, end: i64) -> RunFolder {
    let folder = RunFolder::create(path, RunInfo::new("simulated")).unwrap();
    let origin = folder.info().origin.clone();
    for log in logs {
        let sheet = sheet(log.rank, log.clock, &origin, end);
        let stem = folder.live().join(sheet.stem());
        std::fs::write(stem.with_extension("json"), serde_json::to_vec(&sheet).unwrap()).unwrap();
        write_log(&stem, folder.info().id, log, left(log.rank));
    }
    folder
}

fn write_log(stem: &Path, run: Option<RunId>, log: &RankLog, left: Left) {
    let mut file = std::fs::File::create(stem.with_extension("calls")).unwrap();
    let mut put = |words: &[u64]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        file.write_all(&bytes).unwrap();
    };
    put(&log_head(log.rank as u32, run));
    match left {
        Left::Log => put(&log.words),
        Left::Tail(words) => {
            let at = log.words.len().saturating_sub(words);
            put(&log.words[..log.words.len().min(at + 3)]);
            let used = log.words.len() - at;
            let mut tail = vec![TAIL_MAGIC, 1, at as u64, used as u64, 0, 0, 0, 0];
            tail.extend(&log.words[at..]);
            tail.resize(tail.len() + 10, 0);
            let bytes: Vec<u8> = tail.iter().flat_map(|word| word.to_le_bytes()).collect();
            std::fs::write(stem.with_extension("tail"), bytes).unwrap();
        }
    }
}

/// A sheet whose clock puts the ticks of true time `t` at `t` on the timeline.
fn sheet(rank: usize, clock: RankClock, origin: &record::Origin, end: i64) -> NodeSheet {
    let quality = Quality {
        source: Source::MonotonicRaw,
        step_ns: 1.0,
        readings: 1,
        backward_steps: 0,
        read_cost_ns: 1.0,
        ns_per_tick: 1.0 / (1.0 + clock.drift_ppm * 1e-6),
        ppm_error: 1.0,
        calibration_ns: 0,
    };
    let mut sheet = NodeSheet::with_quality(0, rank as u32, &Clock::system(), quality);
    let anchor = |time: i64| Anchor {
        ticks: Ticks(clock.ticks(time)),
        half_width: 0,
        monotonic_raw_ns: origin.monotonic_raw_ns + time,
        realtime_ns: origin.realtime_ns + time,
    };
    sheet.anchors = vec![anchor(0), anchor(end.max(1_000_000))];
    if clock.host > 0 {
        sheet.boot_id = format!("host-{}", clock.host);
        sheet.domain = format!("host-{}/monotonic-raw", clock.host);
    }
    sheet.finished = true;
    sheet
}

/// Every row of a closed run, file by file.
pub fn rows(path: &Path) -> Vec<Row> {
    const FIELDS: [Field; 18] = [
        Field::Src,
        Field::Dst,
        Field::Seq,
        Field::Bytes,
        Field::ReadyNs,
        Field::ArrivedNs,
        Field::ArrivedErrorNs,
        Field::ArrivedHow,
        Field::TakenNs,
        Field::PostedNs,
        Field::AwaitedNs,
        Field::ReleasedNs,
        Field::Tag,
        Field::Communicator,
        Field::SendCall,
        Field::ReceiveCall,
        Field::Wildcard,
        Field::ProbeCall,
    ];
    let run = Run::open(path).unwrap();
    let mut rows = Vec::new();
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).unwrap();
        for at in 0..batch.rows() {
            let value = |field| batch.column(field).at(at);
            let how = value(Field::ArrivedHow);
            rows.push(Row {
                file: chunk.node() as usize,
                src: value(Field::Src) as usize,
                dst: value(Field::Dst) as usize,
                seq: value(Field::Seq),
                bytes: value(Field::Bytes),
                ready: value(Field::ReadyNs),
                arrived: value(Field::ArrivedNs),
                error: value(Field::ArrivedErrorNs),
                how: (how != NULL)
                    .then(|| [How::Observed, How::Bracketed, How::Modelled][how as usize]),
                taken: value(Field::TakenNs),
                posted: value(Field::PostedNs),
                awaited: value(Field::AwaitedNs),
                released: value(Field::ReleasedNs),
                tag: value(Field::Tag),
                communicator: value(Field::Communicator),
                send_call: value(Field::SendCall),
                receive_call: value(Field::ReceiveCall),
                wildcard: value(Field::Wildcard),
                probe_call: value(Field::ProbeCall),
            });
        }
    }
    rows
}

/// A row of a rank's table of blocked calls, with the call that it is about.
#[derive(Clone, Copy, Debug)]
pub struct WaitRow {
    pub rank: usize,
    pub call: i64,
    pub enter: i64,
    pub until: i64,
    pub cause: Cause,
    pub by: usize,
    pub seq: i64,
    /// Begin and end of the call in its own table.
    pub span: (i64, i64),
}

/// Every blocked call of a closed run, rank by rank.
pub fn waits(path: &Path, ranks: usize) -> Vec<WaitRow> {
    let mut all = Vec::new();
    for rank in 0..ranks {
        let file = |name: String| path.join(name);
        let spans = [CallColumn::Enter, CallColumn::Exit];
        let calls = table(&file(calls_file(0, rank as u32)), &columns_in_file(&spans));
        let waits = table(&file(waits_file(0, rank as u32)), &wait_columns_in_file());
        all.extend((0..waits[0].len()).map(|row| {
            let value = |column: WaitColumn| waits[column as usize][row];
            let call = value(WaitColumn::Call);
            WaitRow {
                rank,
                call,
                enter: value(WaitColumn::Enter),
                until: value(WaitColumn::Until),
                cause: Cause::of(value(WaitColumn::Cause)).unwrap(),
                by: value(WaitColumn::By) as usize,
                seq: value(WaitColumn::Seq),
                span: (calls[0][call as usize], calls[1][call as usize]),
            }
        }));
    }
    all
}

/// A side table, column by column.
fn table(path: &Path, columns: &[SideColumn]) -> Vec<Vec<i64>> {
    let mut reader = SideReader::open(path, columns).unwrap();
    let mut all = vec![Vec::new(); columns.len()];
    for group in 0..reader.groups() {
        let read = reader.read(group).unwrap();
        all.iter_mut().zip(read).for_each(|(all, read)| all.extend(read));
    }
    all
}
