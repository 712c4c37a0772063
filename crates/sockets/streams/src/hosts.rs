//! The clocks of several hosts, related by what their programs said to each other.
//!
//! A byte cannot be read before it was written. So a message one way and a message back say how far
//! two clocks are apart, up to half of the time that both were on their way
//! ([`clock::best_offset`]). Which write and which read moved the same byte is known from offsets
//! alone, before any clock is. The tightest pair of each second or so gives a point, and the points
//! give the clock's drift.
//!
//! # Limits
//! - A host is related to the one that talks to most others, and only if it talks to that one
//!   itself, in both directions.
//! - The times are those of calls, not of the kernel: a reader that is late widens the bound. Of
//!   many messages the tightest counts.

use crate::CloseError;
use crate::ends::End;
use crate::entry::Address;
use crate::logs::Process;
use crate::op::Op;
use crate::survey::Survey;
use crate::walk::{self, What};
use clock::{Calibration, Exchange, Model, Offset, Ticks, best_offset};
use record::{Closing, Domain};
use rustc_hash::FxHashMap;

/// Calls of a direction at an end that are kept: of more, those that moved a byte of a grid.
const CALLS_MAX: usize = 512;
/// Points of a clock.
const POINTS_MAX: u64 = 512;
/// A point stands for at least so long, ns.
const POINT_NS: f64 = 1e9;
/// Two machines' quartz may differ by this much.
const OSCILLATOR_PPM: f64 = 100.0;

/// The processes that read one clock.
struct Host {
    domain: String,
    boot_id: String,
    calibration: Calibration,
    ends: Vec<End>,
    /// Of each end, what it sent and what it received.
    moved: Vec<[Calls; 2]>,
}

/// Calls of a direction at an end, in order.
#[derive(Clone, Debug)]
struct Calls {
    /// Those that moved a byte whose offset is a multiple of this are kept.
    step: u64,
    calls: Vec<Call>,
}

#[derive(Clone, Copy, Debug)]
struct Call {
    /// The offsets before its first and behind its last byte.
    from: u64,
    to: u64,
    /// When it was entered, and when it returned, ticks.
    enter: u64,
    exit: u64,
}

/// A byte's way: when the call that wrote it was entered, and when the call that read it returned,
/// in ticks of the two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Passed {
    written: Ticks,
    read: Ticks,
}

/// Put what relates them to the reference clock on the sheets of processes whose clock is another
/// machine's.
pub(crate) fn relate(processes: &mut [Process], closing: &mut Closing) -> Result<(), CloseError> {
    let mut hosts = hosts_of(processes);
    if hosts.len() < 2 {
        return Ok(());
    }
    for host in &mut hosts {
        host.read(processes)?;
    }
    let Some(reference) = reference(&hosts, closing) else { return Ok(()) };
    for other in hosts.iter().filter(|host| host.boot_id != hosts[reference].boot_id) {
        let offsets = offsets(&hosts[reference], other);
        let sheet = processes.iter_mut().find(|one| one.sheet.domain == other.domain);
        if let Some(process) = sheet {
            process.sheet.offsets = offsets;
        }
    }
    name_reference(&hosts[reference], processes, closing);
    Ok(())
}

/// What a reader should know of the clocks that were related.
pub(crate) fn notes(processes: &[Process], closing: &Closing) -> Vec<String> {
    let mut notes = Vec::new();
    let domains = &closing.info().domains;
    let reference = domains.iter().find(|domain| domain.reference);
    let reference_ns = reference.and_then(|domain| domain.error_ns).unwrap_or(0.0);
    for Process { sheet, .. } in processes.iter().filter(|one| !one.sheet.offsets.is_empty()) {
        let domain = domains.iter().find(|domain| domain.id == sheet.domain);
        let Some(error_ns) = domain.and_then(|domain| domain.error_ns) else { continue };
        notes.push(format!(
            "The clock of {} was compared with the other host's by {} pairs of messages, one there \
            and one back; stamps of the two hosts agree within {:.1} µs.",
            sheet.host,
            sheet.offsets.len(),
            (error_ns + reference_ns) / 1000.0
        ));
    }
    notes
}

fn hosts_of(processes: &[Process]) -> Vec<Host> {
    let mut hosts: Vec<Host> = Vec::new();
    for Process { sheet, .. } in processes {
        if hosts.iter().any(|host| host.domain == sheet.domain) {
            continue;
        }
        let calibration = sheet.quality.calibration();
        let error_ppm = calibration.error_ppm + OSCILLATOR_PPM;
        hosts.push(Host {
            domain: sheet.domain.clone(),
            boot_id: sheet.boot_id.clone(),
            calibration: Calibration { error_ppm, ..calibration },
            ends: Vec::new(),
            moved: Vec::new(),
        });
    }
    hosts
}

