//! How surely a peak is one: whether its height over the saddle can be chance.
//!
//! Messages in two windows of equal width are compared, at the summit and in the saddle. Were the two alike, the messages of both
//! would fall into either with probability ½. Messages come in spells, so they count as fewer than they are: by
//! the variance of the difference between blocks of the run over what independent messages have (the design effect, Kish 1965). It is
//! taken between single blocks and between five together, for spells longer than a block.

use std::ops::Range;

use super::axis::{Axis, Course};
use crate::blocks::Blocks;
use crate::bootstrap::BLOCKS_LEAST;
use crate::odds;

/// Blocks taken together, for spells that are longer than a block.
const TOGETHER: usize = 5;
/// How much more they must vary than single blocks do, to count: less is what chance does.
const MORE: f64 = 2.0;

/// The blocks of a run along an axis.
pub(super) struct Evidence {
    pub blocks: Vec<Course>,
    /// Which blocks are a launch's.
    pub launches: Vec<Range<usize>>,
}

/// Two places of equal width that are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Windows {
    pub summit: f64,
    pub saddle: f64,
    pub width: f64,
}

impl Evidence {
    /// `None` where too few blocks have messages to judge by.
    pub fn new(axis: &Axis, blocks: &Blocks, stage: usize) -> Option<Evidence> {
        let (mut courses, mut launches) = (Vec::new(), Vec::new());
        for launch in blocks.plan.launches() {
            let first = courses.len();
            let filled = blocks.stage(launch, stage).filter(|block| block.count() > 0);
            courses.extend(filled.map(|block| axis.course(block)));
            launches.push(first..courses.len());
        }
        launches.retain(|launch| !launch.is_empty());
        (courses.len() >= BLOCKS_LEAST).then_some(Evidence { blocks: courses, launches })
    }

    /// The probability that the summit is as much higher than the saddle by chance, for this one comparison.
    pub fn chance(&self, whole: &Course, windows: Windows) -> f64 {
        let [high, low] = windows.each().map(|(from, to)| whole.between(from, to));
        let quick = odds::unequal(high, low);
        if quick > 0.01 {
            return quick;
        }
        let spread = self.spread(windows);
        let freedom = (self.blocks.len() - self.launches.len()).max(1) as f64;
        odds::student_tail(odds::normal_deviate(odds::unequal(high / spread, low / spread)), freedom)
    }

    /// How many messages count as one; at least 1.
    pub fn spread(&self, windows: Windows) -> f64 {
        let single = self.dispersion(windows, 1);
        let together = self.dispersion(windows, TOGETHER);
        if together > MORE * single { together.max(1.0) } else { single.max(1.0) }
    }

    /// Variance of the difference between the windows, over that of independent messages; within launches, in groups of
    /// blocks.
    fn dispersion(&self, windows: Windows, together: usize) -> f64 {
        let (mut squares, mut messages) = (0.0, 0.0);
        for launch in &self.launches {
            let groups: Vec<(f64, f64, f64)> =
                self.blocks[launch.clone()].chunks(together).map(|group| figures(group, windows)).collect();
            let sum = |get: fn(&(f64, f64, f64)) -> f64| groups.iter().map(get).sum::<f64>();
            let (difference, all) = (sum(|g| g.0), sum(|g| g.2));
            messages += sum(|g| g.1);
            let apart: f64 = groups.iter().map(|g| (g.0 - difference * g.2 / all).powi(2)).sum();
            let count = groups.len() as f64;
            squares += if count > 1.0 { apart * count / (count - 1.0) } else { difference * difference };
        }
        if messages > 0.0 { squares / messages } else { 0.0 }
    }
}

/// Difference between the windows, messages in both, messages at all.
fn figures(group: &[Course], windows: Windows) -> (f64, f64, f64) {
    group.iter().fold((0.0, 0.0, 0.0), |(difference, both, all), block| {
        let [high, low] = windows.each().map(|(from, to)| block.between(from, to));
        (difference + high - low, both + high + low, all + block.total())
    })
}

impl Windows {
    /// From where to where: the summit's, the saddle's.
    pub fn each(&self) -> [(f64, f64); 2] {
        [self.summit, self.saddle].map(|at| (at - self.width / 2.0, at + self.width / 2.0))
    }
}
