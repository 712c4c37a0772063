//! Made-up runs, for pages and tests: messages drawn from a seeded generator, and their analysis
//! the simple way (sort and count). The shapes are those that real runs have: several peaks,
//! scheduler ticks, hops, size jumps.

use record::Kind;
use report::{ClockFacts, Facts, Lost};
use stats::Span;
use stats::analysis::*;
use std::collections::{BTreeMap, BTreeSet};

/// One made-up message.
#[derive(Clone, Copy)]
pub struct Message {
    pub launch: u32,
    pub src: u32,
    pub dst: u32,
    pub seq: u64,
    pub bytes: u64,
    pub hops: u64,
    pub queue: u64,
    pub ready_ns: i64,
    pub stage_ns: [i64; 3],
}

/// What kind of run to make up.
#[derive(Clone)]
pub struct Recipe {
    pub workload: &'static str,
    pub transport: &'static str,
    pub messages: u64,
    /// Typical send wait, transit and receive wait.
    pub typical_ns: [f64; 3],
    pub nodes: u32,
    pub launches: u32,
    pub sizes: Vec<u64>,
    pub hops: u64,
    pub seed: u64,
}

impl Recipe {
    pub fn new(
        workload: &'static str,
        transport: &'static str,
        messages: u64,
        typical_ns: [f64; 3],
    ) -> Recipe {
        Recipe {
            workload,
            transport,
            messages,
            typical_ns,
            nodes: 2,
            launches: 5,
            sizes: vec![8],
            hops: 0,
            seed: 7,
        }
    }

    /// The run's messages.
    pub fn make(&self) -> Vec<Message> {
        let mut draw = Draw(self.seed);
        let per_launch = (self.messages / u64::from(self.launches)).max(1);
        (0..self.messages).map(|i| self.message(i, per_launch, &mut draw)).collect()
    }

    fn message(&self, i: u64, per_launch: u64, draw: &mut Draw) -> Message {
        let launch = ((i / per_launch) as u32).min(self.launches - 1);
        let src = (draw.next() % u64::from(self.nodes)) as u32;
        let dst = (src + 1 + (draw.next() % u64::from(self.nodes - 1)) as u32) % self.nodes;
        let bytes = self.sizes[(draw.next() % self.sizes.len() as u64) as usize];
        let hops = if self.hops == 0 { 1 } else { u64::from((src ^ dst).count_ones()) };
        // Each launch lands in its own mode, as launches do.
        let mode = if launch % 3 == 2 { 1.6 } else { 1.0 };
        let copy = bytes as f64 / 3.0 + if bytes > 4040 { 3_700.0 } else { 0.0 };
        let tick = if draw.unit() < 0.0004 {
            4.0e6 * (1.0 + (draw.unit() * 3.0).floor()) * draw.near(1.0, 0.01)
        } else {
            0.0
        };
        let second_peak = if draw.unit() < 0.06 { 2.4 } else { 1.0 };
        let [b, c, d] = self.typical_ns;
        let stage_ns = [
            draw.near(b, 0.25) as i64,
            (draw.near(c * hops as f64 * mode, 0.12) + copy) as i64,
            (draw.near(d * mode * second_peak, 0.2) + tick) as i64,
        ];
        let queue = (-draw.unit().ln() * 3.0) as u64;
        Message {
            launch,
            src,
            dst,
            seq: i,
            bytes,
            hops,
            queue,
            ready_ns: i as i64 * 2_500 + 40_000_000 * i64::from(launch),
            stage_ns,
        }
    }

    /// The facts of the run.
    pub fn facts(&self) -> Facts {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        Facts {
            product: Default::default(),
            name: String::new(),
            workload: self.workload.to_owned(),
            transport: self.transport.to_owned(),
            topology: if self.hops > 0 { "hypercube" } else { "mesh" }.to_owned(),
            nodes: self.nodes as usize,
            launches: self.launches as usize,
            parameters: vec![
                pair("size", "8 B"),
                pair("count", &self.messages.to_string()),
                pair("receive", "polling"),
                pair("warm-up", "1000"),
            ],
            machine: vec![
                pair("Host", "example"),
                pair("Processor", "Example CPU at 2.1 GHz"),
                pair("Cores", "2"),
                pair("Kernel", "Linux 6.1.0"),
                pair("Memory", "24 GiB"),
            ],
            clock: ClockFacts {
                source: "TSC (invariant)".to_owned(),
                step_ns: Some(10.0),
                simulated: false,
                read_cost_ns: Some(9.6),
                error_ns: Some(0.0),
                models: vec![
                    "example/tsc: 2 segments, 0.476 ns a tick, rate error under 0.1 ppm".to_owned(),
                ],
            },
            started: "2026-03-01 12:00:00 +00:00".to_owned(),
            command: format!("fourstamp bench {} --transport {}", self.workload, self.transport),
            program: "fourstamp 0.1.0".to_owned(),
            lost: Lost::default(),
            notes: vec!["node 1 could not be pinned: 2 nodes share 1 free core".to_owned()],
        }
    }
}

