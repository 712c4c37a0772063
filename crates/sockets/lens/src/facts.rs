//! The words for what a run says of its processes and connections.

use crate::names::some_of;
use crate::{framing, pipes, processes};
use document::{counted, part, time};
use record::RunInfo;
use report::ProductFacts;
use streams::{KEY, SocketsFacts, TakenOverFacts};

/// Read what the parameters of a run hold; `None` when it is nothing that a traced program leaves.
pub fn of(info: &RunInfo) -> Option<SocketsFacts> {
    serde_json::from_value(info.parameters.get(KEY)?.clone()).ok()
}

/// What a report says of it.
pub fn product(facts: &SocketsFacts) -> ProductFacts {
    ProductFacts {
        noun: "node",
        first: first_lines(facts),
        losses: losses(facts),
        remarks: remarks(facts),
        ..ProductFacts::default()
    }
}

fn first_lines(facts: &SocketsFacts) -> Vec<String> {
    let is_of_pipes = facts.pipes.is_some() && !has_connections(facts);
    let mut lines = if is_of_pipes { Vec::new() } else { vec![first(facts)] };
    lines.extend(pipes::found(facts));
    lines.extend(taken_over(facts));
    lines.extend(held_back(facts));
    lines.extend(framing::found(facts));
    lines
}

/// Messages whose transit is no network's.
fn held_back(facts: &SocketsFacts) -> Option<String> {
    let held = &facts.held_back;
    (!held.is_nothing()).then(|| {
        format!(
            "{} of {} stood still for {} on average, and no network is to blame: TCP held back a \
            short write behind one that was not acknowledged yet (Nagle's algorithm), and the \
            receiver put the acknowledgement off. TCP_NODELAY ends that, or one write for both.",
            counted(held.messages, "message"),
            some_of(facts, &held.nodes),
            time(held.ns as f64 / held.messages.max(1) as f64)
        )
    })
}

fn has_connections(facts: &SocketsFacts) -> bool {
    facts.whole_connections + facts.half_connections + facts.unmatched.connections() > 0
}

fn taken_over(facts: &SocketsFacts) -> Option<String> {
    let TakenOverFacts { connections, bytes_of_others } = facts.taken_over.clone();
    let mut line = (connections > 0).then(|| {
        format!(
            "{} existed before the trace, or came from a program that was not traced: their bytes \
            are counted from where they were by the kernel's account.",
            counted(connections, "connection")
        )
    })?;
    if bytes_of_others > 0 {
        line.push_str(&format!(
            " Of {} that such a program wrote or read before, the stamps of one end are missing.",
            counted(bytes_of_others, "byte")
        ));
    }
    Some(line)
}

fn first(facts: &SocketsFacts) -> String {
    let whole = facts.whole_connections;
    let mut line = match (whole, facts.bytes_sent) {
        (0, _) if facts.unmatched.connections() > 0 => {
            "No connection with two traced ends could be matched.".to_owned()
        }
        (0, _) => "No connection had both ends traced.".to_owned(),
        (_, 0) => {
            format!("{} had both ends traced; nothing was sent.", counted(whole, "connection"))
        }
        _ => format!(
            "{} had both ends traced, and {} of the bytes written there were read by the other \
            end.",
            counted(whole, "connection"),
            part(facts.bytes_matched as f64 / facts.bytes_sent as f64)
        ),
    };
    if facts.half_connections > 0 {
        line.push_str(&format!(
            " {} had one end traced: half of each message's stamps are missing.",
            counted(facts.half_connections, "connection")
        ));
    }
    line
}

fn losses(facts: &SocketsFacts) -> Vec<String> {
    let mut lines = Vec::new();
    if facts.older_connections > 0 {
        lines.push(format!(
            "{} existed before the trace, or came from a program that was not traced, and the \
            kernel does not tell how many bytes they had carried: their messages are not matched.",
            counted(facts.older_connections, "connection")
        ));
    }
    if facts.gone_clients > 0 {
        lines.push(format!(
            "Which clients {} came from is not known: the kernel does not tell it of one that is \
            gone before it is accepted, nor where it lacks sock_diag. Their messages are not \
            matched.",
            counted(facts.gone_clients, "Unix-domain connection")
        ));
    }
    if facts.unmatched.doubtful_connections > 0 {
        lines.push(format!(
            "The bytes of {} contradict each other: by the order in which calls returned, \
            something was read before it was written. Threads that write, or read, at once do \
            that, and bytes that calls moved which were not seen. Their messages are not matched.",
            counted(facts.unmatched.doubtful_connections, "connection")
        ));
    }
    if facts.unmatched.hidden_connections > 0 {
        let is_urgent = facts.processes.iter().any(|process| process.noticed.urgent);
        lines.push(format!(
            "By the kernel's account {} carried more bytes than the calls that were seen: a child \
            process that is not traced (see --follow), the C library itself (dprintf), {}or system \
            calls without it moved the others. Their messages are not matched.",
            counted(facts.unmatched.hidden_connections, "connection"),
            if is_urgent { "calls for urgent data, " } else { "" }
        ));
    }
    if facts.unmatched.stream_connections > 0 {
        lines.push(format!(
            "C's stdio (printf, fgets and their like) moved bytes of {}, or may have, without a \
            call that is seen, in {}. Their messages are not matched.",
            counted(facts.unmatched.stream_connections, "Unix-domain connection"),
            some_of(facts, &facts.unmatched.stream_nodes)
        ));
    }
    if facts.overlapping > 0 {
        lines.push(format!(
            "{} were written while another thread or process wrote into the same connection: \
            which of the two came first is not known.",
            counted(facts.overlapping, "message")
        ));
    }
    if let Some(why) = &facts.unread_rules {
        lines.push(format!(
            "The rules of ports that run.json holds (parameters.frames) were not used: {why}."
        ));
    }
    lines.extend(pipes::losses(facts));
    lines.extend(framing::losses(facts));
    lines.extend(processes::losses(facts));
    lines
}

