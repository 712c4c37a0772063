//! `cargo xtask bench prediction`: programs measured over links of several rates, each predicted
//! from each of the others; or over wires of several lengths, each predicted from the shorter ones.
//!
//! The link joins two network namespaces, one for each node; its shaper has the same burst at every
//! rate. A machine is calibrated on each link, and no program takes part in that. Two predictions
//! are made of every ordered pair of links: on the machine calibrated there, and on the machine of
//! the recording with the bandwidth multiplied, which needs nothing of the other link. Of a longer
//! wire no more is known than how much longer it is.

mod pair;
mod site;
mod wire;

use super::competition::release_build;
use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use clap::Args;
use pair::{Pair, Way};
use site::{Site, Work};
use std::path::PathBuf;
use wire::Wire;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    /// Rates of the links, Mbit/s.
    #[arg(long, value_delimiter = ',', default_values_t = [30, 100, 300, 1000])]
    rates: Vec<u64>,
    /// Wires that are so much longer one way instead, us: 0,1000,5000,10000.
    #[arg(long, value_name = "US", value_delimiter = ',')]
    delays: Vec<u64>,
    /// Launches of each program on each link.
    #[arg(long, default_value_t = 3)]
    launches: u32,
    /// Only these programs, by name.
    #[arg(long, value_name = "PROGRAM", value_delimiter = ',')]
    only: Vec<String>,
    /// Use the runs that an earlier benchmark left, and measure nothing.
    #[arg(long)]
    again: bool,
    /// A `fourstamp` to measure instead of this checkout's release build.
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
}

/// Runs the benchmark and prints every pair, worst first.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    ensure!(options.launches > 0, "--launches wants at least one");
    let wires: Vec<Wire> = match options.delays.is_empty() {
        true => options.rates.iter().copied().map(Wire::Rate).collect(),
        false => options.delays.iter().copied().map(Wire::Delay).collect(),
    };
    ensure!(wires.len() > 1, "--rates and --delays want at least two links");
    let fourstamp = match &options.binary {
        Some(binary) => binary.clone(),
        None => release_build(workspace)?,
    };
    let work = site::chosen(&options.only)?;
    let site = Site::new(workspace, fourstamp, options.launches)?;
    if !options.again {
        site.measure(&wires, &work)?;
    }
    let ways = Way::ALL.into_iter().filter(|way| *way == Way::Changed || options.delays.is_empty());
    for way in ways {
        let pairs = predicted(&site, &wires, &work, way);
        print!("{}", pair::table(way, pairs));
    }
    Ok(())
}

fn predicted(site: &Site, wires: &[Wire], work: &[&Work], way: Way) -> Vec<Pair> {
    let ordered = wires.iter().flat_map(|from| wires.iter().map(move |to| (*from, *to)));
    let apart = ordered.filter(|(from, to)| from != to && from.change_to(*to).is_some());
    let asked = work.iter().flat_map(|work| apart.clone().map(move |wires| (*work, wires)));
    asked.map(|(work, wires)| Pair::predict(site, work, wires, way)).collect()
}
