//! Ping's counts, which can be had by thinking.

use crate::watched::{Run, run};
use models::{Ping, PingOptions};

fn ping(stop: f64, cutoff: Option<f64>) -> Run {
    run(&Ping::new(&PingOptions { stop }).unwrap(), cutoff)
}

/// Events, messages, sends, of these dropped: of ping and of pong.
fn counts(run: &Run) -> [[u64; 4]; 2] {
    [0, 1].map(|object| {
        let c = &run.outcome.objects[object].1;
        [c.events, c.messages, c.committed_sends, c.committed_drops]
    })
}

#[test]
fn the_standard_run() {
    let run = ping(2500.0, None);
    assert_eq!(counts(&run), [[1251, 1251, 1250, 0], [1250, 1250, 1250, 0]]);
    assert_eq!(run.outcome.final_time, 2500.0);
}

#[test]
fn the_short_run() {
    let run = ping(2500.0, Some(200.0));
    assert_eq!(counts(&run), [[101, 101, 101, 1], [100, 100, 100, 0]]);
    assert_eq!(run.outcome.final_time, 200.0);
}

#[test]
fn any_stop_time_and_any_cutoff() {
    for stop in [0u64, 1, 2, 7, 10_000] {
        let run = ping(stop as f64, None);
        let (ping, pong) = match stop % 2 {
            0 => ([stop / 2 + 1, stop / 2], [stop / 2, stop / 2]),
            _ => ([stop.div_ceil(2), stop.div_ceil(2)], [stop.div_ceil(2), stop / 2]),
        };
        assert_eq!(
            counts(&run),
            [[ping[0], ping[0], ping[1], 0], [pong[0], pong[0], pong[1], 0]],
            "{stop}"
        );
        assert_eq!(run.outcome.final_time, stop as f64);
    }
    for cutoff in [0u64, 1, 33, 499] {
        let total = ping(500.0, Some(cutoff as f64)).outcome.total();
        assert_eq!(
            (total.events, total.messages, total.committed_drops),
            (cutoff + 1, cutoff + 1, 1)
        );
    }
}
