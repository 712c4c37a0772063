//! `fourstamp machine calibrate`: a machine's file from recorded benchmarks.

use super::crowded::QUIET;
use super::observe::{Observed, observe};
use crate::args::CalibrateArgs;
use crate::commands::bench::EAGER_KEY;
use crate::show;
use anyhow::{Context, Result, bail};
use document::{Block, Cell, Column, Document, Section, Table};
use fabric::{
    Calibrated, EagerBounds, Machine, MachineError, MachineTopology, Open, Stretch, Wanted,
    calibrate, parse_machine, write_machine,
};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// Most nodes of a machine's file: how many the runs had bounds nothing.
const NODES: u16 = 1024;

/// A stream that is simulated so much too fast or too slow is told of.
const STREAM_OFF: f64 = 0.05;

/// Make the file, and say what it has and lacks.
pub fn run(args: &CalibrateArgs) -> Result<()> {
    if let Some(out) = &args.out {
        must_be_new(out)?;
    }
    let numbered = args.runs.iter().zip(0..);
    let observed =
        numbered.map(|(path, number)| observe(path, number)).collect::<Result<Vec<_>>>()?;
    must_be_alike(&observed)?;
    let calibrated = made(&observed, args)?;
    let remarks: Vec<String> =
        observed.iter().filter_map(was_crowded).chain(remarks(&calibrated)).collect();
    let text = write_machine(&calibrated.machine, &heading(&observed, &remarks));
    // What is written can be used at once.
    let machine = parse_machine("the new file", &text).map_err(|error: MachineError| {
        anyhow::anyhow!("{error}; this is a fault of Fourstamp's: please report it")
    })?;
    let document = document(&machine, &remarks);
    match &args.out {
        Some(out) => {
            must_be_new(out)?;
            show::whole(out, |file| Ok(file.write_all(text.as_bytes())?))?;
            show::text(&document)?;
            show::say(&format!(
                "machine: {0}   use it: --on {0}   check it: fourstamp machine check {0} RUN...\n",
                out.display()
            ))
        }
        None => {
            show::text_beside(&document);
            show::say(&text)
        }
    }
}

fn must_be_new(out: &Path) -> Result<()> {
    if out.exists() {
        bail!("{} exists: choose another --out, or remove it first", out.display());
    }
    Ok(())
}

/// One machine is one transport on the same hosts.
fn must_be_alike(observed: &[Observed]) -> Result<()> {
    let Some(first) = observed.first() else { return Ok(()) };
    for other in &observed[1..] {
        let said = |one: &Observed| {
            let info = &one.run.info;
            let on = info.simulated_on.get("name").and_then(Value::as_str).unwrap_or("");
            let receive = info.parameters.get("receive").and_then(Value::as_str).unwrap_or("");
            [info.transport.clone(), on.to_owned(), receive.to_owned()]
        };
        let what = ["transport", "simulated machine", "way of waiting (--receive)"];
        let (ours, theirs) = (said(first), said(other));
        if let Some(at) = (0..what.len()).find(|at| ours[*at] != theirs[*at]) {
            let word =
                |text: &str| if text.is_empty() { "none".into() } else { format!("'{text}'") };
            bail!(
                "{} and {} differ in their {}: {} and {}; make a machine of each",
                first.run.path().display(),
                other.run.path().display(),
                what[at],
                word(&ours[at]),
                word(&theirs[at])
            );
        }
    }
    Ok(())
}

fn made(observed: &[Observed], args: &CalibrateArgs) -> Result<Calibrated> {
    let stretches: Vec<Stretch> =
        observed.iter().flat_map(|one| one.stretches.iter().cloned()).collect();
    let names: Vec<&str> = observed.iter().map(|one| one.name.as_str()).collect();
    let transport = observed.first().map_or("", |one| one.run.info.transport.as_str());
    let on = observed.first().and_then(|one| one.run.info.simulated_on.get("name")?.as_str());
    let usual = on.map_or_else(|| format!("calibrated {transport}"), |on| format!("{on}, again"));
    let about = format!(
        "Made by `fourstamp machine calibrate` of runs over {transport}: {}.",
        observed.iter().map(of_run).collect::<Vec<_>>().join(", ")
    );
    let hosts: std::collections::BTreeSet<&str> = observed
        .iter()
        .flat_map(|one| one.run.info.nodes().map(|(_, node)| node.host.as_str()))
        .collect();
    let tried =
        |one: &Observed| EagerBounds::deserialize(one.run.info.parameters.get(EAGER_KEY)?).ok();
    let eager: Vec<EagerBounds> = observed.iter().filter_map(tried).collect();
    let wanted = Wanted {
        name: args.name.as_deref().unwrap_or(&usual),
        about: &about,
        runs: &names.join(", "),
        nodes: NODES,
        eager: (transport == fabric::MPI.name).then_some(&eager),
        // Within a host each pair has its own way; between hosts each has one link.
        topology: match hosts.len() {
            0 | 1 => MachineTopology::Mesh,
            _ => MachineTopology::Switch,
        },
        clock_error: observed.iter().map(|one| one.arrival_error).fold(0.0, f64::max),
        seed: args.seed,
        knees: &knees,
    };
    let runs = args.runs.iter().map(|run| run.display().to_string()).collect::<Vec<_>>();
    calibrate(&stretches, &wanted).with_context(|| runs.join(", "))
}

