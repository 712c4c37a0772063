//! Where a program's data can be.

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternative {
    /// All in memory.
    AllMemory,
    /// The kernel swaps.
    Swap,
    /// Paged to the local disk.
    Disk,
    /// Paged to memory servers here, without reliability.
    NoParity,
    /// The same, with parity logging.
    ParityLog,
    /// Parity logging over a link of so many bits a second.
    Network(u64),
}

impl Alternative {
    /// As the tables say.
    pub fn name(self) -> String {
        match self {
            Alternative::AllMemory => "all memory".into(),
            Alternative::Swap => "kernel swap".into(),
            Alternative::Disk => "disk".into(),
            Alternative::NoParity => "no parity".into(),
            Alternative::ParityLog => "parity log".into(),
            Alternative::Network(bits) if bits % 1_000_000_000 == 0 => {
                format!("{} Gbit/s", bits / 1_000_000_000)
            }
            Alternative::Network(bits) if bits % 1_000_000 == 0 => {
                format!("{} Mbit/s", bits / 1_000_000)
            }
            Alternative::Network(bits) => format!("{} kbit/s", bits / 1000),
        }
    }

    /// What `fourstamp pager run` is told.
    pub fn policy(self) -> &'static str {
        match self {
            Alternative::Disk => "disk",
            Alternative::NoParity => "none",
            _ => "parity-log",
        }
    }

    /// Whether it takes memory servers, and one for parity.
    pub fn servers(self) -> (bool, bool) {
        match self {
            Alternative::AllMemory | Alternative::Swap | Alternative::Disk => (false, false),
            Alternative::NoParity => (true, false),
            Alternative::ParityLog | Alternative::Network(_) => (true, true),
        }
    }
}
