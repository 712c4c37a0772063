//! What the pager cannot do for this user, said once, before the program starts.

/// Where the kernel serves only faults of user mode, and nobody has asked for just that.
pub fn say(asked_for: bool) {
    // Where there is nothing at all, the library ends the program and says why.
    let Ok(abilities) = rmem::kernel_abilities() else { return };
    if !abilities.kernel_faults && !asked_for {
        eprintln!(
            "fourstamp: the kernel serves this user only faults of the program's own instructions: \
            read, write and their kin work on paged memory, other system calls (ioctl, io_uring, \
             asynchronous I/O) fail there with EFAULT; as root, chmod 666 /dev/userfaultfd lifts \
             that"
        );
    }
}
