//! Communicators by handle: their numbers on this rank and what entries must say of them.
//!
//! One is registered when the program makes it, or at its first use if it was made by a function
//! that the tracer does not know. Handles are used again after a free, so one that is to be freed
//! is forgotten before the library has it.

use crate::handles::HandleMap;
use crate::layout::UNDEFINED;
use crate::library::Library;
use calls::entry::{ITSELF, LocalGroup, UNKNOWN_COMMUNICATOR, WORLD, WindowGroup};
use std::collections::HashMap;

/// The communicators of a rank.
pub struct Communicators {
    numbers: HandleMap,
    /// The last one asked for: programs ask for the same one most of the time.
    last: (usize, u32),
    /// By number.
    about: Vec<About>,
    world_group: usize,
    /// The number in the run of the world's first rank.
    first: u32,
    /// Numbers of the groups that epochs of windows were opened for, by their world ranks: handles
    /// are used again.
    window_groups: HashMap<Vec<u32>, u32>,
}

/// What calls on a communicator need to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Processes of the other side between groups, else of the group: whom a collective sends to.
    pub peers: u32,
    /// Processes of its own group.
    pub members: u32,
    /// This process's rank in its own group.
    pub rank: i32,
    /// Whether it is between two groups.
    pub is_between: bool,
}

impl Communicators {
    /// World and itself, with their entries. In a session there is a group of all ranks and no
    /// such communicator.
    pub fn new(
        library: &Library,
        (world_group, first): (usize, u32),
        in_session: bool,
    ) -> (Communicators, Vec<Vec<u64>>) {
        let none = About::default();
        let mut communicators = Communicators {
            numbers: HandleMap::new(),
            last: (0, 0),
            about: vec![none],
            world_group,
            first,
            window_groups: HashMap::new(),
        };
        if in_session {
            let entry = communicators.of_session(library);
            return (communicators, vec![entry]);
        }
        let entries = [(library.handles.world, WORLD), (library.handles.itself, ITSELF)].map(
            |(handle, number)| {
                let (assigned, entry) =
                    communicators.register(handle, UNKNOWN_COMMUNICATOR, library);
                debug_assert_eq!(assigned, number);
                entry
            },
        );
        (communicators, entries.into())
    }

    /// Numbers for the world and itself, which no handle stands for; the world's entry.
    fn of_session(&mut self, library: &Library) -> Vec<u64> {
        let members = library.size_of_group(self.world_group);
        let rank = library.rank_in_group(self.world_group).unwrap_or(-1);
        self.about.push(About { peers: members, members, rank, is_between: false });
        self.about.push(About { peers: 1, members: 1, rank: 0, is_between: false });
        let local = (0..members).collect();
        LocalGroup { id: WORLD, parent: UNKNOWN_COMMUNICATOR, local, remote: Vec::new() }.encode()
    }

    /// The number of `handle`, if it is known.
    #[inline(always)]
    pub fn known(&mut self, handle: usize) -> Option<u32> {
        if self.last.0 != handle {
            self.last = (handle, self.numbers.get(handle)? as u32);
        }
        Some(self.last.1)
    }

    /// Ranks of the run up to the last one of this world.
    pub fn ranks(&self) -> u32 {
        self.first + self.about(calls::entry::WORLD).members
    }

    /// What is known of number `number`.
    pub fn about(&self, number: u32) -> About {
        self.about[number as usize]
    }

    /// Give `handle` the next number; its entry.
    pub fn register(&mut self, handle: usize, parent: u32, library: &Library) -> (u32, Vec<u64>) {
        let number = self.about.len() as u32;
        let (local, remote) =
            (self.members(handle, false, library), self.members(handle, true, library));
        let is_between = !remote.is_empty();
        let peers = if is_between { remote.len() } else { local.len() } as u32;
        let rank = library.rank_in(handle).unwrap_or(-1);
        self.about.push(About { peers, members: local.len() as u32, rank, is_between });
        self.numbers.insert(handle, u64::from(number));
        self.last = (handle, number);
        (number, LocalGroup { id: number, parent, local, remote }.encode())
    }

    /// A number for a window over the communicator `handle`: one with the same members, which no
    /// handle of a communicator stands for.
    pub fn over(&mut self, handle: usize, parent: u32, library: &Library) -> (u32, Vec<u64>) {
        let number = self.about.len() as u32;
        let local = self.members(handle, false, library);
        self.about.push(self.about(parent));
        (number, LocalGroup { id: number, parent, local, remote: Vec::new() }.encode())
    }

    /// `handle` is being freed, and may be another's as soon as it is; its number.
    pub fn forget(&mut self, handle: usize) -> Option<u32> {
        self.last = (0, 0);
        self.numbers.remove(handle).map(|number| number as u32)
    }

    /// `handle`, which is `number`, was not freed.
    pub fn restore(&mut self, handle: usize, number: u32) {
        self.numbers.insert(handle, u64::from(number));
    }

    /// The number of a group that an epoch of a window was opened for, from 1 on, and its entry if
    /// it is new.
    pub fn window_group(&mut self, group: usize, library: &Library) -> (u32, Option<Vec<u64>>) {
        let ranks = self.ranks_of(group, library);
        if let Some(number) = self.window_groups.get(&ranks) {
            return (*number, None);
        }
        let id = self.window_groups.len() as u32 + 1;
        self.window_groups.insert(ranks.clone(), id);
        (id, Some(WindowGroup { id, ranks }.encode()))
    }

    /// World ranks of a group of the communicator; all ones for a process outside the world. None
    /// for the remote group of a communicator within one group.
    fn members(&self, comm: usize, remote: bool, library: &Library) -> Vec<u32> {
        let (mut is_inter, mut group) = (0i32, 0usize);
        // SAFETY: a live communicator, and room for what is written; the group is freed below.
        let failed = unsafe {
            library.comm_test_inter(comm, &raw mut is_inter as usize);
            match remote {
                true if is_inter == 0 => return Vec::new(),
                true => library.comm_remote_group(comm, &raw mut group as usize),
                false => library.comm_group(comm, &raw mut group as usize),
            }
        };
        if failed != 0 {
            return Vec::new();
        }
        let ranks = self.ranks_of(library.layout.handle(group), library);
        // SAFETY: the group that was just made, which nobody else has.
        unsafe { library.group_free(&raw mut group as usize) };
        ranks
    }

    /// World ranks of a group; all ones for a process outside the world.
    fn ranks_of(&self, group: usize, library: &Library) -> Vec<u32> {
        let ranks: Vec<i32> = (0..library.size_of_group(group) as i32).collect();
        let mut world_ranks = vec![UNDEFINED; ranks.len()];
        let (from, to) = (ranks.as_ptr() as usize, world_ranks.as_mut_ptr() as usize);
        // SAFETY: live groups, and as many ranks on both sides as the first group has.
        unsafe { library.group_translate(group, ranks.len(), from, self.world_group, to) };
        let number = |rank: i32| u32::try_from(rank).map_or(u32::MAX, |rank| self.first + rank);
        world_ranks.into_iter().map(number).collect()
    }
}
