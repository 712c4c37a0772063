//! Places, speeds and times: the arithmetic that everything shares, each double operation in the
//! order written.

use super::Side;
use serde::{Deserialize, Serialize};
use timewarp::Digest;

/// Ticks of a minute.
pub(super) const MINUTE: i32 = 10;

/// Where something is, km, and how fast it moves, km a minute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particle {
    /// Place.
    pub at: [f64; 2],
    /// Speed.
    pub speed: [f64; 2],
}

impl Particle {
    /// At rest.
    pub(super) fn resting(at: [f64; 2]) -> Particle {
        Particle { at, speed: [0.0; 2] }
    }

    #[inline]
    pub(super) fn digest(&self, digest: &mut Digest) {
        let ([x, y], [vx, vy]) = (self.at, self.speed);
        digest.two(x.to_bits(), y.to_bits());
        digest.two(vx.to_bits(), vy.to_bits());
    }

    /// After so many minutes.
    #[inline]
    pub(super) fn after(&self, minutes: i32) -> Particle {
        let minutes = f64::from(minutes);
        let at = [self.at[0] + self.speed[0] * minutes, self.at[1] + self.speed[1] * minutes];
        Particle { at, speed: self.speed }
    }
}

/// A time rounded up to a whole minute; times before 0 go up to 10 too much, as in the original.
#[inline]
pub(super) fn whole_minute(time: i32) -> i32 {
    match time % MINUTE {
        0 => time,
        rest => time.wrapping_add(MINUTE - rest),
    }
}

/// One number of 1 to 11, or -9 to 1, that depends on the seed alone.
#[inline]
pub(super) fn random(seed: i32) -> i32 {
    let value = seed.wrapping_mul(25_173).wrapping_add(13_849) % 65_536;
    (value * 11) / 65_536 + 1
}

#[inline]
pub(super) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    let q = square(a, b);
    if q < 1.0 { (q * 10_000.0).sqrt() / 100.0 } else { q.sqrt() }
}

#[inline]
fn square(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (dx, dy) = (a[0] - b[0], a[1] - b[1]);
    (dx * dx) + (dy * dy)
}

/// Whether two places are less than so many whole km apart; what [`distance`] says, mostly without
/// its root.
#[inline]
pub(super) fn within(a: [f64; 2], b: [f64; 2], km: i32) -> bool {
    let far = f64::from(km) * f64::from(km);
    square(a, b) < far && (distance(a, b) as i32) < km
}

/// How fast. Slow speeds come out a hundred times too high, and units move by that.
#[inline]
pub(super) fn magnitude(speed: [f64; 2]) -> f64 {
    let q = speed[0] * speed[0] + speed[1] * speed[1];
    if q < 1.0 { (q * 10_000.0).sqrt() } else { q.sqrt() }
}

/// When the first of two that move comes near the other, minutes from now; the square of their
/// distance is then `radius`.
#[inline]
pub(super) fn meet(one: &Particle, other: &Particle, radius: i32) -> Option<f64> {
    let dv = [one.speed[0] - other.speed[0], one.speed[1] - other.speed[1]];
    if dv == [0.0, 0.0] {
        return None;
    }
    let dp = [one.at[0] - other.at[0], one.at[1] - other.at[1]];
    let a = dv[0] * dv[0] + dv[1] * dv[1];
    let b = 2.0 * (dv[0] * dp[0] + dv[1] * dp[1]);
    let c = (dp[0] * dp[0] + dp[1] * dp[1]) - f64::from(radius);
    let d = b * b - 4.0 * a * c;
    if (a == 0.0 && b == 0.0) || d < 0.0 {
        return None;
    }
    let root = d.sqrt();
    let (t1, t2) = ((-b + root) / (2.0 * a), (-b - root) / (2.0 * a));
    Some(t1.min(t2))
}

/// When a moving circle first touches a wall along x = `wall` between two y, minutes from now.
pub(super) fn touch(p: &Particle, wall: f64, [low, high]: [f64; 2], radius: i32) -> Option<f64> {
    if p.speed[0] == 0.0 {
        return None;
    }
    let radius = f64::from(radius);
    let t1 = (wall - (p.at[0] + radius)) / p.speed[0];
    let t2 = (wall - (p.at[0] - radius)) / p.speed[0];
    let (first, last) = (t1.min(t2), t1.max(t2));
    if last < 0.0 {
        return None;
    }
    let y = p.at[1] + p.speed[1] * first.trunc();
    (low <= y && y <= high).then_some(first)
}

