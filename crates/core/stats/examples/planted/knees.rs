//! Knees at known sizes, packets of a known payload: how often they are found within their bytes,
//! and how many are found in straight lines.

use fourstamp_stats::analysis::Sweep;
use fourstamp_stats::knees::{Point, fit, next_size};

use crate::draw::Draw;

/// A way that time grows with size.
#[derive(Debug)]
struct Truth {
    base: f64,
    slope: f64,
    /// Largest size before, jump as a part of the time there, factor on the slope.
    knees: Vec<(u64, f64, f64)>,
    /// Payload of a packet, header of a message, cost of a packet.
    packets: Option<(u64, u64, f64)>,
    /// Standard deviation of a visit's median, as a part.
    noise: f64,
}

/// Counts over many seeds.
#[derive(Debug, Default)]
pub struct Rates {
    pub runs: usize,
    pub planted: usize,
    /// Knees whose bracket holds the truth; whose bracket is at most 16 bytes wide beside.
    pub found: usize,
    pub close: usize,
    /// Jumps whose interval holds the truth, of the found.
    pub jumps_held: usize,
    pub false_knees: usize,
    /// Sizes that were measured, in all.
    pub sizes: usize,
    /// Runs with packets: planted, found, payload within its interval.
    pub packets: [usize; 3],
}

const LARGEST: u64 = 1 << 16;
const VISITS: usize = 3;
const BUDGET: usize = 64;

/// Sweeps with one to three knees, refined as `bench sweep` does.
pub fn planted(seeds: std::ops::Range<u64>) -> Rates {
    over(seeds, |draw| {
        let mut knees: Vec<(u64, f64, f64)> = Vec::new();
        for _ in 0..draw.one_of(&[1, 2, 3]) {
            let at = 2_f64.powf(draw.between(5.0, 15.5)) as u64;
            // Eight grid sizes between two knees, so that each segment has sizes of its own.
            if knees.iter().all(|(other, ..)| (at as f64 / *other as f64).log2().abs() > 3.0) {
                knees.push((at, draw.between(0.06, 1.0), draw.one_of(&[0.5, 1.0, 2.0])));
            }
        }
        knees.sort_unstable_by_key(|knee| knee.0);
        Truth { knees, ..straight(draw) }
    })
}

/// Straight lines: every knee is false.
pub fn clean(seeds: std::ops::Range<u64>) -> Rates {
    over(seeds, straight)
}

/// A slow link whose packets carry 1400 to 1460 bytes.
pub fn packets(seeds: std::ops::Range<u64>) -> Rates {
    over(seeds, |draw| {
        let payload = draw.between(1400.0, 1460.0) as u64;
        let header = draw.one_of(&[0, 12, 44]);
        Truth {
            base: draw.between(100_000.0, 300_000.0),
            slope: draw.between(800.0, 1700.0),
            knees: Vec::new(),
            packets: Some((payload, header, draw.between(90_000.0, 130_000.0))),
            noise: draw.between(0.0005, 0.003),
        }
    })
}

fn straight(draw: &mut Draw) -> Truth {
    Truth {
        base: 10_f64.powf(draw.between(2.5, 4.5)),
        slope: 10_f64.powf(draw.between(-2.0, 0.5)),
        knees: Vec::new(),
        packets: None,
        noise: draw.between(0.002, 0.02),
    }
}

fn over(seeds: std::ops::Range<u64>, truth: impl Fn(&mut Draw) -> Truth) -> Rates {
    let mut rates = Rates::default();
    for seed in seeds {
        let mut draw = Draw::new(0x5eed + seed);
        let truth = truth(&mut draw);
        let points = truth.measured(&mut draw);
        let sweep = fit(&points, true).expect("enough sizes");
        if std::env::var("SHOW").is_ok() {
            println!("seed {seed}: {truth:?}\n  {sweep:?}");
        }
        rates.count(&truth, &sweep, points.len());
    }
    rates
}

impl Truth {
    fn at(&self, bytes: u64) -> f64 {
        let (mut base, mut slope) = (self.base, self.slope);
        for &(place, jump, factor) in self.knees.iter().filter(|(place, ..)| bytes > *place) {
            let before = base + slope * place as f64;
            slope *= factor;
            base = before * (1.0 + jump) - slope * place as f64;
        }
        let packets = self.packets.map_or(0.0, |(payload, header, cost)| {
            cost * ((bytes + header).div_ceil(payload).max(1) - 1) as f64
        });
        base + slope * bytes as f64 + packets
    }

    fn visit(&self, draw: &mut Draw, bytes: u64) -> [f64; 2] {
        let median = self.at(bytes) * (1.0 + self.noise * draw.normal());
        [median, median * 1.3 * (1.0 + 4.0 * self.noise * draw.normal())]
    }

    fn measured(&self, draw: &mut Draw) -> Vec<Point> {
        // A slow link is swept over fewer sizes.
        let largest = if self.packets.is_some() { 16_384 } else { LARGEST };
        let mut points: Vec<Point> = Vec::new();
        let mut sizes: Vec<u64> =
            (0..=16).flat_map(|power| [1 << power, 3 << power >> 1]).collect();
        sizes.push(0);
        sizes.retain(|size| *size <= largest);
        sizes.sort_unstable();
        sizes.dedup();
        sizes.iter().for_each(|&bytes| self.measure(draw, &mut points, bytes));
        for _ in 0..BUDGET {
            let next = fit(&points, true).and_then(|sweep| next_size(&points, &sweep, VISITS));
            let Some(bytes) = next else { break };
            self.measure(draw, &mut points, bytes);
        }
        points
    }

    fn measure(&self, draw: &mut Draw, points: &mut Vec<Point>, bytes: u64) {
        let visits: Vec<[f64; 2]> = (0..VISITS).map(|_| self.visit(draw, bytes)).collect();
        match points.binary_search_by_key(&bytes, |point| point.bytes) {
            Ok(at) => points[at].visits.extend(visits),
            Err(at) => points.insert(at, Point { bytes, values: [0.0; 2], visits }),
        }
        let at = points.partition_point(|point| point.bytes < bytes);
        points[at].values = [0, 1].map(|which| middle(&points[at].visits, which));
    }
}

fn middle(visits: &[[f64; 2]], which: usize) -> f64 {
    let mut values: Vec<f64> = visits.iter().map(|visit| visit[which]).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl Rates {
    fn count(&mut self, truth: &Truth, sweep: &Sweep, sizes: usize) {
        self.runs += 1;
        self.sizes += sizes;
        let mut right = 0;
        for &(place, jump, _) in &truth.knees {
            self.planted += 1;
            let holds = |knee: &&fourstamp_stats::analysis::Knee| {
                knee.before_bytes <= place && place < knee.after_bytes
            };
            let Some(knee) = sweep.knees.iter().find(holds) else { continue };
            right += 1;
            self.found += 1;
            self.close += usize::from(knee.after_bytes - knee.before_bytes <= 16);
            let jump_ns = jump * truth.at(place);
            let (_, low, high) = knee.jump_ns;
            self.jumps_held += usize::from(low <= jump_ns && jump_ns <= high);
        }
        if truth.packets.is_none() {
            self.false_knees +=
                sweep.knees.iter().filter(|knee| knee.jumps()).count().saturating_sub(right);
        }
        if let Some((payload, ..)) = truth.packets {
            let (low, high) = sweep.packets.map_or((0.0, 0.0), |packets| packets.payload_interval);
            self.packets[0] += 1;
            self.packets[1] += usize::from(sweep.packets.is_some());
            self.packets[2] += usize::from(low <= payload as f64 && payload as f64 <= high);
        }
    }
}
