//! Arguments of `fourstamp report`.

use super::FilterArgs;
use crate::show::ShowArgs;
use clap::Args;
use std::path::PathBuf;

/// `fourstamp report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fourstamp report runs/a                        writes runs/a/report.html
  fourstamp report runs/a runs/b --out x.html    one page for several runs
  fourstamp report runs/tour-1                   the page of a tour again
  fourstamp report runs/a --terminal             the terminal's report again
  fourstamp report runs/a --csv                  quantiles of every stage
  fourstamp report runs/a --csv=slowest-messages a table of the page
  fourstamp report runs/a --csv=tail             what a chart plots; or =all
  fourstamp report runs/a --svg=tail > tail.svg  a chart as a picture
  fourstamp report runs/a --json                 everything, for scripts
  fourstamp report runs/a --kind gvt             only messages of this kind
  srun -n 8 fourstamp report --shards runs/big   match a large run on 8 hosts
  fourstamp report --shards=8 runs/big           the same here, in turn")]
pub struct ReportArgs {
    /// Run folders, or the folder of a tour
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write the page  [default: report.html in the run folder]
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Print the report on the terminal instead of writing a page
    #[arg(long, conflicts_with_all = ["csv", "json", "out"])]
    pub terminal: bool,
    /// As data: with --csv alone, the quantiles; besides tables, a plotted series, or `all` series.
    #[command(flatten)]
    pub show: ShowArgs,
    /// Print one chart of the page as an SVG picture instead
    #[arg(
        long,
        value_name = "NAME",
        require_equals = true,
        conflicts_with_all = ["csv", "json", "terminal", "out"]
    )]
    pub svg: Option<String>,
    /// Match the messages of an MPI run whose logs are not closed yet in N shards of its ranks:
    /// each process of a launcher takes one, and without a launcher they follow one another, with
    /// the memory of one. The result is the same. `fourstamp mpi trace --logs-only` leaves such a
    /// run
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true)]
    pub shards: Option<Option<u32>>,
    /// Seed of the bootstrap intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
}
