//! A recorded simulation as it is predicted to run: a row for each number of nodes, the curve, and
//! what is known of each cost.

mod tables;

use document::chart::{Axis, Chart, Curve, Dash, Dots, Quantity};
use document::{Block, Colour, Document, Section, Track, counted, part, ratio, time};
use serde::Serialize;
use warp::predict::{COVERS_PERCENT, DRAWS, Known, Played, Steps, TIMES_EVENTS};

/// Height of a chart.
const HEIGHT: u32 = 340;
const FAINT: Colour = Colour("faint");
const PREDICTED: Colour = Colour("a");
const MEASURED: Colour = Colour("b");

/// What is predicted on so many nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredictedRun {
    /// Nodes.
    pub nodes: u16,
    /// Run time, ns: every event takes what it took.
    pub predicted_ns: u64,
    /// From the least to the most of all plays, and wider by what the model does not resolve;
    /// `None`: nothing is left to chance.
    pub interval_ns: Option<[u64; 2]>,
    /// What was measured on so many nodes of that machine, ns, where anything was.
    pub measured_ns: Option<u64>,
    /// Plays that were broken off: they take longer than is said.
    pub broken_off: usize,
    /// The same events one after another, by run time; `None` where that is not known.
    pub speedup: Option<f64>,
    /// Committed events of those executed.
    pub came_true: Option<f64>,
    /// Rollbacks.
    pub rollbacks: u64,
    /// Events undone.
    pub rolled_back: u64,
    /// The share of the nodes' time in which they have nothing to do.
    pub waiting: f64,
    /// Executed events that the recording does not have.
    pub not_recorded: u64,
}

impl PredictedRun {
    /// Of its plays: as recorded first, then drawn. The interval is `wider` by that part at both
    /// ends. `None` without any plays.
    pub fn of(plays: &[Played], measured_ns: Option<u64>, wider: f64) -> Option<PredictedRun> {
        let first = plays.first()?;
        let ended = (!first.broken_off).then_some(first);
        let all = || plays.iter().map(|played| played.elapsed_ns);
        let [least, most] = [all().min()? as f64, all().max()? as f64];
        let ends = [least * (1.0 - wider), most * (1.0 + wider)].map(|ns| ns.round() as u64);
        Some(PredictedRun {
            nodes: first.nodes,
            predicted_ns: first.elapsed_ns,
            interval_ns: (plays.len() > 1).then_some(ends),
            measured_ns,
            broken_off: plays.iter().filter(|played| played.broken_off).count(),
            speedup: ended.map(|it| it.in_order_ns as f64 / it.elapsed_ns.max(1) as f64),
            came_true: ended.map(|it| it.summary.efficiency),
            rollbacks: first.summary.rollbacks,
            rolled_back: first.summary.rolled_back,
            waiting: first.waiting,
            not_recorded: first.not_recorded,
        })
    }

    /// Whether the measured time is among what is predicted; so it is where none was measured.
    pub fn holds(&self) -> bool {
        let [low, high] = self.interval_ns.unwrap_or([self.predicted_ns; 2]);
        self.measured_ns.is_none_or(|measured| (low..=high).contains(&measured))
    }

    /// By how much of what was measured the prediction is off.
    pub fn error(&self) -> Option<f64> {
        let measured = self.measured_ns.filter(|ns| *ns > 0)? as f64;
        Some(self.predicted_ns as f64 / measured - 1.0)
    }

    fn times(&self) -> String {
        let ns = |ns: u64| time(ns as f64);
        match self.interval_ns {
            Some([low, high]) => {
                format!("{} ({} to {})", ns(self.predicted_ns), ns(low), ns(high))
            }
            None => ns(self.predicted_ns),
        }
    }
}

/// All that is predicted of a recorded simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Its model.
    pub model: String,
    /// The machine it was recorded on.
    pub from: String,
    /// The machine it is predicted on.
    pub on: String,
    /// The recorded run itself, predicted on its own machine.
    pub gate: PredictedRun,
    /// By nodes.
    pub runs: Vec<PredictedRun>,
    /// By which part intervals are wider than their draws, at both ends.
    pub wider: f64,
    /// What steps of the engine take.
    pub steps: Steps,
    /// Recorded events, with the objects that they are of; `None`: all took what was stated.
    pub recorded: Option<(u64, usize)>,
    /// The mean of what events take, ns on a processor of speed 1.
    pub event_ns: u64,
    /// The share of the recording's time in which a node was ready and had no core.
    pub without_core: Option<f64>,
}

