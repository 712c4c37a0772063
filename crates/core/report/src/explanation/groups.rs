//! A group of slow messages: a peak, or the slowest of all.

use document::{Section, count, counted, part, time};
use stats::analysis::{Analysis, Explained, Known, Noise, Reason, Who};

use super::reasons::reason;
use super::said;
use crate::palette::name;

/// Who they are, and what goes with them.
pub(super) fn paragraph(
    analysis: &Analysis,
    group: &Explained,
    watched: bool,
    periodic: bool,
) -> Section {
    let mut reasons: Vec<String> = group.reasons.iter().map(reason).collect();
    let is_millisecond =
        |one: &Reason| matches!(one, Reason::Phase { known: Known::Millisecond, .. });
    if periodic && group.reasons.iter().any(is_millisecond) {
        reasons.push("The periodic retransmit timer of udp can have such a phase, too.".to_owned());
    }
    reasons.extend(
        group
            .noise
            .as_ref()
            .filter(|_| group.episodes > 0)
            .map(|noise| noise_sentence(group, noise)),
    );
    let noise_is_enough = group.noise.as_ref().is_some_and(is_enough);
    if group.apart > 0 && group.apart == group.count {
        reasons = vec!["All of them belong to the delays above.".to_owned()];
    } else if group.reasons.is_empty() && !noise_is_enough {
        let seen = if watched { "was watched" } else { "the run itself recorded" };
        reasons.push(format!(
            "Nothing that {seen} goes with them more often than chance would have it."
        ));
    }
    said("group", title(analysis, group), opening(group), reasons)
}

fn title(analysis: &Analysis, group: &Explained) -> String {
    let stage = name(group.stage);
    match group.who {
        Who::Slowest => {
            format!("The slowest 0.1\u{a0}%, {stage} {} and more", time(group.range_ns.0 as f64))
        }
        Who::Peak(at) => {
            let view = analysis.stage(group.stage);
            let peak = view.and_then(|view| view.peaks.get(at));
            peak.map_or_else(
                || format!("A peak of {stage}"),
                |peak| {
                    let (mass, share) = (part(peak.mass), part(peak.time_share));
                    format!(
                        "The peak of {stage} at {}: {mass} of messages, {share} of its time",
                        time(peak.place_ns)
                    )
                },
            )
        }
    }
}

const EPISODES: &str = "those of a pair within 10\u{a0}ms of each other count as one";

fn opening(group: &Explained) -> String {
    let late = group.range_ns.0.saturating_sub(group.median_ns) as f64;
    let times = if group.episodes == 1 {
        "at one time".to_owned()
    } else {
        format!("at {} times", count(group.episodes))
    };
    let above =
        format!("{} or more above the median of {}", time(late), time(group.median_ns as f64));
    let messages = counted(group.count, "message");
    match (group.apart, group.count - group.apart.min(group.count)) {
        (0, _) => format!("{messages}, {times} ({EPISODES}); {above}."),
        (_, 0) => format!("{messages}; {above}."),
        (apart, rest) => format!(
            "{messages}; {above}. {} of them {} to the delays above; what follows is of the other \
            {}, {times} ({EPISODES}).",
            count(apart),
            if apart == 1 { "belongs" } else { "belong" },
            count(rest)
        ),
    }
}

/// Whether idle cores stall as often as messages were late, as far as rates can be told apart.
fn is_enough(noise: &Noise) -> bool {
    noise.idle_per_s > 0.0 && noise.seen_per_s <= 1.25 * noise.idle_per_s
}

fn noise_sentence(group: &Explained, noise: &Noise) -> String {
    let late = time(group.range_ns.0.saturating_sub(group.median_ns) as f64);
    let Noise { idle_per_s, seen_per_s } = *noise;
    let seen = format!("messages came so late {seen_per_s:.1} times a second");
    if idle_per_s == 0.0 {
        format!(
            "Idle cores never stall for {late}, and {seen}, which is more than the \
            machine's noise."
        )
    } else if is_enough(noise) {
        format!(
            "Idle cores stall this long {idle_per_s:.1} times a second, and {seen}: \
            the machine's noise alone is enough."
        )
    } else {
        format!(
            "Idle cores stall this long {idle_per_s:.1} times a second, and {seen}: \
            the machine's noise is a part of it."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::planted::group;
    use super::*;

    #[test]
    fn noise_is_called_enough_only_when_it_is() {
        let group = group();
        let said =
            |idle_per_s, seen_per_s| noise_sentence(&group, &Noise { idle_per_s, seen_per_s });
        assert!(said(5.0, 6.0).contains("is enough"));
        assert!(said(1.0, 6.0).contains("a part of it"));
        assert!(said(0.0, 6.0).contains("more than the machine's noise"));
    }
}
