//! The result on the terminal.

use super::plan::Plan;
use super::results::Results;
use comfy_table::{CellAlignment, Table, presets};
use document::{count, time_text};
use fabric::Pinning;
use report::ratio_text;
use serde_json::{Value, json};
use std::time::Duration;
use timewarp::VirtualTime;
use warp::{CriticalPath, KindCopies, Summary};

/// How the sequential run compares.
pub struct Check {
    /// How long it took.
    pub elapsed: Duration,
    /// What looking at the model's invariants came to, where it has any.
    pub audited: Option<String>,
}

/// The result as a person or a program is to read it, and how it compares if that was asked for.
pub fn text(results: &Results<'_>, check: Option<&Check>) -> String {
    let Results { plan, summary, .. } = results;
    if plan.common.csv {
        return csv(summary);
    }
    if plan.common.json {
        return json(results, check);
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (name, value, remark) in lines(results) {
        table.add_row(vec![name.to_string(), value, remark]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{}\n{table}\n", plan.label(plan.spec().transport.name()));
    if let Some(Check { elapsed, audited }) = check {
        text.push_str(&compared(plan, summary, *elapsed));
        if let Some(found) = audited {
            text.push_str(&format!("{found}\n"));
        }
    }
    if let Some(path) = &results.path {
        text.push_str(&critical_path(results, path));
    }
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// That the results are equal, and which run took longer where both took real time.
fn compared(plan: &Plan, summary: &Summary, elapsed: Duration) -> String {
    if plan.job.costs.is_some() {
        return "Matches the sequential run\n".into();
    }
    let in_order = elapsed.as_secs_f64();
    let compared = match in_order / summary.seconds.max(1e-9) {
        ratio if ratio >= 1.0 => format!("{} faster", ratio_text(ratio)),
        ratio => format!("{} slower", ratio_text(1.0 / ratio.max(1e-9))),
    };
    let took = time_text(in_order * 1e9);
    format!("Matches the sequential run ({took}; this one is {compared})\n")
}

/// What the same events take one after another on the simulated machine, ns.
fn in_order_ns(plan: &Plan, summary: &Summary) -> Option<u64> {
    plan.job.costs.map(|costs| costs.in_order_ns(summary.events))
}

/// Objects of the critical path that are named.
const NAMED: usize = 5;

/// How long the critical path is, what that means, and which objects it goes through.
fn critical_path(results: &Results<'_>, path: &CriticalPath) -> String {
    let ms = |ns: u64| format!("{:.3} ms", ns as f64 / 1e6);
    let mut text = format!(
        "\ncritical path: {} in {} of {} events, whose work takes {}: at most {:.2} times as fast \
        as one node, on any number of nodes\n\
         (the objects' work alone; lazy cancellation may beat it, because it can send a message \
         before everything that it depends on is known)\n",
        ms(path.length_ns),
        count(path.steps.len() as u64),
        count(path.events),
        ms(path.work_ns),
        path.parallelism(),
    );
    let rows = path.by_object();
    for (object, events, ns) in rows.iter().take(NAMED) {
        let share = *ns as f64 / path.length_ns.max(1) as f64 * 100.0;
        let name = results.model.objects().name_of(*object);
        text.push_str(&format!(
            "  {share:5.1} %  {name}, {} events, {}\n",
            count(*events),
            ms(*ns)
        ));
    }
    if rows.len() > NAMED {
        text.push_str(&format!("  and {} more objects\n", count((rows.len() - NAMED) as u64)));
    }
    text
}

/// All figures, and what the comparison and the critical path came to where they were asked for.
fn json(results: &Results<'_>, check: Option<&Check>) -> String {
    let mut figures = serde_json::to_value(results.summary).unwrap_or_default();
    if let Some(map) = figures.as_object_mut() {
        let check = check.map(|check| {
            json!({ "sequential_s": check.elapsed.as_secs_f64(), "invariants": check.audited })
        });
        map.extend(check.map(|check| ("check".to_owned(), check)));
        map.extend(cores_as_json(pinned(results)));
        let copies = results.copies();
        let copies = (!copies.is_empty()).then(|| (KindCopies::KEY.to_owned(), json!(copies)));
        map.extend(copies);
        let on = in_order_ns(results.plan, results.summary);
        map.extend(on.map(|ns| ("in_order_s".to_owned(), json!(ns as f64 / 1e9))));
        let path = results.path.as_ref().map(|path| {
            json!({
                "length_ns": path.length_ns, "work_ns": path.work_ns, "events": path.events,
                "steps": path.steps.len(), "parallelism": path.parallelism(),
            })
        });
        map.extend(path.map(|path| ("critical_path".to_owned(), path)));
    }
    format!("{figures:#}\n")
}

fn csv(summary: &Summary) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(summary) else {
        return String::new();
    };
    let names: Vec<&str> = fields.keys().map(String::as_str).collect();
    let values: Vec<String> =
        fields.values().map(|value| value.to_string().replace('"', "")).collect();
    format!("{}\n{}\n", names.join(","), values.join(","))
}

/// A figure's name, the figure, and what to make of it.
type Line = (&'static str, String, String);

/// Where the nodes ran, if they did in real time and somebody looked for cores for them.
fn pinned<'a>(results: &Results<'a>) -> &'a [Pinning] {
    let plan = results.plan;
    if plan.job.costs.is_none() && !plan.common.no_pin { results.pinned } else { &[] }
}

/// The core of each thread, null where it has none, and why not.
fn cores_as_json(pinned: &[Pinning]) -> Vec<(String, Value)> {
    let cores: Vec<Option<usize>> = pinned.iter().map(core).collect();
    let cores = (!cores.is_empty()).then(|| ("cores".to_owned(), json!(cores)));
    let why = why_free(pinned).map(|why| ("not_pinned".to_owned(), json!(why)));
    cores.into_iter().chain(why).collect()
}

/// The core that a thread has to itself.
fn core(pinned: &Pinning) -> Option<usize> {
    match pinned {
        Pinning::Core(core) => Some(*core),
        Pinning::Free(_) => None,
    }
}

/// Why a thread has no core of its own, where one has none.
fn why_free(pinned: &[Pinning]) -> Option<&String> {
    pinned.iter().find_map(|pinned| match pinned {
        Pinning::Core(_) => None,
        Pinning::Free(reason) => Some(reason),
    })
}

/// The line about it.
fn cores(pinned: &[Pinning]) -> Option<Line> {
    let name = |pinned| core(pinned).map_or("any".into(), |core| core.to_string());
    let cores: Vec<String> = pinned.iter().map(name).collect();
    let (cores, remark) = match (why_free(pinned), cores.as_slice()) {
        (_, []) => return None,
        (None, [core]) => (core.clone(), "pinned to it".into()),
        (None, _) => (cores.join(", "), "each thread is pinned to its own".into()),
        (Some(why), _) if pinned.iter().all(|pinned| core(pinned).is_none()) => {
            ("any".into(), format!("not pinned: {why}"))
        }
        (Some(why), _) => (cores.join(", "), format!("not all are pinned: {why}")),
    };
    Some((if pinned.len() == 1 { "core" } else { "cores" }, cores, remark))
}

/// How many copies of states were made, for each kind whose events did not all have one.
fn copies(of: &[KindCopies]) -> Vec<Line> {
    let line = |kind: &KindCopies| {
        let each = format!("1 for {:.1} executed events of {}", kind.events_each(), kind.kind);
        ("state copies", count(kind.copies), each)
    };
    of.iter().map(line).collect()
}

fn lines(results: &Results<'_>) -> Vec<Line> {
    let (plan, s, nothing) = (results.plan, results.summary, String::new);
    let mut lines = vec![
        ("events", count(s.events), "committed".to_string()),
        ("messages", count(s.messages), nothing()),
        ("final time", final_time(s.final_time), nothing()),
    ];
    if !plan.common.seq {
        lines.extend([
            ("executed", count(s.executed), format!("came true {:.1} %", s.efficiency * 100.0)),
            ("rolled back", count(s.rolled_back), format!("in {} rollbacks", count(s.rollbacks))),
            ("anti-messages", count(s.anti_messages), nothing()),
            ("sent back", count(s.sendbacks), nothing()),
            ("off-node", format!("{:.1} %", s.off_node_share * 100.0), "of event messages".into()),
            ("GVT rounds", count(s.gvt_rounds), nothing()),
        ]);
        lines.extend(copies(&results.copies()));
        if plan.job.keeps_arrivals() {
            let what = "event messages, taken before one that had arrived earlier";
            lines.push(("overtook", count(s.overtook), what.into()));
        }
        if plan.job.engine.balance.is_some() {
            lines.push((
                "migrations",
                count(s.migrations),
                "parts of objects that changed nodes".into(),
            ));
        }
    }
    lines.extend([
        (
            "peak memory",
            format!("{:.1} MiB", s.memory_peak as f64 / f64::from(1 << 20)),
            "of the node with most".into(),
        ),
        ("run time", time_text(s.seconds * 1e9), simulated(plan)),
        ("events/s", count(s.events_per_s as u64), nothing()),
    ]);
    lines.extend(cores(pinned(results)));
    if let Some(in_order_ns) = in_order_ns(plan, s) {
        let speedup = in_order_ns as f64 / 1e9 / s.seconds.max(1e-9);
        let against = format!("of the events one after another, {}", time_text(in_order_ns as f64));
        lines.push(("speed-up", format!("{speedup:.2}"), against));
    }
    lines.extend([
        ("trace digest", s.trace_digest.clone(), nothing()),
        ("state digest", s.state_digest.clone(), nothing()),
    ]);
    lines
}

/// What to make of the run time where it is a simulated machine's.
fn simulated(plan: &Plan) -> String {
    plan.common.on.as_ref().map_or(String::new(), |machine| format!("on {}", machine.name))
}

fn final_time(time: f64) -> String {
    if time <= VirtualTime::NEGINF.simtime() { "none".into() } else { time.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn copies_that_were_left_out_are_told() {
        let kind = KindCopies { kind: "phold".into(), executed: 91, copies: 10 };
        let [(name, value, remark)] = &copies(&[kind])[..] else { panic!("one line a kind") };
        assert_eq!(
            [*name, value, remark],
            ["state copies", "10", "1 for 9.1 executed events of phold"]
        );
    }

    #[test]
    fn what_nodes_are_pinned_to_is_said_or_why_not() {
        let said = |pinned: &[Pinning]| {
            cores(pinned).map(|(name, value, why)| [name, &value, &why].join("|"))
        };
        let free = Pinning::Free("3 nodes share 2 cores".into());
        let as_json = |pinned: &[Pinning]| json!(BTreeMap::from_iter(cores_as_json(pinned)));
        assert_eq!(as_json(&[]), json!({}));
        assert_eq!(
            as_json(&[Pinning::Core(2), free.clone()]),
            json!({ "cores": [2, null], "not_pinned": "3 nodes share 2 cores" })
        );
        assert_eq!(said(&[]), None);
        assert_eq!(said(&[Pinning::Core(3)]).unwrap(), "core|3|pinned to it");
        assert_eq!(
            said(&[Pinning::Core(0), Pinning::Core(2)]).unwrap(),
            "cores|0, 2|each thread is pinned to its own"
        );
        assert_eq!(
            said(&[free.clone(), free.clone()]).unwrap(),
            "cores|any|not pinned: 3 nodes share 2 cores"
        );
        assert_eq!(
            said(&[Pinning::Core(0), free]).unwrap(),
            "cores|0, any|not all are pinned: 3 nodes share 2 cores"
        );
    }
}
