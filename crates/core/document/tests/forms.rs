//! One document in its four forms, with planted figures.

use fourstamp_document::{
    Block, Cell, Column, Document, Row, Screen, Section, Table, Unit, json, page, table_csv,
    terminal,
};

/// A table for everybody, and one for scripts.
fn made() -> Document {
    let columns = [
        Column::text("name", "Name"),
        Column::seconds("seconds", "Run time").with_interval(),
        Column::seconds("predicted", "Predicted"),
        Column::new("bytes", "Size", Unit::Bytes).wide(),
        Column::text("remark", "What was seen beside it, in some more words").wide(),
    ];
    let run = |name: &str, s: f64, bytes: u64| {
        let ends = Some((0.9 * s, 1.1 * s));
        [Cell::from(name), Cell::new(s).between(ends), s.into(), bytes.into(), "nothing".into()]
    };
    let runs = Table::new("runs", columns).with([run("one", 0.5, 4096), run("other", 2.0, 0)]);
    let all = Table::new("all", [Column::text("planted", "")]).with([["for scripts"]]).data();
    let opening = vec![Block::Table(runs), Block::Table(all), Block::Lead("The end.".into())];
    Document { title: "Made".into(), opening, ..Document::default() }
}

fn on_terminal(width: usize) -> String {
    terminal(&made(), Screen { width, colour: false })
}

fn csv(name: &str) -> String {
    let mut out = Vec::new();
    table_csv(&made(), name, &mut out).expect("there is that table");
    String::from_utf8(out).expect("CSV is UTF-8")
}

#[test]
fn seconds_are_seconds_for_scripts_and_times_for_people() {
    assert_eq!(
        csv("runs").lines().take(2).collect::<Vec<_>>(),
        [
            "name,seconds,seconds_low,seconds_high,predicted_s,bytes,remark",
            "one,0.5,0.45,0.55,0.5,4096,nothing"
        ]
    );
    let row = &json(&made())["tables"][0]["rows"][1];
    assert_eq!((row["seconds"].as_f64(), row["predicted_s"].as_f64()), (Some(2.0), Some(2.0)));
    let wide = on_terminal(160);
    assert!(wide.contains("Run time s") && wide.contains("0.50 (0.45 to 0.55)"), "{wide}");
}

#[test]
fn where_there_is_little_room_intervals_stand_below() {
    let narrow = on_terminal(80);
    let lines: Vec<&str> = narrow.lines().map(str::trim_end).collect();
    let at = lines.iter().position(|line| line.trim_start().starts_with("one ")).expect("a row");
    let end = |line: &str, words: &str| line.find(words).map(|at| at + words.chars().count());
    assert_eq!(end(lines[at], "0.50"), end(lines[at + 1], "0.45 to 0.55"), "{narrow}");
    assert!(!narrow.contains("4 KiB") && lines.iter().all(|line| line.len() <= 80), "{narrow}");
}

#[test]
fn a_table_for_scripts_is_in_csv_and_json_only() {
    assert_eq!(csv("all"), "planted\nfor scripts\n");
    assert_eq!(json(&made())["tables"][1]["rows"][0]["planted"], "for scripts");
    let mut html = Vec::new();
    page(&made(), &mut html).expect("memory takes everything");
    let html = String::from_utf8(html).expect("a page is UTF-8");
    assert!(html.contains("The end.") && !html.contains("planted"), "on the page");
    assert!(!html.contains("for scripts") && !on_terminal(80).contains("for scripts"));
}

#[test]
fn a_row_that_does_not_fit_is_a_paragraph_with_a_name() {
    let columns = [Column::text("peak", "Peak"), Column::text("what", "From A to B")];
    let what = "no peak in B, which has the same share of messages there, ".repeat(2);
    let mut table = Table::new("peaks", columns);
    table.push(Row::from(vec![1_u64.into(), what.as_str().into()]));
    table.push(Row::from(vec!["whole cycle".into(), what.as_str().into()]));
    table.wordy = true;
    let section = Section::new("peaks", "Peaks", "").table(table);
    let document = Document { sections: vec![section], ..Document::default() };
    let text = terminal(&document, Screen { width: 40, colour: false });
    assert!(text.contains("Peak 1\n- From A to B: no peak"), "{text}");
    assert!(text.contains("whole cycle\n- From A to B: no peak"), "{text}");
}
