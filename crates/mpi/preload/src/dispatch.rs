//! One way for all calls: from the trampolines to what logs them, and on to the library.

use crate::arguments::PLACES;
use crate::frame::{Frame, RETURN_ADDRESS};
use crate::library;
use crate::rank::{self, COUNTED, Rank, Tracer};
use crate::trouble;
use crate::{collectives, life, matched, point, waits};
use calls::entry::{Call, flags};
use calls::list::{ARGUMENTS, CLASSES, Class};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// What a thread must know of itself.
struct Thread {
    /// It is in a call of the program: what the library, or the tracer, calls from there is not the
    /// program's.
    inside: Cell<bool>,
    number: Cell<u8>,
    is_known: Cell<bool>,
}

thread_local! {
    static THREAD: Thread =
        const { Thread { inside: Cell::new(false), number: Cell::new(0), is_known: Cell::new(false) } };
}

/// A call of the program.
pub struct Invocation {
    /// Its function.
    pub operation: usize,
    /// Its arguments.
    pub frame: Frame,
    result: Cell<Option<usize>>,
    /// An argument that the tracer has put its own in for: the place, and what was there.
    replaced: Cell<Option<(usize, usize)>>,
}

/// Where every exported function ends up.
pub unsafe extern "C" fn dispatch(frame: *mut usize, operation: usize) -> usize {
    // SAFETY: only the trampolines call this, with the row that they made.
    let frame = unsafe { Frame::new(frame) };
    let invocation =
        Invocation { operation, frame, result: Cell::new(None), replaced: Cell::new(None) };
    THREAD.with(|thread| {
        if thread.inside.get() {
            return invocation.call();
        }
        thread.inside.set(true);
        if catch_unwind(AssertUnwindSafe(|| traced(&invocation, thread))).is_err() {
            rank::stop();
            trouble::say(
                "the tracer failed and has stopped, the program runs on; please report \
            this with the command that led to it",
            );
        }
        thread.inside.set(false);
        // A tracer that failed before the call has still to make it.
        invocation.result.get().unwrap_or_else(|| invocation.call())
    })
}

#[inline(always)]
fn traced(call: &Invocation, thread: &Thread) {
    let class = CLASSES[call.operation];
    let Some(tracer) = rank::tracer() else {
        if class == Class::Life {
            life::before(call);
        } else {
            call.call();
        }
        return;
    };
    match class {
        Class::Send => point::send(call, &mut Stamped::enter(call, tracer, thread)),
        Class::StartSend => point::start_send(call, &mut Stamped::enter(call, tracer, thread)),
        Class::Receive => point::receive(call, &mut Stamped::enter(call, tracer, thread)),
        Class::StartReceive => {
            point::start_receive(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::PrepareSend | Class::PrepareReceive => point::prepare(
            call,
            &mut Stamped::enter(call, tracer, thread),
            class == Class::PrepareSend,
        ),
        Class::SendReceive => point::send_receive(call, &mut Stamped::enter(call, tracer, thread)),
        Class::Start => point::start(call, &mut Stamped::enter(call, tracer, thread)),
        Class::Request => point::request(call, &mut Stamped::enter(call, tracer, thread)),
        Class::Probe => matched::probe(call, &mut Stamped::enter(call, tracer, thread)),
        Class::MatchedProbe => {
            matched::matched_probe(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::MatchedReceive => {
            matched::matched_receive(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::Wait | Class::Test => {
            waits::complete(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::Collective | Class::StartCollective => {
            collectives::collective(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::Communicator => {
            collectives::communicator(call, &mut Stamped::enter(call, tracer, thread))
        }
        Class::Life => life::during(call, &mut Stamped::enter(call, tracer, thread)),
        Class::Datatype => {
            call.call();
            tracer.with(|rank| rank.types.forget());
        }
        Class::Other => {
            COUNTED[call.operation].fetch_add(1, Ordering::Relaxed);
            call.call();
        }
    }
}

impl Invocation {
    /// Make the call, once.
    #[inline(always)]
    pub fn call(&self) -> usize {
        let function = library::function(self.operation);
        // SAFETY: the library's function of the same name, with as many arguments as it takes.
        let result = unsafe { self.frame.call(function, ARGUMENTS[self.operation]) };
        if let Some((place, word)) = self.replaced.take() {
            self.frame.set(place, word);
        }
        self.result.set(Some(result));
        result
    }

    /// Whether the call, which has been made, returned an error.
    #[inline(always)]
    pub fn failed(&self) -> bool {
        self.result.get().is_none_or(|result| result as i32 != 0)
    }

    /// An argument that is an int.
    #[inline(always)]
    pub fn int(&self, place: usize) -> i32 {
        self.frame.at(place) as i32
    }

    /// Where the call writes its status: the program's own, or `own` when the program ignores it.
    #[inline(always)]
    pub fn status(&self, place: usize, own: usize, ignore: usize) -> usize {
        let given = self.frame.at(place);
        if given != ignore {
            return given;
        }
        self.frame.set(place, own);
        self.replaced.set(Some((place, given)));
        own
    }
}

/// A call that has been entered, on its way into the log.
pub struct Stamped {
    /// The tracer.
    pub tracer: &'static Tracer,
    /// What its entry will say.
    pub entry: Call,
}

impl Stamped {
    #[inline(always)]
    fn enter(call: &Invocation, tracer: &'static Tracer, thread: &Thread) -> Stamped {
        let enter = tracer.clock.now().0;
        if !thread.is_known.replace(true) {
            thread.number.set(tracer.with(Rank::next_thread));
        }
        let entry = Call {
            operation: call.operation as u16,
            thread: thread.number.get(),
            enter,
            ..Call::default()
        };
        Stamped { tracer, entry }
    }

    /// Note the place that called and, for a call on a communicator, which.
    #[inline(always)]
    pub fn place(&mut self, rank: &mut Rank, call: &Invocation) {
        self.entry.site = rank.site(call.frame.at(RETURN_ADDRESS));
        let place = PLACES[call.operation].comm;
        if place != crate::arguments::NONE {
            let library = &self.tracer.library;
            self.entry.flags |= flags::MESSAGE;
            self.entry.communicator =
                rank.communicator(library.layout.handle(call.frame.at(place)), library);
        }
    }

    /// Make the call, and take the stamp of its end.
    #[inline(always)]
    pub fn make(&mut self, call: &Invocation) {
        call.call();
        self.entry.exit = self.tracer.clock.now().0;
        if call.failed() {
            self.entry.flags |= flags::FAILED;
        }
    }
}
