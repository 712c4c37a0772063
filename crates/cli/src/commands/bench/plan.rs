//! From arguments to what is measured: the fabric, the plan, what `run.json` says, the options of a
//! launch.

use crate::args::{Common, Receive, RecordTo, WhenFull, WorkloadArgs};
use crate::launching;
use crate::work::BenchJob;
use anyhow::{Error, Result};
use bench::{Length, Plan, Workload};
use fabric::{NodePlace, Plant, SHM, Spec, TransportSpec, Waiting};
use launch::{LaunchOptions, Starter};
use record::{Mode, RecorderOptions, RunInfo};

/// Rows up to which a recording of known length is kept in memory, per node: 512 MiB.
const ROWS_IN_MEMORY_MAX: u64 = 1 << 23;
/// Rows of the buffer when streaming, or when the length is not known.
const ROWS_STREAMING: u64 = 1 << 20;

/// Further sizes of a sweep, unless each is visited anyway.
const USUAL_REFINE: u32 = 24;

/// The fabric that is asked for.
pub fn spec(workload: &WorkloadArgs) -> Result<Spec> {
    let common = workload.common();
    let nodes = common.nodes.unwrap_or(workload.usual_nodes());
    let transport = transport(common)?;
    let wait = match common.receive {
        Some(Receive::Polling) => Waiting::Polling,
        Some(Receive::Blocking) => Waiting::Blocking,
        None if (transport.kind.must_block)(&transport.settings) => Waiting::Blocking,
        None if launching::has_a_core_each(nodes) => Waiting::Polling,
        None => Waiting::Blocking,
    };
    let peer_timeout_ms = launching::patience(transport.kind, common.peer_timeout);
    Ok(Spec {
        nodes,
        transport,
        topology: launching::topology(common.topology, common.packet),
        wait,
        peer_timeout_ms,
        path_room: None,
        plant: plant(common),
    })
}

fn plant(common: &Common) -> Option<Plant> {
    (!common.plant.is_empty()).then(|| Plant { seed: common.seed, plantings: common.plant.clone() })
}

fn transport(common: &Common) -> Result<TransportSpec> {
    let kind = common.asked_transport().unwrap_or(&SHM);
    let settings = common.of_transport.settings(kind).map_err(Error::msg)?;
    Ok(TransportSpec { settings, ..TransportSpec::of(kind) })
}

/// What to do on it.
pub fn plan(workload: &WorkloadArgs, spec: &Spec) -> Result<Plan> {
    let common = workload.common();
    let (workload, usual_count) = match workload {
        WorkloadArgs::Pingpong { .. } => (
            Workload::Pingpong,
            match spec.transport.kind.nodes {
                NodePlace::OneProcess => 200_000,
                _ => 100_000,
            },
        ),
        WorkloadArgs::Stream { rate, batch, all, .. } => {
            (Workload::Stream { rate_per_s: *rate, batch: *batch, all: *all }, 500_000)
        }
        WorkloadArgs::Burst { messages, gap, batch, .. } => {
            let gap_us = gap.as_micros() as u64;
            (Workload::Burst { messages: *messages, gap_us, batch: *batch }, 1_000)
        }
        WorkloadArgs::Relay { .. } => (Workload::Relay, 20_000),
        WorkloadArgs::Sweep { largest, repeats, refine, every, .. } => {
            let usual = if every.is_some() { 0 } else { USUAL_REFINE };
            let workload = Workload::Sweep {
                largest_bytes: *largest,
                repeats: *repeats,
                refine: refine.unwrap_or(usual),
                every_bytes: *every,
            };
            (workload, 200)
        }
    };
    // Each takes a change of threads or two.
    let usual_count = if spec.transport.is_simulated() { usual_count / 20 } else { usual_count };
    let length = match (common.duration, common.count) {
        (Some(duration), _) => Length::DurationMs(duration.as_millis() as u64),
        (None, count) => Length::Count(count.unwrap_or(usual_count)),
    };
    let usual_warm_up = match length {
        Length::Count(count) => (count / 100).min(1000),
        Length::DurationMs(_) => 1000,
    };
    let warm_up = common.warm_up.unwrap_or(usual_warm_up);
    let work = common.receiver_work.unwrap_or_default();
    Ok(Plan {
        workload,
        size_bytes: common.size,
        length,
        warm_up,
        seed: common.seed,
        receiver_work_ns: work.as_nanos().try_into().unwrap_or(u64::MAX),
    })
}

