//! The larger payloads.

use super::bytes::{Reader, Writer};
use super::geometry::{Edges, Particle};
use super::payload::pair;
use super::{Name, Posture, Side};
use timewarp::Digest;

/// Weapon systems of a division.
pub(super) const COMBAT: usize = 5;
/// Enemies that a report can name.
const ENEMIES: usize = 15;

/// How a division is.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Which.
    pub division: Name,
    /// x of its front, km.
    pub front: f64,
    /// What it can do.
    pub strength: f64,
    /// What it could do with all that it has a right to.
    pub full: f64,
    /// Where.
    pub place: Particle,
    /// How it stands.
    pub posture: Posture,
    /// Whether it suffered losses lately.
    pub in_battle: bool,
    /// Whom it fights.
    pub enemies: [Name; ENEMIES],
}

impl Report {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        to.name(self.division);
        [self.front, self.strength, self.full].into_iter().for_each(|number| to.double(number));
        to.particle(&self.place);
        to.int(self.posture as i32);
        to.int(i32::from(self.in_battle));
        self.enemies.iter().for_each(|enemy| to.name(*enemy));
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.two(self.front.to_bits(), self.strength.to_bits());
        digest.two(self.full.to_bits(), pair(self.posture as i32, i32::from(self.in_battle)));
        self.place.digest(digest);
        self.enemies.iter().for_each(|enemy| digest.word(enemy.word().into()));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Report> {
        let division = from.name()?;
        let (front, strength, full) = (from.double()?, from.double()?, from.double()?);
        let (place, posture, in_battle) = (from.particle()?, from.posture()?, from.int()? != 0);
        let mut enemies = [Name::NONE; ENEMIES];
        for enemy in &mut enemies {
            *enemy = from.name()?;
        }
        Some(Report { division, front, strength, full, place, posture, in_battle, enemies })
    }
}

/// Where and how strong a division is.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Which.
    pub sender: Name,
    /// x of its front, km.
    pub front: f64,
    /// x of its rear, km.
    pub rear: f64,
    /// Its centre.
    pub place: Particle,
    /// What it can do.
    pub strength: f64,
    /// How it stands.
    pub posture: Posture,
    /// As asked.
    pub sector: i32,
    /// As asked.
    pub enemy: i32,
    /// As asked.
    pub index: i32,
}

/// How far a division fires, km: part of its parameters.
const RANGE: f64 = 15.0;

impl Parameters {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        let side = Side::of(self.sender);
        to.name(self.sender);
        write_edges(to, side, self.front, self.rear, self.place.at[1]);
        to.particle(&Particle::resting(self.place.at));
        to.particle(&self.place);
        to.double(self.strength);
        to.double(RANGE);
        let numbers =
            [self.posture as i32, side as i32, 0, 0, 0, self.sector, self.enemy, self.index];
        numbers.into_iter().for_each(|number| to.int(number));
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.two(self.front.to_bits(), self.rear.to_bits());
        self.place.digest(digest);
        digest.two(self.strength.to_bits(), pair(self.posture as i32, self.sector));
        digest.word(pair(self.enemy, self.index));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Parameters> {
        let sender = from.name()?;
        let (front, rear) = read_edges(from, Side::of(sender))?;
        from.particle()?;
        let (place, strength, _) = (from.particle()?, from.double()?, from.double()?);
        let posture = from.posture()?;
        from.skip(4 * 4)?;
        let (sector, enemy) = (from.int()?, from.int()?);
        Some(Parameters {
            sender,
            front,
            rear,
            place,
            strength,
            posture,
            sector,
            enemy,
            index: from.int()?,
        })
    }
}

/// What a division begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Deployment {
    /// Which.
    pub division: Name,
    /// How it stands.
    pub posture: Posture,
    /// Where it is to go, km.
    pub objective: [f64; 2],
    /// Where it is, km.
    pub place: [f64; 2],
    /// Of which corps.
    pub corps: Name,
    /// How far it sees, km.
    pub radius: i32,
    /// Whether it is in the front line.
    pub up: bool,
}

