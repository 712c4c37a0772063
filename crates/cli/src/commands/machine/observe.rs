//! What a recorded benchmark shows of the machine that it ran on: stretches of messages of one
//! size, each with its medians.

use super::crowded::without_core;
use crate::analyse::open;
use anyhow::{Result, bail};
use fabric::Stretch;
use record::{Batch, Field, Kind, NULL, Run};
use std::collections::BTreeMap;
use std::path::Path;

/// Into how many stretches a launch is cut.
const STRETCHES: usize = 12;
/// Messages that a median takes.
const LEAST: usize = 8;
/// One message in so many must find its receiver at work.
const BEHIND: usize = 4;
/// A sender that waited for longer found no room, ns.
const WAITED: i64 = 500;

/// A benchmark that has been read.
pub struct Observed {
    /// Its folder's name.
    pub name: String,
    pub run: Run,
    pub stretches: Vec<Stretch>,
    /// Bound of the error of a moment of arrival, ns.
    pub arrival_error: f64,
    /// The part of the nodes' time in which one had no core, where that was seen.
    pub without_core: Option<f64>,
}

/// A message's stamps and what goes with them.
#[derive(Clone, Copy)]
struct Message {
    src: i64,
    dst: i64,
    bytes: u64,
    ready: i64,
    sent: i64,
    arrived: i64,
    taken: i64,
    packets: i64,
    under_way: i64,
}

/// A round trip.
#[derive(Clone, Copy)]
struct Trip {
    begin: i64,
    end: i64,
    bytes: u64,
}

/// What a launch recorded.
#[derive(Default)]
struct Seen {
    messages: Vec<Message>,
    trips: Vec<Trip>,
    errors: Vec<f64>,
}

