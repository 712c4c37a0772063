//! What a handler can do besides changing its state: send, print, fail.

use crate::{Fault, Message, ObjectId, Payload, VirtualTime};
use std::fmt::Display;

/// Bounds on what one event may do, and the end of simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Sends to a later simtime than this do nothing.
    pub cutoff: f64,
    /// Sends that one event may make: a handler that loops on senseless speculative input ends
    /// here.
    pub sends_max: u32,
    /// Calls of [`Context::step`] that one event may make.
    pub steps_max: u64,
    /// Length of a payload, bytes.
    pub payload_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cutoff: VirtualTime::POSINF.simtime(),
            sends_max: 1 << 20,
            steps_max: 1 << 30,
            payload_bytes_max: 1 << 20,
        }
    }
}

/// What one event has done so far. An engine has one and uses it for every event.
#[derive(Debug)]
pub(crate) struct Doings<P> {
    /// Messages as they will be delivered.
    pub sends: Vec<Message<P>>,
    pub lines: Vec<String>,
    pub fault: Option<Fault>,
    pub dropped: u32,
}

impl<P> Default for Doings<P> {
    fn default() -> Doings<P> {
        Doings { sends: Vec::new(), lines: Vec::new(), fault: None, dropped: 0 }
    }
}

impl<P> Doings<P> {
    pub fn clear(&mut self) {
        self.sends.clear();
        self.lines.clear();
        self.fault = None;
        self.dropped = 0;
    }

    /// Note a fault; the first one is the cause of the others.
    #[cold]
    pub fn blame(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Send calls made, dropped ones included.
    pub fn sent(&self) -> u32 {
        self.sends.len() as u32 + self.dropped
    }
}

/// A handler's view of the engine.
pub struct Context<'a, P> {
    object: ObjectId,
    now: VirtualTime,
    objects: u32,
    limits: &'a Limits,
    steps: u64,
    doings: &'a mut Doings<P>,
}

impl<'a, P: Payload> Context<'a, P> {
    #[inline]
    pub(crate) fn new(
        object: ObjectId,
        now: VirtualTime,
        objects: u32,
        limits: &'a Limits,
        doings: &'a mut Doings<P>,
    ) -> Context<'a, P> {
        Context { object, now, objects, limits, steps: 0, doings }
    }

    /// The time of this event.
    #[inline]
    pub fn now(&self) -> VirtualTime {
        self.now
    }

    /// The object that handles it.
    #[inline]
    pub fn object(&self) -> ObjectId {
        self.object
    }

    /// How many objects there are.
    pub fn objects(&self) -> u32 {
        self.objects
    }

    /// Send a message, to be handled at `receive`, which must lie after now. Beyond the cutoff this
    /// does nothing. What breaks the rules is a fault of this event: reported if the event comes
    /// true. An event that sends without end is ended here.
    #[inline]
    pub fn send(&mut self, receiver: ObjectId, receive: VirtualTime, selector: i32, payload: P) {
        if self.doings.sent() >= self.limits.sends_max {
            self.stop(Fault::Runaway { what: "sends", limit: u64::from(self.limits.sends_max) });
        }
        if receive.simtime() > self.limits.cutoff && receive != VirtualTime::INVALID {
            self.doings.dropped += 1;
            return;
        }
        if receive <= self.now || receive > VirtualTime::POSINF || receiver.0 >= self.objects {
            return self.refuse(receiver, receive);
        }
        if payload.bytes() > self.limits.payload_bytes_max {
            let (bytes, limit) = (payload.bytes(), self.limits.payload_bytes_max);
            return self.fault(Fault::PayloadTooLong { bytes, limit });
        }
        let counter = self.doings.sends.len() as u32;
        let (send, sender) = (self.now, self.object);
        self.doings.sends.push(Message {
            receive,
            send,
            sender,
            receiver,
            selector,
            counter,
            payload,
        });
    }

    /// Print a line, which becomes visible once this event can no longer be undone.
    pub fn print(&mut self, line: impl Display) {
        self.doings.lines.push(line.to_string());
    }

    /// Say that this event must not come true.
    pub fn fail(&mut self, reason: impl Display) {
        self.fault(Fault::Failed { reason: reason.to_string() });
    }

    /// Count a step of a loop whose length depends on input: an event that makes too many is ended
    /// here.
    #[inline]
    pub fn step(&mut self) {
        self.steps += 1;
        if self.steps > self.limits.steps_max {
            self.stop(Fault::Runaway { what: "steps", limit: self.limits.steps_max });
        }
    }

    /// End the event: the engine catches this where it runs the handler.
    #[cold]
    fn stop(&mut self, fault: Fault) -> ! {
        self.fault(fault);
        std::panic::resume_unwind(Box::new("stopped by the engine"))
    }

    #[cold]
    fn fault(&mut self, fault: Fault) {
        self.doings.blame(fault);
    }

    #[cold]
    fn refuse(&mut self, receiver: ObjectId, receive: VirtualTime) {
        let now = self.now;
        self.fault(match receiver.0 >= self.objects {
            true => Fault::UnknownReceiver { receiver, objects: self.objects },
            false if receive > VirtualTime::POSINF => Fault::SendBeyondEnd { receiver, receive },
            false => Fault::SendIntoPast { receiver, receive, now },
        });
    }
}
