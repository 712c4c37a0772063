//! A node, for C: its clock, its headers, its record.
//!
//! What reads the clock and numbers messages ([`StampSender`]) may be used by all threads and stays
//! when the node finishes. What records is one thread's at a time, which only the program can see
//! to.

use crate::failure::{Code, Failure, call, keep};
use crate::handle::{Handle, Kind as HandleKind};
use crate::run::{Run, room};
use crate::versioned::{self, Versioned};
use clock::Ticks;
use record::{
    ABSENT, HEADER_BYTES, Header, Kind, Mode, RecorderOptions, StampSender, Stamper, WhenFull,
};
use std::cell::UnsafeCell;
use std::ffi::c_int;

/// What a `fourstamp_node` holds.
pub struct Node {
    sender: StampSender,
    halves: bool,
    /// `None` once it has finished.
    stamper: UnsafeCell<Option<Stamper>>,
}

impl HandleKind for Node {
    const WORD: u64 = u64::from_le_bytes(*b"4stNode\x01");
    const NAME: &str = "node";
}

/// `fourstamp_node_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct NodeOptions {
    pub size: usize,
    pub capacity_rows: u64,
    pub in_memory: u32,
    pub wait: u32,
    pub halves: u32,
    pub reserved: u32,
}

// SAFETY: it is C's, begins with its size, and has integers alone, without padding.
unsafe impl Versioned for NodeOptions {
    const NAME: &str = "fourstamp_node_options";
    const FIRST_BYTES: usize = 32;
}

/// `fourstamp_counts`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Counts {
    pub size: usize,
    pub recorded: u64,
    pub dropped: u64,
}

// SAFETY: it is C's, begins with its size, and has integers alone, without padding.
unsafe impl Versioned for Counts {
    const NAME: &str = "fourstamp_counts";
    const FIRST_BYTES: usize = 24;
}

impl NodeOptions {
    fn recorder(&self) -> Result<RecorderOptions, Failure> {
        let usual = RecorderOptions::default();
        let capacity_rows = match self.capacity_rows {
            0 => usual.capacity_rows,
            rows => rows,
        };
        let mode = if yes("in_memory", self.in_memory)? { Mode::Memory } else { Mode::Stream };
        let when_full = if yes("wait", self.wait)? { WhenFull::Block } else { WhenFull::Drop };
        if self.reserved != 0 {
            return Err(Failure::new(Code::Argument, "reserved of the node's options must be 0"));
        }
        Ok(RecorderOptions { mode, capacity_rows, when_full })
    }
}

fn yes(name: &str, value: u32) -> Result<bool, Failure> {
    match value {
        0 | 1 => Ok(value == 1),
        _ => Err(Failure::new(
            Code::Argument,
            format!("{name} of the node's options is {value}; it must be 0 or 1"),
        )),
    }
}

/// Opens a node: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_node_open(
    run: *mut Handle<Run>,
    number: u16,
    options: *const NodeOptions,
    node: *mut *mut Handle<Node>,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise, here and below.
        let (run, room) = unsafe { (Handle::reach(run)?, room(node, "node")?) };
        // SAFETY: as above.
        let options = unsafe { versioned::read(options) }?;
        let (halves, recorder) = (yes("halves", options.halves)?, options.recorder()?);
        let stamper = run.with(|run| Ok(run.stamper(number, halves, recorder)?))?;
        let (sender, stamper) = (stamper.sender(), UnsafeCell::new(Some(stamper)));
        *room = Handle::publish(Node { sender, halves, stamper });
        Ok(())
    })
}

/// Now: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_now(node: *const Handle<Node>) -> u64 {
    // SAFETY: the caller's promise.
    match unsafe { Handle::reach(node) } {
        Ok(node) => node.sender.now().0,
        Err(failure) => no_time(failure),
    }
}

#[cold]
fn no_time(failure: Failure) -> u64 {
    keep(failure);
    0
}

/// Makes a header: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_header(
    node: *const Handle<Node>,
    receiver: u16,
    kind: c_int,
    ready: u64,
    sent: u64,
    header: *mut [u8; HEADER_BYTES],
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let (node, room) = unsafe { (Handle::reach(node)?, header.as_mut()) };
        let room = room.ok_or_else(|| Failure::null("header"))?;
        let kind = kind_of(kind)?;
        let header = node.sender.header(receiver, Ticks(ready), Ticks(sent));
        *room = Header { kind, ..header }.to_bytes();
        Ok(())
    })
}

#[inline]
fn kind_of(code: c_int) -> Result<Kind, Failure> {
    match code {
        0 => Ok(Kind::Data),
        1 => Ok(Kind::Reply),
        7 => Ok(Kind::Ack),
        11 => Ok(Kind::Other),
        _ => Err(no_kind(code)),
    }
}

