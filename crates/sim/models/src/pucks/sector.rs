//! A rectangle of the table: it knows the pucks in it, tells them of each other, and predicts who
//! comes and who leaves.

use super::body::{Body, Vector};
use super::geometry::{Segment, Side, leave, touch_point, touch_segment};
use super::name::{Kind, Name};
use super::payload::PucksPayload;
use super::plans::Plans;
use super::visit::{Done, Marked, Outgoing, Visit};
use super::{
    CHANGE_VELOCITY, DEPART_SECTOR, ENTER_SECTOR, FUDGE, HORIZON, INITIAL_VELOCITY, NEW_TRAJECTORY,
    SECTOR_START, SLACK,
};
use serde::{Deserialize, Serialize};
use timewarp::VirtualTime;

/// Pucks that a sector may hold.
const PUCKS_MAX: usize = 100;

/// State of a sector.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sector {
    started: bool,
    pucks: Vec<Place>,
    tally: SectorTally,
}

/// Where a sector keeps a puck. A puck that has left is known until another takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Place {
    puck: Name,
    is_used: bool,
}

/// What a sector was told. Bookkeeping: nothing depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectorTally {
    /// Pucks that came.
    pub entered: u32,
    /// Pucks that left.
    pub departed: u32,
    /// Arrivals called off.
    pub entries_cancelled: u32,
    /// Departures called off.
    pub departures_cancelled: u32,
    /// New courses of pucks in it.
    pub changes: u32,
    /// New courses of pucks near it.
    pub courses: u32,
}

/// Where a sector lies; it never changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rectangle {
    /// In the order west, east, north, south.
    pub boundaries: Vec<Boundary>,
    pub cushions: Vec<Name>,
    /// East and south ends of the table.
    pub table: Vector,
}

/// Where two sectors meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Boundary {
    pub neighbour: Name,
    pub side: Side,
    pub segment: Segment,
    pub corner: Vector,
}

/// The earliest of some predictions, and the last one looked at.
#[derive(Clone, Copy)]
struct Found {
    best: Option<(f64, Body)>,
    last: Body,
}

impl Rectangle {
    #[inline]
    fn is_on_table(&self, body: &Body) -> bool {
        let Body { p, r, .. } = *body;
        let outside = p.x < r - SLACK
            || p.x > (self.table.x - r) + SLACK
            || p.y < r - SLACK
            || p.y > (self.table.y - r) + SLACK;
        !outside
    }

    fn departure(&self, course: &Body) -> Found {
        let mut found = Found { best: None, last: *course };
        for boundary in &self.boundaries {
            found.last = *course;
            if let Some(at) = leave(&mut found.last, &boundary.segment, boundary.side)
                && self.is_on_table(&found.last)
            {
                found.consider(at);
            }
        }
        found
    }

    fn entry(&self, course: &Body, now: f64) -> Found {
        let mut found = Found { best: None, last: *course };
        for boundary in &self.boundaries {
            found.last = *course;
            if let Some(at) = touch_segment(&mut found.last, &boundary.segment)
                && self.is_on_table(&found.last)
                && at > now
            {
                found.consider(at);
            }
            found.last = *course;
            if let Some(at) = touch_point(&mut found.last, boundary.corner)
                && self.is_on_table(&found.last)
                && at > now * FUDGE
            {
                found.consider(at);
            }
        }
        found
    }
}

impl Found {
    #[inline]
    fn consider(&mut self, at: f64) {
        if self.best.is_none_or(|(best, _)| at < best) {
            self.best = Some((at, self.last));
        }
    }

    /// When, and the body then. What lies in the past by a rounding happens next, with the last
    /// body that was looked at.
    #[inline]
    fn meeting<O: Outgoing>(self, visit: &Visit<'_, O>) -> Option<(VirtualTime, Body)> {
        let (at, body) = self.best?;
        match at > visit.now.simtime() {
            true => Some((VirtualTime::at(at), body)),
            false => Some((visit.next(), self.last)),
        }
    }
}

impl Sector {
    /// Pucks that it holds, one that it holds twice twice.
    pub fn pucks(&self) -> impl Iterator<Item = Name> {
        self.pucks.iter().filter(|place| place.is_used).map(|place| place.puck)
    }

