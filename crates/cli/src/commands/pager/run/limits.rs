//! What the pager cannot do for this user, said once, before the program starts.

/// Where the kernel serves only faults of user mode, and nobody has asked for just that.
pub fn say(asked_for: bool) {
    // Where there is nothing at all, the library ends the program and says why.
    let Ok(abilities) = rmem::kernel_abilities() else { return };
    if !abilities.kernel_faults && !asked_for {
        eprintln!(
            "fourstamp: without root, the kernel lets the pager handle only faults in user code: \
            read, write and similar calls work on paged memory; other system calls (ioctl, \
            io_uring, asynchronous I/O) fail with EFAULT. To lift this, as root: chmod 666 \
            /dev/userfaultfd"
        );
    }
}
