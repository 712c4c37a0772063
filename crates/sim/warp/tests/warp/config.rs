//! Configuration files: what is obeyed, what is said, what is refused and where; and any bytes at
//! all.

use models::{PholdOptions, PingOptions, SlooowOptions};
use proptest::prelude::*;
use std::collections::HashMap;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use timewarp::{
    Balance, Cancellation, Choice, Limits, ObjectId, Options, Search, Split, Throttle, Timing,
    Unwatched,
};
use warp::config::{Command, ConfigFile};
use warp::{Job, ModelSpec};

fn job(model: ModelSpec) -> Job {
    Job::new(model)
}

/// A command that sets an option.
fn set(name: &'static str, number: f64) -> Command {
    Command::Set { name, numbers: vec![number] }
}

fn ping() -> Job {
    job(ModelSpec::of(&PingOptions { stop: 100.0 }))
}

/// The file `main.cfg` of these, which may include the others.
fn read(files: &[(&str, &str)]) -> Result<ConfigFile, String> {
    let files: HashMap<PathBuf, &str> =
        files.iter().map(|(name, text)| (PathBuf::from(name), *text)).collect();
    let mut open = |path: &Path| {
        let text = files.get(path).map(|text| text.to_string());
        text.ok_or_else(|| Error::new(ErrorKind::NotFound, "there is none"))
    };
    ConfigFile::read_with(Path::new("main.cfg"), &mut open).map_err(|error| error.to_string())
}

/// Settle a file with a model: the job, and what is said.
fn settled(text: &str, given: &[&str], mut job: Job) -> Result<(Job, Vec<String>), String> {
    let config = read(&[("main.cfg", text)])?;
    let mut remarks = config.settle(given, &mut job).map_err(|error| error.to_string())?;
    let model = job.model.make().unwrap();
    remarks.extend(config.agree(model.objects(), &mut job).map_err(|error| error.to_string())?);
    Ok((job, remarks))
}

#[test]
fn commands_are_obeyed() {
    let text = "CutOff 50.5\nmaxacks 4\nMAXNEGACKS 10\nRECVQLIMIT 5\npenalty 2\nreward \
    1\naggressive\nNOSENDBACK\n\
                MEMSIZE 2048\nTIMEVAL 0.25\nTIMECHG 30\nnostdout\nthrottle 6\nwindow 2.5";
    let (job, remarks) = settled(text, &[], ping()).unwrap();
    let engine = Options {
        cutoff: 50.5,
        max_acks: Some(4),
        max_neg_acks: 10,
        search: Search::RecvqLimit(5),
        penalty: 2,
        reward: 1,
        cancellation: Cancellation::Aggressive,
        sendback: false,
        memory_bytes: Some(2 << 20),
        throttle: Throttle::Window { window: 2.5 },
        ..Options::default()
    };
    assert_eq!(job.engine, engine);
    assert_eq!((job.gvt_interval_us, job.gvt_change, job.silent), (250_000, Some(30.0), true));
    assert_eq!(remarks, [""; 0]);
}

#[test]
fn rules_of_the_throttle_take_their_numbers_in_any_order() {
    let throttle = |text: &str| {
        settled(text, &[], ping()).map(|(job, remarks)| (job.engine.throttle, remarks.len()))
    };
    assert_eq!(throttle("THROTTLE 1"), Ok((Throttle::Outputs { limit: 100 }, 0)));
    assert_eq!(
        throttle("TMULT 3\nTHROTTLE 2\nTADD 5000"),
        Ok((Throttle::Allowance { tmult: 3.0, tadd: 5.0 }, 1))
    );
    assert_eq!(throttle("WSIZE 7\nTHROTTLE 3"), Ok((Throttle::GvtSteps { wsize: 7.0 }, 0)));
    assert_eq!(throttle("THROTTLE 4\nETHROTTLE 9"), Ok((Throttle::States { limit: 9 }, 0)));
    assert_eq!(throttle("THROTTLE 5"), Ok((Throttle::Undone, 0)));
    assert_eq!(throttle("THROTTLE 0\nWINDOW 3"), Ok((Throttle::Never, 1)));
    let error = throttle("PENALTY 0\nTHROTTLE 6").unwrap_err();
    assert!(error.starts_with("main.cfg, line 2, column 1: rule 6 needs a window"), "{error}");
}