/// From its northern to its southern edge, km.
const WIDTH: i32 = 32;
const UP: i32 = 2;

impl Deployment {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        to.name(self.division);
        to.int(self.posture as i32);
        to.place(&self.objective);
        to.place(&self.place);
        to.int(Side::of(self.division) as i32);
        to.name(self.corps);
        let role = if self.up { UP } else { 0 };
        [WIDTH, self.radius, role].into_iter().for_each(|number| to.int(number));
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.two(self.objective[0].to_bits(), self.objective[1].to_bits());
        digest.two(self.place[0].to_bits(), self.place[1].to_bits());
        digest.word(pair(self.posture as i32, self.radius));
        digest.two(self.corps.word().into(), self.up.into());
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Deployment> {
        let (division, posture, objective) = (from.name()?, from.posture()?, from.place()?);
        let (place, _, corps) = (from.place()?, from.int()?, from.name()?);
        let (_, radius, role) = (from.int()?, from.int()?, from.int()?);
        Some(Deployment { division, posture, objective, place, corps, radius, up: role == UP })
    }
}

/// What a division fires with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fire {
    /// Which system.
    pub system: u8,
    /// How many work.
    pub operational: f64,
    /// How many there should be.
    pub authorised: f64,
    /// How good it is.
    pub strength: f64,
}

/// A division's fire upon another.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// Who fires.
    pub sender: Name,
    /// With what.
    pub fire: [Fire; COMBAT],
    /// x of its front, km.
    pub front: f64,
    /// x of its rear, km.
    pub rear: f64,
    /// Where it is.
    pub place: Particle,
    /// How it stands.
    pub posture: Posture,
    /// What it has of its full strength.
    pub ratio: f64,
}

impl Losses {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        to.name(self.sender);
        for fire in &self.fire {
            to.int(i32::from(fire.system));
            [fire.operational, fire.authorised, fire.strength]
                .into_iter()
                .for_each(|number| to.double(number));
        }
        to.zeros(COMBAT * 28);
        write_edges(to, Side::of(self.sender), self.front, self.rear, self.place.at[1]);
        to.double(self.front);
        to.double(self.rear);
        to.particle(&self.place);
        to.int(self.posture as i32);
        to.double(self.ratio);
    }

    #[inline]
    pub(super) fn digest(&self, digest: &mut Digest) {
        for fire in &self.fire {
            digest.two(fire.operational.to_bits(), fire.authorised.to_bits());
            digest.two(fire.strength.to_bits(), fire.system.into());
        }
        digest.two(self.front.to_bits(), self.rear.to_bits());
        self.place.digest(digest);
        digest.two(self.ratio.to_bits(), self.posture as u64);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Losses> {
        let sender = from.name()?;
        let mut fire = [Fire::default(); COMBAT];
        for fire in &mut fire {
            let system = u8::try_from(from.int()?).ok()?;
            let (operational, authorised) = (from.double()?, from.double()?);
            *fire = Fire { system, operational, authorised, strength: from.double()? };
        }
        from.skip(COMBAT * 28 + 2 * 32)?;
        let (front, rear, place) = (from.double()?, from.double()?, from.particle()?);
        Some(Losses {
            sender,
            fire,
            front,
            rear,
            place,
            posture: from.posture()?,
            ratio: from.double()?,
        })
    }
}

fn write_edges(to: &mut Writer<'_>, side: Side, front: f64, rear: f64, y: f64) {
    let edges = Edges::around(y);
    to.edge(side, front, rear, edges.north);
    to.edge(side, front, rear, edges.south);
}

/// Front and rear.
fn read_edges(from: &mut Reader<'_>, side: Side) -> Option<(f64, f64)> {
    let (first, _) = (from.double()?, from.double()?);
    let last = from.double()?;
    from.skip(8 + 32)?;
    Some(match side {
        Side::Blue => (last, first),
        Side::Red => (first, last),
    })
}
