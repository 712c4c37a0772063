//! What messages carry, typed; their canonical bytes are made only where they are needed.
//!
//! What follows from other fields is not kept: a division's edges from its front, its rear and its
//! place, a share that is always 1, legs of a route that are never used.

use super::body::{Deployment, Losses, Parameters, Report};
use super::bytes::{Reader, Writer};
use super::geometry::Particle;
use super::{Name, Posture};
use std::cmp::Ordering;
use std::sync::Arc;
use timewarp::{Digest, Payload};

/// A message's payload. Large ones are shared between the copies that an engine keeps of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Stb88Payload {
    /// The configuration's: a corps wakes.
    Start,
    /// To a corps from itself: plan.
    Plan,
    /// To a corps from itself: ask what is known of enemies.
    Intelligence,
    /// To a corps from a division: how it is.
    Report(Arc<Report>),
    /// Between units: where and how strong one is.
    Parameters(Arc<Parameters>),
    /// To a division from its corps: begin.
    Deployment(Arc<Deployment>),
    /// To a division from itself: set out.
    StartMove(Move),
    /// To a division from itself: the end of a leg.
    ContinueMove(Move),
    /// To a division: the cell that it is in.
    Cell(Name),
    /// To a division from itself: the battle begins.
    Engage {
        /// With whom.
        enemy: Name,
        /// Which estimate of its time this is.
        sighting: i32,
    },
    /// To a division from itself: fire.
    Assess {
        /// At whom.
        enemy: Name,
        /// Whether it follows losses, or begins the battle.
        suffered: bool,
        /// Of the battle, so that old ones are ignored.
        key: i32,
    },
    /// To a division from its enemy: losses.
    Losses(Arc<Losses>),
    /// To a division from its cell: somebody is near.
    Perceive {
        /// Who.
        unit: Name,
        /// Where.
        place: Particle,
        /// When, ticks.
        time: i32,
    },
    /// To a division from its corps: go there.
    Order {
        /// To stand like this.
        posture: Posture,
        /// At this x, km.
        line: f64,
    },
    /// To a division from itself: is there anything to do?
    Situation,
    /// To a unit: send me your parameters.
    Ask {
        /// Who asks.
        requester: Name,
        /// Given back.
        sector: i32,
        /// Given back.
        enemy: i32,
        /// Given back.
        index: i32,
    },
    /// To a distributor, and from there to a cell: a unit comes in.
    Enter(Sighted),
    /// To a cell from itself: look.
    Evaluate,
    /// To a cell: a unit moves otherwise than before.
    Velocity(Sighted),
}

/// A movement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// Which movement, so that old ones are ignored.
    pub key: i32,
    /// Where it ends, and how fast it goes.
    pub target: Particle,
    /// How: 0 all at once, 1 the rear follows, 2 not at all.
    pub mode: i32,
}

/// A unit as cells know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sighted {
    /// Who.
    pub unit: Name,
    /// Where.
    pub place: Particle,
    /// How far it sees, km.
    pub radius: i32,
}

/// The configuration's text, and its first bytes as a code.
const START: &[u8] = b"go!\0";
const START_CODE: u32 = u32::from_be_bytes(*b"go!\0");
/// All of a battle: the original can share fire out.
const SHARE: f64 = 1.0;

impl Stb88Payload {
    /// What its first four bytes are. The original's numbers.
    pub fn code(&self) -> u32 {
        match self {
            Stb88Payload::Start => START_CODE,
            Stb88Payload::Plan => 21,
            Stb88Payload::Intelligence => 31,
            Stb88Payload::Report(_) => 41,
            Stb88Payload::Deployment(_) => 61,
            Stb88Payload::StartMove(_) => 71,
            Stb88Payload::ContinueMove(_) => 72,
            Stb88Payload::Cell(_) => 74,
            Stb88Payload::Engage { .. } => 81,
            Stb88Payload::Assess { .. } => 82,
            Stb88Payload::Losses(_) => 83,
            Stb88Payload::Perceive { .. } => 91,
            Stb88Payload::Order { .. } => 111,
            Stb88Payload::Situation => 121,
            Stb88Payload::Ask { .. } => 131,
            Stb88Payload::Parameters(_) => 132,
            Stb88Payload::Enter(_) => 160,
            Stb88Payload::Evaluate => 180,
            Stb88Payload::Velocity(_) => 190,
        }
    }

