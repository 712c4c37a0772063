//! Whether a peak is found again in the parts of a run: its blocks, its launches.

use std::ops::Range;

use super::axis::Course;
use super::evidence::Evidence;
use super::shape::Window;

/// Messages that a part would have in the peak's core, fewer than which show nothing.
const SHOWN_LEAST: f64 = 5.0;

/// Parts of the run in which a peak is found, and parts that could show it.
type Parts = (u32, u32);

/// What a part has in the peak's core above what the saddle has in as wide a window.
struct Excess {
    core: (f64, f64),
    saddle: Option<(f64, f64)>,
}

impl Evidence {
    /// Blocks, then launches, in which the peak has at least half of the excess over its saddle
    /// that its messages would have there, were all parts of the run alike.
    pub fn recurrence(
        &self,
        whole: &Course,
        window: Window,
        saddle: Option<f64>,
    ) -> (Parts, Parts) {
        let shape = window.shape(&window.estimate(whole));
        let width = shape.half.1 - shape.half.0;
        let excess = Excess {
            core: shape.half,
            saddle: saddle.map(|at| (at - width / 2.0, at + width / 2.0)),
        };
        let blocks: Vec<Range<usize>> =
            (0..self.blocks.len()).map(|block| block..block + 1).collect();
        (self.parts(&blocks, whole, &excess), self.parts(&self.launches, whole, &excess))
    }

    fn parts(&self, parts: &[Range<usize>], whole: &Course, excess: &Excess) -> Parts {
        let rate = excess.of(whole) / whole.total();
        let core = whole.between(excess.core.0, excess.core.1) / whole.total();
        let (mut found, mut able) = (0, 0);
        for part in parts {
            let blocks = &self.blocks[part.clone()];
            let messages: f64 = blocks.iter().map(Course::total).sum();
            if core * messages < SHOWN_LEAST {
                continue;
            }
            able += 1;
            let seen: f64 = blocks.iter().map(|block| excess.of(block)).sum();
            found += u32::from(seen >= rate * messages / 2.0);
        }
        (found, able)
    }
}

impl Excess {
    fn of(&self, course: &Course) -> f64 {
        let below = self.saddle.map_or(0.0, |(from, to)| course.between(from, to));
        course.between(self.core.0, self.core.1) - below
    }
}
