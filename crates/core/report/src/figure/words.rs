//! What a figure says: its title, its axes and its sentence.

use document::{count, counted, time};
use stats::Filter;
use stats::analysis::Summary;

use super::lines::Line;
use super::{Against, By, Figure, FigureRun, Quantity};
use crate::population::{cut_words, population_words};

/// What an axis of it is called.
pub(super) fn axis(what: Quantity) -> &'static str {
    match what {
        Quantity::EndToEnd => "end-to-end time",
        Quantity::SendWait => "send wait",
        Quantity::Transit => "transit time",
        Quantity::ReceiveWait => "receive wait",
        Quantity::Cycle => "cycle time",
        Quantity::Interval => "time between sends",
        Quantity::PerServed => "time between sends per message served",
        Quantity::Served => "messages served between sends",
        Quantity::QueueLength => "messages in the receive queue at arrival",
        Quantity::InFlight => "messages in flight at the send",
        Quantity::OnNodeWaited => "on-node messages handled while it waited",
        Quantity::Packets => "packets",
        Quantity::Hops => "hops",
        Quantity::Bytes => "payload",
    }
}

/// What an axis that a quantity is shown against is called.
pub(super) fn against(against: Against) -> &'static str {
    match against {
        Against::Served => "messages served between the two sends",
        Against::Bytes => "payload",
        Against::Hops => "hops",
        Against::Packets => "packets",
        Against::QueueLength => "messages in the receive queue at arrival",
        Against::Time => "time of the run",
    }
}

/// What is counted: messages, cycles, or the stretches between sends.
pub(super) fn counted_things(what: Quantity) -> &'static str {
    match what {
        Quantity::Cycle => "cycles",
        Quantity::Interval | Quantity::PerServed | Quantity::Served => "sends",
        _ => "messages",
    }
}

/// `Transit time by hops, the fastest 99.66 % by transit`.
pub(super) fn title(figure: &Figure, runs: &[FigureRun]) -> String {
    let mut text = axis(figure.what).to_owned();
    text[..1].make_ascii_uppercase();
    if let Some(of) = figure.against {
        let of = if of == Against::Served { "the number served" } else { against(of) };
        text += &format!(" against {of}");
    }
    if let Some(by) = figure.by.filter(|by| *by != By::Run) {
        text += &format!(" by {}", by_words(by));
    }
    if let Some(cut) = figure.filter().cut {
        // Of the stage that is shown, its name would be said twice.
        let own = figure.what.stage() == Some(cut.stage());
        let words = cut_words(&cut);
        let words = match words.split_once(" by ") {
            Some((share, _)) if own => share.to_owned(),
            _ => words,
        };
        text += &format!(", {words}");
    }
    match runs {
        [_] => text,
        several => format!("{text}, {} runs", several.len()),
    }
}

fn by_words(by: By) -> &'static str {
    match by {
        By::Pair => "node pair",
        By::Bytes => "payload",
        other => other.name(),
    }
}

/// Which messages, how many they are, what is not drawn, and what to see.
pub(super) fn sentence(figure: &Figure, runs: &[FigureRun], lines: &[Line]) -> String {
    let mut text = match runs {
        [run] => format!("Of {}: {}.", which(figure, run), taken(figure, run)),
        [first, ..] => {
            let each: Vec<String> =
                runs.iter().map(|run| format!("{}: {}", run.name, taken(figure, run))).collect();
            format!("Of {}. {}.", which(figure, first), each.join("; "))
        }
        [] => String::new(),
    };
    let lacking: u64 = lines.iter().map(|line| line.group.lacking()).sum();
    if lacking > 0 {
        let has = if lacking == 1 { "has" } else { "have" };
        let things = counted(lacking, "message");
        let what = axis(figure.what);
        text += &match figure.what {
            Quantity::Interval | Quantity::Served => {
                format!(" {things} {has} no send before to be measured from.")
            }
            Quantity::PerServed => format!(
                " {things} {} not drawn: nothing was served since the send before, or there was \
                 none.",
                is(lacking)
            ),
            _ => format!(" {things} {has} no {what} and {} not drawn.", is(lacking)),
        };
    }
    let ungrouped: u64 = runs.iter().map(|run| run.gathered.ungrouped()).sum();
    if ungrouped > 0
        && let Some(by) = figure.by
    {
        let things = counted(ungrouped, "message");
        text += &format!(
            " {things} {} not drawn: {} not recorded of them.",
            is(ungrouped),
            match by {
                By::Hops | By::Packets | By::Bytes => format!("{} are", by_words(by)),
                _ => format!("their {} is", by_words(by)),
            }
        );
    }
    text + &seen(figure, lines)
}

fn is(of: u64) -> &'static str {
    if of == 1 { "is" } else { "are" }
}

/// The messages in words, without their numbers.
fn which(figure: &Figure, run: &FigureRun) -> String {
    if figure.what == Quantity::Cycle {
        let cut = figure.filter().cut.map(|cut| cut_words(&cut));
        return cut.unwrap_or_else(|| "whole cycles".to_owned());
    }
    population_words(run.facts, &run.gathered.population())
}

/// `51 249 of 51 424 messages (the cut leaves out 175)`.
fn taken(figure: &Figure, run: &FigureRun) -> String {
    let (all, taken) = run.gathered.counts();
    let things = if figure.what == Quantity::Cycle { "cycles" } else { "messages" };
    let filter: &Filter = &run.gathered.asked().filter;
    let ranked = filter.cut.as_ref().and_then(|cut| cut.bounds).map(|bounds| bounds.of);
    match ranked {
        Some(of) if of >= taken => format!(
            "{} of {} {things}, {} outside the cut",
            count(taken),
            count(of),
            count(of - taken)
        ),
        _ if taken == all => format!("all {} {things} of the run", count(all)),
        _ => format!("{} of the run's {} {things}", count(taken), count(all)),
    }
}

/// How medians differ from series to series.
fn seen(figure: &Figure, lines: &[Line]) -> String {
    let medians: Vec<(&Line, i64)> =
        lines.iter().filter_map(|line| Some((line, line.group.values.quantile(0.5)?))).collect();
    let of = |value: i64| value_text(figure.what, value as f64);
    match &medians[..] {
        [] => String::new(),
        [(_, median)] => format!(" The median is {}.", of(*median)),
        several => {
            let least = several.iter().min_by_key(|(_, median)| *median);
            let most = several.iter().max_by_key(|(_, median)| *median);
            let Some(((low, least), (high, most))) = least.zip(most) else { return String::new() };
            match least == most {
                true => format!(" All medians are {}.", of(*least)),
                false => format!(
                    " Medians go from {} ({}) to {} ({}).",
                    of(*least),
                    low.name,
                    of(*most),
                    high.name
                ),
            }
        }
    }
}

/// A value of the quantity as people read it.
pub(super) fn value_text(what: Quantity, value: f64) -> String {
    match what {
        what if what.is_time() => time(value),
        Quantity::Bytes => document::size(value.max(0.0) as u64),
        _ if value < 0.0 => format!("−{}", count((-value) as u64)),
        _ => count(value as u64),
    }
}

/// The median of a series.
pub(super) fn median(summary: &Summary) -> Option<i64> {
    summary.quantiles.iter().find(|one| one.p == 0.5).map(|one| one.value_ns)
}
