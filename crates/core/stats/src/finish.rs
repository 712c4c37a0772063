//! From what was gathered to what is shown.

use crate::accumulator::{Accumulator, Gathered, Options};
use crate::analysis::{
    Analysis, By, CountView, Counted, LaunchSpread, SendView, SizePoint, Stage, StageView, Summary,
};
use crate::blocks::{Blocks, CYCLES};
use crate::bootstrap::Resamples;
use crate::breakdown::breakdowns;
use crate::distribution::Distribution;
use crate::groups::Grouping;
use crate::knees;
use crate::launches::LAUNCHES_LEAST;
use crate::peaks;
use crate::product::Tally;
use crate::sends::Sends;
use crate::spread;
use crate::stages::STAGES;
use crate::summary::{summary, view};

/// Most bars of a count.
const BARS: u64 = 100;

impl Accumulator {
    /// What was found.
    pub fn finish(self) -> Analysis {
        self.finish_all().0
    }

    /// What was found, and the tallies in the order in which they were given.
    pub fn finish_all(self) -> (Analysis, Vec<Box<dyn Tally>>) {
        let (gathered, options, tallies) = self.into_parts();
        (analysis(gathered, &options), tallies)
    }
}

/// Work out the analysis.
fn analysis(gathered: Gathered, options: &Options) -> Analysis {
    let Gathered { whole, mut messages, cycles, blocks } = gathered;
    let resamples = Resamples::draw(&blocks.plan, options.seed, options.resamples);
    let with_intervals = |at: usize, stage: Stage, of: &Distribution| {
        view(stage, of).map(|view| add_intervals(view, of, &blocks, at, &resamples))
    };
    // A traced program hands a message over in the very call that makes it: a send wait that is
    // always 0 says nothing.
    let send_wait = messages.stages[1].moments();
    let traced = options.traced;
    let without_send_wait = traced && (send_wait.min, send_wait.max) == (0, 0);
    let says_something = |stage: Stage| !(without_send_wait && stage == Stage::SendWait);
    let mut breakdowns = breakdowns(&mut messages.groupings);
    let groups = breakdowns.iter_mut().flat_map(|breakdown| &mut breakdown.groups);
    groups.for_each(|group| group.stages.retain(|(stage, _)| says_something(*stage)));
    let facets = messages.groupings.joint().shown(says_something);
    let stages = STAGES.iter().zip(&messages.stages).enumerate();
    let stages = stages.filter(|(_, (stage, _))| says_something(**stage));
    let launch_spread = if cycles.all.count() > 0 {
        launches(&cycles.by_launch, &blocks, CYCLES)
    } else {
        launches(messages.groupings.by(By::Launch), &blocks, 0)
    };
    // Messages of different sizes are different messages of a program; only a sweep sends the same
    // in all sizes.
    let by_size = match traced {
        true => None,
        false if cycles.all.count() > 0 => Some(&cycles.by_bytes),
        false => Some(messages.groupings.by(By::Bytes)),
    }
    .filter(|by| by.varies());
    Analysis {
        messages: messages.count,
        population: whole.population(&options.filter),
        span_ns: (messages.span.0 <= messages.span.1).then_some(messages.span),
        finding: messages.shares.finding(),
        stages: stages.filter_map(|(at, (&stage, of))| with_intervals(at, stage, of)).collect(),
        cycles: with_intervals(CYCLES, Stage::EndToEnd, &cycles.all),
        shares: messages.shares.shares(),
        breakdowns,
        facets,
        counts: counts(&messages.counts),
        sends: sends(&whole.sends),
        series: messages.series.bins(),
        launches: launch_spread,
        sizes: by_size.map_or_else(Vec::new, sizes),
        sweep: by_size.and_then(|by| knees::fit(&cycles.visits.points(by), cycles.all.count() > 0)),
        slowest: messages.slowest.into_sorted(),
        anomalies: messages.anomalies,
    }
}

