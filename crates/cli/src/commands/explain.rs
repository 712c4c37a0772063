//! `fourstamp explain`: what goes with a run's slow messages.

use crate::analyse::analyse;
use crate::args::ExplainArgs;
use crate::commands::report::{say, terminal_width};
use crate::explaining;
use anyhow::Result;

/// Groups of slow messages shown, unless all are asked for.
const SHOWN: usize = 7;

/// Read the run twice: for its distributions, then for its slow messages.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let analysed = analyse(&args.run, args.seed, &args.messages.filter())?;
    let explanation = explaining::explain(&args.run, &analysed.analysis)?;
    if args.json {
        return say(&format!("{}\n", serde_json::to_string_pretty(&explanation)?));
    }
    let most = if args.all { usize::MAX } else { SHOWN };
    say(&report::explain_terminal(
        &analysed.facts,
        &analysed.analysis,
        &explanation,
        most,
        terminal_width(),
    ))
}
