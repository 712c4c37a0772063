//! A node that is watched: its rows, its committed events, its printed lines, each if asked for.

use crate::WarpError;
use crate::rows::Rows;
use crate::sorted::{Line, SortedFile};
use crate::witness::{Taking, Witness};
use record::Recorder;
use timewarp::{Committed, ObjectId, Passage, RunError, VirtualTime, Watch, Work};

/// Writes down what it sees.
pub struct Recorded {
    rows: Option<Rows>,
    trace: Option<SortedFile<Committed>>,
    lines: SortedFile<Line>,
}

impl Recorded {
    /// Rows and the committed trace if they are asked for; lines always.
    pub fn new(
        rows: Option<Rows>,
        trace: Option<SortedFile<Committed>>,
        lines: SortedFile<Line>,
    ) -> Recorded {
        Recorded { rows, trace, lines }
    }

    /// Write what is left. The recorder, if there is one, is for the caller to finish.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn finish(self) -> Result<Option<Recorder>, WarpError> {
        self.trace.map_or(Ok(()), SortedFile::finish)?;
        self.lines.finish()?;
        Ok(self.rows.map(Rows::into_recorder))
    }

    /// What was recorded, also when the run has failed.
    pub fn into_recorder(self) -> Option<Recorder> {
        self.rows.map(Rows::into_recorder)
    }
}

impl Watch for Recorded {
    type Stamp = u64;

    #[inline]
    fn now(&mut self) -> u64 {
        self.rows.as_ref().map_or(0, Rows::now)
    }

    #[inline]
    fn worked(&mut self, begin: u64, work: Work) {
        if let Some(rows) = &mut self.rows {
            rows.worked(begin, &work);
        }
    }

    #[inline]
    fn within_node(&mut self, passage: Passage) {
        if let Some(rows) = &mut self.rows {
            rows.within_node(&passage);
        }
    }

    #[inline]
    fn took(&mut self, arrival: u64) {
        if let Some(rows) = &mut self.rows {
            rows.took(arrival);
        }
    }

    #[inline]
    fn committed(&mut self, event: Committed) {
        if let Some(trace) = &mut self.trace {
            trace.add(event);
        }
    }

    fn printed(&mut self, time: VirtualTime, object: ObjectId, line: &str) {
        self.lines.add(Line { time, object, text: line.to_string() });
    }

    fn advanced(&mut self, gvt: VirtualTime) {
        if let Some(trace) = &mut self.trace {
            trace.advance(gvt);
        }
        self.lines.advance(gvt);
    }
}

impl Witness for Recorded {
    #[inline]
    fn stamps(&self) -> bool {
        self.rows.is_some()
    }

    #[inline]
    fn ready(&self, made: u64) -> u64 {
        made
    }

    #[inline]
    fn numbers(&mut self, messages: u32) -> u64 {
        self.rows.as_mut().map_or(0, |rows| rows.numbers(messages))
    }

    #[inline]
    fn taking(&mut self, taking: &Taking<'_>) {
        if let Some(rows) = &mut self.rows {
            rows.taking(taking);
        }
    }

    fn failure(&mut self) -> Option<WarpError> {
        let trace = self.trace.as_mut().and_then(SortedFile::failure);
        trace.or_else(|| self.lines.failure()).or_else(|| {
            let error = self.rows.as_ref()?.failure()?;
            Some(RunError::Options { reason: error.to_string() }.into())
        })
    }
}
