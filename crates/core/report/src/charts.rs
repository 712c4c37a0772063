//! The sections of a run's report, in the order in which they are read. A section without data is
//! left out.

mod bins;
mod breakdown;
mod choose;
mod counts;
pub(crate) mod distribution;
pub(crate) mod launches;
mod peaks;
mod sends;
mod series;
pub(crate) mod several;
mod shares;
pub(crate) mod sizes;
mod tail;

use document::Section;
pub(crate) use sends::rate_words;

use crate::entry::Entry;
use crate::{explanation, story, tables};

/// All sections of one run.
pub(crate) fn sections(entry: &Entry) -> Vec<Section> {
    let Entry { facts, analysis, told, explained, .. } = *entry;
    let mut all = Vec::from_iter(sizes::section(analysis));
    all.extend(shares::section(facts, analysis));
    all.extend(distribution::stages(analysis));
    all.extend(peaks::section(analysis));
    all.extend(tail::section(analysis));
    all.extend(tables::quantiles_section(facts, analysis));
    all.extend(distribution::cycles(analysis));
    all.extend(series::section(analysis));
    all.extend(choose::section(entry).map(Section::as_detail));
    all.extend(
        breakdown::sections(analysis, facts.product.noun).into_iter().map(Section::as_detail),
    );
    all.extend(counts::section(analysis));
    all.extend(sends::section(analysis, facts.product.noun).map(Section::as_detail));
    all.extend(launches::section(analysis));
    all.extend(
        explained.and_then(|found| explanation::section(entry.path, facts, analysis, found)),
    );
    all.extend(told.first().and_then(story::section));
    all.extend(tables::slowest_section(entry, analysis, told).map(Section::as_detail));
    all.push(tables::facts_section(facts).as_detail());
    all
}
