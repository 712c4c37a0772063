//! Logs of nodes that do not see the run folder: another machine without a shared file system.
//!
//! Whether a node sees it is not guessed from host names: the coordinator leaves a random word in
//! the folder and tells it to the node. One that does not find it records into a temporary folder
//! of its own, whose live logs and sheets it sends over the control connection, and what else its
//! work leaves there: new parts now and then, the rest at the end. Neither side holds more of a
//! file than one part.

use crate::Cause;
use crate::frame::CHUNK_BYTES_MAX;
use crate::protocol::LogChunk;
use memory::Scratch;
use record::{RecordError, RunFolder, RunId, RunInfo};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

/// The random word in the run folder. Dropping it removes it.
pub(crate) struct Nonce {
    path: PathBuf,
    pub word: String,
}

impl Nonce {
    /// Leave a word in the folder.
    pub fn leave(run: &Path, launch: u32) -> std::io::Result<Nonce> {
        let word = random_word()?;
        let path = nonce_path(run, launch);
        std::fs::write(&path, &word)?;
        Ok(Nonce { path, word })
    }
}

impl Drop for Nonce {
    fn drop(&mut self) {
        // Closing the folder removes what is left.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// A name that nobody else has.
pub(crate) fn random_word() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether this process sees the folder that the word was left in.
pub(crate) fn sees(run: &Path, launch: u32, word: &str) -> bool {
    let mut found = String::new();
    let file = File::open(nonce_path(run, launch));
    file.is_ok_and(|file| file.take(64).read_to_string(&mut found).is_ok()) && found == word
}

fn nonce_path(run: &Path, launch: u32) -> PathBuf {
    live(run).join(format!(".launch-{launch}-folder"))
}

fn live(run: &Path) -> PathBuf {
    run.join("live")
}

/// A node's own folder, and how much of it the coordinator has.
pub(crate) struct Away {
    folder: Scratch,
    /// What the work leaves besides logs, named from the run folder.
    leaves: Vec<String>,
    sent: HashMap<String, u64>,
    /// Held so that the folder is one that is being recorded into.
    run: Option<RunFolder>,
}

impl Away {
    /// Of a node of the run `id`, whose work leaves these files besides logs.
    pub fn new(id: Option<RunId>, leaves: &[String]) -> Result<Away, RecordError> {
        let failed = |source| {
            let path = std::env::temp_dir();
            RecordError::File { action: "create", path, source }
        };
        if let Some(outside) = leaves.iter().find(|name| !is_within(name)) {
            let what = format!("{} is no file of a run folder", outside.escape_debug());
            return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidInput, what)));
        }
        let folder = Scratch::new("away").map_err(failed)?;
        let info = RunInfo { id, ..RunInfo::new("away") };
        let run = RunFolder::create(folder.path().join("run"), info)?;
        let (leaves, sent) = (leaves.to_vec(), HashMap::new());
        Ok(Away { folder, leaves, sent, run: Some(run) })
    }

    /// Where the node records.
    pub fn run(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Send what is new in the logs and in what else the work leaves, and the sheets.
    pub fn send(
        &mut self,
        mut to: impl FnMut(LogChunk) -> Result<(), String>,
    ) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("cannot read the node's own log: {error}");
        for entry in std::fs::read_dir(live(&self.run())).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("log") => self.send_log(&path, name, &mut to)?,
                Some("json") => {
                    let bytes = std::fs::read(&path).map_err(failed)?;
                    to(LogChunk { name, offset: 0, whole: true, bytes })?;
                }
                _ => {}
            }
        }
        for name in self.leaves.clone() {
            let path = self.run().join(&name);
            // Some are made only when there is something to be said.
            if path.exists() {
                self.send_log(&path, name, &mut to)?;
            }
        }
        Ok(())
    }

    fn send_log(
        &mut self,
        path: &Path,
        name: String,
        to: &mut impl FnMut(LogChunk) -> Result<(), String>,
    ) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", path.display());
        let mut file = File::open(path).map_err(failed)?;
        let sent = self.sent.entry(name.clone()).or_default();
        file.seek(SeekFrom::Start(*sent)).map_err(failed)?;
        loop {
            let mut bytes = Vec::new();
            (&mut file).take(CHUNK_BYTES_MAX as u64).read_to_end(&mut bytes).map_err(failed)?;
            if bytes.is_empty() {
                return Ok(());
            }
            let (offset, length) = (*sent, bytes.len() as u64);
            to(LogChunk { name: name.clone(), offset, whole: false, bytes })?;
            *sent += length;
        }
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        // A node that failed leaves its buffer for the run's first reader, who is on another
        // machine and has had its rows by wire.
        if let Some(run) = self.run.take() {
            run.abandon();
        }
    }
}

