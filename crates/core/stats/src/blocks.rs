//! Blocks of consecutive messages: what the run's uncertainty is estimated from.
//!
//! Messages are not independent: a slow one is followed by slow ones. Blocks long enough to hold
//! such a spell are nearly independent, so intervals and effective counts are taken between blocks
//! and launches, never between messages. A block is the same part of every node's file of a launch,
//! hence about the same time on all nodes.

use std::collections::HashMap;

use crate::distribution::BlockDistribution;
use crate::groups::Counted;

/// Blocks in a launch, when there are few launches.
const BLOCKS_A_LAUNCH: u64 = 50;
/// Blocks in all, about.
const BLOCKS_MOST: u64 = 1000;
/// Even with many launches, a launch keeps as many.
const BLOCKS_LEAST: u64 = 10;
/// Messages that make a block worth having.
const MESSAGES_A_BLOCK: u64 = 10;

/// One node's file of one launch, and how many rows it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRows {
    pub launch: u32,
    pub node: u32,
    /// Rows of its messages file.
    pub rows: u64,
}

/// Which block a row belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockPlan {
    /// Launches in order, each with its blocks.
    launches: Vec<LaunchBlocks>,
    files: HashMap<(u32, u32), PlannedFile>,
}

/// The blocks of a launch: `first` and the `count − 1` that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaunchBlocks {
    pub launch: u32,
    pub first: usize,
    pub count: usize,
}

#[derive(Clone, Copy, Debug)]
struct PlannedFile {
    rows: u64,
    blocks: LaunchBlocks,
}

/// One block's distributions: stages A to D, then cycles.
pub(crate) type Block = [BlockDistribution; 5];

/// Where cycles are in a [`Block`].
pub(crate) const CYCLES: usize = 4;

/// The blocks of a run.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    pub plan: BlockPlan,
    blocks: Vec<Block>,
}

impl BlockPlan {
    /// A plan for a run with these files.
    pub fn new(files: &[FileRows]) -> BlockPlan {
        let mut rows_of: Vec<(u32, u64)> = Vec::new();
        let mut sorted = files.to_vec();
        sorted.sort_unstable_by_key(|file| (file.launch, file.node));
        for file in &sorted {
            match rows_of.last_mut() {
                Some((launch, rows)) if *launch == file.launch => *rows += file.rows,
                _ => rows_of.push((file.launch, file.rows)),
            }
        }
        let most = (BLOCKS_MOST / rows_of.len().max(1) as u64).clamp(BLOCKS_LEAST, BLOCKS_A_LAUNCH);
        let mut plan = BlockPlan::default();
        let mut first = 0;
        for (launch, rows) in rows_of {
            let count = (rows / MESSAGES_A_BLOCK).clamp(1, most) as usize;
            plan.launches.push(LaunchBlocks { launch, first, count });
            first += count;
        }
        for file in sorted {
            if let Some(&blocks) = plan.launches.iter().find(|blocks| blocks.launch == file.launch)
            {
                plan.files.insert(
                    (file.launch, file.node),
                    PlannedFile { rows: file.rows.max(1), blocks },
                );
            }
        }
        plan
    }

    /// The launches and their blocks.
    pub fn launches(&self) -> &[LaunchBlocks] {
        &self.launches
    }

    /// Blocks in all.
    pub fn len(&self) -> usize {
        self.launches.iter().map(|launch| launch.count).sum()
    }

    /// The block of a row and the row at which the next block begins. `None` for a file that the
    /// plan does not have.
    pub fn block(&self, launch: u32, node: u32, row: u64) -> Option<(usize, u64)> {
        let PlannedFile { rows, blocks } = *self.files.get(&(launch, node))?;
        let (count, rows) = (blocks.count as u128, u128::from(rows));
        let block = (u128::from(row) * count / rows).min(count - 1);
        let next = ((block + 1) * rows).div_ceil(count);
        let next = if block + 1 == count { u64::MAX } else { next as u64 };
        Some((blocks.first + block as usize, next))
    }
}

impl Blocks {
    /// Empty blocks.
    pub fn new(plan: BlockPlan) -> Blocks {
        let blocks = vec![Block::default(); plan.len()];
        Blocks { plan, blocks }
    }

    /// Take in the stages of a cell of messages.
    pub fn add_messages(&mut self, block: usize, counted: &Counted) {
        for (distribution, tally) in self.blocks[block].iter_mut().zip(&counted[..4]) {
            distribution.add_tally(tally);
        }
    }

    /// Take in cycles, counted as stage A.
    pub fn add_cycles(&mut self, block: usize, counted: &Counted) {
        self.blocks[block][CYCLES].add_tally(&counted[0]);
    }

    /// Take in the blocks of `other`, which must have the same plan.
    pub fn merge(&mut self, other: &Blocks) {
        for (mine, theirs) in self.blocks.iter_mut().flatten().zip(other.blocks.iter().flatten()) {
            mine.merge(theirs);
        }
    }

    /// The blocks of one launch, empty ones included.
    pub fn of(&self, launch: &LaunchBlocks) -> &[Block] {
        &self.blocks[launch.first..launch.first + launch.count]
    }

    /// One stage of the blocks of one launch, empty ones included.
    pub fn stage(
        &self,
        launch: &LaunchBlocks,
        stage: usize,
    ) -> impl Iterator<Item = &BlockDistribution> {
        self.of(launch).iter().map(move |block| &block[stage])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_follow_each_other_and_are_of_like_size(
            rows in prop::collection::vec(1..5000_u64, 1..5),
            launches in 1..4_u32,
        ) {
            let files: Vec<FileRows> = (0..launches)
                .flat_map(|launch| {
                    rows.iter().zip(0..).map(move |(&rows, node)| FileRows { launch, node, rows })
                })
                .collect();
            let plan = BlockPlan::new(&files);
            for file in &files {
                let mut row = 0;
                let mut last = None;
                while row < file.rows {
                    let (block, next) = plan.block(file.launch, file.node, row).unwrap();
                    prop_assert!(block < plan.len() && next > row);
                    prop_assert!(last.is_none_or(|last| block > last), "blocks go back");
                    let end = next.min(file.rows);
                    prop_assert_eq!(plan.block(file.launch, file.node, end - 1).unwrap().0, block);
                    let even =
                        file.rows as f64 / plan.launches()[file.launch as usize].count as f64;
                    prop_assert!((end - row) as f64 <= even + 1.0, "{} rows of {even}", end - row);
                    (row, last) = (end, Some(block));
                }
            }
        }
    }

    #[test]
    fn many_launches_share_the_blocks() {
        let files: Vec<FileRows> =
            (0..100).map(|launch| FileRows { launch, node: 0, rows: 1 << 20 }).collect();
        assert_eq!(BlockPlan::new(&files).len(), 1000);
        assert_eq!(BlockPlan::new(&files[..2]).len(), 100);
        assert_eq!(BlockPlan::new(&[]).len(), 0);
    }
}
