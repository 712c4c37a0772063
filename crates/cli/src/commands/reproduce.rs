//! `fourstamp reproduce`: every figure, table and claim of the documents, from runs made now or
//! before, on one page.

mod folder;
mod here;
mod make;
mod seen;

use crate::args::ReproduceArgs;
use crate::commands::place;
use crate::show::{self, say};
use crate::side_by_side;
use anyhow::{Context, Result};
use document::Document;
use folder::{Folder, State};
use reproduce::{Answered, Book, Chosen, Opening, Verdict, Where};
use seen::{Said, Seen};
use std::path::Path;
use std::process::ExitCode;

/// List, or make and judge.
pub fn run(args: &ReproduceArgs) -> Result<ExitCode> {
    let books = reproduce::shipped()?;
    let chosen = reproduce::choose(&books, &args.ids)?;
    if args.list {
        let list = reproduce::list(&books, &chosen, args.scale(), here::lacks(args.data.is_some()));
        args.show.show(&list, "reproduce")?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(from) = &args.from else {
        let (folder, state) = made(args, &books, &chosen)?;
        return judge(args, &books, &chosen, &folder, &state);
    };
    let (folder, state) = (Folder::open(from)?, State::load(from)?);
    // Of a folder of one document, the others are nothing to be asked about.
    let ids = if args.ids.is_empty() { &state.ids } else { &args.ids };
    judge(args, &books, &reproduce::choose(&books, ids)?, &folder, &state)
}

/// Make the runs that the cards need.
fn made(args: &ReproduceArgs, books: &[Book], chosen: &[Chosen]) -> Result<(Folder, State)> {
    let out = place::for_runs(args.out.as_deref(), "reproduce")?;
    let folder = Folder::open(&out)?;
    let mut state = State::new(args)?;
    make::all(&folder, &mut state, books, chosen, args.launches)?;
    Ok((folder, state))
}

fn judge(
    args: &ReproduceArgs,
    books: &[Book],
    chosen: &[Chosen],
    folder: &Folder,
    state: &State,
) -> Result<ExitCode> {
    let answered = answers(books, chosen, folder, state)?;
    let opening = Opening {
        eyebrow: state.eyebrow(),
        remarks: state.remarks(),
        folder: folder.path.display().to_string(),
    };
    let mut document = reproduce::document(&opening, &answered);
    leave(folder, &document, &answered)?;
    // The documents one by one are on the page.
    document.runs.clear();
    args.show.show(&document, "verdicts")?;
    if args.show.is_text() {
        let page = folder.path.join("report.html");
        say(&format!(
            "\npage: {}\nagain from these runs: fourstamp reproduce --from {}\n",
            page.display(),
            folder.path.display()
        ))?;
    }
    Ok(if args.strict { strictly(&answered) } else { ExitCode::SUCCESS })
}

/// What the runs say of each card.
fn answers<'a>(
    books: &'a [Book],
    chosen: &[Chosen],
    folder: &Folder,
    state: &State,
) -> Result<Vec<Answered<'a>>> {
    let cards = chosen.iter().map(|(book, card)| (&books[*book], *card));
    let cards: Vec<_> = cards.map(|(book, card)| (book, &book.cards[card])).collect();
    let said = Said::default();
    let mut bar = crate::progress::Bar::new("reading".into(), None);
    let mut answered: Vec<_> = cards.iter().map(|_| None).collect();
    let mut done = 0;
    side_by_side::each(
        &cards,
        || Seen::new(folder, state, &said),
        |seen, (book, card)| reproduce::answer(book, card, &state.places_of(book), seen),
        |at, answer| {
            done += 1;
            bar.step(done, cards.len() as u64, &answer.book.whole_id(answer.card));
            answered[at] = Some(answer);
            Ok(())
        },
    )?;
    bar.finish();
    Ok(answered.into_iter().flatten().collect())
}

/// Leave the page, the verdicts and every figure's points.
fn leave(folder: &Folder, document: &Document, answered: &[Answered<'_>]) -> Result<()> {
    show::page(document, &folder.path.join("report.html"))?;
    let table =
        |path: &Path| show::whole(path, |out| Ok(document::table_csv(document, "verdicts", out)?));
    table(&folder.path.join("verdicts.csv"))?;
    let figures = folder.path.join("figures");
    std::fs::create_dir_all(&figures)
        .with_context(|| format!("cannot create {}", figures.display()))?;
    for one in answered {
        for place in &one.places {
            let Some(Ok(drawn)) = &place.drawn else { continue };
            let id = one.book.whole_id(one.card).replace('/', "-");
            let path = figures.join(format!("{id}-{}.csv", place.place.name()));
            let series = std::slice::from_ref(&drawn.series);
            show::whole(&path, |out| Ok(document::series_csv(series, out)?))?;
        }
    }
    Ok(())
}

/// What a script is to know.
fn strictly(answered: &[Answered<'_>]) -> ExitCode {
    let verdicts: Vec<Verdict> = answered
        .iter()
        .flat_map(|one| (0..one.places.len()).filter_map(|at| one.verdict(at)))
        .collect();
    if verdicts.contains(&Verdict::DoesNotHold) {
        return ExitCode::from(1);
    }
    if verdicts.contains(&Verdict::Undecided) { ExitCode::from(3) } else { ExitCode::SUCCESS }
}

/// The machine that stands for a document's: the one that was asked for, or its own.
fn machine_of(state: &State, book: &Book) -> Where {
    let own = || book.document.machine.clone().unwrap_or_default();
    Where::On(state.on.clone().unwrap_or_else(own))
}