impl Prediction {
    /// Why nothing is to be predicted; `None` where the recorded run is predicted well.
    pub fn refusal(&self) -> Option<String> {
        if self.gate.holds() {
            return None;
        }
        Some(format!(
            "the recorded run itself is predicted to take {} on {}, and it took {}",
            self.gate.times(),
            counted(u64::from(self.gate.nodes), "node"),
            time(self.gate.measured_ns.unwrap_or(0) as f64),
        ))
    }

    /// All of it.
    pub fn document(&self) -> Document {
        let title = format!("{} · prediction · Fourstamp", self.model);
        let mut opening = vec![
            Block::Eyebrow(vec![title.clone()]),
            Block::Finding(self.finding()),
            Block::Lead(self.gate_sentence()),
        ];
        opening.push(Block::Table(tables::runs(&self.runs)));
        opening.push(Block::Tracks(self.runs.iter().map(track).collect()));
        opening.push(Block::List(self.remarks()));
        opening.push(Block::Table(tables::costs(self)));
        let mut sections = self.curves();
        sections.iter_mut().for_each(|section| section.page_only = true);
        Document { title, opening, sections, runs: Vec::new() }
    }

    fn finding(&self) -> String {
        let best = self.runs.iter().min_by_key(|run| run.predicted_ns);
        let Some(best) = best else { return format!("{} on {}", self.model, self.on) };
        let on = counted(u64::from(best.nodes), "node");
        let fastest = if self.runs.len() > 1 { "fastest on" } else { "on" };
        let (on_machine, takes) = (&self.on, best.times());
        format!("{} on {on_machine}: {fastest} {on}, predicted run time {takes}.", self.model)
    }

    /// How well the recorded run is predicted.
    fn gate_sentence(&self) -> String {
        let gate = &self.gate;
        let (on, machine) = (counted(u64::from(gate.nodes), "node"), &self.from);
        let measured = time(gate.measured_ns.unwrap_or(0) as f64);
        let holds = match (gate.holds(), gate.predicted_ns == gate.measured_ns.unwrap_or(0)) {
            (true, true) => "exactly what it took",
            (true, false) => "and it took",
            (false, _) => "but it took",
        };
        let took =
            if holds.starts_with("exactly") { String::new() } else { format!(" {measured}") };
        let anyway =
            if gate.holds() { "" } else { ", which is outside: do not rely on what follows" };
        let times = gate.times();
        format!(
            "The recorded run, on {on} of {machine}, is predicted to take {times}, {holds}{took}\
            {anyway}."
        )
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.runs.iter().any(|run| run.interval_ns.is_some()) {
            let wider = match self.wider {
                0.0 => String::new(),
                wider => format!(", {} wider at both ends", part(wider)),
            };
            remarks.push(format!(
                "Intervals are of {COVERS_PERCENT} %, the range of {DRAWS} draws{wider}. They \
                cover the chance of what each event takes, the pace of the recorded run over its \
                time, and the ranges of the machine's figures; not how launches differ, nor \
                caches."
            ));
        }
        if let Some(share) = self.without_core.filter(|share| *share >= 0.01) {
            remarks.push(format!(
                "While it was recorded, its nodes were ready without a core for {} of the time, \
                which is part of what its events took.",
                part(share)
            ));
        }
        let unknown: Vec<&str> = self
            .steps
            .steps
            .iter()
            .filter(|step| step.known == Known::Unknown)
            .map(|step| step.name)
            .collect();
        if let Some((last, others)) = unknown.split_last() {
            let names = match others {
                [] => (*last).to_owned(),
                _ => format!("{} and {last}", others.join(", ")),
            };
            remarks.push(format!(
                "Not known, so nothing is charged for it: {names}. Give it in [costs.warp] of the \
                machine's file."
            ));
        }
        if let Some(ns) = self.steps.event_unused_ns.filter(|ns| *ns != self.event_ns) {
            remarks.push(format!(
                "Events take what they took when they were recorded, and not the {} that the \
                machine's file gives.",
                time(ns as f64)
            ));
        }
        for run in self.runs.iter().filter(|run| run.broken_off > 0) {
            remarks.push(format!(
                "On {}, {} of its plays executed {TIMES_EVENTS} times the recorded events and did \
                not end: its run time has no upper bound. A throttle may help: see --throttle of \
                `fourstamp warp`.",
                counted(u64::from(run.nodes), "node"),
                run.broken_off
            ));
        }
        let missing: u64 = self.runs.iter().map(|run| run.not_recorded).sum();
        if missing > 0 {
            remarks.push(format!(
                "{} executed and undone again had not been recorded, and took the mean of their \
                objects.",
                counted(missing, "event")
            ));
        }
        remarks
    }

