//! A cell of the board: it tells units who is near, once, and again when that one moves otherwise
//! than before.

use super::Name;
use super::geometry::{MINUTE, Particle, meet, touch, within};
use super::model::{Desk, Outgoing};
use super::payload::{Sighted, Stb88Payload};
use super::scenario::{Scenario, UNITS};
use serde::{Deserialize, Serialize};

/// Looks that a cell can have planned.
const LOOKS: usize = 25;

/// State of a cell.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GridState {
    pub(super) units: Vec<Unit>,
    /// When it is going to look.
    looks: Vec<i32>,
}

/// A unit in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit {
    pub name: Name,
    place: Particle,
    /// When it was there.
    time: i32,
    radius: i32,
    /// Which of the others it has heard of: a bit each.
    perceived: u32,
    /// Whether it moves otherwise since this event.
    changed: bool,
}

impl Unit {
    #[inline]
    fn knows(&self, other: usize) -> bool {
        self.perceived >> other & 1 == 1
    }
}

impl GridState {
    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.units.capacity() * size_of::<Unit>() + self.looks.capacity() * size_of::<i32>()
    }
}

impl Clone for GridState {
    fn clone(&self) -> GridState {
        GridState { units: self.units.clone(), looks: self.looks.clone() }
    }

    /// Keeps its memory.
    #[inline]
    fn clone_from(&mut self, source: &GridState) {
        self.units.clone_from(&source.units);
        self.looks.clone_from(&source.looks);
    }
}

/// An event of a cell.
pub(super) struct Visit<'a, O> {
    pub scenario: &'a Scenario,
    /// Which cell from the south.
    pub row: i32,
    pub state: &'a mut GridState,
    pub desk: Desk<'a, O>,
}

impl<O: Outgoing> Visit<'_, O> {
    /// Handle a bundle whose messages carry these.
    pub fn run<'p>(mut self, payloads: impl Iterator<Item = &'p Stb88Payload>) {
        self.state.units.iter_mut().for_each(|unit| unit.changed = false);
        if self.desk.now > self.scenario.end() {
            return;
        }
        for payload in payloads {
            match payload {
                Stb88Payload::Enter(sighted) => self.enter(sighted),
                Stb88Payload::Velocity(sighted) => self.change(sighted),
                Stb88Payload::Evaluate => self.state.looks.retain(|time| *time > self.desk.now),
                _ => {}
            }
        }
        let now: [Particle; UNITS] = std::array::from_fn(|unit| {
            self.state
                .units
                .get(unit)
                .map_or(Particle::default(), |unit| unit.place.after(self.minutes(unit, 0)))
        });
        let now = &now[..self.state.units.len()];
        for unit in 0..now.len() {
            self.encounter(unit, now);
            self.leave(unit, &now[unit]);
            self.perceive(unit, now);
        }
    }

    /// Minutes since its place was known, so many ticks from now.
    #[inline]
    fn minutes(&self, unit: &Unit, ahead: i32) -> i32 {
        ahead.wrapping_add(self.desk.now).wrapping_sub(unit.time) / MINUTE
    }

    fn enter(&mut self, sighted: &Sighted) {
        let known = self.state.units.iter().any(|unit| unit.name == sighted.unit);
        if known || self.state.units.len() == UNITS {
            return;
        }
        let Sighted { unit: name, place, radius } = *sighted;
        let time = self.desk.now;
        self.state.units.push(Unit { name, place, time, radius, perceived: 0, changed: false });
    }

    fn change(&mut self, sighted: &Sighted) {
        let time = self.desk.now.wrapping_sub(MINUTE);
        if let Some(unit) = self.state.units.iter_mut().find(|unit| unit.name == sighted.unit) {
            (unit.place, unit.radius, unit.time, unit.changed) =
                (sighted.place, sighted.radius, time, true);
        }
    }

    /// Whom it meets next.
    fn encounter(&mut self, own: usize, now: &[Particle]) {
        let radius = self.state.units[own].radius;
        let mut next: Option<(i64, usize)> = None;
        for (other, place) in now.iter().enumerate().filter(|(other, _)| *other != own) {
            let Some(minutes) = meet(&now[own], place, radius) else { continue };
            let ticks = (minutes.ceil() as i64).saturating_mul(i64::from(MINUTE));
            if ticks >= 0 && next.is_none_or(|(least, _)| ticks < least) {
                next = Some((ticks, other));
            }
        }
        let Some((ticks, other)) = next else { return };
        if ticks > i64::from(MINUTE) {
            self.look_before(ticks);
        } else if !self.state.units[own].knows(other) {
            self.tell(own, other);
        }
    }

    /// When it would leave the cell: units are stopped long before.
    fn leave(&mut self, own: usize, place: &Particle) {
        let wall = if place.speed[0] > 0.0 { self.scenario.width() } else { 0.0 };
        let reach = touch(place, wall, self.scenario.cell(self.row), self.state.units[own].radius);
        if let Some(minutes) = reach.filter(|minutes| *minutes > 0.0) {
            let ticks = (minutes as i64).saturating_mul(i64::from(MINUTE));
            if ticks > i64::from(MINUTE) {
                self.look_before(ticks);
            }
        }
    }

    /// Look a minute before something happens that is so many ticks away.
    fn look_before(&mut self, ticks: i64) {
        let at = i64::from(self.desk.now).saturating_add(ticks) - i64::from(MINUTE);
        let Ok(time) = i32::try_from(at) else { return };
        let looks = &mut self.state.looks;
        if !looks.contains(&time) && looks.len() < LOOKS {
            looks.push(time);
            self.desk.send_self_at(at, Stb88Payload::Evaluate);
        }
    }

    /// Tell it of all whom it sees for the first time, or who move otherwise.
    fn perceive(&mut self, own: usize, now: &[Particle]) {
        for other in (0..now.len()).filter(|other| *other != own) {
            let Unit { radius, .. } = self.state.units[own];
            let news = !self.state.units[own].knows(other) || self.state.units[other].changed;
            if news && within(now[other].at, now[own].at, radius) {
                self.tell(own, other);
            }
        }
    }

    fn tell(&mut self, own: usize, other: usize) {
        let seen = self.state.units[other];
        let place = seen.place.after(self.minutes(&seen, MINUTE));
        let perceive = Stb88Payload::Perceive {
            unit: seen.name,
            place,
            time: self.desk.now.wrapping_add(MINUTE),
        };
        let unit = &mut self.state.units[own];
        unit.perceived |= 1 << other;
        let name = unit.name;
        self.desk.send(name, MINUTE, perceive);
    }
}
