//! `fourstamp doctor`: what this machine offers for measuring, and the one-line remedy for what it
//! lacks.

mod leftovers;
mod loaded;

use crate::args::DoctorArgs;
use crate::failure::one_line;
use crate::job::Mpirun;
use crate::on_path::on_path;
use crate::show::ShowArgs;
use clock::{Clock, Source};
use document::{Block, Cell, Column, Document, Table};
use std::fmt::Write as _;

/// One thing that a measurement can make use of.
pub struct Finding {
    /// What it is.
    pub name: &'static str,
    /// Whether it is there.
    pub state: State,
    /// What was seen.
    pub seen: String,
    /// What to do about it, where something can be done.
    pub remedy: Option<String>,
}

/// Whether something is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is.
    Good,
    /// It is, with a limit; or something optional is not.
    Limited,
    /// It is not, and measurements are the worse for it.
    Lacking,
}

/// Show every finding; never an error, because a lack is an answer.
///
/// With `clean`, remove what killed processes left instead, and say so.
pub fn run(args: &DoctorArgs) -> anyhow::Result<()> {
    if args.clean {
        let removed = leftovers::clean();
        let text = || leftovers::text(&removed);
        return show(&args.show, leftovers::table(&removed), text);
    }
    let findings = findings();
    show(&args.show, table(&findings), || text(&findings))
}

/// The text for people, whose lines a table would only make longer; else the table.
fn show(show: &ShowArgs, table: Table, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    if show.is_text() {
        return crate::show::say(&text());
    }
    let first = table.id;
    let opening = vec![Block::Table(table)];
    let document =
        Document { title: "This machine · Fourstamp".into(), opening, ..Document::default() };
    show.show(&document, first)
}

/// Look at everything.
pub fn findings() -> Vec<Finding> {
    vec![
        clock(),
        cores(),
        kernel_stamps(),
        shared_memory(),
        leftovers::finding(),
        priorities(),
        userfaultfd(),
        mpi(),
        program(
            "tmux",
            &["tmux"],
            "fourstamp launch --tmux shows each node in a pane",
            "apt install tmux",
        ),
        program(
            "chromium",
            &["chromium", "chromium-browser", "google-chrome"],
            "opens reports, runs the browser tests",
            "apt install chromium",
        ),
    ]
}

/// For scripts.
fn table(findings: &[Finding]) -> Table {
    let columns = ["check", "state", "seen", "remedy"].map(|key| Column::text(key, ""));
    let row = |finding: &Finding| -> [Cell; 4] {
        let state = match finding.state {
            State::Good => "good",
            State::Limited => "limited",
            State::Lacking => "lacking",
        };
        let remedy = finding.remedy.clone().into();
        [finding.name.into(), state.into(), finding.seen.as_str().into(), remedy]
    };
    Table::new("checks", columns).with(findings.iter().map(row))
}

/// As lines that align, with the remedy below what needs one.
pub fn text(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding { name, state, seen, remedy } in findings {
        let mark = match state {
            State::Good => "✓",
            State::Limited => "·",
            State::Lacking => "✗",
        };
        let _ = writeln!(text, " {mark} {name:width$}  {seen}");
        if let Some(remedy) = remedy {
            let _ = writeln!(text, "   {:width$}  → {remedy}", "");
        }
    }
    text
}

fn good(name: &'static str, seen: String) -> Finding {
    Finding { name, state: State::Good, seen, remedy: None }
}

fn limited(name: &'static str, seen: String, remedy: &str) -> Finding {
    Finding { name, state: State::Limited, seen, remedy: Some(remedy.to_string()) }
}

fn clock() -> Finding {
    let clock = Clock::best();
    let quality = clock::measure(&clock);
    let figures =
        format!("step {:.1} ns, a reading costs {:.1} ns", quality.step_ns, quality.read_cost_ns);
    match clock.source() {
        Source::Tsc => good("clock", format!("time-stamp counter, invariant: {figures}")),
        Source::MonotonicRaw | Source::Simulated => Finding {
            name: "clock",
            state: State::Lacking,
            seen: format!("CLOCK_MONOTONIC_RAW, because there is no invariant counter: {figures}"),
            remedy: Some(
                "use hardware (or a hypervisor setting) that offers an invariant time-stamp counter"
                    .into(),
            ),
        },
    }
}

fn cores() -> Finding {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match cores {
        1 => limited(
            "cores",
            "1: nodes take turns on it".into(),
            "give the machine 2 or more; time spent waiting for the core counts as receive wait",
        ),
        cores => good("cores", format!("{cores}: up to {cores} nodes get one of their own")),
    }
}

