//! One figure: a quantity of some messages, of one run or several, in groups, on axes of a given
//! scale. It is data, so that a file can hold it as well as a command line.

mod drawn;
mod error;
mod lines;
mod text;
mod traces;
mod words;

pub use drawn::{Drawn, DrawnCount, FigureRun, drawn};
pub use error::FigureError;
pub use stats::figure::{FigureAgainst as Against, FigureBy as By, FigureQuantity as Quantity};

use serde::Deserialize;
use stats::Filter;
use stats::figure::FigureAsked;

stats::named! {
    /// How a figure is drawn.
    Form, "form", {
        /// A line a group.
        Lines = "lines",
        /// Areas on each other.
        Area = "area",
        /// A point for each bin that has messages.
        Dots = "dots",
        /// Bars.
        Bars = "bars",
    }
}

stats::named! {
    /// Which axes are logarithmic.
    Scale, "scale", {
        /// Neither.
        Linear = "linear",
        /// The upright one.
        SemiLog = "semi-log",
        /// The lying one; bins are of equal width on it.
        LogX = "log-x",
        /// Both.
        LogLog = "log-log",
    }
}

/// Bins of a histogram, about.
pub const BINS: usize = 100;
/// The most that can be told apart.
pub const BINS_MOST: usize = 2000;

/// A figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "text::FigureText")]
pub struct Figure {
    /// What of each message.
    pub what: Quantity,
    /// Against what: medians with quartiles; nothing for a histogram.
    pub against: Option<Against>,
    /// A series for each of these.
    pub by: Option<By>,
    /// Which messages.
    pub filter: Filter,
    /// How it is drawn.
    pub form: Form,
    /// On which axes.
    pub scale: Scale,
    /// Bins, about.
    pub bins: usize,
}

impl Figure {
    /// A histogram of `what` in lines, of the usual messages.
    pub fn of(what: Quantity) -> Figure {
        Figure {
            what,
            against: None,
            by: None,
            filter: Filter::default(),
            form: Form::Lines,
            scale: Scale::Linear,
            bins: BINS,
        }
    }

    /// The filter, whose cut ranks by what is shown unless it names another stage.
    pub fn filter(&self) -> Filter {
        let mut filter = self.filter.clone();
        if let Some(cut) = &mut filter.cut {
            cut.stage = cut.stage.or(self.what.stage());
        }
        filter
    }

    /// What is to be gathered of a run; `filter` is [`Figure::filter`] with the ends of its cut in
    /// that run.
    pub fn asked(&self, filter: Filter) -> FigureAsked {
        FigureAsked { what: self.what, against: self.against, by: self.by, filter }
    }

    /// What makes no sense together.
    ///
    /// # Errors
    /// When there is such a thing.
    pub fn check(&self) -> Result<(), FigureError> {
        if !(2..=BINS_MOST).contains(&self.bins) {
            return Err(FigureError::Bins { bins: self.bins });
        }
        if self.against.is_some() && matches!(self.form, Form::Area | Form::Bars) {
            return Err(FigureError::AgainstForm { form: self.form });
        }
        if self.what == Quantity::Cycle && self.against.is_some_and(|of| of != Against::Time) {
            return Err(FigureError::Cycles);
        }
        let grouped = self.by.filter(|by| !matches!(by, By::Launch | By::Run | By::Bytes));
        if self.what == Quantity::Cycle && grouped.is_some() {
            return Err(FigureError::Cycles);
        }
        Ok(())
    }
}

impl Scale {
    /// Whether the lying axis is logarithmic, and the upright one.
    pub(crate) fn logs(self) -> (bool, bool) {
        match self {
            Scale::Linear => (false, false),
            Scale::SemiLog => (false, true),
            Scale::LogX => (true, false),
            Scale::LogLog => (true, true),
        }
    }
}
