//! The machine code of this process: which file an address is of, and the address as that file
//! numbers it.
//!
//! From `/proc/self/maps`: the loader's own list has a lock, which a thread that waits for a page
//! may hold.

use crate::own_memory::read_memory;

/// An address in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// Its place among the names; [`NOWHERE`] for code that no file is behind.
    object: u32,
    pub offset: u64,
}

const NOWHERE: u32 = u32::MAX;

/// What is mapped to be run.
#[derive(Default)]
pub struct Code {
    mapped: Vec<Mapped>,
    names: Vec<String>,
    /// The place of the program itself among the names.
    program: Option<u32>,
}

#[derive(Clone, Copy)]
struct Mapped {
    from: usize,
    to: usize,
    object: u32,
    /// What is to be taken from an address to have it as the file numbers it.
    base: usize,
}

impl Code {
    /// Of an address that is being run.
    pub fn spot(&mut self, address: usize) -> Spot {
        if self.at(address).is_none() {
            self.read();
        }
        match self.at(address) {
            Some(mapped) => Spot { object: mapped.object, offset: (address - mapped.base) as u64 },
            // Made while the program runs: by the next look it may be other code.
            None => Spot { object: NOWHERE, offset: 0 },
        }
    }

    /// Of an address that may be anything: only what is of the program itself.
    pub fn program_spot(&self, address: usize) -> Option<Spot> {
        let mapped = self.at(address).filter(|mapped| Some(mapped.object) == self.program)?;
        Some(Spot { object: mapped.object, offset: (address - mapped.base) as u64 })
    }

    pub fn is_of_the_program(&self, spot: &Spot) -> bool {
        Some(spot.object) == self.program
    }

    /// The file that a spot is of; empty where there is none.
    pub fn name(&self, spot: &Spot) -> &str {
        self.names.get(spot.object as usize).map_or("", String::as_str)
    }

    fn at(&self, address: usize) -> Option<&Mapped> {
        let after = self.mapped.partition_point(|mapped| mapped.from <= address);
        self.mapped[..after].last().filter(|mapped| address < mapped.to)
    }

    fn read(&mut self) {
        // Nothing is mapped as far as is known, where it cannot be read.
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        self.take(&maps, is_fixed);
        let is_it = |name: &String| std::path::Path::new(name) == program;
        self.program = self.names.iter().position(is_it).map(|at| at as u32);
    }

    /// Take the list of mappings as it is now. Names that were given numbers keep them.
    fn take(&mut self, maps: &str, is_fixed: impl Fn(usize) -> bool) {
        self.mapped.clear();
        // Where the file of the lines that are being read begins.
        let mut begin = (String::new(), 0);
        for line in maps.lines().filter_map(Line::parse) {
            if line.file_offset == 0 && begin.0 != line.name {
                begin = (line.name.to_owned(), line.from);
            }
            if !line.runs || !line.name.starts_with('/') || begin.0 != line.name {
                continue;
            }
            let base = if is_fixed(begin.1) { 0 } else { begin.1 };
            let object = self.number(line.name);
            self.mapped.push(Mapped { from: line.from, to: line.to, object, base });
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }) as u32
    }
}

/// A line of the list of mappings.
struct Line<'a> {
    from: usize,
    to: usize,
    /// Whether it may be run.
    runs: bool,
    file_offset: u64,
    name: &'a str,
}

impl Line<'_> {
    fn parse(line: &str) -> Option<Line<'_>> {
        let mut fields = line.splitn(6, ' ');
        let (from, to) = fields.next()?.split_once('-')?;
        let runs = fields.next()?.contains('x');
        let file_offset = u64::from_str_radix(fields.next()?, 16).ok()?;
        let address = |text| usize::from_str_radix(text, 16).ok();
        let name = fields.nth(2).unwrap_or_default().trim_start();
        Some(Line { from: address(from)?, to: address(to)?, runs, file_offset, name })
    }
}

/// Whether the file whose beginning is mapped there was linked to lie there (ET_EXEC), so that its
/// addresses are numbered from 0.
fn is_fixed(begin: usize) -> bool {
    const TYPE_AT: usize = 16;
    const EXECUTABLE: u16 = 2;
    let mut kind = [0; 2];
    read_memory(begin + TYPE_AT, &mut kind) == 2 && u16::from_ne_bytes(kind) == EXECUTABLE
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
00400000-00401000 r--p 00000000 fe:00 11 /usr/bin/old program
00401000-00480000 r-xp 00001000 fe:00 11 /usr/bin/old program
7f0000000000-7f0000010000 rwxp 00000000 00:00 0
7f1000000000-7f1000020000 r--p 00000000 fe:00 12                         /lib/libx.so
7f1000020000-7f1000090000 r-xp 00020000 fe:00 12                         /lib/libx.so
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
7ffc000a0000-7ffc000a2000 r-xp 00000000 00:00 0                          [vdso]
";

    #[test]
    fn addresses_are_those_of_their_files() {
        let mut code = Code::default();
        code.take(MAPS, |begin| begin == 0x400000);
        let found = |address| {
            let mapped = code.at(address)?;
            Some((code.names[mapped.object as usize].as_str(), address - mapped.base))
        };
        assert_eq!(found(0x401234), Some(("/usr/bin/old program", 0x401234)));
        assert_eq!(found(0x7f10_0002_0010), Some(("/lib/libx.so", 0x20010)));
        for none in [0x400010, 0x480000, 0x7f00_0000_0010, 0x7f10_0000_0010, 0x7ffc_000a_0010, 0] {
            assert_eq!(found(none), None, "{none:#x}");
        }
        let numbers: Vec<u32> = code.mapped.iter().map(|mapped| mapped.object).collect();
        code.take(MAPS.split_once('\n').unwrap().1, |_| false);
        assert_eq!(code.mapped[0].object, numbers[1], "names keep their numbers");
    }

    #[test]
    fn code_of_this_test_is_of_the_program_and_of_no_other_file() {
        let mut code = Code::default();
        let here = Code::spot as fn(&mut Code, usize) -> Spot as usize;
        let spot = code.spot(here);
        assert!(code.is_of_the_program(&spot) && code.program_spot(here) == Some(spot));
        assert_eq!(std::path::Path::new(code.name(&spot)), std::env::current_exe().unwrap());
        let nowhere = code.spot(16);
        assert_eq!((code.name(&nowhere), code.program_spot(16)), ("", None));
    }
}
