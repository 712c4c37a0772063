//! Which messages an analysis is about.
//!
//! A run records more than its application sent: a simulation's GVT and anti-messages, a pager's
//! parity, and what never left its node. All of them together are a mixture whose median says
//! nothing. So the usual choice is the application's messages between nodes, and any other can be
//! made. Rows that are no messages stay, except whole cycles, which take part where what is chosen
//! can be said of a cycle.

mod cut;
mod ends;
pub mod parse;

pub use cut::{Bounds, Cut, RankKey, Share};
pub use ends::{CutError, CutPass, CutSearch};

use record::{Field, Kind, NULL, Values};
use serde::{Deserialize, Serialize};

use crate::columns::{Columns, kind_of};
use crate::compare::Measured;

/// Which messages; the default is the usual choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// By what they are for.
    pub kinds: Kinds,
    /// By whether they leave their node.
    pub places: Places,
    /// By links crossed.
    pub hops: Option<Span>,
    /// By source and destination; empty for any.
    pub pairs: Vec<(u32, u32)>,
    /// By payload, bytes.
    pub bytes: Option<Span>,
    /// By packets that carried it.
    #[serde(default)]
    pub packets: Option<Span>,
    /// Of all these, a share by the time of a stage.
    #[serde(default)]
    pub cut: Option<Cut>,
}

/// What messages are for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kinds {
    /// Those that the application sent ([`Kind::is_application`]).
    #[default]
    Application,
    /// Any.
    All,
    /// One of these.
    These(Vec<Kind>),
}

/// Whether messages leave their node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Places {
    /// Those between nodes; any, where hops or pairs are chosen, as these say it themselves.
    #[default]
    Usual,
    /// Those between nodes.
    Between,
    /// Those within a node.
    Within,
    /// Both.
    Both,
}

/// A range of whole numbers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Smallest.
    pub from: u64,
    /// Largest.
    pub to: u64,
}

/// What a batch has of the messages that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    All,
    None,
    Some,
}

impl Taken {
    /// Whether the message in this row is, with the mask that goes with it.
    #[inline]
    pub fn row(self, mask: &[bool], row: usize) -> bool {
        match self {
            Taken::All => true,
            Taken::None => false,
            Taken::Some => mask[row],
        }
    }
}

/// The columns that a filter looks at.
pub const FILTER_FIELDS: [Field; 11] = [
    Field::Kind,
    Field::Src,
    Field::Dst,
    Field::Hops,
    Field::Bytes,
    Field::Packets,
    Field::ReadyNs,
    Field::SentNs,
    Field::ArrivedNs,
    Field::TakenNs,
    Field::Seq,
];

impl Filter {
    /// Every message.
    pub fn all() -> Filter {
        Filter { kinds: Kinds::All, places: Places::Both, ..Filter::default() }
    }

    /// The filters to try one after the other, until one takes a message. A run may have none that
    /// the usual choice takes: then all of the application's are next, and then all there are. What
    /// was chosen by hand is tried alone; a cut is of whatever there is.
    pub fn tries(&self) -> Vec<Filter> {
        let is_settled = self.cut.as_ref().is_some_and(|cut| cut.bounds.is_some());
        if self.uncut() != Filter::default() || is_settled {
            return vec![self.clone()];
        }
        let wherever = Filter { places: Places::Both, ..Filter::default() };
        let each = [Filter::default(), wherever, Filter::all()];
        each.map(|filter| Filter { cut: self.cut.clone(), ..filter }).into()
    }

    /// The same without its cut.
    pub fn uncut(&self) -> Filter {
        Filter { cut: None, ..self.clone() }
    }

    /// The places that are taken once hops and pairs have had their say.
    pub fn places(&self) -> Places {
        match self.places {
            Places::Usual if self.hops.is_none() && self.pairs.is_empty() => Places::Between,
            Places::Usual => Places::Both,
            chosen => chosen,
        }
    }

    /// Whether a message of this kind may be taken.
    pub fn takes_kind(&self, kind: Kind) -> bool {
        match &self.kinds {
            Kinds::Application => kind.is_application(),
            Kinds::All => true,
            Kinds::These(kinds) => kinds.contains(&kind),
        }
    }

    /// Whether the message in this row is taken.
    pub fn takes(&self, columns: &Columns, row: usize) -> bool {
        let at = |field| columns.at(field, row);
        self.takes_kind(kind_of(at(Field::Kind)))
            && self.takes_place(within_node(at(Field::Src), at(Field::Dst)))
            && self.takes_pair(at(Field::Src), at(Field::Dst))
            && holds(self.hops, at(Field::Hops))
            && holds(self.bytes, at(Field::Bytes))
            && holds(self.packets, at(Field::Packets))
            && self.message_cut().is_none_or(|cut| cut.takes(columns, row))
    }

