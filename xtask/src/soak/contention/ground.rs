//! What plants need of the machine: the right to real-time priority, swap, a file system to freeze.

use super::Plant;
use crate::process::{capture, on_path, succeeds};
use anyhow::{Context, Result};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Room for what is taken from a node.
const SWAP: u64 = 1 << 30;
/// Room for a record while its disk stands still.
const DISK: u64 = 4 << 30;

/// What this machine lets us do. What was added to it is taken away at the end.
pub struct Ground {
    /// Runs whose disk stays as it is.
    folder: PathBuf,
    real_time: bool,
    swap: Option<Swap>,
    disk: Option<Disk>,
}

impl Ground {
    /// Adds what can be added, and says what cannot.
    pub fn prepare(folder: &Path) -> Result<Ground> {
        let has = on_path("chrt").is_some() && on_path("taskset").is_some();
        let real_time = has && succeeds(Command::new("chrt").args(["-f", "50", "true"]));
        println!(
            "plants: {}",
            if real_time {
                "a real-time program takes the core"
            } else {
                "sixteen busy loops share the core; missing here: the right to real-time priority \
                (root), or the programs chrt and taskset"
            }
        );
        let swap = said("no pages are taken", Swap::on(folder));
        let disk = said("no disk stands still", Disk::mount(folder));
        Ok(Ground { folder: folder.to_path_buf(), real_time, swap, disk })
    }

    /// Whether nodes and plants can go before everything else.
    pub fn has_real_time(&self) -> bool {
        self.real_time
    }

    /// Whether it can be planted.
    pub fn bears(&self, plant: Plant) -> bool {
        match plant {
            Plant::Core | Plant::Stop => true,
            Plant::Pages => self.swap.is_some(),
            Plant::Disk => self.disk.is_some(),
        }
    }

    /// Where the runs of a plant go.
    pub fn folder(&self, plant: Plant) -> &Path {
        match &self.disk {
            Some(disk) if plant == Plant::Disk => &disk.at,
            _ => &self.folder,
        }
    }

    /// Has a process wait long for each page that it reads back.
    pub fn slow_disk(&self, pid: i32) -> Result<Slow<'_>> {
        let group = &self.swap.as_ref().context("no swap")?.group;
        Group::enter(&group.own, pid)?;
        Ok(Slow { group, pid })
    }

    /// Saves a run from a disk that goes when all is done; where it is now.
    pub fn keep(&self, run: &Path) -> Result<PathBuf> {
        let kept = self.folder.join(run.file_name().context("a run has a name")?);
        if kept != run {
            let _ = std::fs::remove_dir_all(&kept);
            capture(Command::new("cp").arg("-r").arg(run).arg(&kept))?;
        }
        Ok(kept)
    }
}

/// The thing, or nothing and a line that says why.
fn said<T>(without: &str, made: Result<T>) -> Option<T> {
    made.inspect_err(|why| println!("skipped: {without}: {}", why.to_string().replace('\n', " ")))
        .ok()
}

/// A swap file in use, and a control group whose processes read from its disk only so often.
struct Swap {
    file: PathBuf,
    group: Group,
}

/// Reads a second of a process that lacks its pages.
const READS_PER_S: u32 = 100;

/// A control group for reads and writes, of either version.
struct Group {
    /// All processes were in this one before, or may be.
    parent: PathBuf,
    own: PathBuf,
}

/// A process is held up while this lives.
pub struct Slow<'a> {
    group: &'a Group,
    pid: i32,
}

impl Group {
    /// That lets its processes read so often from the disk of a file.
    fn of_slow_readers(file: &Path) -> Result<Group> {
        let root = Path::new("/sys/fs/cgroup");
        let first = root.join("blkio");
        let of_first = first.is_dir();
        let parent = if of_first { first } else { root.to_path_buf() };
        let group = Group { own: parent.join("fourstamp-soak"), parent };
        let disk = std::fs::metadata(file)?.dev();
        let disk = format!("{}:{}", rustix::fs::major(disk), rustix::fs::minor(disk));
        let (limit, line) = if of_first {
            ("blkio.throttle.read_iops_device", format!("{disk} {READS_PER_S}"))
        } else {
            std::fs::write(group.parent.join("cgroup.subtree_control"), "+io")
                .context("no control group")?;
            ("io.max", format!("{disk} riops={READS_PER_S}"))
        };
        std::fs::create_dir_all(&group.own).context("control groups need root")?;
        std::fs::write(group.own.join(limit), line).context("reads cannot be slowed down")?;
        Ok(group)
    }

    fn enter(folder: &Path, pid: i32) -> Result<()> {
        std::fs::write(folder.join("cgroup.procs"), pid.to_string())
            .context("no control group takes it")
    }
}

impl Drop for Slow<'_> {
    fn drop(&mut self) {
        // It may have ended.
        let _ = Group::enter(&self.group.parent, self.pid);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.own);
    }
}

impl Swap {
    fn on(folder: &Path) -> Result<Swap> {
        let file = folder.join("swap");
        let room = SWAP.to_string();
        let _ = succeeds(Command::new("swapoff").arg(&file));
        let _ = std::fs::remove_file(&file);
        capture(Command::new("fallocate").args(["--length", &room]).arg(&file))?;
        capture(Command::new("chmod").arg("600").arg(&file))?;
        capture(Command::new("mkswap").arg(&file))?;
        let swap = Swap { group: Group::of_slow_readers(&file)?, file };
        capture(Command::new("swapon").arg(&swap.file)).context("swap needs root")?;
        Ok(swap)
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        // Without it, nothing is left on either count.
        let _ = succeeds(Command::new("swapoff").arg(&self.file));
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A file system in a file, which can be frozen alone.
struct Disk {
    image: PathBuf,
    at: PathBuf,
}

impl Disk {
    fn mount(folder: &Path) -> Result<Disk> {
        let disk = Disk { image: folder.join("disk.img"), at: folder.join("disk") };
        std::fs::create_dir_all(&disk.at)?;
        let _ = succeeds(Command::new("umount").arg(&disk.at));
        std::fs::File::create(&disk.image)?.set_len(DISK)?;
        on_path("fsfreeze").context("there is no fsfreeze")?;
        capture(Command::new("mkfs.ext4").arg("-q").arg(&disk.image))?;
        let mut mount = Command::new("mount");
        capture(mount.args(["-o", "loop"]).arg(&disk.image).arg(&disk.at))
            .context("mounting needs root")?;
        Ok(disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = succeeds(Command::new("fsfreeze").arg("-u").arg(&self.at));
        let _ = succeeds(Command::new("umount").arg(&self.at));
        let _ = std::fs::remove_file(&self.image);
    }
}