/// The analysis of made-up messages.
pub fn analyse(messages: &[Message]) -> Analysis {
    let times = |get: fn(&Message) -> i64| messages.iter().map(get).collect::<Vec<_>>();
    let all: [Vec<i64>; 4] = [
        times(end_to_end),
        times(|m| m.stage_ns[0]),
        times(|m| m.stage_ns[1]),
        times(|m| m.stage_ns[2]),
    ];
    let stages = STAGES.iter().zip(&all).map(|(stage, times)| view(*stage, times)).collect();
    let span_ns = messages
        .first()
        .zip(messages.last())
        .map(|(a, b)| (a.ready_ns, b.ready_ns + end_to_end(b)));
    let mut analysis = Analysis {
        messages: messages.len() as u64,
        population: population(messages),
        span_ns,
        anomalies: Anomalies::default(),
        finding: finding(messages),
        stages,
        cycles: None,
        shares: shares(messages),
        breakdowns: Vec::new(),
        facets: facets(messages),
        counts: vec![queue_lengths(messages)],
        sends: None,
        series: series(messages),
        slowest: slowest(messages),
        launches: launches(messages),
        sizes: Vec::new(),
        sweep: None,
    };
    analysis.breakdowns.extend(breakdown(messages, By::Hops, |m| m.hops.to_string()));
    analysis.breakdowns.extend(breakdown(messages, By::Pair, |m| format!("{} → {}", m.src, m.dst)));
    analysis
}

/// The same with whole cycles of about twice the end-to-end time.
pub fn with_cycles(mut analysis: Analysis, messages: &[Message]) -> Analysis {
    let cycles: Vec<i64> =
        messages.chunks_exact(2).map(|pair| end_to_end(&pair[0]) + end_to_end(&pair[1])).collect();
    analysis.cycles = Some(view(Stage::EndToEnd, &cycles));
    analysis
}

/// The same with times between sends.
pub fn with_sends(mut analysis: Analysis, seed: u64) -> Analysis {
    let mut draw = Draw(seed);
    let intervals: Vec<i64> = (0..20_000).map(|_| draw.near(900.0, 0.4) as i64).collect();
    let served: Vec<i64> = intervals.iter().map(|ns| ns / 2).collect();
    analysis.sends = Some(SendView {
        interval: view(Stage::EndToEnd, &intervals),
        per_served: Some(view(Stage::EndToEnd, &served)),
        served: vec![(0, 4_000), (1, 9_000), (2, 5_000), (3, 1_500), (4, 500)],
        pauses: None,
        by_served: [(0, 4_000), (1, 9_000), (2, 5_000)].map(served_time).to_vec(),
        rates: vec![SendRate {
            node: 0,
            to: Some(1),
            messages: 20_001,
            pauses: 0,
            mean_ns: 14_000.0,
            interval_ns: Some((13_500.0, 14_500.0)),
            per_s: 1e9 / 14_000.0,
        }],
    });
    analysis
}

fn served_time((served, count): (u64, u64)) -> ServedTime {
    let median = 2_000 + 9_000 * served as i64;
    ServedTime { served, count, quartiles_ns: [median - 500, median, median + 900] }
}

/// The same with sizes against time.
pub fn with_sizes(mut analysis: Analysis, messages: &[Message]) -> Analysis {
    let mut sizes: Vec<u64> = messages.iter().map(|m| m.bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for bytes in sizes {
        let mut times: Vec<i64> =
            messages.iter().filter(|m| m.bytes == bytes).map(end_to_end).collect();
        times.sort_unstable();
        let p50_ns = at(&times, 0.5);
        let before = analysis.sizes.last().map_or(p50_ns, |point| point.p50_ns);
        analysis.sizes.push(SizePoint {
            bytes,
            count: times.len() as u64,
            p50_ns,
            p99_ns: at(&times, 0.99),
            min_ns: times[0],
            jump: p50_ns as f64 / before as f64 - 1.0,
        });
    }
    analysis
}

const STAGES: [Stage; 4] = [Stage::EndToEnd, Stage::SendWait, Stage::Transit, Stage::ReceiveWait];
const QUANTILES: [f64; 6] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];

