//! Requests and answers in a report.

use crate::exchanges::{Exchanges, Slow, Ways, shares, sums};
use crate::families::Families;
use crate::framing;
use crate::names::{self, node as name};
use crate::stretches::{
    ALL, ASKING, RECEIVE_WAIT, SERVICE, STRETCHES_AND_ELSEWHERE, WRITING, in_words, known,
};
use document::{Block, Cell, Column, Row, Section, Table, Value, counted, part, time};
use stats::GroupDistribution;
use streams::SocketsFacts;
use streams::exchanges::{Exchange, STRETCHES};

/// The run's most important sentence, where most of its messages are requests and answers with both
/// ends known.
pub fn headline(facts: &SocketsFacts, exchanges: &Exchanges) -> Option<String> {
    let whole = |ways: &&Ways| ways.whole.count() > 0;
    let all: Vec<&Ways> = exchanges.pairs.values().filter(whole).collect();
    let count: u64 = all.iter().map(|ways| ways.whole.count()).sum();
    // A message is counted at both of its ends, where both are traced.
    let messages: u64 = facts.processes.iter().map(|process| process.messages).sum();
    let one_way = facts.outside_exchanges + facts.pipes.as_ref().map_or(0, |pipes| pipes.messages);
    if count == 0 || exchanges.untold > 0 || one_way * 4 > messages {
        return None;
    }
    let sum: i128 = all.iter().map(|ways| ways.whole.moments().sum).sum();
    let parts = std::array::from_fn(|at| all.iter().map(|ways| sums(ways)[at]).sum());
    let parts = shares(&parts, sum)?;
    if is_stream(messages / 2 / count, &parts) {
        return None;
    }
    let parts = in_words(&parts);
    let mean = time(sum as f64 / count as f64);
    Some(format!(
        "From a request to its answer it took {mean} on average of {}: {parts}.{}",
        counted(count, "exchange"),
        asking(&all)
    ))
}

/// Whether messages go one way for long, behind a greeting to which they are the answer by the
/// turns of the connection: nobody waits for the last of them.
fn is_stream(messages_each: u64, parts: &[f64; STRETCHES]) -> bool {
    messages_each > 100 && WRITING.iter().map(|at| parts[*at]).sum::<f64>() > 0.5
}

/// How much of the services answerers had asked others themselves.
fn asking(all: &[&Ways]) -> String {
    let sum = |of: fn(&Ways) -> &GroupDistribution| -> i128 {
        all.iter().map(|ways| of(ways).moments().sum).sum()
    };
    let (asking, service) = (sum(|ways| &ways.asking), sum(|ways| &ways.stretches[SERVICE]));
    let share = asking as f64 / service.max(1) as f64;
    match share >= 0.1 {
        true => format!(
            " For {} of the time for which answerers had a request they had asked another \
            themselves, and had no answer yet.",
            part(share)
        ),
        false => String::new(),
    }
}

/// The section, where there were exchanges.
pub fn section(
    facts: &SocketsFacts,
    families: &Families,
    exchanges: &Exchanges,
) -> Option<Section> {
    if exchanges.pairs.is_empty() {
        return None;
    }
    let mut sentence = "What an end writes after it has read all, up to when it reads again, is a \
        request; what the other end wrote meanwhile is its answer. The end that connected asks. \
        Service is the time from when the request was taken until the answer was ready: the \
        answerer's own. Writing is the time from the first to the last of the calls that wrote \
        one, without the time for which they had no room."
        .to_owned();
    if let Some(ports) = framing::ordered_by(facts, true) {
        sentence.push_str(&format!(
            " On connections to {ports} the n-th request belongs to the n-th answer."
        ));
    }
    if let Some(ports) = framing::ordered_by(facts, false) {
        sentence.push_str(&format!(
            " On connections to {ports} the n-th request is taken to belong to the n-th answer: \
            there were as many answers as requests, and no answer left before its request was \
            read. A server that answers out of order is not told from one that does not."
        ));
    }
    if framing::ordered(facts).is_some() {
        sentence.push_str(
            " The service of one of several requests that were read at once begins when all were \
            read.",
        );
    }
    let mut section = Section::new("sockets-exchanges", "Requests and answers", sentence);
    section = section
        .table(pairs(facts, families, exchanges))
        .table(stretches(facts, families, exchanges));
    if !exchanges.slowest.is_empty() {
        section.blocks.push(Block::Heading("The slowest".into()));
        section = section.table(slowest(facts, exchanges));
    }
    let said = names::families_said(facts, families);
    let remarks = said.into_iter().chain(remarks(facts, exchanges));
    section.blocks.extend(remarks.map(|said| Block::Note(None, said)));
    Some(section)
}

