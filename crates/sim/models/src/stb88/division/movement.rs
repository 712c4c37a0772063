//! Orders, and the way to where they lead.

use super::{NOT_MOVING, QUIET, REAR_FOLLOWS, RIGID, Visit};
use crate::stb88::Posture;
use crate::stb88::Side;
use crate::stb88::geometry::{MINUTE, Particle, magnitude, random};
use crate::stb88::model::Outgoing;
use crate::stb88::payload::{Move, Stb88Payload};

/// An enemy at a y nearer than this stands in the way, km.
const IN_THE_WAY: f64 = 32.0;
/// Km a minute, before chance has its say.
const USUAL_SPEED: f64 = 30.0 / 1440.0;

impl<O: Outgoing> Visit<'_, O> {
    pub(super) fn order(&mut self, posture: Posture, line: f64) {
        if self.state.objective == line {
            return;
        }
        self.state.objective = line;
        if self.is_free(1e-5) {
            self.state.posture = posture;
            self.go();
        }
    }

    pub(super) fn evaluate_situation(&mut self) {
        if self.is_free(1e-10) {
            self.go();
        }
    }

    /// Whether it neither fights nor moves.
    fn is_free(&self, slow: f64) -> bool {
        let quiet = self.desk.now.wrapping_sub(self.state.last_loss) > QUIET;
        quiet && magnitude(self.state.place.speed) < slow
    }

    /// Set out for the objective in a minute, if it lies ahead.
    fn go(&mut self) {
        let ahead = (self.state.objective - self.front()) * self.side.forward();
        if ahead <= 0.0 || ahead.is_nan() {
            return;
        }
        let minutes = f64::from(self.desk.now / MINUTE);
        let seed = ((minutes * self.state.strength).floor() as i32).wrapping_add(1);
        let chance = random(seed) - 5;
        let speed = USUAL_SPEED * (f64::from(chance) / 100.0 + 1.0);
        self.state.key = self.state.key.wrapping_add(1);
        let target =
            Particle { at: [self.state.objective, self.state.place.at[1]], speed: [speed, 0.0] };
        let movement = Move { key: self.state.key, target, mode: RIGID };
        self.desk.send_self(MINUTE, Stb88Payload::StartMove(movement));
    }

    pub(super) fn start_move(&mut self, movement: &Move) {
        if self.state.posture == Posture::Destroyed || self.is_blocked(movement.target.at[0]) {
            return;
        }
        let (place, target) = (self.state.place.at, movement.target.at);
        let speed = magnitude(movement.target.speed);
        let way = target[0] - place[0];
        // The original never has either.
        if way == 0.0 || speed == 0.0 {
            return;
        }
        let speed = if way > 0.0 { speed } else { -speed };
        let minutes = (((way / speed).abs() + 0.5) as i64).max(1);
        if self.state.place.speed != [speed, 0.0] {
            self.state.place.speed = [speed, 0.0];
            self.doings.velocity_changed = true;
        }
        self.state.mode = REAR_FOLLOWS;
        self.state.objective = target[0];
        self.place_rear();
        let end =
            i64::from(self.desk.now).saturating_add(minutes.saturating_mul(i64::from(MINUTE)));
        self.doings.moved = Some((*movement, end));
    }

    /// Whether a known enemy lies between here and there.
    fn is_blocked(&self, x: f64) -> bool {
        let y = self.state.place.at[1];
        self.state.intel.iter().any(|known| {
            let at = known.place.at;
            let beyond = match self.side {
                Side::Blue => x - at[0] >= 0.0,
                Side::Red => at[0] - x >= 0.0,
            };
            at != [0.0, 0.0] && (y - at[1]).abs() < IN_THE_WAY && beyond
        })
    }

    pub(super) fn continue_move(&mut self, movement: &Move) {
        if self.state.posture != Posture::Destroyed && movement.key == self.state.key {
            self.stop();
        }
    }

    pub(super) fn stop(&mut self) {
        self.state.key = self.state.key.wrapping_add(1);
        self.state.place.speed = [0.0; 2];
        self.state.mode = NOT_MOVING;
        self.doings.velocity_changed = true;
        self.doings.idle = true;
    }
}
