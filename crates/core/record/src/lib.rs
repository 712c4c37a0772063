//! THE record: what every message leaves behind, and the run folder that keeps it.
//!
//! Producers write through a [`Recorder`] (or, in a few lines, through a [`Stamper`]); readers open
//! a [`Run`] and read its [`Chunk`]s. docs/FORMAT.md describes the files for everybody else.
//!
//! This crate knows no producer. It does not interpret messages, and it never repairs them: what is
//! missing is null, what was lost is counted in [`Lost`].

#![forbid(unsafe_code)]

mod anchoring;
mod batch;
mod buffer;
mod buffer_head;
mod causes;
mod chunk;
mod clock_log;
mod close;
mod codes;
mod column;
mod column_bytes;
mod column_in;
mod column_out;
mod csv_field;
mod delta;
mod draft;
mod error;
mod filing;
mod filling;
mod folder;
mod folder_lock;
mod guard;
mod halves;
mod header;
mod hybrid;
mod info;
mod input;
mod keep;
mod kind;
mod leftover;
mod levels;
mod linked;
mod log;
mod machine;
mod messages_out;
mod models;
mod parquet_out;
mod pauses;
mod recorder;
mod ring;
mod row;
mod rows;
mod run;
mod run_files;
mod run_id;
mod sheet;
mod side_table;
mod stamper;
mod table;
mod unlisted;
mod whole_file;

pub use batch::{Batch, NULL, Values};
pub use causes::{Cause, CauseLog, CauseSpan, NodeCauses};
pub use chunk::{Chunk, chunks_of_file};
pub use close::Closing;
pub use column::{Column, Field, Schema};
pub use csv_field::csv_field;
pub use error::{MAX_CAPACITY_ROWS, RecordError};
pub use filing::{Filed, Filing, full_batch};
pub use folder::RunFolder;
pub use header::{HEADER_BYTES, Header, HeaderError};
pub use info::{Domain, Launch, Lost, NodeInfo, Origin, RunInfo, State};
pub use input::{TEXT_BYTES_MAX, open_input, read_input, read_text};
pub use kind::Kind;
pub use leftover::{Leftover, Verdict, make_room};
pub use log::{LogDamage, LogHead, LogHeadError, LogReader};
pub use machine::Machine;
pub use messages_out::MessagesFile;
pub use pauses::Pauses;
pub use recorder::{Mode, Recorder, RecorderOptions, WhenFull};
pub use row::{ABSENT, ArrivedClock, BASE_WORDS, How, Row};
pub use run::Run;
pub use run_files::is_open;
pub use run_id::RunId;
pub use sheet::{NodeSheet, OtherProcess};
pub use side_table::{Holds, SideBatch, SideColumn, SideReader, SideWriter};
pub use stamper::{StampSender, Stamper};
pub use table::ROW_GROUP_ROWS;
pub use whole_file::{folder_of, named_temporary, write_whole};

/// Format of everything in a run folder. A reader refuses a higher number; docs/FORMAT.md says what
/// raises it.
pub const FORMAT: u32 = 1;