    /// What it was told.
    pub fn tally(&self) -> SectorTally {
        self.tally
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.pucks)
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
            match (marked.has(at), selector, payload) {
                (true, ..) => self.tally.count_cancelled(selector),
                (false, 0 | SECTOR_START, PucksPayload::Start(_)) => self.started = true,
                (false, _, PucksPayload::Info { puck, body }) => {
                    self.hear(plans, selector, (*puck, body), visit)?;
                }
                (false, _, PucksPayload::Action { with, body, .. }) => {
                    self.act(plans, selector, (*with, body), visit)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn hear<O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        selector: i32,
        (puck, body): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        match selector {
            INITIAL_VELOCITY => {
                self.list(puck)?;
                self.inform((puck, body), visit)?;
                self.predict_departure(plans, (puck, body), visit)
            }
            CHANGE_VELOCITY => {
                self.tally.changes += 1;
                plans.forget(Some(puck), |plan| visit.cancel_both(plan));
                if !self.knows(puck) {
                    return Ok(());
                }
                self.inform((puck, body), visit)?;
                self.predict_departure(plans, (puck, body), visit)
            }
            NEW_TRAJECTORY => {
                self.tally.courses += 1;
                if self.pucks().any(|listed| listed == puck) {
                    return Ok(());
                }
                plans.forget(Some(puck), |plan| visit.cancel_both(plan));
                self.predict_entry(plans, (puck, body), visit)
            }
            _ => Ok(()),
        }
    }

    fn act<O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        selector: i32,
        (puck, body): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        match selector {
            ENTER_SECTOR => {
                self.tally.entered += 1;
                self.list(puck)?;
                self.inform((puck, body), visit)?;
                plans.forget(Some(puck), |plan| visit.cancel_both(plan));
                self.predict_departure(plans, (puck, body), visit)?;
            }
            DEPART_SECTOR => {
                self.tally.departed += 1;
                self.unlist(puck);
                plans.forget(Some(puck), |plan| visit.cancel_both(plan));
            }
            _ => {}
        }
        Ok(())
    }

    /// Tell neighbours, the other pucks here and cushions of a puck's course.
    fn inform<O: Outgoing>(&self, (puck, body): (Name, &Body), visit: &mut Visit<'_, O>) -> Done {
        if visit.now.simtime() > HORIZON {
            return Ok(());
        }
        let rectangle = self.rectangle(visit)?;
        let others = self.pucks().filter(|other| *other != puck);
        let neighbours = rectangle.boundaries.iter().map(|boundary| boundary.neighbour);
        for to in neighbours.chain(others).chain(rectangle.cushions.iter().copied()) {
            visit.send(to, visit.next(), NEW_TRAJECTORY, PucksPayload::Info { puck, body: *body });
        }
        Ok(())
    }

    fn predict_departure<O: Outgoing>(
        &self,
        plans: &mut Plans,
        (puck, body): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        let found = self.rectangle(visit)?.departure(body);
        predict(plans, DEPART_SECTOR, puck, found, visit)
    }

    fn predict_entry<O: Outgoing>(
        &self,
        plans: &mut Plans,
        (puck, body): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        let found = self.rectangle(visit)?.entry(body, visit.now.simtime());
        predict(plans, ENTER_SECTOR, puck, found, visit)
    }

    #[inline]
    fn rectangle<'m, O>(&self, visit: &Visit<'m, O>) -> Result<&'m Rectangle, &'static str> {
        let rectangle = visit.model.rectangle(visit.object).filter(|_| self.started);
        rectangle.ok_or("it heard of a puck before it was started")
    }

    fn knows(&self, puck: Name) -> bool {
        self.pucks.iter().any(|place| place.puck == puck)
    }

    /// Without looking whether it is here already.
    fn list(&mut self, puck: Name) -> Done {
        if puck.kind() != Kind::Puck {
            return Err("what it should hold is no puck");
        }
        let place = Place { puck, is_used: true };
        match self.pucks.iter().position(|place| !place.is_used) {
            Some(free) => self.pucks[free] = place,
            None if self.pucks.len() < PUCKS_MAX => self.pucks.push(place),
            None => return Err("it holds more than 100 pucks"),
        }
        Ok(())
    }

    fn unlist(&mut self, puck: Name) {
        self.pucks
            .iter_mut()
            .filter(|place| place.puck == puck)
            .for_each(|place| place.is_used = false);
    }
}

/// Tell the puck and oneself.
fn predict<O: Outgoing>(
    plans: &mut Plans,
    selector: i32,
    puck: Name,
    found: Found,
    visit: &mut Visit<'_, O>,
) -> Done {
    let Some((time, body)) = found.meeting(visit) else { return Ok(()) };
    if time.simtime() < HORIZON {
        let action = plans.add(puck, time)?;
        let message = |with| PucksPayload::Action { with, action, time, body };
        visit.send(puck, time, selector, message(visit.own));
        visit.send(visit.own, time, selector, message(puck));
    }
    Ok(())
}

impl SectorTally {
    fn count_cancelled(&mut self, selector: i32) {
        match selector {
            ENTER_SECTOR => self.entries_cancelled += 1,
            DEPART_SECTOR => self.departures_cancelled += 1,
            _ => {}
        }
    }
}

impl Clone for Sector {
    fn clone(&self) -> Sector {
        Sector { pucks: self.pucks.clone(), ..*self }
    }

    /// Reuses memory.
    #[inline]
    fn clone_from(&mut self, source: &Sector) {
        let mut pucks = std::mem::take(&mut self.pucks);
        pucks.clone_from(&source.pucks);
        *self = Sector { pucks, ..*source };
    }
}
