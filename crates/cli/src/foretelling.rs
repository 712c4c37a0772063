//! What a paged run would take on other networks.

use predict::Completion;
use report::{Facts, PagedSeconds, Prediction};

/// How many times the bandwidth.
const FACTORS: [f64; 3] = [2.0, 10.0, 100.0];

/// Add it to the facts of a paged run.
pub fn foretell(facts: &mut Facts) {
    let Some(pager) = &mut facts.pager else { return };
    let Some(run) = pager.main().map(|process| completion(&process.seconds)) else { return };
    let faster = FACTORS.map(|factor| Prediction {
        network: format!("{factor} times the bandwidth"),
        seconds: run.at_bandwidth(factor).total(),
    });
    let enough =
        Prediction { network: "memory enough for all data".into(), seconds: run.all_memory().total() };
    pager.predictions = faster.into_iter().chain([enough]).collect();
}

/// The parts of a paged process's time.
pub fn completion(seconds: &PagedSeconds) -> Completion {
    Completion {
        user: seconds.user,
        system: seconds.system,
        init: seconds.init,
        protocol: seconds.protocol,
        blocked_bytes: seconds.blocked_bytes,
        blocked_fixed: seconds.blocked_fixed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::PagerFacts;
    use serde_json::json;

    #[test]
    fn only_waiting_for_bytes_gets_shorter() {
        let pager = PagerFacts::of(Some(
            &json!({"processes": [{"seconds": {"user": 10.0, "blocked_bytes": 20.0, "blocked_fixed": 1.0}}]}),
        ));
        let mut facts = Facts { pager, ..Facts::default() };
        foretell(&mut facts);
        let predictions = facts.pager.map(|pager| pager.predictions).unwrap_or_default();
        let times: Vec<f64> =
            predictions.iter().map(|foretold| (foretold.seconds * 10.0).round() / 10.0).collect();
        assert_eq!(times, [21.0, 13.0, 11.2, 10.0]);
        assert_eq!(predictions[1].network, "10 times the bandwidth");
    }
}