/// The host that talks to most others; of several, the one where the run was begun.
fn reference(hosts: &[Host], closing: &Closing) -> Option<usize> {
    let home = &closing.info().origin.boot_id;
    let others = |host: &Host| {
        let is_other = |other: &&Host| other.boot_id != host.boot_id;
        hosts.iter().filter(is_other).filter(|other| !ways(host, other)[0].is_empty()).count()
    };
    let rank = |at: &usize| (others(&hosts[*at]), hosts[*at].boot_id == *home);
    (0..hosts.len()).max_by_key(|at| (rank(at), std::cmp::Reverse(*at)))
}

fn name_reference(host: &Host, processes: &[Process], closing: &mut Closing) {
    let domains = &mut closing.info_mut().domains;
    if domains.iter().all(|domain| domain.id != host.domain)
        && let Some(process) = processes.iter().find(|one| one.sheet.domain == host.domain)
    {
        domains.push(Domain::new(&host.domain, process.sheet.source));
    }
    for domain in domains {
        domain.reference = domain.id == host.domain;
    }
}

impl Host {
    /// The calls of its processes, by its own clock alone.
    fn read(&mut self, processes: &[Process]) -> Result<(), CloseError> {
        // A tick is as good as a nanosecond where only the order matters.
        let ticks = Model::of_simulated();
        let mut survey = Survey::default();
        let own = processes.iter().filter(|process| process.sheet.domain == self.domain);
        let logs: Vec<(&Process, Option<&Model>)> = own.map(|one| (one, Some(&ticks))).collect();
        for (process, _) in &logs {
            survey.add(process, &ticks, || ())?;
        }
        survey.complete();
        let calls = |end: &End| end.before().map(Calls::from);
        let mut moved: Vec<[Calls; 2]> = survey.ends.iter().map(calls).collect();
        let take = |event: walk::Event, _| {
            let [sent, received] = &mut moved[event.end as usize];
            match event.what {
                What::Sent(op) => sent.push(&op),
                What::Received(op) => received.push(&op),
                What::Marks(_) | What::Unread(_) => {}
            }
            Ok(())
        };
        walk::each(&survey, &logs, take, || ())?;
        (self.ends, self.moved) = (survey.ends, moved);
        Ok(())
    }
}

impl Calls {
    /// None yet, of a direction that had carried so many bytes.
    fn from(before: u64) -> Calls {
        let begun = Call { from: before, to: before, enter: 0, exit: 0 };
        Calls { step: 1, calls: vec![begun] }
    }

    fn push(&mut self, op: &Op) {
        let Some(last) = self.calls.last().copied().filter(|_| op.bytes > 0) else { return };
        let (from, to) = (last.to, last.to + u64::from(op.bytes));
        // The last one is there to count from, whether it is kept or not.
        if !last.is_on_grid(self.step) {
            self.calls.pop();
        }
        self.calls.push(Call { from, to, enter: op.enter as u64, exit: op.exit as u64 });
        while self.calls.len() > CALLS_MAX {
            self.step *= 2;
            let (step, end) = (self.step, to);
            self.calls.retain(|call| call.is_on_grid(step) || call.to == end);
        }
    }

    /// The call that moved this byte, the n-th, if it is kept.
    fn of_byte(&self, byte: u64) -> Option<&Call> {
        let at = self.calls.partition_point(|call| call.to < byte);
        self.calls.get(at).filter(|call| call.from < byte)
    }
}

impl Call {
    /// The last byte that it moved on this grid.
    fn on_grid(&self, step: u64) -> Option<u64> {
        let byte = self.to / step * step;
        (byte > self.from).then_some(byte)
    }

    fn is_on_grid(&self, step: u64) -> bool {
        self.on_grid(step).is_some()
    }
}

/// The ways of bytes from one host to another, and back.
fn ways(one: &Host, other: &Host) -> [Vec<Passed>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    let (here, there) = (by_address(&one.ends), by_address(&other.ends));
    for (addresses, at) in here {
        let (local, peer) = addresses;
        let (Some(at), Some(Some(to))) = (at, there.get(&(peer, local))) else { continue };
        let ([sent, received], [back, got]) = (&one.moved[at], &other.moved[*to]);
        found[0].extend(passed(sent, got));
        found[1].extend(passed(back, received));
    }
    found
}

/// TCP ends by their addresses, but for those that came several times.
fn by_address(ends: &[End]) -> FxHashMap<(Address, Address), Option<usize>> {
    let mut found = FxHashMap::default();
    let is_far = |end: &End| end.transport.is_tcp() && !end.local.is_loopback();
    for (at, end) in ends.iter().enumerate().filter(|(_, end)| is_far(end)) {
        let of = found.entry((end.local, end.peer));
        of.and_modify(|at| *at = None).or_insert(Some(at));
    }
    found
}

fn passed<'a>(sent: &'a Calls, received: &'a Calls) -> impl Iterator<Item = Passed> + 'a {
    let step = sent.step.max(received.step);
    sent.calls.iter().filter_map(move |call| {
        let reader = received.of_byte(call.on_grid(step)?)?;
        Some(Passed { written: Ticks(call.enter), read: Ticks(reader.exit) })
    })
}

