//! `fourstamp machine check`: the same benchmarks in simulated time, beside what was measured.

use crate::analyse::{Analysed, analyse, open};
use crate::args::{BenchArgs, Cli, Command, MachineCheckArgs, WorkloadArgs};
use crate::commands::bench::measure;
use crate::launching::Nodes;
use anyhow::{Context, Result, bail};
use clap::Parser;
use document::{Cell, Column, Document, Section, Table};
use fabric::{FIELDS, MACHINE, Machine, MachineUnit};
use record::{Batch, Field, Kind, NULL, Run, RunInfo};
use serde_json::Value;
use stats::analysis::{Stage, StageView};
use std::collections::BTreeMap;
use std::path::Path;

/// Messages or round trips that are simulated at most: another is the same.
const SIMULATED: u64 = 2000;
/// The same of each size of a sweep.
const OF_A_SIZE: u64 = 20;
/// Quantiles that are compared.
const QUANTILES: [(f64, &str); 3] = [(0.5, "median"), (0.9, "p90"), (0.99, "p99")];

/// What is compared, in ns.
type Figures = Vec<(String, f64)>;

/// Simulate each run on the machine, and compare.
pub fn run(args: &MachineCheckArgs) -> Result<()> {
    let mut table = table();
    for path in &args.runs {
        let measured = open(path)?;
        let workload = asked(path, &measured.info)?;
        let figures = figures(&analyse(path, 1, &stats::Filter::default())?, &measured)?;
        let [as_it_is, fast, slow] = bounds(&args.machine);
        let simulate = |machine: &Machine| simulated(&workload, machine, path);
        let best = simulate(&as_it_is)?;
        let ends = [simulate(&fast)?, simulate(&slow)?];
        let of = if made_of(&args.machine, &measured.info, path) { "made of it" } else { "new" };
        for (name, measured) in &figures {
            let find = |of: &Figures| Some(of.iter().find(|(other, _)| other == name)?.1);
            let Some(value) = find(&best) else { continue };
            let ends = [find(&ends[0]).unwrap_or(value), find(&ends[1]).unwrap_or(value)];
            table.push(row(path, of, name, *measured, value, ends));
        }
    }
    let said = "The same workload in simulated time. 'Within' says whether the measured figure \
        lies between those with every figure of the machine at the fast and at the slow end of its \
        range. A machine has no spread of its own unless its file has timers or losses: compare \
        medians first.";
    let document = Document {
        title: format!("{}, checked", args.machine.name),
        sections: vec![Section::new("check", "Measured and simulated", said).table(table)],
        ..Document::default()
    };
    args.show.show(&document, "check")
}

fn table() -> Table {
    let mut table = Table::new(
        "check",
        [
            Column::text("run", "run"),
            Column::text("of", "machine"),
            Column::text("figure", "figure"),
            Column::text("measured", "measured"),
            Column::text("simulated", "simulated"),
            Column::text("ratio", "simulated / measured"),
            Column::text("range", "by its ranges"),
            Column::text("within", "within"),
        ],
    );
    table.wordy = true;
    table
}

fn row(
    path: &Path,
    of: &str,
    name: &str,
    measured: f64,
    simulated: f64,
    ends: [f64; 2],
) -> [Cell; 8] {
    let time = |ns: f64| MachineUnit::Time.show((ns * 10.0).round() / 10.0);
    let [low, high] = [ends[0].min(ends[1]).min(simulated), ends[0].max(ends[1]).max(simulated)];
    let within = if (low..=high).contains(&measured) { "yes" } else { "no" };
    [
        Cell::new(path.display().to_string()),
        Cell::new(of),
        Cell::new(name),
        Cell::new(time(measured)),
        Cell::new(time(simulated)),
        Cell::new(if measured < 1.0 {
            String::new()
        } else {
            format!("{:.3}", simulated / measured)
        }),
        Cell::new(format!("{} to {}", time(low), time(high))),
        Cell::new(within),
    ]
}

/// The machine as it is, and with every figure at the fast and at the slow end of its range.
fn bounds(machine: &Machine) -> [Machine; 3] {
    let end = |name: &str, fast: bool| {
        let field = FIELDS.iter().find(|field| field.name == name);
        let rate = field
            .is_some_and(|field| matches!(field.unit, MachineUnit::Rate | MachineUnit::Ratio))
            || ["network.buffers", "network.window", "network.packet", "network.eager"]
                .contains(&name);
        f64::from(u8::from(fast == rate))
    };
    let at = |fast: bool| machine.clone().within_ranges(|name| end(name, fast));
    [machine.clone(), at(true), at(false)]
}

