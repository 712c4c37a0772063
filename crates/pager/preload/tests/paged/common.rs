//! Programs built with the machine's compilers, run as they are and with the library loaded before
//! them.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a program may run.
const LIMIT: Duration = Duration::from_secs(120);

/// Local memory of paged test programs: much less than what they use.
pub const LOCAL_BYTES: u64 = 4 << 20;

/// From this size on their allocations are paged.
pub const THRESHOLD_BYTES: u64 = 64 << 10;

/// What a program did.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A folder for programs and their files, and one for the pages that leave them.
pub struct Bench {
    folder: TempDir,
    disk: TempDir,
}

/// Programs one after the other: several at once on few cores take longer than in turn.
pub fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|error| error.into_inner())
}

/// Whether a command is there; says when it is not.
pub fn is_there(command: &str, words: &[&str]) -> bool {
    let found =
        Command::new(command).args(words).output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: `{command} {}` does not work here", words.join(" "));
    }
    found
}

/// The kernels that a program may meet: one that serves all faults, and one that serves only those
/// of user mode.
pub fn modes() -> Vec<Value> {
    // SAFETY: asks for a number.
    let root = unsafe { libc::geteuid() } == 0;
    let opened = std::fs::File::options().read(true).write(true).open("/dev/userfaultfd").is_ok();
    if !root && !opened {
        println!("skipped: faults of the kernel's own mode, for which this user has no permission");
        return vec![json!({ "user_mode_only": true })];
    }
    vec![json!({ "user_mode_only": false }), json!({ "user_mode_only": true })]
}

/// Of these modes those in which small allocations can be paged, set to do so, with so much local
/// memory.
pub fn packed(local_bytes: u64) -> Vec<Value> {
    let all = modes().into_iter().filter(|mode| mode["user_mode_only"] == false);
    all.map(|mut mode| {
        mode["threshold_bytes"] = json!(0);
        mode["local_bytes"] = json!(local_bytes);
        mode
    })
    .collect()
}

impl Bench {
    pub fn new() -> Bench {
        Bench { folder: tempfile::tempdir().unwrap(), disk: disk() }
    }

    /// A file of the test's, as an argument.
    pub fn file(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// A source of this crate's tests, as an argument.
    pub fn source(name: &str) -> String {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/programs")
            .join(name)
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// Build a program, with `gcc`, `g++` or `gfortran` by its ending.
    pub fn build(&self, name: &str, more: &[&str]) -> String {
        let compiler = match name.rsplit_once('.') {
            Some((_, "c")) => "gcc",
            Some((_, "cc")) => "g++",
            _ => "gfortran",
        };
        let program = self.folder.path().join(Path::new(name).file_stem().unwrap());
        let mut command = Command::new(compiler);
        command
            .args(["-O1", "-g", "-Wall", "-o"])
            .arg(&program)
            .arg(Bench::source(name))
            .args(more)
            .arg("-lpthread");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        program.to_str().unwrap().to_owned()
    }

    /// Run a program as it is.
    pub fn plain(&self, words: &[&str]) -> Ran {
        ran(Command::new(words[0]).args(&words[1..]).env_remove(VARIABLE).env_remove("LD_PRELOAD"))
    }

    /// Run it paged. `changes` are put over the usual configuration.
    pub fn paged(&self, words: &[&str], changes: &Value) -> Ran {
        let mut config = json!({
            "local_bytes": LOCAL_BYTES,
            "policy": "disk",
            "servers": [],
            "disk": self.disk.path(),
            "prefetch_pages": 64,
            "threshold_bytes": THRESHOLD_BYTES,
            "deadline_ms": 5000,
        });
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        self.loaded(words, &config.to_string())
    }

    /// Run it with the library and with just this configuration.
    pub fn loaded(&self, words: &[&str], config: &str) -> Ran {
        ran(Command::new(words[0])
            .args(&words[1..])
            .env(VARIABLE, config)
            .env("LD_PRELOAD", library()))
    }

    /// Both ways, in every mode: paged it writes the same and has had so many bytes paged at least.
    pub fn same_both_ways(&self, words: &[&str], paged_at_least: u64) {
        self.same_in(&modes(), words, paged_at_least);
    }

    /// The same in these modes.
    pub fn same_in(&self, modes: &[Value], words: &[&str], paged_at_least: u64) {
        let plain = self.plain(words);
        assert_eq!(plain.code, Some(0), "{plain:?}");
        for mode in modes {
            let paged = self.paged(words, mode);
            assert_eq!((paged.code, &paged.out), (plain.code, &plain.out), "{mode}: {}", paged.err);
            let most = paged.most_paged();
            assert!(most >= paged_at_least, "{mode}: only {most} bytes were paged: {}", paged.err);
        }
    }
}

const VARIABLE: &str = "FOURSTAMP_PAGER";

/// In memory where that has room: these tests look at what programs see, and would wait for a real
/// disk most of their time. Tests of the engine and of the command have one.
fn disk() -> TempDir {
    const ROOM: u64 = 1 << 30;
    // SAFETY: the path ends with a nul, and the statistics are plain numbers.
    let free = unsafe {
        let mut about: libc::statvfs = std::mem::zeroed();
        let known = libc::statvfs(c"/dev/shm".as_ptr(), &mut about) == 0;
        if known { about.f_bavail * about.f_frsize } else { 0 }
    };
    let in_memory = (free >= ROOM).then(|| tempfile::tempdir_in("/dev/shm").ok()).flatten();
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

impl Ran {
    /// The largest number of bytes that it said to have paged.
    pub fn most_paged(&self) -> u64 {
        let told = self.err.lines().filter_map(|line| line.strip_prefix("paged ")?.parse().ok());
        told.max().unwrap_or(0)
    }

    /// The library's own lines.
    pub fn said(&self) -> Vec<&str> {
        self.err.lines().filter(|line| line.starts_with("fourstamp pager: ")).collect()
    }
}

/// The library that is built with these tests.
pub fn library() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let library = own.parent().unwrap().join("librmem_preload.so");
    assert!(library.is_file(), "cargo builds {}", library.display());
    library
}

/// Run to the end; killed after the limit.
fn ran(command: &mut Command) -> Ran {
    let (out, err) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
    let streams = (out.try_clone().unwrap(), err.try_clone().unwrap());
    let mut child =
        command.stdin(Stdio::null()).stdout(streams.0).stderr(streams.1).spawn().unwrap();
    let deadline = Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let Output { status, .. } = child.wait_with_output().unwrap();
    Ran { code: status.code(), out: whole(out), err: whole(err) }
}

fn whole(mut file: std::fs::File) -> String {
    use std::io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}