fn remarks(facts: &SocketsFacts) -> Vec<String> {
    let mut lines = processes::named(facts);
    if let Some(outside) = facts.outside {
        let pipes = facts.pipes.as_ref().map_or(0, |pipes| pipes.unmatched() + pipes.crowded);
        let connections = facts.unmatched.connections() + facts.gone_clients;
        let unmatched = match (connections, pipes) {
            (0, 0) => "",
            (_, 0) => ", and for the other ends of connections whose messages are not matched",
            _ => ", and for the other ends of messages that are not matched",
        };
        lines.push(format!(
            "Node {outside} stands for all programs that were not traced{unmatched}."
        ));
    }
    lines.push(match framing::ports(facts) {
        None => "A message is what one call wrote. Ready: the call was entered, or an earlier one \
            that had no room for it. Sent: the same call; where it took 100 µs or more, and so \
            waited for room or for a core, when it returned or the message arrived. Arrived: the \
            kernel's receive stamp, or an interval. Taken: the call returned that read its last \
            byte."
            .to_owned(),
        Some(ports) => format!(
            "On connections to {ports} a message is what the rule says; elsewhere, what one call \
            wrote. Ready: the call that wrote its first byte was entered, or an earlier one that \
            had no room for it. Sent: the call that wrote its last byte was entered; where that \
            took 100 µs or more, and so waited for room or for a core, when it returned or the \
            message arrived. Arrived: the kernel's receive stamp, or an interval. Taken: the call \
            returned that read its last byte."
        ),
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use streams::{Noticed, ProcessSummary, UnmatchedFacts};

    #[test]
    fn connections_that_are_not_matched_are_not_said_to_have_had_one_traced_end() {
        let facts = |unmatched| SocketsFacts { unmatched, outside: Some(3), ..Default::default() };
        let of = |doubtful_connections, hidden_connections, stream_connections| {
            facts(UnmatchedFacts {
                doubtful_connections,
                hidden_connections,
                stream_connections,
                ..UnmatchedFacts::default()
            })
        };
        assert_eq!(first(&of(0, 0, 0)), "No connection had both ends traced.");
        assert!(remarks(&of(0, 0, 0))[0].ends_with("all programs that were not traced."));
        for unmatched in [of(1, 0, 0), of(0, 1, 0), of(0, 0, 1)] {
            assert_eq!(first(&unmatched), "No connection with two traced ends could be matched.");
            assert!(remarks(&unmatched)[0].contains("and for the other ends of connections"));
            assert_eq!(losses(&unmatched).len(), 1);
        }
    }

    #[test]
    fn urgent_data_is_among_what_may_have_moved_hidden_bytes_where_a_process_used_any() {
        let said = |urgent| {
            let noticed = Noticed { urgent, ..Noticed::default() };
            let processes = vec![ProcessSummary { noticed, ..ProcessSummary::default() }];
            let unmatched = UnmatchedFacts { hidden_connections: 1, ..UnmatchedFacts::default() };
            losses(&SocketsFacts { processes, unmatched, ..SocketsFacts::default() }).remove(0)
        };
        assert!(said(true).contains("(dprintf), calls for urgent data, or system"));
        assert!(said(false).contains("(dprintf), or system"));
    }

    #[test]
    fn connections_that_were_taken_over_are_told_and_what_others_moved_there() {
        let lines = |facts: &SocketsFacts| {
            let plain = |line: String| line.replace('\u{a0}', " ");
            first_lines(facts).into_iter().map(plain).collect::<Vec<_>>()
        };
        let of = |connections, bytes_of_others| TakenOverFacts { connections, bytes_of_others };
        let none = SocketsFacts { whole_connections: 2, ..SocketsFacts::default() };
        assert_eq!(lines(&none).len(), 1);
        let fresh = SocketsFacts { taken_over: of(2, 0), ..none };
        let said = &lines(&fresh)[1];
        assert!(said.starts_with("2 connections existed before the trace, or came"), "{said}");
        assert!(said.ends_with("by the kernel's account."), "{said}");
        let late = SocketsFacts { taken_over: of(2, 1500), ..fresh };
        let said = &lines(&late)[1];
        assert!(said.contains("Of 1500 bytes that such a program wrote or read"), "{said}");
    }
}
