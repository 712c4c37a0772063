//! An object while it handles a bundle: the time, and a way to send.

use super::model::Pucks;
use super::name::Name;
use super::payload::PucksPayload;
use super::{BUNDLE_MAX, CANCEL_ACTION, COLLIDE_PUCK, DEPART_SECTOR};
use timewarp::VirtualTime;

/// What an action comes to: `Err` says why it must not come true.
pub(super) type Done = Result<(), &'static str>;

/// Where a handler's messages go: an engine's context, or a plain loop's queue.
pub(crate) trait Outgoing {
    /// Send, to be handled at this time.
    fn post(&mut self, receiver: u32, receive: VirtualTime, selector: i32, payload: PucksPayload);

    /// This event must not come true.
    fn refuse(&mut self, reason: &str);
}

/// An object while it handles a bundle.
pub(super) struct Visit<'a, O> {
    pub model: &'a Pucks,
    pub object: u32,
    pub own: Name,
    pub now: VirtualTime,
    pub out: &'a mut O,
}

impl<O: Outgoing> Visit<'_, O> {
    #[inline]
    pub fn send(&mut self, to: Name, receive: VirtualTime, selector: i32, payload: PucksPayload) {
        self.out.post(self.model.object(to), receive, selector, payload);
    }

    /// The next moment at this simtime.
    #[inline]
    pub fn next(&self) -> VirtualTime {
        self.now.after_seq2(1)
    }

    /// Call a prediction off, for both who were told.
    #[inline]
    pub fn cancel_both(&mut self, plan: super::plans::Plan) {
        if plan.stands(self.now) {
            self.send(self.own, plan.time, CANCEL_ACTION, plan.cancel(plan.partner));
            self.send(plan.partner, plan.time, CANCEL_ACTION, plan.cancel(self.own));
        }
    }
}

/// Which messages of a bundle are not to be acted on: cancels, and what they cancel.
#[derive(Clone, Copy, Default)]
pub(super) struct Marked([u64; BUNDLE_MAX.div_ceil(64)]);

impl Marked {
    /// Each cancel takes the first prediction of the bundle that it fits and that no other one
    /// took.
    #[inline]
    pub fn in_bundle<'p>(
        messages: impl Iterator<Item = (i32, &'p PucksPayload)> + Clone,
    ) -> Result<Marked, &'static str> {
        let mut marked = Marked::default();
        for (at, (selector, payload)) in messages.clone().enumerate() {
            if at >= BUNDLE_MAX {
                return Err("it has more than 300 messages at once");
            }
            if let (CANCEL_ACTION, PucksPayload::Cancel { with, action }) = (selector, payload) {
                marked.mark(at);
                marked.take(messages.clone(), (*with, *action));
            }
        }
        Ok(marked)
    }

    fn take<'p>(
        &mut self,
        messages: impl Iterator<Item = (i32, &'p PucksPayload)>,
        wanted: (Name, u32),
    ) {
        let fits = |(selector, payload)| match payload {
            &PucksPayload::Action { with, action, .. } => {
                (COLLIDE_PUCK..=DEPART_SECTOR).contains(&selector) && (with, action) == wanted
            }
            _ => false,
        };
        let mut places =
            messages.enumerate().filter(|(_, message)| fits(*message)).map(|(at, _)| at);
        if let Some(at) = places.find(|at| *at < BUNDLE_MAX && !self.has(*at)) {
            self.mark(at);
        }
    }

    #[inline]
    fn mark(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.0[at / 64] & 1 << (at % 64) != 0
    }
}
