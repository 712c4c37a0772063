//! `fourstamp pager run`, as its users meet it.

use crate::paging::{Run, Servers, checker};
use record::{Batch, Field, Kind, NULL};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FOURSTAMP: &str = env!("CARGO_BIN_EXE_fourstamp");

#[test]
fn every_page_that_travels_leaves_a_record() {
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut command = Command::new(FOURSTAMP);
    command.args(["pager", "run", "--local", "2M", "--out"]).arg(&run).arg("--").arg(&checker);
    let ended = command.args(["8", "4000", "5"]).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "0 wrong\n", "its output is its own");
    for word in ["parity-log, 2 MiB of local memory", "page-outs", "parity", "User"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let run = record::Run::open(&run).unwrap();
    let process = &run.info.parameters["pager"]["processes"][0];
    let mut rows = [0u64; 3];
    let mut batch = Batch::new();
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch).unwrap();
        count(&batch, &mut rows);
    }
    let told = ["page_outs", "page_ins", "parity"].map(|name| process[name].as_u64().unwrap());
    assert_eq!(rows, told, "page-outs, page-ins, parity");
    assert!(told.iter().all(|many| *many > 0));
}

/// Recording has threads in the program, too, and they do not keep it.
#[test]
fn a_program_whose_first_thread_ends_first_ends_with_its_last() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("main_ends");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/main_ends.c");
    match Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).status() {
        Ok(status) => assert!(status.success(), "it compiles"),
        Err(error) => return println!("skipped: no C compiler: {error}"),
    }
    let run = folder.path().join("run");
    let mut command = Command::new("timeout");
    command.args(["-k", "1", "60", FOURSTAMP, "pager", "run", "--local", "2M", "--out"]).arg(&run);
    let ended = command.arg("--").arg(&program).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(0), &b"0 wrong\n"[..]), "{said}");
    let run = record::Run::open(&run).unwrap();
    let paged = &run.info.parameters["pager"]["processes"][0]["page_outs"];
    assert!(paged.as_u64() > Some(0), "{paged}");
}

const FIELDS: [Field; 5] =
    [Field::Kind, Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];

/// Rows of each kind; every one has its four stamps, in order.
fn count(batch: &Batch, rows: &mut [u64; 3]) {
    for at in 0..batch.rows() {
        let [kind, stamps @ ..] = FIELDS.map(|field| batch.column(field).at(at));
        let place =
            [Kind::PageOut, Kind::PageIn, Kind::Parity].iter().position(|one| *one as i64 == kind);
        rows[place.expect("a page that travels")] += 1;
        assert!(stamps.is_sorted() && !stamps.contains(&NULL), "{stamps:?}");
    }
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], word: &str| {
        let mut command = Command::new(FOURSTAMP);
        command.args(["pager", "run"]).args(arguments).current_dir(folder.path());
        let ended = command.env_remove("FOURSTAMP_RUN_KEY").output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{word}: {said}");
        let runs = folder.path().join("runs");
        let left = std::fs::read_dir(runs).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{arguments:?} leaves a run");
    };
    refused(&["--local", "10K", "--", "true"], "give at least 1M");
    refused(&["--local", "4M", "--", "./nobody"], "cannot find the program ./nobody");
    refused(&["--local", "4M", "--policy", "raid", "--", "true"], "parity-log");
    refused(&["--local", "4M", "--server", "127.0.0.1:1", "--", "true"], "--key-file");
    let mirror = ["--local", "4M", "--policy", "mirror", "--server", "127.0.0.1:1", "--", "true"];
    refused(&mirror, "give --server twice, or choose --policy none");
    refused(&["--local", "4M", "--policy", "mirror", "--start", "1", "--", "true"], "--start 2");
    let Some(checker) = checker() else { return };
    let program = checker.to_str().unwrap();
    let here = ["--local", "4M", "--disk", "/nonexistent", "--", program, "8", "10", "1"];
    refused(&here, "name another folder with --disk");
}