/// Whether a name stays within the folder that it is joined to.
fn is_within(name: &str) -> bool {
    let mut parts = Path::new(name).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Whose chunks they are, and so what they may be of.
pub(crate) struct Sender<'a> {
    pub launch: u32,
    pub hosted: &'a [u16],
    /// What its work leaves besides logs.
    pub leaves: &'a [String],
}

/// The coordinator's side: put a chunk into the run folder. Only files of the nodes that its sender
/// holds, and no holes: that would be its fault, as what cannot be written here is not.
pub(crate) fn store(run: &Path, from: &Sender<'_>, chunk: &LogChunk) -> Result<(), Cause> {
    let path = from.place(run, chunk).ok_or_else(|| Cause::Broken {
        how: format!("it sent a file that is not its own: {}", chunk.name.escape_debug()),
    })?;
    let failed = |source: std::io::Error| {
        let error = RecordError::File { action: "write", path: path.clone(), source };
        Cause::Unkept { how: error.to_string() }
    };
    if chunk.whole {
        let mut file =
            tempfile::Builder::new().prefix(".").tempfile_in(live(run)).map_err(failed)?;
        file.write_all(&chunk.bytes).map_err(failed)?;
        return file.persist(&path).map(drop).map_err(|error| failed(error.error));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let file =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    if chunk.offset > file.metadata().map_err(failed)?.len() {
        return Err(Cause::Broken { how: format!("it left a hole in {}", chunk.name) });
    }
    file.write_all_at(&chunk.bytes, chunk.offset).map_err(failed)
}

impl Sender<'_> {
    /// Where a chunk belongs; `None` if its file is not one of the sender's.
    fn place(&self, run: &Path, chunk: &LogChunk) -> Option<PathBuf> {
        if !chunk.whole && self.leaves.contains(&chunk.name) {
            return Some(run.join(&chunk.name));
        }
        let (stem, ending) = chunk.name.rsplit_once('.')?;
        // A node has a log of its rows, and perhaps those of its clock and of what else happened.
        let part = [".causes", ".anchors"].iter().find_map(|part| stem.strip_suffix(part));
        let stem = if ending == "log" { part.unwrap_or(stem) } else { stem };
        let is_its = |node: &u16| stem == format!("launch-{}-node-{node}", self.launch);
        let its_own = matches!(ending, "log" | "json") && self.hosted.iter().any(is_its);
        its_own.then(|| live(run).join(&chunk.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        std::fs::create_dir(live(&path)).unwrap();
        (folder, path)
    }

    fn chunk(name: &str, offset: u64, whole: bool, bytes: &[u8]) -> LogChunk {
        LogChunk { name: name.into(), offset, whole, bytes: bytes.to_vec() }
    }

    #[test]
    fn the_folder_is_known_by_its_word() {
        let (_folder, path) = run();
        let nonce = Nonce::leave(&path, 0).unwrap();
        assert!(sees(&path, 0, &nonce.word));
        assert!(!sees(&path, 0, "another"));
        assert!(!sees(&path, 1, &nonce.word));
        let word = nonce.word.clone();
        drop(nonce);
        assert!(!sees(&path, 0, &word));
    }

    #[test]
    fn only_a_nodes_own_files_are_written_and_without_holes() {
        let (_folder, path) = run();
        let leaves = ["warp/.outcome-3".to_string()];
        let from = Sender { launch: 2, hosted: &[1, 3], leaves: &leaves };
        let put = |chunk: LogChunk| store(&path, &from, &chunk);
        put(chunk("launch-2-node-3.log", 0, false, b"abc")).unwrap();
        put(chunk("launch-2-node-3.log", 3, false, b"def")).unwrap();
        put(chunk("launch-2-node-3.causes.log", 0, false, b"xyz")).unwrap();
        put(chunk("launch-2-node-3.anchors.log", 0, false, b"xyz")).unwrap();
        put(chunk("launch-2-node-1.json", 0, true, b"{}")).unwrap();
        assert_eq!(std::fs::read(live(&path).join("launch-2-node-3.log")).unwrap(), b"abcdef");
        assert_eq!(std::fs::read(live(&path).join("launch-2-node-1.json")).unwrap(), b"{}");
        put(chunk("warp/.outcome-3", 0, false, b"abc")).unwrap();
        put(chunk("warp/.outcome-3", 3, false, b"def")).unwrap();
        assert_eq!(std::fs::read(path.join("warp/.outcome-3")).unwrap(), b"abcdef");
        assert!(put(chunk("warp/.outcome-3", 0, true, b"x")).is_err(), "it grows");
        assert!(put(chunk("launch-2-node-3.log", 7, false, b"x")).is_err());
        for name in [
            "warp/.outcome-1",
            "warp/../run.json",
            "launch-2-node-0.log",
            "launch-2-node-0.causes.log",
            "launch-2-node-3.causes.json",
            "launch-1-node-3.log",
            "../launch-2-node-3.log",
            "lock",
            "",
            "x/../lock",
        ] {
            assert!(put(chunk(name, 0, false, b"x")).is_err(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_elsewhere(
            name in "(|/|[.]{1,2}/|warp/|live/)(launch-2-node-3|lock|x)[./a-z]*",
        ) {
            let leaves = ["warp/x".to_string()];
            let from = Sender { launch: 2, hosted: &[3], leaves: &leaves };
            let place = from.place(Path::new("run"), &chunk(&name, 0, false, b""));
            let own = |place: &PathBuf| {
                let file = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_log = file.starts_with("launch-2-node-3.");
                place == Path::new("run/warp/x")
                    || is_log && place.parent() == Some(Path::new("run/live"))
            };
            prop_assert!(place.as_ref().is_none_or(own), "{:?}", place);
        }
    }

    #[test]
    fn what_cannot_be_written_here_is_not_the_senders_fault() {
        let (_folder, path) = run();
        let from = Sender { launch: 2, hosted: &[3], leaves: &[] };
        // Where the log belongs there is a folder.
        std::fs::create_dir(live(&path).join("launch-2-node-3.log")).unwrap();
        let refused = store(&path, &from, &chunk("launch-2-node-3.log", 0, false, b"abc"));
        let Err(Cause::Unkept { how }) = refused else { panic!("{refused:?}") };
        assert!(how.starts_with("cannot write ") && how.contains("launch-2-node-3.log: "), "{how}");
        let refused = store(&path, &from, &chunk("launch-2-node-1.log", 0, false, b"abc"));
        assert!(matches!(refused, Err(Cause::Broken { .. })), "{refused:?}");
    }

    #[test]
    fn a_growing_log_arrives_whole() {
        let (_folder, path) = run();
        let mut away = Away::new(None, &[]).unwrap();
        let from = Sender { launch: 0, hosted: &[0], leaves: &[] };
        let name = "launch-0-node-0.log";
        let log = live(&away.run()).join(name);
        let text: Vec<u8> =
            (0..CHUNK_BYTES_MAX * 2 + 17).map(|index| (index % 251) as u8).collect();
        for until in [10, text.len() / 2, text.len()] {
            std::fs::write(&log, &text[..until]).unwrap();
            away.send(|chunk| store(&path, &from, &chunk).map_err(|why| format!("{why:?}")))
                .unwrap();
        }
        assert_eq!(std::fs::read(live(&path).join(name)).unwrap(), text);
    }

    #[test]
    fn what_the_work_leaves_arrives_once_it_is_there() {
        let (_folder, path) = run();
        let leaves = ["deep/er/samples".to_string(), "never".to_string()];
        let mut away = Away::new(None, &leaves).unwrap();
        let from = Sender { launch: 0, hosted: &[0], leaves: &leaves };
        away.send(|_| panic!("there is nothing yet")).unwrap();
        std::fs::create_dir_all(away.run().join("deep/er")).unwrap();
        for text in ["one", "one two"] {
            std::fs::write(away.run().join(&leaves[0]), text).unwrap();
            away.send(|chunk| store(&path, &from, &chunk).map_err(|why| format!("{why:?}")))
                .unwrap();
            assert_eq!(std::fs::read_to_string(path.join(&leaves[0])).unwrap(), text);
        }
        assert!(!path.join("never").exists());
    }

    #[test]
    fn nothing_outside_of_the_run_folder_is_sent() {
        for name in ["/etc/passwd", "../key", "warp/../../key", "", "."] {
            let refused = Away::new(None, &[name.to_string()]).err().map(|error| error.to_string());
            assert!(refused.is_some_and(|said| said.contains("no file of a run folder")), "{name}");
        }
    }
}
