//! What can go wrong before a program runs on remote memory.

/// Why there is no paged memory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RmemError {
    /// The launcher's text is damaged.
    #[error(
        "{} cannot be read: {reason}; start the program with `fourstamp pager run`",
        crate::Config::VARIABLE
    )]
    Config {
        /// What is wrong with it.
        reason: String,
    },
    /// No file for pages that no server takes.
    #[error(
        "cannot create a file for pages in {}: {source}; name another folder with --disk",
        folder.display()
    )]
    Disk {
        /// Where.
        folder: std::path::PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A server does not take us.
    #[error(transparent)]
    Server(#[from] crate::LinkError),
    /// What is asked for cannot be.
    #[error(transparent)]
    Options(#[from] pager::OptionsError),
    /// No policy has that name.
    #[error(transparent)]
    Policy(#[from] pager::UnknownPolicy),
    /// There is no run key.
    #[error(transparent)]
    Key(#[from] fabric::KeyError),
    /// The run cannot be recorded.
    #[error("cannot record the pages: {reason}")]
    Record {
        /// Why.
        reason: String,
    },
    /// The kernel serves no page faults to this user.
    #[error(
        "the kernel refuses userfaultfd: {source}; use Linux 5.11 or newer, or as root: chmod 666 \
        /dev/userfaultfd"
    )]
    Uffd {
        /// What the system said.
        source: std::io::Error,
    },
    /// This is a forked child, which has none.
    #[error(
        "this process has no paging engine (a forked child has none); use threads, or exec \
        after fork"
    )]
    NoEngine,
    /// The kernel refuses something that paging needs.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
}
