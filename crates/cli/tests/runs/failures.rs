//! Wrong input and sudden ends: one clear line, exit code 2, and what was recorded before is
//! intact.

use crate::common::{fail, folder, fourstamp, messages, succeed, text};
use record::{Run, State};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let folder = folder();
    let line = fail(folder.path(), "bench pingpong --transport pigeon");
    assert!(line.contains("pigeon") && line.contains("shm"), "{line}");
    let line = fail(folder.path(), "bench relay --nodes 2");
    assert!(line.contains("relay needs 3 nodes"), "{line}");
    let line = fail(folder.path(), "bench pingpong --nodes 6 --topology hypercube");
    assert!(line.contains("1, 2, 4, 8"), "{line}");
    let line = fail(folder.path(), "report nowhere");
    assert!(line.contains("nowhere"), "{line}");
    let line = fail(folder.path(), "report run --csv=colours");
    assert!(line.contains("run"), "{line}");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("listed").count(),
        0,
        "nothing half-made stays"
    );
}

#[test]
fn a_folder_that_is_taken_is_left_alone() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("run")).expect("made");
    std::fs::write(folder.path().join("run/precious"), "data").expect("written");
    let line = fail(folder.path(), "bench pingpong --count 10 --out run");
    assert!(line.contains("run") && line.contains("empty"), "{line}");
    assert_eq!(std::fs::read_to_string(folder.path().join("run/precious")).expect("kept"), "data");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = folder();
    // /proc refuses even root.
    let line = fail(folder.path(), "bench pingpong --count 10 --out /proc/run");
    assert!(line.contains("/proc/run"), "{line}");
}

