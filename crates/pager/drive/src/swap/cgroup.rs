//! A memory cgroup, of version 2 or 1, whichever the machine has.

use crate::{DriveError, Tell};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program needs besides its data: its code, its libraries, its stack.
const PROGRAM_BYTES: u64 = 2 << 20;

/// Made here; gone when dropped.
pub struct Cgroup {
    folder: PathBuf,
    tell: Tell,
}

/// A hierarchy in which groups that limit memory can be made.
struct Hierarchy {
    root: PathBuf,
    /// The files that take the limits of memory and of swap.
    limit: &'static str,
}

/// What is missing for the kernel's swap under a limit; `None` if nothing is.
pub fn lacking() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("it needs root".into());
    }
    match hierarchy() {
        Some(_) => None,
        None => Some(DriveError::NoCgroup.to_string()),
    }
}

/// The first that works.
fn hierarchy() -> Option<Hierarchy> {
    let mounts = std::fs::read_to_string("/proc/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, place, kind, options, ..] = fields[..] else { return None };
        let root = PathBuf::from(place);
        match kind {
            "cgroup" if options.split(',').any(|option| option == "memory") => {
                writable(&root).then_some(Hierarchy { root, limit: "memory.limit_in_bytes" })
            }
            "cgroup2" if offers_memory(&root) => {
                writable(&root).then_some(Hierarchy { root, limit: "memory.max" })
            }
            _ => None,
        }
    })
}

/// Whether groups below the root of version 2 can limit memory; switched on if need be.
fn offers_memory(root: &Path) -> bool {
    let has = |file: &str| {
        std::fs::read_to_string(root.join(file))
            .is_ok_and(|text| text.split_whitespace().any(|word| word == "memory"))
    };
    if !has("cgroup.controllers") {
        return false;
    }
    has("cgroup.subtree_control")
        || std::fs::write(root.join("cgroup.subtree_control"), "+memory").is_ok()
}

fn writable(root: &Path) -> bool {
    rustix::fs::access(root, rustix::fs::Access::WRITE_OK).is_ok()
}

impl Cgroup {
    /// A group whose programs get so many bytes together, besides what they need themselves.
    /// `tell` hears if it cannot be removed.
    ///
    /// # Errors
    /// When there can be none here.
    pub fn make(local_bytes: u64, tell: Tell) -> Result<Cgroup, DriveError> {
        let hierarchy = hierarchy().ok_or(DriveError::NoCgroup)?;
        let folder = hierarchy.root.join(format!("fourstamp-study-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|source| DriveError::File {
            action: "make",
            path: folder.clone(),
            source,
            advice: "; if it was left by a study, remove it with rmdir",
        })?;
        let group = Cgroup { folder, tell };
        let limit = group.folder.join(hierarchy.limit);
        std::fs::write(&limit, (local_bytes + PROGRAM_BYTES).to_string())
            .map_err(DriveError::file("write", &limit))?;
        if !group.folder.join("cgroup.procs").exists() {
            return Err(DriveError::IdleCgroup(group.folder.clone()));
        }
        Ok(group)
    }

    /// How many of its processes the kernel has killed because it found no memory for them; `None`
    /// where it does not say.
    pub fn killed(&self) -> Option<u64> {
        // Of version 2 and of version 1.
        ["memory.events", "memory.oom_control"].iter().find_map(|file| {
            let text = std::fs::read_to_string(self.folder.join(file)).ok()?;
            text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.parse().ok())
        })
    }

    /// The same command within it. A shell puts itself there and becomes the program.
    pub fn within(&self, inner: &Command) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", "echo $$ > \"$0\" && exec \"$@\""])
            .arg(self.folder.join("cgroup.procs"));
        command.arg(inner.get_program()).args(inner.get_args());
        command
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir(&self.folder) {
            let folder = self.folder.display();
            let line = format!(
                "the cgroup {folder} was not removed: {error}; remove it with: rmdir {folder}"
            );
            (self.tell)(&line);
        }
    }
}