#[cold]
fn no_kind(code: c_int) -> Failure {
    let text = format!("{code} is no kind of message; give FOURSTAMP_DATA, _REPLY, _ACK or _OTHER");
    Failure::new(Code::Argument, text)
}

/// Records a message that is taken now: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_taken(
    node: *mut Handle<Node>,
    header: *const [u8; HEADER_BYTES],
    arrived: u64,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise, here and below.
        let node = unsafe { Handle::reach(node) }?;
        let taken = node.sender.now();
        // SAFETY: as above.
        let (header, stamper) = unsafe { (received(header)?, stamper(node, false)?) };
        stamper.record(&header, moment(arrived), taken, bytes);
        Ok(())
    })
}

/// Records a message: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_record(
    node: *mut Handle<Node>,
    header: *const [u8; HEADER_BYTES],
    arrived: u64,
    taken: u64,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let (header, stamper) =
            unsafe { (received(header)?, stamper(Handle::reach(node)?, false)?) };
        stamper.record(&header, moment(arrived), Ticks(taken), bytes);
        Ok(())
    })
}

/// Records a sender's half: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_log_sent(
    node: *mut Handle<Node>,
    receiver: u16,
    ready: u64,
    sent: u64,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let stamper = unsafe { stamper(Handle::reach(node)?, true) }?;
        stamper.log_sent(receiver, Ticks(ready), Ticks(sent), bytes);
        Ok(())
    })
}

/// Records a receiver's half: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_log_received(
    node: *mut Handle<Node>,
    sender: u16,
    arrived: u64,
    taken: u64,
    bytes: u64,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let stamper = unsafe { stamper(Handle::reach(node)?, true) }?;
        stamper.log_received(sender, Ticks(arrived), Ticks(taken), bytes);
        Ok(())
    })
}

/// What a node has recorded: see `fourstamp.h`.
///
/// # Safety
/// Pointers are null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_node_counts(
    node: *mut Handle<Node>,
    counts: *mut Counts,
) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let node = unsafe { Handle::reach(node) }?;
        // SAFETY: as above.
        let recorder = unsafe { stamper(node, node.halves) }?.recorder();
        let found = Counts {
            size: size_of::<Counts>(),
            recorded: recorder.recorded(),
            dropped: recorder.dropped(),
        };
        // SAFETY: as above.
        unsafe { versioned::write(counts, &found) }
    })
}

/// Whether rows can be kept: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_node_check(node: *mut Handle<Node>) -> c_int {
    call(|| {
        // SAFETY: the caller's promise.
        let node = unsafe { Handle::reach(node) }?;
        // SAFETY: as above.
        Ok(unsafe { stamper(node, node.halves) }?.recorder().check()?)
    })
}

/// Ends a node: see `fourstamp.h`.
///
/// # Safety
/// The pointer is null or what the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fourstamp_node_finish(node: *mut Handle<Node>) -> c_int {
    call(|| {
        // SAFETY: the caller's promise. Whoever has closed the handle has the stamper alone, for
        // the header says that no other thread uses the node now.
        let stamper = unsafe { (*Handle::close(node)?.stamper.get()).take() };
        stamper.ok_or_else(finished)?.finish()?;
        Ok(())
    })
}

/// What records, of an open node.
///
/// # Safety
/// No other thread uses it now, as the header says.
#[inline(always)]
#[allow(clippy::mut_from_ref)] // the cell of a node that one thread uses at a time
unsafe fn stamper(node: &Node, halves: bool) -> Result<&mut Stamper, Failure> {
    if node.halves != halves {
        return Err(other_way(halves));
    }
    // SAFETY: the caller's promise.
    unsafe { (*node.stamper.get()).as_mut() }.ok_or_else(finished)
}

#[cold]
fn finished() -> Failure {
    Failure::new(Code::Closed, "the node was closed before")
}

#[cold]
fn other_way(halves: bool) -> Failure {
    let text = match halves {
        true => "the node was opened for messages with headers; open it with `halves`",
        false => "the node was opened with `halves`; record with fourstamp_log_...",
    };
    Failure::new(Code::Halves, text)
}

/// # Safety
/// `given` is null or points to 32 bytes.
#[inline(always)]
unsafe fn received(given: *const [u8; HEADER_BYTES]) -> Result<Header, Failure> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { given.as_ref() }.ok_or_else(|| Failure::null("header"))?;
    Ok(Header::from_bytes(bytes)?)
}

#[inline(always)]
fn moment(ticks: u64) -> Option<Ticks> {
    (ticks != ABSENT).then_some(Ticks(ticks))
}
