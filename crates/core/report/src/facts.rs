//! What a report says about a run besides its messages: what ran, where, on which clocks, what was
//! lost.

use clock::Source;
use record::{Domain, Machine, RunInfo, State};
use serde_json::Value;
use std::path::{Path, PathBuf};

use crate::product_facts::ProductFacts;

/// The facts of one run, as text ready to be shown. Nothing here is escaped yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// What tells the run from others that are shown with it and have the same title; empty where
    /// that is not needed (see [`tell_apart`]).
    pub name: String,
    /// `pingpong`, `stream`, ...
    pub workload: String,
    /// `thread`, `shm`, `tcp`, ...
    pub transport: String,
    /// `mesh`, `hypercube`, ...
    pub topology: String,
    /// Nodes in each launch.
    pub nodes: usize,
    /// Fresh starts of all nodes.
    pub launches: usize,
    /// Every parameter of the workload: name and value.
    pub parameters: Vec<(String, String)>,
    /// What a product's part of `run.json` says.
    pub product: ProductFacts,
    /// The machine: host, processor, cores, kernel, memory, ...
    pub machine: Vec<(String, String)>,
    /// The clocks that the stamps were read on.
    pub clock: ClockFacts,
    /// When it began, as text with time zone.
    pub started: String,
    /// The command that was given.
    pub command: String,
    /// The program that recorded it, with its version.
    pub program: String,
    /// What was lost.
    pub lost: Lost,
    /// Remarks of the recording: nodes that could not be pinned, buffers that could not be named,
    /// ...
    pub notes: Vec<String>,
}

/// The clocks of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockFacts {
    /// Where time was read: `TSC`, `CLOCK_MONOTONIC_RAW`, ...
    pub source: String,
    /// The step that the clock moves in, ns: the largest of the nodes'.
    pub step_ns: Option<f64>,
    /// Time was simulated: each launch of the same is the same.
    pub simulated: bool,
    /// Cost of one reading, ns.
    pub read_cost_ns: Option<f64>,
    /// Largest error between the stamps of two nodes, ns; 0 when all nodes share one clock.
    pub error_ns: Option<f64>,
    /// One line for each clock model.
    pub models: Vec<String>,
}

/// What a run lost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lost {
    /// Whether the run was cut before its end.
    pub cut: bool,
    /// Messages dropped because a buffer was full.
    pub dropped: u64,
    /// Damaged chunks of live logs, and the messages known to have been in them.
    pub damaged_chunks: u64,
    /// See `damaged_chunks`.
    pub damaged_rows: u64,
    /// Nodes whose last messages went with their buffer.
    pub missing_buffers: u64,
    /// Sends of a bare run that no receive belongs to.
    pub unmatched_sends: u64,
    /// Receives of a bare run that no send belongs to.
    pub unmatched_receives: u64,
    /// Messages that are not read: what says whose they are and on which clock is missing.
    pub rows_without_sheet: u64,
    /// Messages that name a node of which nothing is known.
    pub rows_of_unknown_nodes: u64,
    /// Those nodes; an older run does not say.
    pub unknown_nodes: Vec<u32>,
    /// Times that measuring stopped to write a full buffer out.
    pub pauses: u64,
    /// What failed, one line each.
    pub failures: Vec<String>,
}

impl Facts {
    /// `pingpong over tcp`, `stream over shm, hypercube, blocking`; `pingpong-tcp-2: pingpong over
    /// tcp` beside its like.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            self.kind_of_run()
        } else {
            format!("{}: {}", self.name, self.kind_of_run())
        }
    }

    fn kind_of_run(&self) -> String {
        if self.product.on.is_some() && !self.workload.is_empty() {
            return self.workload.clone();
        }
        let mut title = match (self.workload.as_str(), self.transport.as_str()) {
            ("", "") => "run".to_owned(),
            (workload, "") => workload.to_owned(),
            ("", transport) => transport.to_owned(),
            (workload, transport) => format!("{workload} over {transport}"),
        };
        // What makes a run another run than its namesake, where it is not the usual.
        if !self.topology.is_empty() && self.topology != "mesh" {
            title = format!("{title}, {}", self.topology);
        }
        if self
            .parameters
            .iter()
            .any(|(name, value)| name.eq_ignore_ascii_case("receive") && value == "blocking")
        {
            title += ", blocking";
        }
        title
    }

    /// The topology where the title does not name it.
    pub(crate) fn topology_besides_title(&self) -> &str {
        let is_named = self.product.on.is_some() || self.title().contains(&self.topology);
        if is_named { "" } else { &self.topology }
    }
}

