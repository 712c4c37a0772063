//! The first screen of a run, and of several.

use document::{Block, Colour, Figures, Pairs, ShareBar, count, part, time, time_or_none};
use stats::analysis::{Analysis, Stage, Summary};

use crate::charts::rate_words;
use crate::entry::{Entry, Page};
use crate::facts::Facts;
use crate::finding::{
    finding_sentence, is_conclusive, largest, losses, overall_sentence, quantile, remarks,
    stage_shares, tail, typical_shares,
};
use crate::headline::{self, Floor};
use crate::knees;
use crate::palette::{self, CYCLE, colour, name};
use crate::population::{self, population_words};
use crate::product_facts::ProductFacts;
use crate::story::capital;

/// The first screen of one run.
pub(crate) fn of_run(entry: &Entry, floors: &[Floor]) -> Vec<Block> {
    let Entry { facts, analysis, parts, .. } = entry;
    let mut blocks: Vec<Block> =
        facts.product.first.iter().map(|line| Block::Eyebrow(vec![line.clone()])).collect();
    blocks.push(Block::Eyebrow(eyebrow(entry)));
    blocks.push(which_messages(facts, analysis));
    let said = parts.iter().find_map(|part| part.sentence.clone());
    let about = parts.iter().find(|part| part.sentence.is_some());
    let sizes = knees::headline(analysis);
    let below = (about.is_some() || sizes.is_some()) && analysis.messages > 0;
    let message_is = about.map(|part| part.message_is).unwrap_or_default();
    let unknown = parts.iter().find_map(|part| part.stages.clone());
    let is_known = unknown.is_none();
    let messages = (below && is_conclusive(facts)).then(|| {
        unknown.unwrap_or_else(|| format!("{message_is}{}", finding_sentence(facts, analysis)))
    });
    let sentence = facts.product.warning.clone().or(said).or(sizes);
    blocks.push(Block::Finding(sentence.unwrap_or_else(|| finding_sentence(facts, analysis))));
    let beneath = parts.iter().find_map(|part| part.below.clone());
    let leads = [
        beneath.filter(|_| facts.product.warning.is_none()),
        messages,
        tail(facts, analysis).filter(|_| is_known),
    ];
    blocks.extend(leads.into_iter().flatten().map(Block::Lead));
    let lost = losses(facts, analysis);
    blocks.push(if lost.is_empty() {
        Block::Note(None, nothing_lost(analysis).to_owned())
    } else {
        Block::Warning(lost)
    });
    let mut said = remarks(analysis);
    said.extend(facts.product.remarks.iter().cloned());
    said.extend(facts.notes.iter().map(|note| format!("Note: {note}")));
    if !said.is_empty() {
        blocks.push(Block::List(said));
    }
    blocks.extend(parts.iter().flat_map(|part| part.opening.iter().cloned()));
    blocks.extend(share_bars(analysis));
    blocks.extend(key_figures(analysis));
    blocks.extend(rate(facts, analysis));
    blocks.extend(floor_block(floors));
    blocks.push(Block::Aside(vec![what_ran(facts, analysis), machine(facts), clock(facts)]));
    blocks
}

fn nothing_lost(analysis: &Analysis) -> &'static str {
    if population::leaves_out(analysis) {
        "Nothing was lost; of the messages shown, no stamp is missing or out of order."
    } else {
        "Nothing was lost, and no stamp is missing or out of order."
    }
}

/// Which messages all that follows is about.
pub(crate) fn which_messages(facts: &Facts, analysis: &Analysis) -> Block {
    let line = population::line(facts, analysis);
    let remark =
        population::remark(facts, analysis).map_or_else(String::new, |text| format!(" {text}"));
    Block::Note(Some("Messages"), format!("{line}.{remark}"))
}

