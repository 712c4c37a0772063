//! Recorded programs played on machines: what they take there, and within which bounds.

use super::case::Case;
use super::latencies::{Latencies, Latency};
use super::plays::on_all_cores;
use anyhow::Result;
use fabric::Machine;
use predict::{DRAWS, Played, Share, Stuck, drawn_machine};
use report::foretold::Span;
use std::collections::BTreeMap;

/// What is played.
pub struct Question<'a> {
    /// By launch.
    pub cases: Vec<Case>,
    /// What launches of it took on the target, s, where that was measured.
    pub measured_s: Vec<f64>,
    /// The machine recorded on.
    pub recorded: &'a Machine,
    pub target: &'a Machine,
    /// Others between which a curve goes, by the multiple.
    pub curve: Vec<(f64, Machine)>,
    pub seed: u64,
    /// What the model resolves, as a part of a time.
    pub resolution: Resolution,
}

impl Question<'_> {
    /// Launches exchange long messages as they did, as far as their own time tells.
    pub fn take_their_ways(&mut self) {
        self.cases.iter_mut().for_each(|case| case.take_its_way(self.recorded, self.seed));
    }
}

/// How near a prediction can be, as a part of a time, whatever the draws say (docs/PREDICTION.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Of runs in simulated time: a program's first and last steps, of which only one end is known.
    Simulated,
    /// Of others.
    Measured,
}

impl Resolution {
    /// Of a run whose time was simulated, or measured.
    pub fn of(is_simulated: bool) -> Resolution {
        if is_simulated { Resolution::Simulated } else { Resolution::Measured }
    }

    /// By how much the recorded machine may be missed.
    pub fn part(self) -> f64 {
        match self {
            Resolution::Simulated => 0.01,
            Resolution::Measured => 0.05,
        }
    }

    /// By how much intervals are wider at both ends. A machine of simulated time is known: only
    /// what was measured is predicted with an error that no draw has.
    pub fn widens(self) -> f64 {
        match self {
            Resolution::Simulated => 0.0,
            Resolution::Measured => 0.03,
        }
    }
}

/// A launch that is another program once its receives for any source or tag take what comes first.
#[derive(Debug, thiserror::Error)]
#[error("if receives for any source or tag took what comes first, {}", self.would())]
pub struct Astray {
    /// Its place among the launches.
    pub case: usize,
    stuck: Stuck,
}

impl Astray {
    fn would(&self) -> String {
        match self.stuck {
            Stuck::Unasked { node, to } => {
                format!("rank {node} would answer rank {to}, which has not asked yet")
            }
            Stuck::Waits { node, .. } => format!("rank {node} would wait for ever"),
            Stuck::Nodes { .. } | Stuck::Stands { .. } => self.stuck.to_string(),
        }
    }
}

/// What comes of it.
pub struct Foretold {
    /// The mean of the launches, s.
    pub measured_s: f64,
    resolution: Resolution,
    pub recorded: Side,
    pub target: Side,
    /// What a tenth less latency, more bandwidth, faster processors give, s.
    pub gains: Vec<(&'static str, f64)>,
    /// By the multiple, s, with the interval.
    pub curve: Vec<(f64, Span)>,
}

impl Foretold {
    /// Whether the measured time lies within what comes out for the machine recorded on, or
    /// outside by no more than the model's own resolution.
    pub fn holds(&self) -> bool {
        self.recorded.span.holds(self.measured_s, self.resolution.part())
    }
}

/// Messages, and their time from ready to taken, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    pub messages: u64,
    pub ns: u64,
}

/// What the messages of a pair of nodes take from ready to taken, all together.
pub struct Gain {
    pub pair: (u16, u16),
    pub messages: u64,
    pub before_ns: f64,
    pub after_ns: f64,
}

impl Gain {
    pub fn ns(&self) -> f64 {
        self.before_ns - self.after_ns
    }
}

impl Foretold {
    /// Of each pair between whom messages pass.
    pub fn gains_of_pairs(&self) -> Vec<Gain> {
        let both = self.recorded.pairs.iter().zip(self.target.pairs.values());
        both.map(|((pair, before), after)| Gain {
            pair: *pair,
            messages: before.messages,
            before_ns: before.ns as f64,
            after_ns: after.ns as f64,
        })
        .collect()
    }
}

/// The same, so that it holds what comes out if the model is off there by as much as it is on the
/// machine recorded on, either way, and wider by a part at both ends.
fn widened(span: Span, missed_by: f64, part: f64) -> Span {
    let more = missed_by.max(1.0 / missed_by);
    Span {
        from_s: span.from_s.min(span.s / more) * (1.0 - part),
        to_s: span.to_s.max(span.s * more) * (1.0 + part),
        ..span
    }
}

/// The programs on a machine.
pub struct Side {
    pub span: Span,
    /// Of the launch in the middle.
    pub played: Played,
    /// The stages of its messages, ns: send wait, transit, receive wait, all; each sorted.
    pub stages: [Vec<u64>; 4],
    /// The messages of each pair of nodes.
    pub pairs: BTreeMap<(u16, u16), Sum>,
    /// From requests to their answers, where it is known which these are.
    pub latencies: Vec<Latency>,
}

impl Side {
    /// The share of the critical path, 0 to 1.
    pub fn share(&self, share: Share) -> f64 {
        self.played.path[share] as f64 / self.played.end().max(1) as f64
    }
}

const PS_PER_S: f64 = 1e12;
const PS_PER_NS: u64 = 1000;
/// What gains are asked for.
const TENTH: f64 = 0.1;

