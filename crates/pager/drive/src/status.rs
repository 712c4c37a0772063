//! How far a run is, in lines of 79 columns.

use crate::facts;
use crate::unpaged::Unpaged;
use pager_facts::{Paged, ServerState};
use std::path::Path;

/// The program waits for room, and nobody but its user can make some.
pub const NO_ROOM: &str = "fourstamp: the servers and the disk (--disk) are full: the program \
    waits for room; free some disk space, or stop the program";

/// A line for each process of the run at `run`, below the names of the columns, at most a second
/// old, and one for each process that has more in memory than it was to have.
pub fn lines(run: &Path, over: &[Unpaged], with_head: bool) -> Vec<String> {
    let mut lines = paged(run, with_head);
    lines.extend(over.iter().map(|one| format!("fourstamp: {one}")));
    lines
}

fn paged(run: &Path, with_head: bool) -> Vec<String> {
    let processes = facts::processes(run);
    if processes.is_empty() {
        return vec!["fourstamp: nothing is paged yet".to_owned()];
    }
    let head = row(["process", "time", "here", "outside", "pages out", "pages in", "servers up"]);
    let rows = with_head.then_some(head).into_iter().chain(processes.iter().map(line));
    rows.chain(processes.iter().filter_map(exposed)).collect()
}

/// What one more server's death would cost.
fn exposed(process: &Paged) -> Option<String> {
    let groups = process.exposed_groups;
    (groups > 0).then(|| {
        format!(
            "fourstamp: process {}: the loss of another server now would lose pages of {groups} \
            groups, which are being rebuilt or have no place for a second copy",
            process.pid
        )
    })
}

fn line(process: &Paged) -> String {
    let up = process.servers.iter().filter(|server| server.state == ServerState::Up).count();
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let cells = [
        process.pid.to_string(),
        format!("{:.0} s", process.seconds.elapsed),
        mib(process.resident_bytes),
        mib(process.outside_bytes),
        process.page_outs.to_string(),
        process.page_ins.to_string(),
        format!("{up} of {}", process.servers.len()),
    ];
    row(cells.each_ref().map(String::as_str))
}

/// In columns that leave room for a day and for terabytes, and fit 80.
fn row([process, time, here, outside, out, back, up]: [&str; 7]) -> String {
    format!("{process:>8}{time:>8}{here:>13}{outside:>14}{out:>12}{back:>12}{up:>12}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager_facts::ServerState::{Down, Up};
    use pager_facts::{PageServer, PagedSeconds};

    #[test]
    fn columns_line_up_in_80() {
        let one = |pid, pages, servers: &[ServerState]| {
            let servers =
                servers.iter().map(|state| PageServer { state: *state, ..Default::default() });
            line(&Paged {
                pid,
                resident_bytes: 8 << 20,
                outside_bytes: pages * 4096,
                page_ins: pages,
                page_outs: 7 * pages,
                seconds: PagedSeconds { elapsed: pages as f64 / 10_000.0, ..Default::default() },
                servers: servers.collect(),
                ..Paged::default()
            })
        };
        let lines = [one(7, 12, &[]), one(4_194_304, 123_456_789, &[Up, Down, Up])];
        assert!(lines[1].ends_with("2 of 3") && lines[1].contains("482253.1 MiB"), "{}", lines[1]);
        assert!(lines.iter().all(|line| line.chars().count() == 79), "{lines:?}");
    }
}
