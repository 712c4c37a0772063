//! Where a thread's time goes.

use super::network::Network;
use std::ops::{Index, IndexMut};

/// What a thread does or waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Its own instructions.
    Computing,
    /// The engine's work, and room in memory.
    Engine,
    /// The bytes that it waits for, and of the request for them, at the link's rate.
    Bytes,
    /// Other bytes before those on the link.
    Queue,
    /// The way there and back.
    Latency,
    /// The server's turn.
    Server,
}

impl Share {
    pub const ALL: [Share; 6] = [
        Share::Computing,
        Share::Engine,
        Share::Bytes,
        Share::Queue,
        Share::Latency,
        Share::Server,
    ];

    /// What it is, for people.
    pub fn words(self) -> &'static str {
        match self {
            Share::Computing => "computing",
            Share::Engine => "the pager's own work, and room",
            Share::Bytes => "bytes at the link's rate",
            Share::Queue => "other bytes on the link",
            Share::Latency => "the network's latency",
            Share::Server => "the servers' turn",
        }
    }
}

/// Seconds by share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent([f64; Share::ALL.len()]);

impl Index<Share> for Spent {
    type Output = f64;

    fn index(&self, share: Share) -> &f64 {
        &self.0[share as usize]
    }
}

impl IndexMut<Share> for Spent {
    fn index_mut(&mut self, share: Share) -> &mut f64 {
        &mut self.0[share as usize]
    }
}

impl Spent {
    /// A wait from one moment to another, which the answer of an exchange ended, if one did.
    pub fn wait(&mut self, from_s: f64, to_s: f64, ended_by: Option<(&Network, usize)>) {
        let mut left_s = to_s - from_s;
        for (share, begin_s, end_s) in ended_by.map(stages).into_iter().flatten() {
            let length_s = (end_s.min(to_s) - begin_s.max(from_s)).max(0.0);
            self[share] += length_s;
            left_s -= length_s;
        }
        self[Share::Engine] += left_s.max(0.0);
    }
}

/// The stages of an exchange, each from one moment to another.
fn stages((network, at): (&Network, usize)) -> [(Share, f64, f64); 7] {
    let exchange = &network.exchanges[at];
    let [there_s, back_s] = network.busy_s(at);
    let latency_s = network.latency_s();
    let (out_from_s, back_from_s) = (exchange.out_s - there_s, exchange.back_s - back_s);
    let arrived_s = exchange.out_s + latency_s;
    [
        (Share::Queue, exchange.departed_s, out_from_s),
        (Share::Bytes, out_from_s, exchange.out_s),
        (Share::Latency, exchange.out_s, arrived_s),
        (Share::Server, arrived_s, exchange.answered_s),
        (Share::Queue, exchange.answered_s, back_from_s),
        (Share::Bytes, back_from_s, exchange.back_s),
        (Share::Latency, exchange.back_s, exchange.here_s),
    ]
}
