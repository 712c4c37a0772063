//! A swap file for one launch.

use crate::{DriveError, Tell};
use shaped::process::begin_of;
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
    tell: Tell,
}

type Result<T> = std::result::Result<T, DriveError>;

impl SwapFile {
    /// Room for so many bytes, in a file of `folder`. `tell` hears of what cannot be removed.
    ///
    /// # Errors
    /// When there is no room, or the kernel refuses.
    pub fn make(folder: &Path, bytes: u64, tell: Tell) -> Result<SwapFile> {
        remove_left_overs(tell);
        let pid = std::process::id();
        let begun = begin_of(pid)
            .ok_or(std::io::ErrorKind::NotFound.into())
            .map_err(DriveError::file("read", "/proc/self/stat"))?;
        let folder = folder.canonicalize().map_err(DriveError::file("find", folder))?;
        let path = folder.join(format!("{PREFIX}-{pid}-{begun}"));
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(DriveError::file("make", &path))?;
        let swap = SwapFile { path, tell };
        // The kernel swaps to no file with holes.
        rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes + SPARE_BYTES)
            .map_err(|error| DriveError::File {
            action: "make a swap file with room for the data in",
            path: folder,
            source: error.into(),
            advice: "; free some space, or choose another folder",
        })?;
        run("mkswap", &swap.path, "")?;
        run("swapon", &swap.path, "; choose a folder on a local disk")?;
        Ok(swap)
    }
}

impl Drop for SwapFile {
    fn drop(&mut self) {
        remove(&self.path, self.tell);
    }
}

/// What studies have left that were killed.
fn remove_left_overs(tell: Tell) {
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    for path in swaps.lines().filter_map(|line| line.split_whitespace().next()) {
        if owner(path).is_some_and(|(pid, begun)| begin_of(pid) != Some(begun)) {
            remove(Path::new(path), tell);
        }
    }
}

/// Whose it is: process and when that began.
fn owner(path: &str) -> Option<(u32, u64)> {
    let name = Path::new(path).file_name()?.to_str()?;
    let (pid, begun) = name.strip_prefix(PREFIX)?.strip_prefix('-')?.split_once('-')?;
    Some((pid.parse().ok()?, begun.parse().ok()?))
}

fn remove(path: &Path, tell: Tell) {
    let is_on = std::fs::read_to_string("/proc/swaps")
        .is_ok_and(|swaps| swaps.contains(&*path.to_string_lossy()));
    let off = if is_on { run("swapoff", path, "") } else { Ok(()) };
    let gone =
        off.and_then(|()| std::fs::remove_file(path).map_err(DriveError::file("remove", path)));
    if let Err(error) = gone {
        let path = path.display();
        tell(&format!(
            "the swap file {path} was not removed: {error}; remove it with: swapoff {path}; rm \
            {path}"
        ));
    }
}

fn run(program: &'static str, path: &Path, advice: &'static str) -> Result<()> {
    let output = Command::new(program).arg(path).stdin(Stdio::null()).output();
    let output = output.map_err(|source| DriveError::Start {
        program,
        source,
        advice: "; install util-linux",
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(DriveError::Refused { program, said, advice })
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
