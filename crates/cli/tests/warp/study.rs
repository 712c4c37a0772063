//! Slooow, configuration files and speed-up studies through the command line.

use crate::common::{fail, folder, fourstamp, run, succeed, text};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PHOLD: &str = "phold --objects 32 --remote 0.5 --cutoff 20 --work-steps 200";

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A column of a CSV.
fn column(csv: &str, name: &str) -> Vec<String> {
    let at = csv.lines().next().and_then(|heads| heads.split(',').position(|head| head == name));
    let at = at.unwrap_or_else(|| panic!("no {name} in {csv}"));
    csv.lines()
        .skip(1)
        .map(|line| line.split(',').nth(at).unwrap_or_default().to_string())
        .collect()
}

#[test]
fn slooow_has_the_counts_of_its_formula_on_every_driver() {
    let folder = folder();
    for nodes in [
        "--seq",
        "-n 1 --check",
        "-n 3 --transport shm --check",
        "-n 2 --transport tcp --check --out run",
    ] {
        let all = format!("warp slooow --objects 3 --stop 45 --work 20 --gvt-interval 5ms {nodes}");
        let out = succeed(folder.path(), &format!("{all} --counts counts.csv"));
        let counts = read(&folder.path().join("counts.csv"));
        // 3 (T + 1) events, 3 (T + 1 + T / 10) messages.
        assert!(counts.contains("TOTAL,all,138,150,147,0\n"), "{nodes}: {counts}");
        assert_eq!(out.contains("fossil collection"), !nodes.contains("--seq"), "{nodes}: {out}");
        assert!(nodes.contains("--seq") || out.contains("; 138 states freed"), "{nodes}: {out}");
    }
    assert!(folder.path().join("run/run.json").exists(), "it was asked to be kept");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("listed").count(),
        2,
        "and nothing else was"
    );
}

#[test]
fn a_launch_that_is_stuck_is_given_up() {
    let folder = folder();
    let study = "warp study phold --cutoff 1e6 --nodes 1 --launches 1 --give-up-after 300ms";
    let error = fail(folder.path(), study);
    assert!(error.contains("sequential-1: given up after 300ms"), "{error}");
}

#[test]
fn slooow_has_an_object_a_node() {
    let folder = folder();
    succeed(folder.path(), "warp slooow -n 3 --stop 5 --work-steps 1 --counts counts.csv --csv");
    assert_eq!(
        column(&read(&folder.path().join("counts.csv")), "object"),
        ["slow_0", "slow_1", "slow_2", "TOTAL"]
    );
}

