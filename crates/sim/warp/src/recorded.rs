//! A node that is watched: its rows, its committed events, its printed lines, each if asked for.

use crate::bill::Bill;
use crate::critical::Link;
use crate::rows::Rows;
use crate::samples::{Look, Sample, Samples};
use crate::sorted::{Line, SortedFile};
use crate::witness::{Taking, Witness};
use crate::{EventCosts, WarpError};
use record::Recorder;
use std::sync::Arc;
use std::time::Instant;
use timewarp::{Cause, Committed, ObjectId, Passage, RunError, VirtualTime, Watch, Work};

/// Writes down what it sees.
pub struct Recorded {
    rows: Option<Rows>,
    trace: Option<SortedFile<Committed>>,
    lines: SortedFile<Line>,
    links: Option<SortedFile<Link>>,
    samples: Option<Samples>,
    /// Where time is simulated.
    bill: Option<Bill>,
    /// Messages carry stamps although nothing is recorded, as those of a recorded run did.
    stamps_alone: bool,
    /// Of the event that is told next.
    causes: Vec<Cause>,
    made: Instant,
}

impl Recorded {
    /// Rows and the committed trace if they are asked for; lines always.
    pub fn new(
        rows: Option<Rows>,
        trace: Option<SortedFile<Committed>>,
        lines: SortedFile<Line>,
    ) -> Recorded {
        Recorded {
            rows,
            trace,
            lines,
            links: None,
            samples: None,
            bill: None,
            stamps_alone: false,
            causes: Vec::new(),
            made: Instant::now(),
        }
    }

    /// And the links of the critical path.
    pub fn with_links(self, links: SortedFile<Link>) -> Recorded {
        Recorded { links: Some(links), ..self }
    }

    /// And samples of the node's course.
    pub fn with_samples(self, samples: Samples) -> Recorded {
        Recorded { samples: Some(samples), ..self }
    }

    /// And what events cost in simulated time, on processors of this speed.
    pub fn with_costs(self, costs: Arc<dyn EventCosts>, speed: f64) -> Recorded {
        Recorded { bill: Some(Bill::new(costs, speed)), ..self }
    }

    /// And messages that carry stamps, as if they were recorded: they are longer.
    pub fn with_stamps(self) -> Recorded {
        Recorded { stamps_alone: true, ..self }
    }

    /// What the committed events take one after another, ns, where time is simulated.
    pub fn in_order_ns(&self) -> Option<u64> {
        self.bill.as_ref().map(Bill::in_order_ns)
    }

    /// Write what is left. The recorder, if there is one, is for the caller to finish.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn finish(self) -> Result<Option<Recorder>, WarpError> {
        self.trace.map_or(Ok(()), SortedFile::finish)?;
        self.links.map_or(Ok(()), SortedFile::finish)?;
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

    /// A message is made by the end of its event, and simulated time passes after the engine's
    /// call.
    #[inline]
    fn made(&mut self) -> u64 {
        self.now() + self.bill.as_ref().map_or(0, Bill::ahead_ns)
    }

    #[inline]
    fn clock_ns(&mut self) -> u64 {
        self.made.elapsed().as_nanos() as u64
    }

    #[inline]
    fn worked(&mut self, begin: u64, work: Work) {
        if let Some(rows) = &mut self.rows {
            rows.worked(begin, &work);
        }
        if let (Some(bill), Work::Execution { object, time, .. }) = (&mut self.bill, work) {
            bill.executed(object, time);
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
    fn caused(&mut self, cause: Cause) {
        self.causes.push(cause);
    }

    #[inline]
    fn committed(&mut self, event: Committed) {
        if let Some(bill) = &mut self.bill {
            bill.committed(event.object, event.time);
        }
        if let Some(links) = &mut self.links {
            let Committed { time, object, sent, dropped, spent_ns, .. } = event;
            let causes = std::mem::take(&mut self.causes);
            links.add(Link { time, object, spent_ns, sends: sent - dropped, causes });
        }
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
        if let Some(links) = &mut self.links {
            links.advance(gvt);
        }
        self.lines.advance(gvt);
    }
}

impl Witness for Recorded {
    #[inline]
    fn stamps(&self) -> bool {
        self.rows.is_some() || self.stamps_alone
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

    fn wants_sample(&self, elapsed_ns: u64, look: Look) -> bool {
        self.samples
            .as_ref()
            .is_some_and(|samples| look == Look::Always || samples.is_due(elapsed_ns))
    }

    fn sampled(&mut self, sample: &Sample) {
        if let Some(samples) = &mut self.samples {
            samples.add(sample);
        }
    }

    fn take_owed(&mut self) -> u64 {
        self.bill.as_mut().map_or(0, Bill::take_owed)
    }

    fn failure(&mut self) -> Option<WarpError> {
        let trace = self.trace.as_mut().and_then(SortedFile::failure);
        let links = || self.links.as_mut().and_then(SortedFile::failure);
        let samples = || self.samples.as_mut().and_then(Samples::failure);
        trace.or_else(links).or_else(samples).or_else(|| self.lines.failure()).or_else(|| {
            let error = self.rows.as_ref()?.failure()?;
            Some(RunError::Options { reason: error.to_string() }.into())
        })
    }
}
