//! The columns of `mpi/calls-*.parquet`.

use crate::list::NAMES;
use record::{Holds, SideColumn};

/// The table of a rank's calls: one row a call, in the order logged, which is the order of entering
/// where one thread calls MPI.
pub const CALL_COLUMNS: [SideColumn; 11] = [
    SideColumn { name: "enter_ns", holds: Holds::Numbers },
    SideColumn { name: "exit_ns", holds: Holds::Numbers },
    SideColumn { name: "call", holds: Holds::Names(NAMES) },
    SideColumn { name: "peer", holds: Holds::FewNumbers },
    SideColumn { name: "tag", holds: Holds::FewNumbers },
    SideColumn { name: "communicator", holds: Holds::FewNumbers },
    SideColumn { name: "bytes", holds: Holds::FewNumbers },
    SideColumn { name: "done_in", holds: Holds::Numbers },
    SideColumn { name: "polls", holds: Holds::FewNumbers },
    SideColumn { name: "site", holds: Holds::FewNumbers },
    SideColumn { name: "thread", holds: Holds::FewNumbers },
];

/// The file of a rank's calls, relative to the run.
pub fn calls_file(launch: u32, rank: u32) -> String {
    format!("mpi/calls-launch-{launch}-node-{rank}.parquet")
}
