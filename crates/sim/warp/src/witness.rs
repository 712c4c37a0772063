//! Who watches a node of the engine, as its driver needs to know it.

use crate::WarpError;
use crate::samples::{Look, Sample};
use crate::sorted::{Line, SortedFile};
use fabric::{NodeId, Stamps};
use std::time::Instant;
use timewarp::{ObjectId, Passage, VirtualTime, Watch};

/// A [`Watch`] that also knows what goes on between nodes.
pub trait Witness: Watch {
    /// Whether messages between nodes carry stamps. The same on all nodes of a run.
    fn stamps(&self) -> bool;

    /// The moment at which a parcel was made, in ticks.
    fn ready(&self, made: Self::Stamp) -> u64;

    /// So many messages to other nodes get numbers; returns the first.
    fn numbers(&mut self, messages: u32) -> u64;

    /// A parcel that carries stamps is taken, or will be once the engine says so.
    fn taking(&mut self, taking: &Taking<'_>);

    /// Whether the node is to be looked at, so long after its beginning.
    fn wants_sample(&self, elapsed_ns: u64, look: Look) -> bool;

    /// A look at it.
    fn sampled(&mut self, sample: &Sample);

    /// What the event sections since the last call take in simulated time, ns.
    fn take_owed(&mut self) -> u64 {
        0
    }

    /// What went wrong with the files that it writes; asked now and then.
    fn failure(&mut self) -> Option<WarpError>;
}

/// A parcel as its row needs it.
pub struct Taking<'a> {
    /// Who sent it.
    pub from: NodeId,
    /// Its number at its sender.
    pub number: u64,
    /// When it left the engine (the sender's clock).
    pub ready: u64,
    /// What the fabric knows of the frame that it came in.
    pub frame: &'a Stamps,
    /// Parcels in that frame.
    pub batch: u32,
    /// Its bytes in that frame: the first, and the one behind the last.
    pub span: (usize, usize),
    /// What it is; `None` for part of computing GVT.
    pub passage: Option<Passage>,
}

/// Keeps nothing but the lines that committed events print: there is no cost unless they do.
pub struct Quiet {
    lines: SortedFile<Line>,
    made: Instant,
}

impl Quiet {
    /// Lines go here.
    pub fn new(lines: SortedFile<Line>) -> Quiet {
        Quiet { lines, made: Instant::now() }
    }

    /// Write what is left.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn finish(self) -> Result<(), WarpError> {
        self.lines.finish()
    }
}

impl Watch for Quiet {
    type Stamp = ();

    #[inline]
    fn now(&mut self) {}

    #[inline]
    fn clock_ns(&mut self) -> u64 {
        self.made.elapsed().as_nanos() as u64
    }

    fn printed(&mut self, time: VirtualTime, object: ObjectId, line: &str) {
        self.lines.add(Line { time, object, text: line.to_string() });
    }

    #[inline]
    fn advanced(&mut self, gvt: VirtualTime) {
        self.lines.advance(gvt);
    }
}

impl Witness for Quiet {
    #[inline]
    fn stamps(&self) -> bool {
        false
    }

    #[inline]
    fn ready(&self, (): ()) -> u64 {
        record::ABSENT
    }

    #[inline]
    fn numbers(&mut self, _: u32) -> u64 {
        0
    }

    fn taking(&mut self, _: &Taking<'_>) {}

    #[inline]
    fn wants_sample(&self, _: u64, _: Look) -> bool {
        false
    }

    fn sampled(&mut self, _: &Sample) {}

    fn failure(&mut self) -> Option<WarpError> {
        self.lines.failure()
    }
}