#[test]
fn objects_go_where_the_file_says_modulo_the_nodes() {
    let text = "OBCREATE ping player 1\nOBCREATE pong player 5\nOBCREATE stdout stdout\nTELL ping \
    0 0 \"go \"";
    let (job, remarks) = settled(text, &[], ping()).unwrap();
    assert_eq!((job.places.clone(), remarks.len()), (vec![(0, 1), (1, 5)], 0));
    let model = job.model.make().unwrap();
    let placement = model.placement(2, &job).unwrap();
    assert_eq!([0, 1].map(|object| placement.node_of(ObjectId(object))), [1, 1]);
}

#[test]
fn a_node_without_objects_does_no_harm() {
    let (job, _) = settled("OBCREATE ping player 1\nOBCREATE pong player 1", &[], ping()).unwrap();
    let model = models::Ping::new(&PingOptions { stop: 100.0 }).unwrap();
    let ran = warp::threads::run(&model, &job, 2, tempfile::tempdir().unwrap().path()).unwrap();
    let expected = timewarp::sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap();
    warp::compare(&model, &ran.outcome, &expected).unwrap();
    assert_eq!(ran.outcome.total().events, 101);
}

#[test]
fn slooow_as_the_file_places_it_is_the_sequential_one() {
    let options = SlooowOptions { objects: 3, stop: 60, work_steps: 20 };
    let text = "OBCREATE slow_0 slooow 2\nOBCREATE slow_2 slooow 0\nTELL slow_1 0 0\nTIMEVAL 0.002";
    let (job, remarks) = settled(text, &[], job(ModelSpec::of(&options))).unwrap();
    assert!(remarks[0].contains("2 of the 3 messages"), "{remarks:?}");
    assert!(remarks[1].contains("1 of the 3 objects"), "{remarks:?}");
    let model = models::Slooow::new(&options).unwrap();
    let expected = timewarp::sequential::run(&model, &Limits::default(), &mut Unwatched).unwrap();
    for nodes in 1..=3 {
        let ran =
            warp::threads::run(&model, &job, nodes, tempfile::tempdir().unwrap().path()).unwrap();
        warp::compare(&model, &ran.outcome, &expected).unwrap();
        let total = ran.outcome.total();
        assert_eq!((total.events, total.messages), (3 * 61, 3 * (61 + 6)), "{nodes} nodes");
    }
}

#[test]
fn times_of_objects_and_load_management_are_set_by_commands() {
    let (job, remarks) =
        settled("OBJTIMEMODE 1\nPROPDELAY 10\nCRITPATH\nISLOG 1000 250", &[], ping()).unwrap();
    assert_eq!(
        (job.engine.timing, job.engine.stretch, job.engine.causes),
        (Timing::Process, 10.0, true)
    );
    assert_eq!((job.sample_ms, remarks.len(), job.engine.balance), (250, 0, None));
    let text = "MRATIO 50\nDLMINT 2.5\nIDLEDLM 1\nTHRESH 20\nRATIODLM\nMIGRATIONS 3\nCHOOSESTRAT \
    1\nSPLITSTRAT 4\nMAXOFF 2";
    let (job, remarks) = settled(text, &[], ping()).unwrap();
    let balance = Balance {
        interval_ms: 2500,
        idle_cycles: 1,
        threshold_percent: 20,
        ratio: Some(1.5),
        pairs_max: 3,
        choice: Choice::BestFit,
        split: Split::LimitMessages,
        under_way_max: 2,
        ..Balance::default()
    };
    assert_eq!(
        (job.engine.balance, job.engine.timing, remarks.len()),
        (Some(balance), Timing::Wall, 0)
    );
    // DLM switches it off, wherever it stands; the command line comes before both.
    assert_eq!(settled(&format!("DLM\n{text}"), &[], ping()).unwrap().0.engine.balance, None);
    let (job, remarks) = settled("DLMINT 4\nPROPDELAY 3", &["balance", "stretch"], ping()).unwrap();
    assert_eq!((job.engine.balance, job.engine.stretch, remarks.len()), (None, 1.0, 2));
}

