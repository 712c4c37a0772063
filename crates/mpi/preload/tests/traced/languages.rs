//! Fortran in its three bindings, and Python: their layers call the library in ways of their own.

use crate::common::logs::Log;
use crate::common::{Mpi, alone, libraries};
use calls::entry::{ANY_PEER, completion_flags, flags};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Messages of one run of a planted program.
const ROUNDS: usize = 20;

/// The receiver's log of a planted program in which it waits with a wildcard receive.
fn check_asleep(log: &Log) {
    assert_eq!(log.count("Barrier"), ROUNDS);
    assert_eq!((log.with(flags::RECEIVES), log.with(flags::ANY_SOURCE)), (ROUNDS, ROUNDS));
    let irecvs = log.calls.iter().filter(|(call, _)| call.flags & flags::RECEIVES != 0);
    assert!(irecvs.clone().all(|(call, _)| call.peer == ANY_PEER));
    let done: Vec<_> = log.completions().collect();
    assert_eq!(done.len(), ROUNDS);
    assert!(
        done.iter()
            .all(|one| one.flags == completion_flags::RECEIVED && one.source == 0 && one.tag == 1)
    );
}

#[test]
fn fortran_in_all_three_bindings() {
    let _alone = alone();
    for mpi in libraries().into_iter().filter(|mpi| mpi.is_there("mpifort")) {
        for binding in ["MPIF_H", "USE_MPI", "USE_F08"] {
            let folder = tempfile::tempdir().unwrap();
            let define = format!("-D{binding}");
            let program = mpi.build_with(
                "mpifort",
                "planted.F90",
                folder.path(),
                &[&define, "-fallow-argument-mismatch"],
            );
            let words = [program.to_str().unwrap(), "asleep", "1"];
            let (plain, traced) = (mpi.run(2, &words), mpi.trace(2, &words));
            assert_eq!(
                (plain.code, &plain.out),
                (traced.ran.code, &traced.ran.out),
                "{mpi:?} {binding}"
            );
            assert_eq!(traced.ran.out[1], "rank 1 got 210");
            assert_eq!(Log::of(&traced.run, 0).with(flags::SENDS), ROUNDS, "{mpi:?} {binding}");
            check_asleep(&Log::of(&traced.run, 1));
        }
    }
}

/// A Python that has mpi4py: the system's, or the one that `FOURSTAMP_TEST_PYTHON` names.
fn python_with_mpi4py() -> Option<PathBuf> {
    let python =
        std::env::var_os("FOURSTAMP_TEST_PYTHON").map_or_else(|| "python3".into(), PathBuf::from);
    let found = Command::new(&python).args(["-c", "import mpi4py"]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    println!(
        "skipped: {} has no mpi4py; name one that has in FOURSTAMP_TEST_PYTHON",
        python.display()
    );
    None
}

/// mpi4py looks for a library by a name that Debian does not give to MPICH's.
fn mpich_by_its_other_name(folder: &Path) {
    for found in
        ["/usr/lib/x86_64-linux-gnu/libmpich.so.12", "/usr/lib/aarch64-linux-gnu/libmpich.so.12"]
    {
        if Path::new(found).exists() {
            std::os::unix::fs::symlink(found, folder.join("libmpi.so.12")).unwrap();
        }
    }
}

#[test]
fn python() {
    let _alone = alone();
    let Some(python) = python_with_mpi4py() else { return };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/planted.py");
    for mpi in libraries() {
        let folder = tempfile::tempdir().unwrap();
        let mut environment = vec![("MPI4PY_MPIABI", mpi.0)];
        if mpi == Mpi("mpich") {
            mpich_by_its_other_name(folder.path());
            environment.push(("LD_LIBRARY_PATH", folder.path().to_str().unwrap()));
        }
        let words = [python.to_str().unwrap(), script, "asleep", "1"];
        let traced = mpi.trace_with(2, &words, &environment);
        if traced.ran.err.contains("ImportError") {
            println!(
                "skipped: mpi4py cannot load {}: {}",
                mpi.0,
                traced.ran.err.lines().last().unwrap_or_default()
            );
            continue;
        }
        assert_eq!(traced.ran.out, ["rank 0 of [0, 1]", "rank 1 of [0, 1]"], "{}", traced.ran.err);
        check_asleep(&Log::of(&traced.run, 1));
    }
}
