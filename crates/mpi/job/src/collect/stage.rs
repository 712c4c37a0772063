//! What came from a host, beside the run until it is known to belong to it.

use super::incoming::Incoming;
use super::{CollectError, Fetched, Source};
use mpi_facts::ELSEWHERE_FILE;
use mpi_facts::variables::TROUBLE_FILE;
use record::{NodeSheet, RunId, RunInfo, State};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// Entries of an archive that are looked at: three files a rank, of more ranks than a run has.
const ENTRIES_MOST: usize = 4 << 20;

/// A host's folder, unpacked.
pub(super) struct Stage {
    from: String,
    folder: TempDir,
    info: RunInfo,
}

/// A file of a host's folder that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// `run.json`, the list of other places, or what the ranks could not do.
    Text(&'static str),
    /// A file of a rank.
    OfRank(u32, Ending),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Calls,
    Tail,
    /// The sheet.
    Json,
}

impl Stage {
    /// Unpack what comes, in a folder made in `beside`.
    pub fn fill(
        beside: &Path,
        source: &Source,
        mut incoming: Incoming,
        bytes: &AtomicU64,
    ) -> Result<Stage, CollectError> {
        let from = source.to_string();
        let failed = |action| {
            let from = from.clone();
            move |source| CollectError::File { from, action, source }
        };
        let folder = tempfile::Builder::new()
            .prefix(".collecting-")
            .tempdir_in(beside)
            .map_err(failed("make a folder for it"))?;
        let counted = Counted { bytes, source: &mut incoming };
        if let Err(error) = unpack(counted, folder.path()) {
            return Err(incoming.blame("unpack it", error));
        }
        incoming.finish()?;
        let path = folder.path().join("run.json");
        let text = match record::read_input(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let what = "is not a folder of logs: it has no run.json".to_owned();
                return Err(CollectError::Foreign { from, what });
            }
            Err(error) => return Err(failed("read its run.json")(error)),
        };
        let info = RunInfo::parse(&text, Path::new(&format!("{source}/run.json")))?;
        Ok(Stage { from, folder, info })
    }

    pub fn info(&self) -> &RunInfo {
        &self.info
    }

    /// Whether it belongs to the run with this id, if there is one, and can still be added.
    pub fn check(&self, id: Option<RunId>) -> Result<(), CollectError> {
        let what = match () {
            () if id.is_some() && self.info.id != id => {
                "holds the logs of another run; see docs/MPI.md, \"Without a shared file system\""
            }
            () if self.info.state != State::Open => {
                "was closed there, as a run of that host's ranks alone: its logs are no more"
            }
            () => return Ok(()),
        };
        Err(CollectError::Foreign { from: self.from.clone(), what: what.into() })
    }

    /// Move the logs among the live files of the run.
    pub fn move_into(self, live: &Path) -> Result<Fetched, CollectError> {
        let came = self.folder.path().join("live");
        let failed = |action| {
            let from = self.from.clone();
            move |source| CollectError::File { from, action, source }
        };
        let mut sheets = self.sheets(&came)?;
        sheets.sort_by_key(|sheet| sheet.node);
        for sheet in &sheets {
            self.refuse_another(live, sheet)?;
        }
        let mut fetched = Fetched::default();
        for sheet in &sheets {
            // The sheet comes last: without it a log is not looked at.
            for ending in [".calls", ".tail", ".json"] {
                let name = sheet.stem() + ending;
                match std::fs::rename(came.join(&name), live.join(&name)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed("move it into the run")(error));
                    }
                    _ => {}
                }
            }
            fetched.ranks.push(sheet.node);
            if !sheet.finished {
                fetched.unfinished.push(sheet.node);
            }
        }
        let trouble = record::read_input(&came.join(TROUBLE_FILE)).unwrap_or_default();
        fetched.trouble =
            String::from_utf8_lossy(&trouble).lines().map(|line| line.to_owned()).collect();
        if let Ok(list) = record::read_input(&came.join(ELSEWHERE_FILE)) {
            let parsed = serde_json::from_slice(&list).map_err(io::Error::from);
            fetched.elsewhere = Some(parsed.map_err(failed("read its list of other hosts"))?);
        }
        Ok(fetched)
    }

    fn sheets(&self, came: &Path) -> Result<Vec<NodeSheet>, CollectError> {
        let mut sheets = Vec::new();
        for entry in std::fs::read_dir(came).into_iter().flatten().flatten() {
            let path = entry.path();
            let Some(Wanted::OfRank(rank, Ending::Json)) =
                wanted(&Path::new("live").join(entry.file_name()))
            else {
                continue;
            };
            let text = record::read_input(&path).map_err(|source| CollectError::File {
                from: self.from.clone(),
                action: "read a rank's sheet",
                source,
            })?;
            let sheet = NodeSheet::parse(&text, &path)?;
            if (sheet.launch, sheet.node) != (0, rank) {
                let what =
                    format!("is damaged: the sheet of rank {rank} says that it is another's");
                return Err(CollectError::Foreign { from: self.from.clone(), what });
            }
            sheets.push(sheet);
        }
        Ok(sheets)
    }

    /// The run may have a log of that rank already: one that came before, but not another
    /// process's.
    fn refuse_another(&self, live: &Path, sheet: &NodeSheet) -> Result<(), CollectError> {
        let path = live.join(sheet.stem() + ".json");
        let Ok(text) = record::read_input(&path) else { return Ok(()) };
        let there = NodeSheet::parse(&text, &path)?;
        let who = |sheet: &NodeSheet| (sheet.boot_id.clone(), sheet.pid);
        if who(&there) == who(sheet) {
            return Ok(());
        }
        let what = format!(
            "has a log of rank {}, and the run has one too, of process {} on {}: they are of two \
            jobs",
            sheet.node, there.pid, there.host
        );
        Err(CollectError::Foreign { from: self.from.clone(), what })
    }
}