/// Name the runs that would have the same title by their folders: by as much of each path, from its
/// end, as differs. One that is shown twice is numbered.
pub fn tell_apart(runs: Vec<(&mut Facts, &Path)>) {
    let titles: Vec<String> = runs.iter().map(|(facts, _)| facts.title()).collect();
    let paths: Vec<PathBuf> = runs.iter().map(|(_, path)| path.components().collect()).collect();
    let namesakes = |at: usize| (0..titles.len()).filter(move |other| *other != at);
    let named = |at: usize| -> Option<String> {
        let like: Vec<usize> = namesakes(at).filter(|other| titles[*other] == titles[at]).collect();
        let others: Vec<&Path> = like
            .iter()
            .map(|other| paths[*other].as_path())
            .filter(|path| *path != paths[at])
            .collect();
        let before =
            like.iter().filter(|other| **other < at && paths[**other] == paths[at]).count();
        let number = if before > 0 { format!(" ({})", before + 1) } else { String::new() };
        (!like.is_empty()).then(|| format!("{}{number}", ending(&paths[at], &others)))
    };
    let names: Vec<Option<String>> = (0..titles.len()).map(named).collect();
    for ((facts, _), name) in runs.into_iter().zip(names) {
        facts.name = name.unwrap_or_default();
    }
}

/// The shortest ending of `path` that no other has.
fn ending(path: &Path, others: &[&Path]) -> String {
    let parts: Vec<_> = path.components().collect();
    let last = |count: usize| parts[parts.len() - count..].iter().collect::<PathBuf>();
    let alone = |count: &usize| others.iter().all(|other| !other.ends_with(last(*count)));
    let count = (1..=parts.len()).find(alone).unwrap_or(parts.len());
    last(count).display().to_string()
}

impl From<&RunInfo> for Facts {
    fn from(info: &RunInfo) -> Facts {
        Facts::with(info, &[], ProductFacts::default())
    }
}

impl Facts {
    /// The facts of a run, with what its product knows of it; parameters of these names are
    /// results.
    pub(crate) fn with(info: &RunInfo, keys: &[&str], product: ProductFacts) -> Facts {
        let mut parameters = parameters(info, keys);
        parameters.splice(0..0, product.parameters.iter().cloned());
        Facts {
            product,
            name: String::new(),
            workload: info.workload.clone(),
            transport: info.transport.clone(),
            topology: info.topology.replace('-', " "),
            nodes: info.launches.iter().map(|launch| launch.nodes.len()).max().unwrap_or(0),
            launches: info.launches.len(),
            parameters,
            machine: machine(&info.machine),
            clock: clock(info),
            started: started(info.started),
            command: info.command.join(" "),
            program: info.program.clone(),
            lost: lost(info),
            notes: notes(info),
        }
    }
}

/// All but the results, which are none.
fn parameters(info: &RunInfo, keys: &[&str]) -> Vec<(String, String)> {
    let given = info.parameters.iter().filter(|(name, _)| !keys.contains(&name.as_str()));
    given.map(|(name, value)| parameter(name, value)).collect()
}

