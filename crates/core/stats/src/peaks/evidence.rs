//! How surely a peak is one: whether its height over the saddle can be chance.
//!
//! Messages in two windows of equal width are compared, at the summit and in the saddle. Were the
//! two alike, the messages of both would fall into either with probability ½. Messages come in
//! spells, so they count as fewer than they are: by the variance of the difference between blocks
//! of the run over what independent messages have (the design effect, Kish 1965). It is taken
//! between single blocks and between five together, for spells longer than a block.

use std::ops::Range;

use super::axis::{Axis, Course};
use crate::blocks::Blocks;
use crate::bootstrap::BLOCKS_LEAST;
use crate::distribution::BlockDistribution;
use crate::{odds, student};

/// Blocks taken together, for spells that are longer than a block.
const TOGETHER: usize = 5;
/// How much more they must vary than single blocks do, to count: less is what chance does.
const MORE: f64 = 2.0;

/// The blocks of a run along an axis.
pub(super) struct Evidence {
    /// Those that have messages.
    pub blocks: Vec<Course>,
    /// Which of the run's blocks each is.
    pub numbers: Vec<usize>,
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

/// Messages of a block: difference between the windows, in both, at all.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    difference: f64,
    both: f64,
    all: f64,
}

impl Evidence {
    /// `None` where too few blocks have messages to judge by.
    pub fn new(axis: &Axis, blocks: &Blocks, stage: usize) -> Option<Evidence> {
        let mut union = BlockDistribution::default();
        let all = blocks.plan.launches().iter().flat_map(|launch| blocks.stage(launch, stage));
        all.for_each(|block| union.merge(block));
        let places = axis.places(&union);
        let mut evidence =
            Evidence { blocks: Vec::new(), numbers: Vec::new(), launches: Vec::new() };
        for launch in blocks.plan.launches() {
            let first = evidence.blocks.len();
            for (number, block) in (launch.first..).zip(blocks.stage(launch, stage)) {
                if block.count() > 0 {
                    evidence.blocks.push(places.course(block));
                    evidence.numbers.push(number);
                }
            }
            evidence.launches.push(first..evidence.blocks.len());
        }
        evidence.launches.retain(|launch| !launch.is_empty());
        (evidence.blocks.len() >= BLOCKS_LEAST).then_some(evidence)
    }

    /// The probability that the summit is as much higher than the saddle by chance, for this one
    /// comparison.
    pub fn chance(&self, whole: &Course, windows: Windows) -> f64 {
        let [high, low] = windows.each().map(|(from, to)| whole.between(from, to));
        let quick = odds::unequal(high, low);
        if quick > 0.01 {
            return quick;
        }
        let spread = self.spread(windows);
        let freedom = (self.blocks.len() - self.launches.len()).max(1) as f64;
        student::above(odds::normal_deviate(odds::unequal(high / spread, low / spread)), freedom)
    }

    /// How many messages count as one; at least 1.
    pub fn spread(&self, windows: Windows) -> f64 {
        let figures: Vec<Figures> =
            self.blocks.iter().map(|block| figures(block, windows)).collect();
        let single = self.dispersion(&figures, 1);
        let together = self.dispersion(&figures, TOGETHER);
        if together > MORE * single { together.max(1.0) } else { single.max(1.0) }
    }

    /// Variance of the difference between the windows, over that of independent messages; within
    /// launches, in groups of blocks.
    fn dispersion(&self, blocks: &[Figures], together: usize) -> f64 {
        let (mut squares, mut messages) = (0.0, 0.0);
        for launch in &self.launches {
            let launch = &blocks[launch.clone()];
            let whole = Figures::sum(launch);
            messages += whole.both;
            let mean = whole.difference / whole.all;
            let apart: f64 = launch
                .chunks(together)
                .map(Figures::sum)
                .map(|group| (group.difference - mean * group.all).powi(2))
                .sum();
            let count = launch.len().div_ceil(together) as f64;
            squares +=
                if count > 1.0 { apart * count / (count - 1.0) } else { whole.difference.powi(2) };
        }
        if messages > 0.0 { squares / messages } else { 0.0 }
    }
}

fn figures(block: &Course, windows: Windows) -> Figures {
    let [high, low] = windows.each().map(|(from, to)| block.between(from, to));
    Figures { difference: high - low, both: high + low, all: block.total() }
}

impl Figures {
    fn sum(each: &[Figures]) -> Figures {
        each.iter().fold(Figures::default(), |sum, one| Figures {
            difference: sum.difference + one.difference,
            both: sum.both + one.both,
            all: sum.all + one.all,
        })
    }
}

impl Windows {
    /// From where to where: the summit's, the saddle's.
    pub fn each(&self) -> [(f64, f64); 2] {
        [self.summit, self.saddle].map(|at| (at - self.width / 2.0, at + self.width / 2.0))
    }
}
