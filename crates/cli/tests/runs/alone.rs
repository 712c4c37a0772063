//! The program by itself, as `cargo install` leaves it: its libraries travel inside.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A copy of the program in an empty folder, with a home and a temporary folder of its own.
struct Alone {
    root: tempfile::TempDir,
}

impl Alone {
    fn new() -> Alone {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("bin")).unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        fs::create_dir(root.path().join("tmp")).unwrap();
        // By another process: one that is forked here while the copy is open for writing would
        // keep it from being run.
        let mut copy = Command::new("cp");
        copy.arg(env!("CARGO_BIN_EXE_fourstamp")).arg(root.path().join("bin/fourstamp"));
        assert!(copy.status().unwrap().success());
        Alone { root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.at("bin/fourstamp"));
        command.args(arguments).current_dir(self.root.path()).stdin(Stdio::null());
        for variable in ["FOURSTAMP_MPITRACE", "FOURSTAMP_RMEM", "FOURSTAMP_RUN_KEY"] {
            command.env_remove(variable);
        }
        command.env_remove("XDG_CACHE_HOME").env_remove("XDG_RUNTIME_DIR");
        command.env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command
    }

    /// A program under the tracer says what is loaded into it.
    fn traced(&self, run: &str) -> Command {
        let shown = "cat /proc/self/maps";
        self.command(&["mpi", "trace", "--no-report", "--out", run, "--", "sh", "-c", shown])
    }

    /// The one file of this name below a folder.
    fn only(&self, folder: &str, name: &str) -> PathBuf {
        let mut found = Vec::new();
        for hash in fs::read_dir(self.at(folder)).unwrap() {
            found.extend(Some(hash.unwrap().path().join(name)).filter(|path| path.is_file()));
        }
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The folder of the library of this name that was loaded.
fn loaded(output: &Output, name: &str) -> PathBuf {
    // What only shows its memory is no MPI program.
    assert!(said(output).contains("no rank called MPI_Init"), "{}", said(output));
    let maps = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = maps.lines().find(|line| line.ends_with(name));
    let line = line.unwrap_or_else(|| panic!("{name} is not loaded: {}\n{maps}", said(output)));
    let path = Path::new(&line[line.find('/').unwrap()..]);
    path.parent().unwrap().to_path_buf()
}

#[test]
fn the_tracer_is_loaded_from_the_users_cache_and_mended_there() {
    let alone = Alone::new();
    let folder = loaded(&alone.traced("one").output().unwrap(), "libmpitrace.so");
    assert!(folder.starts_with(alone.at("home/.cache/fourstamp").canonicalize().unwrap()));
    let library = alone.only("home/.cache/fourstamp", "libmpitrace.so");
    let whole = fs::read(&library).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    for (run, bytes) in [("two", &damaged[..]), ("three", b"")] {
        fs::set_permissions(&library, Permissions::from_mode(0o700)).unwrap();
        fs::write(&library, bytes).unwrap();
        let again = alone.traced(run).output().unwrap();
        assert_eq!(loaded(&again, "libmpitrace.so"), folder);
        assert!(!said(&again).contains("the library is in"), "nothing is passed over");
        assert!(fs::read(&library).unwrap() == whole, "the damaged library was not replaced");
    }
}

#[test]
fn a_job_is_traced() {
    let alone = Alone::new();
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi/preload/tests/programs/kinds.c");
    let mut traced = 0;
    for (mpi, more) in [("openmpi", "--oversubscribe"), ("mpich", "-l")] {
        let (compiler, launcher) = (format!("mpicc.{mpi}"), format!("mpirun.{mpi}"));
        let mut compiler = Command::new(compiler);
        compiler.args(["-w", "-o"]).arg(alone.at("kinds")).arg(&source).arg("-lpthread");
        if !compiler.output().is_ok_and(|output| output.status.success()) {
            println!("skipped: no mpicc.{mpi}");
            continue;
        }
        let arguments = ["mpi", "trace", "--no-report", "--out", mpi, "--", &launcher, more];
        let mut command = alone.command(&arguments);
        command.args(["-n", "2", "./kinds", "immediate", "50"]);
        crate::common::for_open_mpi(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(record::Run::open(alone.at(mpi)).unwrap().rows(), 100);
        traced += 1;
    }
    if traced > 0 {
        alone.only("home/.cache/fourstamp", "libmpitrace.so");
    }
}

#[test]
fn a_paged_program_runs() {
    let alone = Alone::new();
    let sum = "a = bytearray(8 << 20)\nfor i in range(0, len(a), 4096): a[i] = 7\n\
               print(sum(a) // 7, 'librmem_preload.so' in open('/proc/self/maps').read())";
    let python = ["python3", "/usr/bin/python3"].into_iter().find(|program| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    });
    let Some(python) = python else { return println!("skipped: no python3") };
    let arguments = ["pager", "run", "--local", "2M", "--out", "run", "--", python, "-c", sum];
    let output = alone.command(&arguments).output().unwrap();
    if said(&output).contains("userfaultfd") {
        return println!("skipped: {}", said(&output).trim_end());
    }
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2048 True\n", "{}", said(&output));
    alone.only("home/.cache/fourstamp", "librmem_preload.so");
}

#[test]
fn a_folder_that_others_can_enter_is_passed_over_with_its_reason() {
    let alone = Alone::new();
    let cache = alone.at("cache/fourstamp");
    fs::create_dir_all(&cache).unwrap();
    fs::set_permissions(&cache, Permissions::from_mode(0o755)).unwrap();
    let mut command = alone.traced("run");
    let output = command.env("XDG_CACHE_HOME", alone.at("cache")).output().unwrap();
    let folder = loaded(&output, "libmpitrace.so");
    assert!(folder.starts_with(alone.at("tmp").canonicalize().unwrap()), "{}", folder.display());
    assert!(said(&output).contains("has mode 755"), "{}", said(&output));
    assert_eq!(fs::read_dir(&cache).unwrap().count(), 0, "nothing is written there");
}

#[test]
fn without_any_folder_it_says_each_reason_and_the_remedy() {
    let alone = Alone::new();
    let mut command = alone.traced("run");
    command.env("HOME", "/dev/null").env("XDG_RUNTIME_DIR", alone.at("none/none"));
    let output = command.env("TMPDIR", alone.at("bin/fourstamp")).output().unwrap();
    let said = said(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let words = ["/dev/null/.cache", "none/none", "bin/fourstamp", "XDG_CACHE_HOME", "MPITRACE"];
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(!alone.at("run").exists(), "no run is left behind");
}

/// Where a mount can be made: noexec is no matter of rights.
#[test]
fn a_file_system_mounted_noexec_is_passed_over() {
    let alone = Alone::new();
    fs::create_dir(alone.at("cache")).unwrap();
    let script = "mount -t tmpfs -o noexec,mode=700 none cache && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", script, "sh"]).current_dir(alone.root.path());
    let program = alone.traced("run");
    command.arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.env("XDG_CACHE_HOME", alone.at("cache")).output();
    let Some(output) = output.ok().filter(|output| !said(output).contains("mount:")) else {
        return println!("skipped: no file system can be mounted here");
    };
    if said(&output).starts_with("unshare:") {
        return println!("skipped: {}", said(&output).trim_end());
    }
    let folder = loaded(&output, "libmpitrace.so");
    assert!(folder.starts_with(alone.at("tmp").canonicalize().unwrap()), "{}", folder.display());
    assert!(said(&output).contains("mounted noexec"), "{}", said(&output));
}
