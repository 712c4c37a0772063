//! Why anonymous and shared memory of a process is not paged, as far as its list of mappings shows.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// What memory is that is not paged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The process does not have the library in it.
    NoLibrary,
    /// From the C library's allocator.
    Small,
    /// Next to memory without access: a part of a reservation.
    Committed,
    /// Anonymous, and none of the above.
    Other,
    /// Not the process's alone.
    Shared,
    /// The main thread's stack.
    Stack,
    /// Variables of the program and its libraries.
    Data,
    /// The list cannot be read.
    Unknown,
}

impl fmt::Display for Why {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Why::NoLibrary => "in a program that is static, setuid or started without LD_PRELOAD",
            Why::Small => "in allocations below --threshold (and the pager's own tables)",
            Why::Committed => {
                "in mappings that were reserved first and made accessible later (or had from a \
                paged parent)"
            }
            Why::Other => "in mappings that are below --threshold, fixed, or not made through libc",
            Why::Shared => "of shared memory",
            Why::Stack => "of stack",
            Why::Data => "of program data",
            Why::Unknown => "whose mappings cannot be read",
        })
    }
}

/// The C library gives each further thread's allocations a reservation of this size, so aligned.
const MALLOC_ARENA: u64 = 64 << 20;

#[derive(Debug, Default)]
struct Mapping {
    start: u64,
    end: u64,
    closed: bool,
    name: String,
    anonymous_bytes: u64,
    /// Resident, divided by how often it is mapped.
    own_bytes: u64,
    paged: bool,
}

/// How names of shared memory begin: of `memfd_create`, `shm_open`, `mmap` and System V.
const SHARED: [&str; 4] = ["/memfd:", "/dev/shm/", "/dev/zero", "/SYSV"];

impl Mapping {
    fn is_shared(&self) -> bool {
        SHARED.iter().any(|begin| self.name.starts_with(begin))
    }

    /// What it adds to the process's memory that has no file.
    fn bytes(&self) -> u64 {
        self.anonymous_bytes.max(if self.is_shared() { self.own_bytes } else { 0 })
    }
}

/// Resident memory of a process without a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Fileless {
    /// What is not paged, by reason.
    pub unpaged: BTreeMap<Why, u64>,
    /// All of it.
    pub bytes: u64,
}

impl Fileless {
    /// Of a process; `None` when it is gone.
    pub fn of(pid: u32, library: &Path) -> Option<Fileless> {
        match std::fs::read_to_string(format!("/proc/{pid}/smaps")) {
            // A process that has ended and waits for its parent has none.
            Ok(text) if text.is_empty() => None,
            Ok(text) => Some(Fileless::in_these(&mappings(&text), library)),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                let bytes = fileless_bytes(pid)?;
                Some(Fileless { unpaged: BTreeMap::from([(Why::Unknown, bytes)]), bytes })
            }
            Err(_) => None,
        }
    }

    fn in_these(mappings: &[Mapping], library: &Path) -> Fileless {
        let has_library = mappings.iter().any(|mapping| Path::new(&mapping.name) == library);
        let mut unpaged = BTreeMap::new();
        for (at, mapping) in mappings.iter().enumerate().filter(|(_, mapping)| !mapping.paged) {
            let why = if has_library { why(mappings, at) } else { Why::NoLibrary };
            *unpaged.entry(why).or_default() += mapping.bytes();
        }
        unpaged.retain(|_, bytes| *bytes > 0);
        Fileless { unpaged, bytes: mappings.iter().map(Mapping::bytes).sum() }
    }
}

/// The same sum without the list of mappings, and so quickly: what is shared counts as often as it
/// is mapped.
pub fn fileless_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let of = |key| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
    };
    Some(of("RssAnon:")? + of("RssShmem:").unwrap_or(0))
}

fn why(mappings: &[Mapping], at: usize) -> Why {
    let one = &mappings[at];
    match one.name.as_str() {
        "[heap]" => return Why::Small,
        "[stack]" => return Why::Stack,
        "" => {}
        _ if one.is_shared() => return Why::Shared,
        name if name.starts_with("[anon") => {}
        _ => return Why::Data,
    }
    let closed = |other: &&Mapping| other.closed && other.name.is_empty();
    let after = mappings.get(at + 1).filter(closed).filter(|next| next.start == one.end);
    let before = at.checked_sub(1).and_then(|at| mappings.get(at)).filter(closed);
    let before = before.filter(|previous| previous.end == one.start);
    let is_arena = one.start.is_multiple_of(MALLOC_ARENA)
        && after.map_or(one.end, |next| next.end) == one.start + MALLOC_ARENA;
    match (before, after) {
        _ if is_arena => Why::Small,
        (None, None) => Why::Other,
        _ => Why::Committed,
    }
}

