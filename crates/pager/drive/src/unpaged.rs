//! Anonymous and shared memory of a run's processes that is not paged: how much, and why.
//!
//! Seen from outside, because a program may never call the library: `/proc/PID/smaps` marks the
//! ranges that are registered with a userfaultfd (`um`), and all other such memory is local
//! whatever `--local` says. `docs/PAGER.md` states the margin.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};

mod smaps;

pub use smaps::Why;
use smaps::{Fileless, fileless_bytes};

/// What a process may have beyond `--local` before a word is said: a quarter of it, and at least
/// what an interpreter takes to start.
const LEAST_MARGIN: u64 = 16 << 20;

/// Anonymous and shared memory of a process, resident.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unpaged {
    /// Its number.
    pub pid: u32,
    /// The name of its program.
    pub program: String,
    /// All of it, paged or not.
    all_bytes: u64,
    /// What is not paged, by reason.
    pub parts: BTreeMap<Why, u64>,
}

impl Unpaged {
    /// Of one process, of which `library` would page the memory; `None` when it is gone.
    pub fn of(pid: u32, library: &Path) -> Option<Unpaged> {
        let Fileless { unpaged: parts, bytes: all_bytes } = Fileless::of(pid, library)?;
        let program = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
        Some(Unpaged { pid, program: program.trim().to_owned(), all_bytes, parts })
    }

    /// Processes of one program whose memory is for the most part of one kind: a program that forks
    /// workers all the time is told of once.
    fn sort(&self) -> Sort {
        let most = self.parts.iter().max_by_key(|(_, bytes)| **bytes);
        (self.program.clone(), most.map(|(why, _)| *why))
    }

    /// What is not paged.
    pub fn bytes(&self) -> u64 {
        self.parts.values().sum()
    }
}

impl fmt::Display for Unpaged {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unpaged { pid, program, parts, .. } = self;
        write!(to, "process {pid} ({program}) has {} that is not paged: ", mib(self.bytes()))?;
        let mut order: Vec<_> = parts.iter().filter(|(_, bytes)| **bytes >= 1 << 20).collect();
        order.sort_by_key(|(_, bytes)| std::cmp::Reverse(**bytes));
        for (at, (why, bytes)) in order.into_iter().enumerate() {
            write!(to, "{}{} {why}", if at > 0 { "; " } else { "" }, mib(*bytes))?;
        }
        Ok(())
    }
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

type Sort = (String, Option<Why>);

/// What is to bound a run's memory.
#[derive(Clone, Debug)]
pub struct Bound {
    /// `--local`.
    pub local_bytes: u64,
    /// The library that pages.
    pub library: PathBuf,
}

impl Bound {
    /// The processes below this one that are over the bound now.
    pub fn over(&self) -> Vec<Unpaged> {
        let over = |pid: &u32| fileless_bytes(*pid).is_some_and(|bytes| bytes > self.most());
        let programs = programs().into_iter().filter(over);
        let all = programs.filter_map(|pid| Unpaged::of(pid, &self.library));
        // Shared memory may have been counted several times before its mappings were read.
        all.filter(|one| one.all_bytes > self.most()).collect()
    }

    /// With so much nothing is said of a process.
    fn most(&self) -> u64 {
        self.local_bytes.saturating_add((self.local_bytes / 4).max(LEAST_MARGIN))
    }
}

/// Watches the processes below this one.
pub struct Watch {
    bound: Bound,
    /// What each process that seemed to be over the bound had when it was looked at last, and of
    /// which sort it was when it first was.
    seen: BTreeMap<u32, (u64, Option<Sort>)>,
    /// The most that a process of each sort had, and how many there were.
    most: BTreeMap<Sort, (Unpaged, u32)>,
}

impl Watch {
    /// For a run that is bound so.
    pub fn new(bound: Bound) -> Watch {
        Watch { bound, seen: BTreeMap::new(), most: BTreeMap::new() }
    }

    /// Whether the kernel tells which processes a process has started.
    pub fn is_possible() -> bool {
        Path::new("/proc/thread-self/children").exists()
    }

