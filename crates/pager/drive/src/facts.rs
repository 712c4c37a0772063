//! What the processes of a paged program say of themselves: in files of the run while it goes on,
//! in `run.json` afterwards.

use crate::DriveError;
use pager_facts::{CodePlace, FOLDER, KEY, Paged, PagerFacts};
use record::RunInfo;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;
use symbols::Symbols;

/// What each process of the run at `path` said last, by process number.
pub fn processes(path: &Path) -> Vec<Paged> {
    let files = std::fs::read_dir(path.join(FOLDER)).into_iter().flatten().flatten();
    let whole = files
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "json"));
    let texts = whole.filter_map(|file| record::read_input(&file).ok());
    let mut processes: Vec<Paged> =
        texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect();
    processes.sort_by_key(|process| process.pid);
    processes
}

/// Put it into the run's information.
pub fn complete(info: &mut RunInfo, mut processes: Vec<Paged>) {
    name_places(&mut processes);
    let given = |name: &str| info.parameters.get(name);
    // The servers of the process that used them most stand for all.
    let servers = processes.iter().max_by_key(|process| process.page_outs);
    let facts = PagerFacts {
        policy: given("policy").and_then(|name| name.as_str()).unwrap_or_default().to_owned(),
        local_bytes: given("local_bytes").and_then(|bytes| bytes.as_u64()).unwrap_or_default(),
        page_bytes: pager::PAGE_BYTES as u64,
        encrypted: given("encrypted").and_then(|is| is.as_bool()).unwrap_or_default(),
        servers: servers.map(|process| process.servers.clone()).unwrap_or_default(),
        processes,
        predictions: Vec::new(),
    };
    // Numbers, texts and lists: JSON has room for them all.
    let facts = serde_json::to_value(facts).unwrap_or_default();
    info.parameters.insert(KEY.into(), facts);
}

/// Say what the program calls the places of its faults, as long as its files are what they were.
fn name_places(processes: &mut [Paged]) {
    let mut symbols = Symbols::default();
    let places = processes.iter_mut().flat_map(|process| &mut process.sampled.places);
    for place in places.flat_map(|place| [Some(&mut place.at), place.called_from.as_mut()]) {
        place.into_iter().for_each(|place| name(place, &mut symbols));
    }
}

fn name(place: &mut CodePlace, symbols: &mut Symbols) {
    if place.object.is_empty() {
        return;
    }
    let named = symbols.find(&place.object, place.offset);
    (place.function, place.file, place.line) = (named.symbol, named.file, named.line);
}

/// The same for a run whose launcher was killed before it could.
pub fn complete_cut(info: &mut RunInfo, path: &Path) {
    let processes = processes(path);
    if !info.parameters.contains_key(KEY) && !processes.is_empty() {
        complete(info, processes);
    }
}

/// What the run at `run` says of itself; it is closed, and need not be opened.
///
/// # Errors
/// When its `run.json` cannot be read, or is none of a paged program.
pub fn of_run(run: &Path) -> Result<PagerFacts, DriveError> {
    let path = run.join("run.json");
    let text = record::read_input(&path).map_err(DriveError::file("read", &path))?;
    let info: Value = serde_json::from_slice(&text).unwrap_or_default();
    PagerFacts::deserialize(&info["parameters"][KEY]).map_err(|_| DriveError::NotPaged(path))
}

/// What a process has lost for ever, for a person; `run.json` has the address of each page.
pub fn loss(process: &Paged, policy: &str) -> Option<String> {
    let first = process.lost_pages.first()?;
    Some(format!(
        "fourstamp: process {} lost the contents of {} pages, the first at {first} (policy \
        {policy}): {}; a thread that touches one of them gets SIGBUS",
        process.pid,
        process.lost_pages.len(),
        process.failures()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager_facts::{Happened, PagerEvent};

    #[test]
    fn a_loss_names_what_was_seen_to_fail_and_nothing_else() {
        let mut process = Paged { lost_pages: vec!["0x1000".into()], ..Paged::default() };
        let said = loss(&process, "none").unwrap();
        assert!(said.contains("no server was seen to go down, and no disk to fail"), "{said}");
        process.events.push(PagerEvent { at_s: 1.0, what: Happened::DiskWrong });
        let said = loss(&process, "none").unwrap();
        assert!(said.contains("(policy none): the disk returned a page"), "{said}");
        let what = Happened::ServerDown { server: 0, address: "a:1".into(), why: "reset".into() };
        process.events.push(PagerEvent { at_s: 2.0, what });
        let said = loss(&process, "none").unwrap();
        assert!(said.contains("was written at 1.0 s, server a:1 went down at 2.0 s;"), "{said}");
        assert_eq!(loss(&Paged::default(), "none"), None);
    }
}
