//! A disc: where it is, which sectors know it, and what it does when it meets another one.

use super::body::{Body, Vector};
use super::geometry::pair;
use super::name::{Kind, Name};
use super::payload::PucksPayload;
use super::plans::Plans;
use super::start::PuckStart;
use super::visit::{Done, Marked, Outgoing, Visit};
use super::{
    CHANGE_VELOCITY, COLLIDE_CUSHION, COLLIDE_PUCK, DEPART_SECTOR, ENTER_SECTOR, FUDGE, HORIZON,
    INITIAL_VELOCITY, NEW_TRAJECTORY, PUCK_START, SLACK,
};
use serde::{Deserialize, Serialize};
use timewarp::VirtualTime;

/// Sectors that a puck may be in.
const SECTORS_MAX: usize = 16;

/// State of a puck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Puck {
    pub(super) body: Body,
    pub(super) sectors: [Option<Name>; SECTORS_MAX],
    pub(super) ground: Ground,
    pub(super) tally: PuckTally,
}

/// The table and its sectors' size, as a puck was told at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ground {
    pub min: Vector,
    pub max: Vector,
    pub width: f64,
    pub height: f64,
}

/// Predictions that a puck was told of, by selector from COLLIDE_PUCK to DEPART_SECTOR.
/// Bookkeeping: nothing depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PuckTally {
    /// That came true, those rejected included.
    pub acted: [u32; 4],
    /// That were called off.
    pub cancelled: [u32; 4],
    /// Collisions with pucks that were rejected.
    pub rejected: u32,
}

impl Ground {
    /// Whether a disc of this radius may have its centre there.
    #[inline]
    pub fn holds(&self, q: Vector, r: f64) -> bool {
        let outside = q.x < (self.min.x + r) - SLACK
            || q.x > (self.max.x - r) + SLACK
            || q.y < (self.min.y + r) - SLACK
            || q.y > (self.max.y - r) + SLACK;
        !outside
    }
}

impl Puck {
    /// Where it was last heard of, and on what course.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// Sectors that it is in.
    pub fn sectors(&self) -> impl Iterator<Item = Name> {
        self.sectors.into_iter().flatten()
    }

    /// What it was told.
    pub fn tally(&self) -> PuckTally {
        self.tally
    }

    /// Whether it may have its centre there.
    pub(super) fn holds(&self, q: Vector) -> bool {
        self.ground.holds(q, self.body.r)
    }

