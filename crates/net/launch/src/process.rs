//! What the system says of a process on this machine.

/// What this program is called, for commands that a user is to type.
pub fn own_name() -> String {
    let file = std::env::current_exe().ok();
    let name = file.as_deref().and_then(|path| path.file_name()).unwrap_or("fourstamp".as_ref());
    name.to_string_lossy().into_owned()
}

/// Whether the process is stopped, and one of this program: in a container a number may be another
/// process's.
pub(crate) fn is_stopped(pid: u32) -> bool {
    let ours = stat("self");
    stat(&pid.to_string()).is_some_and(|(name, state)| {
        matches!(state, 'T' | 't') && ours.is_some_and(|(ours, _)| ours == name)
    })
}

/// Name and state in `/proc/PID/stat`, proc(5).
fn stat(pid: &str) -> Option<(String, char)> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name is in brackets, and may itself have brackets and blanks.
fn parse(stat: &str) -> Option<(String, char)> {
    let (before, after) = stat.rsplit_once(") ")?;
    let (_, name) = before.split_once('(')?;
    Some((name.to_owned(), after.chars().next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_process_is_seen() {
        assert_eq!(parse("12 (a) b (c) T 1 2"), Some(("a) b (c".into(), 'T')));
        assert_eq!(parse("12 (a"), None);
        assert!(!is_stopped(std::process::id()));
        assert!(matches!(stat("self"), Some((_, 'R' | 'S' | 'D'))));
    }
}
