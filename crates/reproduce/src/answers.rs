//! What runs say of a card, in each place where they were made.

use crate::book::{Book, View};
use crate::card::{Card, Check, CheckKind, CheckUnit, Draw, Holds, Places, Plot};
use crate::query::{Answer, Json, Query};
use crate::recipe::Where;
use crate::verdict::{Basis, Judged, Verdict};
use report::figure::Drawn;

/// The runs that there are. Who made them brings it.
pub trait Evidence {
    /// The launches of a recipe that ended well, or why there is none.
    ///
    /// # Errors
    /// When there is none, in words.
    fn launches(&self, book: &Book, recipe: &str, place: &Where) -> Result<Vec<u32>, String>;

    /// What a view says of a launch.
    ///
    /// # Errors
    /// When it says nothing, in words.
    fn json(&mut self, book: &Book, view: &str, place: &Where, launch: u32)
    -> Result<Json, String>;

    /// The figure of the first launch of each of its views.
    ///
    /// # Errors
    /// When it cannot be drawn, in words.
    fn draw(&mut self, book: &Book, draw: &Draw, place: &Where) -> Result<Drawn, String>;

    /// The commands that make a launch, as one types them.
    fn commands(&self, book: &Book, recipe: &str, place: &Where) -> Vec<String>;
}

/// A card and what runs say of it.
pub struct Answered<'a> {
    /// Its document.
    pub book: &'a Book,
    /// The card.
    pub card: &'a Card,
    /// What was to be seen, place by place.
    pub places: Vec<AnsweredPlace>,
}

/// What was to be seen in a place.
pub struct AnsweredPlace {
    /// Which.
    pub place: Where,
    /// The figure, where it is drawn of messages.
    pub drawn: Option<Result<Drawn, String>>,
    /// The figure, where it is drawn of values, as JSON.
    pub plotted: Option<Result<serde_json::Value, String>>,
    /// What every check gives, the figure's own first.
    pub outcomes: Vec<Outcome>,
    /// The commands that make a launch of its runs.
    pub commands: Vec<String>,
}

/// A check, or what a figure is checked for by itself, and what became of it.
pub struct Outcome {
    /// What the value is.
    pub says: String,
    /// The document's value, in words.
    pub document: Option<String>,
    /// What must hold, in words.
    pub must: Option<String>,
    /// What the value is counted in.
    pub unit: CheckUnit,
    /// Whether three figures of it say too little.
    pub is_fine: bool,
    /// What kind of statement it is.
    pub kind: CheckKind,
    /// What became of it.
    pub judged: Judged,
}

/// What the runs say of a card in these places.
pub fn answer<'a>(
    book: &'a Book,
    card: &'a Card,
    places: &[Where],
    evidence: &mut dyn Evidence,
) -> Answered<'a> {
    let places = places.iter().map(|place| in_place(book, card, place, evidence)).collect();
    Answered { book, card, places }
}

impl Answered<'_> {
    /// The worst of the verdicts in a place; that something is only shown is no verdict.
    pub fn verdict(&self, place: usize) -> Option<Verdict> {
        let outcomes = self.places[place].outcomes.iter();
        let verdicts = outcomes.map(|outcome| outcome.judged.verdict);
        verdicts.filter(|verdict| *verdict != Verdict::Shown).max()
    }
}

impl AnsweredPlace {
    /// Nothing is to be seen there.
    fn empty(place: &Where) -> AnsweredPlace {
        AnsweredPlace {
            place: place.clone(),
            drawn: None,
            plotted: None,
            outcomes: Vec::new(),
            commands: Vec::new(),
        }
    }
}

fn in_place(book: &Book, card: &Card, place: &Where, evidence: &mut dyn Evidence) -> AnsweredPlace {
    if !is_made(book, card, place) {
        return AnsweredPlace::empty(place);
    }
    let drawn = card.draw.as_ref().map(|draw| evidence.draw(book, draw, place));
    let own = card.draw.as_ref().zip(drawn.as_ref());
    let own = own.and_then(|(draw, drawn)| of_drawing(draw, drawn.as_ref()));
    let plotted = card.plot.as_ref().map(|plot| plotted(book, plot, place, evidence));
    let wanted = card.checks.iter().filter(|check| is_tried(check, place));
    let outcomes = wanted.map(|check| outcome(book, check, place, evidence));
    let outcomes: Vec<Outcome> = own.into_iter().chain(outcomes).collect();
    let recipes = book.recipes_of(card, place);
    let commands =
        recipes.into_iter().flat_map(|recipe| evidence.commands(book, recipe, place)).collect();
    AnsweredPlace { place: place.clone(), drawn, plotted, outcomes, commands }
}

/// Whether the runs of a card are for this place: on the document's machine, which is simulated,
/// some cannot be made, and nothing is to be said of them there.
fn is_made(book: &Book, card: &Card, place: &Where) -> bool {
    let recipes = book.recipes_of(card, place);
    let has = |name: &&str| book.recipes.get(*name).is_some_and(|it| it.setting(place).is_some());
    !place.is_simulated() || (!recipes.is_empty() && recipes.iter().any(has))
}

