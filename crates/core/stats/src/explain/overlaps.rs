//! Of the messages of a cut, the part that was under way while something else went on, against that
//! of all messages: whether the slowest were behind a round of GVT, say.
//!
//! What else went on is work of the nodes on a message's way, and messages of other kinds that
//! crossed one of these nodes. A long time meets more than a short one, so what the same times
//! would meet elsewhere in the launch is given as well.

use std::collections::BTreeMap;

use record::{Field, Kind, NULL};

use super::sample::{Member, Sample, hash};
use super::spans::{Place, Work};
use crate::account::nodes_of;
use crate::analysis::{Overlap, Stage};
use crate::columns::Columns;
use crate::compare::Measured;
use crate::filter::Filter;

/// Messages kept of the cut, and of all.
const MEMBERS_MOST: usize = 1 << 15;
/// Moments of a launch at which each of the cut's times is tried.
const MOMENTS: u64 = 32;

/// Gathers both; nothing without a cut of messages.
#[derive(Clone, Debug)]
pub(super) struct Overlaps {
    stage: Stage,
    whole: Filter,
    cut: Sample,
    all: Sample,
    work: Work,
    way: Way,
}

/// Which nodes a message crosses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Its two ends.
    Ends,
    /// Those of a hypercube as well, the lowest dimension first.
    Cube,
}

/// What messages are held against.
struct Beside<'a> {
    of: BTreeMap<Kind, BTreeMap<Place, Busy>>,
    launches: &'a BTreeMap<u32, (i64, i64)>,
    stage: Stage,
    way: Way,
    least_ns: i64,
}

/// When something went on at a node: times apart from each other, in order.
#[derive(Debug, Default, PartialEq)]
struct Busy(Vec<(i64, i64)>);

impl Overlaps {
    /// For the cut of this filter, if it has one.
    pub fn new(filter: &Filter) -> Option<Overlaps> {
        let stage = match filter.cut.as_ref()?.stage() {
            Measured::EndToEnd => Stage::EndToEnd,
            Measured::SendWait => Stage::SendWait,
            Measured::Transit => Stage::Transit,
            Measured::ReceiveWait => Stage::ReceiveWait,
            Measured::Cycle => return None,
        };
        Some(Overlaps {
            stage,
            whole: filter.uncut(),
            cut: Sample::new(MEMBERS_MOST),
            all: Sample::new(MEMBERS_MOST),
            work: Work::new(0),
            way: Way::Ends,
        })
    }

    /// In a run of this topology.
    pub fn within(&mut self, topology: &str) {
        if topology == "hypercube" {
            self.way = Way::Cube;
        }
    }

    /// Take in a row that is a message; `is_cut` says whether the cut takes it.
    pub fn add_message(&mut self, columns: &Columns, row: usize, launch: u32, is_cut: bool) {
        let kind = u8::try_from(columns.at(Field::Kind, row)).ok().and_then(Kind::from_code);
        if kind.is_some_and(|kind| !self.whole.takes_kind(kind)) {
            let other = Member::of(columns, row, launch, kind, Stage::Transit);
            return self.add_other(&other);
        }
        let one = Member::of(columns, row, launch, kind, self.stage);
        if one.from_ns == NULL || one.to_ns == NULL || !self.whole.takes(columns, row) {
            return;
        }
        let identity = hash(launch, one.src, one.seq);
        self.all.add(identity, || one);
        if is_cut {
            self.cut.add(identity, || one);
        }
    }

    /// A message of a kind that is not asked about.
    fn add_other(&mut self, other: &Member) {
        let Some(kind) = other.kind else { return };
        if other.src != other.dst && other.from_ns != NULL && other.to_ns != NULL {
            let span = (other.from_ns, other.to_ns);
            for node in self.way.nodes(Stage::Transit, other.src, other.dst) {
                self.work.add((other.launch, node), kind, span);
            }
        }
    }

    /// Take in work of a node.
    pub fn add_work(&mut self, place: Place, kind: Kind, span: (i64, i64)) {
        self.work.add(place, kind, span);
    }

