//! The network between the hosts of a run, as its messages say.

use super::messages::Read;
use super::ways::{Ways, way};
use machine::{Basis, Constant, Machine, Topology};

/// Up to so many bytes a message says what the latency is, and from so many what the bandwidth is.
const SHORT: u64 = 1448;
const LONG: u64 = 1 << 14;
/// See [`Latency::mean`].
const MEDIANS: f64 = 10.0;
/// The bandwidth where no message says it: memory's, as on one host, in bytes a second.
const OF_MEMORY: f64 = 5e9;

/// A machine of so many hosts that has this network and charges nothing else; `None` where no
/// arrival between them was observed.
pub(super) fn measured(read: &Read, host_of: &[u16]) -> Option<Machine> {
    let between = read.messages.iter().filter(|one| one.is_observed);
    let between = between.filter_map(|one| Some((one, way(one, host_of)?)));
    let ways = Ways::of(read, host_of);
    let least = between.clone().map(|(one, _)| one.bytes).min()?;
    // A program may have none that is short.
    let short_of = SHORT.max(2 * least);
    let (mut short, mut long) = (Vec::new(), Vec::new());
    for (one, way) in between {
        let took = (one.arrived - one.sent).max(0) as f64;
        if one.bytes <= short_of {
            short.push(took);
        }
        if one.bytes >= LONG.max(2 * short_of) {
            // Others share the link meanwhile.
            long.push((took, ways.bytes(way, one.sent, one.arrived) as f64));
        }
    }
    let latency = Latency::of(short)?;
    let rate = |(ns, bytes): &(f64, f64)| bytes / (ns - latency.mean).max(1.0) * 1e9;
    let bandwidth = middle(long.iter().map(rate).collect()).unwrap_or(OF_MEMORY);
    let range = Some([latency.quarter, latency.three_quarters]);
    let latency = Constant { range, basis: Basis::Measured, ..Constant::of(latency.mean) };
    let bandwidth = Constant { basis: Basis::Measured, ..Constant::of(bandwidth) };
    let figures = [("network.latency", latency), ("network.bandwidth", bandwidth)];
    Some(Machine {
        name: "its network as measured".to_owned(),
        about: String::new(),
        nodes: host_of.iter().max().map_or(0, |most| most + 1),
        topology: Topology::Switch,
        constants: figures.map(|(name, figure)| (name.into(), figure)).into(),
        costs: Default::default(),
    })
}

/// How long short messages were on their way, ns.
struct Latency {
    /// Of those that took no more than so many times the median: a stall is no latency.
    mean: f64,
    quarter: f64,
    three_quarters: f64,
}

impl Latency {
    fn of(mut all: Vec<f64>) -> Option<Latency> {
        all.sort_by(f64::total_cmp);
        let at = |part: f64| all.get((all.len() as f64 * part) as usize).copied();
        let (quarter, three_quarters) = (at(0.25)?, at(0.75)?);
        let most = MEDIANS * at(0.5)?;
        let usual = &all[..all.partition_point(|ns| *ns <= most).max(1)];
        let mean = usual.iter().sum::<f64>() / usual.len() as f64;
        let (quarter, three_quarters) = (quarter.min(mean), three_quarters.max(mean));
        Some(Latency { mean, quarter, three_quarters })
    }
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
