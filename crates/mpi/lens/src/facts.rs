//! The words for what the matching of an MPI run says of itself: how much of it can be trusted, and
//! what it did not see.

use calls::list::{CLASSES, Class};
use mpi_facts::{ByThreads, Damaged, DoubtfulPair, InProgress, Matching, MpiFacts};
use report::ProductFacts;
use serde_json::Value;

use document::{count, counted, part, time};

/// Read what the parameters of a run hold; `None` when it is nothing that an MPI run leaves.
pub(crate) fn of(parameter: Option<&Value>) -> Option<MpiFacts> {
    serde_json::from_value(parameter?.clone()).ok()
}

/// What a report says of the facts.
pub(crate) trait MpiWords {
    /// All of it.
    fn product(&self) -> ProductFacts;
    /// The line before all others: how far the run was understood.
    fn first_line(&self) -> String;
    /// What takes the place of the finding in a run that allows none.
    fn warning(&self) -> Option<String>;
    /// What was not seen, or not to its end, one line each.
    fn losses(&self) -> Vec<String>;
    /// What the reader should know, one line each.
    fn remarks(&self) -> Vec<String>;
}

impl MpiWords for MpiFacts {
    fn product(&self) -> ProductFacts {
        let library = self.library.iter().filter(|name| !name.is_empty());
        ProductFacts {
            noun: "rank",
            on: self.library.clone().filter(|name| !name.is_empty()),
            first: vec![self.first_line()],
            warning: self.warning(),
            losses: self.losses(),
            remarks: self.remarks(),
            parameters: library.map(|name| ("MPI library".to_owned(), name.clone())).collect(),
            ..ProductFacts::default()
        }
    }

    fn first_line(&self) -> String {
        let Matching { matched, unmatched_sends, unmatched_receives, .. } = self.matching;
        if self.matching.match_rate.is_some() && matched + unmatched_sends + unmatched_receives == 0
        {
            return "No messages: there was nothing to match.".to_owned();
        }
        let rate = self.matching.match_rate.map_or_else(|| "An unknown share".to_owned(), part);
        format!(
            "{rate} of the messages matched; {}, {}, {}.",
            counted(self.matching.unmatched_sends, "unmatched send"),
            counted(self.matching.unmatched_receives, "unmatched receive"),
            counted(self.matching.causality_violations, "causality violation")
        )
    }

    fn warning(&self) -> Option<String> {
        if self.matching.matched_too_little() {
            let rate = part(self.matching.match_rate.unwrap_or(0.0));
            return Some(format!(
                "No conclusion can be drawn from this run: only {rate} of its messages could be \
                matched. The figures below \
                 are of these alone."
            ));
        }
        self.matching.violates_too_often().then(|| {
            format!(
                "No conclusion can be drawn from this run: {} arrived before they were sent, so \
                either the clocks or the matching is wrong.",
                counted(self.matching.causality_violations, "message")
            )
        })
    }

    fn losses(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.in_progress.iter().map(in_progress).collect();
        if !self.missing_ranks.is_empty() {
            let ranks: Vec<String> = self.missing_ranks.iter().map(u64::to_string).collect();
            lines.push(format!(
                "Rank{} {} left no log: messages to and from there are missing.",
                if ranks.len() == 1 { "" } else { "s" },
                ranks.join(", ")
            ));
        }
        lines.extend(self.damaged.iter().flat_map(damaged));
        lines.extend(not_covered(self));
        lines.extend(doubtful(&self.matching));
        lines.extend(by_threads(&self.matching));
        if self.matching.sizes_differ > 0 && self.matching.doubtful_pairs.is_empty() {
            let differ = counted(self.matching.sizes_differ, "message");
            lines.push(format!(
                "{differ} arrived with a size other than was sent: the matching may be wrong."
            ));
        }
        if self.matching.from_any.untold_receives > 0 {
            let receives = counted(self.matching.from_any.untold_receives, "receive");
            lines.push(format!(
                "{receives} from any rank, or with any tag, ended without word of what was \
                received: after an error, or because the library does not say (MPI_Isendrecv over \
                MPICH)."
            ));
        }
        if self.matching.from_any.uncertain > 0 {
            let receives = counted(self.matching.from_any.uncertain, "receive");
            lines.push(format!(
                "{receives} may have been matched wrongly: what an earlier receive from any rank, \
                or with any tag, got is not known."
            ));
        }
        if self.matching.outside > 0 {
            let outside = counted(self.matching.outside, "message");
            lines.push(format!(
                "{outside} to or from processes outside MPI_COMM_WORLD, or through unknown \
                communicators, are left out."
            ));
        }
        lines
    }

    fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::from_iter(threads(self));
        let local = passed_through(self, false);
        if !local.is_empty() {
            lines.push(format!("Counted, but not analysed: {local}."));
        }
        if self.matching.truncated > 0 {
            let truncated = counted(self.matching.truncated, "message");
            let were = if self.matching.truncated == 1 { "was" } else { "were" };
            lines.push(format!(
                "{truncated} {were} larger than the buffer of the receive (MPI_ERR_TRUNCATE)."
            ));
        }
        if self.matching.cancelled > 0 {
            lines.push(format!(
                "The program cancelled {}.",
                counted(self.matching.cancelled, "request")
            ));
        }
        if self.matching.from_any.open_receives > 0 {
            let open = counted(self.matching.from_any.open_receives, "receive");
            lines.push(format!("{open} still open when the program ended."));
        }
        lines
    }
}

/// What moves data or waits and is not looked into.
fn not_covered(facts: &MpiFacts) -> Option<String> {
    let named = passed_through(facts, true);
    (!named.is_empty()).then(|| {
        format!(
            "No conclusion covers {named}: they move data or wait, and only their number and time \
            are known."
        )
    })
}

/// The functions that were counted and not looked into: those that move data or wait, or the
/// others.
fn passed_through(facts: &MpiFacts, moves_or_waits: bool) -> String {
    let class = |name: &str| {
        let number = calls::list::number(name.trim_start_matches("MPI_"));
        number.map(|number| CLASSES[number])
    };
    // A name that is not in the list is of a version that knew more.
    let local = |name: &str| matches!(class(name), Some(Class::Local | Class::Datatype));
    let chosen = |name: &str| local(name) != moves_or_waits;
    let all = facts.passed_through.iter().filter(|(name, _)| chosen(name));
    let each = all.map(|(name, n)| format!("{name} ({})", count(*n)));
    each.collect::<Vec<_>>().join(", ")
}

/// Pairs of ranks told one by one.
const PAIRS_MOST: usize = 5;

/// Pairs of ranks that were left unmatched.
fn doubtful(matching: &Matching) -> Vec<String> {
    let pairs = &matching.doubtful_pairs;
    let mut lines: Vec<String> = pairs.iter().take(PAIRS_MOST).map(doubtful_pair).collect();
    if pairs.len() > PAIRS_MOST {
        lines.push(format!(
            "The same holds for more pairs of ranks; {} of all such pairs count as unmatched.",
            counted(matching.doubtful_messages, "message")
        ));
    }
    lines
}

fn doubtful_pair(pair: &DoubtfulPair) -> String {
    let messages = counted(pair.messages, "message");
    let are = if pair.left_over == 1 { "is" } else { "are" };
    let found = [
        (pair.sizes_differ, format!("of {messages} differ in size")),
        (pair.too_early, format!("of {messages} were received before they were sent")),
        (pair.left_over, format!("{are} left over without a partner")),
    ];
    let found = found.iter().filter(|(n, _)| *n > 0);
    let found: Vec<String> = found.map(|(n, what)| format!("{} {what}", count(*n))).collect();
    let why = match found.is_empty() {
        true => "a request was cancelled and freed before it was known whether it took a message"
            .to_owned(),
        false => format!("when they are paired in order, {}", found.join(", and ")),
    };
    let with = match (pair.channels, pair.tag) {
        (1, Some(tag)) => format!(" with tag {tag}"),
        (0 | 1, _) => String::new(),
        (several, _) => format!(" with {} communicators and tags", count(several)),
    };
    format!(
        "Which receive got which message from rank {} to rank {}{with} is not known: {why}. These \
        messages count as unmatched, and no conclusion covers them.",
        pair.src, pair.dst
    )
}

