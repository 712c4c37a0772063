//! `cargo xtask bench prediction`: programs measured over links of several rates, each predicted
//! from each of the others.
//!
//! The link joins two network namespaces, one for each node; its shaper has the same burst at every
//! rate. A machine is calibrated on each link, and no program takes part in that. Two predictions
//! are made of every ordered pair of links: on the machine calibrated there, and on the machine of
//! the recording with the bandwidth multiplied, which needs nothing of the other link.

mod pair;
mod site;

use super::competition::release_build;
use crate::workspace::Workspace;
use anyhow::{Result, ensure};
use clap::Args;
use pair::{Pair, Way};
use site::{Site, Work};
use std::path::PathBuf;

/// How to measure.
#[derive(Args, Debug)]
pub struct Options {
    /// Rates of the links, Mbit/s.
    #[arg(long, value_delimiter = ',', default_values_t = [30, 100, 300, 1000])]
    rates: Vec<u64>,
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
    ensure!(options.rates.len() > 1, "--rates wants at least two links");
    let fourstamp = match &options.binary {
        Some(binary) => binary.clone(),
        None => release_build(workspace)?,
    };
    let work = site::chosen(&options.only)?;
    let site = Site::new(workspace, fourstamp, options.launches)?;
    if !options.again {
        site.measure(&options.rates, &work)?;
    }
    for way in Way::ALL {
        let pairs = predicted(&site, &options.rates, &work, way);
        print!("{}", pair::table(way, pairs));
    }
    Ok(())
}

fn predicted(site: &Site, rates: &[u64], work: &[&Work], way: Way) -> Vec<Pair> {
    let ordered = rates.iter().flat_map(|from| rates.iter().map(move |to| (*from, *to)));
    let asked = work.iter().flat_map(|work| ordered.clone().map(move |rates| (*work, rates)));
    let apart = asked.filter(|(_, (from, to))| from != to);
    apart.map(|(work, rates)| Pair::predict(site, work, rates, way)).collect()
}
