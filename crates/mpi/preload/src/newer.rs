//! Functions that not every MPI library has: those with large counts, and the rest of MPI 4.
//!
//! They are exported like all others, but a program that asks the loader whether its library has
//! them (mpi4py does) must not find them where it has not. Which library that is shows only in the
//! process itself, whatever command started it. So when this library is loaded it looks:
//!
//! * The MPI library is there already, because the program is linked with it: names that it lacks
//!   are taken out of our own table of symbols.
//! * It is not: the program may load one later. Then each of these names is marked as one whose
//!   address is found when it is asked for (an indirect function, `STT_GNU_IFUNC`): the loader
//!   calls its resolver, which looks whether the library that is there by then has it.
//!
//! They cannot be indirect from the beginning: libraries that are bound before this one is ready
//! would have the loader complain.

use crate::exports::RESOLVERS;
use crate::{library, loaded, objects};
use std::ffi::{CStr, c_void};

/// Functions below this number are MPI 3.1, which every library has that is traced.
const FIRST: usize = 215;

#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static WHEN_LOADED: extern "C" fn() = when_loaded;

extern "C" fn when_loaded() {
    let Some(symbols) = Symbols::own() else { return };
    let is_there = loaded::is_there();
    let newer = RESOLVERS[FIRST..].iter().flatten();
    let resolvers: std::collections::HashMap<&str, usize> =
        newer.map(|(name, resolver)| (*name, *resolver as usize)).collect();
    symbols.change(|name, symbol| {
        let Some(resolver) = resolvers.get(name) else { return };
        if !is_there {
            symbol.st_info = symbol.st_info & 0xf0 | INDIRECT;
            symbol.st_value = (*resolver - symbols.base) as u64;
        } else if !library::has(name.trim_start_matches('P').trim_start_matches("MPI_")) {
            symbol.st_value = 0;
        }
    });
}

/// `STT_GNU_IFUNC`.
const INDIRECT: u8 = 10;

/// This library's table of symbols.
struct Symbols {
    base: usize,
    table: usize,
    names: usize,
    count: usize,
}

impl Symbols {
    fn own() -> Option<Symbols> {
        // The table below is that of 64-bit objects.
        if !cfg!(target_pointer_width = "64") {
            return None;
        }
        let here = when_loaded as extern "C" fn() as usize;
        let base = objects::at(here)?.1 as usize;
        let dynamic =
            objects::find(|object| object.part(libc::PT_DYNAMIC).filter(|_| object.base == base))?;
        let own = Own { base, dynamic };
        let (table, names) = (own.entry(SYMBOLS)?, own.entry(STRINGS)?);
        Some(Symbols { base, table, names, count: count(own.entry(HASHES)?) })
    }

    /// Let `change` have each symbol with its name.
    fn change(&self, mut change: impl FnMut(&str, &mut libc::Elf64_Sym)) {
        // SAFETY: asks for a number.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let start = self.table / page * page;
        let end = self.table + self.count * size_of::<libc::Elf64_Sym>();
        let (at, length) = (start as *mut c_void, end - start);
        // SAFETY: pages of this library's own file, mapped for this process alone.
        if unsafe { libc::mprotect(at, length, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return;
        }
        for number in 0..self.count {
            // SAFETY: the table has that many symbols, which nobody else reads while the library
            // is being loaded.
            let symbol = unsafe { &mut *(self.table as *mut libc::Elf64_Sym).add(number) };
            // SAFETY: names are terminated strings in the table of strings.
            let name = unsafe { CStr::from_ptr((self.names + symbol.st_name as usize) as _) };
            if let Ok(name) = name.to_str() {
                change(name, symbol);
            }
        }
        // SAFETY: the same pages.
        unsafe { libc::mprotect(at, length, libc::PROT_READ) };
    }
}

/// Tags of the dynamic section.
const SYMBOLS: u64 = 6;
const STRINGS: u64 = 5;
const HASHES: u64 = 0x6fff_fef5;

/// This library among those that are loaded.
struct Own {
    base: usize,
    dynamic: usize,
}

impl Own {
    /// The address that the dynamic section has under `tag`.
    fn entry(&self, tag: u64) -> Option<usize> {
        let mut at = self.dynamic as *const u64;
        loop {
            // SAFETY: the section is pairs of words up to a pair whose tag is 0.
            let (found, value) = unsafe { (at.read(), at.add(1).read() as usize) };
            match found {
                0 => return None,
                // The loader may have added the base already.
                _ if found == tag && value < self.base => return Some(value + self.base),
                _ if found == tag => return Some(value),
                // SAFETY: the same.
                _ => at = unsafe { at.add(2) },
            }
        }
    }
}

/// How many symbols there are, by the table of hashes: their chains end where the symbols do.
fn count(hashes: usize) -> usize {
    let hashes = hashes as *const u32;
    // SAFETY: the table begins with four numbers; behind them are the filter of 64-bit words, the
    // buckets and the chains.
    let word = |at: usize| unsafe { hashes.add(at).read() } as usize;
    let (buckets, first, filter) = (word(0), word(1), word(2));
    let start = 4 + filter * 2;
    let Some(mut last) =
        (0..buckets).map(|at| word(start + at)).max().filter(|last| *last >= first)
    else {
        return first;
    };
    while word(start + buckets + last - first) & 1 == 0 {
        last += 1;
    }
    last + 1
}
