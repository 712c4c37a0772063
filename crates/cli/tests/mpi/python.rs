//! Places of a program in Python are its lines, whatever it does around them; and the program does
//! what it did.

use crate::common::{folder, fourstamp, mpi_source, python_with_mpi4py, text};
use calls::list::{CLASSES, Class};
use calls::table::CallColumn;
use mpi_lens::{CallRow, CallTables, LensError};
use record::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const LIBRARIES: [&str; 2] = ["openmpi", "mpich"];

/// A script over a library, traced or not.
struct Job<'a> {
    home: &'a Path,
    mpi: &'static str,
    python: &'a str,
    ranks: u32,
    script: &'static str,
    arguments: &'a str,
}

impl Job<'_> {
    fn command(&self) -> String {
        let more = if self.mpi == "openmpi" { "--oversubscribe " } else { "" };
        let script = mpi_source(self.script);
        let (mpi, ranks, python) = (self.mpi, self.ranks, self.python);
        format!("mpirun.{mpi} {more}-n {ranks} {python} {} {}", script.display(), self.arguments)
    }

    /// What it prints, each line; ranks print in any order.
    fn run(&self, mut command: Command) -> BTreeSet<String> {
        crate::common::for_open_mpi(&mut command);
        if self.mpi == "mpich" {
            let libraries = crate::common::mpich_by_its_other_name(self.home);
            command.env("MPI4PY_MPIABI", "mpich").env("LD_LIBRARY_PATH", libraries);
        }
        let output = command.output().expect("the command starts");
        assert!(output.status.success(), "{}\n{}", self.command(), text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect()
    }

    fn plain(&self) -> BTreeSet<String> {
        let words = self.command();
        let mut words = words.split_whitespace();
        let mut command = Command::new(words.next().unwrap());
        command.args(words).current_dir(self.home);
        self.run(command)
    }

    fn traced(&self) -> BTreeSet<String> {
        let words = format!("mpi trace --no-report --out run -- {}", self.command());
        self.run(fourstamp(self.home, &words))
    }
}

/// The places of sends, by tag, as the report names them.
fn places(run: &Path) -> BTreeMap<i64, BTreeSet<String>> {
    let run = Run::open(run).unwrap();
    let sites = mpi_lens::sites(&run).unwrap();
    let mut places: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
    let mut each = |call: CallRow<'_>| {
        let class = CLASSES[call.value(CallColumn::Call).unwrap() as usize];
        let sends = [Class::Send, Class::StartSend, Class::SendReceive].contains(&class);
        if let Some(tag) = call.value(CallColumn::Tag).filter(|_| sends) {
            let site = call.value(CallColumn::Site).and_then(|site| sites.get(&site));
            places.entry(tag).or_default().insert(site.unwrap().clone());
        }
        Ok::<(), LensError>(())
    };
    CallTables::of(&run).each_call(&mut each).unwrap();
    places
}

/// Every place is where the program says that it is.
fn check_places(said: &BTreeSet<String>, run: &Path) {
    let found = places(run);
    let mut seen = 0;
    for line in said.iter().filter_map(|line| line.strip_prefix("place ")) {
        let [tag, function, file, line] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let file = file.rsplit('/').next().unwrap();
        let place = BTreeSet::from([format!("{function} ({file}:{line})")]);
        assert_eq!(found.get(&tag.parse().unwrap()), Some(&place), "{tag}");
        seen += 1;
    }
    assert!(seen > 1, "{said:?}");
}

/// Over each library that mpi4py can load.
fn over_each(check: impl Fn(Job)) {
    let Some(python) = python_with_mpi4py() else { return };
    for mpi in LIBRARIES {
        if Command::new(format!("mpirun.{mpi}")).arg("--version").output().is_err() {
            println!("skipped: mpirun.{mpi} is not installed");
            continue;
        }
        let home = folder();
        let (home, python) = (home.path(), python.as_str());
        check(Job { home, mpi, python, ranks: 2, script: "lines.py", arguments: "" });
    }
}

/// In functions and methods, in another module, in code that is made as it runs, in a generator,
/// behind the interpreter's own code, while an exception is on its way, in what runs as an object
/// goes, and at the end.
#[test]
fn calls_are_at_the_lines_that_make_them() {
    over_each(|job| {
        let job = Job { ranks: 1, arguments: "calls", ..job };
        let said = job.traced();
        assert_eq!(said, job.plain());
        assert!(said.len() > 300);
        check_places(&said, &job.home.join("run"));
        // It has no messages, and so no quantiles.
        crate::common::succeed(job.home, "export run --csv tables");
        let sites = std::fs::read_to_string(job.home.join("tables/sites.csv")).unwrap();
        assert!(sites.contains(",Solver.step,") && !job.home.join("tables/quantiles.csv").exists());
    });
}

/// Threads that talk give the interpreter's lock up to one that computes, and get it back.
#[test]
fn threads_are_where_they_are_and_do_not_wait_for_each_other() {
    over_each(|job| {
        let job = Job { arguments: "threads 20", ..job };
        let said = job.traced();
        assert_eq!(said, job.plain());
        check_places(&said, &job.home.join("run"));
    });
}

#[test]
fn results_are_the_same() {
    over_each(|job| {
        let job = Job { arguments: "work 200", ..job };
        assert_eq!(job.traced(), job.plain());
    });
}

#[test]
fn the_line_of_a_late_send_is_named() {
    over_each(|job| {
        let job = Job { script: "planted.py", arguments: "late_sender 5", ..job };
        job.traced();
        let run = Run::open(job.home.join("run")).unwrap();
        let sites = mpi_lens::sites(&run).unwrap();
        let mut late = BTreeMap::new();
        let each = |call: &mpi_lens::BlockedCall| {
            if call.function.is_some() {
                return; // a collective
            }
            let [at, other] = call.sites.map(|site| site.and_then(|site| sites.get(&site)));
            *late.entry((at.cloned(), other.cloned())).or_insert(0) += call.ns();
        };
        CallTables::of(&run).each_blocked(each).unwrap();
        let (worst, _) = late.iter().max_by_key(|(_, ns)| **ns).unwrap();
        let source = std::fs::read_to_string(mpi_source("planted.py")).unwrap();
        let line = |text: &str| 1 + source.lines().position(|line| line.trim() == text).unwrap();
        let received = line("world.Recv([buffer, MPI.BYTE], source=0, tag=1)");
        let sent = line("world.Send([buffer, MPI.BYTE], dest=1, tag=1)");
        let place = |function: &str, line| Some(format!("{function} (planted.py:{line})"));
        assert_eq!(*worst, (place("receive", received), place("send", sent)));
    });
}
