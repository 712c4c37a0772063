use super::*;
use std::collections::{BTreeMap, BTreeSet};

const PATTERNS: [Pattern; 10] = [
    Pattern::Barrier,
    Pattern::Bcast,
    Pattern::Reduce,
    Pattern::Allreduce,
    Pattern::Gather,
    Pattern::Scatter,
    Pattern::Allgather,
    Pattern::Alltoall,
    Pattern::ReduceScatter,
    Pattern::Scan,
];

/// Whose data have come to whom in the end.
fn reached(ranks: u16, hops: &[Hop]) -> Vec<BTreeSet<u16>> {
    let mut has: Vec<BTreeSet<u16>> = (0..ranks).map(|rank| BTreeSet::from([rank])).collect();
    let mut rounds: BTreeMap<u32, Vec<&Hop>> = BTreeMap::new();
    hops.iter().for_each(|hop| rounds.entry(hop.round).or_default().push(hop));
    for hops in rounds.values() {
        let before = has.clone();
        hops.iter().for_each(|hop| has[usize::from(hop.to)].extend(&before[usize::from(hop.from)]));
    }
    has
}

#[test]
fn everybody_is_reached_by_those_that_it_depends_on() {
    for ranks in [2, 3, 4, 5, 7, 8, 12, 16, 33] {
        for (pattern, library, bytes) in all_ways() {
            let root = ranks / 3;
            let has = reached(ranks, &hops(pattern, library, ranks, root, bytes));
            for rank in 0..ranks {
                let mine = &has[usize::from(rank)];
                let all = (0..ranks).all(|other| mine.contains(&other));
                let holds = match pattern {
                    Pattern::Bcast | Pattern::Scatter => mine.contains(&root),
                    Pattern::Reduce | Pattern::Gather => all || rank != root,
                    Pattern::Scan => (0..rank).all(|other| mine.contains(&other)),
                    _ => all,
                };
                assert!(holds, "{pattern:?} {library:?} {ranks} {bytes}: rank {rank} has {mine:?}");
            }
        }
    }
}

fn all_ways() -> impl Iterator<Item = (Pattern, Library, u64)> {
    PATTERNS.into_iter().flat_map(|pattern| {
        [Library::Mpich, Library::OpenMpi].into_iter().flat_map(move |library| {
            [64, 20_000, 4 << 20].into_iter().map(move |bytes| (pattern, library, bytes))
        })
    })
}

#[test]
fn nobody_sends_to_itself_and_a_rank_alone_sends_nothing() {
    for (pattern, library, bytes) in all_ways() {
        assert!(hops(pattern, library, 1, 0, bytes).is_empty());
        assert!(hops(pattern, library, 6, 0, bytes).iter().all(|hop| hop.from != hop.to));
    }
}

#[test]
fn as_many_bytes_move_as_the_algorithms_move() {
    let sum = |pattern, library, ranks, bytes| -> u64 {
        hops(pattern, library, ranks, 0, bytes).iter().map(|hop| hop.bytes).sum()
    };
    let mega = 1 << 20;
    // Ring and Rabenseifner: twice all but one part of the vector, each rank.
    assert_eq!(sum(Pattern::Allreduce, Library::OpenMpi, 8, mega), 8 * 2 * mega * 7 / 8);
    assert_eq!(sum(Pattern::Allreduce, Library::Mpich, 8, mega), 8 * 2 * mega * 7 / 8);
    assert_eq!(sum(Pattern::Alltoall, Library::Mpich, 8, 8 * mega), 8 * 7 * mega);
    // A binomial tree: block by block as many edges as are above its rank.
    assert_eq!(sum(Pattern::Scatter, Library::Mpich, 8, 8 * 100), 100 * 12);
    assert_eq!(sum(Pattern::Bcast, Library::Mpich, 8, 100), 700);
    // Bruck: half of the blocks in each of three rounds.
    assert_eq!(sum(Pattern::Alltoall, Library::Mpich, 8, 8 * 10), 8 * 3 * 4 * 10);
}
