//! Load management: node 0 has the load of all nodes measured, all are told, and the busiest give
//! to the idlest.
//!
//! ```text
//!   node 0   ── Begin ──►  all: how much of the time since the last look went into events
//!                               that still stand?
//!            ◄─ Report ──
//!            ── Table ──►  all: who pairs with whom follows from the table, and is the same
//!                               everywhere
//! ```
//!
//! Rules and usual values are those of the Time Warp Operating System; [`crate::Balance`] has them.
//! How long events take is known from [`Options::timing`](crate::Options::timing); the time between
//! two looks is the watch's.

use super::{Node, protocol};
use crate::{
    LoadCycle, LoadPacket, Migration, Model, ObjectId, Packet, RunError, Split, VirtualTime, Watch,
};
use std::collections::BTreeSet;

/// Entries of a node's tables: what comes after them is counted.
const LISTED_MAX: usize = 1 << 16;
/// About so many messages go along when their number is limited.
const LIMITED_MESSAGES: usize = 10;

/// What a node knows of load.
#[derive(Default)]
pub(super) struct Load {
    /// Of the look before.
    looked_ns: u64,
    cycle: u32,
    /// Node 0: what the others have answered in the cycle under way.
    answers: Vec<Option<i32>>,
    /// Parts whose arrival has not been confirmed.
    under_way: BTreeSet<(ObjectId, u32)>,
    pub cycles: Vec<LoadCycle>,
    pub migrations: Vec<Migration>,
}

impl<M: Model, W: Watch> Node<'_, M, W> {
    /// Node 0: look at the load of all nodes now, unless the last look is not over.
    pub fn ask_for_balance(&mut self) {
        if self.setup.options.balance.is_none()
            || self.setup.id != 0
            || self.finished
            || !self.moving.load.answers.is_empty()
        {
            return;
        }
        self.moving.load.cycle += 1;
        let cycle = self.moving.load.cycle;
        self.moving.load.answers = vec![None; usize::from(self.setup.nodes)];
        self.moving.load.answers[0] = Some(self.utilisation());
        self.tell_of_load(&LoadPacket::Begin { cycle });
        self.end_cycle();
    }

    pub(super) fn take_load(&mut self, from: u16, packet: LoadPacket) -> Result<(), RunError> {
        let balanced = self.setup.options.balance.is_some();
        match packet {
            LoadPacket::Begin { cycle } if balanced && from == 0 => {
                self.moving.load.cycle = cycle;
                let percent = self.utilisation();
                self.post(0, Packet::Load(Box::new(LoadPacket::Report { cycle, percent })));
            }
            LoadPacket::Report { cycle, percent }
                if balanced && cycle == self.moving.load.cycle =>
            {
                match self.moving.load.answers.get_mut(usize::from(from)) {
                    Some(answer @ None) => *answer = Some(percent),
                    _ => return Err(protocol(from, "a load that was not asked for")),
                }
                self.end_cycle();
            }
            LoadPacket::Table { cycle, percents }
                if balanced
                    && from == 0
                    && cycle == self.moving.load.cycle
                    && percents.len() == usize::from(self.setup.nodes) =>
            {
                self.balance(&percents);
            }
            _ => return Err(protocol(from, "a load message that only another node may send")),
        }
        Ok(())
    }

    fn tell_of_load(&mut self, packet: &LoadPacket) {
        for node in self.setup.others() {
            self.post(node, Packet::Load(Box::new(packet.clone())));
        }
    }

    /// Node 0: once all have answered all are told.
    fn end_cycle(&mut self) {
        let answers: Option<Vec<i32>> = self.moving.load.answers.iter().copied().collect();
        if let Some(percents) = answers.filter(|percents| !percents.is_empty()) {
            self.moving.load.answers.clear();
            self.tell_of_load(&LoadPacket::Table {
                cycle: self.moving.load.cycle,
                percents: percents.clone(),
            });
            self.balance(&percents);
        }
    }

    /// Effective utilisation since the last look, per cent; what the parts did is kept for choosing
    /// among them.
    fn utilisation(&mut self) -> i32 {
        let now = self.watch.clock_ns();
        let elapsed = now
            .saturating_sub(std::mem::replace(&mut self.moving.load.looked_ns, now))
            .max(1) as f64;
        let mut work_ns = 0;
        for object in self.objects.iter_mut() {
            work_ns += object.utilisation.look(object.rare.effective_ns(), elapsed);
        }
        let percent = (work_ns as f64 * 100.0 / elapsed) as i32;
        let row = LoadCycle {
            cycle: self.moving.load.cycle,
            node: self.setup.id,
            gvt: self.gvt.now.simtime(),
            percent,
            when_ns: now,
        };
        if self.moving.load.cycles.len() < LISTED_MAX {
            self.moving.load.cycles.push(row);
        } else {
            self.totals.counters.unlisted += 1;
        }
        percent
    }

    /// Give something away if the table says that it is this node's turn.
    fn balance(&mut self, percents: &[i32]) {
        let Some(balance) = self.setup.options.balance.clone() else { return };
        if self.moving.load.cycle <= balance.idle_cycles
            || self.moving.load.under_way.len() >= balance.under_way_max as usize
        {
            return;
        }
        let Some((_, to)) =
            balance.pairs(percents).into_iter().find(|(from, _)| *from == self.setup.id)
        else {
            return;
        };
        let (high, low) = (percents[usize::from(self.setup.id)], percents[usize::from(to)]);
        let parts: Vec<(u32, f64)> = self
            .objects
            .last_parts()
            .into_iter()
            .map(|at| (at, self.objects[at].utilisation.percent()))
            .collect();
        for index in balance.choose(&parts, f64::from(high) - f64::from(low)) {
            let part = self.objects[index].utilisation.percent();
            let cut = self.place_of_cut(index, balance.split);
            if self.cut(index, cut, to).is_some()
                && let Some(listed) = self.moving.load.migrations.last_mut()
            {
                (listed.cycle, listed.percents) = (self.moving.load.cycle, (high, low, part));
            }
        }
    }

    fn place_of_cut(&mut self, index: u32, split: Split) -> VirtualTime {
        let future = self.object(index).now.just_after();
        let mut due = Vec::new();
        if matches!(split, Split::Minimal | Split::LimitMessages) {
            self.deliver_incoming();
            due = self.agenda.due(index, future);
        }
        match split {
            Split::NearFuture => future,
            Split::None => VirtualTime::NEGINF,
            Split::Minimal => {
                due.iter().rfind(|time| **time < VirtualTime::POSINF).copied().unwrap_or(future)
            }
            Split::LimitMessages => due
                .len()
                .checked_sub(LIMITED_MESSAGES)
                .and_then(|at| due.get(at))
                .copied()
                .unwrap_or(future),
        }
    }

    /// A part has been cut off and is under way.
    pub(super) fn list_migration(
        &mut self,
        object: ObjectId,
        to: u16,
        cut: VirtualTime,
        version: u32,
    ) {
        self.moving.load.under_way.insert((object, version));
        let mut row = Migration::new(object, (self.setup.id, to), cut, self.gvt.now);
        row.when_ns = self.watch.clock_ns();
        if self.moving.load.migrations.len() < LISTED_MAX {
            self.moving.load.migrations.push(row);
        } else {
            self.totals.counters.unlisted += 1;
        }
    }

    /// A part has arrived, says the node that it went to.
    pub(super) fn confirm_arrival(&mut self, object: ObjectId, version: u32) {
        self.moving.load.under_way.remove(&(object, version));
    }
}