/// Unpack the files of a run from the tar archive of its folder, and no others, into the folder
/// `into`.
///
/// # Errors
/// When it is damaged or cut, has the same file twice, or cannot be written.
pub fn unpack(archive: impl Read, into: &Path) -> io::Result<()> {
    std::fs::create_dir(into.join("live"))?;
    let mut archive = tar::Archive::new(archive);
    for (count, entry) in archive.entries()?.enumerate() {
        let mut entry = entry?;
        if count > ENTRIES_MOST {
            return Err(io::Error::other("it has more files than a run"));
        }
        let name = entry.path()?.into_owned();
        let Some(path) = wanted(&name).map(|wanted| into.join(wanted.path())) else { continue };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let mut file = std::fs::File::create_new(path)?;
        io::copy(&mut entry, &mut file)?;
    }
    Ok(())
}

/// What the file of this name is to a run.
fn wanted(name: &Path) -> Option<Wanted> {
    let name = name.strip_prefix(".").unwrap_or(name).to_str()?;
    if name == "run.json" {
        return Some(Wanted::Text("run.json"));
    }
    let name = name.strip_prefix("live/")?;
    if let Some(text) = [ELSEWHERE_FILE, TROUBLE_FILE].into_iter().find(|text| *text == name) {
        return Some(Wanted::Text(text));
    }
    let (stem, ending) = name.rsplit_once('.')?;
    let rank: u32 = stem.strip_prefix("launch-0-node-")?.parse().ok()?;
    let ending = [Ending::Calls, Ending::Tail, Ending::Json]
        .into_iter()
        .find(|known| known.text() == ending)?;
    Some(Wanted::OfRank(rank, ending))
}

impl Wanted {
    /// Its path, made anew: nothing of the archive's own names is used.
    fn path(self) -> PathBuf {
        match self {
            Wanted::Text("run.json") => PathBuf::from("run.json"),
            Wanted::Text(name) => Path::new("live").join(name),
            Wanted::OfRank(rank, ending) => {
                let stem = NodeSheet::stem_of(0, rank);
                Path::new("live").join(format!("{stem}.{}", ending.text()))
            }
        }
    }
}

impl Ending {
    fn text(self) -> &'static str {
        match self {
            Ending::Calls => "calls",
            Ending::Tail => "tail",
            Ending::Json => "json",
        }
    }
}

/// Counts what is read.
struct Counted<'a, R> {
    bytes: &'a AtomicU64,
    source: R,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(bytes)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_files_of_a_run_are_unpacked_whatever_an_archive_names() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut add = |name: &str, kind| {
            let mut header = tar::Header::new_gnu();
            // A raw name: the builder refuses some that an enemy would not.
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_size(3);
            header.set_entry_type(kind);
            header.set_cksum();
            builder.append(&header, &b"abc"[..]).unwrap();
        };
        let file = tar::EntryType::Regular;
        for name in ["./run.json", "./live/launch-0-node-12.calls", "live/elsewhere"] {
            add(name, file);
        }
        for name in [
            "../live/launch-0-node-1.calls",
            "/tmp/run.json",
            "./live/../run.json",
            "./live/launch-0-node-1.calls/x",
            "./live/lock",
            "./messages/a.parquet",
            "./live/launch-0-node--1.calls",
        ] {
            add(name, file);
        }
        add("./live/launch-0-node-3.calls", tar::EntryType::Symlink);
        let folder = tempfile::tempdir().unwrap();
        unpack(&*builder.into_inner().unwrap(), folder.path()).unwrap();
        let mut found: Vec<String> = Vec::new();
        for of in ["", "live"] {
            for entry in std::fs::read_dir(folder.path().join(of)).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let name = path.strip_prefix(folder.path()).unwrap();
                    found.push(name.to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        assert_eq!(found, ["live/elsewhere", "live/launch-0-node-12.calls", "run.json"]);
    }

    #[test]
    fn an_archive_that_is_cut_or_none_is_an_error() {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_path("run.json").unwrap();
        header.set_size(600);
        header.set_cksum();
        builder.append(&header, &[7; 600][..]).unwrap();
        let whole = builder.into_inner().unwrap();
        for cut in [700, 1000] {
            let folder = tempfile::tempdir().unwrap();
            assert!(unpack(&whole[..cut], folder.path()).is_err(), "{cut}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(unpack(&[0x55; 2048][..], folder.path()).is_err());
    }
}