    /// The cut, where it is one of messages and not of cycles.
    fn message_cut(&self) -> Option<&Cut> {
        self.cut.as_ref().filter(|cut| cut.stage() != Measured::Cycle)
    }

    /// Whether the cycle in this row is taken. It is a node's own and of several messages, so that
    /// kind, pair, hops, packets and the stages of a message are not known of it.
    pub(crate) fn takes_cycle(&self, columns: &Columns, row: usize) -> bool {
        let usual = !matches!(self.kinds, Kinds::These(_)) && self.places() != Places::Within;
        let known = usual
            && self.hops.is_none()
            && self.packets.is_none()
            && self.pairs.is_empty()
            && self.message_cut().is_none();
        let cut = self.cut.as_ref().filter(|_| known);
        known
            && holds(self.bytes, columns.at(Field::Bytes, row))
            && cut.is_none_or(|cut| cut.takes(columns, row))
    }

    /// Which of a batch's messages are taken; `mask` has an entry for each row unless all or none
    /// are.
    pub(crate) fn select(&self, columns: &Columns, mask: &mut Vec<bool>) -> Taken {
        let rows = columns.rows();
        let mut narrowing = Narrowing { mask, rows, cut: false };
        let place = |src: i64, dst: i64| self.takes_place(within_node(src, dst));
        let both = (columns.column(Field::Src), columns.column(Field::Dst));
        let kept = narrowing.by(columns.column(Field::Kind), |code| self.takes_kind(kind_of(code)))
            && (self.places() == Places::Both || narrowing.by_both(both, place))
            && (self.pairs.is_empty()
                || narrowing.by_both(both, |src, dst| self.takes_pair(src, dst)))
            && (self.hops.is_none()
                || narrowing.by(columns.column(Field::Hops), |n| holds(self.hops, n)))
            && (self.bytes.is_none()
                || narrowing.by(columns.column(Field::Bytes), |n| holds(self.bytes, n)))
            && (self.packets.is_none()
                || narrowing.by(columns.column(Field::Packets), |n| holds(self.packets, n)))
            && self.message_cut().is_none_or(|cut| narrowing.by_row(|row| cut.takes(columns, row)));
        match (kept, narrowing.cut) {
            (false, _) => Taken::None,
            (true, false) => Taken::All,
            (true, true) => match mask.iter().filter(|taken| **taken).count() {
                0 => Taken::None,
                some if some == rows => Taken::All,
                _ => Taken::Some,
            },
        }
    }

    fn takes_place(&self, within: bool) -> bool {
        match self.places() {
            Places::Between => !within,
            Places::Within => within,
            Places::Usual | Places::Both => true,
        }
    }

    fn takes_pair(&self, src: i64, dst: i64) -> bool {
        let like = |&(from, to): &(u32, u32)| (i64::from(from), i64::from(to)) == (src, dst);
        self.pairs.is_empty() || self.pairs.iter().any(like)
    }
}

impl Kinds {
    /// Those that were chosen, of which `None` is any; the application's where none was.
    pub fn chosen(chosen: Vec<Option<Kind>>) -> Kinds {
        match chosen.into_iter().collect::<Option<Vec<Kind>>>() {
            None => Kinds::All,
            Some(kinds) if kinds.is_empty() => Kinds::Application,
            Some(kinds) => Kinds::These(kinds),
        }
    }
}

impl Places {
    /// Those that were chosen.
    pub fn chosen(between: bool, within: bool) -> Places {
        match (between, within) {
            (false, false) => Places::Usual,
            (true, false) => Places::Between,
            (false, true) => Places::Within,
            (true, true) => Places::Both,
        }
    }
}

impl Span {
    /// Whether it is within.
    pub fn contains(self, number: u64) -> bool {
        (self.from..=self.to).contains(&number)
    }
}

/// Rows that are left, one condition after the other.
struct Narrowing<'a> {
    mask: &'a mut Vec<bool>,
    rows: usize,
    /// Whether the mask holds: before a condition looked at single rows, all are left.
    cut: bool,
}

