//! One document in its four forms, with planted figures.

use std::io::Read;

use base64::{Engine, engine::general_purpose::STANDARD};
use fourstamp_document::{
    Block, Cell, Choice, Chooser, ChooserCell, ChooserTimes, ChosenFigures, Colour, Column,
    Document, Facet, Measure, Row, Screen, Section, Table, Unit, Value, json, page, table_csv,
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
    assert!(wide.contains("Run time s") && wide.contains("0.500 (0.450 to 0.550)"), "{wide}");
}

#[test]
fn where_there_is_little_room_intervals_stand_below() {
    let narrow = on_terminal(80);
    let lines: Vec<&str> = narrow.lines().map(str::trim_end).collect();
    let at = lines.iter().position(|line| line.trim_start().starts_with("one ")).expect("a row");
    let end = |line: &str, words: &str| line.find(words).map(|at| at + words.chars().count());
    assert_eq!(end(lines[at], "0.500"), end(lines[at + 1], "0.450 to 0.550"), "{narrow}");
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

/// Two sizes, one of which has an unfriendly name.
fn chooser() -> Chooser {
    let choice = |label: &str, options: &str| Choice {
        label: label.into(),
        options: options.into(),
        figures: vec![None],
    };
    let cell = |size: usize, messages: u64, counts: Vec<(usize, u64)>| ChooserCell {
        of: vec![Some(size)],
        messages,
        times: vec![Some(ChooserTimes { ends_ns: (90, 140), counts })],
    };
    let all =
        ChosenFigures { count: 30, quantiles_ns: [Some(3_125), None, None, None], max_ns: 140 };
    Chooser {
        facets: vec![Facet {
            name: "Size".into(),
            all: "all sizes".into(),
            options: String::new(),
            choices: vec![choice("<b>8 B", "--size 8"), choice("64 B", "--size 64")],
        }],
        command: ("fourstamp report 'a b'".into(), "--out chosen.html".into()),
        example: "fourstamp report 'a b' --size 8".into(),
        measures: vec![Measure { name: "End to end", colour: Colour("a"), all }],
        messages: 30,
        quantile_error: 1.0 / 64.0,
        bins: vec![(88, 91), (92, 95), (136, 139)],
        cells: vec![cell(0, 10, vec![(0, 4), (2, 6)]), cell(1, 20, vec![(1, 20)])],
    }
}

#[test]
fn what_can_be_chosen_is_on_the_page_alone() {
    let mut section = Section::new("choose", "Choose messages", "Of some messages.");
    section.blocks.push(Block::Chooser(Box::new(chooser())));
    section.page_only = true;
    let document = Document { sections: vec![section], ..Document::default() };
    assert_eq!(terminal(&document, Screen { width: 80, colour: false }), "");
    assert!(!json(&document).to_string().contains("--size"));
    let mut html = Vec::new();
    page(&document, &mut html).expect("memory takes everything");
    let html = String::from_utf8(html).expect("a page is UTF-8");
    assert!(html.contains("&lt;b&gt;8 B") && !html.contains("<b>8 B"));
    assert!(html.contains("3.12\u{a0}µs") && html.contains("correct to 1.6\u{a0}%"), "{html}");
    let (_, data) = html.split_once("id=\"data-r0-choose\">").expect("data of the section");
    let packed = data.split('<').next().unwrap_or_default();
    let packed = STANDARD.decode(packed).expect("base64");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    let data: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(data["bins"], serde_json::json!([88, 91, 92, 95, 136, 139]));
    assert_eq!(data["cells"][0], serde_json::json!([[0], 10, [[90, 140, [0, 4, 2, 6]]]]));
    assert_eq!(data["facets"][0]["choices"][1]["options"], "--size 64");
}

/// A section that is one table, on a terminal of so many columns.
fn shown(table: Table, width: usize) -> String {
    let section = Section::new("one", "", "").table(table);
    let document = Document { sections: vec![section], ..Document::default() };
    terminal(&document, Screen { width, colour: false })
}

#[test]
fn heads_take_several_lines_before_words_are_broken() {
    let names = ["rank", "computing", "receiving or waiting", "collectives", "other MPI calls"];
    let columns: Vec<Column> =
        names.iter().chain(&names[1..]).map(|name| Column::count("n", *name)).collect();
    let cells: Vec<Cell> = (0..columns.len()).map(|at| (at as u64 * 1000).into()).collect();
    let text = shown(Table::new("ranks", columns).with([cells]), 81);
    for word in names.iter().flat_map(|name| name.split(' ')) {
        assert!(text.contains(word), "{word}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 81), "{text}");
}

#[test]
fn words_wrap_and_numbers_do_not() {
    let columns = [Column::text("where", "Where"), Column::time("a", "Late sender")];
    let rows = [[Cell::from("function one of a file with a long name ".repeat(3)), 5.5e6.into()]];
    let text = shown(Table::new("places", columns).with(rows), 80);
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines[0].ends_with("Late sender ms") && lines[1].ends_with(" 5.50"), "{text}");
    assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= 80), "{text}");
}

#[test]
fn a_list_that_was_asked_for_is_shown_to_its_end_and_other_long_tables_in_part() {
    let long = || {
        let rows = (0..100).map(|row| [Cell::from(format!("row-{row}"))]);
        Table::new("long", [Column::text("name", "Name")]).with(rows)
    };
    let part = shown(long(), 80);
    assert!(part.contains("76 more rows: --csv=long") && !part.contains("row-99"), "{part}");
    let all = shown(long().whole(), 80);
    assert!(!all.contains("more rows") && all.contains("row-99"), "{all}");
}

#[test]
fn bars_among_the_cells_are_explained_where_they_are_shown() {
    let table = |column: Column| {
        let bar = Value::Parts(vec![("send", Colour("b"), 0.5), ("way", Colour("c"), 0.5)]);
        let row = [Cell::from("one"), Cell::from(bar), "x".repeat(60).into()];
        Table::new("t", [Column::text("run", "Run"), column, Column::text("what", "What")])
            .with([row])
    };
    let text = shown(table(Column::text("all", "All time")), 80);
    assert!(text.contains("░░░░▒▒▒▒") && text.contains("Bars: ░ send, ▒ way."), "{text}");
    let text = shown(table(Column::text("all", "All time of this run").wide()), 80);
    assert!(!text.contains('░') && !text.contains("Bars:"), "{text}");
}

#[test]
fn a_number_keeps_its_unit_and_a_command_its_line() {
    let sentence =
        format!("{} 24.1\u{a0}ms of it: fourstamp story runs/a --slowest 3", "x".repeat(74));
    let document = Document { opening: vec![Block::Lead(sentence)], ..Document::default() };
    let text = terminal(&document, Screen { width: 80, colour: false });
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1..], ["24.1 ms of it: fourstamp story runs/a --slowest 3"], "{text}");
    let long = format!("{}: fourstamp story runs/a --slowest 3", "x".repeat(60));
    let document = Document { opening: vec![Block::Lead(long)], ..Document::default() };
    let text = terminal(&document, Screen { width: 80, colour: false });
    assert_eq!(text.lines().last(), Some("fourstamp story runs/a --slowest 3"), "{text}");
}
