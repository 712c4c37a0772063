//! Arguments of `fourstamp figure`.

use super::FilterArgs;
use crate::show::ShowArgs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use report::figure::{Against, BINS, By, Figure, Form, Quantity, Scale};
use std::path::PathBuf;

/// Choices by the names that files have, too.
macro_rules! names {
    ($type:ident) => {
        PossibleValuesParser::new($type::ALL.iter().map(|one| one.name()))
            .try_map(|name| name.parse::<$type>())
    };
}

/// `fourstamp figure`.
#[derive(Args)]
#[command(after_help = "\
Several runs are drawn on one axes in the same bins. A --cut ranks by what is
shown, unless it names a stage; each run is cut by itself. Of equal times the
message that was ready earlier ranks as the faster.

Examples:
  fourstamp figure runs/a --what transit              its distribution
  fourstamp figure runs/a runs/b --what receive-wait --cut ..99.9% --out x.html
                                                      two runs on one axes
  fourstamp figure runs/a --what transit --by hops --cut ..99.66% --form area
                                                      without the slowest 0.34 %
  fourstamp figure runs/a --what transit --hops 3 --by packets --scale semi-log
                                                      groups within a filter
  fourstamp figure runs/a --what transit --cut 99.64%.. --by hops --form dots
                                                      the slowest, dot by dot
  fourstamp figure runs/a --what per-served --against served
                                                      medians with quartiles
  fourstamp figure runs/a --what end-to-end --against time --terminal
  fourstamp figure runs/a --what queue-length --svg > queue.svg
  fourstamp figure runs/a --what queue-length --csv   its bins")]
pub struct FigureArgs {
    /// Run folders
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// What to show of each message, e.g. transit or queue-length
    #[arg(long, value_name = "QUANTITY", value_parser = names!(Quantity))]
    pub what: Quantity,
    /// Show medians with quartiles against this, instead of a histogram
    #[arg(long, value_name = "AXIS", value_parser = names!(Against))]
    pub against: Option<Against>,
    /// A series for each of these, e.g. hops
    #[arg(long, value_name = "GROUP", value_parser = names!(By))]
    pub by: Option<By>,
    /// How to draw it; areas stand on each other
    #[arg(long, default_value_t = Form::Lines, value_parser = names!(Form))]
    pub form: Form,
    /// The axes: with semi-log, the counts are logarithmic; the page has a switch
    #[arg(long, default_value_t = Scale::Linear, value_parser = names!(Scale))]
    pub scale: Scale,
    /// Bins of a histogram, about
    #[arg(long, default_value_t = BINS)]
    pub bins: usize,
    /// Names of the runs, in their order  [default: from their folders]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub names: Vec<String>,
    /// Where to write the page  [default: figure.html in the run folder]
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    pub out: Option<PathBuf>,
    /// Print it on the terminal instead of writing a page
    #[arg(long, conflicts_with_all = ["csv", "json", "out"])]
    pub terminal: bool,
    /// Print the chart as an SVG picture instead
    #[arg(long, conflicts_with_all = ["csv", "json", "terminal", "out"])]
    pub svg: bool,
    /// As data: with --csv alone, the bins; --csv=series has the figures of each series.
    #[command(flatten)]
    pub show: ShowArgs,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
}

impl FigureArgs {
    /// The figure that was asked for.
    pub fn figure(&self) -> Figure {
        Figure {
            what: self.what,
            against: self.against,
            by: self.by,
            filter: self.messages.filter(),
            form: self.form,
            scale: self.scale,
            bins: self.bins,
        }
    }
}
