//! `mmap` and what is done to mappings. A range of the program's may be paged in part: each part
//! gets what it needs.

use crate::access::{self, READ_WRITE};
use crate::allocator;
use crate::paged::{self, table, whole_pages};
use crate::raw;
use crate::refusals::refuse;
use crate::state::{Owner, PAGE, engine, is_large_mapping, mapping_owner};
use crate::table::{Kind, Part, gaps};
use interpose::errno;
use libc::{MAP_FAILED, c_int, c_void, off_t, size_t};
use rmem::Memory;
use std::sync::atomic::AtomicBool;

/// Mappings of these kinds are not paged: what they ask for cannot be kept.
const NOT_PAGED: c_int = libc::MAP_FIXED_NOREPLACE
    | libc::MAP_STACK
    | libc::MAP_GROWSDOWN
    | libc::MAP_HUGETLB
    | libc::MAP_LOCKED
    | MAP_32BIT;
#[cfg(target_arch = "x86_64")]
const MAP_32BIT: c_int = libc::MAP_32BIT;
#[cfg(not(target_arch = "x86_64"))]
const MAP_32BIT: c_int = 0;

const ANONYMOUS: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;

/// What a mapping is for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Purpose {
    /// The program's own data, to read and write.
    Data,
    /// Addresses for later.
    Later,
    Other,
}

fn purpose(access: c_int, flags: c_int) -> Purpose {
    let is_plain = flags & (ANONYMOUS | libc::MAP_SHARED | NOT_PAGED) == ANONYMOUS;
    match access {
        READ_WRITE if is_plain => Purpose::Data,
        libc::PROT_NONE if is_plain => Purpose::Later,
        _ => Purpose::Other,
    }
}

/// # Safety
/// As for `mmap(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mmap(
    address: *mut c_void,
    bytes: size_t,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    let purpose = purpose(access, flags);
    if flags & libc::MAP_FIXED != 0 {
        if let Owner::Engine(memory) = mapping_owner(address as usize, bytes) {
            // SAFETY: the caller's own arguments.
            let map = || unsafe { raw::mmap(address, bytes, access, flags, file, offset) };
            return replaced(memory, (address as usize, bytes), purpose, map);
        }
    } else if let Some(memory) = engine_for(purpose, bytes)
        && let Some(answer) = new(memory, address as usize, bytes, purpose)
    {
        return answer;
    }
    // SAFETY: the caller's own arguments.
    unsafe { raw::mmap(address, bytes, access, flags, file, offset) }
}

/// The engine, if a new mapping is its concern. Who reserves addresses makes heaps of them, of many
/// pieces perhaps: a quarter of the threshold is enough. But addresses alone are not worth the end
/// of a program that cannot be paged.
fn engine_for(purpose: Purpose, bytes: usize) -> Option<&'static Memory> {
    match purpose {
        Purpose::Data if is_large_mapping(bytes) => engine(),
        Purpose::Later
            if is_large_mapping(bytes.saturating_mul(4))
                && allocator::file_in_front().is_none() =>
        {
            engine()
        }
        _ => None,
    }
}

/// A new mapping; `None` where the kernel is to make it.
fn new(memory: &Memory, wish: usize, bytes: usize, purpose: Purpose) -> Option<*mut c_void> {
    if purpose == Purpose::Later {
        return errno::kept(|| access::reserve(memory, bytes, wish))
            .map(|reserved| reserved.cast());
    }
    let mapped = errno::kept(|| paged::allocate(memory, bytes, PAGE, Kind::Mapping));
    Some(mapped.map_or_else(|| failed(libc::ENOMEM), |mapped| mapped.cast()))
}

