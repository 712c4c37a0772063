//! The tables of calls beside an MPI program's messages: what each function does, and the tables
//! themselves, read a row group at a time.

use anyhow::{Context, Result, anyhow};
use calls::list::{CLASSES, Class, NAMES};
use calls::table::{CALL_COLUMNS, calls_file};
use record::{Run, SideColumn, SideReader};
use stats::analysis::{Activity, Calls, WorstMessage};
use stats::{BlockingCalls, CallColumns, CallTally, Function};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The tables of a run.
pub struct CallTables {
    /// Rank and file, in the order of ranks.
    pub files: Vec<(u32, PathBuf)>,
}

/// Places of columns in the table.
pub mod column {
    pub const ENTER: usize = 0;
    pub const EXIT: usize = 1;
    pub const CALL: usize = 2;
    pub const PEER: usize = 3;
    pub const TAG: usize = 4;
    pub const COMMUNICATOR: usize = 5;
    pub const BYTES: usize = 6;
    pub const POLLS: usize = 8;
    pub const SITE: usize = 9;
    pub const THREAD: usize = 10;
}

/// What a tally reads, in its order.
const TALLIED: [usize; 8] = [
    column::ENTER,
    column::EXIT,
    column::CALL,
    column::COMMUNICATOR,
    column::BYTES,
    column::POLLS,
    column::SITE,
    column::THREAD,
];

impl CallTables {
    /// Those that the run has.
    pub fn of(run: &Run) -> CallTables {
        let file = |(launch, node): (u32, &record::NodeInfo)| {
            (node.node, run.path().join(calls_file(launch, node.node)))
        };
        CallTables { files: run.info.nodes().map(file).filter(|(_, path)| path.exists()).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Which calls block their rank.
    pub fn blocking(&self) -> Result<BlockingCalls> {
        let blocks: Vec<bool> =
            CLASSES.iter().zip(NAMES).map(|(class, name)| send_blocks(*class, name)).collect();
        let mut all = BlockingCalls::default();
        for (rank, path) in &self.files {
            let mut first = 0;
            let mut table = SideReader::open(path, &[CALL_COLUMNS[column::CALL]])?;
            for group in 0..table.groups() {
                let codes = table.read(group)?.swap_remove(0);
                let blocks = |code: &i64| {
                    usize::try_from(*code).is_ok_and(|code| blocks.get(code) == Some(&true))
                };
                all.add(*rank, first, codes.iter().map(blocks));
                first += codes.len() as u64;
            }
        }
        Ok(all)
    }

    /// What ranks and functions took, and what ranks did while the worst messages were under way. A
    /// thread takes every so-many-th rank.
    pub fn tally(&self, worst: &mut [WorstMessage]) -> Result<Calls> {
        let threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .clamp(1, self.files.len().max(1));
        let shared = &*worst;
        let parts: Vec<Result<CallTally>> = std::thread::scope(|scope| {
            let some = |thread| scope.spawn(move || self.tally_some(thread, threads, shared));
            let handles: Vec<_> = (0..threads).map(some).collect();
            let joined = |handle: std::thread::ScopedJoinHandle<'_, Result<CallTally>>| {
                handle.join().unwrap_or_else(|_| Err(anyhow!("a reading thread panicked")))
            };
            handles.into_iter().map(joined).collect()
        });
        let mut whole = CallTally::new(functions(), worst);
        for part in parts {
            whole.merge(part?);
        }
        Ok(whole.finish(worst))
    }

    fn tally_some(&self, first: usize, step: usize, worst: &[WorstMessage]) -> Result<CallTally> {
        let mut tally = CallTally::new(functions(), worst);
        let columns = TALLIED.map(|at| CALL_COLUMNS[at]);
        for (rank, path) in self.files.iter().skip(first).step_by(step) {
            let mut table = SideReader::open(path, &columns)?;
            for group in 0..table.groups() {
                let read = table.read(group)?;
                let [enter, exit, call, communicator, bytes, polls, site, thread] = &read[..]
                else {
                    unreachable!("as many columns are read as were asked for")
                };
                tally.add(
                    *rank,
                    &CallColumns { enter, exit, call, communicator, bytes, polls, site, thread },
                );
            }
        }
        Ok(tally)
    }
}

/// Every column of the table.
pub fn columns() -> &'static [SideColumn] {
    &CALL_COLUMNS
}

