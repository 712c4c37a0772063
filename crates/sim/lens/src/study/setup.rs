//! How a launch of a study runs, and what files, tables and charts call it: by what differs between
//! the setups of the study, and by nothing else.

use document::chart::Symbol;
use document::{Colour, ordered, six_figures};

/// The name of the program that studies, among builds.
pub const THIS_BUILD: &str = "this";

/// What runs, and how: in order, or on so many nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedupSetup {
    /// The model.
    pub model: String,
    /// The program that runs it, by name.
    pub build: String,
    /// How many times as long every event takes; `None`: as long as it does.
    pub stretch: Option<f64>,
    /// Nodes; `None`: in order, without the optimistic engine.
    pub nodes: Option<u16>,
    /// What carries the messages between nodes.
    pub transport: &'static str,
    /// How objects are timed.
    pub timing: &'static str,
}

/// What differs between the setups of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varied {
    pub(super) models: bool,
    pub(super) builds: bool,
    stretches: bool,
    transports: bool,
    timings: bool,
}

/// How a row is named and drawn, alike in every table and chart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    pub(super) varied: Varied,
    /// The place of its line among the study's lines, and how many there are.
    pub(super) line: (usize, usize),
    /// The place of its transport among the study's.
    pub(super) transport: usize,
}

impl SpeedupSetup {
    /// Whether both differ in the number of nodes and in the model at most.
    pub(super) fn is_line_of(&self, other: &SpeedupSetup) -> bool {
        let of = |setup: &SpeedupSetup| (setup.transport, setup.timing, setup.stretch);
        of(self) == of(other) && self.build == other.build
    }

    /// The engine that runs it.
    pub(super) fn engine(&self) -> &'static str {
        if self.nodes.is_some() { "optimistic" } else { "sequential" }
    }

    /// On how many nodes, in words.
    fn on(&self) -> String {
        match self.nodes {
            None => "in order".to_owned(),
            Some(1) => "1 node".to_owned(),
            Some(nodes) => format!("{nodes} nodes"),
        }
    }
}

impl Varied {
    /// What differs between these.
    pub fn among(setups: &[SpeedupSetup]) -> Varied {
        let on_nodes: Vec<&SpeedupSetup> = setups.iter().filter(|it| it.nodes.is_some()).collect();
        let differ = |same: fn(&SpeedupSetup, &SpeedupSetup) -> bool| {
            setups.iter().any(|setup| !same(setup, &setups[0]))
        };
        let nodes_differ = |same: fn(&SpeedupSetup, &SpeedupSetup) -> bool| {
            on_nodes.iter().any(|setup| !same(setup, on_nodes[0]))
        };
        Varied {
            models: differ(|a, b| a.model == b.model),
            builds: differ(|a, b| a.build == b.build),
            stretches: differ(|a, b| a.stretch == b.stretch),
            transports: nodes_differ(|a, b| a.transport == b.transport),
            timings: nodes_differ(|a, b| a.timing == b.timing),
        }
    }

    /// For the names of files.
    pub fn key(self, setup: &SpeedupSetup) -> String {
        let mut parts = Vec::new();
        parts.extend(self.models.then(|| setup.model.clone()));
        parts.extend(self.builds.then(|| setup.build.clone()));
        parts.extend(setup.stretch.filter(|_| self.stretches).map(|by| format!("x{by}")));
        match setup.nodes {
            None => parts.push("sequential".into()),
            Some(nodes) => {
                parts.push(format!("nodes-{nodes}"));
                parts.extend(self.transports.then(|| setup.transport.to_owned()));
                parts.extend(self.timings.then(|| setup.timing.to_owned()));
            }
        }
        parts.join("-")
    }

    /// As tables call it.
    pub fn name(self, setup: &SpeedupSetup) -> String {
        let mut parts = Vec::new();
        parts.extend(self.models.then(|| setup.model.clone()));
        parts.push(setup.on());
        parts.extend(self.how(setup));
        parts.join(", ")
    }

    /// As charts call the line of it.
    pub(super) fn line(self, setup: &SpeedupSetup) -> String {
        let parts = self.how(setup);
        match &parts[..] {
            [] => "Measured".to_owned(),
            [only] if *only == setup.timing => format!("Timing {only}"),
            _ => parts.join(", "),
        }
    }

