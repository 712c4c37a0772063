//! `fourstamp predict` of a run of `fourstamp pager run`: its touches go through the real pager,
//! over another network.

use super::plays::on_all_cores;
use super::{REFUSED, changed, points};
use crate::args::PredictArgs;
use crate::show;
use anyhow::{Context, Result, bail};
use fabric::{Machine, MachineConstant as Constant, MachineTopology as Topology};
use pager_facts::{KEY, Paged, PagerFacts};
use pager_lens::followed::{Conditions, Played, Program, play, play_drawn};
use pager_lens::prediction::is_here;
use pager_lens::timeline::{Course, HALF, turn_s};
use pager_lens::{PagedPrediction, PagedSide};
use predict::{DRAWS, Link, drawn_machine};
use record::Run;
use report::foretold::Span;
use serde::Deserialize;
use serde_json::json;
use std::process::ExitCode;

const NS_PER_S: f64 = 1e9;
/// What gains are asked for.
const TENTH: f64 = 0.1;
const LATENCY: &str = "network.latency";
const BANDWIDTH: &str = "network.bandwidth";
const SPEED: &str = "processor.speed";

/// Whether this predicts that run.
pub fn is_of(run: &Run) -> bool {
    run.info.parameters.contains_key(KEY)
}

/// Predict the recorded run itself, then what is asked for.
pub fn predict(args: &PredictArgs, run: &Run) -> Result<ExitCode> {
    let name = run.path().display().to_string();
    let said = run.info.parameters.get(KEY).context("it says nothing of paging")?;
    let pager = PagerFacts::deserialize(said).with_context(|| name.clone())?;
    let process = pager.main().filter(|process| process.was_paged());
    let process = process.with_context(|| {
        format!("{name}: no page was transferred, so that no network matters to it")
    })?;
    let from = recorded_on(args, &name, &pager, process)?;
    let course = Course::read(run.path(), &pager, process).with_context(|| name.clone())?;
    let program = course.anew(&link(&from));
    let question = Question {
        course: &course,
        program: program.as_ref().ok().copied(),
        from: &from,
        seed: args.seed,
    };
    question.check(args, &name, program.as_ref().err())?;
    let on = target(args, &from)?;
    let curve = args.curve.map(|curve| (curve.name, points(&on, curve)));
    let others = curve.iter().flat_map(|(_, points)| points.iter().map(|(_, machine)| machine));
    let machines: Vec<&Machine> = [&from, &on].into_iter().chain(others).collect();
    let spans = question.spans(&machines)?;
    let side = |machine: &Machine, span| -> Result<PagedSide> {
        let played = question.played(machine)?;
        Ok(PagedSide { name: machine.name.clone(), span, played })
    };
    let prediction = PagedPrediction {
        run: name.clone(),
        recorded: side(&from, spans[0])?,
        target: side(&on, spans[1])?,
        measured_s: process.seconds.elapsed,
        page_ins: process.page_ins,
        page_outs: process.page_outs,
        as_recorded: program.err(),
        gains: question.gains(&on)?,
        curve: curve.map(|(name, points)| {
            let factors = points.iter().map(|(factor, _)| *factor);
            (name, factors.zip(spans[2..].iter().copied()).collect())
        }),
    };
    if let Some(refusal) = prediction.refusal().filter(|_| !args.anyway) {
        show::say_beside(&format!("fourstamp: {name}: {refusal}"));
        return Ok(ExitCode::from(REFUSED));
    }
    tell(args, &prediction)?;
    Ok(ExitCode::SUCCESS)
}

fn tell(args: &PredictArgs, prediction: &PagedPrediction) -> Result<()> {
    let document = prediction.document();
    if let Some(page) = &args.page {
        show::page(&document, page)?;
    }
    args.show.show_with(&document, "completion", || {
        let PagedPrediction { recorded, target, .. } = prediction;
        let pages = |side: &PagedSide| side.played.map(|played| played.page_ins);
        show::figures(&json!({
            "recorded_on": recorded.name,
            "predicted_on": target.name,
            "measured_s": prediction.measured_s,
            "recorded": recorded.span,
            "predicted": target.span,
            "predicted_well": prediction.holds(),
            "page_ins": { "measured": prediction.page_ins, "recorded": pages(recorded),
                "predicted": pages(target) },
            "decisions_as_recorded": prediction.as_recorded,
        }))
    })
}

/// The network it was recorded on: the one of `--from`, or one of the rate that was measured.
fn recorded_on(
    args: &PredictArgs,
    name: &str,
    pager: &PagerFacts,
    process: &Paged,
) -> Result<Machine> {
    if let Some(machine) = &args.from {
        return Ok((**machine).clone());
    }
    let rate = process.rate_bytes_per_s.filter(|rate| *rate > 0.0);
    let Some(rate) = rate.filter(|_| !is_here(pager)) else {
        bail!(
            "{name}: nothing says what network it was recorded on: its servers were on the same \
            machine, or no rate was measured; give it with --from"
        );
    };
    let on_latency = args.curve.is_some_and(|curve| curve.constant == LATENCY);
    if args.changes.latency.is_some() || on_latency {
        bail!("{name}: nothing says what latency it was recorded with; give it with --from");
    }
    let figures = [(LATENCY, 0.0), (BANDWIDTH, rate)];
    Ok(Machine {
        name: format!("its network ({}, as measured)", document::byte_rate(rate)),
        about: String::new(),
        nodes: 2,
        topology: Topology::Switch,
        constants: figures.map(|(name, value)| (name.into(), Constant::of(value))).into(),
        costs: Default::default(),
    })
}