/// A northern and a southern edge: only their y differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edges {
    pub north: f64,
    pub south: f64,
}

impl Edges {
    /// Of a division whose centre has this y.
    pub fn around(y: f64) -> Edges {
        const HALF: f64 = 16.0;
        Edges { north: y + HALF, south: y - HALF }
    }

    /// Whether two stretches face each other.
    pub fn share_a_front(&self, other: &Edges) -> bool {
        let (n, s, n2, s2) = (self.north, self.south, other.north, other.south);
        (n >= n2 && n2 > s) || (n > s2 && s2 >= s) || (n2 >= n && n > s2) || (n2 > s && s >= s2)
    }
}

impl Side {
    /// +1 towards the east for blue, -1 towards the west for red.
    #[inline]
    pub(super) fn forward(self) -> f64 {
        match self {
            Side::Red => -1.0,
            Side::Blue => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_up_to_minutes_and_oddly_before_zero() {
        let given = [0, 1, 9, 10, 11, -10, -8, -9, -1];
        assert_eq!(given.map(whole_minute), [0, 10, 10, 10, 20, -10, 10, 10, 10]);
    }

    #[test]
    fn random_numbers_of_both_signs() {
        assert_eq!(random(0), 13_849 * 11 / 65_536 + 1);
        let drawn: Vec<i32> = (0..200_000).map(|seed| random(seed * 7919)).collect();
        assert!(drawn.iter().all(|v| (-9..=11).contains(v)));
        assert!(drawn.iter().any(|v| *v < 0) && drawn.iter().any(|v| *v > 10), "both signs occur");
    }

    #[test]
    fn short_distances_and_slow_speeds() {
        assert_eq!(distance([3.0, 0.0], [0.0, 4.0]), 5.0);
        assert_eq!(distance([0.5, 0.0], [0.0, 0.0]), 0.5);
        assert_eq!(magnitude([3.0, 4.0]), 5.0);
        assert_eq!(magnitude([0.02, 0.0]), (0.02f64 * 0.02 * 10_000.0).sqrt());
    }

    #[test]
    fn within_is_what_the_rounded_distance_says() {
        let origin = [0.0, 0.0];
        for x in [0.0, 0.3, 13.0, 13.999_999_999_999_998, 14.0, 14.5, 15.0, f64::NAN] {
            let said = (distance([x, 0.0], origin) as i32) < 14;
            // What cannot be compared is nowhere near.
            assert_eq!(within([x, 0.0], origin, 14), said && !x.is_nan(), "{x}");
        }
    }

    #[test]
    fn two_meet_when_they_approach() {
        let still = Particle::resting([10.0, 0.0]);
        let moving = Particle { at: [0.0, 0.0], speed: [2.0, 0.0] };
        assert_eq!(meet(&moving, &still, 4), Some(4.0));
        assert_eq!(meet(&still, &still, 4), None);
        assert_eq!(meet(&moving, &Particle::resting([10.0, 3.0]), 4), None);
        assert_eq!(touch(&moving, 20.0, [-1.0, 1.0], 4), Some(8.0));
        assert_eq!(touch(&moving, 20.0, [1.0, 2.0], 4), None);
        assert_eq!(touch(&still, 20.0, [-1.0, 1.0], 4), None);
        assert_eq!(touch(&moving, -20.0, [-1.0, 1.0], 4), None);
    }

    #[test]
    fn fronts_are_shared_by_stretches_that_overlap() {
        let edges = |y| Edges::around(y);
        assert!(edges(0.0).share_a_front(&edges(0.0)));
        assert!(edges(0.0).share_a_front(&edges(31.0)) && edges(31.0).share_a_front(&edges(0.0)));
        assert!(!edges(0.0).share_a_front(&edges(32.0)) && !edges(32.0).share_a_front(&edges(0.0)));
    }
}
