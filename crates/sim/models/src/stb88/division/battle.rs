//! Battles: how they begin, fire, and losses.

use super::sight::RANGE;
use super::{Battle, NOT_MOVING, Visit};
use crate::stb88::body::{COMBAT, Fire, Losses, Parameters};
use crate::stb88::geometry::{Edges, MINUTE, distance, whole_minute};
use crate::stb88::model::Outgoing;
use crate::stb88::payload::Stb88Payload;
use crate::stb88::{Name, Posture};
use std::sync::Arc;

/// What is left of its strength when a division gives way.
const GIVES_WAY: f64 = 0.6;
/// From losses to firing back, ticks.
const CYCLE: i32 = 590;
/// Fire lasts so many minutes.
const FIRING: f64 = 60.0;

impl<O: Outgoing> Visit<'_, O> {
    /// The expected time of a battle has come: ask the enemy where it is, and wait for the answer.
    pub(super) fn engage(&mut self, enemy: Name, sighting: i32) {
        let expected =
            self.state.intel.iter().any(|known| known.unit == enemy && known.sighting == sighting);
        let battles = &self.state.battles;
        let fights = battles.find(|battle| battle.enemy == enemy).is_some();
        if !expected || fights || battles.len() == super::Few::<Battle>::MAX {
            return;
        }
        let requester = self.desk.name;
        self.desk.send(enemy, 1, Stb88Payload::Ask { requester, sector: 0, enemy: 0, index: 0 });
        self.state.atomic = true;
    }

    /// The answer: if the enemy is in front and near, the battle begins.
    pub(super) fn begin_battle(&mut self, enemy: &Parameters) {
        self.state.atomic = false;
        let Some(known) = self.state.intel.find(|known| known.unit == enemy.sender) else { return };
        let now = whole_minute(self.desk.now);
        let known = self.state.intel.at(known);
        (known.place, known.seen) = (enemy.place, now);
        let ours = self.state.place.at;
        let facing = Edges::around(ours[1]).share_a_front(&Edges::around(enemy.place.at[1]));
        if !facing || distance(ours, enemy.place.at).floor() > RANGE {
            return;
        }
        let same = |battle: &Battle| battle.enemy == enemy.sender;
        let Some(battle) = self.state.battles.find_or_add(same) else { return };
        *self.state.battles.at(battle) = Battle { enemy: enemy.sender, key: 0, ratio: 1.0 };
        self.doings.assess.add(enemy.sender);
        if self.state.mode != NOT_MOVING {
            self.stop();
        }
        self.state.last_loss = now;
    }

    /// Fire at an enemy.
    pub(super) fn assess(&mut self, enemy: Name, key: i32) {
        let battle = self.state.battles.find(|battle| battle.enemy == enemy);
        let battle = battle.map_or(Battle::default(), |place| *self.state.battles.at(place));
        if battle.key != key {
            return;
        }
        let losses = Losses {
            sender: self.desk.name,
            fire: self.fire(),
            front: self.front(),
            rear: self.state.rear,
            place: self.state.place,
            posture: self.state.posture,
            ratio: battle.ratio,
        };
        let at = i64::from(whole_minute(self.desk.now).wrapping_add(MINUTE));
        self.desk.send_at(enemy, at, Stb88Payload::Losses(Arc::new(losses)));
    }

    #[inline]
    fn fire(&self) -> [Fire; COMBAT] {
        let systems = self.scenario.systems(self.side);
        std::array::from_fn(|slot| {
            let stock = self.state.stocks[slot];
            Fire {
                system: systems.ids[slot],
                operational: stock.operational,
                authorised: stock.authorised,
                strength: systems.strengths[slot],
            }
        })
    }

    /// An enemy fires: count what is lost, and fire back in an hour.
    pub(super) fn suffer(&mut self, losses: &Losses) {
        if self.state.posture == Posture::Destroyed {
            return;
        }
        let enemy = losses.sender;
        let Some(known) = self.state.intel.find(|known| known.unit == enemy) else { return };
        let known = self.state.intel.at(known);
        (known.place, known.seen) = (losses.place, self.desk.now);
        let front = self.front();
        if (losses.front - front).abs() > RANGE {
            return;
        }
        let found = self.state.battles.find(|battle| battle.enemy == enemy);
        let begun = || Battle { enemy, key: 0, ratio: 1.0 };
        let Some(battle) = found.or_else(|| self.state.battles.add(begun())) else { return };
        self.state.front_offset = (front - self.state.place.at[0]).abs();
        self.lose(&losses.fire);
        // Of the strength before these losses.
        let left = match self.state.full {
            0.0 => 0.0,
            full => self.state.strength.trunc() / full,
        };
        self.state.strength = self.state.sum_strength(self.scenario, self.side);
        let ratio =
            if self.state.full == 0.0 { 0.0 } else { self.state.strength / self.state.full };
        let entry = self.state.battles.at(battle);
        entry.key = entry.key.wrapping_add(1);
        entry.ratio = ratio;
        let key = entry.key;
        if self.state.posture == Posture::Defend && left < GIVES_WAY {
            self.state.posture = Posture::Withdraw;
            self.doings.posture_changed = true;
        }
        self.state.last_loss = whole_minute(self.desk.now);
        let at = i64::from(self.state.last_loss.wrapping_add(CYCLE));
        self.desk.send_self_at(at, Stb88Payload::Assess { enemy, suffered: true, key });
    }

    /// What each of the enemy's systems destroys of each of ours; how many of them shoot makes no
    /// difference.
    #[inline]
    fn lose(&mut self, fire: &[Fire; COMBAT]) {
        let exposure = match self.state.posture {
            Posture::Attack => 1.3,
            Posture::Defend if self.state.deliberate => 0.9,
            _ => 1.0,
        };
        let victims = &self.scenario.systems(self.side).ids;
        for (stock, victim) in self.state.stocks.iter_mut().zip(victims) {
            if stock.operational <= 0.0 {
                continue;
            }
            for shooter in fire {
                let coefficient = self.scenario.coefficient(shooter.system, *victim);
                let loss = ((coefficient * shooter.strength) * exposure) * FIRING;
                let loss = loss.min(stock.operational);
                stock.operational -= loss;
                stock.authorised += loss;
            }
        }
    }
}
