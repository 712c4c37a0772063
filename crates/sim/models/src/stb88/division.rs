//! A division: it waits for orders, moves, meets the enemy, fights and reports.

mod battle;
mod movement;
mod sight;

use super::body::{COMBAT, Deployment, Parameters, Report};
use super::few::Few;
use super::geometry::{MINUTE, Particle};
use super::model::{Desk, Outgoing};
use super::payload::{Move, Sighted, Stb88Payload};
use super::scenario::{SUPPORT, Scenario};
use super::{Name, Posture, Side};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Losses so long ago, ticks, are no reason to stay.
const QUIET: i32 = 610;
/// Time between reports in which nothing changes, ticks.
const REPORTING: i32 = 1200;
/// From the centre to the rear, km.
const REAR: f64 = 25.0;
/// From the centre to the front, km.
const FRONT: f64 = 5.0;

/// How a division moves.
const RIGID: i32 = 0;
const REAR_FOLLOWS: i32 = 1;
const NOT_MOVING: i32 = 2;

/// State of a division.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct DivisionState {
    superior: Name,
    grid: Name,
    pub(super) posture: Posture,
    deliberate: bool,
    /// It waits for an enemy's parameters.
    atomic: bool,
    mode: i32,
    pub(super) place: Particle,
    /// When it was there.
    last: i32,
    pub(super) front_offset: f64,
    pub(super) objective: f64,
    rear: f64,
    pub(super) key: i32,
    radius: i32,
    last_loss: i32,
    last_report: i32,
    pub(super) strength: f64,
    pub(super) full: f64,
    /// Five systems that fight, then two that support.
    pub(super) stocks: [Stock; COMBAT + SUPPORT],
    pub(super) battles: Few<Battle>,
    pub(super) intel: Few<Intel>,
}

/// How a division is, for tables.
#[derive(Clone, Debug, PartialEq)]
pub struct DivisionSheet {
    /// How it stands.
    pub posture: Posture,
    /// Where it is and how fast it moves.
    pub place: Particle,
    /// From its centre to its front, km.
    pub front_offset: f64,
    /// What it can do.
    pub strength: f64,
    /// What it could do with all that it has a right to.
    pub full: f64,
    /// Whom it fights.
    pub enemies: Vec<Name>,
    /// Enemies that it knows of.
    pub known: usize,
    /// Systems that fight and work.
    pub fighting: f64,
    /// Systems that support and work.
    pub supporting: f64,
    /// x of its objective, km.
    pub objective: f64,
}

/// How many there are of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Stock {
    pub operational: f64,
    pub authorised: f64,
}

/// With whom it fights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Battle {
    pub enemy: Name,
    key: i32,
    ratio: f64,
}

/// What it knows of an enemy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Intel {
    pub unit: Name,
    place: Particle,
    seen: i32,
    sighting: i32,
    /// When a battle is expected.
    engage: i32,
}

impl DivisionState {
    pub(super) fn new(scenario: &Scenario, side: Side) -> DivisionState {
        let systems = scenario.systems(side);
        let mut state = DivisionState {
            superior: Name::NONE,
            grid: Name::NONE,
            posture: Posture::Attack,
            deliberate: false,
            atomic: false,
            mode: NOT_MOVING,
            place: Particle::default(),
            last: 0,
            front_offset: FRONT,
            objective: 0.0,
            rear: 0.0,
            key: 0,
            radius: 0,
            last_loss: -10_000,
            last_report: 0,
            strength: 0.0,
            full: 0.0,
            stocks: systems.stocks(),
            battles: Few::default(),
            intel: Few::default(),
        };
        state.full = state.sum_full(scenario, side);
        state.strength = state.sum_strength(scenario, side);
        state
    }

    #[inline]
    pub(super) fn sum_strength(&self, scenario: &Scenario, side: Side) -> f64 {
        let strengths = scenario.systems(side).strengths;
        self.stocks
            .iter()
            .zip(strengths)
            .fold(0.0, |sum, (stock, each)| sum + stock.operational * each)
    }