/// A parameter as people read it: `size_bytes: 4096` becomes `Size: 4 KiB`.
pub fn parameter(name: &str, value: &Value) -> (String, String) {
    type Show = fn(f64) -> String;
    const UNITS: [(&str, Show); 5] = [
        ("_bytes", |n| document::size(n as u64)),
        ("_ns", document::time),
        ("_us", |n| document::time(n * 1e3)),
        ("_ms", |n| document::time(n * 1e6)),
        ("_s", |n| document::time(n * 1e9)),
    ];
    // A rate such as `rate_per_s` ends in a unit, too, but is no time.
    let unit = UNITS.iter().find(|(ending, _)| name.ends_with(ending) && !name.ends_with("_per_s"));
    match (unit, value.as_f64()) {
        (Some((ending, show)), Some(number)) => {
            (readable(&name[..name.len() - ending.len()]), show(number))
        }
        _ => (readable(name), shown(value)),
    }
}

fn readable(name: &str) -> String {
    let mut letters = name.replace(['_', '-'], " ").chars().collect::<Vec<char>>();
    if let Some(first) = letters.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    letters.into_iter().collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => document::count(whole),
            (None, Some(fraction)) => document::six_figures(fraction),
            (None, None) => number.to_string(),
        },
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.iter().filter_map(field).collect::<Vec<_>>().join(", "),
    }
}

/// A part of a parameter; what is named says its name alone, and what is 0 is not there.
fn field((name, value): (&String, &Value)) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        _ if name == "name" => Some(shown(value)),
        _ => Some(format!("{} {}", name.replace('_', " "), shown(value))),
    }
}

