//! What is said of any run that is predicted elsewhere: its time with an interval, how well the
//! recorded run is predicted, what would save some, and a curve.

use document::chart::{Axis, Chart, Curve, Dots};
use document::{Cell, Colour, Column, Section, Table, Unit, axis_seconds, plain, ratio, time};
use serde::Serialize;

const NS_PER_S: f64 = 1e9;
/// Height of a curve.
const HEIGHT: u32 = 300;

/// A time and its interval, s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Span {
    /// As everything was recorded.
    pub s: f64,
    /// The least of all draws.
    pub from_s: f64,
    /// The most.
    pub to_s: f64,
}

impl Span {
    /// Of a time, s, and what was drawn beside it.
    pub fn of(s: f64, drawn: &[f64]) -> Span {
        let drawn = || drawn.iter().copied();
        Span { s, from_s: drawn().fold(s, f64::min), to_s: drawn().fold(s, f64::max) }
    }

    /// Whether a time, s, lies within it, or outside by no more than a part of that time.
    pub fn holds(self, measured_s: f64, part: f64) -> bool {
        let more_s = part * measured_s;
        (self.from_s - more_s..=self.to_s + more_s).contains(&measured_s)
    }

    /// As `2.50 s (90 %: 2.42 s to 2.65 s)`.
    pub fn words(self, covers_percent: u32) -> String {
        let [s, from, to] = [self.s, self.from_s, self.to_s].map(seconds);
        format!("{s} ({covers_percent}\u{a0}%: {from} to {to})")
    }

    /// In a column of seconds with an interval.
    pub fn cell(self) -> Cell {
        let mut cell = Cell::new(self.s);
        cell.interval = Some((self.from_s, self.to_s));
        cell
    }
}

/// A run where it was recorded, and where it is predicted.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// What both are: a machine, a network.
    pub place: &'a str,
    /// Where it was recorded, and what comes out there.
    pub recorded: (&'a str, Span),
    /// Where it is predicted.
    pub target: (&'a str, Span),
    /// What it took where it was recorded, s.
    pub measured_s: f64,
    /// Whether that is what comes out.
    pub holds: bool,
    /// How much intervals cover.
    pub covers_percent: u32,
}

impl Places<'_> {
    /// The finding.
    pub fn finding(&self) -> String {
        let ((_, recorded), (name, span)) = (self.recorded, self.target);
        let times = recorded.s / span.s;
        let than = match times >= 1.0 {
            true => format!("{} as fast as", ratio(times)),
            false => format!("{} the time of", ratio(1.0 / times)),
        };
        let (words, place) = (span.words(self.covers_percent), self.place);
        format!("On {name} it takes {words}: {than} the {place} it was recorded on.")
    }

    /// How well the recorded run is predicted.
    pub fn gate(&self) -> String {
        let (name, span) = self.recorded;
        let off = span.s / self.measured_s - 1.0;
        let said = format!(
            "On {name}, where it was recorded, it took {}; played again there it takes {}, \
            {}\u{a0}% {}.",
            seconds(self.measured_s),
            span.words(self.covers_percent),
            plain(&format!("{:.2}", off.abs() * 100.0)),
            if off < 0.0 { "less" } else { "more" },
        );
        match self.holds {
            true => said,
            false => format!(
                "{said} That is outside of the interval: what is said of the other {} is not to \
                be relied on.",
                self.place
            ),
        }
    }
}

/// What changes would save, s.
pub fn gains(all: &[(&'static str, f64)]) -> Table {
    let columns = [Column::text("change", "change"), Column::seconds("gain", "saves")];
    let rows = all.iter().map(|(words, gain)| [Cell::new(*words), Cell::new(*gain)]);
    Table::new("gains", columns).with(rows)
}

/// Times at multiples of what `name` says.
pub fn along(name: &'static str, points: &[(f64, Span)], covers_percent: u32) -> Section {
    let columns = [
        Column::new("multiple", name, Unit::Ratio),
        Column::seconds("predicted", "predicted").with_interval(),
    ];
    let rows = points.iter().map(|(multiple, span)| [Cell::new(*multiple), span.cell()]);
    let table = Table::new("curve", columns).with(rows);
    let sentence = format!("Completion at multiples of {name}, all else the same.");
    let x: Vec<f64> = points.iter().map(|(multiple, _)| *multiple).collect();
    let y = |s: f64| axis_seconds(s * NS_PER_S);
    let times: Vec<f64> = points.iter().map(|(_, span)| y(span.s)).collect();
    let ends = points.iter().map(|(_, span)| (y(span.from_s), y(span.to_s))).collect();
    let tip = |(multiple, span): &(f64, Span)| {
        format!("{} {name}: {}", ratio(*multiple), span.words(covers_percent))
    };
    let axes = (Axis::count(format!("multiple of {name}")).log(), Axis::time("time").log());
    let mut chart = Chart::new("curve", HEIGHT, sentence.clone(), axes);
    let line = Curve::line(x, times, Colour("a").at(0.6), 1.4);
    let line = line.dots(Dots::discs(Colour("a"), 8.0)).intervals(ends);
    chart.draw(line.tips(points.iter().map(tip).collect()));
    Section::new("curve", format!("Along {name}"), sentence).table(table).chart(chart)
}

fn seconds(s: f64) -> String {
    time(s * NS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_held_by_what_was_drawn_and_the_resolution() {
        let span = Span::of(2.0, &[1.9, 2.2]);
        assert_eq!((span.from_s, span.to_s), (1.9, 2.2));
        let held = [1.85, 1.9, 2.2, 2.24].map(|s| (span.holds(s, 0.0), span.holds(s, 0.03)));
        assert_eq!(held, [(false, true), (true, true), (true, true), (false, true)]);
        assert!(!span.holds(2.3, 0.03));
    }

    #[test]
    fn what_does_not_hold_is_not_to_be_relied_on() {
        let span = |s| Span::of(s, &[]);
        let mut places = Places {
            place: "network",
            recorded: ("here", span(2.0)),
            target: ("there", span(4.0)),
            measured_s: 2.5,
            holds: true,
            covers_percent: 90,
        };
        assert!(places.finding().contains("2.00× the time of the network"));
        assert!(places.gate().ends_with("20.00\u{a0}% less."), "{}", places.gate());
        places.holds = false;
        places.target = ("there", span(1.0));
        assert!(places.finding().contains("2.00× as fast as"));
        assert!(places.gate().contains("the other network is not to be relied on"));
    }
}
