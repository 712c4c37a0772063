//! What the process knows: whether it is paged, from which size on, and its engine.

use crate::{allocator, own, own::Own, say};
use rmem::{Config, Memory};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The kernel's unit of memory here; the core's too.
pub const PAGE: usize = 4096;

/// Allocations of at least so many bytes are paged. None before the environment has been read, and
/// none without a configuration.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The same for mappings.
static MAPPING_THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Whether allocations of every size are, packed.
static PACKS: AtomicBool = AtomicBool::new(false);
/// Mappings from here on are paged then: interpreters take their heaps in such pieces.
const PACKED_MAPPING: usize = 16 << 10;
/// Most bytes held for one system call.
static HELD_MOST: AtomicUsize = AtomicUsize::new(0);
static CONFIG: OnceLock<Config> = OnceLock::new();
static MEMORY: OnceLock<Memory> = OnceLock::new();
/// To be called once the engine runs.
static STARTED: OnceLock<fn()> = OnceLock::new();
/// The engine once it runs, for those who ask in every call.
static RUNNING: AtomicPtr<Memory> = AtomicPtr::new(std::ptr::null_mut());
/// This process came from one with an engine, by `fork`.
static CHILD: AtomicBool = AtomicBool::new(false);

/// It has the parent's paged memory, as it was at the fork.
static HEIR: AtomicBool = AtomicBool::new(false);

/// Whose memory a range is.
pub enum Owner {
    /// Not paged.
    Others,
    /// Paged by this process's engine.
    Engine(&'static Memory),
    /// Paged by the parent's engine: not there in this process.
    Parent,
    /// Paged by the parent's engine, and ordinary memory in this process.
    Inherited,
}

/// Take the configuration from the environment; `started` is called once the engine runs. Ends the
/// program where the configuration is damaged.
pub fn configure(started: fn()) {
    let _own = Own::begin();
    match Config::from_env() {
        Ok(Some(config)) => {
            HELD_MOST.store(held_most(config.local_bytes), Ordering::Relaxed);
            let threshold = usize::try_from(config.threshold_bytes).unwrap_or(usize::MAX);
            let packs = threshold == 0;
            let _ = CONFIG.set(config);
            let _ = STARTED.set(started);
            allocator::look();
            PACKS.store(packs, Ordering::Relaxed);
            let of_mappings = if packs { PACKED_MAPPING } else { threshold.max(PAGE) };
            MAPPING_THRESHOLD.store(of_mappings, Ordering::Release);
            THRESHOLD.store(if packs { 0 } else { threshold.max(PAGE) }, Ordering::Release);
        }
        Ok(None) => {}
        Err(error) => say::end(format_args!("{error}")),
    }
}

/// An eighth of the local memory, so that several threads can hold at once, and at least the
/// largest message of a socket that keeps messages apart.
fn held_most(local_bytes: u64) -> usize {
    usize::try_from(local_bytes / 8).unwrap_or(usize::MAX).clamp(256 << 10, 1 << 20) / PAGE * PAGE
}

/// Most bytes held for one system call.
pub fn most_held() -> usize {
    HELD_MOST.load(Ordering::Relaxed)
}

/// Whether an allocation of so many bytes is large enough.
#[inline(always)]
pub fn is_large(bytes: usize) -> bool {
    bytes >= THRESHOLD.load(Ordering::Relaxed)
}

/// Whether a mapping of so many bytes is.
pub fn is_large_mapping(bytes: usize) -> bool {
    bytes >= MAPPING_THRESHOLD.load(Ordering::Relaxed)
}

/// Whether allocations of every size are to be paged.
pub fn packs() -> bool {
    PACKS.load(Ordering::Relaxed)
}

/// Whether there is a configuration.
pub fn is_on() -> bool {
    THRESHOLD.load(Ordering::Relaxed) != usize::MAX
}

/// The engine, if it runs.
#[inline(always)]
pub fn running() -> Option<&'static Memory> {
    // SAFETY: null, or the address of the value in `MEMORY`, which is never taken out.
    unsafe { RUNNING.load(Ordering::Acquire).as_ref() }
}

/// Whose memory a range is.
#[inline]
pub fn owner(address: usize, bytes: usize) -> Owner {
    match running() {
        Some(memory) if memory.covers(address, bytes) => {
            if is_heir() {
                Owner::Inherited
            } else if is_child() {
                Owner::Parent
            } else {
                Owner::Engine(memory)
            }
        }
        _ => Owner::Others,
    }
}

/// The same for a call about mappings: the engine makes such calls itself, about the memory that it
/// pages.
#[inline]
pub fn mapping_owner(address: usize, bytes: usize) -> Owner {
    match owner(address, bytes) {
        Owner::Engine(_) if own::inside() => Owner::Others,
        owner => owner,
    }
}

/// The engine for a new allocation, started if need be; `None` when this call is not to be paged.
pub fn engine() -> Option<&'static Memory> {
    if !is_on() || is_child() || own::inside() {
        return None;
    }
    if let Some(memory) = running() {
        return Some(memory);
    }
    let _own = Own::begin();
    let memory = MEMORY.get_or_init(start);
    RUNNING.store(std::ptr::from_ref(memory).cast_mut(), Ordering::Release);
    Some(memory)
}

fn start() -> Memory {
    let Some(config) = CONFIG.get() else {
        say::end(format_args!("no configuration; start the program with `fourstamp pager run`"))
    };
    if let Some(file) = allocator::file_in_front() {
        say::end(format_args!(
            "the program allocates with {}, not with the C library, so it cannot be paged; run it \
            without that allocator (see LD_PRELOAD, or link it without)",
            file.to_string_lossy()
        ));
    }
    match Memory::start(config.clone()) {
        Ok(memory) if allocator::is_behind() && memory.user_mode_only() => say::end(format_args!(
            "a program with an allocator of its own needs a kernel that serves the faults of \
            system calls too; as root run `chmod 666 /dev/userfaultfd`"
        )),
        Ok(memory) if packs() && memory.user_mode_only() => say::end(format_args!(
            "--threshold 0 needs a kernel that serves the faults of system calls too; as root run \
            `chmod 666 /dev/userfaultfd`, or give a threshold of 4K or more"
        )),
        Ok(memory) => {
            STARTED.get().into_iter().for_each(|started| started());
            memory
        }
        Err(error) => say::end(format_args!("cannot start remote memory: {error}")),
    }
}

/// Whether this process came from a paged one by `fork`.
pub fn is_child() -> bool {
    CHILD.load(Ordering::Relaxed)
}

/// Most bytes that a forked child may have.
pub fn fork_budget() -> u64 {
    CONFIG.get().map_or(0, |config| config.fork_budget_bytes)
}

/// Whether this process, or the one that it came from, got the paged memory of a parent.
pub fn is_heir() -> bool {
    HEIR.load(Ordering::Relaxed)
}

/// This process has just got it.
pub fn become_heir() {
    HEIR.store(true, Ordering::Relaxed);
}

/// This process has just come from a paged one.
pub fn become_child() {
    CHILD.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_at_once_is_bounded_and_whole_pages() {
        assert_eq!(held_most(0), 256 << 10);
        assert_eq!(held_most(4_000_000 + 12_345), 4_012_345 / 8 / PAGE * PAGE);
        assert_eq!(held_most(u64::MAX), 1 << 20);
    }

    #[test]
    fn nothing_is_large_without_a_configuration() {
        assert!(!is_large(1 << 40));
        assert!(engine().is_none());
        assert!(matches!(owner(0, usize::MAX), Owner::Others));
    }
}