    /// The name behind the code, where there is one.
    #[inline]
    fn name(&self) -> Option<Name> {
        match self {
            Stb88Payload::Report(report) => Some(report.division),
            Stb88Payload::Parameters(parameters) => Some(parameters.sender),
            Stb88Payload::Deployment(deployment) => Some(deployment.division),
            Stb88Payload::Losses(losses) => Some(losses.sender),
            Stb88Payload::Cell(name)
            | Stb88Payload::Engage { enemy: name, .. }
            | Stb88Payload::Assess { enemy: name, .. }
            | Stb88Payload::Perceive { unit: name, .. }
            | Stb88Payload::Ask { requester: name, .. } => Some(*name),
            Stb88Payload::Enter(sighted) | Stb88Payload::Velocity(sighted) => Some(sighted.unit),
            _ => None,
        }
    }

    fn write(&self, to: &mut Writer<'_>) {
        to.word(self.code());
        match self {
            Stb88Payload::Report(report) => report.write(to),
            Stb88Payload::Parameters(parameters) => parameters.write(to),
            Stb88Payload::Deployment(deployment) => deployment.write(to),
            Stb88Payload::Losses(losses) => losses.write(to),
            Stb88Payload::StartMove(movement) => movement.write(to, 1),
            Stb88Payload::ContinueMove(movement) => movement.write(to, 0),
            Stb88Payload::Cell(cell) => to.name(*cell),
            Stb88Payload::Engage { enemy, sighting } => {
                to.name(*enemy);
                to.int(*sighting);
            }
            Stb88Payload::Assess { enemy, suffered, key } => {
                to.name(*enemy);
                to.double(SHARE);
                to.int(i32::from(*suffered));
                to.int(*key);
            }
            Stb88Payload::Perceive { unit, place, time } => {
                to.name(*unit);
                to.particle(place);
                to.int(*time);
            }
            Stb88Payload::Order { posture, line } => {
                to.int(*posture as i32);
                to.double(*line);
                to.zeros(4 * 32);
            }
            Stb88Payload::Ask { requester, sector, enemy, index } => {
                to.name(*requester);
                [sector, enemy, index].into_iter().for_each(|number| to.int(*number));
            }
            Stb88Payload::Enter(sighted) => sighted.write(to, 20),
            Stb88Payload::Velocity(sighted) => sighted.write(to, 0),
            _ => {}
        }
    }

    /// The same backwards; fields that are not kept are only stepped over.
    fn read(from: &mut Reader<'_>) -> Option<Stb88Payload> {
        Some(match from.word()? {
            START_CODE => Stb88Payload::Start,
            21 => Stb88Payload::Plan,
            31 => Stb88Payload::Intelligence,
            41 => Stb88Payload::Report(Arc::new(Report::read(from)?)),
            61 => Stb88Payload::Deployment(Arc::new(Deployment::read(from)?)),
            71 => Stb88Payload::StartMove(Move::read(from)?),
            72 => Stb88Payload::ContinueMove(Move::read(from)?),
            74 => Stb88Payload::Cell(from.name()?),
            81 => Stb88Payload::Engage { enemy: from.name()?, sighting: from.int()? },
            82 => {
                let (enemy, _) = (from.name()?, from.double()?);
                Stb88Payload::Assess { enemy, suffered: from.int()? != 0, key: from.int()? }
            }
            83 => Stb88Payload::Losses(Arc::new(Losses::read(from)?)),
            91 => {
                let (unit, place) = (from.name()?, from.particle()?);
                Stb88Payload::Perceive { unit, place, time: from.int()? }
            }
            111 => Stb88Payload::Order { posture: from.posture()?, line: from.double()? },
            121 => Stb88Payload::Situation,
            131 => {
                let (requester, sector, enemy) = (from.name()?, from.int()?, from.int()?);
                Stb88Payload::Ask { requester, sector, enemy, index: from.int()? }
            }
            132 => Stb88Payload::Parameters(Arc::new(Parameters::read(from)?)),
            160 => Stb88Payload::Enter(Sighted::read(from, 20)?),
            180 => Stb88Payload::Evaluate,
            190 => Stb88Payload::Velocity(Sighted::read(from, 0)?),
            _ => return None,
        })
    }
}

impl Move {
    fn write(&self, to: &mut Writer<'_>, legs: i32) {
        to.int(self.key);
        to.particle(&self.target);
        to.zeros(3 * 32);
        to.int(legs);
        to.int(self.mode);
    }

    fn read(from: &mut Reader<'_>) -> Option<Move> {
        let (key, target) = (from.int()?, from.particle()?);
        from.skip(3 * 32 + 4)?;
        Some(Move { key, target, mode: from.int()? })
    }
}

