//! Checking that a handler can be undone and repeated.

use crate::context::Doings;
use crate::running::Frame;
use crate::{Bundle, Digest, Fault, History, Message, Model, ObjectId, Payload, VirtualTime};

impl<M: Model> Frame<'_, M> {
    /// Do an event on a copy of its object's state, undo it where the model says how, do it again,
    /// and compare. A handler that fails is left alone: what it has half done is not for
    /// comparison.
    #[cold]
    pub(super) fn check_undo(
        &self,
        object: ObjectId,
        now: VirtualTime,
        state: &M::State,
        messages: &[&Message<M::Payload>],
        doings: &mut Doings<M::Payload>,
    ) -> Option<Fault> {
        let bundle = Bundle::new(messages);
        let (mut first, mut second) = (state.clone(), state.clone());
        let undo = self.event(object, now, &mut first, bundle, doings)?;
        if doings.fault.is_some() {
            return None;
        }
        let sent = sends_of(doings);
        let differs = |what| Some(Fault::NotRepeatable { what });
        let after = shown(&first);
        if self.model.history(object) == History::Records {
            self.model.undo(&mut first, undo);
            if shown(&first) != shown(state) {
                return differs("the state");
            }
        }
        self.event(object, now, &mut second, bundle, doings);
        match () {
            () if sends_of(doings) != sent => differs("what it sends"),
            () if shown(&second) != after => differs("the state"),
            () => None,
        }
    }
}

fn shown<S: std::fmt::Debug>(state: &S) -> u64 {
    let mut digest = Digest::new(0);
    digest.shown(state);
    digest.value()
}

fn sends_of<P: Payload>(doings: &Doings<P>) -> u64 {
    let mut digest = Digest::new(0);
    for send in &doings.sends {
        let [simtime, seq] = send.receive.words();
        digest.two(simtime, seq);
        digest.two(u64::from(send.receiver.0), send.selector as u64);
        let mut bytes = Vec::new();
        send.payload.encode(&mut bytes);
        digest.bytes(&bytes);
    }
    doings.lines.iter().for_each(|line| digest.bytes(line.as_bytes()));
    digest.word(u64::from(doings.dropped));
    digest.value()
}