/// The moments at which the two clocks are known beside each other, as the other host sees it.
fn offsets(reference: &Host, other: &Host) -> Vec<Offset> {
    let [forward, backward] = ways(reference, other);
    let window = window(&forward, &backward, &other.calibration);
    let mut windows: FxHashMap<u64, [Vec<Exchange>; 2]> = FxHashMap::default();
    let mut take = |side: usize, at: Ticks, exchange: Exchange| {
        windows.entry(at.0 / window).or_default()[side].push(exchange);
    };
    // The other host writes first, or the reference does.
    for exchange in exchanges(&backward, &forward) {
        take(0, exchange.local_received, exchange);
    }
    for exchange in exchanges(&forward, &backward) {
        take(1, exchange.remote_received, exchange);
    }
    let (here, there) = (other.calibration, reference.calibration);
    let best = |[own, others]: &[Vec<Exchange>; 2]| {
        let own = best_offset(own, here, there).ok();
        let others = best_offset(others, there, here).ok().map(Offset::reversed);
        own.into_iter().chain(others).min_by(|a, b| a.error_ns.total_cmp(&b.error_ns))
    };
    useful(windows.values().filter_map(best).collect(), window as f64 / 2.0, here.ns_per_tick)
}

/// How many ticks of the other host a point stands for.
fn window(forward: &[Passed], backward: &[Passed], calibration: &Calibration) -> u64 {
    let here = || forward.iter().map(|one| one.read).chain(backward.iter().map(|one| one.written));
    let first = here().map(|at| at.0).min().unwrap_or(0);
    let last = here().map(|at| at.0).max().unwrap_or(0);
    ((POINT_NS / calibration.ns_per_tick) as u64).max((last - first) / POINTS_MAX).max(1)
}

/// Each byte that came back, with the last that had gone there before.
fn exchanges(there: &[Passed], back: &[Passed]) -> Vec<Exchange> {
    let (mut there, mut back) = (there.to_vec(), back.to_vec());
    there.sort_by_key(|one| one.read.0);
    back.sort_by_key(|one| one.written.0);
    let (mut found, mut next) = (Vec::new(), 0);
    for answer in back {
        while there.get(next).is_some_and(|one| one.read.0 <= answer.written.0) {
            next += 1;
        }
        let Some(asked) = next.checked_sub(1).map(|at| there[at]) else { continue };
        found.push(Exchange {
            local_sent: asked.written,
            remote_received: asked.read,
            remote_sent: answer.written,
            local_received: answer.read,
        });
    }
    found
}

/// Those that say more than their neighbours do, whose clocks may have drifted apart meanwhile. Two
/// that are close together would say nothing of the drift.
fn useful(mut offsets: Vec<Offset>, apart_min: f64, ns_per_tick: f64) -> Vec<Offset> {
    offsets.sort_by(|a, b| a.error_ns.total_cmp(&b.error_ns));
    let mut kept: Vec<Offset> = Vec::new();
    for offset in offsets {
        let says_enough = |other: &Offset| {
            let apart = other.local.since(offset.local).unsigned_abs() as f64;
            let drift_ns = apart * ns_per_tick * 2.0 * OSCILLATOR_PPM * 1e-6;
            apart < apart_min || offset.error_ns > other.error_ns + drift_ns
        };
        if !kept.iter().any(says_enough) {
            kept.push(offset);
        }
    }
    kept.sort_by_key(|offset| offset.local.0);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn op(enter: i64, bytes: u32) -> Op {
        let (stamp, offered, node, thread, flags) = (record::NULL, 0, 0, 0, 0);
        let (exit, look, wait) = (enter + 1, None, None);
        Op { enter, exit, stamp, bytes, offered, node, thread, flags, look, wait }
    }

    #[test]
    fn points_that_say_less_than_their_neighbours_and_those_that_are_close_are_left_out() {
        let offset = |ms: u64, error_ns: f64| {
            let local = Ticks(ms * 1_000_000);
            Offset { local, remote: Ticks(0), error_ns, exchanges: 1, impossible: 0 }
        };
        let all = [(0, 900.0), (10, 800.0), (1000, 5000.0), (2000, 3_000_000.0), (3000, 4000.0)];
        let kept = useful(all.map(|(ms, error)| offset(ms, error)).to_vec(), 5e8, 1.0);
        let kept: Vec<u64> = kept.iter().map(|one| one.local.0 / 1_000_000).collect();
        assert_eq!(kept, [10, 1000, 3000]);
    }

    #[test]
    fn however_many_calls_there_are_those_that_are_kept_at_both_ends_moved_the_same_bytes() {
        let (mut sent, mut received) = (Calls::from(7), Calls::from(7));
        for at in 0..100_000 {
            sent.push(&op(at, 30));
            // The reader takes them in other pieces, 50 later.
            received.push(&op(at + 50, 20));
            received.push(&op(at + 50, 10));
        }
        assert!(sent.calls.len() <= CALLS_MAX && received.calls.len() <= CALLS_MAX);
        let found: Vec<Passed> = passed(&sent, &received).collect();
        assert!(found.len() > CALLS_MAX / 8, "{}", found.len());
        assert!(found.iter().all(|one| one.read.0 == one.written.0 + 51), "{found:?}");
    }
}
