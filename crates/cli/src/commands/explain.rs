//! `fourstamp explain`: what goes with a run's slow messages.

use crate::analyse::analyse;
use crate::args::ExplainArgs;
use crate::explaining;
use crate::show;
use anyhow::Result;

/// Groups of slow messages shown, unless all are asked for.
const SHOWN: usize = 7;

/// Read the run twice: for its distributions, then for its slow messages.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let analysed = analyse(&args.run, args.seed, &args.messages.filter())?;
    let explanation = explaining::explain(&args.run, &analysed.analysis)?;
    let most = if args.all || args.show.json { usize::MAX } else { SHOWN };
    let document = report::explanation(&analysed.facts, &analysed.analysis, &explanation, most);
    args.show.show_with(&document, "groups", || show::figures(&explanation))
}