#[test]
fn a_wrong_key_is_refused_and_the_right_one_still_served() {
    let Some(checker) = checker() else { return };
    let servers = Servers::start(3);
    let program = [checker.to_str().unwrap(), "8", "2000", "3"];
    let other = tempfile::tempdir().unwrap();
    let key = other.path().join("key");
    let made = Command::new(FOURSTAMP).args(["pager", "key"]).arg(&key).status().unwrap();
    assert!(made.success());
    let wrong = ["--local", "2M", "--key-file", key.to_str().unwrap()];
    let refused = Run::start_with_key(&servers, None, &wrong, &program).end();
    assert_eq!(refused.status.code(), Some(2), "{}", refused.err);
    assert!(refused.err.contains("does not hold the same run key"), "{}", refused.err);
    let served =
        Run::start(&servers, &["--local", "2M", "--encrypt", "--no-report"], &program).end();
    assert!(served.status.success() && served.out == "0 wrong\n", "{}{}", served.out, served.err);
}

/// To a server that refuses what is not encrypted, under addresses of which only one is surely
/// this machine's own.
#[test]
fn pages_are_encrypted_where_they_may_leave_this_machine() {
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (key, announce) = (folder.path().join("key"), folder.path().join("at"));
    let made = Command::new(FOURSTAMP).args(["pager", "key"]).arg(&key).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let serve = "pager serve --memory 64M --listen 127.0.0.1:0 --require-encryption";
    let mut command = Command::new(FOURSTAMP);
    command.args(serve.split(' ')).arg("--key-file").arg(&key).arg("--announce").arg(&announce);
    rmem::end_with_parent(&mut command);
    let mut server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let port = loop {
        let said = std::fs::read_to_string(&announce).unwrap_or_default();
        match said.trim().rsplit_once(':') {
            Some((_, port)) if said.ends_with('\n') => break port.to_owned(),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let run = |number: &str, more: &[&str], host: &str| {
        let mut command = Command::new(FOURSTAMP);
        command.args("pager run --local 2M --policy none --no-report --no-record".split(' '));
        command.args(more).args(["--server", &format!("{host}:{port}"), "--key-file"]).arg(&key);
        command.arg("--out").arg(folder.path().join(number)).arg("--").arg(&checker);
        command.args(["8", "500", "1"]).output().unwrap()
    };
    // The address of all of this machine's interfaces.
    let far = run("far", &[], "0.0.0.0");
    assert_eq!((far.status.code(), &far.stdout[..]), (Some(0), &b"0 wrong\n"[..]), "{far:?}");
    let info = record::Run::open(folder.path().join("far")).unwrap().info;
    assert_eq!(info.parameters["encrypted"], true);
    for refused in [run("plain", &["--plain"], "0.0.0.0"), run("near", &[], "127.0.0.1")] {
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("encrypt"), "{said}");
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn what_a_killed_launcher_leaves_is_readable() {
    let Some(checker) = checker() else { return };
    let servers = Servers::start(3);
    let program = [checker.to_str().unwrap(), "8", "400000", "3"];
    let mut run = Run::start(&servers, &["--local", "2M"], &program);
    run.wait_until_paged();
    std::thread::sleep(Duration::from_millis(1500));
    let folder = run.kill();
    let said = Command::new(FOURSTAMP)
        .args(["report", "--terminal"])
        .arg(folder.path().join("run"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success(), "{text}{}", String::from_utf8_lossy(&said.stderr));
    assert!(text.contains("cut") && text.contains("page-outs"), "{text}");
}

/// Its first tenths of a second are when it starts page servers, and the program.
#[test]
fn nothing_outlives_a_launcher_that_is_killed_while_it_starts() {
    for after_ms in (0..300).step_by(15) {
        let place = tempfile::tempdir().unwrap();
        let here = std::fs::canonicalize(place.path()).unwrap();
        let words = ["pager", "run", "--no-report", "--local", "2M", "--", "sleep", "1000"];
        let mut launcher = Command::new(FOURSTAMP);
        launcher.args(words).current_dir(&here).stdout(Stdio::null()).stderr(Stdio::null());
        let mut launcher = launcher.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after_ms));
        launcher.kill().unwrap();
        launcher.wait().unwrap();
        let killed = Instant::now();
        while at_work_in(&here) > 0 {
            assert!(
                killed.elapsed() < Duration::from_secs(20),
                "killed after {after_ms} ms, it left processes"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// How many processes have this as their working folder.
fn at_work_in(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let folders = processes.map(|process| std::fs::read_link(process.path().join("cwd")));
    folders.filter(|found| found.as_ref().is_ok_and(|found| found == folder)).count()
}

#[test]
fn a_program_that_asks_for_little_runs_as_ever() {
    let ended = Command::new(FOURSTAMP)
        .args(["pager", "run", "--local", "4M", "--", "sh", "-c", "echo here; exit 7"])
        .current_dir(tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    assert_eq!((ended.status.code(), &*ended.stdout), (Some(7), &b"here\n"[..]));
    assert!(String::from_utf8_lossy(&ended.stderr).contains("nothing was paged"));
}

/// The engine's descriptors are not in the program's table: it neither sees them nor closes them.
#[test]
fn a_program_that_closes_what_it_has_not_opened_keeps_its_pages() {
    let out = tempfile::tempdir().unwrap();
    let python = "import os\nx = bytearray(range(256)) * (64 << 12)\nos.closerange(3, 1000)\n\
                  y = bytearray(8 << 20)\nprint(sum(x) + sum(y))";
    let ended = Command::new(FOURSTAMP)
        .args(["pager", "run", "--local", "8M", "--no-report", "--out"])
        .arg(out.path().join("run"))
        .args(["--", "python3", "-c", python])
        .output()
        .unwrap();
    let (said, told) =
        (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert_eq!(said, format!("{}\n", (64_u64 << 12) * 255 * 128), "{told}");
    assert!(ended.status.success(), "{told}");
}

#[test]
fn a_program_that_is_not_paged_is_told_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let said = |script: &str| {
        let mut command = Command::new(FOURSTAMP);
        command.args(["pager", "run", "--no-report", "--local", "4M", "--status", "--out"]);
        command.arg(folder.path().join("run")).args(["--", "python3", "-S", "-c", script]);
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        let _ = std::fs::remove_dir_all(folder.path().join("run"));
        String::from_utf8_lossy(&ended.stderr).into_owned()
    };
    if Command::new("python3").arg("--version").output().is_err() {
        return println!("skipped: no python3");
    }
    // Blocks of 100 KiB come from the C library's allocator, which is not paged.
    let small = "import time; x = [bytearray(100 << 10) for _ in range(500)]; time.sleep(1.5)";
    let told = said(small);
    let lines = |of: &str| told.lines().filter(|line| line.contains(of)).count();
    assert_eq!(lines("--local 4.0 MiB does not bound this program"), 1, "{told}");
    assert_eq!(lines("the most that was seen"), 1, "{told}");
    assert!(lines("in allocations below --threshold") >= 3, "with --status: {told}");
    let large = "import time; x = bytearray(50 << 20); time.sleep(1.5)";
    let told = said(large);
    assert!(!told.contains("not paged:"), "it is paged: {told}");
}

#[test]
fn a_full_disk_is_told_and_waited_for() {
    full_disk("0s", |mut child, told| {
        kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        assert!(told[0].contains("the program waits for room"), "{told:?}");
    });
}

#[test]
fn a_wait_for_room_has_an_end_where_one_is_set() {
    full_disk("2s", |mut child, told| {
        let code = child.wait().unwrap().code();
        assert_eq!(code, Some(128 + 15), "{told:?}");
        let has = |words| told.iter().any(|line| line.contains(words));
        assert!(has("in 2 s it is ended (--give-up-after)"), "{told:?}");
        assert!(has("has waited for room for 2 s (--give-up-after) and is ended"), "{told:?}");
        assert!(has("the program was ended by signal 15") && !has("lost"), "{told:?}");
    });
}

/// A run whose disk is full: its lines on standard error, all of them where it ends by itself.
fn full_disk(give_up_after: &str, then: impl FnOnce(std::process::Child, Vec<String>)) {
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let small = r#"mount -t tmpfs -o size=4M small "$1" && cd "$1" && shift && exec "$@""#;
    let run = tempfile::tempdir().unwrap();
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", small, "sh"]).arg(folder.path()).arg(FOURSTAMP);
    command.args("pager run --no-report --local 2M --policy disk --disk .".split(' '));
    command.args(["--give-up-after", give_up_after]);
    command
        .arg("--out")
        .arg(run.path().join("run"))
        .arg("--")
        .arg(&checker)
        .args(["16", "100000", "1"])
        .process_group(0);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let told = lines.by_ref().find(|line| {
        line.contains("are full") || line.contains("unshare") || line.contains("mount")
    });
    let told = told.expect("it ends without a word");
    if !told.contains("are full") {
        child.wait().unwrap();
        return println!("skipped: no file system can be mounted here: {told}");
    }
    let rest = if give_up_after == "0s" { Vec::new() } else { lines.collect() };
    then(child, [vec![told], rest].concat());
}

#[test]
fn a_server_that_is_not_there_is_named_with_the_reason_and_the_remedy() {
    let Some(checker) = checker() else { return };
    let folder = tempfile::tempdir().unwrap();
    let fourstamp = |words: &str| {
        let mut command = Command::new(FOURSTAMP);
        command.args(words.split(' ')).current_dir(folder.path());
        command
    };
    assert!(fourstamp("pager key key").status().unwrap().success());
    for (server, reason) in
        [("127.0.0.1:1", "Connection refused"), ("127.0.0.1", "invalid socket address")]
    {
        let begun = Instant::now();
        let options = format!("pager run --local 2M --key-file key --server {server} --");
        let ended = fourstamp(&options).arg(&checker).args(["8", "10", "1"]).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(
            said.contains(&format!("cannot reach the page server {server}: {reason}")),
            "{said}"
        );
        assert!(said.contains("start it with `fourstamp pager serve`, or name another"), "{said}");
        assert_eq!(said.matches(server).count(), 1, "{said}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{said}");
    }
}

/// Each with `/dev/shm` and `/tmp` of its own, so that all that is there afterwards is its own.
#[test]
fn a_run_that_cannot_begin_leaves_no_memory_behind() {
    let Some(checker) = checker() else { return };
    // The checkout may itself lie in /tmp, so that its programs are run from where they stay.
    let alone = r#"mount --bind "$0" /mnt &&
                   mount -t tmpfs shm /dev/shm && mount -t tmpfs tmp /tmp && cd /tmp
                   "$1" pager key key && "$@"
                   echo "code $?"; ls -A /dev/shm /tmp runs"#;
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let staying = |program: &Path| Path::new("/mnt").join(program.strip_prefix(target).unwrap());
    let (fourstamp, checker) = (staying(Path::new(FOURSTAMP)), staying(&checker));
    let program = checker.to_str().unwrap();
    for (options, words) in [
        ("--server 127.0.0.1:1 --policy none --key-file key", vec![program, "8", "10", "1"]),
        ("--policy disk --disk /nonexistent", vec![program, "8", "10", "1"]),
        ("--policy disk", vec!["/nonexistent"]),
    ] {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", alone]).arg(target).arg(&fourstamp);
        command.args(["pager", "run", "--local", "2M"]);
        let ended = command.args(options.split(' ')).arg("--").args(&words).output().unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        if !out.contains("code ") {
            return println!("skipped: no file system can be mounted here: {err}");
        }
        let left = out.lines().filter(|line| !line.is_empty() && !line.ends_with(':'));
        let left: Vec<&str> = left.filter(|line| !line.starts_with("wrote ")).collect();
        let sound = [&["code 2", "key", "runs"][..], &["code 2", "key"]];
        assert!(sound.contains(&&left[..]), "{options} {words:?} leaves {left:?}: {err}");
    }
}
