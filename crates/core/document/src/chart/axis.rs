//! An axis: what its values are, and how they are laid out.

/// What the values of an axis are, and so how its ticks are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Seconds.
    Time,
    /// How many.
    Count,
    /// Bytes.
    Bytes,
    /// Part of a whole, 0 to 1.
    Part,
    /// A number without a unit.
    Number,
    /// A moment, ms since 1970, named by its time of day (UTC).
    Day,
    /// Names, in the order in which they come up.
    Name,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(crate) of: Quantity,
    title: String,
    pub(crate) log: bool,
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) from_0: bool,
    pub(crate) downwards: bool,
    pub(crate) ticks: Vec<(f64, String)>,
    pub(crate) step: Option<f64>,
    pub(crate) has_ticks: bool,
}

impl Axis {
    /// An axis of `of`.
    pub fn new(of: Quantity, title: impl Into<String>) -> Axis {
        Axis {
            of,
            title: title.into(),
            log: false,
            range: None,
            from_0: false,
            downwards: false,
            ticks: Vec::new(),
            step: None,
            has_ticks: true,
        }
    }

    /// An axis of times.
    pub fn time(title: impl Into<String>) -> Axis {
        Axis::new(Quantity::Time, title)
    }

    /// An axis of counts.
    pub fn count(title: impl Into<String>) -> Axis {
        Axis::new(Quantity::Count, title)
    }

    /// An axis of parts of a whole.
    pub fn part(title: impl Into<String>) -> Axis {
        Axis::new(Quantity::Part, title)
    }

    /// An axis of names.
    pub fn names(title: impl Into<String>) -> Axis {
        Axis::new(Quantity::Name, title)
    }

    /// On a log scale, which the title says.
    pub fn log(mut self) -> Axis {
        self.log = true;
        self
    }

    /// From one value to another, instead of what is drawn.
    pub fn range(mut self, from: f64, to: f64) -> Axis {
        self.range = Some((from, to));
        self
    }

    /// From 0, or from below it.
    pub fn from_0(mut self) -> Axis {
        self.from_0 = true;
        self
    }

    /// The first name on top, as in a table.
    pub fn downwards(mut self) -> Axis {
        self.downwards = true;
        self
    }

    /// With these ticks: place and name.
    pub fn ticks(mut self, ticks: Vec<(f64, String)>) -> Axis {
        self.ticks = ticks;
        self
    }

    /// With ticks that are at least this far apart.
    pub fn step(mut self, step: f64) -> Axis {
        self.step = Some(step);
        self
    }

    /// Without ticks.
    pub fn without_ticks(mut self) -> Axis {
        self.has_ticks = false;
        self
    }

    /// What stands beside it.
    pub(crate) fn title(&self) -> String {
        if self.log { format!("{} (log)", self.title) } else { self.title.clone() }
    }
}
