//! Who is near, and when a battle with them begins.

use super::Visit;
use crate::stb88::geometry::{MINUTE, Particle, distance, whole_minute};
use crate::stb88::model::Outgoing;
use crate::stb88::payload::Stb88Payload;
use crate::stb88::{Name, Side};

/// Distance at which battles begin, km.
pub(super) const RANGE: f64 = 15.0;

impl<O: Outgoing> Visit<'_, O> {
    /// An enemy is near: expect a battle.
    pub(super) fn perceive(&mut self, unit: Name, place: &Particle) {
        if Side::of(unit) == self.side {
            return;
        }
        let Some(at) = self.state.intel.find_or_add(|known| known.unit == unit) else { return };
        let (now, now_rounded) = (self.desk.now, whole_minute(self.desk.now));
        let known = self.state.intel.at(at);
        (known.unit, known.place, known.seen, known.engage) = (unit, *place, now_rounded, i32::MAX);
        let enemy = place.after(whole_minute(now.wrapping_sub(now_rounded)) / MINUTE);
        let ours = &self.state.place;
        let closing = closing_speed(ours, &enemy);
        if closing <= 0.0 || closing.is_nan() {
            return;
        }
        let gap = distance(ours.at, enemy.at);
        let mut when = if gap < RANGE {
            now_rounded.wrapping_add(MINUTE)
        } else {
            (f64::from(now_rounded) + ((gap - RANGE) / closing) * 10.0) as i32
        };
        if when == now_rounded {
            when = when.wrapping_add(MINUTE);
        }
        let known = self.state.intel.at(at);
        if when < known.engage {
            known.engage = when;
            known.sighting = known.sighting.wrapping_add(1);
            let sighting = known.sighting;
            self.desk.send_self_at(when.into(), Stb88Payload::Engage { enemy: unit, sighting });
        }
    }
}

/// How fast two come together, km a minute, as the original reckons it: not at all where only the
/// other one moves.
fn closing_speed(ours: &Particle, enemy: &Particle) -> f64 {
    let (m, v) = (ours.speed[0], enemy.speed[0]);
    let (x, other) = (ours.at[0], enemy.at[0]);
    if m == 0.0 {
        return 0.0;
    }
    if v == 0.0 {
        let sign = if m < 0.0 { -1.0 } else { 1.0 };
        return match other.partial_cmp(&x) {
            Some(std::cmp::Ordering::Greater) => m.abs() * sign,
            Some(std::cmp::Ordering::Less) => m.abs() * -sign,
            _ => 0.0,
        };
    }
    if (m > 0.0) == (v > 0.0) {
        return m.abs() - v.abs();
    }
    let sign = if x.min(other) >= 0.0 { 1.0 } else { -1.0 };
    (m.abs() + v.abs()) * sign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ones_own_speed_counts_against_one_who_stands() {
        let at = |x: f64, speed: f64| Particle { at: [x, 0.0], speed: [speed, 0.0] };
        assert_eq!(closing_speed(&at(1.0, 2.0), &at(5.0, 0.0)), 2.0);
        assert_eq!(closing_speed(&at(9.0, 2.0), &at(5.0, 0.0)), -2.0);
        assert_eq!(closing_speed(&at(9.0, -2.0), &at(5.0, 0.0)), 2.0);
        assert_eq!(closing_speed(&at(5.0, 2.0), &at(5.0, 0.0)), 0.0);
        assert_eq!(closing_speed(&at(1.0, 0.0), &at(5.0, -3.0)), 0.0);
        assert_eq!(closing_speed(&at(1.0, 2.0), &at(5.0, -3.0)), 5.0);
        assert_eq!(closing_speed(&at(-1.0, 2.0), &at(5.0, -3.0)), -5.0);
        assert_eq!(closing_speed(&at(1.0, 2.0), &at(5.0, 3.0)), -1.0);
    }
}
