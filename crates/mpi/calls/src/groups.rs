//! Which communicators of different ranks are one.
//!
//! Ranks number their communicators by themselves, and ask nobody. All members of a group make
//! their communicators in the same order, so two are one when they have the same parent, the same
//! members in the same order, and the same place among those of this parent and these members. A
//! communicator between two groups is seen from both sides, each with its own parent: there the two
//! groups, in either order, and the place among those between them must do, unless its parent is
//! between two groups as well, and so the same for both.

use crate::entry::{ITSELF, UNKNOWN_COMMUNICATOR, WORLD};
use crate::entry::{LocalGroup, Neighbours, WindowGroup};
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// All communicators of a run; their numbers here are those of `communicators.csv`.
#[derive(Default)]
pub(crate) struct Groups {
    list: Vec<Group>,
    known: HashMap<Identity, u32>,
    /// Members shared by the communicators that have the same.
    members: HashMap<Vec<u32>, Arc<[u32]>>,
}

/// A communicator.
struct Group {
    local: Arc<[u32]>,
    remote: Arc<[u32]>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Identity {
    parent: u32,
    first: Arc<[u32]>,
    second: Arc<[u32]>,
    ordinal: u32,
}

/// How one rank sees its communicators: by its own numbers.
#[derive(Default)]
pub(crate) struct View {
    seen: FxHashMap<u32, Seen>,
    /// World ranks that it has opened epochs of windows for.
    window_groups: FxHashMap<u32, Arc<[u32]>>,
    /// Whether some rank of the run asks for an exclusive lock of a window: else no lock waits for
    /// another.
    pub locks_conflict: bool,
}

/// A communicator as a rank sees it.
#[derive(Clone)]
pub(crate) struct Seen {
    /// Its number in the run.
    pub global: u32,
    /// World ranks of those it exchanges messages with.
    pub peers: Arc<[u32]>,
    /// It is between two groups.
    pub between: bool,
    /// Ranks in it that the rank gets something from in collectives of neighbours, if it has any.
    pub sources: Option<Arc<[u32]>>,
}

/// The number of the communicator of all ranks.
pub(crate) const GLOBAL_WORLD: u32 = 1;

impl Groups {
    /// With the communicator of the `ranks` that were started.
    pub fn new(ranks: u32) -> Groups {
        let mut groups = Groups::default();
        let world = groups.share(&(0..ranks).collect::<Vec<_>>());
        groups.list.push(Group { local: world, remote: Arc::from([]) });
        groups
    }

    /// Take in what `rank` registered, in its order.
    pub fn add(&mut self, rank: u32, registered: &[LocalGroup], uses_itself: bool) -> View {
        let world = Seen {
            global: GLOBAL_WORLD,
            peers: self.list[0].local.clone(),
            between: false,
            sources: None,
        };
        let mut view = View::default();
        view.seen.insert(WORLD, world);
        if uses_itself && !registered.iter().any(|group| group.id == ITSELF) {
            let itself =
                LocalGroup { id: ITSELF, parent: WORLD, local: vec![rank], remote: Vec::new() };
            self.register(&itself, &mut view, &mut HashMap::new());
        }
        let mut ordinals = HashMap::new();
        // Processes that were spawned have a world of their own.
        let is_known = |group: &LocalGroup, groups: &Groups| {
            group.id == UNKNOWN_COMMUNICATOR
                || group.id == WORLD && *group.local == *groups.list[0].local
        };
        for group in registered {
            if !is_known(group, self) {
                self.register(group, &mut view, &mut ordinals);
            }
        }
        view
    }

    fn register(
        &mut self,
        group: &LocalGroup,
        view: &mut View,
        ordinals: &mut HashMap<Identity, u32>,
    ) {
        let (local, remote) = (self.share(&group.local), self.share(&group.remote));
        let between = !remote.is_empty();
        let parent = view.seen.get(&group.parent).filter(|parent| !between || parent.between);
        let parent = parent.map_or(0, |parent| parent.global);
        let (first, second) =
            if between && remote < local { (&remote, &local) } else { (&local, &remote) };
        let mut identity =
            Identity { parent, first: first.clone(), second: second.clone(), ordinal: 0 };
        let ordinal = ordinals.entry(identity.clone()).or_insert(0);
        identity.ordinal = *ordinal;
        *ordinal += 1;
        let next = self.list.len() as u32 + 1;
        let global = *self.known.entry(identity.clone()).or_insert(next);
        if global == next {
            self.list.push(Group { local: identity.first, remote: identity.second });
        }
        let peers = if between { remote } else { local };
        view.seen.insert(group.id, Seen { global, peers, between, sources: None });
    }

    fn share(&mut self, members: &[u32]) -> Arc<[u32]> {
        if let Some(shared) = self.members.get(members) {
            return shared.clone();
        }
        let shared: Arc<[u32]> = Arc::from(members);
        self.members.insert(members.to_vec(), shared.clone());
        shared
    }

    /// `communicators.csv`.
    pub fn csv(&self) -> String {
        let mut text = "communicator,size,remote_size,members\n".to_string();
        for (at, group) in self.list.iter().enumerate() {
            let between = if group.remote.is_empty() { "" } else { " | " };
            let (local, remote) = (ranges(&group.local), ranges(&group.remote));
            let (size, remote_size) = (group.local.len(), group.remote.len());
            let _ = writeln!(text, "{},{size},{remote_size},{local}{between}{remote}", at + 1);
        }
        text
    }
}

impl View {
    /// Take in what the rank registered of its neighbours.
    pub fn add_neighbours(&mut self, registered: &[Neighbours]) {
        for neighbours in registered {
            if let Some(seen) = self.seen.get_mut(&neighbours.id) {
                seen.sources = Some(Arc::from(&neighbours.sources[..]));
            }
        }
    }

