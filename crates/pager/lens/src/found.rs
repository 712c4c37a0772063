//! What was found of a paged program's transfers along the run.

use serde::{Deserialize, Serialize};

/// The page transfers of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paging {
    /// Those kinds of which the run has any.
    pub kinds: Vec<PageTransfers>,
    /// Rates from the first transfer to the last, without gaps.
    pub series: Vec<PagingBin>,
}

/// What a page travels for; also its place in the arrays of [`PagingBin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageKind {
    /// It comes back.
    In,
    /// It leaves.
    Out,
    /// It is the parity of others.
    Parity,
}

/// All transfers of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageTransfers {
    pub kind: PageKind,
    pub pages: u64,
    /// The slice in which the first hundredth of them was over begins here.
    pub from_ns: i64,
    /// The slice in which the last hundredth of them began ends here.
    pub to_ns: i64,
    /// Bytes a second from `from_ns` to `to_ns`.
    pub bytes_per_s: f64,
    /// Bytes a second in the busiest slice.
    pub peak_bytes_per_s: f64,
}

/// A slice of the timeline. A page counts when the program's side sent it or had it, whichever way
/// it went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PagingBin {
    /// Begin on the timeline.
    pub from_ns: i64,
    /// End on the timeline.
    pub to_ns: i64,
    /// Pages a second: in, out, parity.
    pub pages_per_s: [f64; 3],
    /// Bytes a second: in, out, parity.
    pub bytes_per_s: [f64; 3],
}
