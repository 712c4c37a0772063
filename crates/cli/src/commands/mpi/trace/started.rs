//! Whether the program was ever begun on this host: the kernel tells when its file is opened, as
//! whoever runs it must. So a launcher that fails is told apart from a program that does.

use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::{Errno, read};
use std::os::fd::OwnedFd;
use std::path::Path;

/// A watch on the program's file.
pub struct Started(Option<OwnedFd>);

impl Started {
    /// Watch from now on. What cannot be watched is not known.
    pub fn watch(program: Option<&Path>) -> Started {
        let watched = |program: &Path| {
            let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
            inotify::add_watch(&fd, program, WatchFlags::OPEN)?;
            Ok::<OwnedFd, Errno>(fd)
        };
        Started(program.and_then(|program| watched(program).ok()))
    }

    /// Whether it surely was not begun.
    pub fn never(&self) -> bool {
        let mut events = [0_u8; 1024];
        let Started(Some(fd)) = self else { return false };
        read(fd, &mut events) == Err(Errno::AGAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_program_that_runs_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("true");
        std::fs::copy("/bin/true", &program).unwrap();
        let started = Started::watch(Some(&program));
        assert!(started.never());
        assert!(Command::new(&program).status().unwrap().success());
        assert!(!started.never());
        assert!(!Started::watch(None).never(), "not known");
    }
}
