//! The sequential engine: events in order of virtual time, then of object. What it commits is right
//! by definition.

use crate::node::hand::Hand;
use crate::node::slots::message_bytes;
use crate::pending::{Entry, Pending};
use crate::running::{Frame, digest_event, messages_of, sort_for_term, state_share};
use crate::stopwatch::Stopwatch;
use crate::{
    Bundle, Cause, Committed, Counters, Limits, Message, Model, NodeCounters, ObjectClock,
    ObjectId, Outcome, Placement, RunError, Unwatched, VirtualTime, Watch, Work,
};
use memory_use::MemoryUse;
use messages::Messages;

mod memory_use;
mod messages;

/// How many entries ahead memory is asked for.
const AHEAD: usize = 4;

/// Run a model to its end.
///
/// # Errors
/// The first event that breaks a rule, by name and time; a configuration that cannot be.
pub fn run<M: Model, W: Watch>(
    model: &M,
    limits: &Limits,
    watch: &mut W,
) -> Result<Outcome, RunError> {
    let mut run = Sequential::new(model, limits, watch)?;
    while run.run(u64::MAX)? > 0 {}
    run.finish()
}

/// Bytes that each node of a placement needs at least: for its objects' states and the most
/// messages for them that are pending at once, counted as a node counts them against its budget.
///
/// # Errors
/// As [`run`].
pub fn needs<M: Model>(
    model: &M,
    limits: &Limits,
    placement: &Placement,
) -> Result<Vec<usize>, RunError> {
    let mut unwatched = Unwatched;
    let memory = MemoryUse::by_node(placement);
    let mut run = Sequential::begin(model, limits, &mut unwatched, memory)?;
    while run.run(u64::MAX)? > 0 {}
    Ok(run.memory.peaks())
}

/// A run that can be looked at between events.
pub struct Sequential<'a, M: Model, W> {
    frame: Frame<'a, M>,
    watch: &'a mut W,
    stopwatch: Stopwatch,
    /// Whether committed events are told with their causes.
    causes: bool,
    pending: Pending,
    messages: Messages<M::Payload>,
    objects: Vec<Object<M::State>>,
    hand: Hand<M::Payload>,
    /// Messages to exactly the end of time.
    last: Vec<u32>,
    now: VirtualTime,
    final_time: f64,
    digest: u64,
    events: u64,
    tells: u64,
    memory: MemoryUse,
}

struct Object<S> {
    state: S,
    events: u64,
    messages: u64,
    sent: u64,
    dropped: u64,
    spent_ns: u64,
}

