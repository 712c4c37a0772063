//! Arguments of `fourstamp pager arithmetic`.

use crate::args::{quantity, study::rate};
use crate::show::ShowArgs;
use clap::Args;
use std::time::Duration;

/// `fourstamp pager arithmetic`.
#[derive(Args)]
#[command(after_help = "\
What is left of the elapsed time after user, system and initialization time is page transfer: \
handling each transfer (--pptime), and being blocked. With X times the bandwidth either all of \
that blocking takes 1/X of its time, or only the part that the bytes of a page are on the wire \
(--page, --rate). Steps are cut to milliseconds.

Example, the numbers of 1996:
  fourstamp pager arithmetic --etime 130.76 --utime 66.138 --systime \\
      3.133 --inittime 0.21 --pageouts 2718 --pageins 2055")]
pub struct ArithmeticArgs {
    /// Elapsed time, seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub etime: f64,
    /// User time, seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub utime: f64,
    /// System time, seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub systime: f64,
    /// Initialization time, seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub inittime: f64,
    /// Pages written to the servers
    #[arg(long, value_name = "PAGES", value_parser = clap::value_parser!(u64).range(..1 << 50))]
    pub pageouts: u64,
    /// Pages read from them
    #[arg(long, value_name = "PAGES", value_parser = clap::value_parser!(u64).range(..1 << 50))]
    pub pageins: u64,
    /// Memory servers, besides the one for parity
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub servers: u64,
    /// Handling of a page transfer
    #[arg(long, default_value = "1.6ms", value_name = "TIME", value_parser = quantity::duration)]
    pub pptime: Duration,
    /// How many times the bandwidth
    #[arg(long, default_value = "10", value_name = "X", value_parser = factor)]
    pub bandwidth: f64,
    /// A page
    #[arg(long, default_value = "8K", value_name = "SIZE", value_parser = quantity::bytes)]
    pub page: usize,
    /// The network's rate
    #[arg(long, default_value = "10mbit", value_name = "RATE", value_parser = rate)]
    pub rate: u64,
    /// How it is shown: with --csv alone, the table.
    #[command(flatten)]
    pub show: ShowArgs,
}

fn seconds(text: &str) -> Result<f64, String> {
    let known = text.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0 && *s < 1e12);
    known.ok_or_else(|| "write seconds as a plain number, e.g. 66.138".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    let known = text.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0);
    known.ok_or_else(|| "write how many times as a number above 0, e.g. 10".to_owned())
}