/// A mapping over a range in which something is paged, or was. `map` has the kernel make it, over
/// addresses that are the program's then.
fn replaced(
    memory: &Memory,
    (start, bytes): Part,
    purpose: Purpose,
    map: impl FnOnce() -> *mut c_void,
) -> *mut c_void {
    static SAID: AtomicBool = AtomicBool::new(false);
    let Some(bytes) = whole_pages(bytes).filter(|bytes| *bytes > 0 && start.is_multiple_of(PAGE))
    else {
        return failed(libc::EINVAL);
    };
    let part = (start, bytes);
    // Free addresses of the engine's: it would give them to somebody else.
    if !gaps(part, &table().known(part)).is_empty() {
        refuse(&SAID, "mmap to a fixed place where paged memory was");
        return failed(libc::ENOMEM);
    }
    match purpose {
        Purpose::Data => {
            let renewed = errno::kept(|| access::renew(memory, part));
            if renewed { start as *mut c_void } else { failed(libc::ENOMEM) }
        }
        Purpose::Later => {
            errno::kept(|| access::close(memory, part));
            start as *mut c_void
        }
        Purpose::Other => {
            let was_paged = table().paged(part);
            errno::kept(|| access::close(memory, part));
            let mapped = map();
            match mapped {
                // Its contents are gone, as those of any mapping may be; the memory is not.
                MAP_FAILED => errno::kept(|| {
                    was_paged.into_iter().for_each(|part| _ = access::renew(memory, part));
                }),
                _ => table().turn(part, Kind::Lent),
            }
            mapped
        }
    }
}

/// # Safety
/// As for `mmap(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mmap64(
    address: *mut c_void,
    bytes: size_t,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: off_t,
) -> *mut c_void {
    // SAFETY: the caller's own arguments.
    unsafe { mmap(address, bytes, access, flags, file, offset) }
}

/// # Safety
/// As for `munmap(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn munmap(address: *mut c_void, bytes: size_t) -> c_int {
    let (start, whole) = (address as usize, whole_pages(bytes));
    let (Owner::Engine(memory), Some(whole), 0) =
        (mapping_owner(start, bytes), whole, start % PAGE)
    else {
        // SAFETY: the caller's own arguments.
        return unsafe { raw::munmap(start, bytes) };
    };
    let part = (start, whole);
    // What was given back before is the engine's, and perhaps another thread's by now.
    let mut others = gaps(part, &table().known(part));
    others.retain(|(address, bytes)| !memory.covers(*address, *bytes));
    paged::release(memory, part);
    // SAFETY: parts of the caller's own range.
    each(&others, |address, bytes| unsafe { raw::munmap(address, bytes) })
}

/// Do it to each part; the first refusal is the answer.
fn each(parts: &[(usize, usize)], mut what: impl FnMut(usize, usize) -> c_int) -> c_int {
    parts
        .iter()
        .map(|(address, bytes)| what(*address, *bytes))
        .find(|answer| *answer != 0)
        .unwrap_or(0)
}

/// # Safety
/// As for `mremap(2)`. The last argument is there only with `MREMAP_FIXED`; a caller without it
/// leaves the register as it is.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn mremap(
    address: *mut c_void,
    bytes: size_t,
    new: size_t,
    flags: c_int,
    target: *mut c_void,
) -> *mut c_void {
    if let Owner::Engine(memory) = mapping_owner(address as usize, bytes.max(1)) {
        return remapped(memory, address as usize, (bytes, new), flags);
    }
    if flags & libc::MREMAP_FIXED != 0
        && let Owner::Engine(_) = mapping_owner(target as usize, new)
    {
        return no_fixed_place();
    }
    // SAFETY: the caller's own arguments.
    unsafe { raw::mremap(address, bytes, new, flags, target) }
}

fn remapped(
    memory: &Memory,
    address: usize,
    (bytes, new): (usize, usize),
    flags: c_int,
) -> *mut c_void {
    if flags & !libc::MREMAP_MAYMOVE != 0 {
        return no_fixed_place();
    }
    let (Some(bytes), Some(new), 0) = (whole_pages(bytes), whole_pages(new), address % PAGE) else {
        return failed(libc::EINVAL);
    };
    if bytes == 0 || new == 0 {
        return failed(libc::EINVAL);
    }
    match table().parts((address, bytes))[..] {
        [(part, Kind::Block | Kind::Mapping)] if part == (address, bytes) => {}
        // Several mappings, which the kernel does not take at once either; or no access.
        _ => return failed(libc::EFAULT),
    }
    let may_move = flags & libc::MREMAP_MAYMOVE != 0;
    let resized =
        errno::kept(|| paged::resize(memory, (address, bytes), new, may_move, Kind::Mapping));
    resized.map_or_else(|| failed(libc::ENOMEM), |place| place.cast())
}

fn no_fixed_place() -> *mut c_void {
    static SAID: AtomicBool = AtomicBool::new(false);
    refuse(&SAID, "mremap to a fixed place");
    failed(libc::ENOMEM)
}

