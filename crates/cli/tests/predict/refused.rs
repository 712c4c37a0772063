//! What cannot be predicted is refused in a line with name, reason and remedy, and nothing is
//! written.

use super::common::{fail, folder, mpi_program, run, succeed};
use super::{HERE, trace, traced};
use std::path::Path;
use std::process::Command;

/// The line that refuses `predict` with these arguments, which write a page as well.
fn refused(home: &Path, arguments: &str) -> String {
    let said = fail(home, &format!("predict {arguments} --page page.html"));
    // What every refused argument ends with.
    let line = said.trim_end_matches("\n\nFor more information, try '--help'.\n");
    assert_eq!(line.trim_end().lines().count(), 1, "{arguments}: {said}");
    assert!(!home.join("page.html").exists(), "{arguments}");
    said
}

#[test]
fn recordings_with_holes_are_refused() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "holes", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), HERE).unwrap();
        for (how, reason, remedy) in [
            ("killed", "was cut", "record it again"),
            ("unreceived", "0 of its 5 messages", "fourstamp report"),
            ("silent", "sent each other no message", "no network matters"),
        ] {
            traced(home.path(), mpi, how, &format!("-n 2 {} {how}", program.display()));
            let said = refused(home.path(), &format!("{how} --from here.toml --bandwidth 2x"));
            let words = said.contains(how) && said.contains(reason) && said.contains(remedy);
            assert!(words, "{mpi}: {said}");
        }
    }
}

/// Which thread waits for which is not in the recording.
#[test]
fn ranks_with_several_threads_that_call_mpi_are_refused() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "threads", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), HERE).unwrap();
        trace(home.path(), mpi, "run", &format!("-n 2 {} 2 20", program.display()));
        let said = refused(home.path(), "run --from here.toml --bandwidth 2x");
        let words = "more than one thread of rank 0 calls MPI";
        assert!(said.contains("run: ") && said.contains(words), "{mpi}: {said}");
        assert!(said.contains("one thread a rank"), "{mpi}: {said}");
    }
}

#[test]
fn programs_of_which_one_end_was_traced_are_refused() {
    let home = folder();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/talkers.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-w", "-o"]).arg(home.path().join("talkers")).arg(source).arg("-lpthread");
    if !compiler.status().is_ok_and(|status| status.success()) {
        return println!("skipped: cc is not installed");
    }
    std::fs::write(home.path().join("here.toml"), HERE).unwrap();
    run(home.path(), "trace --no-report --out run -- ./talkers every");
    // Also where no machine is given: the run says what network it was recorded on.
    for options in ["run --from here.toml --bandwidth 2x", "run --bandwidth 2x"] {
        let said = refused(home.path(), options);
        assert!(said.contains("run: ") && said.contains("trace all programs"), "{said}");
    }
}

#[test]
fn folders_without_a_run_and_machines_that_cannot_be_are_refused() {
    let home = folder();
    std::fs::create_dir(home.path().join("empty")).unwrap();
    succeed(home.path(), "bench relay --warm-up 0 --count 10 --on gigabit-2017 --out run");
    for (file, old, new) in [
        ("negative.toml", "latency = \"1us\"", "latency = \"-1us\""),
        ("missing.toml", "latency = \"1us\"\n", ""),
        ("sectionless.toml", "[network]\nlatency = \"1us\"\nbandwidth = \"2GB/s\"\n", ""),
        ("cube.toml", "nodes = 8\ntopology = \"switch\"", "nodes = 2\ntopology = \"hypercube\""),
        ("odd.toml", "nodes = 8\ntopology = \"switch\"", "nodes = 3\ntopology = \"hypercube\""),
    ] {
        let text = HERE.replace(old, new);
        assert_ne!(text, HERE, "{file}");
        std::fs::write(home.path().join(file), text).unwrap();
    }
    for (arguments, reasons) in [
        ("empty --on myrinet", ["empty", "run.json"]),
        ("nowhere --on myrinet", ["nowhere", "run.json"]),
        ("run --on negative.toml", ["negative.toml:9: ", "'latency' is -1"]),
        ("run --on missing.toml", ["missing.toml:8: ", "[network] says no 'latency'"]),
        ("run --from missing.toml --bandwidth 2x", ["missing.toml:8: ", "says no 'latency'"]),
        ("run --on sectionless.toml", ["sectionless.toml: ", "[network] says no 'latency'"]),
        ("run --on odd.toml", ["odd.toml:3: ", "a hypercube has 1, 2, 4, 8, ... nodes, not 3"]),
        ("run --on cube.toml", ["run: ", "the machine has 2 nodes, and the run 3"]),
        ("run --on nothing.toml", ["nothing.toml", "give a machine's file"]),
        ("run --on myrinet --same-host 0,1", ["run: ", "traced at their sockets"]),
        ("run --on myrinet --same-host zero", ["zero", "numbers of nodes are expected"]),
    ] {
        let said = refused(home.path(), arguments);
        let words = reasons.iter().all(|reason| said.contains(reason));
        assert!(words, "{arguments}: {said}");
    }
}
