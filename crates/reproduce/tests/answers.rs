//! Cards against planted values: what is said of each, in each place, and on the page.

#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect fails")]

use report::figure::Drawn;
use reproduce::{Answered, Book, Draw, Evidence, Json, Opening, Verdict, Where, answer, document};

const BOOK: &str = r#"
[document]
id = "9"
title = "A planted document"
author = "nobody"
date = "never"
machine = "planted"
about = "x"

[recipes.run]
title = "a run"
steps = ["bench pingpong --out {run}"]
here.launches = [3, 3, 3]
here.seconds = [1, 1, 1]
simulated.launches = [1, 1, 1]
simulated.seconds = [1, 1, 1]

[recipes.gone]
title = "one that fails"
steps = ["bench stream --out {run}"]
here.launches = [3, 3, 3]
here.seconds = [1, 1, 1]

[views]
a = { recipe = "run" }
b = { recipe = "gone" }

[[cards]]
id = "K1"
kind = "claim"
title = "it is large"
says = "It is large."
place = "p. 1"
[[cards.checks]]
says = "x"
views = ["a"]
take = ".a.x"
document = "large"
holds = { above = 5 }
[[cards.checks]]
says = "y, only shown"
views = ["a"]
take = ".a.y"
unit = "ns"
kind = "absolute"

[[cards]]
id = "K2"
kind = "claim"
title = "the other"
says = "The other run."
place = "p. 2"
[[cards.checks]]
says = "x of the other"
views = ["b"]
take = ".b.x"
holds = { above = 5 }

[[cards]]
id = "K3"
kind = "claim"
title = "arithmetic"
says = "Two and two are five."
place = "p. 3"
[[cards.checks]]
says = "the sum"
take = "2 + 2"
kind = "count"
unit = "count"
holds = { equals = 5 }
"#;

/// Runs whose `x` is as planted, launch by launch.
struct Planted(Vec<f64>);

impl Evidence for Planted {
    fn launches(&self, _: &Book, recipe: &str, place: &Where) -> Result<Vec<u32>, String> {
        match (recipe, place) {
            ("gone", _) => Err("it fell over".into()),
            (_, Where::Here) => Ok((1..=self.0.len() as u32).collect()),
            _ => Ok(vec![1]),
        }
    }

