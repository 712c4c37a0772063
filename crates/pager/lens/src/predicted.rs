//! A paged run as it is predicted over other networks: times with their intervals, where they go,
//! and what would save some.

use crate::followed::{Played, Share};
use document::{Block, Cell, Column, Document, Section, Table, Unit, count, part, time};
use predict::{COVERS_PERCENT, DRAWS};
use report::foretold::{Places, Span, along, gains};

const NS_PER_S: f64 = 1e9;
/// What lies between the program's begin and its first page, and after its last, which no model of
/// pages has.
const RESOLUTION: f64 = 0.01;

/// The run over a network.
#[derive(Clone, Debug, PartialEq)]
pub struct PagedSide {
    /// Which.
    pub name: String,
    pub span: Span,
    /// As it is played without chance; nothing where decisions are as recorded.
    pub played: Option<Played>,
}

/// All that is predicted of a paged run.
#[derive(Clone, Debug, PartialEq)]
pub struct PagedPrediction {
    /// Its folder.
    pub run: String,
    pub recorded: PagedSide,
    pub target: PagedSide,
    pub measured_s: f64,
    /// Pages that came and went when it was recorded; parity not among them.
    pub page_ins: u64,
    pub page_outs: u64,
    /// Why the pager does not decide anew; `None`: it does.
    pub as_recorded: Option<String>,
    /// What a tenth less latency and so on save, s.
    pub gains: Vec<(&'static str, f64)>,
    /// What the curve goes along, and its times by the multiple.
    pub curve: Option<(&'static str, Vec<(f64, Span)>)>,
}

impl PagedPrediction {
    /// Whether the measured time is within what comes out for the recorded network, or outside by
    /// no more than the model's resolution.
    pub fn holds(&self) -> bool {
        self.recorded.span.holds(self.measured_s, RESOLUTION)
    }

    /// Why nothing is to be predicted; `None` where the recorded run is predicted well.
    pub fn refusal(&self) -> Option<String> {
        let said = || {
            format!(
                "no prediction: over the network it was recorded on ({}) it would take {}, but it \
                took {}; is that its network's rate, and did anything else use its machines? See \
                what comes out with --anyway",
                self.recorded.name,
                self.recorded.span.words(COVERS_PERCENT),
                time(self.measured_s * NS_PER_S)
            )
        };
        (!self.holds()).then(said)
    }

    /// All of it.
    pub fn document(&self) -> Document {
        let mut sections = vec![self.completion()];
        sections.extend(self.bounds());
        let curve = self.curve.as_ref();
        sections.extend(curve.map(|(name, points)| along(name, points, COVERS_PERCENT)));
        sections.push(self.method());
        let places = self.places();
        let opening = vec![Block::Finding(places.finding()), Block::Lead(places.gate())];
        let title = format!("{} on {}", self.run, self.target.name);
        Document { title, opening, sections, ..Document::default() }
    }

    fn places(&self) -> Places<'_> {
        Places {
            place: "network",
            recorded: (&self.recorded.name, self.recorded.span),
            target: (&self.target.name, self.target.span),
            measured_s: self.measured_s,
            holds: self.holds(),
            covers_percent: COVERS_PERCENT,
        }
    }

    fn completion(&self) -> Section {
        let columns = [
            Column::text("network", "network"),
            Column::seconds("predicted", "predicted").with_interval(),
            Column::seconds("measured", "measured"),
            Column::new("error", "error", Unit::Change),
            Column::count("page_ins", "pages in"),
            Column::count("page_outs", "pages out"),
        ];
        let row = |side: &PagedSide, measured: Option<f64>| {
            let error = measured.map(|measured| side.span.s / measured - 1.0);
            [
                Cell::new(&*side.name),
                side.span.cell(),
                Cell::new(measured),
                Cell::new(error),
                Cell::new(side.played.map(|played| played.page_ins)),
                Cell::new(side.played.map(|played| played.page_outs)),
            ]
        };
        let table = Table::new("completion", columns)
            .with([row(&self.recorded, Some(self.measured_s)), row(&self.target, None)]);
        let sentence = format!(
            "When it was recorded, {} pages came and {} went. The interval is the least and the \
            most of {DRAWS} draws: {}.",
            count(self.page_ins),
            count(self.page_outs),
            match self.as_recorded {
                None => {
                    "times of computing stand for others near them, the servers' turn is within \
                    its middle half, and each figure of the network in its range"
                }
                Some(_) => {
                    "each figure of the network is in its range, and nothing else is drawn, so it \
                    says little"
                }
            }
        );
        Section::new("completion", "Completion", sentence).table(table)
    }

    /// Where the time goes; nothing where decisions are as recorded.
    fn bounds(&self) -> Option<Section> {
        let (recorded, target) = (self.recorded.played?, self.target.played?);
        let columns = [
            Column::text("share", "time goes to"),
            Column::seconds("recorded", "recorded on"),
            Column::share("recorded_share", "share"),
            Column::seconds("target", "predicted on"),
            Column::share("target_share", "share"),
        ];
        let row = |share: Share| {
            let of = |played: &Played| played.spent[share];
            [
                Cell::new(share.words()),
                Cell::new(of(&recorded)),
                Cell::new(of(&recorded) / recorded.elapsed_s),
                Cell::new(of(&target)),
                Cell::new(of(&target) / target.elapsed_s),
            ]
        };
        let table = Table::new("bounds", columns).with(Share::ALL.map(row));
        let order = |a: &Share, b: &Share| target.spent[*a].total_cmp(&target.spent[*b]);
        let most = Share::ALL.into_iter().max_by(order).unwrap_or(Share::Computing);
        let sentence = format!(
            "Of the thread that ends last. On {} {} of its time is {}.",
            self.target.name,
            part(target.spent[most] / target.elapsed_s),
            most.words()
        );
        let mut section = Section::new("bounds", "What bounds it", sentence).table(table);
        section.blocks.push(Block::Table(gains(&self.gains)));
        Some(section)
    }

    fn method(&self) -> Section {
        let mut said = match &self.as_recorded {
            None => vec![
                "The pager decides anew: the recorded touches go through its real policy, so what \
                is read ahead, what leaves and what waits are those of that network."
                    .to_string(),
                "Touches of pages in memory are not seen, so a page that leaves earlier than it \
                did is not missed before its next recorded fault. First touches of pages that \
                were read ahead are taken to lie at even distances between the faults of their \
                stream."
                    .to_string(),
            ],
            Some(why) => vec![
                "The pager's decisions are as recorded: each transfer follows what it followed \
                then."
                    .to_string(),
                format!("Why it does not decide anew: {why}."),
            ],
        };
        said.push(
            "Program, engine and servers have a processor each whenever they want one.".to_string(),
        );
        let mut section = Section::new("method", "How it is predicted", "").as_detail();
        section.blocks.push(Block::List(said));
        section
    }
}
