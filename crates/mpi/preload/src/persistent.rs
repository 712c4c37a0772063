//! Requests that are prepared once and started again and again: messages whole and in parts, and
//! collectives. Nothing is posted before it is started.
//!
//! A send in parts (`MPI_Psend_init`) is taken to be sent when the last of its parts is made ready:
//! before that its receiver waits for its sender. In the log it is sent by that call.

use crate::arguments::PLACES;
use crate::collectives::describe;
use crate::invocation::Invocation;
use crate::point::{begun, describe_receive, describe_send, of};
use crate::rank::Rank;
use crate::requests::Prepared;
use crate::stamped::Stamped;
use calls::entry::{BYTES_MAX, Call, flags};
use calls::list::{CLASSES, Class};

/// Prepares a message.
pub fn prepare(call: &Invocation, stamped: &mut Stamped) {
    let sends = CLASSES[call.operation] == Class::PrepareSend;
    stamped.tracer.with(|rank| match sends {
        true => describe_send(rank, call, stamped),
        false => describe_receive(rank, call, stamped),
    });
    let partitions = PLACES[call.operation].partitions;
    let parts = match partitions.exists() {
        true => u32::try_from(partitions.read(call)).unwrap_or(0),
        false => 0,
    };
    if parts > 0 {
        stamped.entry.flags |= flags::PARTITIONED;
        let bytes = stamped.entry.bytes.saturating_mul(u64::from(parts));
        stamped.entry.bytes = bytes.min(BYTES_MAX);
    }
    stamped.make(call);
    remember(call, stamped, None, parts);
}

/// Prepares a collective.
pub fn prepare_collective(call: &Invocation, stamped: &mut Stamped) {
    stamped.tracer.with(|rank| describe(rank, call, stamped));
    stamped.make(call);
    remember(call, stamped, Some(call.operation as u16), 0);
}

fn remember(call: &Invocation, stamped: &mut Stamped, collective: Option<u16>, partitions: u32) {
    stamped.tracer.with(|rank| {
        let Call { flags, peer, tag, bytes, communicator, .. } = stamped.entry;
        if !call.failed() {
            let prepared =
                Prepared { flags, peer, tag, bytes, communicator, collective, partitions };
            rank.requests.prepare(begun(call, stamped), prepared);
        }
        stamped.entry.flags &= !(flags::SENDS | flags::RECEIVES | flags::PARTITIONED);
        rank.write(&stamped.entry);
    });
}

/// Starts requests, one or many. The first message has the call's entry, the others are continued;
/// a collective's entry has its own function.
pub fn start(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let (many, place) = match places.requests.exists() {
        true => (places.count.read(call) as usize, places.requests),
        false => (1, places.request),
    };
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    let layout = &stamped.tracer.library.layout;
    stamped.tracer.with(|rank| {
        let mut written = false;
        for number in 0..if call.failed() { 0 } else { many } {
            // SAFETY: the call succeeded, so there are that many requests; starting leaves their
            // handles as they are.
            let handle = unsafe { place.read(call, layout, number) };
            let Some((prepared, request)) = rank.requests.start(handle) else { continue };
            let posted = posted(&stamped.entry, &prepared, request);
            rank.requests.add(handle, of(&posted, prepared.flags & flags::RECEIVES != 0));
            // What is sent in parts is not ready yet.
            let waits = prepared.partitions > 0 && prepared.flags & flags::SENDS != 0;
            if !waits {
                put(rank, &stamped.entry, posted, &mut written);
            }
        }
        if !written {
            rank.write(&stamped.entry);
        }
    });
}

fn put(rank: &mut Rank, plain: &Call, mut posted: Call, written: &mut bool) {
    if posted.operation != plain.operation && !*written {
        rank.write(plain);
        *written = true;
    }
    posted.flags |= if *written { flags::CONTINUED } else { 0 };
    rank.write(&posted);
    *written = true;
}

/// The entry of a request that the call `plain` has started.
fn posted(plain: &Call, prepared: &Prepared, request: u32) -> Call {
    Call {
        operation: prepared.collective.unwrap_or(plain.operation),
        flags: prepared.flags,
        request,
        peer: prepared.peer,
        tag: prepared.tag,
        bytes: prepared.bytes,
        communicator: prepared.communicator,
        ..*plain
    }
}

/// Says that parts of a message are ready.
pub fn ready(call: &Invocation, stamped: &mut Stamped) {
    let places = &PLACES[call.operation];
    let parts = match (places.high.exists(), places.length.exists()) {
        (true, _) => places.high.read(call).saturating_sub(places.low.read(call)).saturating_add(1),
        (_, true) => places.length.read(call),
        _ => 1,
    };
    let handle = places.inspected.read(call, &stamped.tracer.library.layout);
    stamped.tracer.with(|rank| stamped.place(rank, call));
    stamped.make(call);
    stamped.tracer.with(|rank| {
        let parts = if call.failed() { 0 } else { u32::try_from(parts).unwrap_or(0) };
        match rank.requests.ready(handle, parts) {
            Some((prepared, request)) => {
                let sent = posted(&stamped.entry, &prepared, request);
                rank.write(&sent);
            }
            None => rank.write(&stamped.entry),
        }
    });
}