    #[inline]
    pub(super) fn sum_full(&self, scenario: &Scenario, side: Side) -> f64 {
        let strengths = scenario.systems(side).strengths;
        self.stocks
            .iter()
            .zip(strengths)
            .fold(0.0, |sum, (stock, each)| sum + stock.authorised * each)
    }

    /// How it is, for tables.
    pub(super) fn sheet(&self, scenario: &Scenario, side: Side) -> DivisionSheet {
        let sum = |stocks: &[Stock]| stocks.iter().fold(0.0, |sum, stock| sum + stock.operational);
        DivisionSheet {
            posture: self.posture,
            place: self.place,
            front_offset: self.front_offset,
            strength: self.sum_strength(scenario, side),
            full: self.sum_full(scenario, side),
            enemies: self.battles.iter().map(|battle| battle.enemy).collect(),
            known: self.intel.len(),
            fighting: sum(&self.stocks[..COMBAT]),
            supporting: sum(&self.stocks[COMBAT..]),
            objective: self.objective,
        }
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.battles.heap_bytes() + self.intel.heap_bytes()
    }
}

impl Clone for DivisionState {
    fn clone(&self) -> DivisionState {
        DivisionState { battles: self.battles.clone(), intel: self.intel.clone(), ..*self }
    }

    /// Keeps the memory of long lists.
    #[inline]
    fn clone_from(&mut self, source: &DivisionState) {
        let (mut battles, mut intel) =
            (std::mem::take(&mut self.battles), std::mem::take(&mut self.intel));
        battles.clone_from(&source.battles);
        intel.clone_from(&source.intel);
        *self = DivisionState { battles, intel, ..*source };
    }
}

/// An event of a division: what it works on, and what it has done so far.
pub(super) struct Visit<'a, O> {
    pub scenario: &'a Scenario,
    pub state: &'a mut DivisionState,
    pub desk: Desk<'a, O>,
    side: Side,
    doings: Doings,
}

/// What is done at the end of the event.
#[derive(Default)]
struct Doings {
    /// A move that ends at this time.
    moved: Option<(Move, i64)>,
    velocity_changed: bool,
    posture_changed: bool,
    idle: bool,
    /// Enemies that it fires at.
    assess: Few<Name>,
}