/// The first screen of several runs.
pub(crate) fn of_several(page: &Page) -> Vec<Block> {
    let runs: Vec<(&Facts, &Analysis)> =
        page.runs.iter().map(|entry| (entry.facts, entry.analysis)).collect();
    let mut blocks = vec![
        Block::Eyebrow(vec![page.title.to_owned()]),
        Block::Finding(overall_sentence(&runs)),
        which_of_several(&runs),
    ];
    let lost = several_losses(&runs);
    blocks.push(if lost.is_empty() {
        let line = "Nothing was lost in any run; of the messages shown, no stamp is missing or \
            out of order.";
        Block::Note(None, line.to_owned())
    } else {
        Block::Warning(lost)
    });
    blocks.push(Block::Table(headline::table(&runs)));
    blocks.push(Block::Note(
        None,
        "A typical message is one about the median; in all time slow messages count for more. \
        Times are end to end, from the call of send until the receiving program took the \
        message; cycle is the median of whole round trips or relay rounds."
            .to_owned(),
    ));
    blocks.extend(floor_block(page.floors));
    blocks.push(Block::Pairs(vec![machine(runs[0].0), clock(runs[0].0)]));
    if !page.remarks.is_empty() {
        blocks.push(Block::Heading("This machine".to_owned()));
        blocks.push(Block::List(page.remarks.to_vec()));
    }
    blocks
}

/// Which messages the table is about, run by run where they differ.
fn which_of_several(runs: &[(&Facts, &Analysis)]) -> Block {
    let said: Vec<String> = runs
        .iter()
        .map(|(facts, analysis)| population_words(facts, &analysis.population))
        .collect();
    let text = match said.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => first.clone(),
        _ => by_words(runs, &said).join("; "),
    };
    let leaves_out = runs.iter().any(|(_, analysis)| population::leaves_out(analysis));
    let note = if leaves_out { " Each run's own page says what is left out." } else { "" };
    Block::Note(Some("Messages"), format!("{text}.{note}"))
}

/// Each choice of messages once, with the runs that it is of.
fn by_words(runs: &[(&Facts, &Analysis)], said: &[String]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for ((facts, _), words) in runs.iter().zip(said) {
        match groups.iter_mut().find(|(known, _)| known == words) {
            Some((_, titles)) => titles.push(facts.title()),
            None => groups.push((words, vec![facts.title()])),
        }
    }
    groups.iter().map(|(words, titles)| format!("{words} ({})", titles.join("; "))).collect()
}

/// What a closed fold says about its run.
pub(crate) fn brief(analysis: &Analysis) -> String {
    let view = analysis.stage(Stage::EndToEnd);
    let median = time_or_none(view.and_then(|view| quantile(&view.summary, 0.5)));
    let [_, of_time] = largest(analysis);
    format!("median {median} · {of_time} of the time")
}

/// What ran, in a few words each.
fn eyebrow(entry: &Entry) -> Vec<String> {
    let Entry { facts, analysis, parts, .. } = entry;
    let counts = parts.iter().find_map(|part| part.counts.clone());
    let many = counts.unwrap_or_else(|| {
        let (node, on) = (facts.product.noun, &facts.product.on);
        let mut many = vec![noun(facts.nodes as u64, node, &format!("{node}s"))];
        many.extend(on.clone());
        // A program that was traced runs once.
        if on.is_none() || facts.launches != 1 {
            many.push(noun(facts.launches as u64, "launch", "launches"));
        }
        many.push(noun(analysis.messages, "message", "messages"));
        many
    });
    let what = [facts.title(), facts.topology_besides_title().to_owned()];
    what.into_iter().chain(many).filter(|text| !text.is_empty()).collect()
}

fn noun(n: u64, one: &str, many: &str) -> String {
    format!("{}\u{a0}{}", count(n), if n == 1 { one } else { many })
}

/// The bars that answer the question: all time together, and a typical message, since a few slow
/// ones can make up most of the time.
fn share_bars(analysis: &Analysis) -> Option<Block> {
    let shares = stage_shares(analysis);
    let bar = |head, main, shares: &[(Stage, f64)]| ShareBar {
        head,
        main,
        parts: palette::parts(shares),
    };
    let key = |(stage, share): &(Stage, f64)| {
        let median = analysis.stage(*stage).and_then(|view| quantile(&view.summary, 0.5));
        let median = median.map_or_else(String::new, |ns| format!(", median {}", time(ns as f64)));
        let meaning = match stage {
            Stage::SendWait => "ready until handed to the network layer",
            Stage::Transit => "until the receiver's network layer has it",
            Stage::ReceiveWait => "until the receiving program takes it",
            Stage::EndToEnd => "",
        };
        (name(*stage), colour(*stage), format!("{}{median}", part(*share)), meaning)
    };
    let bars = vec![
        bar("All time", true, &shares),
        bar("A typical message", false, &typical_shares(analysis)),
    ];
    (!shares.is_empty()).then(|| Block::Bars(bars, shares.iter().map(key).collect()))
}

