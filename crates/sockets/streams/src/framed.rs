//! Which connections are framed, and what came of it.

use crate::ends::End;
use crate::entry::Birth;
use crate::facts::FramingFacts;
use crate::framing::{Class, PortRule, Reason, Rules};
use crate::marks::{Mark, Marks};
use crate::row::MessageRow;
use std::collections::BTreeMap;

/// The rule of a connection, by an end that was traced from its beginning.
pub(crate) fn rule<'a>(rules: &'a Rules, end: &End) -> Option<&'a PortRule> {
    match end.birth? {
        Birth::Connected => rules.of(end.peer.port),
        Birth::Accepted => rules.of(end.local.port),
        Birth::Pair | Birth::Found => None,
    }
}

/// A direction: where its messages end, and why no more is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Direction<'a> {
    pub marks: &'a [Mark],
    stop: Option<Reason>,
}

impl<'a> Direction<'a> {
    /// As one end found it.
    pub fn of(marks: &'a Marks) -> Direction<'a> {
        Direction { marks: &marks.list, stop: marks.stop }
    }

    /// As both ends found it: what the writer found, unless the reader came further.
    pub fn of_both(written: &'a Marks, read: &'a Marks) -> Direction<'a> {
        let (shorter, longer) = match written.list.len() < read.list.len() {
            true => (written, read),
            false => (read, written),
        };
        if !longer.list.starts_with(&shorter.list) {
            return Direction { marks: &[], stop: Some(Reason::Contradiction) };
        }
        Direction::of(longer)
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

    /// A connection: its directions with their messages, and how many exchanges order has told.
    pub fn count(
        &mut self,
        rule: &PortRule,
        directions: [(Direction<'_>, &[MessageRow]); 2],
        exchanges: Option<u64>,
    ) {
        let facts = self.0.entry(rule.port).or_default();
        facts.connections += 1;
        facts.exchanges += exchanges.unwrap_or(0);
        let mut is_out_of_order = false;
        for (direction, rows) in directions {
            for row in rows {
                match row.class {
                    Some(class) => {
                        facts.messages += 1;
                        facts.aside += u64::from(class == Class::Aside);
                        is_out_of_order |= class == Class::Last;
                    }
                    None => facts.by_call += 1,
                }
            }
            if let Some(reason) = direction.stop {
                *facts.stopped.entry(reason.key().to_owned()).or_default() += 1;
            }
        }
        facts.out_of_order += u64::from(is_out_of_order);
    }

    /// As the run will say it.
    pub fn facts(self) -> Vec<FramingFacts> {
        self.0.into_values().collect()
    }
}
