//! Which connections are framed, and what came of it.

use crate::ends::End;
use crate::entry::Birth;
use crate::facts::FramingFacts;
use crate::framing::{Class, PortRule, Reason, Rules};
use std::collections::BTreeMap;

/// What came of the framing of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Framed {
    port: u16,
    messages: u64,
    aside: u64,
    by_call: u64,
    exchanges: u64,
    is_out_of_order: bool,
    stops: [Option<Reason>; 2],
}

impl Framed {
    /// The rule of a connection, by an end that was traced from its beginning.
    pub fn rule<'a>(rules: &'a Rules, end: &End) -> Option<&'a PortRule> {
        match end.birth? {
            Birth::Connected => rules.of(end.peer.port),
            Birth::Accepted => rules.of(end.local.port),
            Birth::Pair | Birth::Found => None,
        }
    }

    /// By a rule.
    pub fn new(rule: &PortRule) -> Framed {
        Framed {
            port: rule.port,
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

/// What came of the framing of a run, by port.
#[derive(Debug, Default)]
pub(crate) struct Framing(BTreeMap<u16, FramingFacts>);

impl Framing {
    /// Of these rules, which no connection has followed yet.
    pub fn new(rules: &Rules) -> Framing {
        let facts = |rule: &PortRule| FramingFacts {
            port: rule.port,
            rule: rule.name.clone(),
            ..FramingFacts::default()
        };
        Framing(rules.iter().map(|rule| (rule.port, facts(rule))).collect())
    }

    /// A connection.
    pub fn add(&mut self, framed: &Framed) {
        let facts = self.0.entry(framed.port).or_default();
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