fn kernel_stamps() -> Finding {
    match fabric::kernel_stamps() {
        Ok(()) => good("kernel stamps", "the kernel stamps TCP data when it arrives".into()),
        Err(reason) => limited(
            "kernel stamps",
            format!("none ({reason}): the receiving thread stamps arrivals"),
            "a kernel with SO_TIMESTAMPING separates transit from receive wait over TCP",
        ),
    }
}

fn shared_memory() -> Finding {
    let folder = memory::shared_folder();
    let free = rustix::fs::statvfs(&folder).map(|stat| stat.f_bavail * stat.f_frsize);
    match free {
        Ok(free) if free >= 1 << 30 => {
            good("shared memory", format!("{:.1} GiB free in {}", gib(free), folder.display()))
        }
        Ok(free) => limited(
            "shared memory",
            format!("{:.2} GiB free in {}", gib(free), folder.display()),
            "mount -o remount,size=4G /dev/shm (long runs then use --record stream)",
        ),
        Err(error) => limited(
            "shared memory",
            format!("{}: {error}", folder.display()),
            "mount a tmpfs on /dev/shm",
        ),
    }
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}

fn priorities() -> Finding {
    let is_root = rustix::process::geteuid().is_root();
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find(|line| line.starts_with("Max realtime priority"));
    let allowed =
        line.and_then(|line| line.split_whitespace().nth(3)).is_some_and(|limit| limit != "0");
    match is_root || allowed {
        true => good("priorities", "real-time priorities are permitted (bench --real-time)".into()),
        false => limited(
            "priorities",
            "real-time priorities are not permitted".into(),
            "as root: ulimit -r 50, or run as root, for shorter tails",
        ),
    }
}

fn userfaultfd() -> Finding {
    const NAME: &str = "userfaultfd";
    let how = |moves| {
        if moves { "pages are moved" } else { "pages are copied (moving them needs Linux 6.8)" }
    };
    match rmem::kernel_abilities() {
        Ok(kernel) if kernel.kernel_faults => {
            good(NAME, format!("faults of programs and of system calls; {}", how(kernel.moves)))
        }
        Ok(kernel) => limited(
            NAME,
            format!("faults of programs only, not of system calls; {}", how(kernel.moves)),
            "as root: chmod 666 /dev/userfaultfd; `fourstamp pager run` then serves all faults",
        ),
        Err(error) => limited(
            NAME,
            format!("none ({error}): `fourstamp pager run` does not work"),
            "use Linux 5.11 or newer, and a sandbox that permits userfaultfd",
        ),
    }
}

fn mpi() -> Finding {
    let mpirun = match Mpirun::find() {
        Ok(Some(mpirun)) => mpirun,
        Ok(None) => {
            return limited("MPI", "none found".into(), "apt install openmpi-bin (or mpich)");
        }
        Err(error) => return limited("MPI", one_line(&error), "unset FOURSTAMP_MPI_LIBRARY"),
    };
    let run = mpirun.path.display();
    match fabric::mpi_library(Some(mpirun.family)) {
        Ok(library) => good("MPI", format!("{run}, {}", library.name)),
        Err(_) => limited(
            "MPI",
            format!("{run}, but its library cannot be loaded"),
            "set FOURSTAMP_MPI_LIBRARY to the file of its library (libmpi.so...)",
        ),
    }
}

fn program(name: &'static str, names: &[&str], use_of_it: &str, remedy: &str) -> Finding {
    match names.iter().find_map(|name| on_path(name)) {
        Some(path) => good(name, format!("{}: {use_of_it}", path.display())),
        None => limited(name, format!("not found: {use_of_it}"), remedy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_and_its_remedy_are_told_people_and_scripts_alike() {
        let clock = good("clock", "step 1.0 ns".into());
        let findings = [clock, limited("tmux", "not found, or hidden".into(), "apt install tmux")];
        assert_eq!(
            text(&findings),
            " ✓ clock  step 1.0 ns\n · tmux   not found, or hidden\n          → apt install tmux\n"
        );
        let opening = vec![Block::Table(table(&findings))];
        let (mut csv, document) = (Vec::new(), Document { opening, ..Document::default() });
        document::table_csv(&document, "checks", &mut csv).expect("there is that table");
        assert_eq!(
            String::from_utf8_lossy(&csv),
            "check,state,seen,remedy\nclock,good,step 1.0 ns,\n\
             tmux,limited,\"not found, or hidden\",apt install tmux\n"
        );
    }
}
