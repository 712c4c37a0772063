//! What TCP connections have carried when the process is done with them, by the kernel's account.
//!
//! Bytes are matched by counting those that calls have moved. Where something else moved some (a
//! child that is not traced, `dprintf`, a system call without the C library), all that follow are
//! shifted, and nothing in the calls tells. The kernel has counted them. Of pipes it says what lies
//! in them (`pipes`), and of Unix-domain connections nothing: of those only the C library's streams
//! are noticed (`stdio`).

use crate::state::Tracing;
use crate::table::{self, Known};
use crate::{begun, listing, log, origin, pipes, state, stdio};
use interpose::errno;
use libc::c_int;
use streams::entry::After;

/// Of one that is about to be closed.
pub fn note(socket: c_int, known: Known, tracing: &Tracing) {
    if known.is_uncounted() {
        stdio::notice(socket, known);
    }
    if known.is_pipe() {
        return pipes::note(socket, known, tracing);
    }
    let Some(passed) = errno::kept(|| origin::of(socket, known.number())) else { return };
    let after = After {
        socket: known.number(),
        sent: passed.sent,
        received: passed.received,
        at: tracing.now(),
    };
    if !log::write(&after.slot()) {
        state::stop();
    }
}

/// Of all, as the process ends. A call that has not returned is not logged: where there may be one,
/// nothing is said.
pub fn note_all() {
    note_each(|_| true);
}

/// Of all that the kernel does not count, as the process becomes another program.
pub fn note_uncounted() {
    note_each(Known::is_uncounted);
}

fn note_each(is_wanted: fn(Known) -> bool) {
    let Some(tracing) = state::tracing_already() else { return };
    if begun::is_sending() || !is_single_threaded() {
        return;
    }
    listing::each(|descriptor, _| {
        let known = table::get(descriptor);
        if known.is_stream() && known.is_of(tracing.generation) && is_wanted(known) {
            note(descriptor, known, &tracing);
        }
    });
}

fn is_single_threaded() -> bool {
    /// Links to a folder of one folder: its name, its own `.`, and the `..` of that.
    const LINKS: libc::nlink_t = 3;
    // SAFETY: all zeros is a value of this type, and it has room for what is asked.
    unsafe {
        let mut found: libc::stat = std::mem::zeroed();
        libc::stat(c"/proc/self/task".as_ptr(), &raw mut found) == 0 && found.st_nlink == LINKS
    }
}
