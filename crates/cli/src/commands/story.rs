//! `fourstamp story`: what held a message at each stage of its life.

use crate::analyse::{open, readings};
use crate::args::StoryArgs;
use crate::lenses::LENSES;
use crate::scenes::{self, Setting};
use anyhow::{Context, Result};
use models::diary;
use record::{Run, RunInfo};
use report::{Facts, ProductStory, Reading, Told};
use serde::Serialize;
use serde_json::{Map, Value};
use stats::Filter;
use stats::analysis::{SlowMessage, Stage};
use stats::story::{Memo, Picked, Row, Seen, Story, Wanted};

/// Find the messages and tell their stories.
pub fn run(args: &StoryArgs) -> Result<()> {
    let run = open(&args.run)?;
    let told = tell(&run, args.wanted(), &args.messages.filter(), Usually::Slowest)?;
    let document = report::stories(&told, is_incomplete(&run.info));
    args.show.show_with(&document, "messages", || {
        let stories: Vec<Figures> = told.iter().map(Figures::of).collect();
        Ok(Map::from_iter([("stories".to_owned(), serde_json::to_value(stories)?)]))
    })
}

/// Every figure of a story.
#[derive(Serialize)]
struct Figures<'a> {
    launch: u32,
    story: &'a Story,
    memo: &'a Option<Memo>,
    /// What the run's product knows of it.
    product: &'a Value,
}

impl Figures<'_> {
    fn of(told: &Told) -> Figures<'_> {
        let product = &told.product.figures;
        Figures { launch: told.launch, story: &told.story, memo: &told.memo, product }
    }
}

/// Of which messages stories are told where none is wanted, and the run's model is about none.
#[derive(Clone, Copy)]
pub enum Usually<'a> {
    /// The slowest one, which is to be found.
    Slowest,
    /// These, which were found to be the slowest of so many.
    Known(&'a [SlowMessage], u64),
}

/// The stories of the messages wanted, slowest first; the slowest of those that `filter` takes.
/// Where none is wanted: of the message that the run's model is about, if there is one and the
/// filter is the usual one; else of those told usually.
pub fn tell(
    run: &Run,
    wanted: Option<Wanted>,
    filter: &Filter,
    usually: Usually,
) -> Result<Vec<Told>> {
    let slowest = slowest(1);
    let names = sim_lens::object_names(run);
    let cannot = || format!("cannot read {}", run.path().display());
    let causes = run.causes().with_context(cannot)?;
    let noun = Facts::of(&run.info, LENSES).product.noun;
    let is_open = wanted.is_none() && *filter == Filter::default();
    let readings = readings(run).with_context(cannot)?;
    let traced = readings.iter().any(|reading| reading.is_traced());
    let of_model = Replay::of(run);
    let replay = of_model.as_ref().filter(|_| is_open);
    // A run that was cut before that message: its slowest one has a story all the same.
    let found = replay
        .and_then(|replay| Some((scenes::gather(run, replay.wanted(), filter).ok()?, replay)));
    let ((settings, messages), replay) = match found {
        Some((gathered, replay)) => (gathered, Some(replay)),
        None => match (wanted, usually) {
            (None, Usually::Known(messages @ [_, ..], of)) => {
                ((scenes::gather_known(run, messages)?, of), None)
            }
            _ => (scenes::gather(run, wanted.unwrap_or(slowest), filter)?, None),
        },
    };
    // Of a run that was cut before it there is none to compare with.
    let m = of_model.as_ref().filter(|_| replay.is_none());
    let m = m.and_then(|m| scenes::gather(run, m.wanted(), &Filter::default()).ok());
    let told = |(at, setting): (usize, &Setting)| -> Result<Told> {
        let seen = Seen { causes: &causes, launch: setting.launch, traced };
        let picked = match (&replay, wanted.unwrap_or(slowest)) {
            (Some(_), _) => Picked::OfModel { is_slowest: is_slowest(run, setting, filter)? },
            (None, Wanted::Slowest { by, .. }) => {
                let is_of_model = m.as_ref().map(|(m, _)| m.iter().any(|m| is_same(m, setting)));
                Picked::Slowest { by, place: at + 1, of: messages, is_of_model }
            }
            (None, _) => Picked::Named,
        };
        let story = stats::story::tell(&setting.scene, picked, seen);
        let memo = replay.as_ref().map(|replay| Memo::of(&story, replay.days.into()));
        let product = of_product(&readings, &story.message).with_context(cannot)?;
        Ok(Told { story, launch: setting.launch, noun, product, names: names.clone(), memo })
    };
    settings.iter().enumerate().map(told).collect()
}

/// What the products of the run say of the message.
fn of_product(readings: &[Box<dyn Reading>], message: &Row) -> Result<ProductStory> {
    for reading in readings {
        let said = reading.story(message).map_err(anyhow::Error::from_boxed)?;
        if !said.sentences.is_empty() {
            return Ok(said);
        }
    }
    Ok(ProductStory::default())
}

fn slowest(count: usize) -> Wanted {
    Wanted::Slowest { count, by: Stage::EndToEnd }
}

/// A run of the model that replays the memo of 1988.
struct Replay {
    days: u32,
}

impl Replay {
    fn of(run: &Run) -> Option<Replay> {
        let days = run.info.parameters.get("days")?.as_u64()?;
        let is_diary = run.info.workload == diary::NAME;
        is_diary.then_some(Replay { days: u32::try_from(days).ok()? })
    }

    /// Its message M.
    fn wanted(&self) -> Wanted {
        let diary::MessageName { from, to, receive } = diary::memo_message(self.days);
        Wanted::Event { from: from.0.into(), to: to.0.into(), receive: receive.to_bits() }
    }
}

/// Whether no message of those that `filter` takes took longer than this one.
fn is_slowest(run: &Run, setting: &Setting, filter: &Filter) -> Result<bool> {
    let (slowest, _) = scenes::gather(run, slowest(1), filter)?;
    Ok(slowest.first().is_some_and(|slowest| is_same(slowest, setting)))
}

fn is_same(one: &Setting, other: &Setting) -> bool {
    one.launch == other.launch && one.scene.message.is_same(&other.scene.message)
}

/// Whether rows are missing.
fn is_incomplete(info: &RunInfo) -> bool {
    info.lost.cut
        || info.lost.dropped_rows > 0
        || info.lost.damaged_rows > 0
        || info.lost.damaged_chunks > 0
}
