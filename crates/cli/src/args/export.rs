//! Arguments of `fourstamp export`.

use super::FilterArgs;
use clap::{ArgGroup, Args};
use std::path::PathBuf;

/// The options that name what to write.
const FORMATS: [&str; 5] = ["perfetto", "otf2", "csv", "hdr", "openmetrics"];

/// `fourstamp export`.
#[derive(Args)]
#[command(group = ArgGroup::new("what").required(true).multiple(true).args(FORMATS))]
#[command(after_help = "\
A trace opens in https://ui.perfetto.dev, and stays on your machine: one \
track for each rank with its calls, and arrows for messages; where a run has no calls, each \
message is a slice at its source node, with its stages below it, and an arrow from its source to \
its destination. Unless you choose messages, all of them are exported; series.csv, \
quantiles.csv, --hdr and --openmetrics then cover the application's messages between nodes, as a \
report does.

Examples:
  fourstamp export runs/a --perfetto a.pftrace     the run as a trace
  fourstamp export runs/a --perfetto a.pftrace --from 2 --to 2.5
                                                   half a second of it
  fourstamp export runs/a --otf2 a.otf2            for Vampir and Scalasca
  fourstamp export runs/a --csv tables             all its tables as CSV
  fourstamp export runs/a --hdr a.hlog             for HdrHistogram's tools
  fourstamp export runs/a --openmetrics a.prom     for Prometheus")]
pub struct ExportArgs {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Write a trace for ui.perfetto.dev: in Perfetto's own format or, into a file that ends in
    /// .json, in that which chrome://tracing opens too
    #[arg(long, value_name = "FILE")]
    pub perfetto: Option<PathBuf>,
    /// Write a trace for Vampir, Scalasca and other tools that read OTF2 into this folder, which
    /// must be new or empty
    #[arg(long, value_name = "DIR")]
    pub otf2: Option<PathBuf>,
    /// Write all tables as CSV into this folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Write a log of HdrHistograms: one for each stage and launch, tagged with the stage
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
    /// Write the quantiles of each stage in the text format of OpenMetrics
    #[arg(long, value_name = "FILE")]
    pub openmetrics: Option<PathBuf>,
    /// Leave out what ended before this many seconds into the run, e.g. 2.5
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub from: Option<f64>,
    /// Leave out what began after this many seconds into the run, e.g. 3
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub to: Option<f64>,
    /// Most events in a trace; a longer one ends early and says so
    #[arg(
        long,
        value_name = "EVENTS",
        default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub limit: u64,
    /// Which messages; all of them, where nothing is chosen.
    #[command(flatten)]
    pub messages: FilterArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "write a number of seconds, e.g. 2.5".to_owned())?;
    // Beyond 146 years nanoseconds do not fit.
    if number.abs() < 4e9 {
        Ok(number)
    } else {
        Err("write a number of seconds within the run, e.g. 2.5".to_owned())
    }
}