/// The document's own arithmetic is tried once, and not again on its machine.
fn is_tried(check: &Check, place: &Where) -> bool {
    let own = check.views.is_empty() && check.on == Places::Both;
    check.on.includes(place.is_simulated()) && !(own && place.is_simulated())
}

/// Whether a figure shows the part of the messages that the document's does.
fn of_drawing(draw: &Draw, drawn: Result<&Drawn, &String>) -> Option<Outcome> {
    let [shown, of] = draw.document?;
    let judged = match drawn {
        Err(why) => Judged::not_possible(why.clone()),
        Ok(drawn) => {
            let count = drawn.counts.iter().filter(|count| count.run == 0);
            let taken: u64 = count.clone().map(|count| count.taken).sum();
            let all = count.map(|count| count.of).max().unwrap_or(0);
            let expected = shown as f64 / of as f64 * all as f64;
            let one = (all as f64 / of as f64).max(1.0);
            let holds = all > 0 && (taken as f64 - expected).abs() <= one;
            let verdict = if holds { Verdict::Drawn } else { Verdict::DoesNotHold };
            let [taken_words, all_words] = [taken, all].map(document::count);
            let why = format!("{taken_words} of {all_words} messages are drawn");
            Judged { value: Some(taken as f64), interval: None, launches: 1, verdict, why }
        }
    };
    Some(Outcome {
        says: "messages drawn".into(),
        document: Some(format!("{} of {}", document::count(shown), document::count(of))),
        must: Some("the same part, give or take a message of either".into()),
        unit: CheckUnit::Count,
        is_fine: false,
        kind: CheckKind::Count,
        judged,
    })
}

fn plotted(
    book: &Book,
    plot: &Plot,
    place: &Where,
    evidence: &mut dyn Evidence,
) -> Result<serde_json::Value, String> {
    let query = Query::new(&book.definitions, &plot.take).map_err(|error| error.to_string())?;
    let launches = common_launches(book, &plot.views, place, evidence)?;
    let launch = *launches.first().ok_or("no launch ended well")?;
    match ask(&query, book, &plot.views, place, launch, evidence)? {
        Answer::Other(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        _ => Err("the runs have no such values".into()),
    }
}

fn outcome(book: &Book, check: &Check, place: &Where, evidence: &mut dyn Evidence) -> Outcome {
    let judged = judged(book, check, place, evidence).unwrap_or_else(Judged::not_possible);
    // Of what is only shown, nothing can fail to be possible.
    let verdict = if check.holds.is_some() { judged.verdict } else { Verdict::Shown };
    Outcome {
        says: check.says.clone(),
        document: check.document.clone(),
        must: check.holds.map(|holds| holds.words(check.unit)),
        unit: check.unit,
        is_fine: check.holds.is_some_and(Holds::is_fine),
        kind: check.kind,
        judged: Judged { verdict, ..judged },
    }
}

fn judged(
    book: &Book,
    check: &Check,
    place: &Where,
    evidence: &mut dyn Evidence,
) -> Result<Judged, String> {
    let query = Query::new(&book.definitions, &check.take).map_err(|error| error.to_string())?;
    if check.views.is_empty() {
        let answer = query.ask(&[]).map_err(|error| error.to_string())?;
        return Ok(Judged::of(check, &[answer], Basis::Document));
    }
    let launches = common_launches(book, &check.views, place, evidence)?;
    let mut answers = Vec::new();
    for launch in launches {
        answers.push(ask(&query, book, &check.views, place, launch, evidence)?);
    }
    let basis = if place.is_simulated() { Basis::Simulated } else { Basis::Measured };
    Ok(Judged::of(check, &answers, basis))
}

/// The launches that all of these views have.
fn common_launches(
    book: &Book,
    views: &[String],
    place: &Where,
    evidence: &dyn Evidence,
) -> Result<Vec<u32>, String> {
    let mut common: Option<Vec<u32>> = None;
    for view in views {
        let launches = evidence.launches(book, view_of(book, view)?.recipe_in(place), place)?;
        match &mut common {
            None => common = Some(launches),
            Some(common) => common.retain(|launch| launches.contains(launch)),
        }
    }
    Ok(common.unwrap_or_default())
}

fn view_of<'a>(book: &'a Book, view: &str) -> Result<&'a View, String> {
    book.views.get(view).ok_or_else(|| format!("there is no view {view}"))
}

fn ask(
    query: &Query,
    book: &Book,
    views: &[String],
    place: &Where,
    launch: u32,
    evidence: &mut dyn Evidence,
) -> Result<Answer, String> {
    let mut known = Vec::new();
    for view in views {
        known.push((view.as_str(), evidence.json(book, view, place, launch)?));
    }
    query.ask(&known).map_err(|error| error.to_string())
}