/// Answer.
pub fn foretell(question: &Question) -> Result<Foretold> {
    let Question { cases, recorded, target, curve, seed, resolution, .. } = question;
    let middle = middle(cases);
    let case = &cases[middle];
    let machines = [*recorded, *target].into_iter().chain(curve.iter().map(|(_, other)| other));
    let jobs: Vec<Job> = machines.flat_map(|machine| jobs(cases, machine, *seed)).collect();
    let ends =
        on_all_cores("predicting".into(), &jobs, |job| job.machine.name.clone(), Job::end_s)?;
    let per = cases.len() + DRAWS as usize;
    let mut spans: Vec<Span> = ends.chunks(per).map(|ends| span(ends, cases.len())).collect();
    let measured: f64 = cases.iter().map(|case| case.measured_ns() as f64 / 1e9).sum();
    let measured_s = measured / cases.len() as f64;
    let missed = measured_s / spans[0].s;
    let wider = |span: Span| widened(span, missed, resolution.widens());
    spans[1..].iter_mut().for_each(|span| *span = wider(*span));
    let astray = |stuck| astray(middle, case, stuck);
    let side = |machine: &Machine, span| side(case, machine, *seed, span).map_err(astray);
    Ok(Foretold {
        measured_s,
        resolution: *resolution,
        recorded: side(recorded, spans[0])?,
        target: side(target, spans[1])?,
        gains: gains(case, target, *seed).map_err(astray)?,
        curve: curve.iter().map(|(at, _)| *at).zip(spans[2..].iter().copied()).collect(),
    })
}

/// The launch of the median time.
fn middle(cases: &[Case]) -> usize {
    let mut by_time: Vec<usize> = (0..cases.len()).collect();
    by_time.sort_by_key(|case| cases[*case].measured_ns());
    by_time[(cases.len() - 1) / 2]
}

/// Why a launch cannot be played: as it was recorded it may be.
fn astray(place: usize, case: &Case, stuck: Stuck) -> anyhow::Error {
    match stuck {
        Stuck::Waits { .. } | Stuck::Unasked { .. } if case.has_wildcards() => {
            Astray { case: place, stuck }.into()
        }
        stuck => stuck.into(),
    }
}

/// A play.
struct Job<'a> {
    /// Which launch.
    place: usize,
    case: &'a Case,
    machine: &'a Machine,
    seed: u64,
    /// `None`: as recorded.
    draw: Option<u32>,
}

impl Job<'_> {
    fn end_s(&self) -> Result<f64> {
        let played = match self.draw {
            None => self.case.play(self.machine, self.seed, |_, _| ()),
            Some(draw) => {
                let machine = drawn_machine(self.machine, self.seed, draw);
                let seed = self.seed + u64::from(draw) + 1;
                self.case.play_drawn((self.seed, draw), &machine, seed)
            }
        };
        let played = played.map_err(|stuck| astray(self.place, self.case, stuck))?;
        Ok(played.end() as f64 / PS_PER_S)
    }
}

/// Each launch as recorded, and the draws, of one launch after the other.
fn jobs<'a>(cases: &'a [Case], machine: &'a Machine, seed: u64) -> Vec<Job<'a>> {
    let job = |place: usize, draw| Job { place, case: &cases[place], machine, seed, draw };
    let whole = (0..cases.len()).map(|case| job(case, None));
    let drawn = (0..DRAWS).map(|draw| job(draw as usize % cases.len(), Some(draw)));
    whole.chain(drawn).collect()
}

/// The mean of the first so many, between the least and the most of it and the rest.
fn span(ends: &[f64], cases: usize) -> Span {
    let s = ends[..cases].iter().sum::<f64>() / cases as f64;
    Span::of(s, &ends[cases..])
}

fn side(case: &Case, machine: &Machine, seed: u64, span: Span) -> Result<Side, Stuck> {
    let mut stages: [Vec<u64>; 4] = Default::default();
    let mut pairs: BTreeMap<(u16, u16), Sum> = BTreeMap::new();
    let mut latencies = Latencies::of(case);
    let played = case.play(machine, seed, |message, at| {
        if message < case.own_messages() {
            let times = [at.sent - at.ready, at.arrived - at.sent, at.taken - at.arrived];
            for (stage, time) in stages.iter_mut().zip(times) {
                stage.push(time / PS_PER_NS);
            }
            let whole = (at.taken - at.ready) / PS_PER_NS;
            stages[3].push(whole);
            let pair = pairs.entry(case.pair(message)).or_default();
            pair.messages += 1;
            pair.ns += whole;
            latencies.took(message, at);
        }
    })?;
    stages.iter_mut().for_each(|stage| stage.sort_unstable());
    Ok(Side { span, played, stages, pairs, latencies: latencies.all() })
}

fn gains(case: &Case, target: &Machine, seed: u64) -> Result<Vec<(&'static str, f64)>, Stuck> {
    let end = |machine: &Machine| Ok(case.play(machine, seed, |_, _| ())?.end());
    let now = end(target)?;
    let other = |name: &str, factor: f64| target.clone().scaled(name, factor);
    let asked = [
        ("10 % less latency", other("network.latency", 1.0 - TENTH)),
        ("10 % more bandwidth", other("network.bandwidth", 1.0 + TENTH)),
        ("processors 10 % faster at computing", other("processor.speed", 1.0 + TENTH)),
    ];
    let gain = |(words, machine)| Ok((words, (now as f64 - end(&machine)? as f64) / PS_PER_S));
    asked.into_iter().map(gain).collect()
}