    fn curves(&self) -> Vec<Section> {
        if self.runs.len() < 2 {
            return Vec::new();
        }
        vec![self.run_time(), self.speedup()]
    }

    fn run_time(&self) -> Section {
        let mut section = Section::new(
            "time",
            "Run time against nodes",
            "Bars are the intervals. Both scales are logarithmic.",
        );
        section.legend = vec![("Predicted".into(), PREDICTED)];
        let axes = (self.nodes_axis().log(), Axis::time("run time").log());
        let mut chart = Chart::new("time-chart", HEIGHT, "Run time against nodes.", axes);
        let seconds = |ns: u64| ns as f64 / 1e9;
        let y: Vec<f64> = self.runs.iter().map(|run| seconds(run.predicted_ns)).collect();
        let ends = |run: &PredictedRun| run.interval_ns.unwrap_or([run.predicted_ns; 2]);
        let intervals = self.runs.iter().map(|run| ends(run).map(seconds).into()).collect();
        let tip = |run: &PredictedRun| {
            format!("{}: {}", counted(u64::from(run.nodes), "node"), run.times())
        };
        let line = Curve::line(self.nodes(), y, PREDICTED, 2.2).dots(Dots::discs(PREDICTED, 7.0));
        chart.draw(line.intervals(intervals).tips(self.runs.iter().map(tip).collect()));
        let measured = self.runs.iter().filter_map(|run| Some((run.nodes, run.measured_ns?)));
        for (nodes, ns) in measured {
            section.legend.push(("Measured".into(), MEASURED));
            let dot = Dots::discs(MEASURED, 9.0);
            let tip = format!("measured: {}", time(ns as f64));
            let at = Curve::points(vec![f64::from(nodes)], vec![seconds(ns)], dot);
            chart.draw(at.tips(vec![tip]));
        }
        section.charts.push(chart);
        section
    }

    fn speedup(&self) -> Section {
        let mut section = Section::new(
            "speedup",
            "Speed-up against nodes",
            "Against the same events one after another. On the dotted line it is as many times as \
            nodes.",
        );
        section.legend = vec![("Predicted".into(), PREDICTED), ("As many times".into(), FAINT)];
        let axes = (self.nodes_axis(), Axis::new(Quantity::Number, "speed-up (times)").from_0());
        let mut chart = Chart::new("speedup-chart", HEIGHT, "Speed-up against nodes.", axes);
        let known: Vec<&PredictedRun> =
            self.runs.iter().filter(|run| run.speedup.is_some()).collect();
        let most = self.nodes().into_iter().fold(1.0, f64::max);
        let ideal = vec![1.0, most];
        chart.draw(Curve::line(ideal.clone(), ideal, FAINT, 1.4).dashed(Dash::Dot));
        let x: Vec<f64> = known.iter().map(|run| f64::from(run.nodes)).collect();
        let y: Vec<f64> = known.iter().filter_map(|run| run.speedup).collect();
        let tip = |run: &&PredictedRun| {
            let (on, held) = (counted(u64::from(run.nodes), "node"), run.came_true.map(part));
            let speedup = ratio(run.speedup.unwrap_or(0.0));
            format!("{on}: {speedup}, {} came true", held.unwrap_or_default())
        };
        let line = Curve::line(x, y, PREDICTED, 2.2).dots(Dots::discs(PREDICTED, 7.0));
        chart.draw(line.tips(known.iter().map(tip).collect()));
        section.charts.push(chart);
        section
    }

    fn nodes(&self) -> Vec<f64> {
        self.runs.iter().map(|run| f64::from(run.nodes)).collect()
    }

    fn nodes_axis(&self) -> Axis {
        let ticks = self.runs.iter().map(|run| (f64::from(run.nodes), run.nodes.to_string()));
        Axis::new(Quantity::Number, "nodes").ticks(ticks.collect())
    }
}

/// Its run time as a bar, busy and idle.
fn track(run: &PredictedRun) -> Track {
    let whole = run.predicted_ns as f64;
    let idle = whole * run.waiting;
    let of = |ns: f64| format!("{} a node", time(ns));
    Track {
        name: counted(u64::from(run.nodes), "node"),
        parts: vec![
            ("busy", PREDICTED, whole - idle, of(whole - idle)),
            ("idle", FAINT, idle, of(idle)),
        ],
        mark: run.measured_ns.map(|ns| (ns as f64, format!("measured: {}", time(ns as f64)))),
        end: time(whole),
    }
}
