//! What a forked child gets of its parent's paged memory, where `--fork-budget` is large enough for
//! all that has contents: the same pages, as the kernel shares any memory with a child.
//!
//! Before the fork the engine brings all of it, and lets no page leave until the child is there. In
//! the child it is ordinary memory: what an engine pages is known in its own process only. Threads
//! that write meanwhile do no harm, as at any fork.

use crate::paged::table;
use crate::state;
use crate::table::{Kind, Part, Table};
use crate::{own, raw, say};
use rmem::Memory;
use std::sync::MutexGuard;
use std::sync::atomic::AtomicBool;

/// Paged memory that a child is about to share.
pub struct Shared {
    memory: &'static Memory,
    parts: Vec<Part>,
}

/// All is here, and stays.
pub struct Gathered(&'static Memory);

impl Gathered {
    /// Bring all that is paged; `None` where there is none, or where a child gets none.
    pub fn bring() -> Option<Gathered> {
        let budget = state::fork_budget();
        if budget == 0 || state::is_child() || own::inside() {
            return None;
        }
        let memory = state::running()?;
        let _own = own::Own::begin();
        let parts = readable(&table());
        if parts.is_empty() || !granted(memory.gather(budget), budget) {
            return None;
        }
        let gathered = Gathered(memory);
        if parts.iter().all(|(address, bytes)| memory.bring(*address, *bytes)) {
            return Some(gathered);
        }
        static LOST: AtomicBool = AtomicBool::new(false);
        say::once(
            &LOST,
            format_args!("forked children get none of the paged memory: a part of it is lost"),
        );
        memory.scatter();
        None
    }

    /// Let the child have it. With the list at hand, so that nothing is mapped meanwhile; what was
    /// mapped since is here as well.
    pub fn share(self, table: &MutexGuard<'static, Table>) -> Shared {
        let shared = Shared { memory: self.0, parts: readable(table) };
        shared.advise(libc::MADV_DOFORK);
        shared
    }
}

impl Shared {
    /// In the parent: no other child gets it. Another thread may fork as soon as the list is free.
    pub fn end(self, table: MutexGuard<'static, Table>) {
        self.advise(libc::MADV_DONTFORK);
        drop(table);
        let _own = own::Own::begin();
        self.memory.scatter();
    }

    /// Where that fails the child lacks the part, and ends at a touch.
    fn advise(&self, advice: libc::c_int) {
        for (address, bytes) in &self.parts {
            // SAFETY: paged memory; what a child gets of it changes nothing here.
            unsafe { raw::madvise(*address, *bytes, advice) };
        }
    }
}

/// What cannot be read now is not there in a child either: nobody can touch it.
fn readable(table: &Table) -> Vec<Part> {
    let readable = |kind| match kind {
        Kind::Shut(access) => access & libc::PROT_READ != 0,
        _ => true,
    };
    table.all_paged().filter(|(_, kind)| readable(*kind)).map(|(part, _)| part).collect()
}

fn granted(granted: bool, budget: u64) -> bool {
    static LARGE: AtomicBool = AtomicBool::new(false);
    if !granted {
        say::once(
            &LARGE,
            format_args!(
                "forked children get none of the paged memory: its contents are more than \
                --fork-budget, {budget} bytes"
            ),
        );
    }
    granted
}
