//! Where each function has the arguments that the tracer reads, and the only ways to read them.
//!
//! Places are worked out from the list of functions while compiling, by name *and* by how the
//! argument is passed: an argument by value has no place among the pointers, and a pointer none
//! among the values. So `MPI_Request_get_status`, which takes the request itself, has no
//! `request` that could be followed. What a place is decides how it is read.

use crate::frame::place;
use crate::invocation::Invocation;
use crate::layout::{self, Layout};
use calls::list::{Argument, COUNT, Kind, Passing, SIGNATURES};
use std::marker::PhantomData;

/// What stands in a place.
pub trait Form: Copy {
    /// What it is, or points to.
    const KIND: Kind;
    /// Whether it points there.
    const POINTS: bool;
}

macro_rules! forms {
    ($($(#[$what:meta])* $form:ident: $kind:ident, $points:literal;)*) => {$(
        $(#[$what])*
        #[derive(Clone, Copy)]
        pub struct $form;

        impl Form for $form {
            const KIND: Kind = Kind::$kind;
            const POINTS: bool = $points;
        }
    )*};
}

forms! {
    /// A C int.
    Int: Int, false;
    /// A number of elements.
    Count: Count, false;
    /// A handle.
    Handle: Handle, false;
    /// The address of the program's data.
    Buffer: Buffer, false;
    /// A pointer to C ints, one or an array.
    Ints: Int, true;
    /// A pointer to numbers of elements.
    Counts: Count, true;
    /// A pointer to handles.
    Handles: Handle, true;
    /// A pointer to statuses, or the constant that ignores them.
    Statuses: Status, true;
}

/// Where a function has an argument of this form, if it has one.
#[derive(Clone, Copy)]
pub struct Place<F: Form> {
    at: u8,
    form: PhantomData<F>,
}

const NONE: u8 = u8::MAX;

impl<F: Form> Place<F> {
    /// The first argument of one of these names that is passed in this form.
    const fn of(arguments: &[Argument], names: &[&str]) -> Place<F> {
        let mut number = 0;
        while number < arguments.len() {
            let Argument { name, passing, kind } = arguments[number];
            let points = !matches!(passing, Passing::Value);
            if kind as u8 == F::KIND as u8 && points == F::POINTS && is_among(name, names) {
                return Place { at: place(number) as u8, form: PhantomData };
            }
            number += 1;
        }
        Place { at: NONE, form: PhantomData }
    }

    /// Whether the function has it.
    #[inline(always)]
    pub const fn exists(self) -> bool {
        self.at != NONE
    }

    #[inline(always)]
    fn word(self, call: &Invocation) -> usize {
        debug_assert!(self.exists(), "{} has it", calls::list::NAMES[call.operation]);
        call.frame.at(usize::from(self.at))
    }
}

impl Place<Int> {
    /// The number.
    #[inline(always)]
    pub fn read(self, call: &Invocation) -> i32 {
        self.word(call) as i32
    }
}

impl Place<Count> {
    /// How many; a negative number is none.
    #[inline(always)]
    pub fn read(self, call: &Invocation) -> u64 {
        layout::count(call.function(), self.word(call))
    }
}

impl Place<Handle> {
    /// The handle.
    #[inline(always)]
    pub fn read(self, call: &Invocation, layout: &Layout) -> usize {
        layout.handle(self.word(call))
    }
}

impl Place<Buffer> {
    /// Its address.
    pub fn address(self, call: &Invocation) -> usize {
        self.word(call)
    }
}

impl Place<Ints> {
    /// The number at `index`.
    ///
    /// # Safety
    /// The library must read or have written that many there.
    #[inline(always)]
    pub unsafe fn read(self, call: &Invocation, index: usize) -> i32 {
        // SAFETY: a pointer, by the list; the caller says that there are numbers.
        unsafe { layout::int_at(self.word(call), index) }
    }
}

impl Place<Counts> {
    /// The count at `index`.
    ///
    /// # Safety
    /// The library must read that many there.
    pub unsafe fn read(self, call: &Invocation, index: usize) -> u64 {
        // SAFETY: a pointer, by the list; the caller says that there are counts.
        unsafe { layout::count_at(call.operation, self.word(call), index) }
    }
}

impl Place<Handles> {
    /// The handle at `index`.
    ///
    /// # Safety
    /// The library must read or have written that many there.
    #[inline(always)]
    pub unsafe fn read(self, call: &Invocation, layout: &Layout, index: usize) -> usize {
        // SAFETY: a pointer, by the list; the caller says that there are handles.
        unsafe { layout.handle_at(self.word(call), index) }
    }

    /// Where they are.
    #[inline(always)]
    pub fn pointer(self, call: &Invocation) -> usize {
        self.word(call)
    }
}

impl Place<Statuses> {
    /// Where the call writes them: to the program's own, or to `own` when the program ignores
    /// them.
    #[inline(always)]
    pub fn observed(self, call: &Invocation, own: &mut [usize], layout: &Layout) -> usize {
        let given = self.word(call);
        if given != layout.status_ignore {
            return given;
        }
        let own = own.as_mut_ptr() as usize;
        call.replace(usize::from(self.at), own);
        own
    }
}

macro_rules! places {
    ($($field:ident: $form:ident = $($name:literal)|+;)*) => {
        /// The places of a function's arguments in its frame.
        #[derive(Clone, Copy)]
        #[allow(missing_docs)]
        pub struct Places { $(pub $field: Place<$form>),* }

        impl Places {
            const fn of(arguments: &[Argument]) -> Places {
                Places { $($field: Place::of(arguments, &[$($name),+])),* }
            }
        }
    };
}

places! {
    count: Count = "count" | "incount";
    datatype: Handle = "datatype";
    dest: Int = "dest";
    source: Int = "source";
    tag: Int = "tag" | "sendtag";
    recvtag: Int = "recvtag";
    comm: Handle = "comm";
    newcomm: Handles = "newcomm";
    old: Handles = "old";
    request: Handles = "request";
    inspected: Handle = "request";
    requests: Handles = "array_of_requests";
    status: Statuses = "status" | "array_of_statuses";
    index: Ints = "index";
    indices: Ints = "array_of_indices";
    outcount: Ints = "outcount";
    flag: Ints = "flag";
    required: Int = "required";
    message: Handles = "message";
    root: Int = "root";
    sendbuf: Buffer = "sendbuf";
    sendcount: Count = "sendcount";
    sendcounts: Counts = "sendcounts";
    sendtype: Handle = "sendtype";
    sendtypes: Handles = "sendtypes";
    recvcount: Count = "recvcount";
    recvcounts: Counts = "recvcounts";
    recvtype: Handle = "recvtype";
    recvtypes: Handles = "recvtypes";
    partitions: Int = "partitions";
    low: Int = "partition_low";
    high: Int = "partition_high";
    length: Int = "length";
    session: Handles = "session";
    win: Handle = "win";
    window: Handles = "win";
    target: Int = "target_rank" | "rank";
    target_count: Count = "target_count";
    target_datatype: Handle = "target_datatype";
    lock_type: Int = "lock_type";
    group: Handle = "group";
}

/// By operation.
pub static PLACES: &[Places] = &{
    let mut table = [Places::of(&[]); COUNT];
    let mut operation = 0;
    while operation < COUNT {
        table[operation] = Places::of(SIGNATURES[operation]);
        operation += 1;
    }
    table
};

const fn is_among(name: &str, names: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        if same(name.as_bytes(), names[at].as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::list::{CLASSES, Class, NAMES, Operation};

    #[test]
    fn places_skip_the_return_address() {
        let recv = PLACES[Operation::Recv as usize];
        let places = (recv.count.at, recv.source.at, recv.comm.at, recv.status.at);
        assert_eq!(places, (1, 3, 5, 7));
        assert!(!recv.dest.exists());
        let sendrecv = PLACES[Operation::Sendrecv as usize];
        let places = (sendrecv.tag.at, sendrecv.recvtag.at, sendrecv.status.at);
        assert_eq!(places, (4, 10, 12));
    }

    #[test]
    fn what_is_passed_by_value_cannot_be_followed() {
        for operation in [Operation::Request_get_status, Operation::Pready, Operation::Parrived] {
            let places = PLACES[operation as usize];
            assert!(places.inspected.exists() && !places.request.exists(), "{operation:?}");
        }
        let wait = PLACES[Operation::Wait as usize];
        assert!(wait.request.exists() && !wait.inspected.exists());
    }

    #[test]
    fn every_function_has_the_arguments_that_its_class_reads() {
        for (operation, places) in PLACES.iter().enumerate() {
            let (source, dest) = (places.source.exists(), places.dest.exists());
            let (tag, comm) = (places.tag.exists(), places.comm.exists());
            let (request, status) = (places.request.exists(), places.status.exists());
            let sized = places.count.exists() && places.datatype.exists();
            let message = tag && comm;
            let whole = match CLASSES[operation] {
                Class::Send => sized && dest && message,
                Class::StartSend | Class::PrepareSend => sized && dest && message && request,
                Class::Receive => sized && source && message && status,
                Class::StartReceive | Class::PrepareReceive => {
                    sized && source && message && request
                }
                Class::SendReceive => {
                    dest && source && message && places.recvtag.exists() && status
                }
                Class::StartSendReceive => {
                    dest && source && message && places.recvtag.exists() && request
                }
                Class::Ready => places.inspected.exists(),
                Class::Probe => source && message && status,
                Class::MatchedProbe => source && message && places.message.exists() && status,
                Class::MatchedReceive => sized && places.message.exists() && (status != request),
                Class::Inspect => places.inspected.exists() || places.requests.exists(),
                Class::Collective => comm,
                Class::Window => places.win.exists() || places.window.exists(),
                Class::Epoch => places.win.exists(),
                Class::OneSided => places.win.exists() && places.target.exists(),
                Class::StartCollective | Class::PrepareCollective => comm && request,
                Class::Start | Class::Request => request != places.requests.exists(),
                Class::Wait | Class::Test => (request != places.requests.exists()) && status,
                Class::Communicator => places.newcomm.exists() != places.old.exists(),
                Class::Datatype | Class::Life | Class::Other | Class::Local => true,
            };
            assert!(whole, "{}", NAMES[operation]);
        }
    }
}
