//! A made-up Time Warp run, written as a run folder and read back: nodes that execute, roll back,
//! collect and agree on GVT, drawn from a seed. No simulation, but rows such as one leaves, with
//! their sums known.

use std::path::Path;

use clock::Clock;
use record::{
    ABSENT, ArrivedClock, Batch, Column, How, Kind, Mode, NodeSheet, Recorder, RecorderOptions,
    Row, Run, RunFolder, RunInfo, Schema, WhenFull,
};
use report::{Facts, Lens, Part};
use serde_json::Value;
use sim_lens::SimLens;
use stats::analysis::Analysis;
use stats::{Accumulator, FIELDS, Options, Position};

use crate::builder::Draw;

const COLUMNS: [Column; 9] = [
    Column::Hops,
    Column::Packets,
    Column::Batch,
    Column::InFlight,
    Column::QueueLength,
    Column::SrcObject,
    Column::DstObject,
    Column::VirtualSend,
    Column::VirtualReceive,
];

/// Wall time between GVT rounds.
const ROUND_NS: f64 = 4e6;
/// The end of the model's time, as rows tell it.
const FINISHED: f64 = 1e9;

/// What was planted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    pub executed: u64,
    pub undone: u64,
    pub committed: u64,
    pub rollbacks: u64,
    pub messages: u64,
}

/// Write a run of `nodes` nodes that make `steps` steps each.
pub fn write(path: &Path, nodes: u16, steps: u64, seed: u64) -> Truth {
    let mut info = RunInfo::new("phold");
    info.transport = "shm".to_owned();
    info.topology = "mesh".to_owned();
    info.parameters.insert("objects".to_owned(), 256.into());
    let mut truth = Truth::default();
    let run = RunFolder::create(path, info).expect("the folder is new");
    // Nodes record one after another what is to look simultaneous.
    let begin = Clock::system().anchor().ticks.0;
    for node in 0..nodes {
        let schema = Schema::new(&COLUMNS);
        let options = RecorderOptions {
            mode: Mode::Stream,
            when_full: WhenFull::Block,
            ..RecorderOptions::default()
        };
        let sheet = NodeSheet::new(0, u32::from(node), &Clock::system());
        let mut recorder = run.recorder(sheet, &schema, options).expect("the node can record");
        let rate = 1.0 / recorder.sheet().quality.ns_per_tick;
        let draw = Draw::new(seed ^ u64::from(node) << 32);
        Node {
            me: node,
            nodes,
            begin,
            rate,
            draw,
            recorder: &mut recorder,
            truth: &mut truth,
            seq: 0,
        }
        .run(steps);
        recorder.finish(Clock::system().anchor()).expect("the node can finish");
    }
    run.close().expect("the run can be closed");
    truth
}

/// A run that was read.
#[derive(Clone)]
pub struct Read {
    pub facts: Facts,
    pub analysis: Analysis,
    pub part: Option<Part>,
}

/// What is said of the run at `path`, had its engine said `result`.
pub fn read(path: &Path, result: Option<Value>) -> Read {
    let mut run = Run::open(path).expect("the run can be read");
    run.info.parameters.extend(result.map(|result| ("result".to_owned(), result)));
    let reading = SimLens.open(&run).expect("nothing else is read").expect("rows will tell");
    let mut accumulator = Accumulator::with(Options::default(), vec![reading.tally()]);
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).expect("the chunk is sound");
        let at =
            Position { launch: chunk.launch(), node: chunk.node(), first_row: chunk.first_row() };
        accumulator.add(&batch, at);
    }
    let facts = Facts::of(&run.info, &[&SimLens]);
    let (analysis, mut tallies) = accumulator.finish_all();
    let tally = tallies.pop().expect("the one that was given");
    let part = reading.finish(tally, &facts, &analysis).expect("nothing else is read");
    Read { facts, analysis, part }
}

struct Node<'a> {
    me: u16,
    nodes: u16,
    begin: u64,
    /// Ticks a nanosecond.
    rate: f64,
    draw: Draw,
    recorder: &'a mut Recorder,
    truth: &'a mut Truth,
    seq: u64,
}

/// An interval's columns besides its stamps.
#[derive(Clone, Copy, Default)]
struct Tells {
    object: Option<u64>,
    amount: u32,
    from: f64,
    to: f64,
}

