//! The calls by which a process gives up what it would need to open its log: servers that begin as
//! root become somebody else before they use their first connection. Its log is begun before.

use crate::{next, state};
use libc::{c_char, c_int, gid_t, size_t, uid_t};

fn prepared(call: impl FnOnce() -> c_int) -> c_int {
    state::tracing();
    call()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setuid(user: uid_t) -> c_int {
    // SAFETY: the program's own argument.
    prepared(|| unsafe { next::setuid(user) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn seteuid(user: uid_t) -> c_int {
    // SAFETY: the program's own argument.
    prepared(|| unsafe { next::seteuid(user) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setreuid(real: uid_t, effective: uid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::setreuid(real, effective) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setresuid(real: uid_t, effective: uid_t, saved: uid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::setresuid(real, effective, saved) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setgid(group: gid_t) -> c_int {
    // SAFETY: the program's own argument.
    prepared(|| unsafe { next::setgid(group) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setegid(group: gid_t) -> c_int {
    // SAFETY: the program's own argument.
    prepared(|| unsafe { next::setegid(group) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setregid(real: gid_t, effective: gid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::setregid(real, effective) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setresgid(real: gid_t, effective: gid_t, saved: gid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::setresgid(real, effective, saved) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn setgroups(count: size_t, groups: *const gid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::setgroups(count, groups) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn initgroups(user: *const c_char, group: gid_t) -> c_int {
    // SAFETY: the program's own arguments.
    prepared(|| unsafe { next::initgroups(user, group) })
}

#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C-unwind" fn chroot(path: *const c_char) -> c_int {
    // SAFETY: the program's own argument.
    prepared(|| unsafe { next::chroot(path) })
}
