//! What the coordinator learns of clocks: its own beside the system's, and other domains' beside
//! its own.

use clock::{Anchor, Calibration, Clock, Exchange, Offset, Source, best_offset};
use record::{Domain, RunInfo};
use std::time::{Duration, Instant};

/// Most anchors kept; then every second one goes, and the next come half as often.
const ANCHORS_MAX: usize = 256;

/// The clocks of one launch.
pub(crate) struct Clocks {
    clock: Clock,
    /// The domain that the others are tied to: the coordinator's.
    pub reference: String,
    calibration: Calibration,
    anchors: Vec<Anchor>,
    every: Duration,
    next: Instant,
    others: Vec<Other>,
}

struct Other {
    domain: String,
    source: Source,
    offsets: Vec<Offset>,
}

impl Clocks {
    pub fn new(clock: Clock, reference: String, calibration: Calibration) -> Clocks {
        let every = Duration::from_secs(1);
        let (anchors, next) = (vec![clock.anchor()], Instant::now() + every);
        Clocks { clock, reference, calibration, anchors, every, next, others: Vec::new() }
    }

    /// Take an anchor if one is due: what a run that is cut must know of this clock.
    pub fn tick(&mut self, now: Instant) -> Option<Domain> {
        if now < self.next {
            return None;
        }
        let anchor = self.clock.anchor();
        self.anchors.push(anchor);
        if self.anchors.len() > ANCHORS_MAX {
            thin(&mut self.anchors);
            self.every *= 2;
        }
        self.next = now + self.every;
        let news = Domain::new(&self.reference, self.clock.source());
        Some(Domain { reference: true, anchors: vec![anchor], ..news })
    }

    /// Keep the best of some exchanges with a clock of another domain (`remote` in each); what is
    /// new.
    pub fn compare(
        &mut self,
        domains: &[String],
        source: Source,
        calibration: Calibration,
        exchanges: &[Exchange],
    ) -> Result<Vec<Domain>, clock::SyncError> {
        // Stored as the other domain sees it: its own clock is the local one.
        let offset = best_offset(exchanges, self.calibration, calibration)?.reversed();
        let mut news = Vec::new();
        for id in domains.iter().filter(|id| **id != self.reference) {
            match self.others.iter_mut().find(|other| other.domain == *id) {
                Some(other) => other.offsets.push(offset),
                None => {
                    self.others.push(Other { domain: id.clone(), source, offsets: vec![offset] })
                }
            }
            news.push(Domain { offsets: vec![offset], ..Domain::new(id, source) });
        }
        Ok(news)
    }

    /// The launch is over: a last anchor, and everything into the run's domains.
    pub fn store(mut self, info: &mut RunInfo) {
        self.anchors.push(self.clock.anchor());
        let ours = entry(info, &self.reference, self.clock.source());
        ours.reference = true;
        ours.anchors.append(&mut self.anchors);
        for mut other in self.others {
            entry(info, &other.domain, other.source).offsets.append(&mut other.offsets);
        }
    }
}

/// Drop every second anchor, but neither the first nor the last.
fn thin(anchors: &mut Vec<Anchor>) {
    let last = anchors.len() - 1;
    let mut index = 0;
    anchors.retain(|_| {
        let keep = index % 2 == 0 || index == last;
        index += 1;
        keep
    });
}

fn entry<'a>(info: &'a mut RunInfo, id: &str, source: Source) -> &'a mut Domain {
    let found = info.domains.iter().position(|domain| domain.id == id);
    let index = found.unwrap_or_else(|| {
        info.domains.push(Domain::new(id, source));
        info.domains.len() - 1
    });
    &mut info.domains[index]
}

#[cfg(test)]
mod tests {
    use super::*;
    use clock::Ticks;

    const EXACT: Calibration = Calibration { ns_per_tick: 1.0, error_ppm: 0.0, step_ns: 0.0 };

    fn clocks() -> Clocks {
        Clocks::new(Clock::system(), "home/monotonic-raw".into(), EXACT)
    }

    #[test]
    fn thinning_keeps_the_ends() {
        let anchor = Clock::system().anchor();
        let mut anchors: Vec<Anchor> =
            (0..8).map(|ticks| Anchor { ticks: Ticks(ticks), ..anchor }).collect();
        thin(&mut anchors);
        assert_eq!(
            anchors.iter().map(|anchor| anchor.ticks.0).collect::<Vec<_>>(),
            [0, 2, 4, 6, 7]
        );
    }

    #[test]
    fn launches_add_to_one_reference_domain() {
        let mut info = RunInfo::new("test");
        for _ in 0..2 {
            clocks().store(&mut info);
        }
        assert_eq!(info.domains.len(), 1);
        assert!(info.domains[0].reference);
        assert_eq!(info.domains[0].anchors.len(), 4);
    }

    #[test]
    fn an_offset_is_kept_as_the_other_domain_sees_it() {
        let mut clocks = clocks();
        let exchange = Exchange {
            local_sent: Ticks(1000),
            remote_received: Ticks(5100),
            remote_sent: Ticks(5100),
            local_received: Ticks(1200),
        };
        let domains = ["other/tsc".to_string(), clocks.reference.clone()];
        clocks.compare(&domains, Source::Tsc, EXACT, &[exchange]).unwrap();
        let mut info = RunInfo::new("test");
        clocks.store(&mut info);
        let other = info.domain("other/tsc").unwrap();
        assert_eq!((other.offsets[0].local, other.offsets[0].remote), (Ticks(5100), Ticks(1100)));
        assert!(!other.reference && info.domains.len() == 2);
    }
}
