//! `fourstamp figure`, and cuts by share in all verbs that choose messages.

use std::path::Path;
use std::process::{Command, Output};

fn fourstamp(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fourstamp")).args(words).output().expect("it starts")
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn error(words: &[&str]) -> String {
    let output = fourstamp(words);
    assert_eq!(output.status.code(), Some(2), "{words:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A run of 400 messages, 200 each way.
fn run(folder: &Path) -> String {
    let run = folder.join("run").display().to_string();
    let words =
        ["bench", "pingpong", "--launches", "1", "--count", "200", "--warm-up", "0", "--out", &run];
    text(&fourstamp(&words));
    run
}

/// The values of the column `y` of the series of that name.
fn sum(csv: &str, series: &str) -> u64 {
    let mut lines = csv.lines();
    let heads: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let at = |name: &str| heads.iter().position(|head| *head == name).expect("a column");
    let (group, y) = (at("group"), at("y"));
    let rows = lines.map(|line| line.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[group] == series)
        .map(|row| row[y].parse::<f64>().unwrap_or(-1.0))
        .sum::<f64>() as u64
}

#[test]
fn a_cut_takes_its_share_in_every_verb() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(folder.path());
    let tables = folder.path().join("tables").display().to_string();
    let words = ["export", &run, "--csv", &tables, "--cut", "transit:..95%"];
    text(&fourstamp(&words));
    let messages = std::fs::read_to_string(Path::new(&tables).join("messages.csv"));
    assert_eq!(messages.expect("a table").lines().count(), 1 + 380);
    let report = text(&fourstamp(&["report", &run, "--terminal", "--cut", "transit:..95%"]));
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("the fastest 95 % by transit"), "{words}");
    assert!(words.contains("380 of the run's 400 messages"), "{words}");
    let csv = text(&fourstamp(&["figure", &run, "--what", "transit", "--cut", "..95%", "--csv"]));
    assert_eq!(sum(&csv, &run), 380);
    for verb in ["explain", "story"] {
        text(&fourstamp(&[verb, &run, "--cut", "50%.."]));
    }
    text(&fourstamp(&["report", &run, "--csv", "--cut", "cycle:10..90"]));
}

#[test]
fn runs_and_groups_are_drawn_and_shown_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(folder.path());
    let page = folder.path().join("page.html").display().to_string();
    let two = ["figure", &run, &run, "--what", "transit", "--names", "a,b"];
    let csv =
        text(&fourstamp(&[&two[..], &["--csv", "--by", "kind", "--scale", "log-log"]].concat()));
    for series in ["a: data", "a: reply", "b: data", "b: reply"] {
        assert_eq!(sum(&csv, series), 200, "{series}");
    }
    let out = ["--out", page.as_str(), "--by", "kind", "--form", "area"];
    text(&fourstamp(&[&two[..], &out].concat()));
    assert!(std::fs::read_to_string(&page).expect("a page").contains("a: reply"));
    let svg = text(&fourstamp(&[&two[..], &["--svg", "--form", "bars"]].concat()));
    assert!(svg.starts_with("<svg") && svg.contains("transit time"));
    let json = text(&fourstamp(&[&two[..], &["--json", "--form", "dots"]].concat()));
    assert!(json.contains("\"points\""));
    let shown = ["figure", &run, "--what", "cycle", "--terminal", "--against", "time"];
    assert!(text(&fourstamp(&shown)).contains("whole cycles"));
    let series = text(&fourstamp(&["figure", &run, "--what", "cycle", "--csv=series"]));
    assert_eq!(series.lines().count(), 2);
}

#[test]
fn what_cannot_be_drawn_is_said_with_what_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run(folder.path());
    let of = |words: &[&str]| error(&[&["figure", &run], words].concat());
    let contains = |text: String, part: &str| assert!(text.contains(part), "{text}");
    contains(of(&["--what", "speed"]), "end-to-end, send-wait, transit");
    let cut = |cut: &str| of(&["--what", "transit", "--cut", cut]);
    contains(cut("wait:..9"), "unknown stage 'wait'; choose from end-to-end");
    contains(cut("95..90"), "the first share must be below the second");
    contains(cut("..101%"), "write 0% to 100%");
    contains(cut("99.9%.."), "is less than one; choose a larger share");
    contains(of(&["--what", "on-node-waited"]), "only simulations (fourstamp warp) record it");
    contains(of(&["--what", "transit", "--packets", "7"]), "has no message that matches");
    contains(of(&["--what", "transit", "--bins", "1"]), "choose 2 to 2000");
    contains(of(&["--what", "transit", "--names", "a,b"]), "1 runs need as many names");
    contains(error(&["figure", &run, &run, "--what", "transit"]), "give --out FILE");
}