    /// Look at all of them; a line for each sort of processes that is over the bound for the first
    /// time.
    pub fn look(&mut self) -> Vec<String> {
        let over: Vec<u32> = programs().into_iter().filter(|pid| self.grew(*pid)).collect();
        over.into_iter().filter_map(|pid| self.note(pid)).collect()
    }

    /// Mappings are read where it matters: that takes the process's own lock.
    fn grew(&self, pid: u32) -> bool {
        let known = self.seen.get(&pid).map_or(0, |(bytes, _)| bytes / 10 * 11);
        fileless_bytes(pid).is_some_and(|bytes| bytes > known.max(self.bound.most()))
    }

    fn note(&mut self, pid: u32) -> Option<String> {
        let seen = fileless_bytes(pid)?;
        let now = Unpaged::of(pid, &self.bound.library)?;
        let (bytes, told) = self.seen.entry(pid).or_default();
        *bytes = seen;
        if now.all_bytes <= self.bound.most() {
            return None;
        }
        let is_new = told.is_none();
        let sort = told.get_or_insert_with(|| now.sort()).clone();
        match self.most.entry(sort) {
            Entry::Vacant(place) => {
                let local = mib(self.bound.local_bytes);
                let line = format!("fourstamp: --local {local} does not bound this program: {now}");
                place.insert((now, 1));
                Some(line)
            }
            Entry::Occupied(mut place) => {
                let (most, many) = place.get_mut();
                *many += u32::from(is_new);
                if now.bytes() > most.bytes() {
                    *most = now;
                }
                None
            }
        }
    }

    /// The most that a process of each sort had.
    pub fn summary(&self) -> Vec<String> {
        let line = |(one, many): &(Unpaged, u32)| match many {
            1 => format!("the most that was seen: {one}"),
            _ => format!("the most that was seen in {many} such processes: {one}"),
        };
        self.most.values().map(line).collect()
    }
}

/// The processes below this one, without those of this program itself (its page servers).
pub fn programs() -> Vec<u32> {
    let own = std::fs::read_link("/proc/self/exe").ok();
    let mut found = children(std::process::id(), own.as_ref());
    let mut at = 0;
    while at < found.len() {
        let more = children(found[at], own.as_ref());
        found.extend(more);
        at += 1;
    }
    found
}

fn children(pid: u32, own: Option<&PathBuf>) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let numbers: Vec<u32> = lists.flat_map(|list| numbers(&list).collect::<Vec<_>>()).collect();
    let ours = |pid: &u32| own.is_some() && image(*pid).as_ref() == own;
    numbers.into_iter().filter(|pid| !ours(pid)).collect()
}

fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split_ascii_whitespace().filter_map(|word| word.parse().ok())
}

fn image(pid: u32) -> Option<PathBuf> {
    std::fs::read_link(format!("/proc/{pid}/exe")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_a_quarter_and_at_least_16_mib() {
        let most = |local_bytes| Bound { local_bytes, library: PathBuf::new() }.most();
        assert_eq!(most(8 << 20), 24 << 20);
        assert_eq!(most(1 << 30), (1 << 30) + (256 << 20));
        assert_eq!(most(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_child_that_fills_its_memory_is_told_once_with_the_reason() {
        let script = "x = bytearray(60 << 20); print(1, flush=True); input()";
        let mut command = std::process::Command::new("python3");
        command.args(["-c", script]).stdin(std::process::Stdio::piped());
        let Ok(mut child) = command.stdout(std::process::Stdio::piped()).spawn() else {
            println!("skipped: no python3");
            return;
        };
        let mut watch = Watch::new(Bound { local_bytes: 8 << 20, library: PathBuf::from("/x.so") });
        let begun = std::time::Instant::now();
        let mut lines = Vec::new();
        while lines.is_empty() && begun.elapsed().as_secs() < 20 {
            lines = watch.look();
        }
        let again = watch.look();
        let _ = (child.kill(), child.wait());
        let pid = format!("process {} ", child.id());
        assert!(lines.len() == 1 && lines[0].contains(&pid), "{lines:?}");
        assert!(lines[0].contains("without LD_PRELOAD"), "{lines:?}");
        assert_eq!(again, Vec::<String>::new());
        assert!(watch.summary()[0].contains(&pid));
    }
}