impl Sighted {
    /// `gap`: bytes of a name that is always empty.
    fn write(&self, to: &mut Writer<'_>, gap: usize) {
        to.name(self.unit);
        to.particle(&self.place);
        to.zeros(gap);
        to.int(self.radius);
    }

    fn read(from: &mut Reader<'_>, gap: usize) -> Option<Sighted> {
        let (unit, place) = (from.name()?, from.particle()?);
        from.skip(gap)?;
        Some(Sighted { unit, place, radius: from.int()? })
    }
}

impl Payload for Stb88Payload {
    fn encode(&self, bytes: &mut Vec<u8>) {
        match self {
            Stb88Payload::Start => bytes.extend(START),
            _ => self.write(&mut Writer { bytes }),
        }
    }

    fn decode(bytes: &[u8]) -> Option<Stb88Payload> {
        let payload = Stb88Payload::read(&mut Reader { bytes })?;
        // Fields that are not kept must be what they follow to be.
        let mut again = Vec::with_capacity(bytes.len());
        payload.encode(&mut again);
        (again == bytes).then_some(payload)
    }

    #[inline]
    fn order(&self, other: &Stb88Payload) -> Ordering {
        let heads = |payload: &Stb88Payload| (payload.code(), payload.name());
        heads(self).cmp(&heads(other)).then_with(|| self.order_behind_the_name(other))
    }

    #[inline]
    fn bytes(&self) -> usize {
        match self.code() {
            41 => 388,
            61 => 96,
            71 | 72 | 111 => 144,
            74 => 24,
            81 => 28,
            82 => 40,
            83 => 428,
            91 | 190 => 60,
            131 => 36,
            132 => 200,
            160 => 80,
            _ => 4,
        }
    }

    /// The bytes are many and mostly follow from few fields.
    #[inline]
    fn digest(&self, digest: &mut Digest, _: &mut Vec<u8>) {
        let name = self.name().map_or(0, Name::word);
        let head = u64::from(self.code()) << 32 | u64::from(name);
        match self {
            Stb88Payload::Report(report) => report.digest(digest),
            Stb88Payload::Parameters(parameters) => parameters.digest(digest),
            Stb88Payload::Deployment(deployment) => deployment.digest(digest),
            Stb88Payload::Losses(losses) => losses.digest(digest),
            Stb88Payload::StartMove(movement) | Stb88Payload::ContinueMove(movement) => {
                movement.target.digest(digest);
                digest.word(pair(movement.key, movement.mode));
            }
            Stb88Payload::Engage { sighting, .. } => digest.word(pair(*sighting, 0)),
            Stb88Payload::Assess { suffered, key, .. } => {
                digest.word(pair(*key, i32::from(*suffered)))
            }
            Stb88Payload::Perceive { place, time, .. } => {
                place.digest(digest);
                digest.word(pair(*time, 0));
            }
            Stb88Payload::Order { posture, line } => digest.two(line.to_bits(), *posture as u64),
            Stb88Payload::Ask { sector, enemy, index, .. } => {
                digest.two(pair(*sector, *enemy), pair(*index, 0));
            }
            Stb88Payload::Enter(sighted) | Stb88Payload::Velocity(sighted) => {
                sighted.place.digest(digest);
                digest.word(pair(sighted.radius, 0));
            }
            _ => {}
        }
        digest.word(head);
    }

    #[inline]
    fn heap_bytes(&self) -> usize {
        /// The counts of an `Arc`.
        const COUNTS: usize = 2 * size_of::<usize>();
        match self {
            Stb88Payload::Report(_) => COUNTS + size_of::<Report>(),
            Stb88Payload::Parameters(_) => COUNTS + size_of::<Parameters>(),
            Stb88Payload::Deployment(_) => COUNTS + size_of::<Deployment>(),
            Stb88Payload::Losses(_) => COUNTS + size_of::<Losses>(),
            _ => 0,
        }
    }
}

/// Two numbers in one word.
#[inline]
pub(super) fn pair(a: i32, b: i32) -> u64 {
    u64::from(a as u32) << 32 | u64::from(b as u32)
}

impl Stb88Payload {
    /// Hardly ever needed: code and name decide nearly always.
    #[cold]
    fn order_behind_the_name(&self, other: &Stb88Payload) -> Ordering {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        self.encode(&mut ours);
        other.encode(&mut theirs);
        ours.cmp(&theirs)
    }
}

#[cfg(test)]
mod tests;
