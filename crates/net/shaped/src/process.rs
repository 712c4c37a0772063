//! Which process a number means: numbers are used again.

/// When a process began, in the kernel's ticks since it started; `None` if there is no such
/// process.
pub fn begin_of(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in brackets and may hold anything; the begin is the 22nd.
    status.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_there_has_begun() {
        assert!(begin_of(std::process::id()).is_some());
        assert_eq!(begin_of(u32::MAX), None);
    }
}
