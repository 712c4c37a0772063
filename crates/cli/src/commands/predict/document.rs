//! What a prediction says.

use super::exchanges;
use super::foretell::{Foretold, Gain, Question, Side};
use super::latencies::quantile;
use super::served;
use crate::args::PredictArgs;
use document::{Block, Cell, Column, Document, Section, Table, Unit, counted, part};
use predict::{COVERS_PERCENT, DRAWS, Rematched, Share};
use record::Run;
use report::foretold::{Places, along, gains};

const NS_PER_S: f64 = 1e9;
const PS_PER_NS: f64 = 1000.0;
const QUANTILES: [f64; 3] = [0.5, 0.9, 0.99];

/// All of it.
pub fn document(
    args: &PredictArgs,
    run: &Run,
    question: &Question,
    foretold: &Foretold,
    not_played: &[String],
) -> Document {
    let places = places(question, foretold);
    let served = question.cases.first().and_then(|case| case.served());
    let latency =
        served.and_then(|served| served::latency(served, foretold, &question.target.name));
    let mut opening = vec![Block::Finding(places.finding())];
    opening.extend(latency.map(Block::Finding));
    opening.push(Block::Lead(places.gate()));
    let mut sections = vec![completion(question, foretold), bounds(question, foretold)];
    sections.extend(args.curve.map(|curve| along(curve.name, &foretold.curve, COVERS_PERCENT)));
    sections.extend(served.and_then(|served| exchanges::section(served, foretold)));
    sections.extend(wildcards(question, foretold));
    sections.push(stages(foretold));
    sections.extend(pairs(foretold));
    sections.push(served.map_or_else(|| nodes(foretold), |served| served::nodes(served, foretold)));
    sections.push(method(run, question, not_played));
    let title = format!("{} on {}", run.path().display(), question.target.name);
    Document { title, opening, sections, ..Document::default() }
}

/// Both machines, for what every prediction says.
fn places<'a>(question: &'a Question, foretold: &Foretold) -> Places<'a> {
    Places {
        place: "machine",
        recorded: (&question.recorded.name, foretold.recorded.span),
        target: (&question.target.name, foretold.target.span),
        measured_s: foretold.measured_s,
        holds: foretold.holds(),
        covers_percent: COVERS_PERCENT,
    }
}

fn completion(question: &Question, foretold: &Foretold) -> Section {
    let columns = [
        Column::text("machine", "machine"),
        Column::seconds("predicted", "predicted").with_interval(),
        Column::seconds("measured", "measured"),
        Column::new("error", "error", Unit::Change),
    ];
    let row = |name: &str, side: &Side, measured: Option<f64>| {
        let error = measured.map(|measured| side.span.s / measured - 1.0);
        [Cell::new(name), side.span.cell(), Cell::new(measured), Cell::new(error)]
    };
    let table = Table::new("completion", columns).with([
        row(&question.recorded.name, &foretold.recorded, Some(foretold.measured_s)),
        row(&question.target.name, &foretold.target, mean(&question.measured_s)),
    ]);
    let launches = launches(question.cases.len());
    let serves = question.cases.iter().any(|case| case.served().is_some());
    let what = if serves { "is done between hosts" } else { "a node does" };
    let sentence = format!(
        "From the first thing that {what} to the last; {launches}. The interval is the least \
        and the most of {DRAWS} draws, in which times of computing at one place stand for each \
        other and figures of the machine differ as far as they are uncertain. That of the other \
        machine also holds what comes out if the model is off there by as much as here, either \
        way{}.{}{}",
        match question.resolution.widens() {
            0.0 => String::new(),
            part => format!(", and is {} wider at both ends", document::part(part)),
        },
        match question.measured_s.len() {
            0 => String::new(),
            1 => " There, 1 launch was measured.".to_owned(),
            more => format!(" There, {} were measured.", self::launches(more)),
        },
        ways(question)
    );
    Section::new("completion", "Completion", sentence).table(table)
}

