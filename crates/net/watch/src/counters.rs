//! What is counted of one node's thread, and what has changed since it was last looked at.

use crate::kernel::{self, Source};
use record::Cause;

/// Length of the kernel's tick as `/proc/stat` counts it (`USER_HZ` is 100 on every Linux that this
/// runs on), ns.
const TICK_NS: u64 = 10_000_000;

/// The counters of the machine, read once for all nodes of a process.
pub struct Machine {
    stat: Source,
    interrupts: Source,
    soft: Source,
    /// `/proc/net/snmp` and `/proc/net/netstat`: they take as long to read as all the rest.
    net: Option<(Source, Source)>,
}

/// A reading of [`Machine`].
pub struct Reading<'a> {
    stat: &'a str,
    interrupts: &'a str,
    soft: &'a str,
    retransmits: Option<u64>,
    timeouts: Option<u64>,
}

/// The counters of one thread and of its core. Those of the thread alone are quick to read, and are
/// read more often.
pub struct OfThread {
    schedstat: Source,
    status: Source,
    stat: Source,
    core: Option<u32>,
    quick: [Option<u64>; QUICK.len()],
    last: [Option<u64>; COUNTED.len()],
}

/// What grows and is quick to read, in the order of the readings.
const QUICK: [Cause; 2] = [Cause::Ran, Cause::RunQueue];

/// What else grows, in the order of the readings. Those of the core come first.
const COUNTED: [Cause; 8] = [
    Cause::Steal,
    Cause::Interrupts,
    Cause::SoftNet,
    Cause::Preempted,
    Cause::MinorFaults,
    Cause::MajorFaults,
    Cause::TcpRetransmits,
    Cause::TcpTimeouts,
];
/// So many of [`COUNTED`] are counted for the core.
const OF_CORE: usize = 3;

impl Machine {
    /// Of this machine; what its TCP does as well, if `tcp`.
    pub fn open(tcp: bool) -> Machine {
        Machine {
            stat: Source::open("/proc/stat"),
            interrupts: Source::open("/proc/interrupts"),
            soft: Source::open("/proc/softirqs"),
            net: tcp.then(|| (Source::open("/proc/net/snmp"), Source::open("/proc/net/netstat"))),
        }
    }

    /// What they say now.
    pub fn read(&mut self) -> Reading<'_> {
        let net = self.net.as_mut().map(|(snmp, netstat)| {
            let retransmits = kernel::net_counter(snmp.read(), "Tcp", "RetransSegs");
            (retransmits, kernel::net_counter(netstat.read(), "TcpExt", "TCPTimeouts"))
        });
        let (retransmits, timeouts) = net.unwrap_or_default();
        Reading {
            stat: self.stat.read(),
            interrupts: self.interrupts.read(),
            soft: self.soft.read(),
            retransmits,
            timeouts,
        }
    }
}

impl OfThread {
    /// Of this thread of this process.
    pub fn open(thread: u32) -> OfThread {
        let of = |name: &str| Source::open(format!("/proc/self/task/{thread}/{name}"));
        OfThread {
            schedstat: of("schedstat"),
            status: of("status"),
            stat: of("stat"),
            core: None,
            quick: [None; QUICK.len()],
            last: [None; COUNTED.len()],
        }
    }

    /// Tell how long the thread ran and waited for a core since the last quick look. The first one
    /// tells nothing.
    pub fn look_quickly(&mut self, tell: impl FnMut(Cause, i64)) {
        let schedstat = self.schedstat.read();
        let now = [kernel::ran_ns(schedstat), kernel::run_queue_ns(schedstat)];
        tell_growth(QUICK.into_iter().zip(now).zip(&mut self.quick), tell);
    }

    /// Tell what else has changed since the last look, cause and amount. The first look tells
    /// nothing.
    pub fn look(&mut self, machine: &Reading<'_>, mut tell: impl FnMut(Cause, i64)) {
        let stat = self.stat.read();
        let (core, faults) = (kernel::core(stat), kernel::faults(stat));
        if let (Some(core), Some(before)) = (core, self.core)
            && core != before
        {
            tell(Cause::Migrated, i64::from(core));
            // What the cores count is not comparable across the move.
            self.last[..OF_CORE].fill(None);
        }
        self.core = core;
        let of_core = |count: fn(&str, u32) -> Option<u64>, text: &str| {
            core.and_then(|core| count(text, core))
        };
        let now = [
            of_core(kernel::steal_ticks, machine.stat).map(|ticks| ticks * TICK_NS),
            of_core(kernel::interrupts, machine.interrupts),
            of_core(kernel::soft_net, machine.soft),
            kernel::status(self.status.read(), "nonvoluntary_ctxt_switches"),
            faults.map(|(minor, _)| minor),
            faults.map(|(_, major)| major),
            machine.retransmits,
            machine.timeouts,
        ];
        tell_growth(COUNTED.into_iter().zip(now).zip(&mut self.last), tell);
    }
}

/// Tell by how much each counter grew, and remember it.
fn tell_growth<'a>(
    counters: impl Iterator<Item = ((Cause, Option<u64>), &'a mut Option<u64>)>,
    mut tell: impl FnMut(Cause, i64),
) {
    for ((cause, now), last) in counters {
        if let (Some(now), Some(last)) = (now, *last)
            && now > last
        {
            tell(cause, (now - last) as i64);
        }
        *last = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_shares_its_core_waits_for_it() {
        let thread = rustix::thread::gettid().as_raw_nonzero().get() as u32;
        let mut counters = OfThread::open(thread);
        counters.look_quickly(|cause, _| panic!("the first look told of {cause:?}"));
        counters.look(&Machine::open(true).read(), |cause, _| {
            panic!("the first look told of {cause:?}")
        });
        if kernel::run_queue_ns(counters.schedstat.read()).is_none() {
            return println!("skipped: this kernel keeps no schedstat");
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut seen = Vec::new();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 * cores {
                scope.spawn(|| {
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            for _ in 0..1_000 {
                let mut sum = 0_u64;
                (0..1_000_000).for_each(|n| sum = std::hint::black_box(sum ^ n));
                counters.look_quickly(|cause, amount| seen.push((cause, amount)));
                if seen.iter().any(|(cause, _)| *cause == Cause::RunQueue) {
                    break;
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert!(
            seen.iter().any(|(cause, amount)| *cause == Cause::RunQueue && *amount > 0),
            "{seen:?}"
        );
    }
}
