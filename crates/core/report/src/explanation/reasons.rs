//! What goes with slow messages, in words. "Consistent with" is the most that seeing things
//! together allows.

use document::{count, part, size, time};
use record::Cause;
use stats::analysis::{By, Known, Reason, Trait, What};

/// One thing that goes with them, as a sentence.
pub(super) fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Beside { what, with, of, expected, chance, covers } => {
            let counts = format!(
                "{} of {} times, where chance would give {}{}",
                count(*with),
                count(*of),
                few(*expected),
                surely(*chance)
            );
            let much = covers.map_or_else(String::new, |covers| match covers {
                covers if covers >= 0.8 => " It is long enough to be the whole delay.".to_owned(),
                covers => format!(" It covers {} of the delay (median).", part(covers)),
            });
            format!("Consistent with {}: {counts}.{much}", what_words(*what))
        }
        Reason::Alike { by, value, share, base } => {
            format!(
                "{} of them {}; of all messages {}.",
                part(*share),
                alike_words(*by, value),
                part(*base)
            )
        }
        Reason::Phase { known, strength, chance } => format!(
            "They come at a fixed phase of {} (strength {strength:.2} of 1{}): consistent with {}.",
            time(known.ns() as f64),
            surely(*chance),
            known_words(*known)
        ),
        Reason::Regular { period_ns, share } => {
            format!(
                "They come every {}: {} of the intervals are within 5\u{a0}% of that.",
                time(*period_ns as f64),
                part(*share)
            )
        }
        Reason::Place { known } => {
            format!(
                "They are late by about {}: consistent with {}.",
                time(known.ns() as f64),
                known_words(*known)
            )
        }
    }
}

/// An expected number: small ones are never none.
fn few(expected: f64) -> String {
    if expected >= 10.0 { count(expected.round() as u64) } else { format!("{expected:.1}") }
}

fn surely(chance: f64) -> String {
    if chance < 1e-6 { String::new() } else { format!(", p = {chance:.1e}") }
}

fn what_words(what: What) -> &'static str {
    match what {
        What::Cause(cause) => cause_words(cause),
        What::Work(kind) => kind.doing(),
    }
}

fn cause_words(cause: Cause) -> &'static str {
    match cause {
        Cause::Watched => "being watched",
        Cause::RunQueue => "their node's thread waiting for a core",
        Cause::Preempted => "their node's thread being taken off its core",
        Cause::Migrated => "their node's thread going to another core",
        Cause::Steal => "the hypervisor taking the core",
        Cause::Interrupts => "interrupts on their node's core",
        Cause::SoftNet => "packets handled in soft interrupts on their node's core",
        Cause::TcpRetransmits => "TCP segments sent again",
        Cause::TcpTimeouts => "TCP's retransmission time-out",
        Cause::Resent => "messages that the network layer sent again",
        Cause::Watcher => "our own watcher at work",
        Cause::IdleSpin | Cause::IdleGap => "an idle core stalling",
        Cause::Planted => "a planted delay",
        Cause::Ran => "their node's thread running",
        Cause::Stopped => "their node's process not running at all",
        Cause::MinorFaults => "page faults of their node's thread",
        Cause::MajorFaults => "page faults of their node's thread that read from a disk",
        Cause::Recording => "their node's thread waiting until its record had room",
    }
}

fn alike_words(by: Trait, value: &str) -> String {
    match by {
        Trait::Queued => "found others waiting in the receive queue".to_owned(),
        Trait::Early => "are among the first hundredth of their launch".to_owned(),
        Trait::Column(By::Pair) => format!("went {value}"),
        Trait::Column(By::Kind) => format!("are of kind {value}"),
        Trait::Column(By::Bytes) => {
            format!("have {}", value.parse().map_or_else(|_| value.to_owned(), size))
        }
        Trait::Column(By::Hops) => format!("crossed {value} links"),
        Trait::Column(By::Packets) => format!("took {value} packets"),
        Trait::Column(By::Launch) => format!("are of launch {value}"),
    }
}

/// What has that period or that length.
pub(super) fn known_words(known: Known) -> &'static str {
    match known {
        Known::Millisecond => {
            "something that comes at whole milliseconds, as the kernel's ticks do at 1000, 250 and \
            100\u{a0}Hz"
        }
        Known::Tick250 => "the kernel's tick at 250\u{a0}Hz",
        Known::Tick100 => "the kernel's tick at 100\u{a0}Hz, or our own watcher",
        Known::Tenth => "something that the system does ten times a second",
        Known::Second => "something that the system does every second",
        Known::DelayedAck => "TCP's delayed acknowledgement",
        Known::TcpTimeout => "TCP's least retransmission time-out",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_no_more_than_was_seen() {
        let beside = Reason::Beside {
            what: What::Cause(Cause::RunQueue),
            with: 38,
            of: 41,
            expected: 0.4,
            chance: 1e-30,
            covers: Some(0.97),
        };
        assert_eq!(
            reason(&beside),
            "Consistent with their node's thread waiting for a core: 38 of 41 times, where chance \
            would give 0.4. It is long enough \
             to be the whole delay."
        );
        let alike =
            Reason::Alike { by: Trait::Queued, value: String::new(), share: 0.99, base: 0.03 };
        assert_eq!(
            reason(&alike),
            "99\u{a0}% of them found others waiting in the receive queue; of all messages 3\u{a0}%."
        );
    }
}
