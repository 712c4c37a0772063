//! What of a run takes part in a comparison: its messages by launch and block.

use crate::blocks::{Block, Blocks, CYCLES};
use crate::distribution::BlockDistribution;

use super::launch::Launch;
use super::{Measured, STAGES};

/// The distributions of a run, launch by launch and block by block; to within 1 % of a value.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    launches: Vec<Vec<Block>>,
}

impl Sample {
    pub(crate) fn of(blocks: &Blocks) -> Sample {
        let launches = blocks.plan.launches().iter();
        Sample { launches: launches.map(|launch| blocks.of(launch).to_vec()).collect() }
    }

    /// The launches in which `stage` was measured, in the run's order.
    pub fn launches(&self, stage: Measured) -> usize {
        self.launches
            .iter()
            .filter(|blocks| blocks.iter().any(|block| block[at(stage)].count() > 0))
            .count()
    }

    /// Messages (or cycles) with `stage`.
    pub fn count(&self, stage: Measured) -> u64 {
        self.launches.iter().flatten().map(|block| block[at(stage)].count()).sum()
    }

    /// The stages that were measured.
    pub fn stages(&self) -> Vec<Measured> {
        STAGES.into_iter().filter(|stage| self.count(*stage) > 0).collect()
    }

    /// The launches with messages.
    pub(crate) fn launches_of(&self, stage: Measured) -> Vec<Launch> {
        let launches = self.launches.iter().map(|blocks| Launch::of(blocks, at(stage)));
        launches.filter(|launch| launch.count() > 0.0).collect()
    }

    /// All messages together.
    pub(crate) fn whole(&self, stage: Measured) -> BlockDistribution {
        let mut whole = BlockDistribution::default();
        self.launches.iter().flatten().for_each(|block| whole.merge(&block[at(stage)]));
        whole
    }
}

/// Where a stage is in a [`Block`].
fn at(stage: Measured) -> usize {
    match stage {
        Measured::EndToEnd => 0,
        Measured::SendWait => 1,
        Measured::Transit => 2,
        Measured::ReceiveWait => 3,
        Measured::Cycle => CYCLES,
    }
}
