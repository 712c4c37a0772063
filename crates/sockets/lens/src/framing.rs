//! The words for what came of the rules that ports were given (`--frame`).

use document::{count, counted};
use streams::framing::{PortRule, Reason};
use streams::{FramingFacts, SocketsFacts};

/// What the rules have found, a line a port.
pub fn found(facts: &SocketsFacts) -> impl Iterator<Item = String> {
    let is_said = |one: &&FramingFacts| !one.is_guessed || one.connections > 0;
    facts.framing.iter().filter(is_said).map(|one| {
        let FramingFacts { port, rule, connections, messages, aside, .. } = one;
        if *connections == 0 {
            return format!(
                "No connection to port {port} was traced from its first byte at every traced end: \
                its rule, {rule}, was not used."
            );
        }
        let connections = counted(*connections, "connection");
        let found = counted(*messages, "message");
        let aside = match aside {
            0 => String::new(),
            aside => format!(
                ", of which {} cannot be paired by nature (interim answers, pushes)",
                count(*aside)
            ),
        };
        let guessed = match one.is_guessed {
            true => format!(
                " The rule was guessed from their first bytes; --frame {port}=none makes each \
                call a message again."
            ),
            false => String::new(),
        };
        format!("In {connections} to port {port}, {rule} found {found}{aside}.{guessed}")
    })
}

/// Where they found no more.
pub fn losses(facts: &SocketsFacts) -> Vec<String> {
    facts.framing.iter().flat_map(of_port).collect()
}

fn of_port(facts: &FramingFacts) -> Vec<String> {
    let FramingFacts { port, rule, by_call, out_of_order, .. } = facts;
    let mut lines = Vec::new();
    if facts.refuted > 0 {
        lines.push(format!(
            "Port {port}: in {} the first bytes looked like {rule}, and later ones did not follow \
            it; each of their calls is a message, as without a rule.",
            counted(facts.refuted, "connection")
        ));
    }
    for (key, count) in &facts.stopped {
        let reason = Reason::from_key(key);
        if reason == Some(Reason::ToTheEnd) {
            continue;
        }
        let why = reason.map_or_else(|| key.clone(), |reason| reason.words().to_owned());
        let directions = counted(*count, "direction");
        lines.push(format!("Port {port}: {rule} ended in {directions} of connections: {why}."));
    }
    if *by_call > 0 {
        lines.push(format!(
            "Port {port}: of {} the end was not found, because {rule} had ended there or the \
            recording did; each is what one call moved.",
            counted(*by_call, "message")
        ));
    }
    if *out_of_order > 0 {
        lines.push(format!(
            "Port {port}: in {} order tells which answer belongs to which request only up to a \
            command such as SUBSCRIBE or MONITOR; nothing is paired behind it.",
            counted(*out_of_order, "connection")
        ));
    }
    lines
}

/// The ports whose rules have found messages: `port 80 (http)`.
pub fn ports(facts: &SocketsFacts) -> Option<String> {
    names(facts, |one| one.messages > 0)
}

/// Of those, the ports on whose connections order has told what belongs together.
pub fn ordered(facts: &SocketsFacts) -> Option<String> {
    names(facts, |one| one.exchanges > 0)
}

/// Of those, the ports whose protocol says that each request has one answer, in order; or does not.
pub fn ordered_by(facts: &SocketsFacts, is_by_protocol: bool) -> Option<String> {
    let rule = |one: &FramingFacts| format!("{}={}", one.port, one.rule).parse::<PortRule>();
    let says_so = |one: &FramingFacts| rule(one).is_ok_and(|rule| rule.is_one_for_one());
    names(facts, |one| one.exchanges > 0 && says_so(one) == is_by_protocol)
}

fn names(facts: &SocketsFacts, is: impl Fn(&FramingFacts) -> bool) -> Option<String> {
    let name = |one: &FramingFacts| format!("{} ({})", one.port, one.rule);
    let names: Vec<String> = facts.framing.iter().filter(|one| is(one)).map(name).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("port {}", names[0])),
        _ => Some(format!("ports {}", names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(framing: Vec<FramingFacts>) -> SocketsFacts {
        SocketsFacts { framing, ..SocketsFacts::default() }
    }

    fn http() -> FramingFacts {
        let stopped = [("to-the-end".to_owned(), 4), ("upgrade".to_owned(), 2)].into();
        FramingFacts {
            port: 80,
            rule: "http".into(),
            connections: 5,
            messages: 20,
            aside: 1,
            by_call: 7,
            exchanges: 9,
            stopped,
            ..FramingFacts::default()
        }
    }

    #[test]
    fn what_was_found_and_what_was_not_is_said() {
        let unused = FramingFacts { port: 7000, rule: "resp".into(), ..FramingFacts::default() };
        let facts = facts(vec![http(), unused]);
        let plain = |line: String| line.replace('\u{a0}', " ");
        let found: Vec<String> = found(&facts).map(plain).collect();
        let expected = "In 5 connections to port 80, http found 20 messages, of which 1 cannot be";
        assert!(found[0].starts_with(expected), "{}", found[0]);
        assert!(found[1].starts_with("No connection to port 7000"), "{}", found[1]);
        let losses: Vec<String> = losses(&facts).into_iter().map(plain).collect();
        assert_eq!(losses.len(), 2, "an answer without a length is no loss: {losses:?}");
        assert!(losses[0].contains("http ended in 2 directions"), "{losses:?}");
        assert!(losses[1].contains("of 7 messages the end was not found"), "{losses:?}");
        assert_eq!(ports(&facts).as_deref(), Some("port 80 (http)"));
        assert_eq!(ordered(&facts).as_deref(), Some("port 80 (http)"));
    }

    #[test]
    fn what_was_guessed_is_said_with_its_remedy_and_what_was_refuted_is_no_finding() {
        let guessed = FramingFacts { is_guessed: true, refuted: 3, ..http() };
        let said = found(&facts(vec![guessed.clone()])).next().unwrap();
        assert!(said.contains("guessed from their first bytes; --frame 80=none"), "{said}");
        let losses = losses(&facts(vec![guessed.clone()]));
        assert!(losses[0].contains("looked like http, and later ones did not"), "{losses:?}");
        let none = FramingFacts { connections: 0, messages: 0, exchanges: 0, ..guessed };
        let facts = facts(vec![none]);
        assert_eq!((found(&facts).count(), ports(&facts)), (0, None));
    }

    #[test]
    fn nothing_is_said_where_nothing_was_asked_for() {
        let facts = facts(Vec::new());
        assert_eq!((found(&facts).count(), losses(&facts).len()), (0, 0));
        assert_eq!((ports(&facts), ordered(&facts)), (None, None));
    }
}
