//! The table of a rank's calls, which is written as its log is read.

use crate::CloseError;
use crate::event::{End, Event, Open};
use crate::groups::Seen;
use crate::table::{CALL_COLUMNS, CallColumn};
use record::{NULL, SideWriter};

/// Rows put together before they become columns.
const ROWS: usize = 256;

/// A row: a number for each of [`CALL_COLUMNS`].
type CallRow = [i64; CALL_COLUMNS.len()];

/// A table that is being written.
pub(crate) struct CallTable {
    writer: SideWriter,
    rows: Vec<CallRow>,
}

impl CallTable {
    /// Write into this file.
    pub fn new(writer: SideWriter) -> CallTable {
        CallTable { writer, rows: Vec::new() }
    }

    /// The next call, and its communicator as the rank sees it.
    #[inline]
    pub fn push(&mut self, event: &Event, seen: Option<&Seen>) -> Result<(), CloseError> {
        self.rows.push(call_row(event, seen));
        if self.rows.len() < ROWS { Ok(()) } else { self.hand_on() }
    }

    /// Complete the file.
    pub fn finish(mut self) -> Result<(), CloseError> {
        self.hand_on()?;
        self.writer.finish()?;
        Ok(())
    }

    fn hand_on(&mut self) -> Result<(), CloseError> {
        self.writer.push_rows(&self.rows)?;
        self.rows.clear();
        Ok(())
    }
}

/// A call as a row of the table of calls.
#[inline]
fn call_row(event: &Event, seen: Option<&Seen>) -> CallRow {
    let call = &event.call;
    let mut row = [NULL; CALL_COLUMNS.len()];
    let mut put = |column: CallColumn, value: i64| row[column as usize] = value;
    put(CallColumn::Enter, event.enter);
    put(CallColumn::Exit, event.exit);
    put(CallColumn::Call, i64::from(call.operation));
    put(CallColumn::Thread, i64::from(call.thread));
    if call.has_message() {
        put(CallColumn::Communicator, seen.map_or(NULL, |seen| i64::from(seen.global)));
        put(CallColumn::Peer, peer_of(event, seen));
        // Of an epoch's group it is the rank's own number, which says nothing to anybody else.
        put(CallColumn::Tag, if call.is_one_sided() { NULL } else { i64::from(call.tag) });
        put(CallColumn::Bytes, call.bytes as i64);
    }
    if call.request != 0 && !matches!(event.ended.how, End::Never | End::Open) {
        put(CallColumn::DoneIn, event.ended.row);
    }
    if call.is_polls() {
        put(CallColumn::Polls, i64::from(call.request));
    }
    if call.site != 0 {
        put(CallColumn::Site, i64::from(call.site));
    }
    row
}

/// World rank of a call's peer; −2 if it posted a receive for any source, null for none. Of a probe
/// it is the one that it found.
fn peer_of(event: &Event, seen: Option<&Seen>) -> i64 {
    let call = &event.call;
    let open = call.posts_receive() && Open::of(call).source;
    if open || call.peer == crate::entry::ANY_PEER {
        return i64::from(crate::entry::ANY_PEER);
    }
    seen.and_then(|seen| seen.world_rank(call.peer)).map_or(NULL, i64::from)
}
