//! Reading a clock.
//!
//! The time-stamp counter costs about half of `clock_gettime` and does not enter the kernel, but it
//! is a clock only where the processor says that it ticks at one rate in every power state.
//! Elsewhere, and on other architectures, the system's monotonic clock stands in. The counter is
//! read without a fence: a stamp may move by some ten nanoseconds against its neighbours, and a
//! fence would cost as much.

use std::fmt;

use rustix::time::{ClockId, Timespec, clock_gettime};
use serde::{Deserialize, Serialize};

/// A raw reading of one node's clock. Ticks of two nodes compare only when both nodes share a clock
/// (same machine, same [`Source`]); otherwise a [`crate::Model`] must bring them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ticks(pub u64);

impl Ticks {
    /// Ticks from `earlier` to `self` on one clock; negative when `self` came first. Right across
    /// the counter's wrap, which a planted offset can bring near.
    #[inline(always)]
    pub fn since(self, earlier: Ticks) -> i64 {
        self.0.wrapping_sub(earlier.0) as i64
    }
}

/// Where ticks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The processor's invariant time-stamp counter.
    Tsc,
    /// The system's `CLOCK_MONOTONIC_RAW`: a tick is a nanosecond.
    MonotonicRaw,
    /// The time of a simulation ([`crate::set_simulated`]): a tick is a nanosecond of it.
    Simulated,
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Source::Tsc => "time-stamp counter",
            Source::MonotonicRaw => "CLOCK_MONOTONIC_RAW",
            Source::Simulated => "simulated time",
        })
    }
}

/// A planted clock error: what a test gives a node to prove that synchronisation finds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plant {
    /// Added to every reading, in ticks.
    pub offset_ticks: u64,
    /// Extra rate in parts per million of the true rate, counted from `origin`.
    pub drift_ppm: f64,
    /// The reading at which the drift is zero.
    pub origin_ticks: u64,
}

/// A clock to take stamps with. Copy it freely: it is a choice of source, not a resource.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    source: Source,
    plant: Option<Plant>,
}

/// The same moment read on three clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The node's clock, at the middle of the bracket around the system clocks.
    pub ticks: Ticks,
    /// Half the bracket: the system clocks were read within `ticks ± half_width`.
    pub half_width: u64,
    /// `CLOCK_MONOTONIC_RAW`, ns.
    pub monotonic_raw_ns: i64,
    /// `CLOCK_REALTIME`, ns: the domain of the kernel's receive stamps.
    pub realtime_ns: i64,
}

impl Clock {
    /// The best clock of this machine: the time-stamp counter when it is invariant, else the
    /// system's.
    pub fn best() -> Clock {
        let source = if tsc::invariant() { Source::Tsc } else { Source::MonotonicRaw };
        Clock { source, plant: None }
    }

    /// The system clock, for machines and tests that must not use the counter.
    pub fn system() -> Clock {
        Clock { source: Source::MonotonicRaw, plant: None }
    }

    /// The simulated time of the thread that asks: for nodes on a simulated machine.
    pub fn simulated() -> Clock {
        Clock { source: Source::Simulated, plant: None }
    }

    /// The same clock with a known error planted in it.
    pub fn planted(self, plant: Plant) -> Clock {
        Clock { plant: Some(plant), ..self }
    }

    /// Where this clock's ticks come from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// Whether a planted error makes this clock differ from its machine's.
    pub fn is_planted(&self) -> bool {
        self.plant.is_some()
    }

    /// Now, in ticks. No system call when the source is the counter.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        match (self.source, &self.plant) {
            (Source::Tsc, None) => Ticks(tsc::read()),
            _ => self.now_otherwise(),
        }
    }

    /// Apart, so that whoever takes a stamp has one instruction for it and no call to prepare for.
    #[inline(never)]
    fn now_otherwise(&self) -> Ticks {
        let ticks = match self.source {
            Source::Tsc => tsc::read(),
            Source::MonotonicRaw => read_ns(ClockId::MonotonicRaw) as u64,
            Source::Simulated => crate::simulated::now(),
        };
        match self.plant {
            None => Ticks(ticks),
            Some(plant) => Ticks(plant.apply(ticks)),
        }
    }

    /// Read this clock and the system's at one moment: the tightest of many bracketed tries,
    /// because a single try may be interrupted between its reads.
    pub fn anchor(&self) -> Anchor {
        const TRIES: usize = 64;
        if self.source == Source::Simulated {
            return Anchor::of_simulated(self.now());
        }
        let mut best = self.bracketed();
        for _ in 1..TRIES {
            let next = self.bracketed();
            if next.half_width < best.half_width {
                best = next;
            }
        }
        best
    }

    fn bracketed(&self) -> Anchor {
        let before = self.now().0;
        let monotonic_raw_ns = read_ns(ClockId::MonotonicRaw);
        let realtime_ns = read_ns(ClockId::Realtime);
        let after = self.next_after(self.now()).0;
        // A clock that went backwards inside the bracket makes it useless, not tight.
        let width = Ticks(after).since(Ticks(before)).try_into().unwrap_or(u64::MAX);
        let half_width = width.div_ceil(2);
        Anchor {
            ticks: Ticks(before.wrapping_add(half_width)),
            half_width,
            monotonic_raw_ns,
            realtime_ns,
        }
    }
}

impl Clock {
    /// The first reading that differs from `seen`. A counter that moves in steps shows `seen` for a
    /// whole step, so only the next value surely lies after the moment at which `seen` was read.
    fn next_after(&self, seen: Ticks) -> Ticks {
        const READS_MAX: usize = 1000;
        (0..READS_MAX).map(|_| self.now()).find(|&ticks| ticks != seen).unwrap_or(seen)
    }
}

impl Anchor {
    /// Simulated time is its own system clock, and exact.
    pub(crate) fn of_simulated(ticks: Ticks) -> Anchor {
        let ns = ticks.0 as i64;
        Anchor { ticks, half_width: 0, monotonic_raw_ns: ns, realtime_ns: ns }
    }
}

impl Plant {
    #[cold]
    fn apply(&self, ticks: u64) -> u64 {
        let elapsed = ticks.wrapping_sub(self.origin_ticks) as i64;
        let drift = (elapsed as f64 * self.drift_ppm * 1e-6) as i64;
        ticks.wrapping_add(self.offset_ticks).wrapping_add_signed(drift)
    }
}

/// One system clock, in nanoseconds.
#[inline]
pub(crate) fn read_ns(clock: ClockId) -> i64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    tv_sec * 1_000_000_000 + tv_nsec
}

#[cfg(target_arch = "x86_64")]
mod tsc {
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Whether the counter ticks at one rate in every power state (CPUID leaf 0x8000_0007, EDX bit
    /// 8).
    pub fn invariant() -> bool {
        const POWER_LEAF: u32 = 0x8000_0007;
        let highest = __cpuid(0x8000_0000).eax;
        highest >= POWER_LEAF && __cpuid(POWER_LEAF).edx & (1 << 8) != 0
    }

    #[inline(always)]
    pub fn read() -> u64 {
        // SAFETY: RDTSC has no preconditions; Linux leaves it enabled for user code, and
        // `Clock::best` chooses it only on processors that have it.
        unsafe { _rdtsc() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod tsc {
    /// No counter is used here: the system clock stands in.
    pub fn invariant() -> bool {
        false
    }

    pub fn read() -> u64 {
        unreachable!("Clock::best never chooses the counter on this architecture")
    }
}
