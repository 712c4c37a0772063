//! Bars.

use super::Places;
use crate::colour::Paint;

/// Bars from 0, or on those before them.
#[derive(Clone, Debug)]
pub struct Bars {
    pub(crate) x: Places,
    pub(crate) y: Places,
    pub(crate) paint: Paint,
    pub(crate) widths: Vec<f64>,
    pub(crate) lying: bool,
    pub(crate) tips: Vec<String>,
}

impl Bars {
    /// Bars about `x`, as high as `y`.
    pub fn new(x: impl Into<Places>, y: impl Into<Places>, paint: impl Into<Paint>) -> Bars {
        Bars {
            x: x.into(),
            y: y.into(),
            paint: paint.into(),
            widths: Vec::new(),
            lying: false,
            tips: Vec::new(),
        }
    }

    /// Bars about `y`, as long as `x`.
    pub fn lying(x: impl Into<Places>, y: impl Into<Places>, paint: impl Into<Paint>) -> Bars {
        Bars { lying: true, ..Bars::new(x, y, paint) }
    }

    /// Each of its own width.
    pub fn wide(mut self, widths: Vec<f64>) -> Bars {
        self.widths = widths;
        self
    }

    /// What is said of each.
    pub fn tips(mut self, tips: Vec<String>) -> Bars {
        self.tips = tips;
        self
    }
}
