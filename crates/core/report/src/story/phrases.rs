//! Sentences, and parts of sentences, that need nothing but their numbers.

use record::How;
use stats::analysis::Stage;
use stats::story::{Chapter, Memo};

use document::{count, counted, part, six_figures, time};

pub(super) fn at(time: Option<f64>) -> String {
    time.map_or_else(|| "an unknown time".to_owned(), six_figures)
}

/// When something was, beside the chapter's begin.
pub(super) fn moment(ns: Option<i64>, chapter: &Chapter) -> String {
    let began = match chapter.stage {
        Stage::ReceiveWait => "this message arrived",
        Stage::Transit => "this message was sent",
        Stage::SendWait | Stage::EndToEnd => "this message was ready",
    };
    match ns.map(|ns| ns - chapter.from_ns) {
        None => "at an unknown moment".to_owned(),
        Some(after) if after >= 0 => format!("{} after {began}", time(after as f64)),
        Some(before) => format!("{} before {began}", time(-before as f64)),
    }
}

/// A stage whose end lies before its begin. Both stamps of a wait are one node's.
pub(super) fn backwards(stage: Stage, by_ns: i64) -> String {
    let by = time(by_ns as f64);
    let stamps = match stage {
        Stage::SendWait => "ready and sent",
        Stage::ReceiveWait => "arrived and taken",
        Stage::Transit | Stage::EndToEnd => {
            return format!(
                "It comes out negative: the clocks of the two nodes disagree by at least {by}."
            );
        }
    };
    format!(
        "It comes out negative by {by}, though one node read both stamps: they are in the wrong \
        order (were {stamps} swapped?)."
    )
}

pub(super) fn beside_arrival(after_ns: i64) -> String {
    match after_ns {
        after if after >= 0 => format!("{} after it had arrived", time(after as f64)),
        before => format!("{} before it arrived", time(-before as f64)),
    }
}

pub(super) fn sent_meanwhile(node: u32, same: u64, others: u64) -> String {
    match (same, others) {
        (0, 0) => format!("Meanwhile node\u{a0}{node} handed nothing else to the network."),
        (same, 0) => format!(
            "Meanwhile node\u{a0}{node} handed {} for the same node to the network.",
            counted(same, "message")
        ),
        (0, others) => format!(
            "Meanwhile node\u{a0}{node} handed {} for other nodes to the network.",
            counted(others, "message")
        ),
        (same, others) => format!(
            "Meanwhile node\u{a0}{node} handed {} for the same node and {} for others to the \
            network.",
            counted(same, "message"),
            count(others)
        ),
    }
}

pub(super) fn way(hops: Option<u64>, packets: Option<u64>) -> String {
    let hops = hops.map(|hops| format!("crossed {}", counted(hops, "link")));
    let packets = packets.map(|packets| format!("was carried by {}", counted(packets, "packet")));
    let both: Vec<String> = hops.into_iter().chain(packets).collect();
    format!("It {}.", both.join(" and "))
}

pub(super) fn together(on_way: u64, arrived_with: u64) -> String {
    let with = match arrived_with {
        0 => "none arrived together with it".to_owned(),
        1 if on_way == 1 => "it arrived together with it".to_owned(),
        all if all == on_way => "all of them arrived together with it".to_owned(),
        some => format!("{} of them arrived together with it", count(some)),
    };
    let others = match on_way {
        1 => "One other message of these nodes was".to_owned(),
        many => format!("{}\u{a0}other messages of these nodes were", count(many)),
    };
    format!("{others} on the way at the same time; {with}.")
}

pub(super) fn queue(before: u64, mates: u64, machinery: u64) -> String {
    let of_frame = (mates > 0).then(|| format!("{} of its own frame", counted(mates, "message")));
    let of_engine = (machinery > 0)
        .then(|| format!("{} of the engine's own (gvt, ack)", counted(machinery, "message")));
    let of_program = (before > 0).then(|| counted(before, "message"));
    let all: Vec<String> = of_program.into_iter().chain(of_frame).chain(of_engine).collect();
    let only = if before == 0 { "only " } else { "" };
    match all.len() {
        0 => "The receive queue was empty when it arrived.".to_owned(),
        _ => format!(
            "When it arrived, {only}{} stood before it in the receive queue.",
            all.join(" and ")
        ),
    }
}

pub(super) fn arrival(how: How, error_ns: Option<i64>) -> String {
    let within =
        error_ns.map_or_else(String::new, |ns| format!(" within ±\u{a0}{}", time(ns as f64)));
    match how {
        How::Observed => "Its arrival was observed.".to_owned(),
        How::Bracketed => format!(
            "When it arrived is not observed but known{within}, and so are its transit and its \
            receive wait."
        ),
        How::Modelled => {
            format!(
                "When it arrived is not observed but computed from a model of the network{within}, \
                and so are its transit and its receive wait."
            )
        }
    }
}

pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether the message behaved as the memo's.
pub(super) fn memo_sentence(memo: &Memo) -> String {
    let &Memo { waited, before, cancelled, of } = memo;
    let queue = match before {
        0 => "found the queue empty".to_owned(),
        some => format!("found {} before it", counted(some, "message")),
    };
    let did = format!(
        "it spent {} of its life in the receive queue, {queue}, and {} of the diary's {} to itself \
        {} cancelled while it waited",
        part(waited),
        count(cancelled),
        counted(of, "message"),
        if cancelled == 1 { "was" } else { "were" }
    );
    match memo.is_the_same() {
        true => format!("This run is the memo's story: {did}."),
        false => format!(
            "This run is not the memo's story, in which it waits behind nothing but the cancelling \
            of all 64: {did}. Without --zip-forward it does not come about; \
             with it, it needs two cores with little else to do."
        ),
    }
}
