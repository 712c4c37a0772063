//! A corps: it lays out its divisions, hears of them, and twice a day orders them to a line.

use super::body::{Deployment, Report};
use super::geometry::{MINUTE, Particle};
use super::model::{Desk, Outgoing};
use super::payload::{Sighted, Stb88Payload};
use super::scenario::{CorpsPlan, SECTORS, SLOTS, Scenario};
use super::{Name, Posture, Side};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// When divisions hear where they begin.
const DEPLOYMENT: i64 = -900;
/// When a corps asks first, and when it plans first.
const FIRST_QUESTION: i64 = 0;
const FIRST_PLAN: i64 = 10;
/// From a plan to the next, minutes, before the corps' number is added.
const PERIOD: i32 = 720;
/// How far divisions see, km.
const RADIUS: i32 = 14;
/// What is left of its strength when a corps still attacks.
const ATTACKS: f64 = 0.75;
/// How far it attacks, km.
const ADVANCE: f64 = 30.0;

/// State of a corps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpsState {
    begun: bool,
    posture: Posture,
    phase_line: f64,
    slots: [Slot; SLOTS],
    /// Enemies that its divisions fight, in the order in which they were reported.
    enemies: Members<Name>,
    /// For each sector, which of them.
    of_sector: [Members<u8>; SECTORS],
}

/// What it knows of a division.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Slot {
    front: f64,
    strength: f64,
    full: f64,
    destroyed: bool,
}

/// As many as a corps has places for, in order of coming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Members<T> {
    len: u8,
    all: [T; SLOTS],
}

impl<T: Copy + PartialEq> Members<T> {
    fn all(&self) -> &[T] {
        &self.all[..usize::from(self.len)]
    }

    /// The place of this one, added if it is new and there is room.
    fn place(&mut self, member: T) -> Option<usize> {
        if let Some(place) = self.all().iter().position(|other| *other == member) {
            return Some(place);
        }
        let place = usize::from(self.len);
        *self.all.get_mut(place)? = member;
        self.len += 1;
        Some(place)
    }
}

impl CorpsState {
    pub(super) fn new() -> CorpsState {
        CorpsState {
            begun: false,
            posture: Posture::Attack,
            phase_line: 0.0,
            slots: Default::default(),
            enemies: Members::default(),
            of_sector: Default::default(),
        }
    }
}

/// An event of a corps.
pub(super) struct Visit<'a, O> {
    pub scenario: &'a Scenario,
    pub plan: &'a CorpsPlan,
    pub state: &'a mut CorpsState,
    pub desk: Desk<'a, O>,
}

