//! Points of the plane, and discs that move across it.
//!
//! Arithmetic is IEEE double, each operation rounded by itself, in the order in which it is written
//! here.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A point, or a difference of points: x to the east, y to the south.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    /// East.
    pub x: f64,
    /// South.
    pub y: f64,
}

/// A moving disc: its centre is at `p` at simtime `t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Body {
    /// Centre at `t`.
    pub p: Vector,
    /// Velocity, a unit of simtime.
    pub v: Vector,
    /// Radius.
    pub r: f64,
    /// Mass.
    pub m: f64,
    /// Simtime.
    pub t: f64,
}

/// Length of a body in a payload.
pub(super) const BYTES: usize = 56;

impl Vector {
    #[inline]
    pub(super) const fn new(x: f64, y: f64) -> Vector {
        Vector { x, y }
    }

    #[inline]
    pub(super) fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y
    }

    #[inline]
    pub(super) fn cross(self, other: Vector) -> f64 {
        self.x * other.y - self.y * other.x
    }

    #[inline]
    pub(super) fn squared(self) -> f64 {
        self.x * self.x + self.y * self.y
    }

    #[inline]
    pub(super) fn unit(self) -> Vector {
        let length = self.squared().sqrt();
        Vector::new(self.x / length, self.y / length)
    }

    /// Turned by a right angle.
    #[inline]
    pub(super) fn normal(self) -> Vector {
        Vector::new(-self.y, self.x)
    }
}

impl Add for Vector {
    type Output = Vector;

    #[inline]
    fn add(self, other: Vector) -> Vector {
        Vector::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vector {
    type Output = Vector;

    #[inline]
    fn sub(self, other: Vector) -> Vector {
        Vector::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;

    #[inline]
    fn mul(self, factor: f64) -> Vector {
        Vector::new(self.x * factor, self.y * factor)
    }
}

impl Neg for Vector {
    type Output = Vector;

    #[inline]
    fn neg(self) -> Vector {
        Vector::new(-self.x, -self.y)
    }
}

impl Body {
    /// Where its centre is at this simtime.
    #[inline]
    pub fn at(&self, simtime: f64) -> Vector {
        self.p + self.v * (simtime - self.t)
    }

    /// Go on to this simtime.
    #[inline]
    pub(super) fn advance(&mut self, simtime: f64) {
        self.p = self.at(simtime);
        self.t = simtime;
    }

    #[inline]
    fn numbers(&self) -> [f64; 7] {
        [self.p.x, self.p.y, self.v.x, self.v.y, self.r, self.m, self.t]
    }

    #[inline]
    pub(super) fn bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(self.numbers()) {
            *bytes = number.to_be_bytes();
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8; BYTES]) -> Body {
        let mut numbers = [0.0; 7];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
            *number = f64::from_be_bytes(*bytes);
        }
        let [px, py, vx, vy, r, m, t] = numbers;
        Body { p: Vector::new(px, py), v: Vector::new(vx, vy), r, m, t }
    }

    /// Order of the canonical bytes: negative numbers come after positive ones.
    #[inline]
    pub(super) fn order(&self, other: &Body) -> Ordering {
        self.numbers().map(f64::to_bits).cmp(&other.numbers().map(f64::to_bits))
    }
}