fn end_to_end(message: &Message) -> i64 {
    message.stage_ns.iter().sum()
}

fn at(sorted: &[i64], p: f64) -> i64 {
    sorted[((sorted.len() as f64 * p) as usize).min(sorted.len() - 1)]
}

fn view(stage: Stage, times: &[i64]) -> StageView {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let n = sorted.len();
    let cuts = [0, (n as f64 * 0.95).round() as usize, (n as f64 * 0.999).round() as usize, n];
    let pieces = [Piece::Fastest95, Piece::Middle, Piece::Slowest]
        .into_iter()
        .zip(cuts.windows(2))
        .filter(|(_, cut)| cut[1] > cut[0])
        .map(|(piece, cut)| {
            let part = &sorted[cut[0]..cut[1]];
            PieceView {
                piece,
                count: part.len() as u64,
                linear_bins: linear_bins(part),
                log_bins: log_bins(part),
            }
        })
        .collect();
    let tail = (0..200)
        .map(|i| {
            (n as f64 * (1.0 - 10f64.powf(-f64::from(i) * (n as f64).log10() / 200.0))) as usize
        })
        .map(|i| (sorted[i] as f64, (n - i) as f64 / n as f64))
        .collect();
    StageView {
        stage,
        summary: summary(&sorted),
        pieces,
        log_bins: log_bins(&sorted),
        tail,
        peaks: Vec::new(),
    }
}

fn summary(sorted: &[i64]) -> Summary {
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<i64>() as f64 / n;
    let variance = sorted.iter().map(|ns| (*ns as f64 - mean).powi(2)).sum::<f64>() / n;
    let quantiles = QUANTILES
        .iter()
        .filter(|p| n * (1.0 - **p) >= 9.999 || **p == 0.5)
        .map(|p| {
            let value_ns = at(sorted, *p);
            let interval_ns = (n > 1000.0).then_some((value_ns * 95 / 100, value_ns * 108 / 100));
            Quantile { p: *p, value_ns, interval_ns }
        })
        .collect();
    Summary {
        count: sorted.len() as u64,
        total_ns: mean * n,
        min_ns: sorted[0],
        max_ns: sorted[sorted.len() - 1],
        mean_ns: mean,
        sd_ns: variance.sqrt(),
        quantiles,
        effective_count: (n > 1000.0).then_some(n / 3.0),
    }
}

fn linear_bins(sorted: &[i64]) -> Vec<Bin> {
    let (low, high) = (sorted[0] as f64, sorted[sorted.len() - 1] as f64 + 1.0);
    let n = 100.min((high - low) as usize).max(1);
    let width = (high - low) / n as f64;
    count_into((0..=n).map(|i| low + width * i as f64).collect(), sorted)
}

fn log_bins(sorted: &[i64]) -> Vec<Bin> {
    let (low, high) = (sorted[0].max(1) as f64, sorted[sorted.len() - 1] as f64 + 1.0);
    let n = 100;
    count_into(
        (0..=n).map(|i| low * (high / low).powf(f64::from(i) / f64::from(n))).collect(),
        sorted,
    )
}

fn count_into(edges: Vec<f64>, sorted: &[i64]) -> Vec<Bin> {
    let below = |edge: f64| sorted.partition_point(|ns| (*ns as f64) < edge);
    edges
        .windows(2)
        .map(|edge| Bin {
            from: edge[0],
            to: edge[1],
            count: (below(edge[1]) - below(edge[0])) as u64,
        })
        .collect()
}

fn population(messages: &[Message]) -> Population {
    let count = messages.len() as u64;
    let group =
        PopulationGroup { kind: Kind::Data, within_node: false, messages: count, taken: count };
    Population { groups: vec![group], ..Population::default() }
}