#[test]
fn what_has_no_meaning_here_is_said_once_each() {
    let text = "OBJSTKSIZE 1\nobjstksize 2 and more\nMSGLOG 10\nQUELOG 3\nMAXIQLEN 500\nHELP";
    let (_, remarks) = settled(text, &[], ping()).unwrap();
    let named: Vec<&str> =
        remarks.iter().map(|remark| remark.split(": ").nth(1).unwrap()).collect();
    let ignored = ["OBJSTKSIZE", "MSGLOG", "QUELOG", "MAXIQLEN", "HELP"];
    assert_eq!(named, ignored.map(|name| format!("{name} is ignored")));
    assert!(remarks[1].starts_with("main.cfg, line 3, column 1: MSGLOG"), "{remarks:?}");
}

#[test]
fn the_command_line_comes_first() {
    let text = "CUTOFF 5\nTHROTTLE 6\nMAXACKS 3\nPLIMIT 2";
    let (job, remarks) = settled(text, &["cutoff", "throttle", "recvq-limit"], ping()).unwrap();
    assert_eq!(job.engine, Options { max_acks: Some(3), ..Options::default() });
    assert_eq!(remarks.len(), 3);
    assert!(
        remarks[0].contains("CUTOFF does not count, because the command line has --cutoff"),
        "{remarks:?}"
    );
}

