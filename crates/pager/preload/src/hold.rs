//! Pages that stay while the kernel works on them, where it serves only faults of user mode: it
//! would answer `EFAULT` for a page that is away.

use crate::own::{self, Own};
use crate::state::{is_child, most_held, running};
use crate::table::Part;
use interpose::errno;
use rmem::Hold;

/// Whether a range needs holding: paged, in this process, and the kernel serves only faults of user
/// mode.
#[inline(always)]
pub fn needs(address: usize, bytes: usize) -> bool {
    running().is_some_and(|memory| memory.user_mode_only() && memory.covers(address, bytes))
        && !is_child()
        && !own::inside()
}

/// Hold a range if it needs it.
pub fn hold((address, bytes): Part) -> Option<Hold<'static>> {
    if !needs(address, bytes) {
        return None;
    }
    let _own = Own::begin();
    running().map(|memory| memory.hold(address, bytes))
}

/// Let go, without a trace in `errno`.
pub fn let_go<T>(held: T) {
    errno::kept(|| {
        let _own = Own::begin();
        drop(held);
    });
}

/// Move a range piece by piece, each held meanwhile. `whole` says whether a full piece is followed
/// by another: where less is an answer too, waiting for more may be wrong.
pub fn in_pieces(
    address: usize,
    bytes: usize,
    whole: bool,
    mut piece: impl FnMut(usize, usize) -> isize,
) -> isize {
    let mut done = 0;
    loop {
        let wanted = (bytes - done).min(most_held());
        let held = hold((address + done, wanted));
        let moved = piece(done, wanted);
        let_go(held);
        let Ok(moved) = usize::try_from(moved) else {
            return if done == 0 { moved } else { done.cast_signed() };
        };
        done += moved;
        if moved < wanted || done == bytes || !whole {
            return done.cast_signed();
        }
    }
}