    /// What it differs in from others of its model on as many nodes.
    fn how(self, setup: &SpeedupSetup) -> Vec<String> {
        let mut parts = Vec::new();
        if setup.nodes.is_some() {
            parts.extend(self.transports.then(|| setup.transport.to_owned()));
            parts.extend(self.timings.then(|| setup.timing.to_owned()));
        }
        let stretch = setup.stretch.filter(|_| self.stretches);
        parts.extend(stretch.map(|by| format!("events × {}", six_figures(by))));
        parts.extend(self.builds.then(|| setup.build.clone()));
        parts
    }
}

impl Style {
    /// Of each of these.
    pub(super) fn all(setups: &[SpeedupSetup]) -> Vec<Style> {
        let varied = Varied::among(setups);
        let (mut lines, mut transports) = (Vec::<&SpeedupSetup>::new(), Vec::new());
        let mut places = Vec::new();
        for setup in setups {
            if setup.nodes.is_none() {
                places.push((0, 0));
                continue;
            }
            let line = place(&mut lines, setup, |a, b| a.is_line_of(b));
            places.push((line, place(&mut transports, setup.transport, |a, b| a == b)));
        }
        let of = lines.len();
        let style = |(line, transport)| Style { varied, line: (line, of), transport };
        places.into_iter().map(style).collect()
    }

    /// The same for a part of the study that has one model.
    pub(super) fn of_one_model(self) -> Style {
        Style { varied: Varied { models: false, ..self.varied }, ..self }
    }

    /// The colour of its line.
    pub(super) fn colour(self) -> Colour {
        match self.line {
            (_, 0 | 1) => Colour("a"),
            (at, of) => ordered(at, of),
        }
    }

    /// Its points.
    pub(super) fn symbol(self) -> Symbol {
        SYMBOLS[self.transport % SYMBOLS.len()].0
    }
}

/// The form of the points of each transport, and its name.
pub(super) const SYMBOLS: [(Symbol, &str); 4] = [
    (Symbol::Disc, "discs"),
    (Symbol::Ring, "rings"),
    (Symbol::Diamond, "diamonds"),
    (Symbol::Triangle, "triangles"),
];

/// Where it stands among those that were seen, from now on.
fn place<T>(seen: &mut Vec<T>, one: T, same: impl Fn(&T, &T) -> bool) -> usize {
    seen.iter().position(|known| same(known, &one)).unwrap_or_else(|| {
        seen.push(one);
        seen.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setups() -> Vec<SpeedupSetup> {
        let mut all = Vec::new();
        for (model, build) in [("a", "this"), ("a", "gcc"), ("b", "this")] {
            let of = SpeedupSetup { model: model.into(), build: build.into(), ..<_>::default() };
            all.push(of.clone());
            for transport in ["thread", "tcp"] {
                all.push(SpeedupSetup {
                    nodes: Some(2),
                    transport,
                    timing: "none",
                    stretch: None,
                    ..of.clone()
                });
            }
        }
        all
    }

    #[test]
    fn only_what_differs_is_named() {
        let all = setups();
        let names = |of: &[SpeedupSetup], at: usize| {
            let varied = Varied::among(of);
            [varied.key(&of[at]), varied.name(&of[at]), varied.line(&of[at])]
        };
        let tcp = names(&all, 5);
        assert_eq!(tcp, ["a-gcc-nodes-2-tcp", "a, 2 nodes, tcp, gcc", "tcp, gcc"]);
        assert_eq!(names(&all, 0)[..2], ["a-this-sequential", "a, in order, this"]);
        assert_eq!(names(&all[..3], 1), ["nodes-2-thread", "2 nodes, thread", "thread"]);
        assert_eq!(names(&all[..2], 1), ["nodes-2", "2 nodes", "Measured"]);
        let mut timed = all[..3].to_vec();
        (timed[2].transport, timed[2].timing) = ("thread", "wall");
        assert_eq!(names(&timed, 2), ["nodes-2-wall", "2 nodes, wall", "Timing wall"]);
        let mut long = all[..2].to_vec();
        (long[0].stretch, long[1].stretch) = (Some(1.0), Some(12.5));
        assert_eq!(names(&long, 1)[..2], ["x12.5-nodes-2", "2 nodes, events × 12.5"]);
    }

    #[test]
    fn a_line_has_one_colour_in_every_model_and_a_transport_one_symbol() {
        let all = setups();
        let styles = Style::all(&all);
        assert_eq!(styles.iter().map(|it| it.line.1).max(), Some(4));
        assert_eq!((styles[1].colour(), styles[2].symbol()), (styles[7].colour(), Symbol::Ring));
        assert_ne!(styles[1].colour(), styles[4].colour(), "another build");
        assert_eq!(Style::all(&all[..2])[1].colour(), Colour("a"), "the only one");
    }
}
