//! The head of a record buffer, which says whose it is, and the folder's path behind its rows.

use crate::{NodeSheet, RunId, ring};
use memory::Region;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Whose a buffer is, as its head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub run: RunId,
    pub launch: u32,
    pub node: u32,
    /// The run's folder when it was recorded.
    pub folder: PathBuf,
}

/// What the head of a buffer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// `None`: a version that wrote no owners.
    pub owner: Option<Owner>,
    /// Rows that no log has.
    pub unread: u64,
}

impl Owner {
    /// Of the buffer of a node of the run in `folder`.
    pub fn of(run: RunId, sheet: &NodeSheet, folder: &Path) -> Owner {
        let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder));
        let folder = folder.unwrap_or_default();
        Owner { run, launch: sheet.launch, node: sheet.node, folder }
    }
}

/// Words behind the rows, for the longest path that there is.
pub(crate) const FOLDER_WORDS: usize = 4096 / size_of::<u64>();

/// Says in a buffer with so many words of head and rows whose it is.
pub(crate) fn write_head(region: &Region, owner: &Owner, words: usize) {
    let [low, high] = owner.run.words();
    let put = |place: usize, word: u64| region.words()[place].store(word, Ordering::Relaxed);
    put(ring::RUN, low);
    put(ring::RUN + 1, high);
    put(ring::NODE, u64::from(owner.launch) << 32 | u64::from(owner.node));
    let text = owner.folder.as_os_str().as_bytes();
    let text = &text[..text.len().min(FOLDER_WORDS * size_of::<u64>())];
    put(ring::FOLDER_BYTES, text.len() as u64);
    for (at, bytes) in text.chunks(size_of::<u64>()).enumerate() {
        let mut word = [0; size_of::<u64>()];
        word[..bytes.len()].copy_from_slice(bytes);
        put(words + at, u64::from_le_bytes(word));
    }
}

/// What the head of a file says, if it is a buffer.
pub(crate) fn head_of(file: impl AsFd) -> Option<Head> {
    let mut bytes = [0; ring::HEAD_WORDS * size_of::<u64>()];
    read_at(&file, &mut bytes, 0)?;
    let word = |place: usize| {
        let at = place * size_of::<u64>();
        u64::from_le_bytes(bytes[at..at + size_of::<u64>()].try_into().expect("eight bytes"))
    };
    if word(0) != ring::MAGIC {
        return None;
    }
    let run = [word(ring::RUN), word(ring::RUN + 1)];
    let owner = (run != [0, 0]).then(|| Owner {
        run: RunId::of_words(run),
        launch: (word(ring::NODE) >> 32) as u32,
        node: word(ring::NODE) as u32,
        folder: folder_of(&file, word(ring::FOLDER_BYTES)).unwrap_or_default(),
    });
    let unread = word(ring::PUSHED).saturating_sub(word(ring::TAKEN));
    Some(Head { owner, unread })
}

/// The text behind the rows.
fn folder_of(file: impl AsFd, bytes: u64) -> Option<PathBuf> {
    const ROOM: usize = FOLDER_WORDS * size_of::<u64>();
    let size = u64::try_from(rustix::fs::fstat(&file).ok()?.st_size).ok()?;
    let length = usize::try_from(bytes).ok().filter(|length| *length <= ROOM)?;
    let mut text = vec![0; length];
    read_at(&file, &mut text, size.checked_sub(ROOM as u64)?)?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(&text)))
}

fn read_at(file: impl AsFd, bytes: &mut [u8], offset: u64) -> Option<()> {
    let read = rustix::io::pread(file, &mut *bytes, offset).ok()?;
    (read == bytes.len()).then_some(())
}
