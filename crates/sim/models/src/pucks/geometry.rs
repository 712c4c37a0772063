//! When moving discs meet lines, points and each other, and how they go on.
//!
//! Each of these returns the simtime of the meeting, wherever on the disc's path it lies, also in
//! the past; callers decide what they take. Comparisons with a NaN are false, which on senseless
//! speculative input is as good as any other answer.

use super::body::{Body, Vector};

/// A straight piece of line with its unit normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    /// Where it begins.
    pub e: Vector,
    /// From there to its end.
    pub l: Vector,
    pub n: Vector,
}

/// On which side of a boundary its sector lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Along,
    Against,
}

/// Two discs of which one has no mass cannot bounce.
pub(super) struct Massless;

impl Segment {
    #[inline]
    pub fn new(e: Vector, l: Vector) -> Segment {
        Segment { e, l, n: l.normal().unit() }
    }

    pub fn between(begin: Vector, end: Vector) -> Segment {
        Segment::new(begin, end - begin)
    }
}

/// Does the path of the centre cross this line?
#[inline]
fn centre(body: &Body, e: Vector, l: Vector) -> Option<f64> {
    let turned = l.cross(body.v);
    if turned == 0.0 {
        return None;
    }
    let k = e - body.p;
    let along = body.v.cross(k) / turned;
    (0.0..=1.0).contains(&along).then(|| body.t + l.cross(k) / turned)
}

/// Does the foremost point of the disc reach this segment?
#[inline]
fn edge(body: &Body, segment: &Segment) -> Option<f64> {
    let k = segment.e - body.p;
    let (gap, speed) = (k.dot(segment.n), body.v.dot(segment.n));
    if speed * gap <= 0.0 {
        return None;
    }
    let offset = if gap < 0.0 { segment.n * body.r } else { segment.n * -body.r };
    centre(body, segment.e + offset, segment.l)
}

/// Does the rim reach this point?
#[inline]
fn point(body: &Body, q: Vector) -> Option<f64> {
    let k = q - body.p;
    let a = body.v.squared();
    let b = -2.0 * k.dot(body.v);
    let w = k.squared() - body.r * body.r;
    let discriminant = b * b - 4.0 * a * w;
    if discriminant <= 0.0 {
        return None;
    }
    let z = discriminant.sqrt();
    let (first, second) = ((-b - z) / (2.0 * a), (-b + z) / (2.0 * a));
    Some(body.t + if second < first { second } else { first })
}

/// Move the disc to where its front touches the segment.
#[inline]
pub(super) fn touch_segment(body: &mut Body, segment: &Segment) -> Option<f64> {
    let at = edge(body, segment)?;
    body.advance(at);
    Some(at)
}

/// Move the disc to where its rim touches the point.
#[inline]
pub(super) fn touch_point(body: &mut Body, q: Vector) -> Option<f64> {
    let at = point(body, q)?;
    body.advance(at);
    Some(at)
}

/// Move the disc to where its back has left a sector across this boundary.
#[inline]
pub(super) fn leave(body: &mut Body, segment: &Segment, side: Side) -> Option<f64> {
    let across = match side {
        Side::Along => segment.n * (body.r * 2.0),
        Side::Against => segment.n * -(body.r * 2.0),
    };
    let reach = segment.l.unit() * body.r;
    // Longer by a radius at both ends: a disc may leave over a corner.
    let gate = Segment::new(segment.e + across + -reach, segment.l + (reach + reach));
    if body.v.dot(gate.n) * (gate.e - body.p).dot(gate.n) <= 0.0 {
        return None;
    }
    touch_segment(body, &gate)
}

/// Move the disc to where it touches the segment, and turn its velocity round.
#[inline]
pub(super) fn bounce(body: &mut Body, segment: &Segment) -> Option<f64> {
    let at = edge(body, segment)?;
    let Segment { l, n, .. } = *segment;
    let (f, u, x) = (body.v.dot(l), body.v.dot(n), l.cross(n));
    let v = Vector::new((f * n.y + u * l.y) / x, (f * n.x + u * l.x) / -x);
    body.advance(at);
    body.v = v;
    Some(at)
}

/// Move two discs to where they touch, and exchange what they do along the line between their
/// centres.
#[inline]
pub(super) fn pair(one: &mut Body, two: &mut Body) -> Result<Option<f64>, Massless> {
    let mut relative = *one;
    relative.advance(two.t);
    relative.v = one.v - two.v;
    relative.r = one.r + two.r;
    let Some(at) = point(&relative, two.p) else { return Ok(None) };
    let mass = one.m + two.m;
    if one.m == 0.0 || two.m == 0.0 || mass == 0.0 {
        return Err(Massless);
    }
    let momentum = one.v * one.m + two.v * two.m;
    let (kept, taken) = ((one.m - two.m) / mass, (2.0 * two.m) / mass);
    one.advance(at);
    two.advance(at);
    let c = (two.p - one.p).unit();
    let p = c.normal();
    let (along_one, along_two, beside) = (one.v.dot(c), two.v.dot(c), one.v.dot(p));
    one.v = c * (kept * along_one + taken * along_two) + p * beside;
    two.v = (momentum - one.v * one.m) * (1.0 / two.m);
    Ok(Some(at))
}
