//! A card: one figure, table, system or claim of a document, and what is to be seen of it.

use document::{Unit, six_figures};
use report::figure::Figure;
use serde::Deserialize;

/// One of a document's figures, tables, systems or claims.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Card {
    /// Its name within the document: `A-1`, `fig-3`, `K2a`.
    pub id: String,
    /// Which of these it is.
    pub kind: CardKind,
    /// What it is called, in a few words.
    pub title: String,
    /// What the document says of it, in our words or in a short quotation.
    pub says: String,
    /// Where in the document.
    pub place: String,
    /// The figure, where it is drawn of messages.
    pub draw: Option<Draw>,
    /// The figure, where it is drawn of values.
    pub plot: Option<Plot>,
    /// What is measured, and what must hold.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// What the document leaves open, what differs here, and why a verdict is what it is.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What a card is of.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum CardKind {
    /// A figure.
    Figure,
    /// A table.
    Table,
    /// Something that the document's programs did, and ours do.
    System,
    /// A sentence that can be true or false.
    Claim,
}

/// A figure drawn of the messages of runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The views whose runs it shows.
    pub views: Vec<String>,
    /// What each is called in the legend.
    #[serde(default)]
    pub names: Vec<String>,
    /// What is drawn of them.
    pub figure: Figure,
    /// How many messages the document drew, and of how many.
    pub document: Option<[u64; 2]>,
}

/// A figure drawn of values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// The views that it takes them from.
    pub views: Vec<String>,
    /// A jq expression over `{view: JSON}` that gives an array of `{series, x, y}`, of one launch;
    /// an `x` in words makes bars.
    pub take: String,
    /// What the lying axis is, with its unit.
    pub x: String,
    /// And the upright one.
    pub y: String,
    /// Which of the axes are logarithmic.
    #[serde(default)]
    pub scale: PlotScale,
    /// Points that the document gives, drawn beside ours.
    #[serde(default)]
    pub document: Vec<Given>,
}

/// A point that the document gives.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Of which series.
    pub series: String,
    /// Its place; words make bars.
    pub x: Place,
    /// Its value.
    pub y: f64,
}

/// A place on an axis.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Place {
    /// Of numbers.
    Number(f64),
    /// Of names.
    Name(String),
}

/// Which axes are logarithmic.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum PlotScale {
    /// None.
    #[default]
    Linear,
    /// The upright one.
    SemiLog,
    /// The lying one.
    LogX,
    /// Both.
    LogLog,
}

/// One value, and what must hold of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Check {
    /// What the value is, in words.
    pub says: String,
    /// The views that it is taken from; without any, it is the document's own arithmetic.
    #[serde(default)]
    pub views: Vec<String>,
    /// A jq expression over `{view: JSON}` that gives a number or a truth value, of one launch.
    pub take: String,
    /// What the value is counted in.
    #[serde(default)]
    pub unit: CheckUnit,
    /// The document's value in words, where it gives one.
    pub document: Option<String>,
    /// What must hold; a value without it is only shown.
    pub holds: Option<Holds>,
    /// What kind of statement it is.
    #[serde(default)]
    pub kind: CheckKind,
    /// Where it can be decided.
    #[serde(default)]
    pub on: Places,
}

/// What must hold of a value. The bounds are fixed before anything is measured.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Holds {
    /// It is above this.
    Above(f64),
    /// It is below this.
    Below(f64),
    /// It lies between these, both included.
    Within([f64; 2]),
    /// It is the document's value, give or take this part of it.
    About([f64; 2]),
    /// It is exactly this.
    Equals(f64),
    /// It is true.
    True(bool),
}

/// What kind of statement a check makes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    /// Of something counted: every launch gives the same.
    Count,
    /// Of one figure against another, or a part of a whole.
    #[default]
    Ratio,
    /// Of what comes first.
    Order,
    /// Of the shape of a curve.
    Shape,
    /// Of one example, which some launch gives: whether there is any is what must hold.
    Example,
    /// Of a time or a rate, which another machine need not share.
    Absolute,
}

/// Where a check can be decided.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Places {
    /// On this machine and on the document's.
    #[default]
    Both,
    /// On this machine only.
    Here,
    /// On the document's machine only.
    Machine,
}

/// What a value is counted in.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum CheckUnit {
    /// A plain number.
    #[default]
    Number,
    /// How many.
    Count,
    /// Nanoseconds.
    Ns,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A part of a whole, 0 to 1.
    Part,
    /// How many times as much.
    Times,
    /// How often a second.
    PerSecond,
    /// True or false.
    Truth,
}

impl Card {
    /// The views that it needs.
    pub fn views(&self) -> impl Iterator<Item = &str> {
        let drawn = self.draw.iter().flat_map(|draw| &draw.views);
        let plotted = self.plot.iter().flat_map(|plot| &plot.views);
        let checked = self.checks.iter().flat_map(|check| &check.views);
        drawn.chain(plotted).chain(checked).map(String::as_str)
    }
}

impl CardKind {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            CardKind::Figure => "figure",
            CardKind::Table => "table",
            CardKind::System => "system",
            CardKind::Claim => "claim",
        }
    }
}

impl CheckUnit {
    /// As documents show it.
    pub fn unit(self) -> Unit {
        match self {
            CheckUnit::Number => Unit::Number,
            CheckUnit::Count => Unit::Count,
            CheckUnit::Ns => Unit::Ns,
            CheckUnit::Seconds => Unit::Seconds,
            CheckUnit::Bytes => Unit::Bytes,
            CheckUnit::Part => Unit::Share,
            CheckUnit::Times => Unit::Ratio,
            CheckUnit::PerSecond => Unit::PerSecond,
            CheckUnit::Truth => Unit::Text,
        }
    }

    /// A value; one that is known finely with all the figures that its bounds are about.
    pub fn show(self, value: f64, finely: bool) -> String {
        match (self, finely) {
            (CheckUnit::Seconds, true) => format!("{}\u{a0}s", six_figures(value)),
            (CheckUnit::Part, true) => format!("{}\u{a0}%", six_figures(100.0 * value)),
            (CheckUnit::Times, true) => format!("{}×", six_figures(value)),
            _ => self.unit().show(value),
        }
    }

    /// In CSV.
    pub fn word(self) -> &'static str {
        match self {
            CheckUnit::Number => "",
            CheckUnit::Count => "count",
            CheckUnit::Ns => "ns",
            CheckUnit::Seconds => "s",
            CheckUnit::Bytes => "bytes",
            CheckUnit::Part => "part",
            CheckUnit::Times => "times",
            CheckUnit::PerSecond => "per_s",
            CheckUnit::Truth => "truth",
        }
    }
}

impl CheckKind {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            CheckKind::Count => "count",
            CheckKind::Ratio => "ratio",
            CheckKind::Order => "order",
            CheckKind::Shape => "shape",
            CheckKind::Example => "example",
            CheckKind::Absolute => "absolute",
        }
    }
}

impl Places {
    /// Whether it can be decided on this machine, and on the document's.
    pub fn includes(self, simulated: bool) -> bool {
        match self {
            Places::Both => true,
            Places::Here => !simulated,
            Places::Machine => simulated,
        }
    }
}
