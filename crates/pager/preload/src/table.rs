//! Which ranges are paged: the library's own list, by address. `Memory::covers` says quickly that
//! something is paged; this says what.

use libc::c_int;
use std::collections::BTreeMap;

/// Disjoint ranges of whole pages.
#[derive(Debug, Default)]
pub struct Table {
    ranges: BTreeMap<usize, Range>,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    end: usize,
    kind: Kind,
}

/// What a range is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Paged, given out by `malloc` or its family.
    Block,
    /// Paged, given out by `mmap`, or the rest of a block.
    Mapping,
    /// Paged and kept in memory, with less access than to read and write: as `mprotect` has it.
    Shut(c_int),
    /// Addresses without access and without memory: `mmap` gave them out, for later use.
    Reserved,
    /// Another mapping of the program's, put where paged memory was. Not paged; the engine keeps
    /// the addresses for it.
    Lent,
}

/// A range: address and bytes.
pub type Part = (usize, usize);

impl Table {
    /// An empty one.
    pub const fn new() -> Table {
        Table { ranges: BTreeMap::new() }
    }

    /// A new range. It must not overlap another.
    pub fn add(&mut self, (address, bytes): Part, kind: Kind) {
        self.ranges.insert(address, Range { end: address + bytes, kind });
    }

    /// Bytes of the block that `malloc` gave out at just this address.
    pub fn block(&self, address: usize) -> Option<usize> {
        self.ranges
            .get(&address)
            .filter(|range| range.kind == Kind::Block)
            .map(|range| range.end - address)
    }

    /// What of a range is paged, in order.
    pub fn paged(&self, part: Part) -> Vec<Part> {
        self.within(part).filter(|(_, kind)| kind.is_paged()).map(|(part, _)| part).collect()
    }

    /// What of a range is of any kind, in order.
    pub fn known(&self, part: Part) -> Vec<Part> {
        self.within(part).map(|(part, _)| part).collect()
    }

    /// The same, with what it is.
    pub fn parts(&self, part: Part) -> Vec<(Part, Kind)> {
        self.within(part).collect()
    }

    /// A range that is known becomes one of another kind.
    pub fn turn(&mut self, part: Part, kind: Kind) {
        self.cut(part);
        self.add(part, kind);
    }

    fn within(&self, (address, bytes): Part) -> impl Iterator<Item = (Part, Kind)> {
        let end = address.saturating_add(bytes);
        let first = self.ranges.range(..=address).next_back().map_or(address, |(start, _)| *start);
        self.ranges.range(first..end.max(first)).filter_map(move |(start, range)| {
            let (from, to) = ((*start).max(address), range.end.min(end));
            (from < to).then(|| ((from, to - from), range.kind))
        })
    }

    /// Take a range out. What is left of blocks that it cuts stays, but is no block any more:
    /// nobody can free a part.
    pub fn cut(&mut self, part: Part) -> Vec<Part> {
        let parts = self.known(part);
        for (from, bytes) in &parts {
            self.cut_one(*from, from + bytes);
        }
        parts
    }

    fn cut_one(&mut self, from: usize, to: usize) {
        let Some((&start, &range)) = self.ranges.range(..=from).next_back() else { return };
        self.ranges.remove(&start);
        if start < from {
            self.ranges.insert(start, Range { end: from, kind: range.kind.rest() });
        }
        if to < range.end {
            self.ranges.insert(to, Range { end: range.end, kind: range.kind.rest() });
        }
    }

    /// All that is paged.
    pub fn all_paged(&self) -> impl Iterator<Item = (Part, Kind)> {
        let paged = self.ranges.iter().filter(|(_, range)| range.kind.is_paged());
        paged.map(|(start, range)| ((*start, range.end - start), range.kind))
    }
}

impl Kind {
    /// Whether the engine has its pages.
    pub fn is_paged(self) -> bool {
        !matches!(self, Kind::Reserved | Kind::Lent)
    }

    /// What a part of such a range is.
    fn rest(self) -> Kind {
        if self == Kind::Block { Kind::Mapping } else { self }
    }
}

