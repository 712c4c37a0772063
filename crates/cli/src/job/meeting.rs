//! How the ranks of a job find the coordinator: over MPI where that carries the messages, else by
//! two files that only this user can read, named after the job, where all ranks see them.

use super::LaunchedJob;
use crate::interrupt;
use anyhow::{Context, Result, bail};
use fabric::{EagerBounds, KeyError, MpiProcess, RunKey};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long a rank waits for the coordinator's address.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(20);
/// What stands for the address when there will be no run.
const CALLED_OFF: &str = "none";
/// What stands for it when all are to find MPI's eager limit first.
const EAGER_LIMIT: &str = "eager-limit";

/// Where to join, and with what.
#[derive(Clone)]
pub struct Invitation {
    pub address: String,
    pub key: RunKey,
}

/// How ranks find each other.
pub enum Meeting {
    OverMpi(MpiProcess),
    ByFile(Place),
}

impl Meeting {
    /// Rank 0: tell the others; `None` that there will be no run.
    pub fn tell(&self, invitation: Option<&Invitation>) -> Result<()> {
        match self {
            Meeting::ByFile(place) => place.tell(invitation),
            Meeting::OverMpi(process) => {
                let text = invitation.map_or(CALLED_OFF.into(), |there| {
                    format!("{} {}", there.key.to_hex(), there.address)
                });
                process.share(text.as_bytes());
                Ok(())
            }
        }
    }

    /// Rank 0, before it tells: find the eager limit together, where the messages are MPI's.
    pub fn find_eager_limit(&self) -> Result<Option<EagerBounds>> {
        let Meeting::OverMpi(process) = self else { return Ok(None) };
        process.share(EAGER_LIMIT.as_bytes());
        Ok(process.find_eager_limit()?)
    }

    /// The others: wait to be told, not beyond `deadline` where that can be told. `None`: there
    /// will be no run, and rank 0 says why.
    pub fn hear(&self, deadline: Instant) -> Result<Option<Invitation>> {
        match self {
            Meeting::ByFile(place) => place.hear(deadline),
            Meeting::OverMpi(process) => {
                let mut text = shared(process)?;
                if text == EAGER_LIMIT {
                    process.find_eager_limit()?;
                    text = shared(process)?;
                }
                let Some((key, address)) = text.split_once(' ') else { return Ok(None) };
                Ok(Some(Invitation { address: address.into(), key: RunKey::from_hex(key)? }))
            }
        }
    }

    /// Rank 0: all have come.
    pub fn all_have_come(&self) {
        if let Meeting::ByFile(place) = self {
            place.clear();
        }
    }
}

fn shared(process: &MpiProcess) -> Result<String> {
    String::from_utf8(process.share(&[])).context("what rank 0 shared is not text")
}

/// The two files.
pub struct Place {
    base: PathBuf,
}

impl Place {
    /// Where the ranks of this job meet: in memory on one host, else in the folder that they were
    /// started in.
    pub fn of(job: &LaunchedJob) -> Result<Place> {
        let Some(id) = &job.id else {
            bail!(
                "this launcher does not say which job its ranks belong to, as is needed on \
                several hosts: use srun, --transport mpi, or join nodes by hand (`fourstamp \
                node --help`)"
            );
        };
        let folder = match job.one_host {
            true => memory::shared_folder(),
            false => std::env::current_dir().context("cannot find the current folder")?,
        };
        let user = rustix::process::geteuid().as_raw();
        Ok(Place { base: folder.join(format!(".fourstamp-job-{user}-{id}")) })
    }

    fn file(&self, what: &str) -> PathBuf {
        let mut name = self.base.clone().into_os_string();
        name.push(what);
        name.into()
    }

    fn tell(&self, invitation: Option<&Invitation>) -> Result<()> {
        // Left over from a job of the same name that was cut.
        self.clear();
        if let Some(there) = invitation {
            there.key.write_file(&self.file(".key"))?;
        }
        let (draft, address) = (self.file(".part"), self.file(".address"));
        let text = invitation.map_or(CALLED_OFF, |there| &there.address);
        write_new(&draft, text).and_then(|()| std::fs::rename(&draft, &address)).with_context(
            || format!("cannot write {}, where the other ranks look for rank 0", address.display()),
        )
    }

    fn hear(&self, deadline: Instant) -> Result<Option<Invitation>> {
        let stop = interrupt::flag();
        while Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
            if let Some(heard) = self.look()? {
                return Ok(heard);
            }
            std::thread::sleep(LOOK);
        }
        bail!(
            "rank 0 did not write its address to {1} within {0} s; has it failed, and do all \
            ranks see this folder?",
            PATIENCE.as_secs(),
            self.file(".address").display()
        );
    }

    /// What is there now. It may be left over from a cut job: then nobody answers at the address.
    fn look(&self) -> Result<Option<Option<Invitation>>> {
        let Ok(address) = std::fs::read_to_string(self.file(".address")) else { return Ok(None) };
        if address == CALLED_OFF {
            return Ok(Some(None));
        }
        match RunKey::from_file(&self.file(".key")) {
            Ok(key) => Ok(Some(Some(Invitation { address, key }))),
            Err(KeyError::File { .. } | KeyError::Malformed { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn clear(&self) {
        for what in [".address", ".key", ".part"] {
            remove(&self.file(what));
        }
    }
}

/// A file of ours: where anybody may write, one that is there already belongs to somebody else.
fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
}

fn remove(path: &Path) {
    // Gone already is what it is to be.
    let _ = std::fs::remove_file(path);
}
