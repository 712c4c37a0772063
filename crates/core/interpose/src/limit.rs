//! How long a file of the process may be (`ulimit -f`).

/// Whether a file may have so many bytes. Beyond the limit the kernel does not only refuse: it
/// sends `SIGXFSZ`, which ends the process. Whoever writes in a program's place asks before.
pub fn allows_file_of(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: room for the limit.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    bytes <= limit.rlim_cur
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_as_long_as_the_limit_says() {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: room for the limit, which is lowered to what no test here writes.
        unsafe {
            libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit);
            limit.rlim_cur = limit.rlim_max.min(1 << 40);
            libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
        }
        assert!(allows_file_of(limit.rlim_cur) && !allows_file_of(limit.rlim_cur + 1));
    }
}
