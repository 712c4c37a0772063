//! Where exactly a peak is, and how wide.
//!
//! The place is the mode on the log scale of a kernel estimate whose bandwidth is a fifth of the
//! peak's own width, the width that at half the height of the same estimate, less what the kernel
//! adds. One is needed for the other, so both are found by going from a wide kernel to narrower
//! ones, as far as the messages suffice.

use super::axis::Course;

/// Bins to a bandwidth.
const FINE: f64 = 6.0;
/// Bandwidths from the middle of the bins to their ends.
const REACH: f64 = 9.0;
/// Messages within a bandwidth of the place, below which a narrower kernel would follow chance.
const MESSAGES_LEAST: f64 = 40.0;
/// Full width at half height of a normal distribution, in standard deviations.
const FULL_WIDTH: f64 = 2.354_820;

/// A stretch of the axis that a peak is looked at in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub middle: f64,
    pub bandwidth: f64,
    /// The peak's own bounds: what lies beyond counts towards the estimate, but is not the peak.
    pub bounds: (f64, f64),
    /// Where its place may be: over half the height that a wider kernel shows. A narrow kernel by
    /// itself would follow any spike between the bounds, a few messages in the valley beside a
    /// broad peak.
    pub top: (f64, f64),
}

/// What is found in a window, as places on the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub place: f64,
    /// Half the height on either side.
    pub half: (f64, f64),
}

impl Window {
    /// Bins of an estimate.
    pub const BINS: usize = (2.0 * REACH * FINE) as usize;

    /// The window in which the peak between `bounds` is seen best, from a kernel of at most
    /// `widest` on; `spread` messages count as one.
    pub fn about(
        course: &Course,
        summit: f64,
        bounds: (f64, f64),
        widest: f64,
        spread: f64,
    ) -> Window {
        let bandwidth = ((bounds.1 - bounds.0) / 10.0).min(widest);
        let top = (summit - bandwidth, summit + bandwidth);
        let top = (top.0.max(bounds.0), top.1.min(bounds.1));
        let mut window = Window { middle: summit, bandwidth, bounds, top };
        for _ in 0..16 {
            let shape = window.shape(&window.estimate(course));
            let width = window.width(shape);
            let near =
                course.between(shape.place - window.bandwidth, shape.place + window.bandwidth);
            window.middle = shape.place;
            window.top = (shape.half.0.max(bounds.0), shape.half.1.min(bounds.1));
            if width >= 4.0 * window.bandwidth || near < MESSAGES_LEAST * spread {
                break;
            }
            window.bandwidth =
                (width / 5.0).max(window.bandwidth / 3.0).min(window.bandwidth * 0.8);
        }
        window
    }

    /// The kernel estimate of a course's density, up to a factor.
    pub fn estimate(&self, course: &Course) -> Vec<f64> {
        let width = self.bandwidth / FINE;
        let reach = (3.0 * FINE) as usize;
        let from = self.first() - width * reach as f64;
        let counts = course.bins(from, width, Window::BINS + 2 * reach);
        let kernel: Vec<f64> = (0..=2 * reach)
            .map(|at| (-0.5 * ((at as f64 - reach as f64) / FINE).powi(2)).exp())
            .collect();
        counts
            .windows(kernel.len())
            .map(|near| near.iter().zip(&kernel).map(|(n, k)| n * k).sum())
            .collect()
    }

    /// Place and width in an estimate.
    pub fn shape(&self, heights: &[f64]) -> Shape {
        let width = self.bandwidth / FINE;
        let at = |bin: f64| self.first() + width * (bin + 0.5);
        let bin_of = |place: f64| ((place - self.first()) / width).max(0.0) as usize;
        let last = heights.len() - 1;
        let (low, high) = (bin_of(self.bounds.0).min(last), bin_of(self.bounds.1).min(last));
        let (begin, end) =
            (bin_of(self.top.0).clamp(low, high), bin_of(self.top.1).clamp(low, high));
        let top = (begin..=end)
            .max_by(|a, b| heights[*a].total_cmp(&heights[*b]).then(b.cmp(a)))
            .unwrap_or(begin);
        let half = heights[top] / 2.0;
        let left = (low..top).rev().find(|&bin| heights[bin] < half);
        let right = (top + 1..=high).find(|&bin| heights[bin] < half);
        let crossing = |below: usize, above: usize| {
            let part = (half - heights[below]) / (heights[above] - heights[below]);
            at(below as f64 + part * (above as f64 - below as f64))
        };
        Shape {
            place: at(top as f64 + tip(heights, top)).clamp(self.bounds.0, self.bounds.1),
            half: (
                left.map_or(at(low as f64), |below| crossing(below, below + 1)),
                right.map_or(at(high as f64), |below| crossing(below, below - 1)),
            ),
        }
    }

    /// The width of a shape, less what the kernel adds.
    pub fn width(&self, shape: Shape) -> f64 {
        let (seen, kernel) = (shape.half.1 - shape.half.0, FULL_WIDTH * self.bandwidth);
        (seen * seen - kernel * kernel).max(seen * seen / 100.0).sqrt()
    }

    fn first(&self) -> f64 {
        self.middle - REACH * self.bandwidth
    }
}

/// Where a parabola through the top and its neighbours has its own, in bins from the top.
fn tip(heights: &[f64], top: usize) -> f64 {
    let (Some(left), Some(right)) =
        (top.checked_sub(1).map(|at| heights[at]), heights.get(top + 1))
    else {
        return 0.0;
    };
    let bend = left - 2.0 * heights[top] + right;
    if bend < 0.0 { ((left - right) / (2.0 * bend)).clamp(-0.5, 0.5) } else { 0.0 }
}
