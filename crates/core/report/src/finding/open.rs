//! What stays open about the stages where arrivals were not observed: an arrival divides transit
//! from receive wait.

use document::part;
use stats::analysis::{Analysis, Finding, Stage};

/// Whether it is open which stage is the largest: where arrivals were not observed, this part of
/// the time may be transit or receive wait.
pub(super) fn is_open(finding: &Finding, unsplit: f64) -> bool {
    let [send_wait, transit, receive_wait] = finding.time;
    let other_way = |from: f64, to: f64| [from - unsplit.min(from), to + unsplit.min(from)];
    let [least_transit, most_receive_wait] = other_way(transit, receive_wait);
    let [least_receive_wait, most_transit] = other_way(receive_wait, transit);
    match finding.stage {
        Stage::Transit => least_transit < send_wait.max(most_receive_wait),
        Stage::ReceiveWait => least_receive_wait < send_wait.max(most_transit),
        _ => send_wait < most_transit.max(most_receive_wait),
    }
}

/// The part of the time that the two have together.
pub(super) fn of_both(finding: &Finding) -> String {
    let [_, transit, receive_wait] = finding.time;
    part((transit + receive_wait).min(1.0))
}

/// What can be said where it is open.
pub(super) fn together(finding: &Finding) -> String {
    format!("Transit and receive wait take {} of the total time together", of_both(finding))
}

/// Of less of the time than this it is not said that it may be transit or receive wait.
const EITHER: f64 = 0.01;

/// What is said of that time, if it is enough.
pub(super) fn either(analysis: &Analysis) -> Option<String> {
    let unsplit = analysis.unsplit();
    (unsplit >= EITHER).then(|| {
        format!(
            "{} of the total time may be either transit or receive wait, as not all arrivals were \
            observed",
            part(unsplit)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::{finding_sentence, largest, most_common, tail_sentence};
    use super::*;
    use crate::facts::Facts;
    use document::plain;
    use stats::analysis::{Anomalies, PARTS, Share};

    #[test]
    fn what_was_not_observed_is_open() {
        let said = |time: [f64; 3], unsplit: f64| {
            let at = (0..3).max_by(|a, b| time[*a].total_cmp(&time[*b])).unwrap();
            let finding = Finding {
                stage: PARTS[at],
                time,
                messages: time,
                halves: time,
                tail_stage: Stage::ReceiveWait,
                tail_share: 0.5,
                tail_weight: 0.1,
            };
            let anomalies = Anomalies { unsplit_ns: (unsplit * 1e6) as u64, ..Default::default() };
            let share = Share {
                from_p: 0.0,
                to_p: 1.0,
                count: 1000,
                mean_ns: 1000.0,
                stage_mean_ns: [0.0; 3],
            };
            let analysis = Analysis {
                messages: 1000,
                finding: Some(finding),
                anomalies,
                shares: vec![share],
                ..Analysis::default()
            };
            let tail = tail_sentence(&analysis).is_some();
            let facts = Facts::default();
            // What tables and several runs together say is the same.
            let is_named = !largest(&analysis)[1].starts_with("transit or receive wait");
            let of_all = most_common(&[(&facts, &analysis)]);
            assert_eq!(
                of_all != "Which stage is the largest is not known of any run.",
                is_named,
                "{of_all}"
            );
            let sentence = plain(&finding_sentence(&facts, &analysis));
            assert_eq!(!sentence.contains(" together"), is_named, "{sentence}");
            (sentence, tail)
        };
        let either = |share| {
            format!(
                "{share} % of the total time may be either transit or receive wait, as not all \
                arrivals were observed."
            )
        };
        let is_largest = |stage, share| {
            format!(
                "{stage} is the largest stage of {share} % of the messages and takes {share} % of \
                the total time"
            )
        };
        let together =
            |share| format!("Transit and receive wait take {share} % of the total time together");
        let known = (is_largest("Receive wait", 60) + ".", true);
        assert_eq!(said([0.1, 0.3, 0.6], 0.0), known);
        let still = (format!("{}; {}", is_largest("Receive wait", 60), either(10)), true);
        assert_eq!(said([0.1, 0.3, 0.6], 0.1), still);
        let open = (format!("{}; {}", together(90), either(20)), false);
        assert_eq!(said([0.1, 0.3, 0.6], 0.2), open);
        assert_eq!(said([0.1, 0.6, 0.3], 0.2), open);
        let waits = (format!("{}; {}", is_largest("Send wait", 50), either(9)), true);
        assert_eq!(said([0.5, 0.3, 0.2], 0.09), waits);
        assert_eq!(said([0.4, 0.3, 0.3], 0.25).0, format!("{}; {}", together(60), either(25)));
    }
}
