//! The completion time of a paged program as the sum of its parts.

use serde::{Deserialize, Deserializer, Serialize};

/// Where the time of a paged process went, s. No part is negative, and together they are the
/// elapsed time, whatever a run folder says: reading a process sees to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PagedSeconds {
    /// All of it.
    pub elapsed: f64,
    /// The program's own instructions.
    pub user: f64,
    /// The kernel's work for it.
    pub system: f64,
    /// Until the program had its first paged memory: loading, what it did till then, connecting to
    /// the servers.
    pub init: f64,
    /// The engine's work while a thread waited for a page.
    pub handling: f64,
    /// Waiting for the network.
    pub network: f64,
    /// Of that: what the bytes take at the network's rate, which a faster network shortens. A
    /// model's, and no part of its own.
    pub network_bytes: f64,
    /// Waiting for a server to answer.
    pub server: f64,
    /// Waiting for the disk.
    pub disk: f64,
    /// Ready to run, without a processor; `None` where the kernel did not say.
    pub queue: Option<f64>,
    /// What nothing accounts for.
    pub other: f64,
    /// Processor time of the engine's thread, which runs beside the program: no part of the whole.
    pub engine: f64,
}

/// One of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagedPart {
    /// In files.
    pub key: &'static str,
    /// For people.
    pub name: &'static str,
    /// s.
    pub seconds: f64,
}

impl PagedPart {
    /// Its time, where the processor's time was counted in ticks of `tick_s`: `None` where that is
    /// too coarse to say. What is left of the elapsed time is no finer.
    pub fn measured_s(&self, tick_s: f64) -> Option<f64> {
        let by_ticks = matches!(self.key, "user" | "system" | "other");
        (!by_ticks || self.seconds >= tick_s).then_some(self.seconds)
    }
}

impl PagedSeconds {
    /// As a file has it, made sound.
    pub(crate) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<PagedSeconds, D::Error> {
        PagedSeconds::deserialize(from).map(PagedSeconds::with_other)
    }

    /// The same, where what the parts leave of the elapsed time is other. Parts that are more than
    /// the whole, as only a damaged run has them, are cut in proportion.
    pub fn with_other(self) -> PagedSeconds {
        let elapsed = sound(self.elapsed);
        let parts = PagedSeconds { other: 0.0, ..self }.parts().map(|part| sound(part.seconds));
        let sum: f64 = parts.iter().sum();
        let scale = if sum > elapsed { elapsed / sum } else { 1.0 };
        let [user, system, init, handling, network, server, disk, queue, _] =
            parts.map(|s| s * scale);
        PagedSeconds {
            elapsed,
            user,
            system,
            init,
            handling,
            network,
            network_bytes: sound(self.network_bytes).min(network),
            server,
            disk,
            queue: self.queue.map(|_| queue),
            other: (elapsed - sum).max(0.0),
            engine: sound(self.engine),
        }
    }

    /// All of them, in the order in which they are shown.
    pub fn parts(&self) -> [PagedPart; 9] {
        let part = |key, name, seconds| PagedPart { key, name, seconds };
        [
            part("user", "User", self.user),
            part("system", "System", self.system),
            part("init", "Before paging", self.init),
            part("handling", "Fault handling", self.handling),
            part("network", "Network", self.network),
            part("server", "Server", self.server),
            part("disk", "Disk", self.disk),
            part("queue", "Run queue", self.queue.unwrap_or(0.0)),
            part("other", "Other", self.other),
        ]
    }

    /// Waiting for pages to come or to go.
    pub fn waiting(&self) -> f64 {
        self.network + self.server + self.disk
    }
}

/// A time; what is none is nothing.
fn sound(s: f64) -> f64 {
    // Longer than any run, and far from where sums of them would be infinite.
    if s > 0.0 { s.min(1e12) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(said: &serde_json::Value) -> PagedSeconds {
        PagedSeconds::read(said).expect("seconds")
    }

    fn sum(seconds: &PagedSeconds) -> f64 {
        seconds.parts().iter().map(|part| part.seconds).sum()
    }

    #[test]
    fn what_no_part_has_is_other() {
        let read = read(&json!({
            "elapsed": 10.0, "user": 2.0, "network": 3.0, "network_bytes": 9.0, "queue": 1.0,
            "protocol": 6.4,
        }));
        assert_eq!((read.other, read.network_bytes, read.queue), (4.0, 3.0, Some(1.0)));
    }

    #[test]
    fn parts_of_any_run_folder_are_never_negative_and_add_up() {
        let odd = [-1.0, 0.0, 3.0, 1e308];
        for at in 0..4096_usize {
            let [elapsed, user, network, server, queue, network_bytes] =
                [0, 1, 2, 3, 4, 5].map(|place| odd[at >> (2 * place) & 3]);
            let read = read(&json!({
                "elapsed": elapsed, "user": user, "network": network, "server": server,
                "queue": queue, "network_bytes": network_bytes, "other": queue,
            }));
            assert!(read.parts().iter().all(|part| part.seconds >= 0.0), "{read:?}");
            assert!((sum(&read) - read.elapsed).abs() <= 1e-9 * read.elapsed, "{read:?}");
            assert!(read.network_bytes <= read.network);
        }
    }
}