fn finding(messages: &[Message]) -> Option<Finding> {
    if messages.is_empty() {
        return None;
    }
    let mut sorted = messages.to_vec();
    sorted.sort_by_key(|m| -end_to_end(m));
    let tail = &sorted[..(messages.len() / 1000).max(10).min(messages.len())];
    let (i, _) = largest(messages);
    let (tail_i, tail_share) = largest(tail);
    let whole = |ms: &[Message]| ms.iter().map(end_to_end).sum::<i64>() as f64;
    let times: [f64; 3] =
        [0, 1, 2].map(|at| messages.iter().map(|m| m.stage_ns[at]).sum::<i64>() as f64);
    let is_largest = |m: &Message, at: usize| {
        (0..3).all(|other| other == at || m.stage_ns[at] > m.stage_ns[other])
    };
    let of_messages = |at: usize| messages.iter().filter(|m| is_largest(m, at)).count() as f64;
    let is_half = |m: &&Message, at: usize| 2 * m.stage_ns[at] > end_to_end(m);
    let of_halves = |at: usize| messages.iter().filter(|m| is_half(m, at)).count() as f64;
    Some(Finding {
        stage: STAGES[i + 1],
        time: times.map(|time| time / whole(messages)),
        messages: [0, 1, 2].map(|at| of_messages(at) / messages.len() as f64),
        halves: [0, 1, 2].map(|at| of_halves(at) / messages.len() as f64),
        tail_stage: STAGES[tail_i + 1],
        tail_share,
        tail_weight: whole(tail) / whole(messages),
    })
}

fn largest(messages: &[Message]) -> (usize, f64) {
    let total = |i: usize| messages.iter().map(|m| m.stage_ns[i]).sum::<i64>();
    let whole: i64 = (0..3).map(total).sum();
    let i = (0..3).max_by_key(|i| total(*i)).unwrap_or(0);
    (i, total(i) as f64 / whole as f64)
}

fn shares(messages: &[Message]) -> Vec<Share> {
    let mut sorted = messages.to_vec();
    sorted.sort_by_key(end_to_end);
    let n = sorted.len();
    let cuts = [0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0];
    cuts.windows(2)
        .filter_map(|cut| {
            let part = &sorted[(n as f64 * cut[0]) as usize..(n as f64 * cut[1]) as usize];
            let mean = |get: &dyn Fn(&Message) -> i64| {
                part.iter().map(get).sum::<i64>() as f64 / part.len() as f64
            };
            (!part.is_empty()).then(|| Share {
                from_p: cut[0],
                to_p: cut[1],
                count: part.len() as u64,
                mean_ns: mean(&end_to_end),
                stage_mean_ns: [0, 1, 2].map(|i| mean(&|m| m.stage_ns[i])),
            })
        })
        .collect()
}

fn series(messages: &[Message]) -> Vec<SeriesBin> {
    messages
        .chunks((messages.len() / 200).max(1))
        .map(|part| {
            let mut times: Vec<i64> = part.iter().map(end_to_end).collect();
            times.sort_unstable();
            SeriesBin {
                from_ns: part[0].ready_ns,
                to_ns: part[part.len() - 1].ready_ns + 1,
                count: part.len() as u64,
                p50_ns: at(&times, 0.5),
                p99_ns: at(&times, 0.99),
                max_ns: times[times.len() - 1],
            }
        })
        .collect()
}

fn slowest(messages: &[Message]) -> Vec<SlowMessage> {
    let mut sorted = messages.to_vec();
    sorted.sort_by_key(|m| -end_to_end(m));
    sorted
        .iter()
        .take(20)
        .map(|m| SlowMessage {
            launch: m.launch,
            src: m.src,
            dst: m.dst,
            seq: m.seq,
            bytes: m.bytes,
            ready_ns: m.ready_ns,
            stage_ns: [end_to_end(m), m.stage_ns[0], m.stage_ns[1], m.stage_ns[2]].map(Some),
        })
        .collect()
}

fn launches(messages: &[Message]) -> LaunchSpread {
    let mut spread =
        LaunchSpread { between: Some(0.23), within: Some(0.014), ..LaunchSpread::default() };
    for part in messages.chunk_by(|a, b| a.launch == b.launch) {
        let mut times: Vec<i64> = part.iter().map(end_to_end).collect();
        times.sort_unstable();
        spread.launches.push((part[0].launch, summary(&times)));
    }
    spread
}

fn queue_lengths(messages: &[Message]) -> CountView {
    let max = messages.iter().map(|m| m.queue).max().unwrap_or(0);
    let mut counts = vec![0; max as usize + 1];
    messages.iter().for_each(|m| counts[m.queue as usize] += 1);
    let bars = (0..).zip(counts).map(|(q, count)| (q, q, count)).collect();
    let mean = messages.iter().map(|m| m.queue).sum::<u64>() as f64 / messages.len().max(1) as f64;
    CountView { of: Counted::QueueLength, bars, mean, max }
}