/// In which way long messages are exchanged, where there are any.
fn ways(question: &Question) -> String {
    let cases = &question.cases;
    let asks = |machine| cases.iter().any(|case| case.asks(machine));
    if !asks(question.recorded) && !asks(question.target) {
        return String::new();
    }
    let before = cases.iter().filter(|case| case.asks_first()).count();
    let played = match asks(question.recorded) {
        true => "is played as if before where that is nearer to its own time",
        false => "does not tell which on the machine it was recorded on, and is played as if after",
    };
    format!(
        " Ranks that exchange long messages ask for their own before they answer others, which may \
        be twice as fast, or after. A launch {played} (before in {before} of {}); every second \
        draw is of the other way.",
        launches(cases.len())
    )
}

fn launches(count: usize) -> String {
    if count == 1 { "1 launch".to_owned() } else { format!("{count} launches") }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn bounds(question: &Question, foretold: &Foretold) -> Section {
    let columns = [
        Column::text("share", "time goes to"),
        Column::seconds("recorded", "recorded on"),
        Column::share("recorded_share", "share"),
        Column::seconds("target", "predicted on"),
        Column::share("target_share", "share"),
    ];
    let (recorded, target) = (&foretold.recorded, &foretold.target);
    let path_s = |side: &Side, share| side.played.path[share] as f64 / PS_PER_NS / NS_PER_S;
    let rows = Share::ALL
        .into_iter()
        .filter(|share| recorded.played.path[*share] + target.played.path[*share] > 0);
    let table = Table::new("path", columns).with(rows.map(|share| {
        [
            Cell::new(share.words()),
            Cell::new(path_s(recorded, share)),
            Cell::new(recorded.share(share)),
            Cell::new(path_s(target, share)),
            Cell::new(target.share(share)),
        ]
    }));
    let most = Share::ALL.into_iter().max_by_key(|share| target.played.path[*share]);
    let most = most.unwrap_or(Share::Computing);
    let sentence = format!(
        "The chain of causes that ends last: each wait is followed to the node that it was for. On \
        {} {} of it is {}; it holds {}.",
        question.target.name,
        part(target.share(most)),
        most.words(),
        counted(target.played.path.messages, "message"),
    );
    let mut section = Section::new("path", "What bounds it", sentence).table(table);
    section.blocks.push(Block::Table(gains(&foretold.gains)));
    section
}

/// What became of receives for any source or tag, if there are any and they are matched anew.
fn wildcards(question: &Question, foretold: &Foretold) -> Option<Section> {
    let columns = [
        Column::text("machine", "machine"),
        Column::count("receives", "receives"),
        Column::count("changed", "changed"),
        Column::share("share", "share"),
    ];
    let sides = [(question.recorded, &foretold.recorded), (question.target, &foretold.target)];
    let rows = sides.map(|(machine, side)| {
        let Rematched { receives, changed } = side.played.rematched;
        let share = changed as f64 / receives.max(1) as f64;
        [
            Cell::new(machine.name.as_str()),
            Cell::new(receives),
            Cell::new(changed),
            Cell::new(share),
        ]
    });
    let Rematched { receives, changed } = foretold.target.played.rematched;
    let sentence = format!(
        "Receives for any source or tag take what comes first. On {} {} of {} ({}) {} a message of \
        another rank, or with another tag, than recorded.",
        question.target.name,
        document::count(changed),
        counted(receives, "receive"),
        part(changed as f64 / receives.max(1) as f64),
        if changed == 1 { "takes" } else { "take" },
    );
    let table = Table::new("wildcards", columns).with(rows);
    (receives > 0).then(|| Section::new("wildcards", "Wildcard receives", sentence).table(table))
}

fn stages(foretold: &Foretold) -> Section {
    if foretold.recorded.stages[0].is_empty() {
        let sentence = "All messages are those of collectives, which the program did not send \
            itself: there is none whose stages could be shown.";
        return Section::new("stages", "Stages", sentence);
    }
    let columns = [
        Column::text("stage", "stage"),
        Column::text("quantile", "quantile"),
        Column::time("recorded", "recorded on"),
        Column::time("target", "predicted on"),
    ];
    let names = ["send wait", "transit", "receive wait", "ready to taken"];
    let mut table = Table::new("stages", columns);
    for (stage, name) in names.into_iter().enumerate() {
        for p in QUANTILES {
            table.push([
                Cell::new(name),
                Cell::new(document::quantile_name(p)),
                Cell::new(quantile(&foretold.recorded.stages[stage], p)),
                Cell::new(quantile(&foretold.target.stages[stage], p)),
            ]);
        }
    }
    let sentence = "What becomes of the program's messages, as played on both machines.";
    Section::new("stages", "Stages", sentence).table(table)
}

/// The pairs of nodes whose messages gain most, if any do.
fn pairs(foretold: &Foretold) -> Option<Section> {
    const SHOWN: usize = 5;
    let columns = [
        Column::text("pair", "pair"),
        Column::count("messages", "messages"),
        Column::seconds("recorded", "recorded on"),
        Column::seconds("target", "predicted on"),
        Column::seconds("gain", "gains"),
    ];
    let mut all: Vec<Gain> = foretold.gains_of_pairs();
    all.sort_by(|a, b| b.ns().total_cmp(&a.ns()));
    all.retain(|gain| gain.ns() > 0.0);
    let gaining = all.len();
    let s = |ns: f64| Cell::new(ns / NS_PER_S);
    let rows = all.iter().take(SHOWN).map(|gain| {
        let (from, to) = gain.pair;
        let name = Cell::new(format!("{from}\u{a0}→\u{a0}{to}"));
        [name, Cell::new(gain.messages), s(gain.before_ns), s(gain.after_ns), s(gain.ns())]
    });
    let table = Table::new("pairs", columns).with(rows);
    let sentence = format!(
        "Of {} between whom messages pass, those whose messages take less time from ready to \
        taken; sums of all their messages, the most first. {} {}.",
        counted(foretold.recorded.pairs.len() as u64, "pair"),
        counted(gaining as u64, "pair"),
        if gaining == 1 { "gains" } else { "gain" },
    );
    (gaining > 0).then(|| Section::new("pairs", "Pairs that gain most", sentence).table(table))
}

fn nodes(foretold: &Foretold) -> Section {
    let columns = [
        Column::count("node", "node"),
        Column::text("machine", "machine"),
        Column::seconds("computing", "computing"),
        Column::seconds("overhead", "sends, receives"),
        Column::seconds("waiting", "waits for messages"),
        Column::seconds("blocked", "waits to send"),
        Column::seconds("unheard", "not heard of"),
        Column::seconds("end", "done after"),
    ];
    let mut table = Table::new("nodes", columns);
    let (recorded, target) = (&foretold.recorded.played.nodes, &foretold.target.played.nodes);
    for (node, (before, after)) in recorded.iter().zip(target).enumerate() {
        for (name, spent) in [("recorded on", before), ("predicted on", after)] {
            let s = |ps: u64| Cell::new(ps as f64 / PS_PER_NS / NS_PER_S);
            table.push([
                Cell::new(node),
                Cell::new(name),
                s(spent.computing),
                s(spent.overhead),
                s(spent.waiting),
                s(spent.blocked),
                s(spent.unheard),
                s(spent.end),
            ]);
        }
    }
    let sentence = "Where each node's time goes, as played on both machines. Not heard of: how \
                    long long messages stood still because this end was outside of MPI.";
    Section::new("nodes", "Nodes", sentence).table(table).as_detail()
}

fn method(run: &Run, question: &Question, not_played: &[String]) -> Section {
    let anew = question.cases.iter().any(|case| case.has_wildcards());
    let in_order = format!(
        "Computing takes as long as it did, divided by the processors' speed; nodes do the same \
        things in the same order, and take the messages that they took{}.",
        if anew { ", unless they were received from any source or with any tag" } else { "" }
    );
    let serves = question.cases.iter().any(|case| case.served().is_some());
    let mut said = vec![
        if serves { served::METHOD.to_string() } else { in_order },
        "The interval does not cover programs that would do other things at another speed, nor \
         what the machine's file does not describe."
            .to_string(),
    ];
    // In simulated time another launch is the same.
    if question.cases.len() == 1 && run.info.simulated_on.is_null() {
        said.push(
            "One launch was recorded: how launches differ is not in the interval.".to_string(),
        );
    }
    said.extend(not_played.iter().cloned());
    let mut section = Section::new("method", "What it rests on", "");
    section.blocks.push(Block::List(said));
    section
}