fn key_figures(analysis: &Analysis) -> Option<Block> {
    let end_to_end = analysis.stage(Stage::EndToEnd);
    let end_to_end =
        end_to_end.map(|view| figures("End to end", colour(view.stage), &view.summary));
    let cycles = analysis.cycles.iter().map(|view| figures("Whole cycle", CYCLE, &view.summary));
    let all: Vec<Figures> = end_to_end.into_iter().chain(cycles).collect();
    (!all.is_empty()).then_some(Block::Figures(all))
}

fn figures(head: &str, colour: Colour, summary: &Summary) -> Figures {
    let mut tiles: Vec<(String, String)> = [(0.5, "median"), (0.99, "p99"), (0.999, "p99.9")]
        .iter()
        .filter_map(|(p, name)| Some(((*name).to_owned(), time(quantile(summary, *p)? as f64))))
        .collect();
    tiles.push(("slowest".to_owned(), time(summary.max_ns as f64)));
    if tiles.len() < 4 {
        tiles.insert(0, ("fastest".to_owned(), time(summary.min_ns as f64)));
    }
    Figures { head: head.to_owned(), colour, tiles }
}

/// How fast nodes send, where sending is what the run is about: a simulation and a traced program
/// say other things of their time.
fn rate(facts: &Facts, analysis: &Analysis) -> Option<Block> {
    let words = rate_words(analysis, facts.product.noun)?;
    (facts.product == ProductFacts::default()).then_some(Block::Note(None, words))
}

fn floor_block(floors: &[Floor]) -> Option<Block> {
    let pair = |floor: &Floor| (floor.name.clone(), headline::floor_times(floor));
    let pairs = floors.iter().map(pair).collect();
    (!floors.is_empty()).then(|| Block::Pairs(vec![Pairs::new("Floor of this machine", pairs)]))
}

fn what_ran(facts: &Facts, analysis: &Analysis) -> Pairs {
    let product = &facts.product;
    let nodes = format!("{}s", capital(product.noun));
    let mut pairs = vec![
        ("Workload".to_owned(), facts.workload.clone()),
        ("Transport".to_owned(), facts.transport.clone()),
        ("Topology".to_owned(), facts.topology.clone()),
        (nodes, count(facts.nodes as u64)),
        ("Launches".to_owned(), count(facts.launches as u64)),
        ("Messages".to_owned(), count(analysis.messages)),
    ];
    if product.on.is_some() {
        // The library says more.
        pairs.retain(|(name, _)| !["Transport", "Topology"].contains(&name.as_str()));
    }
    // The first few that are not said already; all of them stand under "The run".
    let said = |name: &str| pairs.iter().any(|(said, _)| said == name);
    let more: Vec<_> =
        facts.parameters.iter().filter(|(name, _)| !said(name)).take(5).cloned().collect();
    pairs.extend(more);
    Pairs::new("What ran", pairs)
}

fn machine(facts: &Facts) -> Pairs {
    let mut pairs = facts.machine.clone();
    pairs.push(("Started".to_owned(), facts.started.clone()));
    Pairs::new("Machine", pairs)
}

pub(crate) fn clock(facts: &Facts) -> Pairs {
    let clock = &facts.clock;
    let error = match clock.error_ns {
        Some(0.0) => format!("0, all {}s share one clock", facts.product.noun),
        Some(ns) => format!("at most {}", time(ns)),
        None => "not known".to_owned(),
    };
    let pairs = vec![
        ("Source".to_owned(), clock.source.clone()),
        ("Step".to_owned(), clock.step_ns.map(time).unwrap_or_default()),
        ("Cost of a reading".to_owned(), clock.read_cost_ns.map(time).unwrap_or_default()),
        ("Error bound".to_owned(), error),
    ];
    Pairs::new("Clock", pairs)
}

fn several_losses(runs: &[(&Facts, &Analysis)]) -> Vec<String> {
    let line = |(facts, analysis): &(&Facts, &Analysis)| {
        let lost = losses(facts, analysis);
        (!lost.is_empty()).then(|| format!("{}: {}", facts.title(), lost.join(" ")))
    };
    runs.iter().filter_map(line).collect()
}
