//! What the program may do with a range, and what that makes of it.
//!
//! Many programs reserve addresses first, without access, and make parts of them accessible as they
//! need memory, by `mprotect` or by another `mmap` over them: virtual machines, runtimes of
//! languages with a collector, arenas of allocators. What becomes accessible is new memory then,
//! and paged; what loses its access by another `mmap` is reserved again.
//!
//! `mprotect` of paged memory to less than reading and writing keeps its contents, and the kernel
//! moves pages only between ranges that may both be written. Such pages cannot leave: they are
//! kept in local memory until they may be written again, and what is too much for that is refused.
//! Of memory without any access only those that are there at that moment.

use crate::own::Own;
use crate::paged::{forget, table, whole_pages};
use crate::raw;
use crate::say;
use crate::state::{Owner, PAGE, mapping_owner};
use crate::table::{Kind, Part, gaps};
use interpose::errno;
use libc::{c_int, c_void, size_t};
use rmem::Memory;
use std::sync::atomic::AtomicBool;

/// What the program's own data has.
pub const READ_WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// Addresses without access, at an address of the program's choice if it can be had; `None` where
/// there are not so many. What becomes accessible of them is paged.
pub fn reserve(memory: &Memory, bytes: usize, wish: usize) -> Option<*mut u8> {
    let _own = Own::begin();
    let bytes = whole_pages(bytes)?;
    let address = memory.reserve(bytes, wish).ok()?;
    table().add((address as usize, bytes), Kind::Reserved);
    Some(address)
}

/// All of a known range becomes paged memory, new and zero. `false`: not all of it could.
pub fn renew(memory: &Memory, part: Part) -> bool {
    let parts = table().parts(part);
    parts.into_iter().all(|(part, kind)| match kind {
        Kind::Block | Kind::Mapping => {
            forget(memory, part);
            true
        }
        Kind::Shut(_) => {
            close(memory, part);
            commit(memory, part)
        }
        Kind::Reserved | Kind::Lent => commit(memory, part),
    })
}

/// Nothing of a known range is accessible or paged any more; its addresses stay the program's.
pub fn close(memory: &Memory, part: Part) {
    let _own = Own::begin();
    table().turn(part, Kind::Reserved);
    memory.close(part.0, part.1);
}

fn commit(memory: &Memory, part: Part) -> bool {
    static SAID: AtomicBool = AtomicBool::new(false);
    let _own = Own::begin();
    match memory.commit(part.0, part.1) {
        Ok(()) => table().turn(part, Kind::Mapping),
        Err(error) => {
            say::once(
                &SAID,
                format_args!(
                    "{} bytes of reserved addresses are not made accessible, and the program is \
                    told that memory is exhausted: {error}",
                    part.1
                ),
            );
            return false;
        }
    }
    true
}

/// # Safety
/// As for `mprotect(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mprotect(address: *mut c_void, bytes: size_t, access: c_int) -> c_int {
    let start = address as usize;
    let (owner, whole) = (mapping_owner(start, bytes), whole_pages(bytes));
    match (owner, whole, start % PAGE) {
        (Owner::Engine(memory), Some(whole), 0) => {
            let before = errno::get();
            let answer = change(memory, (start, whole), access);
            if answer == 0 {
                errno::set(before);
            }
            answer
        }
        // Access would show zeros there.
        (Owner::Parent, Some(whole), 0) if !table().paged((start, whole)).is_empty() => no_memory(),
        // SAFETY: the caller's own arguments.
        _ => unsafe { raw::mprotect(address, bytes, access) },
    }
}

/// Part by part, in order; what comes before a refusal is done.
fn change(memory: &Memory, part: Part, access: c_int) -> c_int {
    let parts = table().parts(part);
    let known: Vec<Part> = parts.iter().map(|(part, _)| *part).collect();
    let others = gaps(part, &known).into_iter().map(|part| (part, Kind::Lent));
    let mut all: Vec<(Part, Kind)> = parts.into_iter().chain(others).collect();
    all.sort_unstable_by_key(|((address, _), _)| *address);
    let mut answers = all.into_iter().map(|(part, kind)| change_one(memory, part, kind, access));
    answers.find(|answer| *answer != 0).unwrap_or(0)
}

fn change_one(memory: &Memory, part: Part, kind: Kind, access: c_int) -> c_int {
    match kind {
        Kind::Block | Kind::Mapping if access == READ_WRITE => 0,
        Kind::Block | Kind::Mapping => shut(memory, part, access),
        Kind::Shut(before) => reopen(memory, part, (before, access)),
        Kind::Reserved if access == libc::PROT_NONE => 0,
        Kind::Reserved if access == READ_WRITE => {
            if commit(memory, part) {
                0
            } else {
                no_memory()
            }
        }
        // Code, or what is only to be read: the kernel's.
        Kind::Reserved => {
            let answer = protect(part, access);
            if answer == 0 {
                table().turn(part, Kind::Lent);
            }
            answer
        }
        Kind::Lent => protect(part, access),
    }
}

/// Paged memory gets less access.
fn shut(memory: &Memory, part: Part, access: c_int) -> c_int {
    static SAID: AtomicBool = AtomicBool::new(false);
    let _own = Own::begin();
    let kept = match access {
        libc::PROT_NONE => memory.pin(part.0, part.1),
        _ => memory.keep(part.0, part.1),
    };
    if !kept {
        say::once(
            &SAID,
            format_args!(
                "mprotect of more paged memory than can be kept in --local is refused: such pages \
                cannot leave while they have less access; give a larger --local"
            ),
        );
        return no_memory();
    }
    let answer = protect(part, access);
    match answer {
        0 => table().turn(part, Kind::Shut(access)),
        _ => errno::kept(|| memory.let_go(part.0, part.1)),
    }
    answer
}

/// Paged memory with less access gets other access.
fn reopen(memory: &Memory, part: Part, (before, access): (c_int, c_int)) -> c_int {
    let _own = Own::begin();
    let is_less = access != READ_WRITE && access != libc::PROT_NONE;
    if before == libc::PROT_NONE && is_less {
        // What was away may come now, and could not leave again.
        memory.let_go(part.0, part.1);
        let answer = shut(memory, part, access);
        if answer != 0 {
            errno::kept(|| memory.pin(part.0, part.1));
        }
        return answer;
    }
    let answer = protect(part, access);
    match (answer, access) {
        (0, READ_WRITE) => {
            table().turn(part, Kind::Mapping);
            memory.let_go(part.0, part.1);
        }
        (0, access) => table().turn(part, Kind::Shut(access)),
        _ => {}
    }
    answer
}

fn protect((address, bytes): Part, access: c_int) -> c_int {
    // SAFETY: a part of the range that the program itself changes.
    unsafe { raw::mprotect(address as *mut c_void, bytes, access) }
}

fn no_memory() -> c_int {
    errno::set(libc::ENOMEM);
    -1
}
