//! How much memory this process's control group leaves it: in a container that is often much less
//! than the machine has.

use anyhow::{Result, bail};
use std::path::Path;

/// The least limit of the memory groups that this process is in, bytes; `None` without one.
pub fn bytes() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    of_groups(Path::new("/sys/fs/cgroup"), &groups)
}

/// The most that this process may have: of the machine's memory, its groups' limits and its own
/// (`ulimit -v`), bytes.
fn most() -> u64 {
    let machine = rustix::system::sysinfo();
    let total = (machine.totalram as u64).saturating_mul(machine.mem_unit.into());
    let own = rustix::process::getrlimit(rustix::process::Resource::As).current;
    [bytes(), own].into_iter().flatten().fold(total, u64::min)
}

/// Refuse messages that nodes on this machine could not hold, before one of them tries: the kernel
/// would end it, or somebody else.
pub fn refuse_messages(largest_bytes: usize, nodes: u16) -> Result<()> {
    // Each node holds a message as it is sent and as it comes.
    let needed = (largest_bytes as u64).saturating_mul(2 * u64::from(nodes));
    refuse(largest_bytes, nodes, needed, most())
}

fn refuse(largest_bytes: usize, nodes: u16, needed: u64, most: u64) -> Result<()> {
    if needed > most {
        bail!(
            "messages of {largest_bytes} bytes need {} MiB on {nodes} nodes, but {} MiB are \
            available: give a smaller size",
            needed >> 20,
            most >> 20
        );
    }
    Ok(())
}

/// `groups` as in `cgroups(7)`: a line `id:controllers:path` for each hierarchy.
fn of_groups(root: &Path, groups: &str) -> Option<u64> {
    groups.lines().filter_map(|line| of_group(root, line)).min()
}

fn of_group(root: &Path, line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let path = path.trim_start_matches('/');
    if controllers.is_empty() {
        return least(root, path, "memory.max");
    }
    controllers.split(',').find(|name| *name == "memory")?;
    least(&root.join("memory"), path, "memory.limit_in_bytes")
}

/// A group's own limit and those of the groups around it. In a container the path may be the
/// machine's own, of which there is only the root.
fn least(root: &Path, path: &str, file: &str) -> Option<u64> {
    let group = root.join(path);
    let around = group.ancestors().take_while(|group| group.starts_with(root));
    // "max" is no number, and no limit.
    let limits = around
        .filter_map(|group| std::fs::read_to_string(group.join(file)).ok()?.trim().parse().ok());
    limits.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_no_memory_holds_are_refused() {
        assert!(most() > 1 << 20);
        assert!(refuse_messages(1 << 10, 2).is_ok());
        let error = refuse_messages(usize::MAX, 1024).expect_err("too large").to_string();
        assert!(error.contains("18446744073709551615 bytes"), "{error}");
        assert!(refuse(100, 2, 400, 399).is_err() && refuse(100, 2, 400, 400).is_ok());
    }

    #[test]
    fn the_least_limit_of_all_groups_around_counts() {
        let root = tempfile::tempdir().unwrap();
        let group = |path: &str, file: &str, text: &str| {
            std::fs::create_dir_all(root.path().join(path)).unwrap();
            std::fs::write(root.path().join(path).join(file), text).unwrap();
        };
        group("a/b", "memory.max", "max\n");
        group("a", "memory.max", "5000\n");
        group("memory/c", "memory.limit_in_bytes", "4000\n");
        group("memory", "memory.limit_in_bytes", "9223372036854771712\n");
        let limit = |groups| of_groups(root.path(), groups);
        assert_eq!(limit("0::/a/b\n"), Some(5000));
        assert_eq!(limit("3:cpu,memory:/c\n0::/a/b\n"), Some(4000));
        assert_eq!(limit("2:cpu:/c\n0::/gone\n"), None);
    }
}
