//! Simulated machines: clocks whose truth is known, read at moments that the test chooses.

use fourstamp_clock::{Anchor, Calibration, Exchange, Ticks, TimelineNs};

/// A machine at true times in nanoseconds since the run began.
#[derive(Clone, Debug)]
pub struct Machine {
    /// What the counter showed when the run began.
    pub counter_at_start: u64,
    /// The counter's rate.
    pub ticks_per_ns: f64,
    /// When the counter stopped, and for how long.
    pub stopped: Option<(f64, f64)>,
    /// `CLOCK_REALTIME` less the true time at the start.
    pub realtime_at_start_ns: i64,
    /// Its rate less the true one.
    pub realtime_ppm: f64,
    /// When it was set, and by how much.
    pub set: Option<(f64, f64)>,
}

pub const RAW_AT_START_NS: i64 = 987_654_321_000;

impl Machine {
    pub fn new(counter_at_start: u64, ticks_per_ns: f64) -> Machine {
        Machine {
            counter_at_start,
            ticks_per_ns,
            stopped: None,
            realtime_at_start_ns: 1_700_000_000_000_000_000,
            realtime_ppm: 0.0,
            set: None,
        }
    }

    pub fn ticks(&self, at_ns: f64) -> Ticks {
        let lost_ns =
            self.stopped.map_or(0.0, |(from_ns, for_ns)| (at_ns - from_ns).clamp(0.0, for_ns));
        let ticks = ((at_ns - lost_ns) * self.ticks_per_ns).floor() as i64;
        Ticks(self.counter_at_start.wrapping_add_signed(ticks))
    }

    /// A reading stands for any moment until the next tick; and room for the simulation's own
    /// floats.
    pub fn slack_ns(&self) -> f64 {
        self.ticks_per_ns.recip().max(1.0) + 0.5
    }

    pub fn realtime_ns(&self, at_ns: f64) -> i64 {
        let set_ns =
            self.set.map_or(0.0, |(from_ns, by_ns)| if at_ns >= from_ns { by_ns } else { 0.0 });
        self.realtime_at_start_ns
            + (at_ns * (1.0 + self.realtime_ppm * 1e-6) + set_ns).floor() as i64
    }

    /// An anchor whose bracket opens at `at_ns` and takes `width_ns`; the system's clocks are read
    /// at the given shares of it.
    pub fn anchor(&self, at_ns: f64, width_ns: f64, raw_share: f64, realtime_share: f64) -> Anchor {
        let before = self.ticks(at_ns);
        let after = self.ticks(at_ns + width_ns).0.wrapping_add(1);
        let half_width = after.wrapping_sub(before.0).div_ceil(2);
        Anchor {
            ticks: Ticks(before.0.wrapping_add(half_width)),
            half_width,
            monotonic_raw_ns: RAW_AT_START_NS + (at_ns + width_ns * raw_share).floor() as i64,
            realtime_ns: self.realtime_ns(at_ns + width_ns * realtime_share),
        }
    }

    /// What a perfect calibration of this machine's counter gives.
    pub fn calibration(&self) -> Calibration {
        let ns_per_tick = 1.0 / self.ticks_per_ns;
        Calibration { ns_per_tick, error_ppm: 0.0, step_ns: ns_per_tick }
    }
}

/// One exchange begun by `local` at `at_ns`: the request takes `there_ns`, the answer is held and
/// takes `back_ns`.
pub fn exchange(
    (local, remote): (&Machine, &Machine),
    at_ns: f64,
    (there_ns, held_ns, back_ns): (f64, f64, f64),
) -> Exchange {
    Exchange {
        local_sent: local.ticks(at_ns),
        remote_received: remote.ticks(at_ns + there_ns),
        remote_sent: remote.ticks(at_ns + there_ns + held_ns),
        local_received: local.ticks(at_ns + there_ns + held_ns + back_ns),
    }
}

/// How far the converted moment is from the true one.
pub fn off_ns(converted: TimelineNs, true_ns: f64) -> f64 {
    (converted.0 as f64 - true_ns).abs()
}
