//! One way for all calls: from the trampolines to what logs them, and on to the library.

use crate::frame::Frame;
use crate::invocation::Invocation;
use crate::rank;
use crate::stamped::Stamped;
use crate::thread::{self, Thread};
use crate::trouble;
use crate::{collectives, epochs, given, life, matched, persistent, point, waits, windows};
use calls::list::{CLASSES, Class};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// Where every exported function ends up.
pub unsafe extern "C" fn dispatch(frame: *mut usize, operation: usize) -> usize {
    // SAFETY: only the trampolines call this, with the row that they made.
    let frame = unsafe { Frame::new(frame) };
    let invocation = Invocation::new(operation, frame);
    thread::here(|thread| {
        if thread.inside.get() {
            return invocation.call();
        }
        thread.inside.set(true);
        if catch_unwind(AssertUnwindSafe(|| traced(&invocation, thread))).is_err() {
            rank::stop();
            trouble::say(
                "the tracer has failed and stopped, and the program continues; please report this \
                with the command that you ran",
            );
        }
        thread.inside.set(false);
        // A tracer that failed before the call has still to make it.
        invocation.result().unwrap_or_else(|| invocation.call())
    })
}

#[inline(always)]
fn traced(call: &Invocation, thread: &Thread) {
    let (tracer, class) = (rank::tracer(), CLASSES[call.function()]);
    // What is called most, before the jump through a table.
    if let (Some(tracer), Class::Send) = (tracer, class) {
        return point::send(call, tracer, thread);
    }
    match (tracer, class) {
        (None, Class::Life) => life::before(call),
        (None, _) => drop(call.call()),
        (Some(tracer), Class::Datatype) => {
            rank::COUNTED[call.operation].fetch_add(1, Ordering::Relaxed);
            call.call();
            tracer.with(|rank| {
                rank.types.forget();
                rank.sends.forget();
            });
        }
        (Some(_), Class::Local) => {
            rank::COUNTED[call.operation].fetch_add(1, Ordering::Relaxed);
            call.call();
        }
        (Some(tracer), Class::Receive) => point::receive(call, tracer, thread),
        (Some(tracer), class) => logged(call, class, &mut Stamped::enter(call, tracer, thread)),
    }
}

/// Make a call that the log has an entry of.
#[inline(never)]
fn logged(call: &Invocation, class: Class, stamped: &mut Stamped) {
    match class {
        Class::StartSend => point::start_send(call, stamped),
        Class::StartReceive => point::start_receive(call, stamped),
        Class::SendReceive => point::send_receive(call, stamped),
        Class::StartSendReceive => point::start_send_receive(call, stamped),
        Class::PrepareSend | Class::PrepareReceive => persistent::prepare(call, stamped),
        Class::PrepareCollective => persistent::prepare_collective(call, stamped),
        Class::Start => persistent::start(call, stamped),
        Class::Ready => persistent::ready(call, stamped),
        Class::Request => given::request(call, stamped),
        Class::Probe => matched::probe(call, stamped),
        Class::MatchedProbe => matched::matched_probe(call, stamped),
        Class::MatchedReceive => matched::matched_receive(call, stamped),
        Class::Wait | Class::Test => waits::complete(call, stamped),
        Class::Inspect => waits::inspect(call, stamped),
        Class::Collective | Class::StartCollective => collectives::collective(call, stamped),
        Class::Window => windows::window(call, stamped),
        Class::Epoch | Class::OneSided => epochs::one_sided(call, stamped),
        Class::Communicator => collectives::communicator(call, stamped),
        Class::Life => life::during(call, stamped),
        Class::Other => life::passed(call, stamped),
        Class::Send | Class::Receive | Class::Datatype | Class::Local => {
            unreachable!("they are dealt with before")
        }
    }
}
