//! The columns of `mpi/calls-*.parquet`: one list, which writer and readers go by.

use crate::list::NAMES;
use record::{Holds, SideColumn};

macro_rules! columns {
    ($($(#[$about:meta])* $column:ident = $name:literal: $holds:expr;)*) => {
        /// A column of the table of a rank's calls: one row a call, in the order logged, which is
        /// the order of entering where one thread calls MPI. Every one may hold null.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum CallColumn { $($(#[$about])* $column),* }

        /// All of them, in the table's order.
        pub const CALL_COLUMNS: &[CallColumn] = &[$(CallColumn::$column),*];

        impl CallColumn {
            /// Its name in the file, and what it holds.
            pub const fn in_file(self) -> SideColumn {
                match self {
                    $(CallColumn::$column => SideColumn { name: $name, holds: $holds }),*
                }
            }
        }
    };
}

columns! {
    /// When it was entered, ns on the timeline.
    Enter = "enter_ns": Holds::Numbers;
    /// When it was left; null for a call that the rank never left.
    Exit = "exit_ns": Holds::Numbers;
    /// The function, by its number in [`crate::list`]; the file has its name.
    Call = "call": Holds::Names(NAMES);
    /// Rank in the world that it sends to or receives from, the root of a collective; −2 for any
    /// source.
    Peer = "peer": Holds::FewNumbers;
    /// The tag.
    Tag = "tag": Holds::FewNumbers;
    /// A row of `communicators.csv`.
    Communicator = "communicator": Holds::FewNumbers;
    /// Sent or received; of a collective what this rank gives.
    Bytes = "bytes": Holds::FewNumbers;
    /// Row of the call that completed the request that this call began.
    DoneIn = "done_in": Holds::Numbers;
    /// So many calls in a row that found nothing, put together.
    Polls = "polls": Holds::FewNumbers;
    /// Where it was called from: a row of `sites.csv`.
    Site = "site": Holds::FewNumbers;
    /// Which thread called, numbered by their first calls.
    Thread = "thread": Holds::FewNumbers;
}

/// The columns as a file has them.
pub fn columns_in_file(columns: &[CallColumn]) -> Vec<SideColumn> {
    columns.iter().map(|column| column.in_file()).collect()
}

/// The file of a rank's calls, relative to the run.
pub fn calls_file(launch: u32, rank: u32) -> String {
    format!("mpi/calls-launch-{launch}-node-{rank}.parquet")
}