    /// Take in for whom the rank opened epochs of windows.
    pub fn add_window_groups(&mut self, registered: &[WindowGroup]) {
        let one = |group: &WindowGroup| (group.id, Arc::from(&group.ranks[..]));
        self.window_groups.extend(registered.iter().map(one));
    }

    /// The ranks of such a group.
    pub fn window_group(&self, id: i32) -> Option<&Arc<[u32]>> {
        self.window_groups.get(&u32::try_from(id).ok()?)
    }

    /// The communicator of this number.
    #[inline]
    pub fn get(&self, id: u32) -> Option<&Seen> {
        self.seen.get(&id)
    }
}

impl Seen {
    /// The world rank of `peer`; `None` if the communicator has no such rank, or it is outside the
    /// world.
    #[inline]
    pub fn world_rank(&self, peer: i32) -> Option<u32> {
        let rank = *self.peers.get(usize::try_from(peer).ok()?)?;
        (rank != u32::MAX).then_some(rank)
    }
}

/// Ranks with runs of neighbours put together: `0-3 7`.
fn ranges(members: &[u32]) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < members.len() {
        let from = members[at];
        let mut run = 1;
        while members.get(at + run).is_some_and(|next| from.checked_add(run as u32) == Some(*next))
        {
            run += 1;
        }
        let space = if at == 0 { "" } else { " " };
        let _ = match run {
            1 => write!(text, "{space}{from}"),
            _ => write!(text, "{space}{from}-{}", members[at + run - 1]),
        };
        at += run;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(id: u32, parent: u32, local: &[u32], remote: &[u32]) -> LocalGroup {
        LocalGroup { id, parent, local: local.to_vec(), remote: remote.to_vec() }
    }

    #[test]
    fn the_same_split_is_one_on_every_member_whatever_its_number_there() {
        let mut groups = Groups::new(4);
        let zero =
            groups.add(0, &[group(3, WORLD, &[0, 2], &[]), group(4, WORLD, &[0, 2], &[])], false);
        let two = groups.add(
            2,
            &[
                group(9, WORLD, &[0, 1, 2, 3], &[]),
                group(5, WORLD, &[0, 2], &[]),
                group(7, WORLD, &[0, 2], &[]),
            ],
            false,
        );
        assert_eq!(zero.get(3).unwrap().global, two.get(5).unwrap().global);
        assert_eq!(zero.get(4).unwrap().global, two.get(7).unwrap().global);
        assert_ne!(zero.get(3).unwrap().global, zero.get(4).unwrap().global);
        // A duplicate of the world is not the world.
        assert_ne!(two.get(9).unwrap().global, GLOBAL_WORLD);
    }

    #[test]
    fn a_communicator_between_groups_is_one_from_both_sides() {
        let mut groups = Groups::new(4);
        let zero =
            groups.add(0, &[group(3, WORLD, &[0, 1], &[]), group(4, 3, &[0, 1], &[2, 3])], false);
        let three =
            groups.add(3, &[group(3, WORLD, &[2, 3], &[]), group(4, 3, &[2, 3], &[0, 1])], false);
        let (here, there) = (zero.get(4).unwrap(), three.get(4).unwrap());
        assert_eq!(here.global, there.global);
        assert_eq!((here.world_rank(1), there.world_rank(1)), (Some(3), Some(1)));
        assert!(
            groups.csv().contains("4,2,2,0-1 | 2-3\n")
                || groups.csv().contains("3,2,2,0-1 | 2-3\n")
        );
    }

    /// Threads may duplicate two of them in any order: each has children of its own.
    #[test]
    fn duplicates_of_communicators_between_groups_are_told_apart_by_their_parents() {
        let mut groups = Groups::new(2);
        let view = |groups: &mut Groups, rank: u32, copies: [u32; 2]| {
            let sides = [[rank], [1 - rank]];
            let between = |id, parent| group(id, parent, &sides[0], &sides[1]);
            let [first, second] = copies;
            let all = [between(3, WORLD), between(4, WORLD), between(5, first), between(6, second)];
            groups.add(rank, &all, false)
        };
        let zero = view(&mut groups, 0, [3, 4]);
        let one = view(&mut groups, 1, [4, 3]);
        let global = |view: &View, id| view.get(id).unwrap().global;
        assert_eq!(global(&zero, 3), global(&one, 3));
        assert_eq!([5, 6].map(|id| global(&zero, id)), [6, 5].map(|id| global(&one, id)));
        assert_ne!(global(&zero, 5), global(&zero, 6));
    }

    #[test]
    fn ranges_are_written_short() {
        assert_eq!(ranges(&[0, 1, 2, 7, 5, 6]), "0-2 7 5-6");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn a_process_outside_the_world_has_no_rank() {
        let mut groups = Groups::new(1);
        let view = groups.add(0, &[group(3, WORLD, &[0], &[u32::MAX])], false);
        assert_eq!(view.get(3).unwrap().world_rank(0), None);
    }
}
