//! A run that is killed: its stages are right, its reader leaves nothing, and `doctor --clean`
//! removes what nobody needs.

use crate::common::folder;
use record::{Batch, Field, NULL, Run};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Clocks of the run have been compared so often: a second has passed, however slow the machine is.
const COMPARED: u64 = 4;

/// Kill every process of a ping-pong over `transport` at once, in the middle.
fn killed(run: &Path, transport: &str) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fourstamp"))
        .args([
            "bench",
            "pingpong",
            "--transport",
            transport,
            "--duration",
            "600s",
            "--launches",
            "1",
        ])
        .args(["--record", "stream", "--out"])
        .arg(run)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let length = |name: &str| std::fs::metadata(run.join(name)).map_or(0, |about| about.len());
    let compared = || length("live/launch-0-node-1.anchors.log") >= 64 + COMPARED * 88;
    while !compared() || length("live/launch-0-node-1.log") < 64 * 1000 {
        assert!(child.try_wait().unwrap().is_none(), "it has ended by itself");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sheets = [0, 1].map(|node| run.join(format!("live/launch-0-node-{node}.json")));
    let nodes = sheets.map(|path| {
        let sheet: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        i32::try_from(sheet["pid"].as_i64().unwrap()).unwrap()
    });
    child.kill().unwrap();
    for pid in nodes {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    child.wait().unwrap();
}

#[test]
fn a_killed_run_with_kernel_stamps_has_no_stage_that_is_wrong() {
    for transport in ["tcp", "udp"] {
        let home = folder();
        let path = home.path().join("run");
        killed(&path, transport);
        let run = Run::open(&path).unwrap();
        let (mut messages, mut negative, mut batch) = (0_u64, 0_u64, Batch::new());
        let fields = [Field::SentNs, Field::ArrivedNs, Field::TakenNs];
        for chunk in run.chunks() {
            chunk.read(&fields, &mut batch).unwrap();
            for row in 0..chunk.rows() {
                let stamps = fields.map(|field| batch.column(field).at(row));
                if !stamps.contains(&NULL) {
                    messages += 1;
                    negative += u64::from(!stamps.is_sorted());
                }
            }
        }
        assert!(
            messages > 0 && negative * 100 <= messages,
            "{transport}: {negative} of {messages}"
        );
        let domain = &run.info.domains[0];
        assert!(
            domain.kernel_error_ns.is_some() && domain.anchors.len() as u64 > COMPARED,
            "{domain:?}"
        );
        let id = run.info.id.unwrap().name_of("");
        let shared = std::fs::read_dir(memory::shared_folder()).unwrap().flatten();
        let left =
            shared.filter(|entry| entry.file_name().to_string_lossy().starts_with(&id)).count();
        assert_eq!(left, 0, "{transport}: its reader leaves nothing");
    }
}

#[test]
fn doctor_removes_what_nobody_needs_and_says_what_it_left() {
    let home = folder();
    let path = home.path().join("run");
    killed(&path, "shm");
    let used = memory::Scratch::new("used").unwrap();
    let dead = home.path().join(memory::leased_name(memory::new_owner(), "dead"));
    std::fs::create_dir(&dead).unwrap();
    let doctor = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        let out = command.args(words).env("TMPDIR", home.path()).output().unwrap();
        assert!(out.status.success(), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let run = path.canonicalize().unwrap().display().to_string();
    let text = doctor(&["doctor", "--clean"]);
    // The system takes a moment to take the killed processes apart.
    let held = format!("rows of the killed run {run}");
    let later = std::iter::repeat_with(|| doctor(&["doctor", "--clean"]));
    let told = later.take(1000).any(|text| text.contains(&held));
    assert!(told, "its buffers were not found: {text}");
    assert!(
        text.contains("removed") && text.contains("nobody uses it") && !dead.exists(),
        "{text}"
    );
    assert!(used.path().exists());
    std::fs::create_dir(&dead).unwrap();
    let rows = doctor(&["doctor", "--clean", "--csv"]);
    let removed = rows.lines().find(|line| line.contains("dead")).expect("a row for it");
    assert!(rows.starts_with("done,path,bytes,reason\n") && removed.starts_with("removed,"));
    let checks = doctor(&["doctor", "--csv"]);
    assert!(checks.starts_with("check,state,seen,remedy\nclock,"), "{checks}");
    // Its rows are all there: they were not rubbish.
    assert_eq!(Run::open(&path).unwrap().info.lost.missing_buffers, 0);
    assert!(!doctor(&["doctor", "--clean"]).contains(&run));
}
