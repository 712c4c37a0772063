//! Arguments of `fourstamp explain`.

use super::FilterArgs;
use crate::show::ShowArgs;
use clap::Args;
use std::path::PathBuf;

/// `fourstamp explain`.
#[derive(Args)]
#[command(after_help = "\
It begins with each delay that holds a hundredth of all messages' time, and that of the \
slowest message: how long it was, which messages it held, and what was seen on the node that \
they waited for. Then it says what goes with each peak but the largest, and with the slowest \
0.1 %: what else the machine did at that moment (every run of bench and warp is watched), what \
the node was doing, in which columns these messages are alike, whether they come at a known \
period, and how often an idle core of this machine stalls as long.

Coincidence proves nothing: to confirm a cause, change it (bench ... --intervene).

With --cut it begins with what the messages of the cut overlapped on the nodes of their way (work \
of nodes, messages of other kinds), and how many of all messages did.

CSV tables: groups (the default), reasons, episodes, episode-causes, idle, and overlaps with \
--cut.")]
pub struct ExplainArgs {
    /// Run folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Show every delay and every peak, not only the seven of each that took the most time
    #[arg(long)]
    pub all: bool,
    /// As data: with --csv alone, the groups; reasons, episodes, episode-causes, idle, overlaps.
    #[command(flatten)]
    pub show: ShowArgs,
    /// Seed of the bootstrap intervals
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Which messages.
    #[command(flatten)]
    pub messages: FilterArgs,
}