impl<'a, M: Model, W: Watch> Sequential<'a, M, W> {
    /// Make the objects and send the configuration's messages.
    ///
    /// # Errors
    /// When an init section fails, or the configuration names what does not exist.
    pub fn new(
        model: &'a M,
        limits: &'a Limits,
        watch: &'a mut W,
    ) -> Result<Sequential<'a, M, W>, RunError> {
        Sequential::begin(model, limits, watch, MemoryUse::default())
    }

    fn begin(
        model: &'a M,
        limits: &'a Limits,
        watch: &'a mut W,
        memory: MemoryUse,
    ) -> Result<Sequential<'a, M, W>, RunError> {
        let objects = model.objects();
        if objects == 0 {
            return Err(RunError::Configuration { reason: "the model has no objects".into() });
        }
        let mut run = Sequential {
            frame: Frame { model, objects, limits },
            watch,
            stopwatch: Stopwatch::none(),
            causes: false,
            pending: Pending::new(),
            messages: Messages::new(),
            objects: Vec::with_capacity(objects as usize),
            hand: Hand::default(),
            last: Vec::new(),
            now: VirtualTime::NEGINF,
            final_time: VirtualTime::NEGINF.simtime(),
            digest: 0,
            events: 0,
            tells: 0,
            memory,
        };
        for object in (0..objects).map(ObjectId) {
            run.init(object)?;
        }
        for message in run.frame.tells()? {
            run.tells += 1;
            run.enqueue(message);
        }
        Ok(run)
    }

    /// Time the work of objects with this clock, and make events take `stretch` times as long.
    pub fn time_objects(&mut self, clock: ObjectClock, stretch: f64) {
        self.stopwatch = Stopwatch::new(Some(clock), stretch);
    }

    /// Tell what causes each event, for the critical path.
    pub fn tell_causes(&mut self) {
        self.causes = true;
    }

    /// Execute at most so many events; returns how many there were.
    ///
    /// # Errors
    /// When an event breaks a rule.
    #[inline]
    pub fn run(&mut self, events: u64) -> Result<u64, RunError> {
        let mut done = 0;
        while done < events && self.next_bundle() {
            self.execute()?;
            done += 1;
        }
        self.events += done;
        Ok(done)
    }

    /// The time of the latest event.
    pub fn now(&self) -> VirtualTime {
        self.now
    }

    /// Events executed so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Run the termination sections and add up.
    ///
    /// # Errors
    /// When a termination section breaks a rule.
    pub fn finish(mut self) -> Result<Outcome, RunError> {
        self.watch.advanced(VirtualTime::POSINF);
        let messages = std::mem::replace(&mut self.messages, Messages::new());
        let mut last: Vec<_> = self.last.iter().map(|slot| &messages[*slot]).collect();
        sort_for_term(&mut last);
        for object in (0..self.frame.objects).map(ObjectId) {
            self.term(object, messages_of(&last, object))?;
        }
        let mut outcome = Outcome {
            tells: self.tells,
            final_time: self.final_time,
            trace_digest: self.digest,
            ..Outcome::default()
        };
        for (object, o) in (0..).map(ObjectId).zip(&self.objects) {
            outcome.state_digest = outcome.state_digest.wrapping_add(state_share(object, &o.state));
        }
        let memory_peak = self.memory.peak() as u64;
        outcome.nodes = vec![(0, NodeCounters { memory_peak, ..NodeCounters::default() })];
        outcome.objects = (0..).zip(self.objects.iter().map(Object::counters)).collect();
        Ok(outcome)
    }

    fn init(&mut self, object: ObjectId) -> Result<(), RunError> {
        let state = self.frame.init(object, &mut self.hand.doings);
        if let Some(fault) = self.hand.doings.fault.take() {
            return Err(self.frame.error(object, VirtualTime::NEGINF, fault));
        }
        let state = state.expect("an init section without a fault makes a state");
        let bytes = size_of::<M::State>() + self.frame.model.state_heap_bytes(&state);
        self.memory.charge(object, bytes, 0);
        self.objects.push(Object {
            state,
            events: 0,
            messages: 0,
            sent: 0,
            dropped: 0,
            spent_ns: 0,
        });
        self.send_all();
        Ok(())
    }

    /// Find the slots of the next bundle, in canonical order. `false`: there is none.
    #[inline]
    fn next_bundle(&mut self) -> bool {
        let Some(first) = self.pending.pop() else { return false };
        self.fetch_early();
        self.hand.bundle.clear();
        self.hand.bundle.push(first.slot);
        self.now = first.time;
        while let Some(more) = self.pending.pop_beside(&first) {
            self.hand.bundle.push(more.slot);
        }
        if self.hand.bundle.len() > 1 {
            let messages = &self.messages;
            self.hand.bundle.sort_by(|a, b| messages[*a].order(&messages[*b]));
        }
        true
    }

    #[inline]
    fn fetch_early(&self) {
        if let Some(soon) = self.pending.soon(AHEAD) {
            memory::prefetch_for_writing(&self.objects[soon.object.index()]);
            memory::prefetch_for_writing(&self.messages[soon.slot]);
        }
    }

    #[inline]
    fn execute(&mut self) -> Result<(), RunError> {
        let begin = self.watch.now();
        let object = self.messages[self.hand.bundle[0]].receiver;
        let many: Vec<&Message<M::Payload>>;
        let one;
        let messages: &[&Message<M::Payload>] = match self.hand.bundle[..] {
            [slot] => {
                one = [&self.messages[slot]];
                &one
            }
            _ => {
                many = self.hand.bundle.iter().map(|slot| &self.messages[*slot]).collect();
                &many
            }
        };
        let o = &mut self.objects[object.index()];
        let heap_before = self.frame.model.state_heap_bytes(&o.state);
        let section = self.stopwatch.begin();
        self.frame.event(
            object,
            self.now,
            &mut o.state,
            Bundle::new(messages),
            &mut self.hand.doings,
        );
        let spent_ns = self.stopwatch.end(section);
        if let Some(fault) = self.hand.doings.fault.take() {
            return Err(self.frame.error(object, self.now, fault));
        }
        let heap_after = self.frame.model.state_heap_bytes(&o.state);
        let (sent, dropped, count) =
            (self.hand.doings.sent(), self.hand.doings.dropped, messages.len() as u32);
        let digest =
            digest_event(object, self.now, messages.iter().copied(), sent, &mut self.hand.scratch);
        self.digest = self.digest.wrapping_add(digest);
        o.events += 1;
        o.messages += u64::from(count);
        o.sent += u64::from(sent);
        o.dropped += u64::from(dropped);
        o.spent_ns += spent_ns;
        self.final_time = self.now.simtime();
        self.watch.worked(begin, Work::Execution { object, time: self.now, messages: count });
        if self.causes {
            for message in messages {
                let Message { sender, send, selector, .. } = **message;
                self.watch.caused(Cause { sender, send, selector });
            }
        }
        self.watch.committed(Committed {
            time: self.now,
            object,
            messages: count,
            sent,
            dropped,
            spent_ns,
        });
        self.print_lines(object);
        let mut released = heap_before;
        for slot in self.hand.bundle.drain(..) {
            released += message_bytes(&self.messages[slot]);
            self.messages.remove(slot);
        }
        self.memory.charge(object, heap_after, released);
        self.send_all();
        Ok(())
    }

    fn term(
        &mut self,
        object: ObjectId,
        messages: &[&Message<M::Payload>],
    ) -> Result<(), RunError> {
        let o = &mut self.objects[object.index()];
        o.messages += messages.len() as u64;
        self.frame.term(object, &mut o.state, Bundle::new(messages), &mut self.hand.doings);
        if let Some(fault) = self.hand.doings.fault.take() {
            return Err(self.frame.error(object, VirtualTime::POSINF, fault));
        }
        self.now = VirtualTime::POSINF;
        self.print_lines(object);
        Ok(())
    }

    #[inline]
    fn print_lines(&mut self, object: ObjectId) {
        for line in &self.hand.doings.lines {
            self.watch.printed(self.now, object, line);
        }
    }

    /// Enqueue what the handler sent.
    #[inline]
    fn send_all(&mut self) {
        let mut sends = std::mem::take(&mut self.hand.doings.sends);
        for message in sends.drain(..) {
            self.enqueue(message);
        }
        self.hand.doings.sends = sends;
    }

    #[inline]
    fn enqueue(&mut self, message: Message<M::Payload>) {
        let (time, object) = (message.receive, message.receiver);
        self.memory.charge(object, message_bytes(&message), 0);
        let slot = self.messages.add(message);
        match time == VirtualTime::POSINF {
            true => self.last.push(slot),
            false => self.pending.push(Entry { time, object, slot }),
        }
    }
}

impl<S> Object<S> {
    /// In a sequential run everything that is done is committed.
    fn counters(&self) -> Counters {
        Counters {
            positive_sent: self.messages,
            positive_received: self.messages,
            messages: self.messages,
            started: self.events,
            completed: self.events,
            events: self.events,
            sends: self.sent - self.dropped,
            committed_sends: self.sent,
            committed_drops: self.dropped,
            spent_ns: self.spent_ns,
            ..Counters::default()
        }
    }
}