fn target(args: &PredictArgs, from: &Machine) -> Result<Machine> {
    let machine = match &args.on {
        Some(machine) => (**machine).clone(),
        None if args.changes.any() || args.curve.is_some() => from.clone(),
        None => bail!("predict it on which machine? Give --on MACHINE, or --bandwidth 10x"),
    };
    changed(machine, &args.changes)
}

/// A run, the network it was recorded on, and chance.
struct Question<'a> {
    course: &'a Course,
    /// `None`: decisions are as recorded.
    program: Option<&'a Program>,
    from: &'a Machine,
    seed: u64,
}

/// A play; with a draw, or as recorded.
type Job<'a> = (&'a Machine, Option<u32>);

impl Question<'_> {
    fn check(&self, args: &PredictArgs, name: &str, why: Option<&String>) -> Result<()> {
        let on_cpu = args.curve.is_some_and(|curve| curve.constant == SPEED);
        match why.filter(|_| args.changes.cpu.is_some() || on_cpu) {
            Some(why) => {
                bail!("{name}: --cpu needs the pager to decide anew, and it does not: {why}")
            }
            None => Ok(()),
        }
    }

    /// A time on each machine, with its interval.
    fn spans(&self, machines: &[&Machine]) -> Result<Vec<Span>> {
        let jobs: Vec<Job> = machines
            .iter()
            .flat_map(|machine| {
                [None].into_iter().chain((0..DRAWS).map(Some)).map(|it| (*machine, it))
            })
            .collect();
        let name = |(machine, _): &Job| machine.name.clone();
        let times = on_all_cores("predicting".into(), &jobs, name, |job| self.end_s(*job))?;
        let each = DRAWS as usize + 1;
        Ok(times.chunks(each).map(|times| Span::of(times[0], &times[1..])).collect())
    }

    fn end_s(&self, (machine, draw): Job) -> Result<f64> {
        let drawn = |machine: &Machine| match draw {
            Some(draw) => drawn_machine(machine, self.seed, draw),
            None => machine.clone(),
        };
        let (from, on) = (drawn(self.from), drawn(machine));
        let Some(program) = self.program else {
            return Ok(self.course.as_recorded_s(&link(&from), &link(&on)));
        };
        let quantile = draw.map_or(HALF, |draw| within_middle_half(self.seed, draw));
        let conditions = self.conditions(&from, &on, quantile);
        let played = match draw {
            Some(draw) => play_drawn(program, &conditions, self.seed, draw),
            None => play(program, &conditions),
        };
        Ok(played?.elapsed_s)
    }

    fn played(&self, machine: &Machine) -> Result<Option<Played>> {
        let Some(program) = self.program else { return Ok(None) };
        Ok(Some(play(program, &self.conditions(self.from, machine, HALF))?))
    }

    fn conditions(&self, from: &Machine, on: &Machine, quantile: f64) -> Conditions {
        Conditions {
            link: link(on),
            speed: on.value(SPEED) / from.value(SPEED),
            turn_s: turn_s(&self.course.timeline, &link(from), quantile),
        }
    }

    fn gains(&self, target: &Machine) -> Result<Vec<(&'static str, f64)>> {
        let Some(now) = self.played(target)? else { return Ok(Vec::new()) };
        let asked = [
            ("10 % less latency", LATENCY, 1.0 - TENTH),
            ("10 % more bandwidth", BANDWIDTH, 1.0 + TENTH),
            ("processors 10 % faster at computing", SPEED, 1.0 + TENTH),
        ];
        let gain = |(words, name, factor)| {
            let other = self.played(&target.clone().scaled(name, factor))?;
            Ok((words, now.elapsed_s - other.map_or(0.0, |other| other.elapsed_s)))
        };
        asked.into_iter().map(gain).collect()
    }
}

/// A quantile between a quarter and three quarters, by the draw.
fn within_middle_half(seed: u64, draw: u32) -> f64 {
    let mixed = (seed ^ u64::from(draw + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    0.25 + 0.5 * (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// What lies between the program and its servers there.
fn link(machine: &Machine) -> Link {
    let (packet, header) = (machine.value("network.packet"), machine.value("network.header"));
    Link {
        bytes_per_s: machine.value(BANDWIDTH),
        latency_s: machine.value(LATENCY) / NS_PER_S,
        framing: (packet + header) / packet,
        acknowledging: if header > 0.0 { Link::TCP_ACKNOWLEDGING } else { 0.0 },
    }
}
