//! `fourstamp explain`: what goes with a run's slow messages.

use crate::analyse::analyse;
use crate::args::ExplainArgs;
use crate::commands::report::{say, terminal_width};
use crate::explaining;
use anyhow::Result;

/// Read the run twice: for its distributions, then for its slow messages.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let analysed = analyse(&args.run, args.seed)?;
    let explanation = explaining::explain(&args.run, &analysed.analysis)?;
    say(&report::explain_terminal(&analysed.facts, &analysed.analysis, &explanation, terminal_width()))
}