/// What `run.json` says of it.
pub fn info(plan: &Plan, spec: &Spec, common: &Common) -> RunInfo {
    let mut info = RunInfo::new(plan.workload.name());
    info.transport = spec.transport.name().into();
    info.topology = spec.topology_name().into();
    let mut parameters = serde_json::Map::new();
    let mut set = |name: &str, value: serde_json::Value| parameters.insert(name.into(), value);
    set("nodes", spec.nodes.into());
    set("size_bytes", plan.size_bytes.into());
    match plan.length {
        Length::Count(count) => set("count", count.into()),
        Length::DurationMs(ms) => set("duration_ms", ms.into()),
    };
    set("warm_up", plan.warm_up.into());
    set("launches", common.launches.into());
    set("receive", if spec.wait == Waiting::Polling { "polling" } else { "blocking" }.into());
    set("recording", if common.no_record { "cycles only" } else { "every message" }.into());
    set("seed", plan.seed.into());
    // Said where it is not the usual, so that such a run is told from others.
    if common.no_watch {
        set("watched", false.into());
    }
    if common.real_time {
        set("real_time_priority", true.into());
    }
    if plan.receiver_work_ns > 0 {
        set("receiver_work_ns", plan.receiver_work_ns.into());
    }
    if let Some(threads) = common.background.background {
        set("background_threads", threads.into());
    }
    if let Some(rate) = common.background.background_traffic {
        set("background_traffic_bits_per_s", rate.into());
    }
    if let Ok(serde_json::Value::Object(workload)) = serde_json::to_value(&plan.workload) {
        parameters.extend(
            workload.into_iter().filter(|(name, value)| name != "name" && !value.is_null()),
        );
    }
    if let fabric::Topology::Hypercube { packet_bytes } = spec.topology {
        parameters.insert("packet_bytes".into(), packet_bytes.into());
    }
    if let Some(plant) = &spec.plant {
        let texts: Vec<String> = plant.plantings.iter().map(ToString::to_string).collect();
        parameters.insert("plant".into(), texts.into());
        info.notes.push(
            "delays were planted in this run (--plant): it is a test, not a measurement".into(),
        );
    }
    if let serde_json::Value::Object(mut settings) = spec.transport.settings.clone() {
        // It is told as a whole elsewhere.
        settings.remove("machine");
        parameters.extend(settings.into_iter().filter(|(_, value)| !value.is_null()));
    }
    info.parameters = parameters;
    launching::note_machine(&mut info, spec);
    info
}

/// One launch of it.
pub fn options(
    launch: u32,
    common: &Common,
    spec: &Spec,
    job: &BenchJob,
    starter: Starter,
) -> LaunchOptions {
    let mut options = LaunchOptions::new(launch, spec.clone(), launching::hosting(spec), starter);
    options.more = launch + 1 < common.launches;
    options.recorder = recorder(common, &job.plan);
    options.deadlines.progress =
        options.deadlines.progress.map(|limit| limit.saturating_add(job.plan.longest_pause()));
    options.deadlines.answer = common.peer_timeout.max(launching::LEAST_ANSWER);
    options
}

/// Rows in memory where the length is known and they fit; else a buffer that a thread empties.
fn recorder(common: &Common, plan: &Plan) -> RecorderOptions {
    let expected = match plan.length {
        Length::Count(_) => Some(rows_of_busiest_node(plan)),
        Length::DurationMs(_) => None,
    };
    let mode = match (common.record, expected) {
        (Some(RecordTo::Memory), _) => Mode::Memory,
        (Some(RecordTo::Stream), _) => Mode::Stream,
        (None, Some(rows)) if rows <= ROWS_IN_MEMORY_MAX => Mode::Memory,
        (None, _) => Mode::Stream,
    };
    let capacity_rows = match (mode, expected) {
        (Mode::Memory, Some(rows)) => rows.min(ROWS_IN_MEMORY_MAX),
        _ => ROWS_STREAMING,
    };
    let when_full = match common.when_full {
        WhenFull::Block => record::WhenFull::Block,
        WhenFull::Drop => record::WhenFull::Drop,
    };
    RecorderOptions { mode, capacity_rows, when_full }
}

/// A node writes a row for each message that it takes and for each cycle that it leads.
fn rows_of_busiest_node(plan: &Plan) -> u64 {
    let rows = match &plan.workload {
        Workload::Stream { all: true, .. } => 2 * plan.counted(),
        Workload::Stream { batch, .. } => plan.counted() + u64::from(*batch),
        Workload::Burst { messages, .. } => plan.counted() + u64::from(*messages),
        Workload::Pingpong | Workload::Relay | Workload::Sweep { .. } => 2 * plan.counted(),
    };
    rows + 64
}
