//! What the tests explain.

use stats::analysis::{Account, Episode, Explained, Slow, Stage, Who};

/// Five of the slowest messages, at three times.
pub(super) fn group() -> Explained {
    Explained {
        stage: Stage::ReceiveWait,
        who: Who::Slowest,
        range_ns: (2_000_000, 9_000_000),
        median_ns: 100,
        count: 5,
        apart: 0,
        episodes: 3,
        reasons: Vec::new(),
        noise: None,
    }
}

/// Two messages that waited for 3 ms to be taken, the slowest of them `0:1:7`.
pub(super) fn delay(share: f64) -> Episode {
    Episode {
        slowest: Slow { launch: 0, src: 1, dst: 0, seq: 7 },
        stage: Stage::ReceiveWait,
        from_ns: 0,
        to_ns: 3_000_000,
        messages: 2,
        time_ns: 6_100_000,
        share,
        at_least: false,
        account: Account { of_ns: 3_000_000, ..Account::default() },
    }
}
