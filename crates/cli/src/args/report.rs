//! Arguments of `fourstamp report`.

use super::FilterArgs;
use clap::Args;
use std::path::PathBuf;

/// `fourstamp report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  fourstamp report runs/a                    writes runs/a/report.html
  fourstamp report runs/a runs/b --out x.html   one page for several runs
  fourstamp report runs/a --terminal         the report of a benchmark again
  fourstamp report runs/a --csv              quantiles of every stage
  fourstamp report runs/a --csv=tail         one plotted series; --csv=all for every one
  fourstamp report runs/a --csv=slowest-messages   a table of the page
  fourstamp report runs/a --json             all of it, for scripts
  fourstamp report runs/a --kind gvt         other messages than the application's between nodes")]
pub struct ReportArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where to write the page  [default: report.html in the run folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the report on the terminal instead of writing a page
    #[arg(long, conflicts_with_all = ["csv", "json", "out"])]
    pub terminal: bool,
    /// Print everything as JSON instead: what the page says, its tables, and every figure
    #[arg(long, conflicts_with_all = ["csv", "out"])]
    pub json: bool,
    /// Print CSV instead: the quantiles, another table, a plotted series, or all series
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "quantiles"
    )]
    pub csv: Option<String>,
    /// Seed of the bootstrap intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
}