fn failed(number: c_int) -> *mut c_void {
    errno::set(number);
    MAP_FAILED
}

/// # Safety
/// As for `madvise(2)`.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub unsafe extern "C" fn madvise(address: *mut c_void, bytes: size_t, advice: c_int) -> c_int {
    let start = address as usize;
    let (Owner::Engine(memory), Some(whole), 0) =
        (mapping_owner(start, bytes), whole_pages(bytes), start % PAGE)
    else {
        // SAFETY: the caller's own arguments.
        return unsafe { raw::madvise(start, bytes, advice) };
    };
    let todo = advised(advice);
    if matches!(todo, Advised::Refused) {
        errno::set(libc::EINVAL);
        return -1;
    }
    if matches!(todo, Advised::Zero) {
        paged::forget(memory, (start, whole));
    }
    let paged = table().paged((start, whole));
    let mut parts = gaps((start, whole), &paged);
    if matches!(todo, Advised::Kernel) {
        parts.extend(paged);
    }
    // SAFETY: parts of the caller's own range.
    each(&parts, |address, bytes| unsafe { raw::madvise(address, bytes, advice) })
}

/// What advice about paged memory comes to.
#[derive(Debug, PartialEq)]
enum Advised {
    /// The contents go.
    Zero,
    /// A hint that the engine does not need, or that would work against it (huge pages, the
    /// kernel's own swap).
    Nothing,
    /// Harmless: the kernel may know.
    Kernel,
    /// What cannot be kept: the program is told so, as by a kernel that does not know the advice.
    Refused,
}

fn advised(advice: c_int) -> Advised {
    match advice {
        libc::MADV_DONTNEED | libc::MADV_FREE | libc::MADV_DONTNEED_LOCKED => Advised::Zero,
        libc::MADV_HUGEPAGE
        | libc::MADV_NOHUGEPAGE
        | libc::MADV_MERGEABLE
        | libc::MADV_UNMERGEABLE
        | libc::MADV_DONTFORK
        | libc::MADV_WILLNEED
        | libc::MADV_COLD
        | libc::MADV_PAGEOUT
        | libc::MADV_POPULATE_READ
        | libc::MADV_POPULATE_WRITE => Advised::Nothing,
        libc::MADV_NORMAL
        | libc::MADV_RANDOM
        | libc::MADV_SEQUENTIAL
        | libc::MADV_DODUMP
        | libc::MADV_DONTDUMP => Advised::Kernel,
        _ => Advised::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_private_anonymous_memory_is_the_programs_own_data() {
        assert_eq!(purpose(READ_WRITE, ANONYMOUS), Purpose::Data);
        let more = libc::MAP_NORESERVE | libc::MAP_POPULATE | libc::MAP_FIXED;
        assert_eq!(purpose(READ_WRITE, ANONYMOUS | more), Purpose::Data);
        assert_eq!(purpose(libc::PROT_NONE, ANONYMOUS | libc::MAP_NORESERVE), Purpose::Later);
        let others = [
            (READ_WRITE | libc::PROT_EXEC, ANONYMOUS),
            (libc::PROT_READ, ANONYMOUS),
            (libc::PROT_NONE, ANONYMOUS | libc::MAP_STACK),
            (READ_WRITE, ANONYMOUS | libc::MAP_FIXED | libc::MAP_STACK),
            (READ_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS),
            (READ_WRITE, libc::MAP_PRIVATE),
            // It has the bits of both.
            (READ_WRITE, libc::MAP_SHARED_VALIDATE | libc::MAP_ANONYMOUS),
        ];
        for (access, flags) in others {
            assert_eq!(purpose(access, flags), Purpose::Other, "{access} {flags:x}");
        }
    }

    #[test]
    fn advice_that_cannot_be_kept_is_refused() {
        assert_eq!(advised(libc::MADV_DONTNEED), Advised::Zero);
        assert_eq!(advised(libc::MADV_HUGEPAGE), Advised::Nothing);
        assert_eq!(advised(libc::MADV_PAGEOUT), Advised::Nothing);
        for advice in [libc::MADV_DOFORK, libc::MADV_WIPEONFORK, libc::MADV_REMOVE, 25, 102, -1] {
            assert_eq!(advised(advice), Advised::Refused, "{advice}");
        }
    }
}
