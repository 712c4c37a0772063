//! Taking a run in, batch by batch, in any order and on as many threads as the caller likes.
//!
//! A thread has an accumulator; what they gathered is merged at the end. Memory does not grow with
//! the messages. Work per message is a handful of passes over columns; everything that messages are
//! grouped by is fed from counted batches (see [`tally`](crate::tally)).

use record::{Batch, Field, Kind};

use crate::analysis::Population;
use crate::blocks::{BlockPlan, Blocks, FileRows};
use crate::columns::{Columns, Picked};
use crate::compare::Sample;
use crate::cycles::Cycles;
use crate::filter::{Filter, Taken};
use crate::messages::Messages;
use crate::place::Place;
use crate::product::Tally;
use crate::sends::SendContext;
use crate::whole::Whole;
use crate::working::Working;

/// What an analysis must know beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Seed of the bootstrap draws: the same run and seed give the same intervals.
    pub seed: u64,
    /// Every messages file of the run. Rows of a file that is not here take part in all but
    /// intervals.
    pub files: Vec<FileRows>,
    /// How many of the slowest messages to keep.
    pub slowest: usize,
    /// Error bound of the difference between two nodes' clocks, ± ns; 0 when all share one clock.
    pub clock_error_ns: i64,
    /// Bootstrap resamples; 0 for no intervals.
    pub resamples: usize,
    /// Which messages the analysis is about.
    pub filter: Filter,
    /// Whether messages are calls of a traced program: handing over is the call itself, so that a
    /// send wait of 0 says nothing, and messages of different sizes are different messages, no
    /// sweep.
    pub traced: bool,
    /// The least pause between sends that the workload makes on purpose, ns, if it does.
    pub pause_ns: Option<i64>,
}

/// Where in the run a batch lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub launch: u32,
    /// Node whose file it is from.
    pub node: u32,
    /// Number of its first row within that file, counted from 0.
    pub first_row: u64,
}

/// Gathers what an [`Analysis`](crate::analysis::Analysis) is made of.
pub struct Accumulator {
    options: Options,
    gathered: Gathered,
    working: Working,
    picked: Picked,
    wanted: Wanted,
    /// Of products.
    tallies: Vec<Box<dyn Tally>>,
}

/// Memory for the messages that are wanted, used again from part to part.
#[derive(Default)]
struct Wanted {
    mask: Vec<bool>,
    rows: Vec<u32>,
    picked: Picked,
}

/// All that was gathered so far.
pub(crate) struct Gathered {
    /// All of the run's messages.
    pub whole: Whole,
    /// Those that the analysis is about.
    pub messages: Messages,
    pub cycles: Cycles,
    pub blocks: Blocks,
}

/// Rows that are worked on at a time, so that their stages stay in the second-level cache.
const PART_ROWS: u64 = 1 << 15;

/// What a row is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Message,
    Cycle,
    /// Work of a node, which only a product knows.
    Work,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 1,
            files: Vec::new(),
            slowest: 200,
            clock_error_ns: 0,
            resamples: 1000,
            filter: Filter::all(),
            traced: false,
            pause_ns: None,
        }
    }
}

impl Accumulator {
    /// An accumulator that has seen nothing.
    pub fn new(options: Options) -> Accumulator {
        Accumulator::with(options, Vec::new())
    }

    /// An accumulator that has seen nothing and feeds these tallies of products, too.
    pub fn with(options: Options, tallies: Vec<Box<dyn Tally>>) -> Accumulator {
        let blocks = Blocks::new(BlockPlan::new(&options.files));
        let messages = Messages::new(options.slowest, options.clock_error_ns);
        let gathered =
            Gathered { whole: Whole::default(), messages, cycles: Cycles::default(), blocks };
        Accumulator {
            options,
            gathered,
            working: Working::default(),
            picked: Picked::default(),
            wanted: Wanted::default(),
            tallies,
        }
    }

    /// Take in a batch. It should hold [`FIELDS`](crate::FIELDS); what depends on a column that it
    /// lacks is left out.
    pub fn add(&mut self, batch: &Batch, at: Position) {
        self.gathered.messages.anomalies.far_stamps += batch.far_stamps();
        self.add_columns(&Columns::of(batch), at);
    }

    /// Take in a batch given as columns. Each row of the run must come once, in any order of
    /// batches.
    pub fn add_columns(&mut self, columns: &Columns, at: Position) {
        self.working.begin_batch();
        let rows = columns.rows() as u64;
        let mut row = 0;
        while row < rows {
            let here = at.first_row + row;
            let block = self.gathered.blocks.plan.block(at.launch, at.node, here);
            let left_in_block = block.map_or(u64::MAX, |(_, next)| next - here);
            let end = row + left_in_block.min(PART_ROWS).min(rows - row);
            let place = Place { launch: at.launch, block: block.map(|(block, _)| block) };
            self.add_part(&columns.part(row as usize..end as usize), place);
            row = end;
        }
    }

