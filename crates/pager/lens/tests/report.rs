//! What pages, terminal and CSV say of a made-up paged run.

#[path = "made/paging.rs"]
mod paging;

use document::Document;
use paging::Read;
use report::{Entry, Page};

fn document(read: &Read) -> Document {
    let Read { facts, analysis, part } = read;
    let runs = [Entry { parts: std::slice::from_ref(part), ..Entry::new("run", facts, analysis) }];
    Page { title: "", runs: &runs, floors: &[], remarks: &[] }.document()
}

fn page(read: &Read) -> String {
    let mut out = Vec::new();
    document::page(&document(read), &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("the page is UTF-8")
}

#[test]
fn the_transfers_of_a_paged_run_are_drawn_along_it_and_said() {
    let page = page(&paging::read());
    for wanted in [
        "pager-rates-chart",
        "Page-outs last from 9.00\u{a0}µs to 1.0",
        ": first pages leave, then they come back.",
        "A server was lost at 2.50\u{a0}s. A server joined at 3.90\u{a0}s.",
        "A message here is one page on its way out or in.",
        &document::counted(65_625, "page transfer"),
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert!(!page.contains("<b>host</b>:7311"), "a server's name is text");
}

#[test]
fn what_a_faster_network_would_give_is_predicted() {
    let read = paging::read();
    assert_eq!(read.part.figures["predictions"][1]["network"], "10 times the bandwidth");
    let page = page(&read);
    assert!(page.contains("On another network, as predicted"));
    assert!(page.contains("10 times the bandwidth"));
}

#[test]
fn the_transfers_of_a_paged_run_are_csv() {
    let mut out = Vec::new();
    document::series_csv(&paging::read().part.series, &mut out).expect("memory takes everything");
    let text = String::from_utf8(out).expect("CSV is UTF-8");
    let pages = |kind: &str| -> f64 {
        let rows = text.lines().filter(|line| line.contains(kind) && line.ends_with("pages/s"));
        rows.map(|line| {
            let fields: Vec<f64> = line.split(',').filter_map(|field| field.parse().ok()).collect();
            (fields[1] - fields[0]) / 1e9 * fields[2]
        })
        .sum()
    };
    assert_eq!(
        ["page-in", "page-out", "parity"].map(|kind| pages(kind).round()),
        [50_000.0, 12_500.0, 3_125.0]
    );
}

/// A lost page is told as what was lost, not only among the figures.
#[test]
fn what_was_lost_is_among_the_losses() {
    assert!(paging::read().facts.product.losses.is_empty());
    let mut said = paging::said();
    said["processes"][0]["lost_pages"] = serde_json::json!(["0x1000"]);
    let losses = paging::read_what(said).facts.product.losses;
    assert!(losses[0].starts_with("Process 7 lost the contents of 1"), "{losses:?}");
}