    fn json(&mut self, _: &Book, _: &str, _: &Where, launch: u32) -> Result<Json, String> {
        let x = self.0[launch as usize - 1];
        Json::parse(&format!(r#"{{"x": {x}, "y": 1200}}"#))
    }

    fn draw(&mut self, _: &Book, _: &Draw, _: &Where) -> Result<Drawn, String> {
        Err("nothing is drawn here".into())
    }

    fn commands(&self, _: &Book, recipe: &str, place: &Where) -> Vec<String> {
        vec![format!("fourstamp {recipe} {}", place.name())]
    }
}

fn places() -> Vec<Where> {
    vec![Where::Here, Where::On("planted".into())]
}

fn verdicts(values: &[f64]) -> Vec<[Option<Verdict>; 2]> {
    let book = Book::parse("planted", BOOK).unwrap();
    let mut planted = Planted(values.to_vec());
    let of = |card| {
        let answered = answer(&book, card, &places(), &mut planted);
        [answered.verdict(0), answered.verdict(1)]
    };
    book.cards.iter().map(of).collect()
}

#[test]
fn planted_values_have_their_verdicts() {
    let holds = verdicts(&[7.0, 7.1, 6.9]);
    // Simulated under a seed, one launch decides; what was not made says so; and the document's
    // own arithmetic is tried once.
    assert_eq!(holds[0], [Some(Verdict::Holds); 2]);
    assert_eq!(holds[1], [Some(Verdict::NotPossible), None]);
    assert_eq!(holds[2], [Some(Verdict::Contradiction), None]);
    assert_eq!(verdicts(&[3.0, 3.1, 2.9])[0], [Some(Verdict::DoesNotHold); 2]);
    let spread = verdicts(&[4.0, 7.0, 5.5])[0];
    assert_eq!(spread, [Some(Verdict::Undecided), Some(Verdict::DoesNotHold)]);
    assert_eq!(verdicts(&[7.0, 7.1])[0][0], Some(Verdict::Undecided));
}

fn page(values: &[f64]) -> (String, String) {
    let book = Book::parse("planted", BOOK).unwrap();
    let mut planted = Planted(values.to_vec());
    let cards: Vec<Answered<'_>> =
        book.cards.iter().map(|card| answer(&book, card, &places(), &mut planted)).collect();
    let opening = Opening { eyebrow: vec!["quick".into()], remarks: vec![], folder: "r".into() };
    let page = document(&opening, &cards);
    let (mut html, mut csv) = (Vec::new(), Vec::new());
    document::page(&page, &mut html).unwrap();
    document::table_csv(&page, "verdicts", &mut csv).unwrap();
    (String::from_utf8(html).unwrap(), String::from_utf8(csv).unwrap())
}

#[test]
fn page_and_table_say_the_same_and_every_link_leads_somewhere() {
    let (html, csv) = page(&[7.0, 7.1, 6.9]);
    let words = "On this machine: 1 holds, 1 not possible here, 1 contradicts its document. \
         On planted, simulated: 1 holds.";
    let said = html.replace('\u{a0}', " ");
    assert!(said.contains(words), "{said:.3000}");
    assert!(said.contains("it fell over") && said.contains("p. 2"));
    for link in html.split("href=\"#").skip(1) {
        let id = link.split('"').next().unwrap();
        assert!(html.contains(&format!("id=\"{id}\"")), "nothing is called {id}");
    }
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let row = |id: &str, place: &str, says: &str| {
        let is_it = |row: &&csv::StringRecord| (&row[0], &row[6], &row[1]) == (id, place, says);
        rows.iter().find(is_it).unwrap_or_else(|| panic!("no row of {id} {place}: {csv}"))
    };
    let here = row("9/K1", "here", "x");
    assert!((here[7].parse::<f64>().unwrap() - 7.0).abs() < 0.01);
    assert!(here[8].parse::<f64>().unwrap() > 5.0 && &here[10] == "3" && &here[11] == "holds");
    assert_eq!(&row("9/K1", "planted", "y, only shown")[11], "shown");
    assert_eq!(&row("9/K2", "here", "x of the other")[12], "it fell over");
    assert_eq!(&row("9/K3", "here", "the sum")[11], "the document contradicts itself");
    assert_eq!(rows.len(), 6);
}

#[test]
fn a_recipe_like_another_has_what_it_lacks_from_it() {
    let text = BOOK.replacen(
        "steps = [\"bench stream --out {run}\"]\nhere.launches = [3, 3, 3]\n\
         here.seconds = [1, 1, 1]",
        "steps = [\"bench stream --out {run}\"]\nlike = \"run\"\nhere.launches = [9, 9, 9]\n\
         here.seconds = [1, 1, 1]",
        1,
    );
    let book = Book::parse("planted", &text).unwrap();
    let gone = &book.recipes["gone"];
    assert_eq!(gone.here.as_ref().unwrap().launches, [9; 3]);
    assert_eq!(gone.simulated.as_ref().unwrap().launches, [1; 3]);
    assert_eq!(gone.title, "one that fails");
}

#[test]
fn a_document_that_names_what_is_not_there_is_refused() {
    let refused = |from: &str, to: &str| {
        let text = BOOK.replacen(from, to, 1);
        Book::parse("planted.toml", &text).unwrap_err().to_string()
    };
    let error = refused(r#"a = { recipe = "run" }"#, r#"a = { recipe = "walk" }"#);
    assert_eq!(error, "planted.toml: view a names recipe walk, which is not there");
    let error = refused(r#"views = ["b"]"#, r#"views = ["c"]"#);
    assert_eq!(error, "planted.toml: card K2 names view c, which is not there");
    let error = refused("title = \"one that fails\"", "title = \"x\"\nlike = \"walk\"");
    assert_eq!(error, "planted.toml: recipe gone names recipe walk, which is not there");
    let error = refused(r#"id = "K2""#, r#"id = "K1""#);
    assert_eq!(error, "planted.toml: there are two cards K1");
    let error = refused("[document]", "[dokument]");
    assert!(error.starts_with("planted.toml: ") && error.contains("dokument"), "{error}");
}