#[test]
fn what_makes_no_sense_is_named_with_its_place() {
    for (text, place, words) in [
        ("\n  FASTER 3", "line 2, column 3", "'FASTER' is not a command"),
        ("MAXACKS", "line 1, column 8", "expected a number from 1 to 100"),
        ("MAXACKS 0", "line 1, column 9", "not '0'"),
        ("MAXACKS 101", "line 1, column 9", "1 to 100"),
        ("CUTOFF nan", "line 1, column 8", "expected a simtime"),
        ("CUTOFF 5 6", "line 1, column 10", "takes no more arguments"),
        ("PENALTY 5x", "line 1, column 9", "expected a whole number, not '5x'"),
        ("THROTTLE 7", "line 1, column 10", "0 to 6"),
        ("TIMEVAL 0", "line 1, column 9", "above 0"),
        ("ISLOG 5 99", "line 1, column 9", "100 to 10000"),
        ("\"CUTOFF\" 5", "line 1, column 1", "not a string"),
        ("/* \n\n CUTOFF 5", "line 1, column 1", "no end"),
        ("TELL ping 0 0 \"go", "line 1, column 15", "no end"),
        ("OBCREATE ping player", "line 1, column 21", "expected a node's number"),
        (
            "OBCREATE pang player 0",
            "line 1, column 1",
            "'pang' is not an object of this ping, whose first is 'ping'",
        ),
        ("OBCREATE ping player 0\nOBCREATE ping player 0", "line 2, column 1", "already"),
        ("TELL ping 0 0 go", "line 1, column 1", "expected TELL ping 0 0 \"go \""),
        ("TELL ping 1 0 \"go \"", "line 1, column 1", "TELL ping 0 0"),
        (
            "TELL ping 0 0 \"go \"\nTELL ping 0 0 \"go \"",
            "line 2, column 1",
            "no (further) message",
        ),
        ("TELL pong 0 0 x", "line 1, column 1", "no (further) message to 'pong'"),
        ("@", "line 1, column 1", "a file name"),
        ("@a b", "line 1, column 4", "expected nothing more"),
        ("CUTOFF 3\n @other.cfg", "line 2, column 2", "cannot read other.cfg"),
    ] {
        let error = settled(text, &[], ping()).unwrap_err();
        assert!(
            error.starts_with(&format!("main.cfg, {place}: ")) && error.contains(words),
            "{text:?}: {error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_type_of_another_name_is_said_once() {
    let text = "OBCREATE 0 lp 0\nOBCREATE 1 lp 1\nGO\nwhatever stands here is not read";
    let phold = job(ModelSpec::of(&PholdOptions { objects: 2, ..PholdOptions::default() }));
    let (_, remarks) = settled(text, &[], phold).unwrap();
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(remarks[0].contains("of type phold here, not lp"), "{remarks:?}");
}

#[test]
fn files_include_files_but_not_themselves() {
    let config = read(&[
        ("main.cfg", "@a.cfg\nMAXACKS 2"),
        ("a.cfg", "CUTOFF 1\n@ \"b c.cfg\""),
        ("b c.cfg", "REWARD 3"),
    ]);
    let commands: Vec<Command> = config.unwrap().commands().cloned().collect();
    assert_eq!(commands, [set("CUTOFF", 1.0), set("REWARD", 3.0), set("MAXACKS", 2.0)]);
    let error = read(&[("main.cfg", "CUTOFF 1\n@a.cfg"), ("a.cfg", "\n@main.cfg")]).unwrap_err();
    assert!(error.starts_with("a.cfg, line 2, column 1: main.cfg includes itself"), "{error}");
    let deep: Vec<(String, String)> =
        (0..40).map(|n| (format!("{n}.cfg"), format!("@{}.cfg", n + 1))).collect();
    let mut files: Vec<(&str, &str)> =
        deep.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.push(("main.cfg", "@0.cfg"));
    assert!(read(&files).unwrap_err().contains("16 files deep"));
    // Each takes the next one twice: 2^15 files.
    let wide: Vec<(String, String)> =
        (0..14).map(|n| (format!("{n}"), format!("@{0}\n@{0}", n + 1))).collect();
    let mut files: Vec<(&str, &str)> =
        wide.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    files.extend([("main.cfg", "@0"), ("14", "")]);
    assert!(read(&files).unwrap_err().contains("more than 1000 files"));
}

#[test]
fn the_examples_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/config");
    let of_slooow = ModelSpec::of(&SlooowOptions::default());
    for (name, model) in
        [("ping.cfg", ModelSpec::of(&PingOptions::default())), ("slooow.cfg", of_slooow)]
    {
        let config = ConfigFile::read(&folder.join(name)).unwrap();
        let mut job = job(model);
        assert_eq!(config.settle(&[], &mut job).unwrap(), [""; 0], "{name}");
        let model = job.model.make().unwrap();
        assert_eq!(config.agree(model.objects(), &mut job).unwrap(), [""; 0], "{name}");
        assert_eq!(job.places, [(0, 0), (1, 1)], "{name}");
        job.engine.check().unwrap();
    }
}

/// Words that make most lines parse, so that more than the first error is seen.
fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("OBCREATE".to_string()),
        Just("TELL".to_string()),
        Just("THROTTLE".to_string()),
        Just("WINDOW".to_string()),
        Just("CUTOFF".to_string()),
        Just("MAXACKS".to_string()),
        Just("TADD".to_string()),
        Just("MEMSIZE".to_string()),
        Just("ping".to_string()),
        Just("player".to_string()),
        Just("\"go \"".to_string()),
        Just("/*".to_string()),
        Just("*/".to_string()),
        Just("@main.cfg".to_string()),
        Just("ISLOG".to_string()),
        Just("TIMEVAL".to_string()),
        any::<i32>().prop_map(|n| n.to_string()),
        (0..7i32).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|x| x.to_string()),
        "\\PC{0,6}",
    ];
    prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_is_a_file_or_an_error_with_a_place(text: String) {
        if let Err(error) = settled(&text, &[], ping()) {
            prop_assert!(error.starts_with("main.cfg, line "), "{error}");
        }
    }

    #[test]
    fn any_commands_make_a_job_or_an_error(lines in prop::collection::vec(line(), 0..12)) {
        match settled(&lines.join("\n"), &[], ping()) {
            Err(error) => prop_assert!(error.starts_with("main.cfg, line "), "{error}"),
            // What is taken can be run, or the engine says why not.
            Ok((job, _)) => drop(job.engine.check()),
        }
    }

    #[test]
    fn numbers_come_back(cutoff in -1e6..1e6f64, acks in 1u32..=100, penalty: u32) {
        let text = format!("CUTOFF {cutoff}\nMAXACKS {acks}\nPENALTY {penalty}");
        let read = read(&[("main.cfg", &text)]).unwrap();
        let commands: Vec<Command> = read.commands().cloned().collect();
        let (acks, penalty) = (f64::from(acks), f64::from(penalty));
        let expected = [set("CUTOFF", cutoff), set("MAXACKS", acks), set("PENALTY", penalty)];
        prop_assert_eq!(commands, expected);
    }
}
