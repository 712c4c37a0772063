//! Paged memory by blocks: the engine and the list of ranges, kept alike.
//!
//! A range leaves the list before the engine gives it back, and enters it after the engine has made
//! it: whatever another thread gets at the same addresses in between finds the list without them.

use crate::own::Own;
use crate::say;
use crate::state::{self, PAGE};
use crate::table::{Kind, Part, Table};
use rmem::Memory;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

static TABLE: Mutex<Table> = Mutex::new(Table::new());

/// The list. Whoever has it must not touch paged memory and must not wait for the engine.
pub fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Up to whole pages; `None` beyond the address space.
pub fn whole_pages(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(PAGE).filter(|bytes| isize::try_from(*bytes).is_ok())
}

/// New zeroed memory at a multiple of `alignment`, a power of two. `None` when there is none; says
/// why the first time.
pub fn allocate(memory: &Memory, bytes: usize, alignment: usize, kind: Kind) -> Option<*mut u8> {
    let _own = Own::begin();
    let bytes = whole_pages(bytes.max(1))?;
    // The engine gives whole pages; what must lie on more is cut out of more.
    let spare = alignment.max(PAGE) - PAGE;
    let whole = whole_pages(bytes.checked_add(spare)?)?;
    let start = match memory.map(whole) {
        Ok(start) => start as usize,
        Err(error) => {
            static SAID: AtomicBool = AtomicBool::new(false);
            say::once(
                &SAID,
                format_args!(
                    "{whole} bytes of paged memory are refused, and the program is told that \
                    memory is exhausted: {error}"
                ),
            );
            return None;
        }
    };
    let address = start.next_multiple_of(alignment.max(PAGE));
    give_back(
        memory,
        &[(start, address - start), (address + bytes, start + whole - address - bytes)],
    );
    table().add((address, bytes), kind);
    Some(address as *mut u8)
}

/// Give a range back; part of a block may be.
pub fn release(memory: &Memory, part: Part) {
    let _own = Own::begin();
    let parts = table().cut(part);
    give_back(memory, &parts);
}

fn give_back(memory: &Memory, parts: &[Part]) {
    for (address, bytes) in parts.iter().filter(|(_, bytes)| *bytes > 0) {
        memory.unmap(*address, *bytes);
    }
}

/// Make all that is paged in a range zero again.
pub fn forget(memory: &Memory, part: Part) {
    let _own = Own::begin();
    let parts = table().paged(part);
    for (address, bytes) in parts {
        memory.forget(address, bytes);
    }
}

/// Change the size of a block or a part of a mapping, in whole pages; `None` when it cannot be, and
/// then nothing has changed.
pub fn resize(
    memory: &Memory,
    (address, bytes): Part,
    new: usize,
    may_move: bool,
    kind: Kind,
) -> Option<*mut u8> {
    let _own = Own::begin();
    if new <= bytes {
        shrink(memory, (address, bytes), new, kind);
        return Some(address as *mut u8);
    }
    table().cut((address, bytes));
    let moved = memory.remap(address, bytes, new, may_move);
    match moved {
        Ok(Some(moved)) => {
            table().add((moved as usize, new), kind);
            Some(moved)
        }
        Ok(None) | Err(_) => {
            table().add((address, bytes), kind);
            None
        }
    }
}

fn shrink(memory: &Memory, (address, bytes): Part, new: usize, kind: Kind) {
    let mut table = table();
    table.cut((address, bytes));
    table.add((address, new), kind);
    drop(table);
    give_back(memory, &[(address + new, bytes - new)]);
}

/// Bytes of the block that starts there.
pub fn block(address: usize) -> Option<usize> {
    table().block(address)
}

/// How many ranges are paged, and their bytes.
pub fn extent() -> (usize, usize) {
    if state::running().is_none() {
        return (0, 0);
    }
    let table = table();
    table.all_paged().fold((0, 0), |(count, sum), ((_, bytes), _)| (count + 1, sum + bytes))
}