/// Read a run. `number` tells it from the others.
pub fn observe(path: &Path, number: u32) -> Result<Observed> {
    let run = open(path)?;
    refuse(path, &run)?;
    let launches = read(&run)?;
    let (mut stretches, mut errors) = (Vec::new(), Vec::new());
    for (launch, seen) in launches {
        let of = Stretch { run: number, launch, ..Stretch::default() };
        stretches.extend(match run.info.workload.as_str() {
            "pingpong" | "sweep" => {
                // Waiting for a message is seen in these alone.
                errors.extend(&seen.errors);
                seen.round_trips(&of)
            }
            "relay" => seen.first_legs(&of),
            _ => seen.one_way(&of, &run),
        });
    }
    if stretches.is_empty() {
        bail!(
            "{}: shows nothing of a machine: it has fewer than {LEAST} messages of one size with \
            their stamps; record it without --no-record, and longer",
            path.display()
        );
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let without_core = without_core(&run)?;
    let arrival_error = median(errors).unwrap_or(0.0);
    Ok(Observed { name, run, stretches, arrival_error, without_core })
}

/// Runs that say nothing of what sending and receiving take.
fn refuse(path: &Path, run: &Run) -> Result<()> {
    let info = &run.info;
    let name = path.display();
    let workloads = ["pingpong", "sweep", "stream", "burst", "relay"];
    if !workloads.contains(&info.workload.as_str()) {
        bail!(
            "{name} is a run of '{}': a machine is made of runs of `fourstamp bench` sweep, \
            pingpong, stream, burst and relay",
            info.workload
        );
    }
    let given = |name: &str| info.parameters.get(name).filter(|value| !value.is_null());
    let more = |name: &str| given(name).and_then(serde_json::Value::as_u64).unwrap_or(1) > 1;
    let set = |name: &str| given(name).and_then(serde_json::Value::as_bool) == Some(true);
    for (found, option) in [
        (given("rate_per_s").is_some(), "--rate"),
        (more("batch"), "--batch"),
        (set("all"), "--all"),
        (given("plant").is_some(), "--plant"),
        (info.topology == "hypercube", "--topology hypercube"),
    ] {
        if found {
            bail!(
                "{name} was recorded with {option}, which hides what sending takes: record it \
                without"
            );
        }
    }
    Ok(())
}

fn read(run: &Run) -> Result<BTreeMap<u32, Seen>> {
    const FIELDS: [Field; 11] = [
        Field::Src,
        Field::Dst,
        Field::Bytes,
        Field::ReadyNs,
        Field::SentNs,
        Field::ArrivedNs,
        Field::TakenNs,
        Field::Packets,
        Field::InFlight,
        Field::Kind,
        Field::ArrivedErrorNs,
    ];
    let (mut batch, mut launches) = (Batch::new(), BTreeMap::<u32, Seen>::new());
    for chunk in run.chunks() {
        chunk.read(&FIELDS, &mut batch)?;
        let seen = launches.entry(chunk.launch()).or_default();
        for row in 0..chunk.rows() {
            seen.add(FIELDS.map(|field| batch.column(field).at(row)));
        }
    }
    for seen in launches.values_mut() {
        seen.messages.sort_unstable_by_key(|message| message.ready);
        seen.trips.sort_unstable_by_key(|trip| trip.begin);
    }
    Ok(launches)
}

impl Seen {
    fn add(&mut self, row: [i64; 11]) {
        let [src, dst, bytes, ready, sent, arrived, taken, packets, under_way, kind, error] = row;
        let bytes = bytes.max(0) as u64;
        if kind == Kind::Cycle as i64 {
            self.trips.push(Trip { begin: ready, end: taken, bytes });
        } else if kind == Kind::Data as i64
            && [ready, sent, arrived, taken].iter().all(|at| *at != NULL)
        {
            self.errors.push(if error == NULL { 0.0 } else { error as f64 });
            let message =
                Message { src, dst, bytes, ready, sent, arrived, taken, packets, under_way };
            self.messages.push(message);
        }
    }

    /// Of ping-pongs: what is in the middle of a stretch of round trips of one size belongs to it.
    fn round_trips(&self, of: &Stretch) -> Vec<Stretch> {
        let usual = self.trips.len() / STRETCHES;
        let alike = self.trips.chunk_by(|one, next| one.bytes == next.bytes);
        let parts = alike.flat_map(|visit| even(visit, visit.len() / usual.max(1), LEAST));
        let stretch = |trips: &[Trip]| {
            let (first, last) = (trips.first()?, trips.last()?);
            let from = self.messages.partition_point(|message| message.ready < first.begin);
            let to = self.messages.partition_point(|message| message.ready < last.end);
            let messages: Vec<&Message> =
                self.messages[from..to].iter().filter(|one| one.bytes == first.bytes).collect();
            let half = trips.iter().map(|trip| (trip.end - trip.begin) as f64 / 2.0);
            let receive = messages.iter().map(|one| (one.taken - one.arrived) as f64);
            Some(Stretch {
                bytes: first.bytes,
                packets: packets(messages.iter().copied()),
                one_way: median(half.collect()),
                receive: median(receive.collect()),
                ..of.clone()
            })
        };
        parts.filter_map(stretch).collect()
    }

    /// Of relays: node 0 sends to 1 and then to 2.
    fn first_legs(&self, of: &Stretch) -> Vec<Stretch> {
        let sent: Vec<Message> =
            self.messages.iter().filter(|message| message.src == 0).copied().collect();
        let stretch = |part: &[Message]| {
            let both = part.windows(2).filter(|pair| (pair[0].dst, pair[1].dst) == (1, 2));
            let took: Vec<f64> = both.map(|pair| (pair[1].ready - pair[0].sent) as f64).collect();
            Some(Stretch {
                bytes: part.first()?.bytes,
                packets: packets(part.iter()),
                sending: usual(took),
                ..of.clone()
            })
        };
        let parts = even(&sent, STRETCHES, 2 * LEAST);
        parts.filter_map(stretch).filter(|one| one.sending.is_some()).collect()
    }

    /// Of streams and bursts, sender by sender.
    fn one_way(&self, of: &Stretch, run: &Run) -> Vec<Stretch> {
        let gap = run.info.parameters.get("gap_us").and_then(serde_json::Value::as_i64);
        let mut senders: BTreeMap<i64, Vec<Message>> = BTreeMap::new();
        for message in &self.messages {
            senders.entry(message.src).or_default().push(*message);
        }
        let stretches = senders.values().flat_map(|sent| {
            // No chance is in simulated time: there is nothing to resample.
            let parts = if run.info.simulated_on.is_null() { STRETCHES } else { 1 };
            even(sent, parts, LEAST)
        });
        stretches.map(|part| flow(part, gap, of)).collect()
    }
}

/// `items` in `parts` stretches, or in fewer of at least so many items each; none where there are
/// not so many. They are equally long: in a short one a stream that comes in lumps takes no time.
fn even<T>(items: &[T], parts: usize, least: usize) -> impl Iterator<Item = &[T]> {
    let (len, parts) = (items.len(), parts.max(1).min(items.len() / least));
    (0..parts).map(move |at| &items[at * len / parts..(at + 1) * len / parts])
}

/// A stretch of one sender's messages; `gap` is the pause after each burst, µs.
fn flow(part: &[Message], gap: Option<i64>, of: &Stretch) -> Stretch {
    // Half of a pause is longer than any sending within a burst.
    let pause = gap.filter(|gap| *gap > 0).map_or(i64::MAX, |gap| gap * 500);
    let within = |took: i64| (took < pause).then_some(took as f64);
    let pairs = || part.windows(2).map(|pair| (pair[0], pair[1]));
    let sending = pairs().filter_map(|(one, next)| within(next.ready - one.sent));
    let taking: Vec<f64> = pairs()
        .filter(|(one, next)| next.arrived <= one.taken)
        .filter_map(|(one, next)| within(next.taken - one.taken))
        .collect();
    // A receiver that is seldom behind shows what delayed it, not what it takes.
    let taking = if taking.len() * BEHIND < part.len() { Vec::new() } else { taking };
    let waited = || part.iter().filter(|one| one.sent - one.ready > WAITED && one.under_way > 0);
    // In the order of their pair, so arrivals ascend with them.
    let not_arrived = waited().map(|one| {
        let sent = part.partition_point(|other| other.ready < one.ready);
        let there = part.partition_point(|other| other.arrived <= one.sent);
        sent.saturating_sub(there) as f64
    });
    let stream = gap.is_none() && part.len() > 1;
    let messages = (part.len() - 1).max(1) as f64;
    let longest = pairs().map(|(one, next)| next.taken - one.taken).max().unwrap_or(0);
    Stretch {
        bytes: part.first().map_or(0, |one| one.bytes),
        packets: packets(part.iter()),
        sending: usual(sending.collect()),
        taking: usual(taking),
        passing: stream.then(|| (part[part.len() - 1].taken - part[0].taken) as f64 / messages),
        // Its first and its last message may each have been held up.
        passing_error: stream.then(|| longest as f64 / messages),
        crowd: part.iter().map(|one| one.under_way.max(0) as u32).max(),
        under_way: median(waited().map(|one| one.under_way as f64).collect()).map(|one| one as u32),
        not_arrived: median(not_arrived.collect()).map(|one| one as u32),
        ..of.clone()
    }
}

/// Packets of most of them; 0: not recorded.
fn packets<'a>(messages: impl Iterator<Item = &'a Message>) -> u32 {
    let counted = messages.filter(|one| one.packets != NULL).map(|one| one.packets as f64);
    median(counted.collect()).unwrap_or(0.0) as u32
}

/// The mean of the middle nine tenths: what a stream takes is the sum of them all, of which some
/// may be lumps, but what stopped it now and then is no part of it.
fn usual(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let off = values.len() / 20;
    let middle = &values[off..values.len() - off];
    (values.len() >= LEAST).then(|| middle.iter().sum::<f64>() / middle.len() as f64)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_are_equally_long_and_all_of_it() {
        for (items, parts, least) in [(20_000, 12, 8), (2000, 12, 8), (31, 12, 8), (8, 12, 8)] {
            let all: Vec<u32> = (0..items).collect();
            let parts: Vec<&[u32]> = even(&all, parts, least).collect();
            let (short, long) = (parts.iter().map(|part| part.len()).min(), parts[0].len());
            assert!(
                short >= Some(least) && short.is_some_and(|short| short + 1 >= long),
                "{items}"
            );
            assert_eq!(parts.concat(), all);
        }
        assert_eq!(even(&[1; 7], 12, 8).count(), 0);
    }
}
