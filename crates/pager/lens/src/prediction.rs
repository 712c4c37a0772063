//! What a paged run would take on other networks.

use crate::timeline::Course;
use pager_facts::{PageServer, PagedSeconds, PagerFacts, Prediction};
use predict::{Completion, Link};
use std::net::IpAddr;
use std::path::Path;

/// How many times the bandwidth.
const FACTORS: [f64; 3] = [2.0, 10.0, 100.0];

/// Add it to the facts of the run at `path`: nothing where nothing was paged, and only what
/// more memory would do where no page crossed a network. The run is played again over faster
/// networks; without its timeline, document 004's arithmetic must do.
pub fn predict(pager: &mut PagerFacts, path: &Path) {
    let Some(process) = pager.main().filter(|process| process.was_paged()) else { return };
    let run = completion(&process.seconds);
    let rate = process.rate_bytes_per_s.filter(|rate| *rate > 0.0);
    let networked = rate.is_some() || process.seconds.network > 0.0;
    let linked = networked && !is_here(pager);
    // A run that was cut has no timeline, and one without transfers no rate.
    let recorded = Course::read(path, pager, process).ok().zip(rate);
    // Whatever the model says: a network that takes no time takes away no more than was waited for
    // it.
    let least = process.seconds.elapsed - process.seconds.network;
    let seconds: Vec<f64> = match recorded.filter(|_| linked) {
        Some((course, rate)) => {
            let links = FACTORS.map(|factor| Link::of_rate(factor * rate));
            let over_s = course.over_s(&Link::of_rate(rate), &links);
            over_s.into_iter().map(|over_s| over_s.max(least)).collect()
        }
        None => FACTORS.iter().map(|factor| run.at_bandwidth(*factor).total()).collect(),
    };
    let factors = FACTORS.iter().zip(seconds).filter(|_| linked);
    let faster = factors.map(|(factor, seconds)| Prediction {
        network: format!("{factor} times the bandwidth"),
        seconds,
    });
    // What the kernel takes to hand a fault over, and what a processor forgets meanwhile, nobody
    // knows: it would be less.
    let enough = Prediction {
        network: "memory enough for all data, at most".into(),
        seconds: run.all_memory().total(),
    };
    pager.predictions = faster.chain([enough]).collect();
}

/// Whether all pages stayed on this machine. No link has a rate then: what was waited for is mostly
/// the servers' and the engine's turn, and a multiple of the measured rate would stand for nothing.
pub fn is_here(pager: &PagerFacts) -> bool {
    let here = |server: &PageServer| {
        let host = server.address.rsplit_once(':').map_or(&*server.address, |(host, _)| host);
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    !pager.servers.is_empty() && pager.servers.iter().all(here)
}

/// The parts of a paged process's time, as the model has them.
pub fn completion(seconds: &PagedSeconds) -> Completion {
    Completion {
        user: seconds.user,
        system: seconds.system,
        init: seconds.init,
        protocol: seconds.handling,
        blocked_bytes: seconds.network_bytes,
        blocked_fixed: seconds.waiting() - seconds.network_bytes,
        other: seconds.queue.unwrap_or(0.0) + seconds.other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Predictions for a process with these facts and the timeline in `path`, to a tenth of a
    /// second.
    fn times(process: &serde_json::Value, path: &Path) -> Vec<(String, f64)> {
        let mut pager: PagerFacts =
            serde_json::from_value(json!({ "processes": [process] })).expect("facts");
        predict(&mut pager, path);
        pager
            .predictions
            .into_iter()
            .map(|one| (one.network, (one.seconds * 10.0).round() / 10.0))
            .collect()
    }

    #[test]
    fn without_a_timeline_only_waiting_for_bytes_gets_shorter() {
        let seconds = json!({
            "elapsed": 33.0, "user": 10.0, "network": 20.5, "network_bytes": 20.0, "server": 0.5
        });
        let found = times(&json!({ "seconds": seconds, "transfers": 5 }), Path::new("/no/course"));
        let network = |factor| format!("{factor} times the bandwidth");
        let enough = "memory enough for all data, at most".to_string();
        assert_eq!(
            found,
            [(network(2), 23.0), (network(10), 15.0), (network(100), 13.2), (enough, 12.0)]
        );
    }

    /// On a busy machine threads wait long for pages that the network brought at once.
    #[test]
    fn a_faster_network_is_never_better_than_no_paging() {
        let folder = tempfile::tempdir().expect("a folder");
        let course = "in,0,4000000000,0,40000000\nwait,0,4000000000,0,\n";
        std::fs::write(folder.path().join("course-7.csv"), course).expect("a course");
        let seconds =
            json!({"elapsed": 5.0, "user": 1.0, "network": 0.5, "handling": 0.5, "queue": 3.0});
        let process =
            json!({"pid": 7, "transfers": 9, "rate_bytes_per_s": 1e7, "seconds": seconds});
        let found: Vec<f64> = times(&process, folder.path()).into_iter().map(|one| one.1).collect();
        assert_eq!(found, [4.5, 4.5, 4.5, 4.0]);
    }

    /// Seen: the same time for 2, 10 and 100 times the bandwidth of a loopback.
    #[test]
    fn servers_on_this_machine_have_no_link_that_could_be_faster() {
        let of = |addresses: &[&str]| {
            let servers: Vec<_> =
                addresses.iter().map(|address| json!({"address": address})).collect();
            let seconds = json!({"elapsed": 9.0, "user": 3.0, "network": 4.0});
            let processes = json!([{ "transfers": 8, "seconds": seconds }]);
            let mut pager: PagerFacts =
                serde_json::from_value(json!({"servers": servers, "processes": processes}))
                    .expect("facts");
            predict(&mut pager, Path::new("/no/course"));
            pager.predictions.len()
        };
        assert_eq!(of(&["127.0.0.1:7711", "[::1]:7711"]), 1);
        assert_eq!(of(&["127.0.0.1:7711", "10.0.0.2:7711"]), FACTORS.len() + 1);
    }

    #[test]
    fn nothing_is_predicted_of_what_was_not_there() {
        let nowhere = Path::new("/no/course");
        let idle = json!({ "seconds": {"elapsed": 9.0, "user": 3.0} });
        assert_eq!(times(&idle, nowhere), []);
        let disk = json!({ "transfers": 8, "seconds": {"elapsed": 9.0, "user": 3.0, "disk": 4.0} });
        assert_eq!(
            times(&disk, nowhere),
            [("memory enough for all data, at most".to_owned(), 5.0)]
        );
    }

    #[test]
    fn what_overlaps_with_computing_gets_shorter_by_less() {
        // While 100 MB come, read ahead at 10 MB/s, the program computes for 8 s.
        let folder = tempfile::tempdir().expect("a folder");
        let course = "in,0,10000000000,0,100000000\nwait,8000000000,10000000000,0,\n";
        std::fs::write(folder.path().join("course-7.csv"), course).expect("a course");
        let seconds = json!({"elapsed": 11.0, "user": 9.0, "network": 2.0, "network_bytes": 2.0});
        let process =
            json!({"pid": 7, "transfers": 9, "rate_bytes_per_s": 1e7, "seconds": seconds});
        let found: Vec<f64> = times(&process, folder.path()).into_iter().map(|one| one.1).collect();
        assert_eq!(found, [9.0, 9.0, 9.0, 9.0]);
    }
}