/// Whether the machine's file names the run.
fn made_of(machine: &Machine, info: &RunInfo, path: &Path) -> bool {
    if let Some(id) = info.id {
        return machine.about.contains(&id.to_string());
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.is_some_and(|name| {
        let words = machine.about.split([' ', ',', '.']);
        words.into_iter().any(|word| word == name)
    })
}

/// The run's workload as a command, with as many messages as are worth simulating.
fn asked(path: &Path, info: &RunInfo) -> Result<WorkloadArgs> {
    let given = |name: &str| info.parameters.get(name).filter(|value| !value.is_null());
    let number = |name: &str| given(name).and_then(Value::as_u64);
    let workload = info.workload.as_str();
    let most = if workload == "sweep" { OF_A_SIZE } else { SIMULATED };
    let count = number("count").unwrap_or(most).clamp(1, most);
    let mut words = vec!["fourstamp".to_owned(), "bench".into(), workload.into()];
    let mut set = |option: &str, value: String| words.extend([format!("--{option}"), value]);
    set("count", count.to_string());
    set("warm-up", "0".into());
    set("launches", "1".into());
    let options: &[(&str, &str)] = match workload {
        "pingpong" | "relay" => &[],
        "stream" => &[("rate_per_s", "rate"), ("batch", "batch")],
        "burst" => &[("messages", "messages")],
        "sweep" => &[("largest_bytes", "largest")],
        other => bail!(
            "{} is a run of '{other}': only runs of `fourstamp bench` can be checked",
            path.display()
        ),
    };
    for (name, option) in
        [("nodes", "nodes"), ("size_bytes", "size"), ("seed", "seed")].iter().chain(options)
    {
        if let Some(value) = given(name) {
            set(option, value.to_string());
        }
    }
    match workload {
        "burst" => set("gap", format!("{}us", number("gap_us").unwrap_or(10_000))),
        "sweep" => {
            set("repeats", "1".into());
            set("refine", "0".into());
        }
        _ => {}
    }
    if workload == "stream" && given("rate_per_s").is_some() {
        words.retain(|word| word != "--batch");
    }
    if given("all").and_then(Value::as_bool) == Some(true) {
        words.push("--all".into());
    }
    let wrong = || format!("{}: its parameters", path.display());
    match Cli::try_parse_from(words).with_context(wrong)?.command {
        Command::Bench(BenchArgs { workload }) => Ok(workload),
        _ => bail!("{}: is no benchmark", path.display()),
    }
}

/// The workload on the machine, in a folder that goes when it has been read.
fn simulated(workload: &WorkloadArgs, machine: &Machine, path: &Path) -> Result<Figures> {
    let cannot = || format!("cannot simulate {} on {}", path.display(), machine.name);
    let folder = tempfile::tempdir().with_context(cannot)?;
    let out = folder.path().join("run");
    let mut workload = workload.clone();
    let common = workload.common_mut();
    common.transport = Some(&MACHINE);
    common.of_transport.given.insert("on".into(), serde_json::to_value(machine)?);
    common.out = Some(out.clone());
    common.no_watch = true;
    measure(&workload, &Nodes::Here).with_context(cannot)?;
    let run = Run::open(&out)?;
    figures(&analyse(&out, 1, &stats::Filter::default())?, &run)
}

/// What a run is compared by.
fn figures(analysed: &Analysed, run: &Run) -> Result<Figures> {
    let analysis = &analysed.analysis;
    if run.info.workload == "sweep" {
        let sizes = analysis.sizes.iter();
        return Ok(sizes
            .map(|size| (format!("round trip of {} B, median", size.bytes), size.p50_ns as f64))
            .collect());
    }
    let mut figures = Vec::new();
    if let Some(cycles) = &analysis.cycles {
        quantiles(&mut figures, "round trip", cycles);
    }
    for stage in &analysis.stages {
        let name = match stage.stage {
            Stage::EndToEnd => "one way",
            Stage::SendWait => "send wait",
            Stage::Transit => "transit",
            Stage::ReceiveWait => "receive wait",
        };
        quantiles(&mut figures, name, stage);
    }
    figures.extend(a_message(run)?.map(|time| ("whole run, a message".to_owned(), time)));
    Ok(figures)
}

fn quantiles(figures: &mut Figures, name: &str, view: &StageView) {
    for (p, word) in QUANTILES {
        let found = view.summary.quantiles.iter().find(|quantile| (quantile.p - p).abs() < 1e-9);
        figures.extend(found.map(|found| (format!("{name}, {word}"), found.value_ns as f64)));
    }
}

/// From the first message's ready to the last one's taken, by the number of messages: the middle
/// one of the launches.
fn a_message(run: &Run) -> Result<Option<f64>> {
    const FIELDS: [Field; 3] = [Field::Kind, Field::ReadyNs, Field::TakenNs];
    let (mut batch, mut launches) = (Batch::new(), BTreeMap::<u32, (i64, i64, u64)>::new());
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        let (first, last, count) =
            launches.entry(chunk.launch()).or_insert((i64::MAX, i64::MIN, 0));
        for row in 0..chunk.rows() {
            let [kind, ready, taken] = FIELDS.map(|field| batch.column(field).at(row));
            if kind == Kind::Data as i64 && ready != NULL && taken != NULL {
                (*first, *last, *count) = ((*first).min(ready), (*last).max(taken), *count + 1);
            }
        }
    }
    let each = launches.values().filter(|launch| launch.2 > 0);
    let mut each: Vec<f64> =
        each.map(|(first, last, count)| (last - first) as f64 / *count as f64).collect();
    each.sort_unstable_by(f64::total_cmp);
    Ok(each.get(each.len() / 2).copied())
}