    #[inline]
    pub(super) fn event<'p, O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        messages: impl Iterator<Item = (i32, &'p PucksPayload)> + Clone,
        visit: &mut Visit<'_, O>,
    ) -> Done {
        let marked = Marked::in_bundle(messages.clone())?;
        for (at, (selector, payload)) in messages.enumerate() {
            match marked.has(at) {
                true => PuckTally::count(&mut self.tally.cancelled, selector),
                false => self.act(plans, selector, payload, visit)?,
            }
        }
        Ok(())
    }

    #[inline]
    fn act<O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        selector: i32,
        payload: &PucksPayload,
        visit: &mut Visit<'_, O>,
    ) -> Done {
        match (selector, payload) {
            (0 | PUCK_START, PucksPayload::Start(text)) => self.start(text, visit),
            (NEW_TRAJECTORY, PucksPayload::Info { puck, body }) => {
                self.meet(plans, (*puck, body), visit)
            }
            (COLLIDE_PUCK..=DEPART_SECTOR, PucksPayload::Action { with, body, .. }) => {
                PuckTally::count(&mut self.tally.acted, selector);
                let on_table = self.ground.holds(body.p, self.body.r);
                if selector == COLLIDE_PUCK && !(on_table && self.is_in_sectors(body)) {
                    self.tally.rejected += 1;
                    return Ok(());
                }
                if !on_table {
                    return Err("its new position is not on the table");
                }
                self.body = *body;
                match selector {
                    ENTER_SECTOR => self.list(*with)?,
                    DEPART_SECTOR => self.unlist(*with),
                    _ => self.turn(plans, visit),
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn start<O: Outgoing>(&mut self, text: &str, visit: &mut Visit<'_, O>) -> Done {
        let start = PuckStart::parse(text).map_err(|_| "its start message makes no sense")?;
        (self.body, self.ground) = (start.body, start.ground);
        self.body.t = visit.now.simtime();
        if !self.holds(self.body.p) {
            return Err("it does not start on the table");
        }
        self.list(start.sector)?;
        let info = PucksPayload::Info { puck: visit.own, body: self.body };
        visit.send(start.sector, visit.next(), INITIAL_VELOCITY, info);
        Ok(())
    }

    /// Another puck has a new course: predict the meeting.
    fn meet<O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        (other, course): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        if other.kind() != Kind::Puck {
            return Err("it heard of a course that is no puck's");
        }
        let here = self.body.at(course.t);
        if !self.ground.holds(here, self.body.r) {
            return Ok(());
        }
        (self.body.p, self.body.t) = (here, course.t);
        plans.forget(Some(other), |plan| visit.cancel_both(plan));
        let (mut me, mut it) = (self.body, *course);
        let hit =
            pair(&mut me, &mut it).map_err(|_| "it met a puck, and one of them has no mass")?;
        let Some(at) = hit else { return Ok(()) };
        let simtime = visit.now.simtime();
        let takes_place = self.is_in_sectors(&me) && self.ground.holds(me.p, self.body.r);
        if !(takes_place && at > simtime * FUDGE) {
            return Ok(());
        }
        let number = 100_000 * visit.own.number() + 10 * other.number() + 10_000;
        let time = meeting(visit.now, at, number);
        (me.t, it.t) = (time.simtime(), time.simtime());
        if time.simtime() < HORIZON {
            let action = plans.add(other, time)?;
            let message = |with, body| PucksPayload::Action { with, action, time, body };
            visit.send(visit.own, time, COLLIDE_PUCK, message(other, me));
            visit.send(other, time, COLLIDE_PUCK, message(visit.own, it));
        }
        Ok(())
    }

    /// It has a new course: tell its sectors, and call off what it had predicted.
    fn turn<O: Outgoing>(&mut self, plans: &mut Plans, visit: &mut Visit<'_, O>) {
        for sector in self.sectors() {
            let info = PucksPayload::Info { puck: visit.own, body: self.body };
            visit.send(sector, visit.next(), CHANGE_VELOCITY, info);
        }
        plans.forget(None, |plan| visit.cancel_both(plan));
    }

    /// Whether this disc overlaps one of the sectors that know the puck.
    #[inline]
    fn is_in_sectors(&self, body: &Body) -> bool {
        self.sectors().any(|sector| overlaps(sector, body, (self.ground.width, self.ground.height)))
    }

    fn list(&mut self, sector: Name) -> Done {
        if self.sectors.contains(&Some(sector)) {
            return Ok(());
        }
        let free = self.sectors.iter_mut().find(|slot| slot.is_none());
        *free.ok_or("it is in more than 16 sectors")? = Some(sector);
        Ok(())
    }

    fn unlist(&mut self, sector: Name) {
        if let Some(slot) = self.sectors.iter_mut().find(|slot| **slot == Some(sector)) {
            *slot = None;
        }
    }
}

/// Whether a disc overlaps a sector, when sectors are so wide and so high.
#[inline]
pub(super) fn overlaps(sector: Name, body: &Body, (w, h): (f64, f64)) -> bool {
    let (i, j) = (f64::from(sector.row()), f64::from(sector.column()));
    body.p.x + body.r > j * w
        && body.p.x - body.r < (j + 1.0) * w
        && body.p.y + body.r > i * h
        && body.p.y - body.r < (i + 1.0) * h
}

/// When two touch: what lies in the past by a rounding happens next.
#[inline]
pub(super) fn meeting(now: VirtualTime, at: f64, number: u32) -> VirtualTime {
    match at > now.simtime() {
        true => VirtualTime::new(at, 0, number),
        false => VirtualTime::new(now.simtime(), now.seq1() + 1, number),
    }
}

impl PuckTally {
    #[inline]
    fn count(counts: &mut [u32; 4], selector: i32) {
        if (COLLIDE_PUCK..=DEPART_SECTOR).contains(&selector) {
            counts[(selector - COLLIDE_PUCK) as usize] += 1;
        }
    }
}

const _: () = assert!(COLLIDE_CUSHION == COLLIDE_PUCK + 1 && DEPART_SECTOR == COLLIDE_PUCK + 3);
