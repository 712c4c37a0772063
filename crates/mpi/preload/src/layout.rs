//! What the libraries' binary interfaces differ in: the width of handles, their constants, and
//! where a status has its fields.
//!
//! A test below prints the same from each installed `mpi.h`.

use calls::list::is_large;

/// One library's binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Handles are pointers, else 32-bit numbers.
    pub wide_handles: bool,
    /// `sizeof(MPI_Status)`.
    pub status_bytes: usize,
    /// Offset of `MPI_SOURCE`.
    pub source_at: usize,
    /// Offset of `MPI_TAG`.
    pub tag_at: usize,
    /// Offset of `MPI_ERROR`.
    pub error_at: usize,
    /// Offset of the word that tells whether a request was cancelled, in its lowest bit.
    pub cancelled_at: usize,
    /// Offsets of the low and high 32 bits of the bytes received, and by how many bits the high
    /// ones are shifted there.
    pub bytes_at: (usize, usize, u32),
    /// `MPI_ANY_SOURCE`.
    pub any_source: i32,
    /// `MPI_PROC_NULL`.
    pub proc_null: i32,
    /// `MPI_ROOT`.
    pub root: i32,
    /// `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
    pub status_ignore: usize,
    /// `MPI_IN_PLACE`.
    pub in_place: usize,
    /// Classes of errors.
    pub errors: Errors,
    /// Kinds of topologies.
    pub topologies: Topologies,
    /// `MPI_LOCK_EXCLUSIVE`.
    pub lock_exclusive: i32,
}

/// Kinds of topologies that the libraries number differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topologies {
    /// `MPI_CART`.
    pub cart: i32,
    /// `MPI_GRAPH`.
    pub graph: i32,
}

/// Classes of errors that say something of messages and requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors {
    /// A receive was too small for its message.
    pub truncate: i32,
    /// Each status has its own.
    pub in_status: i32,
    /// In a status: the request is still under way.
    pub pending: i32,
}

/// `MPI_ANY_TAG`, the same in both.
pub const ANY_TAG: i32 = -1;
/// `MPI_UNDEFINED`, the same in both.
pub const UNDEFINED: i32 = -32766;
/// `MPI_DIST_GRAPH`, the same in both.
pub const DIST_GRAPH: i32 = 3;
/// The largest status of them, in words.
pub const STATUS_WORDS: usize = 3;

/// Open MPI 3 to 5.
pub const OPEN_MPI: Layout = Layout {
    wide_handles: true,
    status_bytes: 24,
    source_at: 0,
    tag_at: 4,
    error_at: 8,
    cancelled_at: 12,
    bytes_at: (16, 20, 0),
    any_source: -1,
    proc_null: -2,
    root: -4,
    status_ignore: 0,
    in_place: 1,
    errors: Errors { truncate: 15, in_status: 18, pending: 19 },
    topologies: Topologies { cart: 1, graph: 2 },
    lock_exclusive: 1,
};

/// MPICH 3.1 and later, and what shares its binary interface (Intel MPI, MVAPICH, Cray MPICH).
pub const MPICH: Layout = Layout {
    wide_handles: false,
    status_bytes: 20,
    source_at: 8,
    tag_at: 12,
    error_at: 16,
    cancelled_at: 4,
    bytes_at: (0, 4, 1),
    any_source: -2,
    proc_null: -1,
    root: -3,
    status_ignore: 1,
    in_place: usize::MAX,
    errors: Errors { truncate: 14, in_status: 17, pending: 18 },
    topologies: Topologies { cart: 2, graph: 1 },
    lock_exclusive: 234,
};

/// Handles that the tracer needs for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handles {
    /// `MPI_COMM_WORLD`.
    pub world: usize,
    /// `MPI_COMM_SELF`.
    pub itself: usize,
    /// `MPI_COMM_NULL`.
    pub comm_null: usize,
    /// `MPI_REQUEST_NULL`.
    pub request_null: usize,
    /// `MPI_DATATYPE_NULL`.
    pub type_null: usize,
    /// `MPI_BYTE`.
    pub byte: usize,
}

/// MPICH's handles are constants; Open MPI's are addresses of its objects.
pub const MPICH_HANDLES: Handles = Handles {
    world: 0x4400_0000,
    itself: 0x4400_0001,
    comm_null: 0x0400_0000,
    request_null: 0x2c00_0000,
    type_null: 0x0c00_0000,
    byte: 0x4c00_010d,
};

/// What a status says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Rank that sent.
    pub source: i32,
    /// Tag.
    pub tag: i32,
    /// Error code; only of use where the call said that errors are in the statuses.
    pub error: i32,
    /// Whether the request was cancelled.
    pub cancelled: bool,
    /// Bytes received.
    pub bytes: u64,
}

impl Layout {
    /// An argument that is a handle.
    #[inline(always)]
    pub fn handle(&self, word: usize) -> usize {
        if self.wide_handles { word } else { word as u32 as usize }
    }

    /// The handle at `pointer` + `index` handles.
    ///
    /// # Safety
    /// There must be that many handles.
    #[inline(always)]
    pub unsafe fn handle_at(&self, pointer: usize, index: usize) -> usize {
        match self.wide_handles {
            // SAFETY: the caller says that the handles are there; handles of this library are
            // pointers.
            true => unsafe { (pointer as *const usize).add(index).read_unaligned() },
            // SAFETY: the same, with handles of four bytes.
            false => unsafe { (pointer as *const u32).add(index).read_unaligned() as usize },
        }
    }

