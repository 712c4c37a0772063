//! What is plotted, as numbers: the long format in which scripts read every chart.

/// One plotted series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name: `tail`, `mpi-waits`.
    pub name: &'static str,
    /// Its points and bins.
    pub points: Vec<Point>,
}

/// A point, or a bin of a histogram.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// `end-to-end`, `send-wait`, `transit`, `receive-wait`, `cycle`; empty where it does not
    /// apply.
    pub stage: &'static str,
    /// Piece, group, launch, kind; empty where it does not apply.
    pub group: String,
    /// `linear` or `log` for the bins of a histogram, else empty.
    pub scale: &'static str,
    /// Where it lies; a name where it is no number.
    pub from: String,
    /// The other edge of a bin; empty for a point.
    pub to: String,
    /// The value.
    pub y: f64,
    /// Of the value: `messages`, `part`, `ns`, `count`, `bytes`.
    pub unit: &'static str,
}

impl Series {
    /// A series without points.
    pub fn new(name: &'static str) -> Series {
        Series { name, points: Vec::new() }
    }
}

impl Point {
    /// A value of a group, without a place.
    pub fn of(group: impl Into<String>, y: f64, unit: &'static str) -> Point {
        Point { group: group.into(), y, unit, ..Point::default() }
    }

    /// At this place.
    pub fn at(mut self, from: impl ToString) -> Point {
        self.from = from.to_string();
        self
    }

    /// Over this range.
    pub fn over(mut self, from: impl ToString, to: impl ToString) -> Point {
        (self.from, self.to) = (from.to_string(), to.to_string());
        self
    }

    /// Of this stage.
    pub fn stage(mut self, stage: &'static str) -> Point {
        self.stage = stage;
        self
    }
}