/// Messages that its tables lead to.
pub fn messages(exchanges: &Exchanges) -> Vec<(u32, u32, u64)> {
    exchanges.slowest.iter().filter_map(|slow| longest(&slow.exchange).and_then(message)).collect()
}

fn remarks(facts: &SocketsFacts, exchanges: &Exchanges) -> impl Iterator<Item = String> {
    let estimated: u64 = exchanges.pairs.values().map(|ways| ways.estimated).sum();
    let outside = (facts.outside_exchanges > 0).then(|| {
        let framed = match framing::ordered(facts) {
            None => "",
            Some(_) => {
                " Where order tells: it is an interim answer or a push, or nobody \
                answered, or the answer left before all of its request was read."
            }
        };
        format!(
            "Not paired: {}. An end wrote before it had read all that was on its way to it, or \
            nobody answered, or who asks is not known.{framed}",
            counted(facts.outside_exchanges, "message")
        )
    });
    let estimated = (estimated > 0).then(|| {
        format!(
            "Of an arrival in {} only an interval is known: where transit ends there, and the \
            receive wait begins, is an estimate.",
            counted(estimated, "exchange")
        )
    });
    let untold = (exchanges.untold > 0).then(|| {
        format!("Not in the tables: {} of further pairs.", counted(exchanges.untold, "exchange"))
    });
    [outside, estimated, untold].into_iter().flatten()
}

fn pairs(facts: &SocketsFacts, families: &Families, exchanges: &Exchanges) -> Table {
    let columns = [
        Column::text("asker", "Asks"),
        Column::text("answerer", "Answers"),
        Column::count("exchanges", "Exchanges"),
        Column::time("median", "Median"),
        Column::time("p99", "99 %"),
        Column::time("longest", "Longest"),
        Column::text("parts", "Where the time went"),
    ];
    let row = |((asker, answerer), ways): (&(i64, i64), &Ways)| -> Row {
        let [_, median, p99, longest] = figures(&ways.whole);
        let parts = ways.shares().map(|shares| {
            let part = |at: usize| (ALL[at].name, ALL[at].colour, shares[at]);
            Cell::from(Value::Parts((0..STRETCHES).map(part).collect()))
        });
        let cells: Vec<Cell> = vec![
            names::key(facts, families, *asker).into(),
            names::key(facts, families, *answerer).into(),
            ways.count.into(),
            median.into(),
            p99.into(),
            longest.into(),
            parts.unwrap_or_default(),
        ];
        cells.into()
    };
    Table::new("sockets-exchanges", columns).with(exchanges.pairs.iter().map(row))
}

fn stretches(facts: &SocketsFacts, families: &Families, exchanges: &Exchanges) -> Table {
    let [both, asker, answerer] = who_columns();
    let columns = [
        both,
        asker,
        answerer,
        Column::text("stretch", "Stretch"),
        Column::share("share", "Share"),
        Column::time("mean", "Mean"),
        Column::time("median", "Median"),
        Column::time("p99", "99 %"),
        Column::time("longest", "Longest").wide(),
    ];
    let mut table = Table::new("sockets-stretches", columns);
    for (pair, ways) in &exchanges.pairs {
        let shares = ways.shares();
        let share = |at: usize| shares.and_then(|shares| shares.get(at).copied());
        let is_told = |at: &usize| {
            let of = &ways.stretches[*at];
            of.count() > 0 && !(WRITING.contains(at) && of.moments().max == 0)
        };
        let mut told = Vec::new();
        for at in (0..STRETCHES_AND_ELSEWHERE).filter(is_told) {
            told.push((ALL[at].name, share(at), &ways.stretches[at]));
            if at == SERVICE && ways.asking.count() > 0 {
                told.push((ASKING, shares.and_then(|_| ways.asking_share()), &ways.asking));
            }
        }
        for (stretch, share, of) in told {
            let mut cells: Vec<Cell> =
                who(*pair, |key| families.number(key), |key| names::key(facts, families, key))
                    .into();
            cells.extend([stretch.into(), share.into()]);
            cells.extend(figures(of).map(Cell::from));
            table.push(cells);
        }
    }
    table.folded_above(2 * STRETCHES, |rows| format!("All {rows} stretches"))
}

/// Who asks whom: in short for people, who have the names in the table above.
fn who_columns() -> [Column; 3] {
    [
        Column::text("nodes", "Nodes"),
        Column::text("asker", "Asks").data(),
        Column::text("answerer", "Answers").data(),
    ]
}

fn who(
    (asker, answerer): (i64, i64),
    number: impl Fn(i64) -> String,
    name: impl Fn(i64) -> String,
) -> [Cell; 3] {
    let short = format!("{}\u{a0}→\u{a0}{}", number(asker), number(answerer));
    [short.into(), name(asker).into(), name(answerer).into()]
}