    /// Read the status at `pointer` + `index` statuses.
    ///
    /// # Safety
    /// There must be that many statuses, filled in by the library.
    #[inline(always)]
    pub unsafe fn status_at(&self, pointer: usize, index: usize) -> Status {
        let start = pointer + index * self.status_bytes;
        // SAFETY: the offsets lie within a status, and the caller says that it is there.
        let word = |offset: usize| unsafe { ((start + offset) as *const i32).read_unaligned() };
        let (low, high, shift) = self.bytes_at;
        Status {
            source: word(self.source_at),
            tag: word(self.tag_at),
            error: word(self.error_at),
            cancelled: word(self.cancelled_at) & 1 != 0,
            bytes: u64::from(word(low) as u32) | u64::from(word(high) as u32 >> shift) << 32,
        }
    }
}

/// A count among the arguments of `operation`, or in an array of them: 64 bits wide in the
/// functions with large counts, else an int.
#[inline(always)]
pub fn count(operation: usize, word: usize) -> u64 {
    let count = if is_large(operation) { word as i64 } else { i64::from(word as i32) };
    u64::try_from(count).unwrap_or(0)
}

/// The count at `pointer` + `index` counts of `operation`.
///
/// # Safety
/// There must be that many.
pub unsafe fn count_at(operation: usize, pointer: usize, index: usize) -> u64 {
    match is_large(operation) {
        // SAFETY: the caller says that the counts are there, of eight bytes.
        true => count(operation, unsafe { (pointer as *const usize).add(index).read_unaligned() }),
        // SAFETY: the same, with counts of four bytes.
        false => count(operation, unsafe { int_at(pointer, index) } as usize),
    }
}

/// The number at `pointer` + `index` numbers.
///
/// # Safety
/// There must be that many.
#[inline(always)]
pub unsafe fn int_at(pointer: usize, index: usize) -> i32 {
    // SAFETY: the caller says that the numbers are there.
    unsafe { (pointer as *const i32).add(index).read_unaligned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpi_facts::ThreadLevel;
    use std::collections::HashMap;
    use std::process::Command;

    /// What the installed library's `mpi.h` says; `None` where it is not installed.
    fn header(library: &str) -> Option<HashMap<String, i128>> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("constants");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/constants.c");
        let mut compiler = Command::new(format!("mpicc.{library}"));
        let Ok(compiled) = compiler.arg("-o").arg(&program).arg(source).output() else {
            println!("skipped: mpicc.{library} is not installed");
            return None;
        };
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let printed = String::from_utf8(Command::new(program).output().unwrap().stdout).unwrap();
        let facts = printed.lines().map(|line| line.split_once(' ').unwrap());
        Some(facts.map(|(name, value)| (name.to_string(), value.parse().unwrap())).collect())
    }

    fn compare(layout: &Layout, header: &HashMap<String, i128>) {
        let expected: &[(&str, i128)] = &[
            ("wide_handles", i128::from(layout.wide_handles)),
            ("status_bytes", layout.status_bytes as i128),
            ("source_at", layout.source_at as i128),
            ("tag_at", layout.tag_at as i128),
            ("error_at", layout.error_at as i128),
            ("cancelled_at", layout.cancelled_at as i128),
            ("bytes_at", layout.bytes_at.0 as i128),
            ("any_source", layout.any_source.into()),
            ("any_tag", ANY_TAG.into()),
            ("proc_null", layout.proc_null.into()),
            ("root", layout.root.into()),
            ("undefined", UNDEFINED.into()),
            ("thread_multiple", ThreadLevel::MULTIPLE.0.into()),
            ("status_ignore", layout.status_ignore as i128),
            ("statuses_ignore", layout.status_ignore as i128),
            ("in_place", layout.in_place as i128),
            ("err_truncate", layout.errors.truncate.into()),
            ("err_in_status", layout.errors.in_status.into()),
            ("err_pending", layout.errors.pending.into()),
            ("cart", layout.topologies.cart.into()),
            ("graph", layout.topologies.graph.into()),
            ("lock_exclusive", layout.lock_exclusive.into()),
            ("dist_graph", DIST_GRAPH.into()),
        ];
        for (name, value) in expected {
            assert_eq!(header[*name], *value, "{name}");
        }
        assert!(layout.status_bytes <= STATUS_WORDS * 8);
    }

    #[test]
    fn open_mpi_is_as_its_header_says() {
        header("openmpi").iter().for_each(|header| compare(&OPEN_MPI, header));
    }

    #[test]
    fn mpich_is_as_its_header_says() {
        let Some(header) = header("mpich") else { return };
        compare(&MPICH, &header);
        let handles = [
            ("world", MPICH_HANDLES.world),
            ("itself", MPICH_HANDLES.itself),
            ("comm_null", MPICH_HANDLES.comm_null),
            ("request_null", MPICH_HANDLES.request_null),
            ("type_null", MPICH_HANDLES.type_null),
            ("byte", MPICH_HANDLES.byte),
        ];
        handles
            .iter()
            .for_each(|(name, handle)| assert_eq!(header[*name], *handle as i128, "{name}"));
    }

    #[test]
    fn both_statuses_are_read_alike() {
        let expected = Status { source: 3, tag: 9, error: 0, cancelled: true, bytes: 5 << 32 | 7 };
        let open_mpi = [3, 9, 0, 1, 7, 5];
        let mpich = [7, 5 << 1 | 1, 3, 9, 0];
        // SAFETY: the arrays are as long as the statuses.
        let read = unsafe {
            [
                OPEN_MPI.status_at(open_mpi.as_ptr() as usize, 0),
                MPICH.status_at(mpich.as_ptr() as usize, 0),
            ]
        };
        assert_eq!(read, [expected, expected]);
    }
}
