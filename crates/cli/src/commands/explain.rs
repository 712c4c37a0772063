//! `fourstamp explain`: what goes with a run's slow messages.

use crate::analyse::analyse;
use crate::args::ExplainArgs;
use crate::explaining;
use crate::show;
use anyhow::Result;
use document::Document;
use serde_json::Value;
use stats::Filter;
use stats::analysis::Explanation;
use std::path::Path;

/// Groups of slow messages shown, unless all are asked for.
const SHOWN: usize = 7;
/// The seed of intervals where nobody gives one.
const SEED: u64 = 1;

/// Read the run twice: for its distributions, then for its slow messages.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let most = if args.all || args.show.json { usize::MAX } else { SHOWN };
    let (document, explanation) = read(&args.run, args.seed, &args.messages.filter(), most)?;
    args.show.show_with(&document, "groups", || show::figures(&explanation))
}

/// Everything that explains a run as JSON, as `--json` prints it.
pub fn json(run: &Path, filter: &Filter) -> Result<Value> {
    let (document, explanation) = read(run, SEED, filter, usize::MAX)?;
    let mut whole = document::json(&document);
    if let Some(said) = whole.as_object_mut() {
        said.extend(show::figures(&explanation)?);
    }
    Ok(whole)
}

fn read(run: &Path, seed: u64, filter: &Filter, most: usize) -> Result<(Document, Explanation)> {
    let analysed = analyse(run, seed, filter)?;
    let explanation = explaining::explain(run, &analysed.analysis)?;
    let document = report::explanation(&analysed.facts, &analysed.analysis, &explanation, most);
    Ok((document, explanation))
}
