//! Which turns of a thread may begin: whose cause has come, and what is to be done before is done.

use super::{Thread, Turn};
use crate::path::Path;
use machine::{Queue, Table, Time};

/// Of a turn that no other comes behind.
const NONE: u32 = u32::MAX;

pub(super) struct Gate<'a> {
    turns: &'a [Turn],
    /// By turn: the one that waits until it is done.
    behind: Vec<u32>,
    done: Vec<bool>,
    /// All before it are done.
    low: u32,
    /// The first that is to come in order and is not done.
    barrier: u32,
    /// When the causes of turns came that have not begun, and the path to that.
    caused: Table<(Time, Path)>,
    ready: Queue<(Time, u32)>,
}

impl<'a> Gate<'a> {
    pub fn new(thread: &'a Thread) -> Gate<'a> {
        let turns = &thread.turns[..];
        let mut behind = vec![NONE; turns.len()];
        for (at, turn) in (0..).zip(turns) {
            if let Some(before) = turn.before {
                behind[before as usize] = at;
            }
        }
        let done = vec![false; turns.len()];
        let (caused, ready) = (Table::default(), Queue::new());
        let mut gate = Gate { turns, behind, done, low: 0, barrier: 0, caused, ready };
        gate.barrier = gate.next_barrier(0);
        gate
    }

    /// The cause of a turn has come.
    pub fn cause(&mut self, turn: u32, when: Time, path: Path) {
        self.caused.insert(turn.into(), (when, path));
        self.let_in(turn);
    }

    /// The turn that may begin and whose cause came first, when that was, and the path to it; one
    /// that came by then, if a time is given.
    pub fn next(&mut self, by: Option<Time>) -> Option<(u32, Time, Path)> {
        loop {
            let (when, _) = self.ready.first()?;
            if by.is_some_and(|by| *when > by) {
                return None;
            }
            let (_, turn) = self.ready.pop()?;
            // It may have been let in twice.
            if let Some((when, path)) = self.caused.remove(&turn.into()) {
                return Some((turn, when, path));
            }
        }
    }

    /// A turn is done. `true`: with it all are.
    pub fn done(&mut self, turn: u32) -> bool {
        self.done[turn as usize] = true;
        let behind = self.behind[turn as usize];
        if behind != NONE {
            self.let_in(behind);
        }
        while self.done.get(self.low as usize) == Some(&true) {
            self.low += 1;
        }
        if turn == self.barrier {
            self.barrier = self.next_barrier(turn + 1);
            (turn + 1..self.barrier).for_each(|opened| self.let_in(opened));
        }
        if self.low == self.barrier {
            self.let_in(self.barrier);
        }
        self.low as usize == self.turns.len()
    }

    /// The first that is not done.
    pub fn first_left(&self) -> Option<(usize, &'a Turn)> {
        let at = self.done.iter().position(|done| !done)?;
        Some((at, &self.turns[at]))
    }

    fn next_barrier(&self, from: u32) -> u32 {
        let behind = &self.turns[from as usize..];
        from + behind.iter().position(|turn| turn.in_order).unwrap_or(behind.len()) as u32
    }

    /// Have a turn begin, if all has come that it needs: asked whenever some of it has.
    fn let_in(&mut self, turn: u32) {
        let Some(of) = self.turns.get(turn as usize) else { return };
        let Some((when, _)) = self.caused.get(&turn.into()) else { return };
        let is_behind = of.before.is_some_and(|before| !self.done[before as usize]);
        let is_in_order = turn < self.barrier || turn == self.barrier && self.low == turn;
        if !is_behind && is_in_order {
            self.ready.push((*when, turn));
        }
    }
}
