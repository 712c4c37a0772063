//! Transfers of several buffers at once. As many of the first bytes as may be held are moved; the
//! answer says how many, as for any short transfer.

use crate::hold::{hold, let_go, needs};
use crate::next;
use crate::state::most_held;
use libc::{c_int, iovec, msghdr, off_t, ssize_t};
use rmem::Hold;

/// The buffers of one call, held.
struct Held {
    vectors: Vec<iovec>,
    holds: Vec<Option<Hold<'static>>>,
}

impl Held {
    /// The first bytes of the buffers, no more than may be held at once; `None` when no buffer
    /// needs holding.
    ///
    /// # Safety
    /// `vectors` must be `count` buffers, as the system call takes them.
    unsafe fn of(vectors: *const iovec, count: usize) -> Option<Held> {
        // The kernel refuses more than 1024, and an empty list need not be anywhere.
        if count == 0 || count > 1024 || vectors.is_null() {
            return None;
        }
        // SAFETY: the caller says so.
        let all = unsafe { std::slice::from_raw_parts(vectors, count) };
        if !all.iter().any(|one| needs(one.iov_base as usize, one.iov_len)) {
            return None;
        }
        let vectors = first(all, most_held());
        let holds = vectors.iter().map(|one| hold((one.iov_base as usize, one.iov_len))).collect();
        Some(Held { vectors, holds })
    }

    /// Make the call and let go.
    fn during(self, call: impl FnOnce(*const iovec, c_int) -> ssize_t) -> ssize_t {
        let moved = call(self.vectors.as_ptr(), self.vectors.len() as c_int);
        let_go(self.holds);
        moved
    }
}

/// The first `most` bytes of buffers.
fn first(all: &[iovec], most: usize) -> Vec<iovec> {
    let mut left = most;
    let mut vectors = Vec::with_capacity(all.len());
    for one in all {
        let taken = one.iov_len.min(left);
        vectors.push(iovec { iov_base: one.iov_base, iov_len: taken });
        left -= taken;
        if left == 0 {
            break;
        }
    }
    vectors
}

macro_rules! vectors {
    ($($name:ident => $next:ident($($offset:ident: $kind:ty)?);)*) => {
        $(
            /// # Safety
            /// As for the C library's function of this name.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $name(
                file: c_int, vectors: *const iovec, count: c_int $(, $offset: $kind)?
            ) -> ssize_t {
                // SAFETY: the caller's own arguments; what is held is a part of them.
                unsafe {
                    match Held::of(vectors, usize::try_from(count).unwrap_or(0)) {
                        None => next::$next(file, vectors, count $(, $offset)?),
                        Some(held) => held.during(|vectors, count| {
                            next::$next(file, vectors, count $(, $offset)?)
                        }),
                    }
                }
            }
        )*
    };
}

vectors! {
    readv => readv();
    writev => writev();
    preadv => preadv(offset: off_t);
    preadv64 => preadv(offset: off_t);
    pwritev => pwritev(offset: off_t);
    pwritev64 => pwritev(offset: off_t);
}

/// # Safety
/// As for `recvmsg(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn recvmsg(socket: c_int, message: *mut msghdr, flags: c_int) -> ssize_t {
    // SAFETY: the caller gives a message.
    let Some(held) = (unsafe { Held::of((*message).msg_iov, (*message).msg_iovlen) }) else {
        // SAFETY: the caller's own arguments.
        return unsafe { next::recvmsg(socket, message, flags) };
    };
    // SAFETY: the caller gives a message; a copy with fewer bytes takes its place in the call, and
    // what the kernel says of the rest goes back.
    unsafe {
        let mut fewer = *message;
        let moved = held.during(|vectors, count| {
            (fewer.msg_iov, fewer.msg_iovlen) = (vectors.cast_mut(), count as usize);
            next::recvmsg(socket, &raw mut fewer, flags)
        });
        (fewer.msg_iov, fewer.msg_iovlen) = ((*message).msg_iov, (*message).msg_iovlen);
        *message = fewer;
        moved
    }
}

/// # Safety
/// As for `sendmsg(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn sendmsg(socket: c_int, message: *const msghdr, flags: c_int) -> ssize_t {
    // SAFETY: the caller gives a message.
    let Some(held) = (unsafe { Held::of((*message).msg_iov, (*message).msg_iovlen) }) else {
        // SAFETY: the caller's own arguments.
        return unsafe { next::sendmsg(socket, message, flags) };
    };
    // SAFETY: the caller gives a message; a copy with fewer bytes takes its place in the call.
    unsafe {
        let mut fewer = *message;
        held.during(|vectors, count| {
            (fewer.msg_iov, fewer.msg_iovlen) = (vectors.cast_mut(), count as usize);
            next::sendmsg(socket, &raw const fewer, flags)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_of_several_buffers() {
        let of = |lengths: &[usize]| -> Vec<iovec> {
            lengths
                .iter()
                .map(|length| iovec { iov_base: std::ptr::null_mut(), iov_len: *length })
                .collect()
        };
        let lengths = |all: &[iovec]| all.iter().map(|one| one.iov_len).collect::<Vec<_>>();
        assert_eq!(lengths(&first(&of(&[3, 0, 4]), 100)), [3, 0, 4]);
        assert_eq!(lengths(&first(&of(&[3, 4, 5]), 5)), [3, 2]);
        assert_eq!(lengths(&first(&of(&[3, 4, 5]), 3)), [3]);
    }
}
