//! What is gathered of a Time Warp run's work: executions, rollbacks, fossil collection, GVT
//! rounds.
//!
//! A row of such a kind is a piece of work of one node, from `ready` to `taken`; what its other
//! columns hold is said in docs/FORMAT.md. Counts and times are whole numbers and what is kept of
//! many is chosen by rank, so that any order of rows and any number of accumulators end alike.

mod nodes;
mod overtaking;
mod progress;
mod rollbacks;
mod traffic;

use record::{Field, Kind, NULL};
use stats::analysis::Stage;
use stats::build::view;
use stats::{Columns, Distribution, Tally, own};

use crate::simulation::{Simulation, Work};

use nodes::Nodes;
use overtaking::OvertakingTally;
use progress::Progress;
use rollbacks::RollbackTally;
use traffic::Traffic;

/// Virtual times of this size and above are none of the model's: they stand for the moments before
/// its begin and after its end (docs/FORMAT.md).
const BEYOND: f64 = 999_999_998.0;

/// Work in the order of its codes.
const WORK: [Work; 4] = [Work::Execution, Work::Rollback, Work::Collection, Work::GvtRound];

/// All that was gathered of work, and of the messages that it lives by.
#[derive(Default)]
pub struct WarpTally {
    rows: u64,
    nodes: Nodes,
    progress: Progress,
    rollbacks: RollbackTally,
    times: [Distribution; 4],
    traffic: Traffic,
    overtaking: OvertakingTally,
}

/// A row: a piece of work.
#[derive(Clone, Copy, Debug)]
struct Piece {
    work: Work,
    launch: u32,
    node: u32,
    begin: Option<i64>,
    end: Option<i64>,
    object: Option<i64>,
    /// Bundled messages, events undone, events committed or passes; 0 where it was not recorded.
    amount: u64,
    /// How far the object had come.
    from: Option<f64>,
    /// The event's time, the earliest time undone, or GVT.
    to: Option<f64>,
}

impl Tally for WarpTally {
    fn add_all(&mut self, messages: &Columns) {
        self.traffic.add(messages);
        self.overtaking.add(messages);
    }

    fn add_work(&mut self, work: &Columns, launch: u32) {
        for row in 0..work.rows() {
            if let Some(piece) = piece(work, row, launch) {
                self.add_piece(&piece);
            }
        }
    }

    fn merge(&mut self, other: Box<dyn Tally>) {
        let other = own::<WarpTally>(other);
        self.rows += other.rows;
        self.nodes.merge(other.nodes);
        self.progress.merge(&other.progress);
        self.rollbacks.merge(other.rollbacks);
        self.times.iter_mut().zip(&other.times).for_each(|(mine, theirs)| mine.merge(theirs));
        self.traffic.merge(&other.traffic);
        self.overtaking.merge(other.overtaking);
    }
}

impl WarpTally {
    /// What is shown of it; `None` when the run is no simulation.
    pub fn simulation(self) -> Option<Simulation> {
        if self.rows == 0 {
            return None;
        }
        let sums = self.nodes.sums();
        let elapsed_ns = self.nodes.elapsed_ns();
        let seconds = elapsed_ns as f64 / 1e9;
        let (rollbacks, worst, objects) = self.rollbacks.shown();
        let timed = WORK.iter().zip(&self.times);
        Some(Simulation {
            executed: sums.executed,
            undone: sums.undone,
            committed: sums.committed,
            efficiency: (sums.executed > 0).then(|| sums.committed as f64 / sums.executed as f64),
            gvt_rounds: self.nodes.gvt_rounds(),
            elapsed_ns,
            committed_per_s: (elapsed_ns > 0).then(|| sums.committed as f64 / seconds),
            series: self.progress.bins(self.nodes.commits()),
            nodes: self.nodes.shown(),
            work: timed
                .filter_map(|(&work, of)| Some((work, view(Stage::EndToEnd, of)?)))
                .collect(),
            rollbacks,
            worst,
            objects,
            messages: self.traffic.groups(self.overtaking.shown()),
        })
    }

    fn add_piece(&mut self, piece: &Piece) {
        self.rows += 1;
        self.nodes.add(piece);
        self.progress.add(piece);
        if piece.work == Work::Rollback {
            self.rollbacks.add(piece);
        }
        if let Some(took) = piece.took() {
            self.times[piece.work as usize].add(took);
        }
    }
}

impl Piece {
    /// How long it took, ns.
    fn took(&self) -> Option<i64> {
        Some(self.end?.wrapping_sub(self.begin?))
    }
}

fn piece(columns: &Columns, row: usize, launch: u32) -> Option<Piece> {
    let value = |field| Some(columns.at(field, row)).filter(|&value| value != NULL);
    let virtual_time = |field| value(field).map(|bits| f64::from_bits(bits as u64));
    Some(Piece {
        work: work(columns.at(Field::Kind, row))?,
        launch,
        node: value(Field::Dst).and_then(|node| u32::try_from(node).ok()).unwrap_or(0),
        begin: value(Field::ReadyNs),
        end: value(Field::TakenNs),
        object: value(Field::DstObject),
        amount: value(Field::Packets).map_or(0, |packets| packets.max(0).unsigned_abs()),
        from: virtual_time(Field::VirtualSend),
        to: virtual_time(Field::VirtualReceive),
    })
}

fn work(kind: i64) -> Option<Work> {
    match u8::try_from(kind).ok().and_then(Kind::from_code)? {
        Kind::Execution => Some(Work::Execution),
        Kind::Rollback => Some(Work::Rollback),
        Kind::Collection => Some(Work::Collection),
        Kind::GvtRound => Some(Work::GvtRound),
        _ => None,
    }
}

/// A virtual time that the model can have.
fn within_model(time: Option<f64>) -> Option<f64> {
    time.filter(|time| time.abs() < BEYOND)
}
