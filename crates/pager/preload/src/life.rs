//! Beginning and end of the process.

use crate::own::Own;
use crate::{fork, packed, state};

// The loader calls these. What it loads before a program is initialised after the libraries that it
// needs, and before `main`.
#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

extern "C" fn begin() {
    state::configure(fork::watch);
    packed::begin(state::packs());
}

/// The summary is written here; faults are served on, because other libraries end after this one.
extern "C" fn end() {
    if !state::is_child()
        && let Some(memory) = state::running()
    {
        let _own = Own::begin();
        memory.finish();
    }
}