#[test]
fn a_configuration_file_places_objects_and_says_what_it_ignores() {
    let folder = folder();
    let file = "/* all on node 1 */ obcreate ping player 1\nOBCREATE pong player 3\nOBJSTKSIZE \
    3000\nOBJSTKSIZE 4000\n\
                CUTOFF 50\n@\"more.cfg\"\n";
    std::fs::write(folder.path().join("ping.cfg"), file).expect("written");
    std::fs::write(folder.path().join("more.cfg"), "TELL ping 0 0 \"go \"\nMAXACKS 3\n")
        .expect("written");
    let all = "warp ping --config ping.cfg --check --xl-stats xl.csv";
    let output = run(folder.path(), all);
    let err = text(&output.stderr);
    assert!(output.status.success(), "{err}");
    assert_eq!(
        err,
        "ping.cfg, line 3, column 1: OBJSTKSIZE is ignored: objects have no stack of their own \
        here\n"
    );
    assert!(
        text(&output.stdout).contains("final time                   50"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(column(&read(&folder.path().join("xl.csv")), "Node"), ["1", "1"]);
    let output = run(folder.path(), &format!("{all} --cutoff 60 --placement blocks"));
    let err = text(&output.stderr);
    assert!(
        err.contains("CUTOFF does not count") && err.contains("OBCREATE does not count"),
        "{err}"
    );
    assert!(
        text(&output.stdout).contains("final time                   60"),
        "{}",
        text(&output.stdout)
    );
    assert_eq!(column(&read(&folder.path().join("xl.csv")), "Node"), ["0", "1"]);
}

#[test]
fn a_configuration_file_without_sense_is_one_line() {
    let folder = folder();
    for (file, words) in [
        ("CUTOFF\n", &["x.cfg, line 1, column 7", "expected a simtime"][..]),
        ("\n  GALLOP 3\n", &["x.cfg, line 2, column 3", "'GALLOP' is not a command"]),
        (
            "OBCREATE pung player 0\n",
            &["x.cfg, line 1, column 1", "'pung' is not an object of this ping"],
        ),
        ("@x.cfg\n", &["x.cfg, line 1, column 1", "includes itself"]),
        ("\u{0}", &["line 1, column 1", "unexpected character"]),
    ] {
        std::fs::write(folder.path().join("x.cfg"), file).expect("written");
        let line = fail(folder.path(), "warp ping --config x.cfg");
        assert_eq!(line.lines().count(), 1, "{line}");
        words.iter().for_each(|word| assert!(line.contains(word), "{file:?}: {line}"));
    }
    std::fs::write(folder.path().join("x.cfg"), [0xff, 0xfe]).expect("written");
    assert!(fail(folder.path(), "warp ping --config x.cfg").contains("it is not text"));
    assert!(fail(folder.path(), "warp ping --config y.cfg").contains("cannot read y.cfg"));
}

#[test]
fn a_study_measures_all_alike_and_keeps_everything() {
    let folder = folder();
    let out =
        succeed(folder.path(), &format!("warp study {PHOLD} --nodes 2,1 --launches 2 --out study"));
    assert!(
        out.contains("in order")
            && out
                .contains("Undecided whether phold is faster on several nodes (too few launches)"),
        "{out}"
    );
    assert!(out.contains("Below 3 launches of each there is no interval"), "{out}");
    let study = folder.path().join("study");
    let launches = read(&study.join("launches.csv"));
    assert_eq!(column(&launches, "nodes"), ["1", "1", "1", "1", "2", "2"]);
    assert_eq!(column(&launches, "launch"), ["1", "2", "1", "2", "1", "2"]);
    let events = column(&launches, "events");
    assert!(events.iter().all(|of| *of == events[0] && of != "0"), "{launches}");
    let table = read(&study.join("speedup.csv"));
    assert_eq!(column(&table, "engine"), ["sequential", "optimistic", "optimistic"]);
    for row in 1..3 {
        let of = |name: &str| column(&table, name)[row].parse::<f64>().expect("a number");
        assert!((of("speedup") / of("nodes") - of("efficiency")).abs() < 1e-5, "{table}");
        assert!(
            of("speedup") > 0.0 && column(&table, "speedup_low")[row].is_empty(),
            "two launches: {table}"
        );
    }
    assert!(read(&study.join("report.html")).contains("Run time against time of day"));
    let stats = std::fs::read_dir(study.join("xl_stats")).expect("listed");
    let lines: Vec<usize> =
        stats.map(|file| read(&file.expect("there").path()).lines().count()).collect();
    assert_eq!(lines, [33; 6], "a heading and the objects, for each launch");
}

#[test]
fn work_in_microseconds_is_the_same_steps_in_every_launch() {
    let folder = folder();
    succeed(
        folder.path(),
        "warp study phold --objects 8 --cutoff 10 --work 3 -n 1 --launches 2 --out study",
    );
    assert!(folder.path().join("study/report.html").exists());
}

#[test]
fn a_study_can_be_shown_as_data_and_leaves_the_same_files() {
    let folder = folder();
    let study = "warp study phold --objects 8 --cutoff 5 --work-steps 5 -n 1 --launches 1";
    let launches = succeed(folder.path(), &format!("{study} --csv=launches --out a"));
    assert_eq!(launches, read(&folder.path().join("a/launches.csv")));
    assert_eq!(column(&launches, "engine"), ["sequential", "optimistic"]);
    let json = succeed(folder.path(), &format!("{study} --json --out b"));
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let rows = &json["tables"][0]["rows"];
    let table = read(&folder.path().join("b/speedup.csv"));
    let seconds: Vec<Option<f64>> =
        column(&table, "seconds").iter().map(|text| text.parse().ok()).collect();
    assert_eq!([rows[0]["seconds"].as_f64(), rows[1]["seconds"].as_f64()], seconds[..]);
}

#[test]
fn a_study_that_makes_no_sense_is_refused_before_anything_is_measured() {
    let folder = folder();
    for (arguments, words) in [
        ("phold --nodes 0", "from 1 to 1024"),
        ("phold --launches 0", "1..=1000"),
        ("galaxy", "there is no model 'galaxy'"),
        ("ping --nodes 1,3", "3 nodes for 2 objects"),
        ("slooow --nodes 1,2", "give --objects"),
        ("phold --seq", "leave --seq out"),
        ("phold -n4x", "-n"),
        ("phold --timing sundial", "sundial"),
        ("phold --remote 2", "remote = 2"),
        ("phold --config nowhere.cfg", "cannot read nowhere.cfg"),
        ("study phold", "a study needs a model"),
        ("phold --csv=times", "choose from: speedup, launches"),
        ("phold,stb88 --corps 3", "phold has no option --corps: name the models that it is for"),
        ("phold,stb88 --corps phold=3", "it is for: --corps stb88=VALUE"),
        ("phold,ping --galoshes 3", "phold has no option --galoshes: see"),
        ("phold,ping --cutoff ctls=5", "ctls does not take part"),
        ("phold,ping --cutoff phold=5,7", "write MODEL=VALUE for each model"),
        ("phold,galaxy", "there is no model 'galaxy'"),
        ("phold,phold", "phold is named twice"),
        ("phold --transport pigeon", "pigeon"),
        ("phold --stretch 0.5", "a factor from 1"),
        ("phold --stretch 1,10 --timing none", "give --timing process or wall"),
        ("phold --on mark3", "leave --on out"),
        ("phold --build gcc", "NAME=PATH"),
        ("phold --build a=/no/such --build a=/bin/sh", "two builds are called a"),
        ("phold --build gcc=/no/such", "build gcc (/no/such): cannot start /no/such"),
        ("phold --build echo=/bin/echo", "build echo (/bin/echo) does not answer as this"),
        ("phold --csv --json", "cannot be used with"),
    ] {
        let line = fail(folder.path(), &format!("warp study {arguments}"));
        assert!(line.contains(words), "{arguments}: {line}");
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("listed").count(),
            0,
            "{arguments} leaves nothing"
        );
    }
}

#[test]
fn several_models_and_transports_are_launched_in_turn() {
    let folder = folder();
    let study = "warp study phold,ping --cutoff phold=6,ping=40 --objects phold=8 --timing none \
                 --nodes 2 --transport thread,shm --launches 2 --out joint";
    let out = succeed(folder.path(), &study.split_whitespace().collect::<Vec<_>>().join(" "));
    assert!(
        out.contains("ping, 2 nodes, shm") && out.contains("Undecided: phold and ping."),
        "{out}"
    );
    let joint = folder.path().join("joint");
    let launches = read(&joint.join("launches.csv"));
    let of = |name: &str| column(&launches, name);
    let mut turns: Vec<(f64, String)> = of("begun_unix_s")
        .iter()
        .zip(of("model").iter().zip(of("transport")).map(|(model, by)| format!("{model} {by}")))
        .map(|(begun, who)| (begun.parse().expect("a moment"), who))
        .collect();
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    let turns: Vec<&str> = turns.iter().map(|(_, who)| who.as_str()).collect();
    let there = ["phold ", "phold thread", "phold shm", "ping ", "ping thread", "ping shm"];
    assert_eq!(turns[..6], there, "round 1");
    assert_eq!(turns[6..], there.iter().rev().copied().collect::<Vec<_>>(), "round 2");
    for model in ["phold", "ping"] {
        let rows = of("model").into_iter().zip(of("events")).filter(|(name, _)| name == model);
        let events: Vec<String> = rows.map(|(_, events)| events).collect();
        assert!(events.iter().all(|one| *one == events[0] && one != "0"), "{launches}");
    }
    let table = read(&joint.join("speedup.csv"));
    let number =
        |name: &str, row: usize| column(&table, name)[row].parse::<f64>().expect("a number");
    for (row, in_order) in [(1, 0), (2, 0), (4, 3), (5, 3)] {
        let expected = number("seconds", in_order) / number("seconds", row);
        assert!((number("speedup", row) / expected - 1.0).abs() < 1e-4, "{table}");
    }
    assert!(joint.join("xl_stats/phold-nodes-2-shm-2.csv").exists());
    assert!(read(&joint.join("report.html")).contains("Model by model"));
}

/// A program of that name that does this with its words; `REAL` is fourstamp.
fn program(folder: &Path, name: &str, script: &str) -> String {
    let path = folder.join(name);
    let script = script.replace("REAL", env!("CARGO_BIN_EXE_fourstamp"));
    // By a shell: nobody who is started meanwhile has it open then.
    let write = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let written = Command::new("sh").args(["-c", write]).arg(&path).arg(script).status();
    assert!(written.expect("sh runs").success());
    path.display().to_string()
}

const SMALL: &str = "warp study phold --objects 4 --cutoff 4 -n 1 --launches 1";

#[test]
fn another_build_takes_part() {
    let folder = folder();
    let other = program(folder.path(), "other", "exec REAL \"$@\"");
    let out = succeed(folder.path(), &format!("{SMALL} --build gcc={other} --out both"));
    assert!(out.contains("1 node, gcc") && out.contains("× as long with build gcc"), "{out}");
    let table = read(&folder.path().join("both/speedup.csv"));
    assert_eq!(column(&table, "build"), ["this", "this", "gcc", "gcc"]);
    let against = column(&table, "relative");
    assert!(against[0].is_empty() && against[3].parse::<f64>().is_ok_and(|it| it > 0.0), "{table}");
    assert!(folder.path().join("both/xl_stats/gcc-nodes-1-1.csv").exists());
}

#[test]
fn a_build_that_cannot_take_part_is_named_before_anything_is_measured() {
    let folder = folder();
    let old = "case \"$*\" in *--transport*) echo 'error: unexpected argument' >&2; exit 2;; esac
               exec REAL \"$@\"";
    for (name, script, said) in [
        ("rubbish", "echo all is well", "does not answer as this fourstamp does"),
        ("numbers", "echo a,b; echo 1,2", "does not answer as this fourstamp does"),
        ("broken", "echo 'error: no heart' >&2; exit 1", "no heart"),
        ("old", old, "is too old, or too new, for this study: unexpected argument"),
    ] {
        let path = program(folder.path(), name, script);
        let line = fail(folder.path(), &format!("{SMALL} --build {name}={path} --out no"));
        assert!(line.contains(&format!("build {name} ({path})")), "{line}");
        assert!(line.contains(said), "{name}: {line}");
        assert!(!folder.path().join("no").exists(), "{name} left a folder");
    }
}

#[test]
fn a_build_that_computes_something_else_ends_the_study() {
    let folder = folder();
    let script = "[ \"$2\" = ping ] && exec REAL \"$@\"\nexec REAL \"$@\" --seed 99";
    let path = program(folder.path(), "wrong", script);
    let line = fail(folder.path(), &format!("{SMALL} --build wrong={path}"));
    assert!(line.contains("wrong-sequential-1 does not match the sequential run"), "{line}");
}

#[test]
fn events_are_stretched_in_order_too() {
    let folder = folder();
    let path = program(folder.path(), "noted", "echo \"$@\" >> told\nexec REAL \"$@\"");
    let study = format!("{SMALL} --stretch 1,50 --build noted={path} --csv --out study");
    let table = succeed(folder.path(), &study);
    assert_eq!(column(&table, "stretch"), ["1", "1", "1", "1", "50", "50", "50", "50"]);
    assert_eq!(column(&table, "timing")[4..], ["", "process", "", "process"]);
    assert_eq!(column(&table, "timing")[1], "none");
    let told = read(&folder.path().join("told"));
    let of = |words: &[&str]| {
        let meant = |line: &&str| words.iter().all(|word| line.contains(word));
        told.lines().filter(|line| !line.contains("--help")).filter(meant).count()
    };
    assert_eq!(of(&["--stretch 50", "--seq"]), 1, "{told}");
    assert_eq!(of(&["--stretch 1 ", "--nodes 1", "--timing none"]), 1, "{told}");
    assert_eq!(of(&["--stretch 50", "--nodes 1", "--timing process"]), 1, "{told}");
}

#[test]
fn ctrl_c_keeps_what_a_study_has_measured() {
    let folder = folder();
    let arguments = format!("warp study {PHOLD} --nodes 1 --launches 1000 --out study");
    let study =
        fourstamp(folder.path(), &arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let study = study.expect("started");
    let second = folder.path().join("study/xl_stats/nodes-1-2.csv");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !second.exists() {
        assert!(Instant::now() < deadline, "no second launch");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &study.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = study.wait_with_output().expect("it ends");
    let out = text(&output.stdout);
    assert!(output.status.code() == Some(130) && out.contains("ended early by Ctrl-C"), "{out}");
    assert!(column(&read(&folder.path().join("study/launches.csv")), "engine").len() >= 2);
}