fn add_intervals(
    mut view: StageView,
    of: &Distribution,
    blocks: &Blocks,
    at: usize,
    resamples: &Resamples,
) -> StageView {
    let ps: Vec<f64> = view.summary.quantiles.iter().map(|quantile| quantile.p).collect();
    view.peaks = peaks::peaks(of, blocks, at, resamples);
    view.summary.effective_count = spread::effective_count(of.moments(), blocks, at);
    for (quantile, (down, up)) in view
        .summary
        .quantiles
        .iter_mut()
        .zip(resamples.intervals(blocks, at, &ps).into_iter().flatten())
    {
        let value = quantile.value_ns as f64;
        let (min, max) = (view.summary.min_ns, view.summary.max_ns);
        let (low, high) = ((value + down).floor() as i64, (value + up).ceil() as i64);
        quantile.interval_ns =
            Some((low.clamp(min, quantile.value_ns), high.clamp(quantile.value_ns, max)));
    }
    view
}

fn launches(grouping: &Grouping, blocks: &Blocks, stage: usize) -> LaunchSpread {
    let launches: Vec<(u32, Summary)> =
        grouping.groups().map(|(key, group)| (key.0 as u32, summary(&group.stages[0]))).collect();
    let median = |(_, summary): &(u32, Summary)| {
        summary
            .quantiles
            .iter()
            .find(|quantile| quantile.p == 0.5)
            .map(|quantile| quantile.value_ns as f64)
    };
    let medians: Vec<f64> = launches.iter().filter_map(median).collect();
    LaunchSpread {
        // Two launches say next to nothing of how launches differ.
        between: spread::relative_deviation(&medians).filter(|_| medians.len() >= LAUNCHES_LEAST),
        within: spread::within_launches(blocks, stage),
        launches,
    }
}

fn counts(columns: &[Distribution; 3]) -> Vec<CountView> {
    let names = [Counted::QueueLength, Counted::InFlight, Counted::OnNodeWaited];
    names
        .into_iter()
        .zip(columns)
        .filter(|(_, of)| of.count() > 0)
        .map(|(name, of)| count_view(name, of))
        .collect()
}

fn count_view(of: Counted, counted: &Distribution) -> CountView {
    let max = counted.moments().max.max(0).unsigned_abs();
    let width = (max + 1).div_ceil(BARS);
    let mut bars: Vec<(u64, u64, u64)> =
        (0..(max + 1).div_ceil(width)).map(|bar| (bar * width, (bar + 1) * width - 1, 0)).collect();
    for counter in counted.counters().filter(|counter| counter.low >= 0) {
        if let Some(bar) = bars.get_mut((counter.middle().unsigned_abs() / width) as usize) {
            bar.2 += counter.count;
        }
    }
    CountView { of, bars, mean: counted.moments().mean(), max }
}

fn sends(sends: &Sends) -> Option<SendView> {
    // With fewer served than none at all, other nodes' messages were counted too: it says nothing
    // of this pair.
    let known = sends.served.counters().filter(|counter| counter.low >= 0);
    Some(SendView {
        interval: view(Stage::EndToEnd, &sends.interval)?,
        per_served: view(Stage::EndToEnd, &sends.per_served),
        pauses: view(Stage::EndToEnd, &sends.pauses),
        by_served: sends.by_served(),
        rates: sends.rates.rates(),
        served: known.map(|counter| (counter.middle().unsigned_abs(), counter.count)).collect(),
    })
}

fn sizes(by_bytes: &Grouping) -> Vec<SizePoint> {
    let mut points: Vec<SizePoint> = Vec::new();
    for (key, group) in by_bytes.groups() {
        let times = &group.stages[0];
        let [p50_ns, p99_ns] = times.quantiles(&[0.5, 0.99])[..] else { continue };
        let (bytes, count, min_ns) = (key.0.unsigned_abs(), times.count(), times.moments().min);
        let mut point = SizePoint { bytes, count, p50_ns, p99_ns, min_ns, jump: 0.0 };
        let before = points.iter().rev().find(|point| point.is_enough() && point.p50_ns != 0);
        if let Some(before) = before.filter(|_| point.is_enough()) {
            point.jump = p50_ns as f64 / before.p50_ns as f64 - 1.0;
        }
        points.push(point);
    }
    points
}
