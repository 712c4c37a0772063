//! What held a message on a node, in words.

use record::Cause;
use stats::analysis::{Account, Paged, Part, Stage};

use super::phrases::capital;
use document::{count, counted, part as share, time};

/// On the timeline.
pub(super) fn label(cause: Cause) -> &'static str {
    match cause {
        Cause::RunQueue => "waited for a core",
        Cause::Stopped => "did not run",
        Cause::Steal => "core stolen",
        Cause::Watcher => "our watcher",
        Cause::Planted => "planted delay",
        Cause::Resent => "sent again",
        Cause::Recording => "record full",
        other => other.name(),
    }
}

/// What the node did or suffered: the rest of "Consistent with".
pub(crate) fn words(part: &Part) -> String {
    let node = format!("node\u{a0}{}", part.node);
    let times = |what: &str| counted(part.times.unwrap_or(0), what);
    match part.cause {
        Cause::RunQueue => format!("the thread of {node} waiting for a core"),
        Cause::Stopped => {
            let (meanwhile, what) = match part.while_ran {
                Some(other) => (format!(", while that of node\u{a0}{other} ran"), "its core"),
                None => (String::new(), "the whole machine"),
            };
            format!(
                "the process of {node} not running at all, though it did not wait for a \
                core{meanwhile} \
                 (it was stopped by a signal, or {what} stalled)"
            )
        }
        Cause::Steal => format!("the hypervisor taking the core of {node}"),
        Cause::Watcher => format!("our own watcher at work beside {node}"),
        Cause::Planted => format!("a delay planted at {node}"),
        Cause::Resent => format!("a loss, after which {node} sent messages again"),
        Cause::Recording => format!("the thread of {node} waiting until its record had room"),
        Cause::MinorFaults => {
            format!("{} of the thread of {node} while it ran", times("page fault"))
        }
        Cause::MajorFaults => {
            format!("{} of the thread of {node} that had to read from a disk", times("page fault"))
        }
        other => format!("{} on {node}", other.name()),
    }
}

/// Behind a headline: what took half of the time or more.
pub(crate) fn chief_words(account: &Account) -> Option<String> {
    let chief = account.chief()?;
    let covered = share(chief.ns as f64 / account.of_ns.max(1) as f64);
    Some(format!("Consistent with {}: {covered} of that time.", words(chief)))
}

/// What is known of an episode's time, and what is not.
pub(crate) fn account_words(account: &Account, stage: Stage, node: u32) -> Vec<String> {
    let of_ns = account.of_ns.max(1) as f64;
    let is_good = |ns: i64| ns as f64 >= 0.1 * of_ns;
    let mut said: Vec<String> = account
        .parts
        .iter()
        .filter(|part| is_good(part.ns))
        .map(|part| {
            let (ns, covered) = (time(part.ns as f64), share(part.ns as f64 / of_ns));
            format!("Consistent with {}: {ns} ({covered}).", words(part))
        })
        .collect();
    let rest = account.unknown_ns();
    match account.ran_ns {
        Some(ns) if is_good(ns) => {
            let ns = time(ns as f64);
            said.push(format!("The thread of node\u{a0}{node} ran for {ns} of it."));
        }
        _ => {}
    }
    if is_good(rest) {
        let covered = share(rest as f64 / of_ns);
        said.push(format!(
            "{} ({covered}): {}",
            time(rest as f64),
            rest_words(account, stage, node)
        ));
    }
    said
}

/// A thread that ran without taking the message.
pub(super) fn ran_words(node: u32, ns: i64) -> String {
    format!(
        "The thread of node\u{a0}{node} ran for {} of it, at something that it did not record.",
        time(ns as f64)
    )
}

/// A thread that was not seen to do anything.
pub(super) fn asleep_words(node: u32, ns: i64) -> String {
    format!(
        "For {} of it the thread of node\u{a0}{node} neither ran nor waited for a core: it was \
        asleep, or \
         blocked in the kernel.",
        time(ns as f64)
    )
}

fn rest_words(account: &Account, stage: Stage, node: u32) -> String {
    match (account.watched, account.ran_ns) {
        (false, _) => "not known, for it was not watched all that time.".to_owned(),
        (true, Some(_)) => format!(
            "the thread of node\u{a0}{node} neither ran nor waited for a core; it was asleep, or \
            blocked in the kernel."
        ),
        (true, None) if !account.paged.is_empty() => {
            format!("not known; {}.", paged_words(&account.paged))
        }
        (true, None) if stage == Stage::Transit => {
            "not known; nothing that was seen on its two nodes covers it.".to_owned()
        }
        (true, None) => "not known.".to_owned(),
    }
}

/// Threads that had to read pages while the message was on its way.
pub(super) fn paged_words(paged: &[Paged]) -> String {
    let of = |paged: &Paged| {
        let pages = counted(paged.pages, "page");
        format!("the thread of node\u{a0}{} had to read {pages} from a disk", paged.node)
    };
    format!("meanwhile {}", paged.iter().map(of).collect::<Vec<_>>().join(" and "))
}

/// `38 of them`, or `it`.
pub(crate) fn how_many(messages: u64, at_least: bool) -> String {
    match messages {
        1 => "one message".to_owned(),
        many if at_least => format!("at least {} messages", count(many)),
        many => format!("{} messages", count(many)),
    }
}

/// At the begin of a sentence.
pub(crate) fn begin(text: &str) -> String {
    capital(text)
}
