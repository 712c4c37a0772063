//! The columns of `mpi/calls-*.parquet` and `mpi/waits-*.parquet`: a list each, which writer and
//! readers go by.

use crate::list::NAMES;
use record::{Holds, SideColumn};

macro_rules! columns {
    ($(#[$what:meta])* $table:ident, $all:ident;
        $($(#[$about:meta])* $column:ident = $name:literal: $holds:expr;)*
    ) => {
        $(#[$what])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $table { $($(#[$about])* $column),* }

        /// All of them, in the table's order.
        pub const $all: &[$table] = &[$($table::$column),*];

        impl $table {
            /// Its name in the file, and what it holds.
            pub const fn in_file(self) -> SideColumn {
                match self {
                    $($table::$column => SideColumn { name: $name, holds: $holds }),*
                }
            }
        }
    };
}

columns! {
    /// A column of the table of a rank's calls: one row a call, in the order logged, which is the
    /// order of entering where one thread calls MPI. Every one may hold null.
    CallColumn, CALL_COLUMNS;
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

columns! {
    /// A column of the table of a rank's blocked calls: one row for each that was blocked, from
    /// when it was entered. A nanosecond of a call is in one row at most.
    WaitColumn, WAIT_COLUMNS;
    /// Row of the table of calls.
    Call = "call": Holds::Numbers;
    /// When it was entered, ns on the timeline.
    Enter = "enter_ns": Holds::Numbers;
    /// Until then it was blocked.
    Until = "until_ns": Holds::Numbers;
    /// For what, by its number in [`crate::cause::CAUSES`]; the file has its name.
    Cause = "cause": Holds::Names(crate::cause::CAUSES);
    /// For which rank.
    By = "by": Holds::FewNumbers;
    /// The collective; of a message null, since the table of calls has the function.
    Function = "function": Holds::Names(NAMES);
    /// Where this rank called it from: a row of `sites.csv`.
    Site = "site": Holds::FewNumbers;
    /// The place at the other end of the message; of a collective null.
    OtherSite = "other_site": Holds::FewNumbers;
    /// The tag of the message that was waited for; null for a collective, as those below.
    Tag = "tag": Holds::FewNumbers;
    /// Its number among the sends of its source.
    Seq = "seq": Holds::Numbers;
    /// Its payload; of a collective what this rank gives.
    Bytes = "bytes": Holds::FewNumbers;
    /// When its send was entered.
    Ready = "ready_ns": Holds::Numbers;
    /// When it was taken; null if it never was.
    Taken = "taken_ns": Holds::Numbers;
}

/// The columns of blocked calls as a file has them.
pub fn wait_columns_in_file() -> Vec<SideColumn> {
    WAIT_COLUMNS.iter().map(|column| column.in_file()).collect()
}

/// The file of a rank's blocked calls, relative to the run.
pub fn waits_file(launch: u32, rank: u32) -> String {
    format!("mpi/waits-launch-{launch}-node-{rank}.parquet")
}

/// The columns as a file has them.
pub fn columns_in_file(columns: &[CallColumn]) -> Vec<SideColumn> {
    columns.iter().map(|column| column.in_file()).collect()
}

/// The file of a rank's calls, relative to the run.
pub fn calls_file(launch: u32, rank: u32) -> String {
    calls_files(launch).replace('*', &rank.to_string())
}

/// The files of all ranks' calls, with a star for the rank.
pub fn calls_files(launch: u32) -> String {
    format!("mpi/calls-launch-{launch}-node-*.parquet")
}