/// As `proc_pid_smaps(5)` has them.
fn mappings(text: &str) -> Vec<Mapping> {
    let mut all: Vec<Mapping> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(' ') else { continue };
        let kib = || value.trim().strip_suffix(" kB").and_then(|kib| kib.trim().parse().ok());
        match (key, all.last_mut()) {
            ("Anonymous:", Some(mapping)) => mapping.anonymous_bytes = kib().unwrap_or(0u64) * 1024,
            ("Pss:", Some(mapping)) => mapping.own_bytes = kib().unwrap_or(0u64) * 1024,
            ("VmFlags:", Some(mapping)) => {
                mapping.paged = value.split_ascii_whitespace().any(|flag| flag == "um");
            }
            (key, _) if !key.ends_with(':') => all.extend(head(key, value)),
            _ => {}
        }
    }
    all
}

fn head(range: &str, rest: &str) -> Option<Mapping> {
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let mut words = rest.split_ascii_whitespace();
    let closed = words.next()?.starts_with("---");
    let name = words.skip(3).collect::<Vec<_>>().join(" ");
    let (start, end) = (number(start)?, number(end)?);
    Some(Mapping { start, end, closed, name, ..Mapping::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smaps(lines: &[(&str, u64, &str)]) -> String {
        let one = |(head, kib, flags): &(&str, u64, &str)| {
            let shared = if *flags == "sh" { *kib } else { 9 };
            let anonymous = if *flags == "sh" { 0 } else { *kib };
            format!(
                "{head}\nRss: 99 kB\nPss: {shared:>8} kB\nAnonymous: {anonymous:>8} kB\n\
                VmFlags: rd wr {flags}\n"
            )
        };
        lines.iter().map(one).collect()
    }

    #[test]
    fn each_kind_of_memory_has_its_reason_and_paged_memory_none() {
        let text = smaps(&[
            ("00010000-00020000 rw-p 00000000 08:01 7  /bin/a b", 1, "mr"),
            ("00030000-00040000 rw-p 00000000 00:00 0  [heap]", 2, "mr"),
            ("00100000-00200000 rw-p 00000000 00:00 0", 4, "mr"),
            ("00200000-00900000 ---p 00000000 00:00 0", 0, "mr"),
            ("04000000-04100000 rw-p 00000000 00:00 0", 8, "mr"),
            ("04100000-08000000 ---p 00000000 00:00 0", 0, "mr"),
            ("09000000-09900000 rw-p 00000000 00:00 0", 16, "mr"),
            ("0a000000-0a900000 rw-p 00000000 00:00 0", 32, "um uw"),
            ("7f000000-7f100000 r-xp 00000000 08:01 9  /x/librmem_preload.so", 0, "mr"),
            ("7ff00000-7ff10000 rw-p 00000000 00:00 0  [stack]", 64, "gd"),
            ("7fff0000-7fff9000 rw-s 00000000 00:01 5  /memfd:heap (deleted)", 128, "sh"),
        ]);
        let library = Path::new("/x/librmem_preload.so");
        let fileless = Fileless::in_these(&mappings(&text), library);
        let expected = [
            (Why::Small, (2 + 8) << 10),
            (Why::Committed, 4 << 10),
            (Why::Other, 16 << 10),
            (Why::Stack, 64 << 10),
            (Why::Data, 1 << 10),
            (Why::Shared, 128 << 10),
        ];
        assert_eq!(fileless.unpaged, BTreeMap::from(expected));
        let all = (1 + 2 + 4 + 8 + 16 + 32 + 64 + 128) << 10;
        assert_eq!(fileless.bytes, all, "paged memory is of it, too");
        let bare = text.replace("/x/librmem_preload.so", "/x/other.so");
        let fileless = Fileless::in_these(&mappings(&bare), library);
        let all_but_paged = (1 + 2 + 4 + 8 + 16 + 64 + 128) << 10;
        assert_eq!(fileless.unpaged, BTreeMap::from([(Why::NoLibrary, all_but_paged)]));
        assert_eq!(fileless.bytes, all);
    }
}