    /// Take in what `other` took in.
    pub fn merge(&mut self, other: Overlaps) {
        self.cut.merge(other.cut);
        self.all.merge(other.all);
        self.work.merge(other.work);
    }

    /// What the cut's messages meet, by kind.
    pub fn found(self, launches: &BTreeMap<u32, (i64, i64)>) -> Vec<Overlap> {
        let Overlaps { stage, cut, all, work, way, .. } = self;
        let (cut, all) = (cut.into_members(), all.into_members());
        let beside = Beside { least_ns: work.least_ns(), of: busy(work), launches, stage, way };
        let kinds: Vec<Kind> = beside.of.keys().copied().collect();
        kinds.into_iter().map(|kind| beside.overlap(kind, &cut, &all)).collect()
    }
}

fn busy(work: Work) -> BTreeMap<Kind, BTreeMap<Place, Busy>> {
    let mut of: BTreeMap<Kind, BTreeMap<Place, Busy>> = BTreeMap::new();
    for (place, kind, span) in work.into_pieces() {
        of.entry(kind).or_default().entry(place).or_default().0.push(span);
    }
    of.values_mut().flat_map(BTreeMap::values_mut).for_each(Busy::settle);
    of
}

impl Beside<'_> {
    fn overlap(&self, kind: Kind, cut: &[Member], all: &[Member]) -> Overlap {
        let count = |members: &[Member]| {
            members.iter().filter(|one| self.meets(kind, one, one.from_ns)).count() as u64
        };
        let tried = cut.iter().map(|one| self.by_chance(kind, one)).sum::<f64>();
        Overlap {
            stage: self.stage,
            kind,
            with: count(cut),
            of: cut.len() as u64,
            all_with: count(all),
            all_of: all.len() as u64,
            by_chance: tried / cut.len().max(1) as f64,
            least_ns: self.least_ns,
        }
    }

    /// Whether such a thing went on at a node of a message's way, had its time begun at this
    /// moment.
    fn meets(&self, kind: Kind, one: &Member, from_ns: i64) -> bool {
        let Some(of) = self.of.get(&kind) else { return false };
        let to_ns = from_ns.saturating_add(one.to_ns.saturating_sub(one.from_ns));
        let busy = |node| of.get(&(one.launch, node));
        let mut nodes = self.way.nodes(self.stage, one.src, one.dst);
        nodes.any(|node| busy(node).is_some_and(|busy| busy.meets(from_ns, to_ns)))
    }

    /// At what part of the moments of its launch a time as long would meet one.
    fn by_chance(&self, kind: Kind, one: &Member) -> f64 {
        let Some((begin, end)) = self.launches.get(&one.launch) else { return 0.0 };
        let room = end.saturating_sub(*begin).saturating_sub(one.to_ns - one.from_ns).max(0);
        // Evenly apart, and not at the same moments for every message.
        let mixed = hash(one.launch, one.src, one.seq);
        let shift = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
        let moment = |at| begin + ((at as f64 + shift) / MOMENTS as f64 * room as f64) as i64;
        let met = (0..MOMENTS).filter(|at| self.meets(kind, one, moment(*at))).count();
        met as f64 / MOMENTS as f64
    }
}

impl Way {
    /// The nodes that a stage of a message depends on.
    fn nodes(self, stage: Stage, src: u32, dst: u32) -> impl Iterator<Item = u32> {
        let crosses = self == Way::Cube && matches!(stage, Stage::EndToEnd | Stage::Transit);
        let mut here = src;
        let between = std::iter::from_fn(move || {
            let differing = here ^ dst;
            here ^= differing & differing.wrapping_neg();
            (crosses && here != dst).then_some(here)
        });
        nodes_of(stage, src, dst).chain(between)
    }
}

