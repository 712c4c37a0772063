//! What the processes of a paged program say of themselves: in files of the run while it goes on,
//! in `run.json` afterwards.

use record::RunInfo;
use serde_json::{Value, json};
use std::path::Path;

/// Where the files are, in the run's folder.
pub const FOLDER: &str = "processes";
/// What it is called in `run.json`.
const KEY: &str = "pager";

/// What each process of the run at `path` said last, by process number.
pub fn processes(path: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(path.join(FOLDER)).into_iter().flatten().flatten();
    let whole = files
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let texts = whole.filter_map(|file| record::read_input(&file).ok());
    let mut processes: Vec<Value> =
        texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect();
    processes.sort_by_key(|process| process["pid"].as_u64());
    processes
}

/// Put it into the run's information.
pub fn complete(info: &mut RunInfo, processes: Vec<Value>) {
    let given = |name: &str| info.parameters.get(name).cloned().unwrap_or_default();
    // The servers of the process that used them most stand for all.
    let servers = processes.iter().max_by_key(|process| process["page_outs"].as_u64());
    let facts = json!({
        "policy": given("policy"),
        "local_bytes": given("local_bytes"),
        "page_bytes": pager::PAGE_BYTES,
        "encrypted": given("encrypted"),
        "servers": servers.map(|process| process["servers"].clone()).unwrap_or_default(),
        "processes": processes,
    });
    info.parameters.insert(KEY.into(), facts);
}

/// The same for a run whose launcher was killed before it could.
pub fn complete_cut(info: &mut RunInfo, path: &Path) {
    let processes = processes(path);
    if !info.parameters.contains_key(KEY) && !processes.is_empty() {
        complete(info, processes);
    }
}