impl<'a, O: Outgoing> Visit<'a, O> {
    pub fn new(
        scenario: &'a Scenario,
        state: &'a mut DivisionState,
        desk: Desk<'a, O>,
    ) -> Visit<'a, O> {
        let side = Side::of(desk.name);
        Visit { scenario, state, desk, side, doings: Doings::default() }
    }

    /// Handle a bundle whose messages carry these.
    #[inline]
    pub fn run<'p>(mut self, payloads: impl Iterator<Item = &'p Stb88Payload>) {
        self.advance();
        if self.desk.now > self.scenario.end() {
            return;
        }
        payloads.for_each(|payload| self.handle(payload));
        if !self.state.atomic {
            self.finish();
        }
    }

    /// Come to where it is now. Parts of a minute are lost.
    #[inline]
    fn advance(&mut self) {
        let minutes = self.desk.now.wrapping_sub(self.state.last) / MINUTE;
        self.state.place = self.state.place.after(minutes);
        self.state.last = self.desk.now;
        self.place_rear();
    }

    #[inline]
    fn place_rear(&mut self) {
        self.state.rear = self.state.place.at[0] + REAR * -self.side.forward();
    }

    /// x of the front.
    #[inline]
    fn front(&self) -> f64 {
        match self.side {
            Side::Blue => self.state.place.at[0] + self.state.front_offset,
            Side::Red => self.state.place.at[0] - self.state.front_offset,
        }
    }

    #[inline]
    fn handle(&mut self, payload: &Stb88Payload) {
        match payload {
            Stb88Payload::Assess { enemy, key, .. } => self.assess(*enemy, *key),
            Stb88Payload::Losses(losses) => self.suffer(losses),
            Stb88Payload::Perceive { unit, place, .. } => self.perceive(*unit, place),
            Stb88Payload::Deployment(deployment) => self.deploy(deployment),
            Stb88Payload::StartMove(movement) => self.start_move(movement),
            Stb88Payload::ContinueMove(movement) => self.continue_move(movement),
            Stb88Payload::Cell(grid) => self.state.grid = *grid,
            Stb88Payload::Engage { enemy, sighting } => self.engage(*enemy, *sighting),
            Stb88Payload::Order { posture, line } => self.order(*posture, *line),
            Stb88Payload::Situation => self.evaluate_situation(),
            Stb88Payload::Ask { requester, sector, enemy, index } => {
                self.tell_parameters(*requester, [*sector, *enemy, *index]);
            }
            Stb88Payload::Parameters(parameters) => self.begin_battle(parameters),
            // Never for a division.
            _ => {}
        }
    }

    fn deploy(&mut self, deployment: &Deployment) {
        let state = &mut *self.state;
        state.posture = deployment.posture;
        state.superior = deployment.corps;
        state.radius = deployment.radius;
        state.place = Particle::resting(deployment.place);
        state.objective = deployment.objective[0];
        state.deliberate = true;
        state.front_offset = FRONT;
        self.place_rear();
        self.doings.posture_changed = true;
    }

    /// Send its parameters to whoever asks.
    fn tell_parameters(&mut self, requester: Name, [sector, enemy, index]: [i32; 3]) {
        self.state.strength = self.state.sum_strength(self.scenario, self.side);
        let parameters = Parameters {
            sender: self.desk.name,
            front: self.front(),
            rear: self.state.rear,
            place: self.state.place,
            strength: self.state.strength,
            posture: self.state.posture,
            sector,
            enemy,
            index,
        };
        self.desk.send(requester, 1, Stb88Payload::Parameters(Arc::new(parameters)));
    }

    /// What follows from the messages together.
    #[inline]
    fn finish(&mut self) {
        let doings = std::mem::take(&mut self.doings);
        if let Some((movement, end)) = doings.moved {
            self.state.key = self.state.key.wrapping_add(1);
            let movement = Move { key: self.state.key, mode: self.state.mode, ..movement };
            self.desk.send_self_at(end, Stb88Payload::ContinueMove(movement));
        }
        if doings.velocity_changed {
            let (unit, place, radius) = (self.desk.name, self.state.place, self.state.radius);
            self.desk.send(
                self.state.grid,
                MINUTE,
                Stb88Payload::Velocity(Sighted { unit, place, radius }),
            );
        }
        for enemy in doings.assess.iter() {
            self.desk
                .send_self(590, Stb88Payload::Assess { enemy: *enemy, suffered: false, key: 0 });
        }
        if doings.idle {
            self.desk.send_self(MINUTE, Stb88Payload::Situation);
        }
        let changed = doings.posture_changed || doings.velocity_changed;
        let due = self.desk.now.wrapping_sub(self.state.last_report) > REPORTING;
        if (changed || due) && self.desk.now < self.scenario.end() {
            self.report();
        }
    }

    fn report(&mut self) {
        let now = self.desk.now;
        let minutes = (1 + (now / MINUTE) % 100).max(1);
        self.state.strength = self.state.sum_strength(self.scenario, self.side);
        self.state.full = self.state.sum_full(self.scenario, self.side);
        let mut enemies = [Name::NONE; Few::<Battle>::MAX];
        for (enemy, battle) in enemies.iter_mut().zip(self.state.battles.iter()) {
            *enemy = battle.enemy;
        }
        let report = Report {
            division: self.desk.name,
            front: self.front(),
            strength: self.state.strength,
            full: self.state.full,
            place: self.state.place,
            posture: self.state.posture,
            in_battle: now.wrapping_sub(self.state.last_loss) < QUIET,
            enemies,
        };
        self.desk.send(
            self.state.superior,
            MINUTE * minutes,
            Stb88Payload::Report(Arc::new(report)),
        );
        self.state.last_report = now;
    }
}
