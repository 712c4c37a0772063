//! Running a model's handlers, so that whatever they do stays within.

use crate::context::Doings;
use crate::{
    Bundle, Context, Digest, Fault, Limits, Message, Model, ObjectId, Payload, RunError,
    VirtualTime,
};
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Whether a handler is running on this thread.
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

/// Do not print a message when a handler panics: it may be on input that never comes true, and if
/// it does, the run's error has the message. Panics elsewhere are printed as before.
pub fn hush_handlers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IN_HANDLER.get() {
                before(panic);
            }
        }));
    });
}

/// Run a handler; a panic is its fault.
#[inline]
fn contained<T>(handler: impl FnOnce() -> T) -> Result<T, Fault> {
    IN_HANDLER.set(true);
    let result = catch_unwind(AssertUnwindSafe(handler));
    IN_HANDLER.set(false);
    result.map_err(|panic| panicked(&*panic))
}

/// What running a handler needs besides the object.
pub(crate) struct Frame<'a, M: Model> {
    pub model: &'a M,
    pub objects: u32,
    pub limits: &'a Limits,
}

impl<M: Model> Frame<'_, M> {
    /// Make an object. `None` when that failed; `doings.fault` says why.
    pub fn init(&self, object: ObjectId, doings: &mut Doings<M::Payload>) -> Option<M::State> {
        doings.clear();
        let mut context =
            Context::new(object, VirtualTime::NEGINF, self.objects, self.limits, doings);
        contained(|| self.model.init(object, &mut context))
            .map_err(|fault| doings.blame(fault))
            .ok()
    }

    /// Run the event section. `None` when it panicked: the state is then undefined. A fault is in
    /// `doings` in any case.
    #[inline]
    pub fn event(
        &self,
        object: ObjectId,
        now: VirtualTime,
        state: &mut M::State,
        bundle: Bundle<'_, M::Payload>,
        doings: &mut Doings<M::Payload>,
    ) -> Option<M::Undo> {
        doings.clear();
        let mut context = Context::new(object, now, self.objects, self.limits, doings);
        contained(|| self.model.event(state, bundle, &mut context))
            .map_err(|fault| doings.blame(fault))
            .ok()
    }

    /// Run the termination section.
    pub fn term(
        &self,
        object: ObjectId,
        state: &mut M::State,
        bundle: Bundle<'_, M::Payload>,
        doings: &mut Doings<M::Payload>,
    ) {
        doings.clear();
        let mut context =
            Context::new(object, VirtualTime::POSINF, self.objects, self.limits, doings);
        if let Err(fault) = contained(|| self.model.term(state, bundle, &mut context)) {
            doings.blame(fault);
        }
    }

    /// A fault that came true, as the run's error.
    pub fn error(&self, object: ObjectId, time: VirtualTime, fault: Fault) -> RunError {
        RunError::Model { object, name: self.model.name(object), time, fault }
    }

    /// Configuration messages, checked; those beyond the cutoff are left out.
    pub fn tells(&self) -> Result<Vec<Message<M::Payload>>, RunError> {
        let mut messages = Vec::new();
        for (line, tell) in (0..).zip(self.model.tells()) {
            if tell.receiver.0 >= self.objects
                || tell.receive > VirtualTime::POSINF
                || tell.receive <= VirtualTime::NEGINF
            {
                return Err(RunError::Configuration {
                    reason: format!(
                        "configuration message {line} is for object {} at {}: the last object is \
                        {}, and times end at 999999999",
                        tell.receiver.0,
                        tell.receive,
                        self.objects.saturating_sub(1)
                    ),
                });
            }
            if tell.receive.simtime() > self.limits.cutoff {
                continue;
            }
            messages.push(Message {
                receive: tell.receive,
                send: VirtualTime::NEGINF,
                sender: ObjectId::CONFIGURATION,
                receiver: tell.receiver,
                selector: tell.selector,
                counter: line,
                payload: tell.payload,
            });
        }
        Ok(messages)
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> Fault {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or(panic.downcast_ref::<&str>().copied());
    Fault::Panicked { message: text.unwrap_or("without a message").to_string() }
}

/// What a committed event adds to the run's digest: whose it is, its time, its bundle, what it
/// sent. These are summed, so that nodes can add up what they committed, also of an object whose
/// parts lay on several; an object's events are told apart by their times.
#[inline]
pub(crate) fn digest_event<'a, P: Payload>(
    object: ObjectId,
    time: VirtualTime,
    messages: impl Iterator<Item = &'a Message<P>>,
    sent: u32,
    scratch: &mut Vec<u8>,
) -> u64 {
    let mut digest = Digest::new(u64::from(object.0));
    let [simtime, seq] = time.words();
    digest.two(simtime, seq ^ u64::from(sent) << 32);
    for message in messages {
        digest.two(
            message.send.words()[0],
            u64::from(message.sender.0) << 32 | u64::from(message.selector as u32),
        );
        message.payload.digest(&mut digest, scratch);
    }
    digest.value()
}

/// Messages for the termination sections: by receiver, and canonical for each.
pub(crate) fn sort_for_term<P: Payload>(messages: &mut [&Message<P>]) {
    messages.sort_by(|a, b| a.receiver.cmp(&b.receiver).then_with(|| a.order(b)));
}

/// One object's messages among all that are so sorted.
pub(crate) fn messages_of<'s, 'm, P>(
    sorted: &'s [&'m Message<P>],
    object: ObjectId,
) -> &'s [&'m Message<P>] {
    let from = sorted.partition_point(|message| message.receiver < object);
    let to = sorted.partition_point(|message| message.receiver <= object);
    &sorted[from..to]
}

/// One object's share of the digest of final states, which are summed likewise.
pub(crate) fn state_share<S: std::fmt::Debug>(object: ObjectId, state: &S) -> u64 {
    let mut digest = Digest::new(u64::from(object.0));
    digest.shown(state);
    digest.value()
}
