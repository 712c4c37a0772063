//! What the program calls a place: function, file and line.
//!
//! From the debug information of the file that was mapped there, as it is now: a program that was
//! rebuilt since gives wrong names, one that is gone gives none. Without debug information the
//! symbol table still has the name of the function. C++ and Rust names are unmangled.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

use addr2line::{Loader, demangle_auto};
use std::collections::HashMap;
use std::path::Path;

/// Names of places in object files, each file opened once.
#[derive(Default)]
pub struct Symbols {
    /// `None` for a file that is no object file, or is not there.
    files: HashMap<String, Option<Loader>>,
}

/// A place; empty where nothing is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The innermost function, one that was inlined too.
    pub symbol: String,
    /// Its source file.
    pub file: String,
    /// The line there.
    pub line: Option<u32>,
}

impl Symbols {
    /// The place at `offset` of the file `object`, as the file numbers its addresses.
    pub fn find(&mut self, object: &str, offset: u64) -> Place {
        // The name comes with the run: it may be that of a pipe, and opening one waits.
        let is_file = || record::open_input(Path::new(object)).is_ok();
        let open = || if is_file() { Loader::new(object).ok() } else { None };
        let Some(file) = self.files.entry(object.to_string()).or_insert_with(open) else {
            return Place::default();
        };
        let location = file.find_location(offset).ok().flatten();
        Place {
            symbol: function(file, offset).unwrap_or_default(),
            file: location
                .as_ref()
                .and_then(|location| location.file)
                .unwrap_or_default()
                .to_string(),
            line: location.and_then(|location| location.line),
        }
    }
}

/// The innermost function there, one that was inlined too; else what the symbol table says.
fn function(file: &Loader, offset: u64) -> Option<String> {
    let frame = file.find_frames(offset).ok().and_then(|mut frames| frames.next().ok().flatten());
    let inlined = frame.and_then(|frame| Some(frame.function?.demangle().ok()?.into_owned()));
    inlined.or_else(|| Some(demangle_auto(file.find_symbol(offset)?.into(), None).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn a_place_with_a_name() -> u64 {
        std::hint::black_box(7)
    }

    /// Where this program has `address`, as its file numbers it.
    fn offset_of(address: usize) -> Option<u64> {
        let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
        let own = std::env::current_exe().ok()?;
        let line = maps.lines().find(|line| line.ends_with(own.to_str().unwrap_or("-")))?;
        let base = usize::from_str_radix(line.split('-').next()?, 16).ok()?;
        Some((address - base) as u64)
    }

    #[test]
    fn a_pipe_is_no_object_file_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert_eq!(Symbols::default().find(pipe.to_str().unwrap(), 0), Place::default());
    }

    #[test]
    fn a_function_of_this_program_is_found_with_its_line() {
        assert_eq!(a_place_with_a_name(), 7);
        let Some(offset) = offset_of(a_place_with_a_name as fn() -> u64 as usize) else {
            eprintln!("skipped: this system does not tell where the program is mapped");
            return;
        };
        let own = std::env::current_exe().unwrap();
        let place = Symbols::default().find(own.to_str().unwrap(), offset + 1);
        assert!(place.symbol.contains("a_place_with_a_name"), "{place:?}");
        assert!(place.file.ends_with("lib.rs") && place.line.is_some(), "{place:?}");
    }

    #[test]
    fn a_file_that_is_gone_or_is_no_program_gives_no_name() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.find("/nowhere/app", 16), Place::default());
        assert_eq!(symbols.find("/proc/self/status", 16), Place::default());
    }
}