fn machine(machine: &Machine) -> Vec<(String, String)> {
    let known = |n: u64, text: String| if n == 0 { String::new() } else { text };
    let memory = format!("{:.1}\u{a0}GiB", machine.memory_bytes as f64 / (1u64 << 30) as f64);
    [
        ("Host", machine.host.clone()),
        ("Processor", machine.cpu.clone()),
        ("Cores", known(u64::from(machine.cores), machine.cores.to_string())),
        ("Kernel", machine.kernel.clone()),
        ("Memory", known(machine.memory_bytes, memory)),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn clock(info: &RunInfo) -> ClockFacts {
    let domains = domains_of_nodes(info);
    let mut sources: Vec<String> = domains.iter().map(|domain| domain.source.to_string()).collect();
    sources.dedup();
    let qualities = || info.nodes().map(|(_, node)| &node.quality);
    ClockFacts {
        source: sources.join(", "),
        step_ns: qualities().map(|quality| quality.step_ns).reduce(f64::max),
        read_cost_ns: qualities().map(|quality| quality.read_cost_ns).reduce(f64::max),
        simulated: domains.iter().any(|domain| domain.source == Source::Simulated),
        error_ns: error_ns(&domains),
        models: domains.iter().copied().map(model).collect(),
    }
}

/// The clocks that nodes read: the coordinator's may be no node's.
fn domains_of_nodes(info: &RunInfo) -> Vec<&Domain> {
    let is_read = |domain: &&Domain| info.nodes().any(|(_, node)| node.domain == domain.id);
    info.domains.iter().filter(is_read).collect()
}

/// The largest error between two nodes: two domains may err in opposite directions.
fn error_ns(domains: &[&Domain]) -> Option<f64> {
    if domains.len() == 1 {
        return Some(0.0);
    }
    let mut errors: Vec<f64> =
        domains.iter().map(|domain| domain.error_ns).collect::<Option<_>>()?;
    errors.sort_by(|a, b| b.total_cmp(a));
    errors.first().map(|first| first + errors.get(1).unwrap_or(&0.0))
}

fn model(domain: &Domain) -> String {
    let role = if domain.reference { ", the reference" } else { "" };
    match &domain.model {
        Some(model) => format!("{}: {}{role}; on the timeline {model}", domain.id, domain.source),
        None => format!("{}: {}{role}; not fitted", domain.id, domain.source),
    }
}

fn started(at: jiff::Timestamp) -> String {
    at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string()
}

fn lost(info: &RunInfo) -> Lost {
    let lost = &info.lost;
    Lost {
        cut: lost.cut || info.state == State::Cut,
        dropped: lost.dropped_rows,
        damaged_chunks: lost.damaged_chunks,
        damaged_rows: lost.damaged_rows,
        missing_buffers: lost.missing_buffers,
        unmatched_sends: lost.unmatched_sends,
        unmatched_receives: lost.unmatched_receives,
        rows_without_sheet: lost.rows_without_sheet,
        rows_of_unknown_nodes: lost.rows_of_unknown_nodes,
        unknown_nodes: lost.unknown_nodes.clone(),
        pauses: info.nodes().map(|(_, node)| node.pauses).sum(),
        failures: info.failures.clone(),
    }
}

/// Remarks of the run and of its nodes; the same remark of several nodes is made once.
fn notes(info: &RunInfo) -> Vec<String> {
    let mut of_nodes: Vec<(&str, Vec<u32>)> = Vec::new();
    for (_, node) in info.nodes() {
        for note in &node.notes {
            match of_nodes.iter_mut().find(|(said, _)| said == note) {
                Some((_, nodes)) if nodes.contains(&node.node) => {}
                Some((_, nodes)) => nodes.push(node.node),
                None => of_nodes.push((note, vec![node.node])),
            }
        }
    }
    let named = |(note, nodes): (&str, Vec<u32>)| {
        let numbers: Vec<String> = nodes.iter().map(u32::to_string).collect();
        format!("node{} {}: {note}", if nodes.len() == 1 { "" } else { "s" }, numbers.join(", "))
    };
    info.notes.iter().cloned().chain(of_nodes.into_iter().map(named)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parameters_read_like_words() {
        let cases = [
            ("size_bytes", json!(4096), ("Size", "4 KiB")),
            ("duration_ms", json!(1500), ("Duration", "1.50 s")),
            ("rate_per_s", json!(10_000), ("Rate per s", "10 000")),
            ("warm_up", json!(1000), ("Warm up", "1000")),
            ("all", json!(true), ("All", "yes")),
        ];
        for (name, value, (shown_name, shown_value)) in cases {
            let (name, value) = parameter(name, &value);
            assert_eq!(
                (name.as_str(), document::plain(&value).as_str()),
                (shown_name, shown_value)
            );
        }
    }

    #[test]
    fn a_title_tells_runs_apart() {
        let mut info = RunInfo::new("stream");
        (info.transport, info.topology) = ("shm".to_owned(), "mesh".to_owned());
        assert_eq!(Facts::from(&info).title(), "stream over shm");
        info.topology = "hypercube".to_owned();
        info.parameters.insert("receive".to_owned(), json!("blocking"));
        let facts = Facts::from(&info);
        assert_eq!(facts.title(), "stream over shm, hypercube, blocking");
        assert_eq!(facts.topology_besides_title(), "");
    }

    #[test]
    fn runs_of_one_title_are_told_apart_by_their_folders() {
        let facts = |workload: &str| Facts { workload: workload.to_owned(), ..Facts::default() };
        let mut runs =
            [facts("relay"), facts("burst"), facts("relay"), facts("relay"), facts("relay")];
        let paths = ["/a/x", "/a/y", "/b/x", "/b/z/", "/b/x"].map(Path::new);
        tell_apart(runs.iter_mut().zip(paths).collect());
        let titles: Vec<String> = runs.iter().map(Facts::title).collect();
        assert_eq!(titles, ["a/x: relay", "burst", "b/x: relay", "z: relay", "b/x (2): relay"]);
    }

    #[test]
    fn a_run_of_this_machine_has_its_facts() {
        let mut info = RunInfo::new("pingpong");
        info.transport = "tcp".to_owned();
        info.lost.dropped_rows = 3;
        info.failures.push("node 1 died".to_owned());
        let facts = Facts::from(&info);
        assert_eq!(facts.title(), "pingpong over tcp");
        assert!(facts.machine.iter().any(|(name, _)| name == "Kernel"));
        assert_eq!((facts.lost.dropped, facts.lost.failures.len()), (3, 1));
    }
}