/// What threads posted at once.
fn by_threads(matching: &Matching) -> Option<String> {
    let ByThreads { sends, receives } = matching.by_threads;
    let posted = match (sends, receives) {
        (0, 0) => return None,
        (sends, 0) => counted(sends, "send"),
        (0, receives) => counted(receives, "receive"),
        _ => format!("{} and {}", counted(sends, "send"), counted(receives, "receive")),
    };
    let was = if sends + receives == 1 { "was" } else { "were" };
    Some(format!(
        "{posted} {was} posted while another thread of the same rank was in a call of that kind \
        with the same communicator, tag and partner. Which of them the library took first is not \
        known, so these messages may be matched with one another's receives; a tag or a \
        communicator for each thread tells them apart."
    ))
}

/// What the program may do with threads.
fn threads(facts: &MpiFacts) -> Option<String> {
    let granted = facts.thread_level?;
    Some(match facts.thread_asked {
        Some(asked) if asked != granted => {
            format!("Threads: the program asked for {asked} and was granted {granted}.")
        }
        _ => format!("Threads: {granted}."),
    })
}

fn damaged(log: &Damaged) -> Vec<String> {
    let rank = log.rank;
    let mut lines = Vec::new();
    let words = log.words + log.missing_words;
    if log.places + words > 0 {
        lines.push(format!(
            "The log of rank {rank} is damaged: {} skipped, {} bytes lost; messages may be \
            missing.",
            counted(log.places, "place"),
            count(words * 8)
        ));
    }
    if log.dangling > 0 {
        lines.push(format!(
            "The log of rank {rank} has {} to requests that it never began; messages may be \
            missing.",
            counted(log.dangling, "reference")
        ));
    }
    lines.extend(log.faults.iter().map(|fault| format!("The log of rank {rank}: {fault}.")));
    lines
}

