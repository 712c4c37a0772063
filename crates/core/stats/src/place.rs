//! Where rows belong.

/// Where some rows of a batch belong: their launch, and their block if it is known.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub launch: u32,
    pub block: Option<usize>,
}
