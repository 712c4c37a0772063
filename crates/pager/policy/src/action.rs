//! What the pager wants done, and how it went. The pager knows no bytes and no clock: whoever
//! drives it has both.

use crate::{Checksum, Frame, Operation, Page, Place, Slot, Tag};

/// To be carried out in the order given. What has an [`Operation`] is answered later by
/// [`Pager::done`](crate::Pager::done); what names a page of the program is answered by the input
/// that its comment names; all else happens at once and cannot fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put zeros there: nobody has written to this page yet. Answered by
    /// [`Pager::installed`](crate::Pager::installed).
    Zero {
        /// Where.
        page: Page,
    },
    /// Take the page out of the program's memory into an empty frame, in one step that no thread of
    /// the program can see half of. Answered by [`Pager::grabbed`](crate::Pager::grabbed).
    /// Neighbours of a batch follow one another in pages and in frames wherever possible.
    Grab {
        /// Which.
        page: Page,
        /// Where to.
        frame: Frame,
    },
    /// Take a page away that was put there [protected](Installed::Protected) and that no thread has
    /// written to since: its contents are outside. Who writes to it at this moment waits, and
    /// faults. Answered by [`Pager::grabbed`](crate::Pager::grabbed).
    Drop {
        /// Which.
        page: Page,
    },
    /// Give the frame's contents back to the program. The frame keeps its contents. Answered by
    /// [`Pager::installed`](crate::Pager::installed).
    Install {
        /// Where to.
        page: Page,
        /// Where from.
        frame: Frame,
        /// How.
        access: Access,
    },
    /// This page's contents are lost: any thread that touches it must be stopped.
    Poison {
        /// Which.
        page: Page,
    },
    /// The frame is of no use any more: give its memory back. It is empty again.
    Empty {
        /// Which.
        frame: Frame,
    },
    /// Fill an empty frame with zeros.
    Clear {
        /// Which.
        frame: Frame,
    },
    /// `into` becomes `into` xor `from`. Both are full.
    Xor {
        /// Unchanged.
        from: Frame,
        /// Changed.
        into: Frame,
    },
    /// Tell the checksum of a frame, by [`Pager::sum`](crate::Pager::sum).
    Sum {
        /// Of which.
        frame: Frame,
    },
    /// Keep the frame's contents and the tag in a slot. The frame stays as it is until the answer.
    Write {
        /// Answered by its number.
        operation: Operation,
        /// Where.
        place: Place,
        /// Where there.
        slot: Slot,
        /// What.
        frame: Frame,
        /// With this beside it.
        tag: Tag,
        /// For the record.
        purpose: Purpose,
    },
    /// Bring a slot's contents.
    Read {
        /// Answered by its number.
        operation: Operation,
        /// Where from.
        place: Place,
        /// Where there.
        slot: Slot,
        /// Its version must be this; anything else is [`Failure::Wrong`].
        version: u64,
        /// Its checksum must be this, if known. (That the bytes fit the tag that came with them is
        /// always checked.)
        checksum: Option<Checksum>,
        /// Where to.
        into: Into,
        /// How much it hurries.
        urgency: Urgency,
    },
    /// These slots hold nothing of use any more.
    Discard {
        /// Where.
        place: Place,
        /// Where there.
        slot: Slot,
    },
    /// Ask for room for this many slots more. Answered by
    /// [`Pager::granted`](crate::Pager::granted).
    Reserve {
        /// Where.
        place: Place,
        /// How many.
        slots: u32,
    },
}

/// Where a read goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    /// Straight into the program's memory. The operation is done when the page is there;
    /// [`Outcome`] says how that went.
    Page(Page),
    /// Into an empty frame.
    Frame(Frame),
}

/// How much a read hurries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// A thread waits for it.
    Fault,
    /// A thread is likely to want it soon.
    Prefetch,
    /// Rebuilding and moving: whenever nothing else is to be done.
    Background,
}

/// What a write is, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A page that has to leave.
    PageOut,
    /// The parity of a group.
    Parity,
    /// A page moved for safety or room: after a crash, or when groups are put together.
    Move,
}

/// How an operation went; for a read into a page, how putting it there went.
pub type Outcome = Result<Option<Installed>, Failure>;

/// Why an operation failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The place is gone, with all that it held. [`Pager::down`](crate::Pager::down) comes as well,
    /// before or after.
    Down,
    /// The place is there, and the slot holds something else than it should, or cannot be read.
    /// Counts as lost.
    Wrong,
    /// The place has no room for it, in spite of what it granted.
    Full,
}

/// What the program may do with a page that is put into its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read it and write to it.
    Write,
    /// Read it. Whoever writes to it waits until the pager has heard of it, by
    /// [`Pager::written`](crate::Pager::written). A driver may give [`Access::Write`] instead, and
    /// must where the system cannot make its own writes wait.
    Read,
}

/// How putting contents into a page of the program went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    /// They are there.
    Done,
    /// They are there, and nobody can write to them unheard: [`Access::Read`].
    Protected,
    /// Something else is there already.
    Present,
    /// The page is no longer the program's.
    Gone,
}

/// How taking a page went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grabbed {
    /// It is in the frame.
    Taken(Checksum),
    /// It is in the frame, and all zero.
    TakenZeros,
    /// It is gone, unchanged: the answer to [`Action::Drop`].
    Dropped,
    /// Nothing was there: the program gave it up.
    Absent,
    /// It cannot be taken now (a system call is using it, it is locked; it was to be dropped and
    /// may have been written to).
    Busy,
}