#[test]
fn an_empty_file_and_a_file_of_noise() {
    let folder = folder();
    succeed(folder.path(), "bench pingpong --count 50 --launches 1 --out run");
    let run = folder.path().join("run");
    let files = messages(&run);
    let whole = std::fs::read(&files[0]).expect("read");
    let noise: Vec<u8> =
        (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for damaged in [&[][..], &noise[..], &whole[..whole.len() / 2]] {
        std::fs::write(&files[0], damaged).expect("written");
        let line = fail(folder.path(), "report run");
        let name = files[0].file_name().expect("a name").to_string_lossy();
        assert!(line.contains(&*name), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(!run.join("report.html").exists());
    }
    std::fs::write(run.join("run.json"), noise).expect("written");
    assert!(fail(folder.path(), "report run").contains("run.json"));
}

/// Also of the tables that its producer adds.
#[test]
fn no_file_of_a_run_is_waited_for() {
    let folder = folder();
    succeed(
        folder.path(),
        "warp ping --stop 50 --nodes 2 --transport shm --check --out simulation",
    );
    let paged =
        ["pager", "run", "--local", "2M", "--no-report", "--out", "paged", "--", "python3", "-c"];
    let program = "b = bytearray(8 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1";
    let mut pager = quiet(fourstamp(folder.path(), ""));
    let mut runs = vec!["simulation"];
    match pager.args(paged).arg(program).status().is_ok_and(|ended| ended.success()) {
        true => runs.push("paged"),
        false => println!("skipped: no program can be paged here"),
    }
    for run in runs.iter().map(|run| folder.path().join(run)) {
        for file in files_below(&run) {
            let bytes = std::fs::read(&file).expect("read");
            std::fs::remove_file(&file).expect("removed");
            let made = Command::new("mkfifo").arg(&file).status();
            assert!(made.is_ok_and(|made| made.success()));
            for words in ["report --terminal", "story"] {
                let mut reader = quiet(fourstamp(folder.path(), words));
                let mut reader = reader.arg(&run).spawn().expect("started");
                let begun = Instant::now();
                while reader.try_wait().expect("waited for").is_none() {
                    let waits = begun.elapsed() > Duration::from_secs(60);
                    assert!(!waits, "{words} waits for {}", file.display());
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            std::fs::remove_file(&file).expect("removed");
            std::fs::write(&file, bytes).expect("written");
        }
    }
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("listed").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn killed_half_way_everything_older_than_a_second_is_there() {
    for record in ["memory", "stream"] {
        let folder = folder();
        let arguments =
            format!("bench pingpong --duration 60s --launches 1 --record {record} --out run");
        let mut bench = quiet(fourstamp(folder.path(), &arguments)).spawn().expect("started");
        let run = folder.path().join("run");
        wait_for("both nodes to record", || sheets(&run) == 2);
        std::thread::sleep(Duration::from_millis(2500));
        kill(&mut bench);
        wait_for("the nodes to end with their coordinator", || Run::open(&run).is_ok());
        let cut = Run::open(&run).expect("its first reader closes it");
        assert_eq!(cut.info.state, State::Cut, "{record}");
        assert!(cut.info.lost.cut);
        assert!(cut.rows() > 100, "{record}: {} rows", cut.rows());
        let out = succeed(folder.path(), "report run --terminal");
        assert!(out.contains("cut"), "{out}");
    }
}

#[test]
fn a_dead_peer_is_named_and_the_rest_is_kept() {
    let folder = folder();
    let arguments = "bench pingpong --transport tcp --duration 60s --launches 1 --out run";
    let bench =
        quiet(fourstamp(folder.path(), arguments)).stderr(Stdio::piped()).spawn().expect("started");
    let run = folder.path().join("run");
    wait_for("both nodes to record", || sheets(&run) == 2);
    std::thread::sleep(Duration::from_millis(1500));
    kill_process(pid_of_node(&run, 1));
    let output = bench.wait_with_output().expect("it ends by itself");
    let line = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(line.contains("node 1"), "{line}");
    let kept = Run::open(&run).expect("readable");
    assert!(kept.rows() > 100, "{} rows", kept.rows());
    assert!(!kept.info.failures.is_empty());
}

#[test]
fn a_wrong_key_is_refused_and_the_right_one_still_joins() {
    let folder = folder();
    let port = free_port();
    let arguments = format!(
        "bench pingpong --transport tcp --count 100 --launches 1 --out run --listen \
        127.0.0.1:{port} --wait-for-nodes --key-file key"
    );
    let bench = quiet(fourstamp(folder.path(), &arguments))
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    wait_for("the key file", || folder.path().join("key").exists());
    let join = format!("node --join 127.0.0.1:{port}");
    let stranger = fourstamp(folder.path(), &join)
        .env("FOURSTAMP_RUN_KEY", "ab".repeat(32))
        .output()
        .expect("ran");
    assert_eq!(stranger.status.code(), Some(2), "{}", text(&stranger.stderr));
    assert!(text(&stranger.stderr).contains("key"), "{}", text(&stranger.stderr));
    let mut nodes: Vec<Child> = (0..2)
        .map(|_| {
            quiet(fourstamp(folder.path(), &format!("{join} --key-file key")))
                .spawn()
                .expect("started")
        })
        .collect();
    let output = bench.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    for node in &mut nodes {
        assert!(node.wait().expect("ends").success());
    }
    let info = Run::open(folder.path().join("run")).expect("closed").info;
    assert!(
        info.notes.iter().any(|note| note.contains("key")),
        "the refusal is in the run's notes: {:?}",
        info.notes
    );
}

#[test]
fn a_key_that_others_can_read_is_refused() {
    let folder = folder();
    let key = folder.path().join("key");
    std::fs::write(&key, "ab".repeat(32)).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&key, mode).expect("changed");
    let line = fail(folder.path(), "node --join 127.0.0.1:1 --key-file key");
    assert!(line.contains("chmod 600"), "{line}");
}

#[test]
fn a_full_disk_keeps_what_was_recorded() {
    let folder = folder();
    let disk = folder.path().join("disk");
    std::fs::create_dir(&disk).expect("made");
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(&disk).output();
    if !mounted.as_ref().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: a small file system cannot be mounted here (needs root)");
        return;
    }
    let line = crate::common::run(
        folder.path(),
        "bench pingpong --count 200000 --launches 1 --out disk/run",
    );
    let (code, line) = (line.status.code(), text(&line.stderr));
    let grown = Command::new("mount").args(["-o", "remount,size=200m"]).arg(&disk).status();
    let kept = Run::open(disk.join("run")).map(|run| run.rows());
    let unmounted = Command::new("umount").arg(&disk).status();
    assert_eq!(code, Some(2), "{line}");
    assert!(line.contains("space") || line.contains("full"), "{line}");
    assert!(
        grown.is_ok_and(|status| status.success())
            && unmounted.is_ok_and(|status| status.success())
    );
    assert_eq!(kept.expect("readable once there is space"), 600_000);
}

#[test]
fn ctrl_c_finishes_cleanly_with_what_there_is() {
    let folder = folder();
    let arguments = "bench pingpong --duration 60s --launches 3 --out run";
    let bench =
        quiet(fourstamp(folder.path(), arguments)).stdout(Stdio::piped()).spawn().expect("started");
    let run = folder.path().join("run");
    wait_for("both nodes to record", || sheets(&run) == 2);
    std::thread::sleep(Duration::from_secs(1));
    signal(bench.id(), "INT");
    let output = bench.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stdout).contains("whole cycle"), "{}", text(&output.stdout));
    let info = Run::open(&run).expect("closed").info;
    assert_eq!(info.state, State::Closed);
    assert_eq!(info.launches.len(), 1);
}

/// Sheets of nodes that have begun to record.
fn sheets(run: &Path) -> usize {
    let live = std::fs::read_dir(run.join("live")).into_iter().flatten().flatten();
    live.filter(|entry| {
        entry.file_name().to_string_lossy().ends_with(".json")
            && entry.file_name().to_string_lossy().starts_with("launch-")
    })
    .count()
}

fn pid_of_node(run: &Path, node: u32) -> u32 {
    let path = run.join(format!("live/launch-0-node-{node}.json"));
    let sheet =
        record::NodeSheet::parse(&std::fs::read(&path).expect("a sheet"), &path).expect("whole");
    sheet.pid
}

fn quiet(mut command: Command) -> Command {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn kill(child: &mut Child) {
    child.kill().expect("killed");
    child.wait().expect("reaped");
}

fn kill_process(pid: u32) {
    signal(pid, "KILL");
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").port()
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
