//! The completion time of a paged program as the sum of its parts.

use serde::Deserialize;

use document::{Colour, time};

/// Where the time of a paged process went, s. After [`PagedSeconds::with_other`] no part is
/// negative, and together they are the elapsed time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PagedSeconds {
    /// All of it.
    pub elapsed: f64,
    /// The program's own instructions.
    pub user: f64,
    /// The kernel's work for it.
    pub system: f64,
    /// Until the program had its first paged memory.
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
    /// What nothing accounts for: the rest, whatever a run folder says.
    #[serde(skip)]
    pub other: f64,
}

/// One of the parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PagedPart {
    /// In files.
    pub key: &'static str,
    /// For people.
    pub name: &'static str,
    /// Its colour.
    pub colour: Colour,
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

    /// The same for people.
    pub fn text(&self, tick_s: f64) -> String {
        let measured = self.measured_s(tick_s).map(|s| time(s * 1e9));
        measured.unwrap_or_else(|| format!("below\u{a0}{}", time(tick_s * 1e9)))
    }
}

impl PagedSeconds {
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
        }
    }

    /// All of them, in the order in which they are shown.
    pub fn parts(&self) -> [PagedPart; 9] {
        let part =
            |key, name, colour, seconds| PagedPart { key, name, colour: Colour(colour), seconds };
        [
            part("user", "User", "work", self.user),
            part("system", "System", "collect", self.system),
            part("init", "Before paging", "d", self.init),
            part("handling", "Fault handling", "b", self.handling),
            part("network", "Network", "undo", self.network),
            part("server", "Server", "c", self.server),
            part("disk", "Disk", "cycle", self.disk),
            part("queue", "Run queue", "a", self.queue.unwrap_or(0.0)),
            part("other", "Other", "idle", self.other),
        ]
    }

    /// Those that there are.
    pub(crate) fn shown(&self) -> Vec<PagedPart> {
        self.parts().into_iter().filter(|part| part.seconds >= 1e-9).collect()
    }

    /// Waiting for pages to come or to go.
    pub fn waiting(&self) -> f64 {
        self.network + self.server + self.disk
    }

    /// What *other* is, as far as that is known; `None` where there is none to speak of.
    pub(crate) fn about_other(&self) -> Option<&'static str> {
        let known = "Other is time in which no thread of the program ran, waited for a processor \
        or waited for a page: it slept, was stopped, or \
                     waited for a file, a lock, input or another process.";
        let unknown = "Other is time in which no thread of the program ran or waited for a page. \
        This kernel does not say how long threads waited for a \
                       processor, so it may be that the machine was busy.";
        let said = if self.queue.is_some() { known } else { unknown };
        (self.other > LEAST * self.elapsed).then_some(said)
    }
}

/// Less of the whole is not spoken of.
pub(crate) const LEAST: f64 = 0.005;

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
        serde_json::from_value::<PagedSeconds>(said.clone()).unwrap().with_other()
    }

    fn sum(seconds: &PagedSeconds) -> f64 {
        seconds.parts().iter().map(|part| part.seconds).sum()
    }

    #[test]
    fn what_no_part_has_is_other_and_is_explained() {
        let read = read(&json!({
            "elapsed": 10.0, "user": 2.0, "network": 3.0, "network_bytes": 9.0, "queue": 1.0, "protocol": 6.4,
        }));
        assert_eq!((read.other, read.network_bytes, read.queue), (4.0, 3.0, Some(1.0)));
        assert!(read.about_other().unwrap().contains("slept"));
        assert!(
            PagedSeconds { queue: None, ..read }.about_other().unwrap().contains("may be that")
        );
        assert_eq!(PagedSeconds { other: 0.0, ..read }.about_other(), None);
    }

    #[test]
    fn parts_of_any_run_folder_are_never_negative_and_add_up() {
        let odd = [-1.0, 0.0, 3.0, 1e308];
        for at in 0..4096_usize {
            let [elapsed, user, network, server, queue, network_bytes] =
                [0, 1, 2, 3, 4, 5].map(|place| odd[at >> (2 * place) & 3]);
            let read = read(&json!({
                "elapsed": elapsed, "user": user, "network": network, "server": server, "queue": queue,
                "network_bytes": network_bytes,
            }));
            assert!(read.parts().iter().all(|part| part.seconds >= 0.0), "{read:?}");
            assert!((sum(&read) - read.elapsed).abs() <= 1e-9 * read.elapsed, "{read:?}");
            assert!(read.network_bytes <= read.network);
        }
    }
}