/// What of a range is not in these parts of it, in order.
pub fn gaps((address, bytes): Part, parts: &[Part]) -> Vec<Part> {
    let mut at = address;
    let mut gaps = Vec::new();
    for (start, length) in parts {
        gaps.push((at, start - at));
        at = start + length;
    }
    gaps.push((at, address.saturating_add(bytes) - at));
    gaps.retain(|(_, bytes)| *bytes > 0);
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const PAGES: usize = 40;

    #[test]
    fn a_block_is_found_by_its_first_address_alone() {
        let mut table = Table::new();
        table.add((8192, 8192), Kind::Block);
        table.add((16384, 4096), Kind::Mapping);
        assert_eq!(table.block(8192), Some(8192));
        assert_eq!((table.block(12288), table.block(16384)), (None, None));
    }

    #[test]
    fn what_is_left_of_a_block_is_no_block() {
        let mut table = Table::new();
        table.add((0x10000, 0x4000), Kind::Block);
        assert_eq!(table.cut((0x11000, 0x1000)), [(0x11000, 0x1000)]);
        let rest = [((0x10000, 0x1000), Kind::Mapping), ((0x12000, 0x2000), Kind::Mapping)];
        assert_eq!(table.all_paged().collect::<Vec<_>>(), rest);
        assert_eq!((table.block(0x10000), table.block(0x12000)), (None, None));
    }

    #[test]
    fn an_empty_range_and_the_end_of_the_address_space_are_harmless() {
        let mut table = Table::new();
        table.add((0x10000, 0x1000), Kind::Mapping);
        assert!(table.paged((0x10000, 0)).is_empty());
        assert_eq!(table.paged((0x10000, usize::MAX)), [(0x10000, 0x1000)]);
        assert_eq!(table.cut((0, usize::MAX)).len(), 1);
        assert_eq!(table.all_paged().count(), 0);
    }

    #[test]
    fn what_is_lent_is_known_and_not_paged() {
        let mut table = Table::new();
        table.add((0x10000, 0x4000), Kind::Mapping);
        table.turn((0x11000, 0x1000), Kind::Lent);
        let whole = (0x10000, 0x4000);
        assert_eq!(table.paged(whole), [(0x10000, 0x1000), (0x12000, 0x2000)]);
        assert_eq!(gaps(whole, &table.known(whole)), []);
        assert_eq!(table.all_paged().count(), 2);
        // A part of what is lent stays lent.
        table.cut((0x11800, 0x800));
        assert_eq!(table.paged((0x11000, 0x1000)), []);
        assert_eq!(table.known((0x11000, 0x1000)), [(0x11000, 0x800)]);
    }

    proptest! {
        /// A set of single pages says the same.
        #[test]
        fn it_agrees_with_a_set_of_pages(
            steps in prop::collection::vec((any::<bool>(), 0..PAGES, 1..8usize), 1..60),
        ) {
            let (mut table, mut model) = (Table::new(), BTreeSet::new());
            for (adds, first, count) in steps {
                let part = (first * 4096, count * 4096);
                let pages: BTreeSet<usize> = (first..first + count).collect();
                let there: BTreeSet<usize> = pages_of(&table.paged(part));
                prop_assert_eq!(&there, &pages.intersection(&model).copied().collect());
                let away = pages_of(&gaps(part, &table.paged(part)));
                prop_assert_eq!(&away, &pages.difference(&model).copied().collect());
                if !adds {
                    prop_assert_eq!(pages_of(&table.cut(part)), there);
                    model.retain(|page| !pages.contains(page));
                } else if there.is_empty() {
                    table.add(part, Kind::Block);
                    model.extend(pages);
                }
                let all: Vec<Part> = table.all_paged().map(|(part, _)| part).collect();
                prop_assert_eq!(pages_of(&all), model.clone());
            }
        }
    }

    fn pages_of(parts: &[Part]) -> BTreeSet<usize> {
        parts.iter().flat_map(|(address, bytes)| address / 4096..(address + bytes) / 4096).collect()
    }
}
