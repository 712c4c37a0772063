//! What is gathered of the calls of MPI ranks: where each rank's time went, which functions took
//! it, how far apart ranks entered collectives, and what ranks did during the longest waits.
//!
//! Rows of a rank come in the order of entering, ranks in any order. Memory grows with the ranks
//! and the functions, and up to a bound with the collectives.

mod collectives;
mod doing;
mod functions;
mod lanes;
mod places;

use record::{NULL, Values};

use calls::cause::Cause;

use crate::blocked_calls::BlockedCall;
use crate::found::{Activity, Calls, WorstWait};

use crate::functions::{collective_blocks, is_one_sided};
use collectives::Collectives;
use doing::Meanwhile;
pub(crate) use doing::Spent;
use functions::Functions;
use lanes::Lanes;
use places::Places;

/// What is known of a function by its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, `MPI_Send`.
    pub name: String,
    /// What a rank does in it.
    pub activity: Activity,
    /// Whether a rank leaves it only when its part is done.
    pub blocks: bool,
}

/// Rows of one rank's table of calls: a value a row in each column, [`NULL`] for none.
#[derive(Clone, Copy, Debug)]
pub struct CallColumns<'a> {
    /// How many there are.
    pub rows: usize,
    /// When it was entered, ns on the timeline.
    pub enter: Values<'a>,
    /// When it was left; null for never.
    pub exit: Values<'a>,
    /// Function, by its place among those that the tally was made with.
    pub call: Values<'a>,
    /// Communicator.
    pub communicator: Values<'a>,
    /// How many bytes the call names; null where it names none.
    pub bytes: Values<'a>,
    /// Polls put together; null for an ordinary call.
    pub polls: Values<'a>,
    /// Place that called it.
    pub site: Values<'a>,
    /// Thread.
    pub thread: Values<'a>,
}

/// All that was gathered of calls.
pub struct CallTally {
    functions: Functions,
    lanes: Lanes,
    collectives: Collectives,
    meanwhile: Meanwhile,
    places: Places,
    names: Vec<Function>,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallRow {
    pub enter: i64,
    /// `None` for a call that was never left.
    pub exit: Option<i64>,
    code: usize,
    communicator: i64,
    bytes: u64,
    polls: Option<u64>,
    site: Option<i64>,
    thread: i64,
    activity: Activity,
}

impl CallTally {
    /// A tally of calls of these functions, which will also say what ranks did during these waits.
    pub fn new(functions: Vec<Function>, worst: &[WorstWait]) -> CallTally {
        CallTally {
            functions: Functions::new(functions.len()),
            lanes: Lanes::default(),
            collectives: Collectives::default(),
            meanwhile: Meanwhile::new(worst),
            places: Places::default(),
            names: functions,
        }
    }

    /// Take in the next rows of a rank. Rows of a code that no function has are left out.
    pub fn add(&mut self, rank: u32, columns: &CallColumns) {
        self.add_each(rank, columns, |_| {});
    }

    /// The same, and hand over each call.
    pub(crate) fn add_each(
        &mut self,
        rank: u32,
        columns: &CallColumns,
        mut each: impl FnMut(&CallRow),
    ) {
        let CallTally { functions, lanes, collectives, meanwhile, names, .. } = self;
        let lane = lanes.rank(rank);
        let mut stretches = meanwhile.of(rank, columns);
        for call in (0..columns.rows).filter_map(|at| row(names, columns, at)) {
            each(&call);
            functions.add(&call);
            lane.add(&call);
            stretches.iter_mut().for_each(|stretch| stretch.add(&call));
            if call.activity == Activity::Collective && call.communicator != NULL {
                collectives.add(rank, &call);
            }
        }
    }

    /// Take in a blocked call of a rank whose calls are in already.
    pub fn add_blocked(&mut self, call: &BlockedCall) {
        if call.cause == Cause::Collective && collective_blocks(call.function) {
            self.lanes.rank(call.rank).hold(call.from_ns, call.until_ns);
        }
    }

    /// Take in a blocked call by the place and the function of the call itself.
    pub fn add_blocked_at(&mut self, site: i64, function: i64, call: &BlockedCall) {
        self.places.add(site, function, call);
    }

    /// Take in what `other`, made for the same functions and messages, took in of other ranks.
    pub fn merge(&mut self, other: CallTally) {
        self.functions.merge(&other.functions);
        self.lanes.merge(other.lanes);
        self.collectives.merge(other.collectives);
        self.meanwhile.merge(other.meanwhile);
        self.places.merge(other.places);
    }

    /// What is shown of it, and the waits with what the ranks did that were waited for.
    pub fn finish(self, worst: &mut [WorstWait]) -> Calls {
        self.meanwhile.tell(&self.names, worst);
        let (mut collectives, collectives_left_out) = self.collectives.shown(&self.names);
        let functions = self.functions.shown(&self.names);
        let blocking = |name: &str| {
            let blocks = self.names.iter().any(|function| function.name == name && function.blocks);
            functions.iter().find(|function| blocks && function.name == name)
        };
        for one in &mut collectives {
            one.in_calls_ns = blocking(&one.name).map(|function| function.total_ns);
        }
        let in_one_sided: i64 = functions
            .iter()
            .filter(|function| is_one_sided(&function.name))
            .fold(0, |sum, function| sum.saturating_add(function.total_ns));
        let (ranks, shown) = self.lanes.shown();
        Calls {
            // Of the ranks together: see `alike`.
            kinds: Vec::new(),
            ranks,
            functions,
            collectives,
            collectives_left_out,
            one_sided_ns: in_one_sided.saturating_sub(self.places.one_sided_ns()),
            blocked_at: self.places.shown(),
            lanes: shown.lanes,
            slices_from_ns: shown.from_ns,
            slice_ns: shown.slice_ns,
        }
    }
}

/// A row of these columns; `None` where it is of no function.
// So that it is taken apart where it is made: hundreds of millions are, and it is large to hand on.
#[inline(always)]
fn row(names: &[Function], columns: &CallColumns, at: usize) -> Option<CallRow> {
    let value = |column: Values| Some(column.at(at)).filter(|&value| value != NULL);
    let code = usize::try_from(columns.call.at(at)).ok()?;
    let function = names.get(code)?;
    let polls = value(columns.polls).map(|polls| polls.max(0).unsigned_abs());
    Some(CallRow {
        enter: value(columns.enter)?,
        exit: value(columns.exit),
        code,
        communicator: columns.communicator.at(at),
        bytes: value(columns.bytes).map_or(0, |bytes| bytes.max(0).unsigned_abs()),
        polls,
        site: value(columns.site).filter(|&site| site != 0),
        thread: value(columns.thread).unwrap_or(0),
        activity: if polls.is_some() { Activity::Polling } else { function.activity },
    })
}

impl CallRow {
    /// How long it took, ns; 0 for a call that was never left.
    fn took(&self) -> i64 {
        self.exit.map_or(0, |exit| exit.saturating_sub(self.enter))
    }
}
