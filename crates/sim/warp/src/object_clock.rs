//! Clocks for the work of objects, of the kinds that the engine's options name; and the one by
//! which the engine chooses how often states are copied.

use clock::{Clock, Source, Ticks};
use rustix::time::{ClockId, clock_gettime};
use timewarp::{ObjectClock, Timing};

/// The clock to time objects with; `None` where they are not timed. Made on the thread that will
/// run them.
pub fn object_clock(timing: Timing, clock: Clock) -> Option<ObjectClock> {
    match timing {
        Timing::None => None,
        Timing::Process => Some(Box::new(processor_ns)),
        Timing::Wall => Some(wall(clock)),
    }
}

/// The clock to time copies of states with: a node's own, good to a per mille. `None` in simulated
/// time, in which a copy takes nothing, and where the same must happen each time.
pub fn copy_clock(fabric: &fabric::Node) -> Option<ObjectClock> {
    let clock = fabric.clock();
    (clock.source() != Source::Simulated).then(|| at_rate(clock, ns_per_tick(fabric)))
}

/// What a tick of a node's clock takes.
pub fn ns_per_tick(fabric: &fabric::Node) -> f64 {
    // Long enough for a rate that is good to more digits than a time-out needs.
    const PROBE_TICKS: u64 = 1 << 40;
    let probe_ns = fabric.ns_between(Ticks(0), Ticks(PROBE_TICKS)).max(1);
    probe_ns as f64 / PROBE_TICKS as f64
}

/// Processor time of this thread: a system call.
fn processor_ns() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The node's own clock, in ns since now.
fn wall(clock: Clock) -> ObjectClock {
    at_rate(clock, clock::measure(&clock).ns_per_tick)
}

fn at_rate(clock: Clock, ns_per_tick: f64) -> ObjectClock {
    let begin = clock.now().0;
    Box::new(move || (clock.now().0.wrapping_sub(begin) as f64 * ns_per_tick) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_takes_wall_time_and_no_processor_time() {
        assert!(object_clock(Timing::None, Clock::best()).is_none());
        let [process, wall] =
            [Timing::Process, Timing::Wall].map(|t| object_clock(t, Clock::best()).unwrap());
        let before = [process(), wall()];
        std::thread::sleep(std::time::Duration::from_millis(30));
        let [processor, passed] = [process() - before[0], wall() - before[1]];
        assert!(passed >= 29_000_000, "{passed} ns");
        assert!(processor < passed, "{processor} ns of {passed}");
    }
}