impl Narrowing<'_> {
    /// Keep the rows whose value is wanted; false where that is none, as far as that is plain.
    fn by(&mut self, values: Values, wanted: impl Fn(i64) -> bool) -> bool {
        match values {
            Values::Absent => wanted(NULL),
            Values::Constant(value) => wanted(value),
            Values::Each(each) => {
                self.each()
                    .iter_mut()
                    .zip(each)
                    .for_each(|(taken, &value)| *taken &= wanted(value));
                true
            }
        }
    }

    /// The same by two columns.
    fn by_both(&mut self, (a, b): (Values, Values), wanted: impl Fn(i64, i64) -> bool) -> bool {
        match (a, b) {
            (Values::Each(a), Values::Each(b)) => {
                let rows = self.each().iter_mut().zip(a.iter().zip(b));
                rows.for_each(|(taken, (&a, &b))| *taken &= wanted(a, b));
                true
            }
            (Values::Each(_), other) => {
                let other = other.at(0);
                self.by(a, |value| wanted(value, other))
            }
            (other, _) => {
                let other = other.at(0);
                self.by(b, |value| wanted(other, value))
            }
        }
    }

    /// The same by whole rows.
    fn by_row(&mut self, wanted: impl Fn(usize) -> bool) -> bool {
        let rows = self.each().iter_mut().enumerate();
        rows.for_each(|(row, taken)| *taken = *taken && wanted(row));
        true
    }

    fn each(&mut self) -> &mut [bool] {
        if !self.cut {
            self.cut = true;
            self.mask.clear();
            self.mask.resize(self.rows, true);
        }
        self.mask
    }
}

/// Whether a message's source is its destination.
pub(crate) fn within_node(src: i64, dst: i64) -> bool {
    src != NULL && src == dst
}

fn holds(span: Option<Span>, value: i64) -> bool {
    span.is_none_or(|span| u64::try_from(value).is_ok_and(|value| span.contains(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_filter() -> impl Strategy<Value = Filter> {
        let kinds = prop_oneof![
            Just(Kinds::Application),
            Just(Kinds::All),
            prop::collection::vec(
                prop::sample::select(vec![Kind::Data, Kind::Gvt, Kind::Anti]),
                1..3
            )
            .prop_map(Kinds::These),
        ];
        let places = prop::sample::select(vec![
            Places::Usual,
            Places::Between,
            Places::Within,
            Places::Both,
        ]);
        let span = || {
            prop::option::of(
                (0..4_u64, 0..4_u64).prop_map(|(from, more)| Span { from, to: from + more }),
            )
        };
        let pairs = prop::collection::vec((0..3_u32, 0..3_u32), 0..2);
        let key = (0..4_i64, 0..3_i64).prop_map(|(ns, ready_ns)| RankKey {
            ns,
            ready_ns,
            src: 1,
            seq: 1,
        });
        let key = prop::option::of(key);
        let cut = prop::option::of((key.clone(), key).prop_map(|(above, up_to)| Cut {
            stage: None,
            from: Share::NONE,
            to: Share::ALL,
            bounds: Some(Bounds { of: 9, above, up_to }),
        }));
        (kinds, places, span(), pairs, span(), span(), cut).prop_map(
            |(kinds, places, hops, pairs, bytes, packets, cut)| Filter {
                kinds,
                places,
                hops,
                pairs,
                bytes,
                packets,
                cut,
            },
        )
    }

    fn values(each: &[i64], constant: bool) -> Values<'_> {
        if constant { Values::Constant(each[0]) } else { Values::Each(each) }
    }

    proptest! {
        #[test]
        fn a_batch_is_selected_as_its_rows_are(
            filter in any_filter(),
            rows in prop::collection::vec(
                [0..6_i64, 0..3, 0..3, -1..5, -1..6, -1..4, 0..3, 0..5, 0..5, 2..8, 0..3],
                1..60,
            ),
            constant: [bool; 11],
        ) {
            let each: Vec<Vec<i64>> =
                (0..11).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
            let columns = FILTER_FIELDS
                .iter()
                .enumerate()
                .fold(Columns::new(rows.len()), |columns, (at, &field)| {
                    columns.with(field, values(&each[at], constant[at]))
                });
            let truth: Vec<bool> = (0..rows.len()).map(|row| filter.takes(&columns, row)).collect();
            let mut mask = Vec::new();
            match filter.select(&columns, &mut mask) {
                Taken::All => prop_assert!(truth.iter().all(|taken| *taken)),
                Taken::None => prop_assert!(!truth.iter().any(|taken| *taken)),
                Taken::Some => prop_assert_eq!(mask, truth),
            }
        }
    }

    #[test]
    fn the_usual_choice_is_widened_and_one_by_hand_is_not() {
        assert_eq!(Filter::default().tries().len(), 3);
        assert_eq!(Filter::default().tries().last(), Some(&Filter::all()));
        let chosen = Filter { kinds: Kinds::These(vec![Kind::Gvt]), ..Filter::default() };
        assert_eq!(chosen.tries(), [chosen]);
    }

    #[test]
    fn a_pair_or_hops_say_the_place_themselves() {
        assert_eq!(Filter::default().places(), Places::Between);
        let within = Filter { pairs: vec![(1, 1)], ..Filter::default() };
        assert_eq!(within.places(), Places::Both);
        let between = Filter { places: Places::Between, ..within };
        assert_eq!(between.places(), Places::Between);
    }
}