impl Busy {
    /// In order, and what touches made one.
    fn settle(&mut self) {
        self.0.sort_unstable();
        let mut apart: Vec<(i64, i64)> = Vec::new();
        for (from, to) in self.0.drain(..) {
            match apart.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => apart.push((from, to)),
            }
        }
        self.0 = apart;
    }

    fn meets(&self, from: i64, to: i64) -> bool {
        let first = self.0.partition_point(|(_, end)| *end < from);
        self.0.get(first).is_some_and(|(begin, _)| *begin <= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Bounds, Cut, RankKey, Share};
    use record::Values;

    #[test]
    fn a_way_through_a_cube_has_the_lowest_dimension_first() {
        let nodes = |way: Way, stage| {
            let mut nodes: Vec<u32> = way.nodes(stage, 5, 6).collect();
            nodes.sort_unstable();
            nodes
        };
        assert_eq!(nodes(Way::Cube, Stage::Transit), [4, 5, 6]);
        assert_eq!(nodes(Way::Cube, Stage::ReceiveWait), [6]);
        assert_eq!(nodes(Way::Ends, Stage::Transit), [5, 6]);
        assert_eq!(Way::Cube.nodes(Stage::Transit, 3, 3).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn times_that_touch_are_one_and_ends_count() {
        let mut busy = Busy(vec![(50, 60), (0, 10), (10, 20), (5, 7)]);
        busy.settle();
        assert_eq!(busy, Busy(vec![(0, 20), (50, 60)]));
        let met = [(20, 30), (21, 49), (40, 50), (61, 99), (15, 16)];
        assert_eq!(met.map(|(from, to)| busy.meets(from, to)), [true, false, true, false, true]);
    }

    /// A thousand messages from 0 to 3 in a cube of 4, each 100 ns long but the last ten of 2 µs,
    /// during which node 1 collects.
    fn planted() -> Vec<Overlap> {
        let count = 1000_i64;
        let is_late = |message: i64| message >= count - 10;
        let ready: Vec<i64> = (0..count).map(|message| message * 10_000).collect();
        let length = |message| if is_late(message) { 2000 } else { 100 };
        let arrived: Vec<i64> = (0..count).map(|at| ready[at as usize] + length(at)).collect();
        let seq: Vec<i64> = (0..count).collect();
        let columns = Columns::new(count as usize)
            .with(Field::Seq, Values::Each(&seq))
            .with(Field::Src, Values::Constant(0))
            .with(Field::Dst, Values::Constant(3))
            .with(Field::Kind, Values::Constant(Kind::Event as i64))
            .with(Field::ReadyNs, Values::Each(&ready))
            .with(Field::SentNs, Values::Each(&ready))
            .with(Field::ArrivedNs, Values::Each(&arrived))
            .with(Field::TakenNs, Values::Each(&arrived));
        let above = RankKey { ns: 1000, ready_ns: 0, src: 0, seq: 0 };
        let bounds = Some(Bounds { of: 1000, above: Some(above), up_to: None });
        let (stage, to) = (Some(Measured::Transit), Share::ALL);
        let from = Share::of_percent("99").expect("a share");
        let cut = Some(Cut { stage, from, to, bounds });
        let filter = Filter { cut, ..Filter::default() };
        let mut found = Overlaps::new(&filter).expect("there is a cut");
        found.within("hypercube");
        let mut other = found.clone();
        for row in 0..count as usize {
            let part = if row % 2 == 0 { &mut found } else { &mut other };
            part.add_message(&columns, row, 0, filter.takes(&columns, row));
        }
        found.merge(other);
        for message in count - 10..count {
            let from = message * 10_000 + 500;
            found.add_work((0, 1), Kind::Collection, (from, from + 100));
        }
        // On a node that is not on the way.
        found.add_work((0, 2), Kind::Rollback, (0, 10_000_000));
        found.found(&BTreeMap::from([(0, (0, 10_000_000))]))
    }

    #[test]
    fn what_the_slowest_are_behind_is_found_on_their_way() {
        let [rollback, collection] = &planted()[..] else { panic!("{:?}", planted()) };
        assert_eq!((rollback.kind, rollback.with, rollback.all_with), (Kind::Rollback, 0, 0));
        assert_eq!((collection.kind, collection.stage), (Kind::Collection, Stage::Transit));
        assert_eq!((collection.with, collection.of), (10, 10));
        assert_eq!((collection.all_with, collection.all_of), (10, 1000));
        // Collections are 1 % of the launch, where 2,100 of 10,000 ns would meet one.
        assert!(collection.by_chance < 0.01, "{}", collection.by_chance);
    }
}