impl Node<'_> {
    fn run(mut self, steps: u64) {
        let (mut at, mut next_round) = (0.0, ROUND_NS);
        let (mut time, mut uncommitted) = (0.0, 0_u64);
        for _ in 0..steps {
            at += self.idle(at);
            (at, time) = self.execute(at, time);
            uncommitted += 1;
            if self.draw.unit() < 0.05 + 0.03 * (at / 3e7).sin() && uncommitted > 0 {
                let depth = (1.0 / self.draw.unit().powf(0.7)) as u64;
                let depth = depth.clamp(1, uncommitted.min(2_000));
                at = self.roll_back(at, time, depth);
                time -= depth.saturating_sub(1) as f64 * 0.11;
                uncommitted -= depth;
            }
            if at > next_round {
                // A little slower in the middle of each 80 ms.
                let gvt =
                    next_round * 2.5e-5 + 40.0 * (next_round / 8e7 * std::f64::consts::TAU).sin();
                at = self.collect(at, gvt, uncommitted);
                (uncommitted, next_round) = (0, next_round + ROUND_NS);
            }
        }
        self.collect(at, FINISHED, uncommitted);
    }

    /// Messages are taken, and some time passes.
    fn idle(&mut self, at: f64) -> f64 {
        let other = (self.me + 1 + (self.draw.next() % u64::from(self.nodes)) as u16) % self.nodes;
        let kind = match self.draw.unit() {
            u if u < 0.9 => Kind::Event,
            u if u < 0.99 => Kind::Anti,
            _ if other != self.me => Kind::Gvt,
            _ => Kind::Event,
        };
        self.message(kind, other, at);
        let slack = 1.0 + 0.5 * f64::from(self.me);
        self.draw.near(900.0 * slack, 0.5)
    }

    fn execute(&mut self, at: f64, time: f64) -> (f64, f64) {
        let took = self.draw.near(2_400.0, 0.35);
        let object = u64::from(self.me) + u64::from(self.nodes) * (self.draw.next() % 64);
        let time = time + self.draw.unit() * 0.22;
        self.truth.executed += 1;
        self.interval(
            Kind::Execution,
            at,
            took,
            Tells { object: Some(object), amount: 1, from: time, to: time },
        );
        (at + took, time)
    }

    fn roll_back(&mut self, at: f64, time: f64, depth: u64) -> f64 {
        let took = self.draw.near(600.0, 0.2) + 90.0 * depth as f64;
        // Some objects are struck far more often than others.
        let object =
            u64::from(self.me) + u64::from(self.nodes) * ((self.draw.unit().powi(3) * 64.0) as u64);
        let to = time - depth.saturating_sub(1) as f64 * 0.11;
        self.truth.rollbacks += 1;
        self.truth.undone += depth;
        let tells = Tells { object: Some(object), amount: depth as u32, from: time, to };
        self.interval(Kind::Rollback, at, took, tells);
        at + took
    }

    fn collect(&mut self, at: f64, gvt: f64, events: u64) -> f64 {
        let round = self.draw.near(90_000.0, 0.3);
        let passes = 1 + (self.draw.next() % 3) as u32;
        self.interval(
            Kind::GvtRound,
            at - round,
            round,
            Tells { amount: passes, to: gvt, ..Tells::default() },
        );
        let took = 4_000.0 + 55.0 * events as f64;
        self.truth.committed += events;
        self.interval(
            Kind::Collection,
            at,
            took,
            Tells { amount: events as u32, to: gvt, ..Tells::default() },
        );
        at + took
    }

    fn interval(&mut self, kind: Kind, at: f64, took: f64, tells: Tells) {
        let row = Row {
            packets: tells.amount,
            ..self.row(kind, self.me, [Some(at), None, None, Some(at + took)])
        };
        let object = tells.object.unwrap_or(ABSENT);
        self.recorder.push_with(&row, &[object, object, tells.from.to_bits(), tells.to.to_bits()]);
    }

    fn message(&mut self, kind: Kind, src: u16, taken: f64) {
        let wait = self.draw.near(700.0, 0.6);
        let stamps = if src == self.me {
            [Some(taken - wait), None, None, Some(taken)]
        } else {
            let transit = self.draw.near(if kind == Kind::Event { 420.0 } else { 510.0 }, 0.3);
            let sent = taken - wait - transit;
            [Some(sent - self.draw.near(60.0, 0.2)), Some(sent), Some(taken - wait), Some(taken)]
        };
        self.truth.messages += 1;
        let row = Row { bytes: 48, ..self.row(kind, src, stamps) };
        self.recorder.push_with(&row, &[1, 2, 0.0_f64.to_bits(), 1.0_f64.to_bits()]);
    }

    fn row(&mut self, kind: Kind, src: u16, stamps: [Option<f64>; 4]) -> Row {
        // All stamps lie a millisecond or more after the anchor, so that what was sent before the
        // first step has one, too.
        let ticks =
            |ns: Option<f64>| ns.map_or(ABSENT, |ns| self.begin + ((ns + 1e6) * self.rate) as u64);
        let [ready, sent, arrived, taken] = stamps.map(ticks);
        self.seq += 1;
        Row {
            ready,
            sent,
            arrived,
            taken,
            seq: self.seq << 16 | u64::from(self.me),
            src,
            dst: self.me,
            kind,
            hops: u8::from(src != self.me),
            arrived_clock: ArrivedClock::Receiver,
            arrived_how: How::Observed,
            bytes: 0,
            packets: 1,
            in_flight: 0,
            queue_len: 0,
            batch: 1,
        }
    }
}