impl<O: Outgoing> Visit<'_, O> {
    /// Handle a bundle whose messages carry these.
    pub fn run<'p>(mut self, payloads: impl Iterator<Item = &'p Stb88Payload>) {
        if !self.state.begun {
            self.begin();
        }
        let mut planned = false;
        for payload in payloads {
            match payload {
                Stb88Payload::Report(report) => self.hear(report),
                Stb88Payload::Intelligence => self.ask(),
                Stb88Payload::Plan => {
                    self.ask();
                    self.order();
                    planned = true;
                }
                // Enemies' parameters change nothing that a corps does; the configuration's message
                // only wakes it.
                _ => {}
            }
        }
        if planned && self.desk.now < self.scenario.end() {
            self.desk.send_self(MINUTE * (PERIOD + self.plan.number), Stb88Payload::Plan);
        }
    }

    fn begin(&mut self) {
        self.state.begun = true;
        self.state.posture = match self.plan.side {
            Side::Red => Posture::Attack,
            Side::Blue => Posture::Defend,
        };
        for division in &self.plan.divisions {
            let deployment = Deployment {
                division: division.name,
                posture: self.state.posture,
                objective: self.plan.at,
                place: division.at,
                corps: self.desk.name,
                radius: RADIUS,
                up: division.sector > 0,
            };
            self.desk.send_at(
                division.name,
                DEPLOYMENT,
                Stb88Payload::Deployment(Arc::new(deployment)),
            );
            let (unit, place) = (division.name, Particle::resting(division.at));
            let sighted = Sighted { unit, place, radius: RADIUS };
            self.desk.send_at(self.plan.distributor, DEPLOYMENT, Stb88Payload::Enter(sighted));
        }
        self.desk.send_self_at(FIRST_QUESTION, Stb88Payload::Intelligence);
        self.desk.send_self_at(FIRST_PLAN, Stb88Payload::Plan);
    }

    fn hear(&mut self, report: &Report) {
        let divisions = &self.plan.divisions;
        let Some(slot) = divisions.iter().position(|division| division.name == report.division)
        else {
            return;
        };
        let (front, strength, full) = (report.front, report.strength, report.full);
        let destroyed = report.posture == Posture::Destroyed;
        self.state.slots[slot] = Slot { front, strength, full, destroyed };
        let sector = divisions[slot].sector;
        for enemy in report.enemies.iter().filter(|enemy| !enemy.is_none()) {
            if let Some(place) = self.state.enemies.place(*enemy) {
                self.state.of_sector[sector].place(place as u8);
            }
        }
    }

    /// Ask the enemies of every sector for their parameters.
    fn ask(&mut self) {
        for (sector, members) in (0..).zip(&self.state.of_sector) {
            for (index, enemy) in (0..).zip(members.all()) {
                let to = self.state.enemies.all[usize::from(*enemy)];
                let requester = self.desk.name;
                let ask =
                    Stb88Payload::Ask { requester, sector, enemy: index, index: i32::from(*enemy) };
                self.desk.send(to, 1, ask);
            }
        }
    }

    /// Order the divisions in front to a line: beyond the hindmost of them while there is strength,
    /// otherwise where the foremost is.
    fn order(&mut self) {
        let alive = || self.state.slots.iter().filter(|slot| !slot.destroyed);
        let strength = alive().fold(0.0, |sum, slot| sum + slot.strength);
        let full = alive().fold(0.0, |sum, slot| sum + slot.full);
        let power = if full == 0.0 { 0.0 } else { strength / full };
        let attacks = power >= ATTACKS;
        self.state.posture = if attacks { Posture::Attack } else { Posture::Defend };
        self.state.phase_line =
            if attacks { self.beyond_the_hindmost() } else { self.the_foremost() };
        for (slot, division) in (0..).zip(&self.plan.divisions) {
            if division.sector > 0 {
                let order =
                    Stb88Payload::Order { posture: Posture::Defend, line: self.state.phase_line };
                self.desk.send(division.name, MINUTE * (slot / 2 + 1), order);
            }
        }
    }

    /// Fronts of the divisions that are in front.
    fn fronts(&self) -> impl Iterator<Item = f64> {
        let up = self
            .plan
            .divisions
            .iter()
            .zip(&self.state.slots)
            .filter(|(division, _)| division.sector > 0);
        up.map(|(_, slot)| slot.front)
    }

    fn beyond_the_hindmost(&self) -> f64 {
        let side = self.plan.side;
        let hindmost = match side {
            Side::Red => self.fronts().reduce(f64::max),
            Side::Blue => self.fronts().reduce(f64::min),
        };
        self.on_the_board(hindmost.unwrap_or(0.0) + ADVANCE * side.forward())
    }

    fn the_foremost(&self) -> f64 {
        let width = self.scenario.width();
        let foremost = match self.plan.side {
            Side::Red => self.fronts().fold(width, f64::min),
            Side::Blue => self.fronts().fold(0.0, f64::max),
        };
        self.on_the_board(foremost)
    }

    /// Not beyond the far edge.
    fn on_the_board(&self, line: f64) -> f64 {
        match self.plan.side {
            Side::Red => line.max(0.0),
            Side::Blue => line.min(self.scenario.width()),
        }
    }
}