/// Mean, median, 99 % and the longest.
fn figures(of: &GroupDistribution) -> [Option<i64>; 4] {
    let count = of.count();
    let mean = (count > 0).then(|| (of.moments().sum / i128::from(count)) as i64);
    let longest = (count > 0).then_some(of.moments().max);
    [mean, of.quantile(0.5), of.quantile(0.99), longest]
}

fn slowest(facts: &SocketsFacts, exchanges: &Exchanges) -> Table {
    let [both, asker, answerer] = who_columns();
    let columns = [
        both,
        asker,
        answerer,
        Column::time("ready", "Begun at").wide(),
        Column::time("whole", "Took"),
        Column::text("longest", "Longest stretch"),
        Column::text("meanwhile", "While the answerer had"),
        Column::text("message", "Message").wide(),
    ];
    let row = |slow: &Slow| -> Row {
        let exchange = &slow.exchange;
        let longest = longest(exchange);
        let stretch = longest.map(|of| format!("{}, {}", ALL[of.at].name, time(of.ns as f64)));
        let place = longest.and_then(message);
        let said = place.map(|(launch, src, seq)| format!("{launch}:{src}:{seq}"));
        let said = Cell::from(said.unwrap_or_default());
        let mut cells: Vec<Cell> = who(
            (exchange.request.src, exchange.answer.src),
            |node| node.to_string(),
            |node| name(facts, node),
        )
        .into();
        cells.extend([
            exchange.request.ready_ns.into(),
            exchange.whole().into(),
            stretch.into(),
            instead(facts, slow).filter(|_| longest.is_some_and(is_unread)).into(),
            place.map_or(said.clone(), |message| report::leading_to(said, message)),
        ]);
        cells.into()
    };
    Table::new("sockets-slowest-exchanges", columns).with(exchanges.slowest.iter().map(row))
}

/// Whose request the answerer had while this one lay unread, if it had it for most of that time.
fn instead(facts: &SocketsFacts, slow: &Slow) -> Option<String> {
    let (other, ns) = slow.instead?;
    let unread = slow.exchange.stretches()[RECEIVE_WAIT]?;
    let whose = match facts.outside.map(i64::from) == Some(other.request.src) {
        true => "a program that was not traced".to_owned(),
        false => name(facts, other.request.src),
    };
    (2 * ns > unread).then(|| format!("a request of {whose}, for {}", time(ns as f64)))
}

/// Of the slowest exchange, what there is to say of it.
pub fn below_headline(facts: &SocketsFacts, exchanges: &Exchanges) -> Option<String> {
    let slow = exchanges.slowest.first()?;
    let longest = longest(&slow.exchange)?;
    let whole = time(slow.exchange.whole()? as f64);
    let (was, ns) = (ALL[longest.at].was, time(longest.ns as f64));
    let instead = instead(facts, slow).filter(|_| is_unread(longest));
    let instead = instead.map_or_else(String::new, |had| format!(", while the answerer had {had}"));
    Some(format!("The slowest took {whole}: for {ns} {was}{instead}."))
}

/// The longest stretch of an exchange.
#[derive(Clone, Copy)]
struct Longest<'a> {
    exchange: &'a Exchange,
    at: usize,
    ns: i64,
}

fn longest(exchange: &Exchange) -> Option<Longest<'_>> {
    let known = known(exchange).into_iter().enumerate();
    let known = known.filter_map(|(at, ns)| ns.map(|ns| (at, ns)));
    known.max_by_key(|(_, ns)| *ns).map(|(at, ns)| Longest { exchange, at, ns })
}

fn is_unread(of: Longest<'_>) -> bool {
    of.at == RECEIVE_WAIT
}

/// The message that tells of a stretch: launch, source, number. Up to the service that is the
/// request.
fn message(of: Longest<'_>) -> Option<(u32, u32, u64)> {
    let is_of_answer = (SERVICE + 1..STRETCHES).contains(&of.at);
    let leg = if is_of_answer { &of.exchange.answer } else { &of.exchange.request };
    Some((0, u32::try_from(leg.src).ok()?, u64::try_from(leg.seq).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_one_way_for_long_is_a_stream_and_a_long_answer_is_none() {
        let parts = |writing: f64| {
            let mut parts = [0.0; STRETCHES];
            (parts[WRITING[1]], parts[SERVICE]) = (writing, 1.0 - writing);
            parts
        };
        assert!(is_stream(20_000, &parts(0.99)), "a publisher's messages");
        assert!(!is_stream(40, &parts(0.99)), "an answer that is made piece by piece");
        assert!(!is_stream(20_000, &parts(0.2)), "a file, for which the client waits");
    }
}
