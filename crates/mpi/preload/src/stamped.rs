//! A call on its way into the log.

use crate::arguments::PLACES;
use crate::frame::RETURN_ADDRESS;
use crate::invocation::Invocation;
use crate::python;
use crate::rank::{Rank, Tracer};
use crate::thread::Thread;
use calls::entry::{Call, flags};

/// A call that has been entered, on its way into the log.
pub struct Stamped {
    /// The tracer.
    pub tracer: &'static Tracer,
    /// What its entry will say.
    pub entry: Call,
}

impl Stamped {
    #[inline(always)]
    pub fn enter(call: &Invocation, tracer: &'static Tracer, thread: &Thread) -> Stamped {
        // To ask Python where it is may take a while, which is no time in MPI.
        let site = python::site(call.frame.at(RETURN_ADDRESS), tracer);
        let enter = tracer.clock.now().0;
        let entry = Call {
            site,
            operation: call.operation as u16,
            thread: thread.number(tracer),
            enter,
            ..Call::default()
        };
        Stamped { tracer, entry }
    }

    /// Note the place that called and, for a call on a communicator, which.
    #[inline(always)]
    pub fn place(&mut self, rank: &mut Rank, call: &Invocation) {
        if self.entry.site == 0 {
            self.entry.site = rank.site(&call.frame);
        }
        let comm = PLACES[call.function()].comm;
        if comm.exists() {
            let library = &self.tracer.library;
            self.entry.flags |= flags::MESSAGE;
            self.entry.communicator = rank.communicator(comm.read(call, &library.layout), library);
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

    /// Whether the call, which has been made, says by its flag that nothing has happened yet.
    pub fn was_in_vain(&self, call: &Invocation) -> bool {
        let flag = PLACES[call.operation].flag;
        // SAFETY: the call succeeded and has set its flag.
        flag.exists() && !call.failed() && unsafe { flag.read(call, 0) } == 0
    }

    /// Whether the call, which has been made, took its message, though that may not have fitted:
    /// such a call returns an error, and has received all the same.
    #[inline(always)]
    pub fn took(&mut self, call: &Invocation) -> bool {
        if !call.failed() {
            return true;
        }
        let library = &self.tracer.library;
        let truncated = library.error_class(call.code()) == library.layout.errors.truncate;
        if truncated {
            self.entry.flags = self.entry.flags & !flags::FAILED | flags::TRUNCATED;
        }
        truncated
    }
}