/// A run by its name and by what no other run has.
fn of_run(one: &Observed) -> String {
    match one.run.info.id {
        Some(id) => format!("{} ({id})", one.name),
        None => one.name.clone(),
    }
}

/// Where the times by size break, as the report of a sweep has it.
fn knees(times: &[(u64, Vec<f64>)]) -> Vec<u64> {
    let point = |(bytes, visits): &(u64, Vec<f64>)| {
        let mut sorted = visits.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let value = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let visits = visits.iter().map(|visit| [*visit; 2]).collect();
        stats::knees::Point { bytes: *bytes, values: [value; 2], visits }
    };
    let points: Vec<_> = times.iter().map(point).collect();
    let fit = stats::knees::fit(&points, false);
    let segments = fit.into_iter().flat_map(|fit| fit.segments);
    segments.skip(1).map(|segment| segment.from_bytes).collect()
}

/// That nodes lacked cores while it was recorded.
fn was_crowded(one: &Observed) -> Option<String> {
    let part = one.without_core.filter(|part| *part > QUIET)?;
    Some(format!(
        "While {} was recorded its nodes were ready without a core for {:.0} % of the time: each \
        other, other programs or the kernel's network had it, and its figures are right beside as \
        much else",
        one.name,
        part * 100.0
    ))
}

/// What the machine is not, in sentences.
fn remarks(calibrated: &Calibrated) -> Vec<String> {
    let mut remarks: Vec<String> = calibrated.open.iter().map(sentence).collect();
    if let Some(short) = calibrated.short {
        remarks.push(format!(
            "Sending and receiving one after another add up to {} more than the {} that one way \
            takes at {} B: they were cut, so that round trips are right",
            time(short.by),
            time(short.one_way),
            short.bytes
        ));
    }
    if let Some((bytes, measured, by)) = calibrated.stream
        && (by / measured.max(1.0) - 1.0).abs() > STREAM_OFF
    {
        remarks.push(format!(
            "A stream of {bytes} B took {} a message, but takes {} by these figures",
            time(measured),
            time(by)
        ));
    }
    let (bytes, measured, fitted) = calibrated.worst;
    remarks.push(format!(
        "One way lies farthest off at {bytes} B: {} measured, {} by these figures",
        time(measured),
        time(fitted)
    ));
    remarks.push("Timers, losses and what differs from message to message are not in it".into());
    remarks
}

fn sentence(open: &Open) -> String {
    let remedy = match open.remedy {
        "" => "no benchmark tells more".into(),
        workload => format!("`fourstamp bench {workload}` would tell"),
    };
    format!("Not told apart: {}: {} ({remedy})", open.figures, open.why)
}

fn time(ns: f64) -> String {
    fabric::MachineUnit::Time.show(ns)
}

fn heading(observed: &[Observed], remarks: &[String]) -> Vec<String> {
    let runs = observed.iter().map(|one| one.run.path().display().to_string());
    let first =
        format!("By `fourstamp machine calibrate`, of {}.", runs.collect::<Vec<_>>().join(", "));
    let rest = remarks.iter().map(|remark| format!("{remark}."));
    std::iter::once(first).chain(rest).collect()
}

fn document(machine: &Machine, remarks: &[String]) -> Document {
    let mut table = Table::new("open", [Column::text("remark", "what the runs leave open")]);
    table.wordy = true;
    for remark in remarks {
        table.push([Cell::new(remark.clone())]);
    }
    let mut document = super::one(machine);
    document.opening = vec![Block::Lead(machine.about.clone())];
    document.sections.push(Section::new("open", "Not in it", "").table(table));
    document
}