fn breakdown(messages: &[Message], by: By, label: fn(&Message) -> String) -> Option<Breakdown> {
    let mut labelled: BTreeMap<String, Vec<&Message>> = BTreeMap::new();
    messages.iter().for_each(|m| labelled.entry(label(m)).or_default().push(m));
    let transit = |messages: &mut dyn Iterator<Item = &Message>| {
        let mut times: Vec<i64> = messages.map(|m| m.stage_ns[1]).collect();
        times.sort_unstable();
        times
    };
    let every = log_bins(&transit(&mut messages.iter()));
    let edges: Vec<f64> = every.iter().map(|b| b.from).chain(every.last().map(|b| b.to)).collect();
    let groups: Vec<Group> = labelled
        .into_iter()
        .zip(0..)
        .map(|((label, messages), at)| Group {
            key: (at, 0),
            label,
            stages: group_stages(&messages),
            bins: count_into(edges.clone(), &transit(&mut messages.iter().copied())),
        })
        .collect();
    (groups.len() > 1).then_some(Breakdown { by, groups, left_out: (0, 0) })
}

/// The messages by pair and size, their times to 2^-5.
fn facets(messages: &[Message]) -> Facets {
    let bin = |ns: i64| {
        let width = 1 << (64 - ns.leading_zeros()).saturating_sub(6);
        (ns / width * width, ns / width * width + width - 1)
    };
    let stages = |m: &Message| [end_to_end(m), m.stage_ns[0], m.stage_ns[1], m.stage_ns[2]];
    let pairs: BTreeSet<(u32, u32)> = messages.iter().map(|m| (m.src, m.dst)).collect();
    let sizes: BTreeSet<u64> = messages.iter().map(|m| m.bytes).collect();
    let bins: BTreeSet<(i64, i64)> = messages.iter().flat_map(stages).map(bin).collect();
    let bins: Vec<(i64, i64)> = bins.into_iter().collect();
    let binned = |times: Vec<i64>| {
        let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
        for ns in &times {
            let at = bins.binary_search(&bin(*ns)).expect("every time has its bin");
            *counts.entry(at).or_default() += 1;
        }
        let ends = times.iter().min().zip(times.iter().max());
        let (min_ns, max_ns) = ends.map_or((0, 0), |(min, max)| (*min, *max));
        Binned { min_ns, max_ns, counts: counts.into_iter().collect() }
    };
    let mut by_cell: BTreeMap<((u32, u32), u64), Vec<&Message>> = BTreeMap::new();
    messages.iter().for_each(|m| by_cell.entry(((m.src, m.dst), m.bytes)).or_default().push(m));
    let mut cells = Vec::new();
    for (pair, of_pair) in pairs.iter().enumerate() {
        for (size, bytes) in sizes.iter().enumerate() {
            let kept = by_cell.remove(&(*of_pair, *bytes)).unwrap_or_default();
            let times = |at: usize| kept.iter().map(|m| stages(m)[at]).collect();
            let all = STAGES.iter().enumerate().map(|(at, stage)| (*stage, binned(times(at))));
            if !kept.is_empty() {
                let of = [Some(pair), Some(0), Some(size)];
                cells.push(FacetCell { of, messages: kept.len() as u64, stages: all.collect() });
            }
        }
    }
    Facets {
        pairs: pairs.into_iter().collect(),
        kinds: vec![Kind::Data],
        sizes: sizes.into_iter().map(|bytes| Span { from: bytes, to: bytes }).collect(),
        bins,
        cells,
    }
}

fn group_stages(kept: &[&Message]) -> Vec<(Stage, Summary)> {
    STAGES
        .iter()
        .enumerate()
        .map(|(i, stage)| {
            let mut times: Vec<i64> = kept
                .iter()
                .map(|m| if i == 0 { end_to_end(m) } else { m.stage_ns[i - 1] })
                .collect();
            times.sort_unstable();
            (*stage, summary(&times))
        })
        .collect()
}

/// A small generator with a fixed stream (splitmix64).
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0, at most 1.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Around `typical`, with a tail to the right.
    pub fn near(&mut self, typical: f64, spread: f64) -> f64 {
        let normal = (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos();
        typical * (spread * normal).exp()
    }
}