    /// Take in what `other`, made with the same options, gathered.
    ///
    /// # Panics
    /// If the options differ: the two would not be of the same run.
    pub fn merge(&mut self, other: Accumulator) {
        assert!(self.options == other.options, "accumulators of one run have the same options");
        self.gathered.whole.merge(&other.gathered.whole);
        self.gathered.messages.merge(other.gathered.messages);
        self.gathered.cycles.merge(other.gathered.cycles);
        self.gathered.blocks.merge(&other.gathered.blocks);
        let tallies = self.tallies.iter_mut().zip(other.tallies);
        tallies.for_each(|(mine, theirs)| mine.merge(theirs));
    }

    /// How many messages there are, and how many of them the analysis is about.
    pub fn population(&self) -> Population {
        self.gathered.whole.population(&self.options.filter)
    }

    /// What of the messages so far takes part in a comparison.
    pub fn sample(&self) -> Sample {
        Sample::of(&self.gathered.blocks)
    }

    /// All that was gathered, what it was to be about, and the tallies of products.
    pub(crate) fn into_parts(self) -> (Gathered, Options, Vec<Box<dyn Tally>>) {
        (self.gathered, self.options, self.tallies)
    }

    /// Take in rows of one block: messages, cycles and work go apart.
    fn add_part(&mut self, columns: &Columns, place: Place) {
        if let Some(kind) = columns.shared(Field::Kind) {
            return self.add_sorted(sort(kind), columns, place);
        }
        let sort_of = |row: &u32| sort(columns.at(Field::Kind, *row as usize));
        let (messages, others): (Vec<u32>, Vec<u32>) =
            (0..columns.rows() as u32).partition(|row| sort_of(row) == Sort::Message);
        if others.is_empty() {
            return self.add_sorted(Sort::Message, columns, place);
        }
        let (cycles, work): (Vec<u32>, Vec<u32>) =
            others.into_iter().partition(|row| sort_of(row) == Sort::Cycle);
        let mut picked = std::mem::take(&mut self.picked);
        for (sort, rows) in [(Sort::Cycle, cycles), (Sort::Work, work), (Sort::Message, messages)] {
            if !rows.is_empty() {
                picked.pick(columns, &rows);
                self.add_sorted(sort, &picked.columns(), place);
            }
        }
        self.picked = picked;
    }

    fn add_sorted(&mut self, sort: Sort, columns: &Columns, place: Place) {
        match sort {
            Sort::Message => self.add_messages(columns, place),
            Sort::Cycle => self.add_cycles(columns, place),
            Sort::Work => {
                self.tallies.iter_mut().for_each(|tally| tally.add_work(columns, place.launch));
            }
        }
    }

    /// Of all messages some things are gathered; of those that the analysis is about, the rest.
    fn add_messages(&mut self, columns: &Columns, place: Place) {
        let Wanted { mask, rows, picked } = &mut self.wanted;
        let Gathered { whole, messages, blocks, .. } = &mut self.gathered;
        let taken = self.options.filter.select(columns, mask);
        let context = SendContext { launch: place.launch, pause_ns: self.options.pause_ns };
        whole.add(columns, taken, mask, context, &mut self.working.last_sends);
        self.tallies.iter_mut().for_each(|tally| tally.add_all(columns));
        match taken {
            Taken::None => {}
            Taken::All => {
                whole.add_taken(columns);
                messages.add(columns, place, blocks, &mut self.working);
                self.tallies.iter_mut().for_each(|tally| tally.add_taken(columns));
            }
            Taken::Some => {
                rows.clear();
                rows.extend(
                    (0_u32..).zip(mask.iter()).filter(|(_, taken)| **taken).map(|(row, _)| row),
                );
                picked.pick(columns, rows);
                whole.add_taken(&picked.columns());
                messages.add(&picked.columns(), place, blocks, &mut self.working);
                self.tallies.iter_mut().for_each(|tally| tally.add_taken(&picked.columns()));
            }
        }
    }

    fn add_cycles(&mut self, columns: &Columns, place: Place) {
        let Wanted { rows, picked, .. } = &mut self.wanted;
        let Gathered { cycles, blocks, .. } = &mut self.gathered;
        let takes = |row: &u32| self.options.filter.takes_cycle(columns, *row as usize);
        rows.clear();
        rows.extend((0..columns.rows() as u32).filter(takes));
        if rows.len() == columns.rows() {
            cycles.add(columns, place, blocks, &mut self.working);
        } else if !rows.is_empty() {
            picked.pick(columns, rows);
            cycles.add(&picked.columns(), place, blocks, &mut self.working);
        }
    }
}

/// What a row of this kind is taken for; an interval that no one here knows is no message either.
fn sort(kind: i64) -> Sort {
    match u8::try_from(kind).ok().and_then(Kind::from_code) {
        Some(Kind::Cycle) => Sort::Cycle,
        Some(kind) if kind.is_interval() => Sort::Work,
        _ => Sort::Message,
    }
}
