//! The worlds of a job: the ranks that were started, and those of each spawning. In the run all of
//! them are numbered in one row, each world behind those that were there before it.
//!
//! A world knows nothing of another one's ranks, so their numbers are kept in a file of the run, a
//! line a world: its name in the job, its first number, how many ranks it has.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;

/// Its name among the run's live files.
const FILE: &str = "worlds";

/// The name of this process's world in the job, as launchers tell it.
pub fn name() -> Option<String> {
    ["PMIX_NAMESPACE", "PMI_JOBID", "PMI_KVS"].iter().find_map(|name| std::env::var(name).ok())
}

/// The first number of the world `name`, which has `size` ranks: 0 of one that was started and not
/// spawned. Of those there is one; more of them are ranks that do not know of each other, and take
/// each other's numbers.
///
/// # Errors
/// When the file cannot be read or written, or is none of ours.
pub fn first_number(live: &Path, name: &str, size: u32, spawned: bool) -> std::io::Result<u32> {
    let mut options = File::options();
    let mut file = options.read(true).append(true).create(true).open(live.join(FILE))?;
    // SAFETY: an open file; the lock goes with it.
    if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let worlds = worlds(&text).ok_or(std::io::ErrorKind::InvalidData)?;
    if let Some((_, first, _)) = worlds.iter().find(|(known, ..)| *known == name) {
        return Ok(*first);
    }
    let first = worlds.iter().map(|(_, first, size)| first.saturating_add(*size)).max();
    let first = first.filter(|_| spawned).unwrap_or(0);
    writeln!(file, "{name} {first} {size}")?;
    Ok(first)
}

fn worlds(text: &str) -> Option<Vec<(&str, u32, u32)>> {
    text.lines()
        .map(|line| {
            let mut words = line.split(' ');
            let (name, first, size) = (words.next()?, words.next()?, words.next()?);
            Some((name, first.parse().ok()?, size.parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_world_is_numbered_behind_those_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let first = |name, size| first_number(folder.path(), name, size, name != "a").unwrap();
        assert_eq!((first("a", 4), first("b", 2), first("a", 4)), (0, 4, 0));
        assert_eq!((first("c", 3), first("b", 2)), (6, 4));
        let other = first_number(folder.path(), "d", 4, false).unwrap();
        assert_eq!(other, 0, "it was started beside the first one");
    }
}
