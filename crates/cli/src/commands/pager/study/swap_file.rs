//! A swap file for one launch.

use crate::commands::shaped::namespaces::begin_of;
use anyhow::{Context, Result, bail};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Its name says whose it is, as a namespace's does.
const PREFIX: &str = "fourstamp-swap";
/// Beside the data: the header, and what the kernel reads ahead.
const SPARE_BYTES: u64 = 64 << 20;

/// Switched on when made; off and gone when dropped.
pub struct SwapFile {
    path: PathBuf,
}

impl SwapFile {
    /// Room for so many bytes, in a file of `folder`.
    pub fn make(folder: &Path, bytes: u64) -> Result<SwapFile> {
        remove_left_overs();
        let pid = std::process::id();
        let begun = begin_of(pid)
            .context("cannot read /proc/self/stat, which says when this process began")?;
        let folder =
            folder.canonicalize().with_context(|| format!("cannot find {}", folder.display()))?;
        let path = folder.join(format!("{PREFIX}-{pid}-{begun}"));
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        let file = file.with_context(|| format!("cannot make {}", path.display()))?;
        let swap = SwapFile { path };
        // The kernel swaps to no file with holes.
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes + SPARE_BYTES)
            .with_context(|| {
            format!("no room for {} MiB in {}", (bytes + SPARE_BYTES) >> 20, folder.display())
        })?;
        run("mkswap", &swap.path)?;
        run("swapon", &swap.path)
            .context("the kernel does not swap to that file: choose an --out on a local disk")?;
        Ok(swap)
    }
}

impl Drop for SwapFile {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// What studies have left that were killed.
fn remove_left_overs() {
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    for path in swaps.lines().filter_map(|line| line.split_whitespace().next()) {
        if owner(path).is_some_and(|(pid, begun)| begin_of(pid) != Some(begun)) {
            remove(Path::new(path));
        }
    }
}

/// Whose it is: process and when that began.
fn owner(path: &str) -> Option<(u32, u64)> {
    let name = Path::new(path).file_name()?.to_str()?;
    let (pid, begun) = name.strip_prefix(PREFIX)?.strip_prefix('-')?.split_once('-')?;
    Some((pid.parse().ok()?, begun.parse().ok()?))
}

fn remove(path: &Path) {
    let is_on = std::fs::read_to_string("/proc/swaps")
        .is_ok_and(|swaps| swaps.contains(&*path.to_string_lossy()));
    let off = if is_on { run("swapoff", path) } else { Ok(()) };
    let gone = off.and_then(|()| Ok(std::fs::remove_file(path)?));
    if let Err(error) = gone {
        let path = path.display();
        eprintln!(
            "the swap file {path} is left: {error:#}; remove it with: swapoff {path}; rm {path}"
        );
    }
}

fn run(program: &str, path: &Path) -> Result<()> {
    let output = Command::new(program).arg(path).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start {program}: install util-linux"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whose_it_is() {
        assert_eq!(owner("/a/fourstamp-swap-12-3456"), Some((12, 3456)));
        for foreign in ["/swapfile", "/dev/vda2", "/a/fourstamp-swap-12", "/a/fourstamp-swap-x-1"] {
            assert_eq!(owner(foreign), None, "{foreign}");
        }
    }
}
