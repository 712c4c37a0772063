//! `fourstamp reproduce` as somebody uses it: a list, a card, a page, the same again from its runs,
//! and what goes wrong.

use crate::common::{fail, folder, fourstamp, run, succeed, text};
use std::path::Path;
use std::time::Duration;

/// The rows of a table of verdicts of a folder.
fn verdicts(home: &Path, arguments: &str) -> Vec<csv::StringRecord> {
    let table = succeed(home, &format!("reproduce {arguments} --csv=verdicts"));
    csv::Reader::from_reader(table.as_bytes()).records().map(Result::unwrap).collect()
}

#[test]
fn every_id_is_listed_with_what_it_needs() {
    let home = folder();
    let table = succeed(home.path(), "reproduce --list --csv");
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let ids: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
    let figures = |document: &str| {
        let own = rows.iter().filter(|row| row[0].starts_with(document));
        own.filter(|row| &row[1] == "figure").count()
    };
    assert_eq!(figures("000/"), 45);
    for id in ["000/A-1", "000/K6", "001/fig-4", "002/tab-1", "003/tab-1.1", "004/fig-4"] {
        assert!(ids.contains(&id), "{id} is missing: {ids:?}");
    }
    let one = succeed(home.path(), "reproduce --list 000/K6 --csv");
    assert_eq!(one.lines().count(), 2, "{one}");
    assert!(!home.path().join("runs").exists(), "a list makes no runs");
}

#[test]
fn a_card_is_made_judged_and_judged_again_from_its_runs() {
    let home = folder();
    let said = succeed(home.path(), "reproduce 000/S9 000/K6 --on mark3 --quick --out again");
    assert!(said.contains("page: again/report.html"), "{said}");
    let page = std::fs::read_to_string(home.path().join("again/report.html")).unwrap();
    assert!(page.contains("The story of M") && page.contains("reproduce --from again"));
    let left = std::fs::read_to_string(home.path().join("again/verdicts.csv")).unwrap();
    let rows = verdicts(home.path(), "000/S9 000/K6 --from again");
    assert_eq!(left.lines().count(), rows.len() + 1);
    assert_eq!(verdicts(home.path(), "--from again"), rows, "the same cards as were asked for");
    let of = |id: &str| rows.iter().find(|row| &row[0] == id).unwrap();
    assert_eq!((&of("000/S9")[6], &of("000/S9")[11]), ("mark3", "holds"));
    // Its value is that of the command beside it.
    let command = of("000/K6")[13].split("; ").last().unwrap().to_owned();
    let story = succeed(home.path(), command.strip_prefix("fourstamp ").unwrap());
    let story: serde_json::Value = serde_json::from_str(&story).unwrap();
    let cancelled = &story["stories"][0]["memo"]["cancelled"];
    assert_eq!(cancelled.as_f64().unwrap(), of("000/K6")[7].parse::<f64>().unwrap());
}

#[test]
fn what_does_not_hold_is_an_exit_code_with_strict_only() {
    let home = folder();
    let ends = |arguments: &str| {
        let ended = run(home.path(), &format!("reproduce {arguments} --quick"));
        (ended.status.code(), text(&ended.stdout))
    };
    let (code, said) = ends("000/S9 --on mark3 --out holds --strict");
    assert_eq!(code, Some(0), "{said}");
    // The machine has no special way for short messages.
    let (code, said) = ends("003/K1 --on gigabit-2017 --out fails");
    assert!(code == Some(0) && said.contains("1 does not hold"), "{said}");
    let again = run(home.path(), "reproduce 003/K1 --from fails --strict");
    assert_eq!(again.status.code(), Some(1), "{}", text(&again.stdout));
    // One launch decides nothing.
    let (code, said) = ends("000/K2d --here --launches 1 --out open --strict");
    assert!(code == Some(3) && said.contains("1 undecided"), "{said}");
}

#[test]
fn bad_input_is_named_with_its_remedy() {
    let home = folder();
    let said = fail(home.path(), "reproduce 000/A-111");
    assert!(said.contains("did you mean 000/A-11?") && said.contains("--list"), "{said}");
    let said = fail(home.path(), "reproduce 000/S9 --from nowhere");
    assert!(said.contains("nowhere is no folder"), "{said}");
    std::fs::create_dir(home.path().join("other")).unwrap();
    let said = fail(home.path(), "reproduce 000/S9 --from other");
    assert!(said.contains("is not of `fourstamp reproduce`"), "{said}");
    let said = fail(home.path(), "reproduce 000/S9 --on nomachine");
    assert!(said.contains("nomachine"), "{said}");
    let said = fail(home.path(), "reproduce 000/S9 --data nodata --out x");
    assert!(said.contains("nodata is no folder"), "{said}");
    assert!(!home.path().join("runs").exists(), "nothing was made");
    // A file that somebody changed leads nowhere else.
    let state = r#"{"scale": "quick", "here": true, "simulated": false, "on": null, "data": null,
        "cores": 2, "groups": [{"book": "000", "recipe": "../x", "place": "here",
        "launches": [1], "failures": []}]}"#;
    std::fs::write(home.path().join("other/reproduce.json"), state).unwrap();
    let said = fail(home.path(), "reproduce 000/S9 --from other");
    assert!(said.contains("is not of `fourstamp reproduce`"), "{said}");
}

#[test]
fn killed_half_way_what_was_made_is_judged() {
    let home = folder();
    let arguments = "reproduce 000/S9 000/K1 --here --quick --out cut";
    let mut child = fourstamp(home.path(), arguments).spawn().unwrap();
    let state = home.path().join("cut/reproduce.json");
    let made = || std::fs::read_to_string(&state).is_ok_and(|text| text.contains("\"recipe\""));
    for _ in 0..6000 {
        if made() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(made(), "nothing was made within a minute");
    child.kill().unwrap();
    child.wait().unwrap();
    let rows = verdicts(home.path(), "000/S9 000/K1 --from cut");
    assert!(rows.iter().any(|row| row[11] != *"not possible here"), "{rows:?}");
}
