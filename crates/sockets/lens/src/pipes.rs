//! The words for what came of pipes (`--pipes`).

use crate::names::some_of;
use document::{counted, part};
use streams::{PipesFacts, SocketsFacts};

/// What was found, where pipes were looked at.
pub fn found(facts: &SocketsFacts) -> Option<String> {
    let pipes = facts.pipes.as_ref()?;
    let mut said = Vec::new();
    if pipes.whole > 0 {
        said.push(format!(
            "{} had both ends traced, and {} of the bytes written there were read by the other \
            end.",
            counted(pipes.whole, "pipe"),
            part(pipes.bytes_matched as f64 / pipes.bytes_sent as f64)
        ));
    }
    if pipes.half > 0 {
        said.push(format!(
            "{} had no traced other end: half of each message's stamps are missing.",
            counted(pipes.half, "pipe end")
        ));
    }
    match (said.is_empty(), pipes.unmatched()) {
        (true, 0) => Some("No call that was seen moved bytes through a pipe.".to_owned()),
        (true, _) => Some("No pipe with two traced ends could be matched.".to_owned()),
        (false, _) => Some(said.join(" ")),
    }
}

/// What is missing there, and why.
pub fn losses(facts: &SocketsFacts) -> Vec<String> {
    let Some(pipes) = &facts.pipes else { return Vec::new() };
    let outside = (pipes.from_outside > 0).then(|| {
        format!(
            "{} came from a program that was not traced, or from the C library (popen): what had \
            gone through before is not known, and the messages are not matched.",
            counted(pipes.from_outside, "pipe end")
        )
    });
    let hidden = (pipes.hidden > 0).then(|| {
        format!(
            "The messages of {} are not matched: what lay there at times shows that it moved bytes \
            that no call showed, as C's stdio does, and programs that are not traced.",
            counted(pipes.hidden, "pipe")
        )
    });
    let uncounted = (pipes.uncounted > 0).then(|| {
        format!(
            "{} carried packets (O_DIRECT), or had a descriptor that both reads and writes: the \
            messages are not matched.",
            counted(pipes.uncounted, "pipe")
        )
    });
    let crowded = (pipes.crowded > 0).then(|| {
        format!(
            "{} of pipes are not matched: calls of several threads or processes overlapped at one \
            end, and which of them came first is not known.",
            counted(pipes.crowded, "message")
        )
    });
    let all = [outside, streams(facts, pipes), hidden, uncounted, crowded];
    all.into_iter().flatten().collect()
}

fn streams(facts: &SocketsFacts, pipes: &PipesFacts) -> Option<String> {
    let nodes = &pipes.stream_nodes;
    if nodes.is_empty() {
        return None;
    }
    let names = some_of(facts, nodes);
    let unmatched = match pipes.streams {
        0 => "These bytes are missing".to_owned(),
        some => format!("The messages of {} are not matched", counted(some, "pipe")),
    };
    Some(format!(
        "C's stdio (printf, fgets and their like) moved bytes of pipes, or may have, without a \
        call that is seen, in {names}. {unmatched}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use streams::ProcessSummary;

    fn of(pipes: PipesFacts) -> SocketsFacts {
        let process =
            |node, name: &str| ProcessSummary { node, name: name.into(), ..<_>::default() };
        let processes = vec![process(0, "sh"), process(1, "sort")];
        SocketsFacts { pipes: Some(pipes), processes, ..SocketsFacts::default() }
    }

    fn plain(said: &str) -> String {
        said.replace('\u{a0}', " ")
    }

    #[test]
    fn nothing_is_said_of_pipes_where_nobody_asked() {
        let none = SocketsFacts::default();
        assert_eq!((found(&none), losses(&none).len()), (None, 0));
    }

    #[test]
    fn what_was_matched_is_told_and_what_was_not_has_its_reason() {
        let (whole, bytes_sent, bytes_matched) = (2, 1000, 1000);
        let fine = PipesFacts { whole, bytes_sent, bytes_matched, ..PipesFacts::default() };
        let said = plain(&found(&of(fine.clone())).unwrap());
        assert!(said.starts_with("2 pipes had both ends traced, and 100 % of"), "{said}");
        assert!(losses(&of(fine.clone())).is_empty());
        let alone = PipesFacts { stream_nodes: vec![0], ..fine.clone() };
        assert!(losses(&of(alone))[0].ends_with("in sh (0). These bytes are missing."));
        let pipes = PipesFacts { streams: 1, stream_nodes: vec![1], hidden: 1, half: 2, ..fine };
        let said = plain(&found(&of(pipes.clone())).unwrap());
        assert!(said.contains("2 pipe ends had no traced other end"), "{said}");
        let losses = losses(&of(pipes));
        assert!(
            plain(&losses[0]).contains("in sort (1). The messages of 1 pipe are"),
            "{losses:?}"
        );
        assert!(losses[1].contains("no call showed, as C's stdio does"), "{losses:?}");
        assert_eq!(losses.len(), 2);
    }
}