/// A function's name as programs write it.
pub fn function_name(code: i64) -> String {
    usize::try_from(code)
        .ok()
        .and_then(|code| NAMES.get(code))
        .map_or_else(String::new, |name| format!("MPI_{name}"))
}

/// Places in the program, as people read them: `solve (solver.c:41)`; without debug information the
/// file and the offset.
pub fn sites(run: &Run) -> Result<BTreeMap<i64, String>> {
    let path = run.path().join("mpi/sites.csv");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let unreadable = || format!("cannot read {}: it is no table of places", path.display());
    let text = record::read_input(&path).with_context(unreadable)?;
    let mut table = csv::Reader::from_reader(&text[..]);
    let mut sites = BTreeMap::new();
    for row in table.deserialize() {
        let (site, symbol, file, line, object, offset): (
            i64,
            String,
            String,
            String,
            String,
            String,
        ) = row.with_context(unreadable)?;
        sites.insert(site, site_name(&symbol, &file, &line, &object, &offset));
    }
    Ok(sites)
}

fn site_name(symbol: &str, file: &str, line: &str, object: &str, offset: &str) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let place = match (file, line) {
        ("", _) => String::new(),
        (file, "") => last(file),
        (file, line) => format!("{}:{line}", last(file)),
    };
    match (symbol, place.as_str()) {
        ("", "") => match offset.parse::<u64>() {
            Ok(offset) => format!("{}+0x{offset:x}", last(object)),
            Err(_) => last(object),
        },
        ("", place) => place.to_owned(),
        (symbol, "") => format!("{symbol} ({})", last(object)),
        (symbol, place) => format!("{symbol} ({place})"),
    }
}

fn functions() -> Vec<Function> {
    let function = |(name, class): (&&str, &Class)| Function {
        name: format!("MPI_{name}"),
        activity: activity(*class),
        blocks: matches!(class, Class::Collective),
    };
    NAMES.iter().zip(CLASSES).map(function).collect()
}

fn activity(class: Class) -> Activity {
    match class {
        Class::Send | Class::StartSend => Activity::Sending,
        Class::Receive | Class::StartReceive | Class::SendReceive | Class::MatchedReceive => {
            Activity::Waiting
        }
        Class::Probe | Class::MatchedProbe | Class::Wait | Class::Test => Activity::Waiting,
        Class::Collective | Class::StartCollective => Activity::Collective,
        _ => Activity::Other,
    }
}

/// Whether a call that sends keeps its rank until the message may go. A buffered send never does.
fn send_blocks(class: Class, name: &str) -> bool {
    matches!(class, Class::Send | Class::SendReceive) && name != "Bsend"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_by_what_is_known() {
        assert_eq!(site_name("solve", "/src/solver.c", "41", "/app", "16"), "solve (solver.c:41)");
        assert_eq!(site_name("solve", "", "", "/lib/app", "16"), "solve (app)");
        assert_eq!(site_name("", "", "", "/lib/app", "4660"), "app+0x1234");
    }

    #[test]
    fn the_columns_are_where_they_are_looked_for() {
        let name = |at: usize| CALL_COLUMNS[at].name;
        assert_eq!(
            TALLIED.map(name),
            ["enter_ns", "exit_ns", "call", "communicator", "bytes", "polls", "site", "thread"]
        );
        assert_eq!([column::PEER, column::TAG].map(name), ["peer", "tag"]);
    }

    #[test]
    fn only_sends_that_wait_block() {
        let blocking: Vec<&str> = NAMES
            .iter()
            .zip(CLASSES)
            .filter(|(name, class)| send_blocks(**class, name))
            .map(|(name, _)| *name)
            .collect();
        assert!(blocking.contains(&"Ssend") && blocking.contains(&"Sendrecv"));
        assert!(!blocking.contains(&"Isend") && !blocking.contains(&"Bsend"));
    }
}
