//! Which connections are framed, and what came of it.

use crate::ends::End;
use crate::entry::Birth;
use crate::facts::FramingFacts;
use crate::framing::{Class, Guess, PortRule, Reason, Rules};
use std::collections::BTreeMap;

/// The rule of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Follows {
    pub rule: PortRule,
    is_guessed: bool,
    /// It was guessed, and its bytes did not follow it: they count as if there were none.
    is_refuted: bool,
}

impl Follows {
    /// Of a connection, by its ends, where no end was taken over when bytes had passed there: where
    /// its messages begin and what they answer is not known then.
    pub fn of(rules: &Rules, ends: [&End; 2]) -> Option<Follows> {
        if ends.into_iter().any(End::is_late) {
            return None;
        }
        let port = match ends[0].birth? {
            Birth::Connected => ends[0].peer.port,
            Birth::Accepted => ends[0].local.port,
            Birth::Pair | Birth::Found => return None,
        };
        match rules.of(port) {
            Some(rule) if rule.is_none() => None,
            Some(rule) => {
                Some(Follows { rule: rule.clone(), is_guessed: false, is_refuted: false })
            }
            None => Follows::guessed(port, ends),
        }
    }

    /// By what was guessed at its ends. Where nothing was found by it, nothing is said of it.
    fn guessed(port: u16, ends: [&End; 2]) -> Option<Follows> {
        let ways = ends.into_iter().flat_map(|end| [&end.sent.marks, &end.received.marks]);
        let (mut found, mut is_refuted) = (0, false);
        for marks in ways {
            found += marks.count;
            is_refuted |= marks.stop.is_some_and(Guess::is_refuted_by);
        }
        let mut guesses = ends.into_iter().filter_map(|end| end.guess);
        let guess = guesses.next().filter(|_| found > 0)?;
        let is_one = guesses.all(|other| other == guess);
        is_one.then(|| Follows { rule: guess.rule(port), is_guessed: true, is_refuted })
    }

    /// Whether messages are what it says.
    pub fn is_followed(&self) -> bool {
        !self.is_refuted
    }
}

/// What came of the framing of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Framed {
    follows: Follows,
    messages: u64,
    aside: u64,
    by_call: u64,
    exchanges: u64,
    is_out_of_order: bool,
    stops: [Option<Reason>; 2],
}

impl Framed {
    /// By a rule.
    pub fn new(follows: Follows) -> Framed {
        Framed {
            follows,
            messages: 0,
            aside: 0,
            by_call: 0,
            exchanges: 0,
            is_out_of_order: false,
            stops: [None; 2],
        }
    }

    /// A message of it.
    pub fn count(&mut self, class: Option<Class>) {
        match class {
            Some(class) => {
                self.messages += 1;
                self.aside += u64::from(class == Class::Aside);
                self.is_out_of_order |= class == Class::Last;
            }
            None => self.by_call += 1,
        }
    }

    /// All of it is there: how many exchanges order has told, and why no more ends were found.
    pub fn ended(self, exchanges: Option<u64>, stops: [Option<Reason>; 2]) -> Framed {
        Framed { exchanges: exchanges.unwrap_or(0), stops, ..self }
    }
}

/// What came of the framing of a run, by port and rule.
#[derive(Debug, Default)]
pub(crate) struct Framing(BTreeMap<(u16, String), FramingFacts>);

impl Framing {
    /// Of these rules, which no connection has followed yet.
    pub fn new(rules: &Rules) -> Framing {
        let given = rules.iter().filter(|rule| !rule.is_none());
        Framing(given.map(|rule| (key(rule), facts(rule))).collect())
    }

    /// A connection.
    pub fn add(&mut self, framed: &Framed) {
        let Follows { rule, is_guessed, is_refuted } = &framed.follows;
        let facts = self.0.entry(key(rule)).or_insert_with(|| facts(rule));
        facts.is_guessed = *is_guessed;
        if *is_refuted {
            facts.refuted += 1;
            return;
        }
        facts.connections += 1;
        facts.messages += framed.messages;
        facts.aside += framed.aside;
        facts.by_call += framed.by_call;
        facts.exchanges += framed.exchanges;
        facts.out_of_order += u64::from(framed.is_out_of_order);
        for reason in framed.stops.iter().flatten() {
            *facts.stopped.entry(reason.key().to_owned()).or_default() += 1;
        }
    }

    /// As the run will say it.
    pub fn facts(self) -> Vec<FramingFacts> {
        self.0.into_values().collect()
    }
}

fn key(rule: &PortRule) -> (u16, String) {
    (rule.port, rule.name.clone())
}

fn facts(rule: &PortRule) -> FramingFacts {
    FramingFacts { port: rule.port, rule: rule.name.clone(), ..FramingFacts::default() }
}
