//! MPI as a product that reports know.

use crate::facts::{self, MpiWords};
use crate::found::{Calls, Mpi, WorstWait};
use crate::messages::MpiTally;
use crate::origins::Lengths;
use crate::story::Teller;
use crate::{
    BlockedCall, CallTables, alike, grouped, headline, origins, sections, series, sites, totals,
};
use calls::table::WAIT_COLUMNS;
use document::counted;
use mpi_facts::{KEY, MpiFacts};
use record::{NodeInfo, Run, RunInfo};
use report::{Facts, Lens, LensError, Part, ProductFacts, ProductStory, Reading};
use stats::analysis::Analysis;
use stats::story::Row;
use stats::{Tally, own};
use std::collections::BTreeMap;

/// Runs of traced MPI programs.
pub struct MpiLens;

/// Such a run.
pub struct MpiReading {
    tables: CallTables,
    facts: MpiFacts,
    sites: BTreeMap<i64, String>,
    /// The host of each rank.
    hosts: BTreeMap<u32, String>,
}

impl Lens for MpiLens {
    fn keys(&self) -> &'static [&'static str] {
        &[KEY]
    }

    fn facts(&self, info: &RunInfo) -> Option<ProductFacts> {
        let mut product = facts::of(info.parameters.get(KEY))?.product();
        product.remarks.extend(oversubscribed(info));
        Some(product)
    }

    fn open(&self, run: &Run) -> Result<Option<Box<dyn Reading>>, LensError> {
        let reading = MpiReading::open(run)?;
        Ok(reading.map(|reading| Box::new(reading) as Box<dyn Reading>))
    }

    fn series(&self) -> &'static [&'static str] {
        series::NAMES
    }
}

/// Whether the launcher's host had fewer cores than ranks; how many others have is not known.
fn oversubscribed(info: &RunInfo) -> Option<String> {
    let host = &info.machine.host;
    let ranks = info.nodes().filter(|(_, node)| node.host == *host).count();
    shared(ranks as u64, u64::from(info.machine.cores), host)
}

fn shared(ranks: u64, cores: u64, host: &str) -> Option<String> {
    (cores > 0 && ranks > cores).then(|| {
        format!(
            "{} shared the {} available on host {host}: blocked time may include waiting for a \
            core, of the rank that was blocked and of the one that it waited for.",
            counted(ranks, "rank"),
            counted(cores, "core")
        )
    })
}

impl MpiReading {
    /// Begin to read a run; `None` when it is of no traced program.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn open(run: &Run) -> Result<Option<MpiReading>, crate::LensError> {
        let tables = CallTables::of(run);
        if tables.is_empty() && !run.info.parameters.contains_key(KEY) {
            return Ok(None);
        }
        let facts = facts::of(run.info.parameters.get(KEY)).unwrap_or_default();
        let host = |(_, node): (u32, &NodeInfo)| (node.node, node.host.clone());
        let hosts = run.info.nodes().map(host).collect();
        Ok(Some(MpiReading { tables, facts, sites: sites(run)?, hosts }))
    }

    /// What was found, from the tally of all messages and the tables.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn found(&self, tally: Box<dyn Tally>) -> Result<Option<Mpi>, crate::LensError> {
        let mut tally = own::<MpiTally>(tally);
        let mut lengths = Lengths::default();
        let new = || (MpiTally::default(), Lengths::default());
        let add = |(tally, lengths): &mut (MpiTally, Lengths), call: &BlockedCall| {
            tally.add_blocked(call);
            lengths.add(call);
        };
        for (part, of_part) in self.tables.on_all_cores(WAIT_COLUMNS, new, add)? {
            tally.merge(Box::new(part));
            lengths.merge(&of_part);
        }
        let collectives = tally.collectives();
        let mut found = tally.shown();
        if !self.tables.is_empty() {
            let mpi = found.get_or_insert_default();
            if self.tables.has_waits() {
                let traced = origins::trace(&self.tables, &lengths)?;
                let meanwhile = |rank| traced.meanwhile(rank);
                let (calls, meanwhile) = self.tables.tally(&mut mpi.worst, meanwhile)?;
                let calls = self.with_groups(calls, mpi)?;
                let blocking = self.facts.blocking.clone().unwrap_or_default();
                mpi.account_for(calls, &collectives, &blocking);
                mpi.origins = Some(traced.origins(meanwhile));
            } else {
                let (calls, _) = self.tables.tally(&mut mpi.worst, |_| ())?;
                mpi.calls = Some(self.with_groups(calls, mpi)?);
            }
            mpi.sites = self.sites.clone();
        }
        Ok(found)
    }

    /// The calls with the kinds of their ranks, and who of those waited for whom.
    fn with_groups(&self, mut calls: Calls, mpi: &mut Mpi) -> Result<Calls, crate::LensError> {
        calls.kinds = alike::kinds(&calls.ranks);
        mpi.groups_blocked = grouped::groups_blocked(&self.tables, &calls, &self.hosts)?;
        Ok(calls)
    }
}

impl Reading for MpiReading {
    fn is_traced(&self) -> bool {
        true
    }

    fn tally(&self) -> Box<dyn Tally> {
        Box::new(MpiTally::default())
    }

    fn story(&self, message: &Row) -> Result<ProductStory, LensError> {
        let blocking = self.facts.blocking.as_ref();
        Ok(Teller { tables: &self.tables, sites: &self.sites, blocking }.tell(message)?)
    }

    fn totals(&self) -> Result<Vec<(String, i64)>, LensError> {
        Ok(totals::totals(&self.tables)?)
    }

    fn finish(
        &self,
        tally: Box<dyn Tally>,
        _facts: &Facts,
        _analysis: &Analysis,
    ) -> Result<Option<Part>, LensError> {
        Ok(self.found(tally)?.map(|mpi| part(&mpi)))
    }
}

/// What there is to say of it.
pub fn part(mpi: &Mpi) -> Part {
    Part {
        sentence: Some(headline::sentence(mpi)),
        below: headline::below(mpi),
        stages: headline::stages(mpi),
        sections: sections::sections(mpi),
        messages: mpi.worst.iter().filter_map(WorstWait::message_name).collect(),
        series: series::series(mpi),
        figures: serde_json::json!({ "mpi": mpi }),
        ..Part::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ranks_than_cores_are_said() {
        assert_eq!((shared(2, 2, "one"), shared(2, 0, "one")), (None, None));
        let text = document::plain(&shared(3, 2, "one").unwrap());
        assert!(text.starts_with("3 ranks shared the 2 cores available on host one: "), "{text}");
    }
}