fn in_progress(call: &InProgress) -> String {
    let peer = match call.peer {
        Some(InProgress::ANY_PEER) => " with any rank".to_owned(),
        Some(peer) if peer >= 0 => format!(" with rank {peer}"),
        _ => String::new(),
    };
    let tag =
        call.tag.filter(|tag| *tag >= 0).map_or_else(String::new, |tag| format!(", tag {tag}"));
    let since = call.since_ns.map_or_else(String::new, |ns| format!(", since {}", time(ns as f64)));
    format!("Rank {} never left {}{peer}{tag}{since}.", call.rank, call.call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::plain;
    use serde_json::json;

    fn facts(matched: u64, unmatched: u64, violations: u64) -> MpiFacts {
        let rate = matched as f64 / (matched + unmatched) as f64;
        of(Some(&json!({
            "library": "Open MPI \
            4.1.4", "matched": matched, "unmatched_sends": unmatched, "match_rate": rate,
            "causality_violations": violations,
        })))
        .unwrap()
    }

    #[test]
    fn a_poor_match_allows_no_conclusion() {
        assert_eq!(facts(1000, 0, 0).warning(), None);
        assert!(facts(1000, 0, 500).warning().unwrap().contains("before they were sent"));
        assert!(facts(10, 500, 0).warning().unwrap().contains("could be matched"));
    }

    #[test]
    fn the_first_line_says_how_far_the_run_was_understood() {
        assert_eq!(
            plain(&facts(900, 100, 1).first_line()),
            "90 % of the messages matched; 100 unmatched sends, 0 unmatched receives, 1 causality \
            violation."
        );
    }

    #[test]
    fn a_program_of_collectives_alone_had_nothing_to_match() {
        let alone = of(Some(&json!({ "matched": 0, "match_rate": 1.0 }))).unwrap();
        assert_eq!(alone.first_line(), "No messages: there was nothing to match.");
        assert!(plain(&facts(0, 1, 0).first_line()).contains("1 unmatched send"));
    }

    #[test]
    fn a_rank_that_never_came_back_is_told() {
        let facts = of(Some(&json!({
            "in_progress": [{
                "rank": 2, "call": "MPI_Recv", "peer": 1, "tag": 7, "since_ns": 4_000_000_000_i64,
            }],
            "missing_ranks": [3], "passed_through": {"MPI_Put": 3, "MPI_Type_commit": 1},
        })))
        .unwrap();
        assert_eq!(
            plain(&facts.losses()[0]),
            "Rank 2 never left MPI_Recv with rank 1, tag 7, since 4.00 s."
        );
        assert!(facts.losses()[1].starts_with("Rank 3 left no log"));
        assert_eq!(
            facts.losses()[2],
            "No conclusion covers MPI_Put (3): they move data or wait, and only their number and \
            time are known."
        );
        assert_eq!(facts.remarks(), ["Counted, but not analysed: MPI_Type_commit (1)."]);
    }

    #[test]
    fn a_pair_of_ranks_without_a_match_is_told() {
        let facts = of(Some(&json!({
            "sizes_differ": 3, "truncated": 1, "doubtful_messages": 110,
            "doubtful_pairs": [
                {"src": 0, "dst": 1, "messages": 100, "sizes_differ": 3, "left_over": 1},
                {"src": 2, "dst": 1, "messages": 10, "unknown": true},
            ],
        })))
        .unwrap();
        let losses: Vec<String> = facts.losses().iter().map(|line| plain(line)).collect();
        assert_eq!(
            losses,
            [
                "Which receive got which message from rank 0 to rank 1 is not known: when they \
                are paired in order, 3 of 100 messages differ in size, and 1 is left over \
                without a partner. These messages count as unmatched, and no conclusion covers \
                them.",
                "Which receive got which message from rank 2 to rank 1 is not known: a request \
                was cancelled and freed before it was known whether it took a message. These \
                messages count as unmatched, and no conclusion covers them.",
            ]
        );
        let remarks: Vec<String> = facts.remarks().iter().map(|line| plain(line)).collect();
        assert_eq!(
            remarks,
            ["1 message was larger than the buffer of the receive (MPI_ERR_TRUNCATE)."]
        );
    }

    #[test]
    fn channels_without_a_match_are_told_and_what_threads_posted_at_once() {
        let facts = of(Some(&json!({
            "by_threads": {"sends": 90, "receives": 1},
            "doubtful_pairs": [
                {"src": 0, "dst": 1, "channels": 1, "tag": 7, "messages": 100, "too_early": 30},
                {"src": 1, "dst": 0, "channels": 2, "messages": 9, "sizes_differ": 3},
            ],
        })))
        .unwrap();
        let losses = facts.losses();
        assert!(plain(&losses[0]).starts_with(
            "Which receive got which message from rank 0 to rank 1 with tag 7 is not known: when"
        ));
        assert!(plain(&losses[1]).contains("rank 1 to rank 0 with 2 communicators and tags is"));
        let threads = plain(&losses[2]);
        assert!(threads.starts_with("90 sends and 1 receive were posted while another thread"));
    }

    #[test]
    fn what_a_log_lacks_is_told() {
        let facts = of(Some(&json!({
            "damaged": [{"rank": 1, "dangling": 1}, {"rank": 2, "places": 1, "words": 2,
                "missing_words": 0, "faults": ["x.tail is shorter than its header"]}],
            "uncertain": 1, "outside": 2, "untold_receives": 3,
        })))
        .unwrap();
        let losses: Vec<String> = facts.losses().iter().map(|line| plain(line)).collect();
        assert_eq!(
            losses,
            [
                "The log of rank 1 has 1 reference to requests that it never began; messages may \
                be missing.",
                "The log of rank 2 is damaged: 1 place skipped, 16 bytes lost; messages may be \
                missing.",
                "The log of rank 2: x.tail is shorter than its header.",
                "3 receives from any rank, or with any tag, ended without word of what was \
                received: after an error, or because the library does not say (MPI_Isendrecv over \
                MPICH).",
                "1 receive may have been matched wrongly: what an earlier receive from any rank, \
                or with any tag, got is not known.",
                "2 messages to or from processes outside MPI_COMM_WORLD, or through unknown \
                communicators, are left out.",
            ]
        );
    }

    #[test]
    fn the_thread_level_asked_for_is_told_where_another_was_granted() {
        let remark = |facts| of(Some(&facts)).unwrap().remarks();
        assert!(remark(json!({})).is_empty());
        assert_eq!(remark(json!({"thread_level": 0})), ["Threads: MPI_THREAD_SINGLE."]);
        assert_eq!(
            remark(json!({"thread_asked": 3, "thread_level": 2})),
            ["Threads: the program asked for MPI_THREAD_MULTIPLE and was granted \
            MPI_THREAD_SERIALIZED."]
        );
    }
}
