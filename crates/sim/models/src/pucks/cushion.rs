//! A piece of the table's edge: it predicts when a puck touches it.

use super::body::Body;
use super::geometry::{Segment, bounce};
use super::name::Name;
use super::payload::PucksPayload;
use super::plans::{Plan, Plans};
use super::puck::{Ground, meeting};
use super::visit::{Done, Outgoing, Visit};
use super::{CANCEL_ACTION, COLLIDE_CUSHION, CUSHION_START, FUDGE, HORIZON, NEW_TRAJECTORY};
use serde::{Deserialize, Serialize};

/// State of a cushion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cushion {
    started: bool,
    /// Collisions predicted. Bookkeeping, like the next.
    predicted: u32,
    /// Collisions called off.
    cancelled: u32,
}

/// Where a cushion lies; it never changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub segment: Segment,
    pub table: Ground,
}

impl Edge {
    /// A cushion owns its lower end but not its upper one, so that a puck in a corner of two hits
    /// one.
    #[inline]
    fn is_beyond_end(&self, body: &Body) -> bool {
        let Segment { e, l, .. } = self.segment;
        match (l.x == 0.0, l.y == 0.0) {
            (true, _) => body.p.y >= e.y + l.y,
            (false, true) => body.p.x >= e.x + l.x,
            (false, false) => false,
        }
    }
}

impl Cushion {
    #[inline]
    pub(super) fn event<'p, O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        messages: impl Iterator<Item = (i32, &'p PucksPayload)>,
        visit: &mut Visit<'_, O>,
    ) -> Done {
        for (selector, payload) in messages {
            match (selector, payload) {
                (0 | CUSHION_START, PucksPayload::Start(_)) => self.started = true,
                (NEW_TRAJECTORY, PucksPayload::Info { puck, body }) => {
                    self.meet(plans, (*puck, body), visit)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A puck has a new course: predict when it hits.
    fn meet<O: Outgoing>(
        &mut self,
        plans: &mut Plans,
        (puck, course): (Name, &Body),
        visit: &mut Visit<'_, O>,
    ) -> Done {
        plans.forget(Some(puck), |plan| self.cancel(plan, visit));
        let edge = match visit.model.edge(visit.object) {
            Some(edge) if self.started => edge,
            _ => return Err("it heard of a puck before it was started"),
        };
        let mut body = *course;
        let Some(at) = bounce(&mut body, &edge.segment) else { return Ok(()) };
        let now = visit.now.simtime();
        let takes_place = edge.table.holds(body.p, body.r) && !edge.is_beyond_end(&body);
        if !(takes_place && at > now * FUDGE) {
            return Ok(());
        }
        let time = meeting(visit.now, at, visit.own.number());
        if at <= now {
            body.t = now;
        }
        if time.simtime() < HORIZON {
            let action = plans.add(puck, time)?;
            let message = PucksPayload::Action { with: visit.own, action, time, body };
            visit.send(puck, time, COLLIDE_CUSHION, message);
            self.predicted += 1;
        }
        Ok(())
    }

    /// Only the puck was told.
    fn cancel<O: Outgoing>(&mut self, plan: Plan, visit: &mut Visit<'_, O>) {
        if plan.time > visit.now && plan.time.simtime() < HORIZON {
            visit.send(plan.partner, plan.time, CANCEL_ACTION, plan.cancel(visit.own));
            self.cancelled += 1;
        }
    }
}
