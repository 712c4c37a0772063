//! A file that is written in pieces, and open only while one is being written: who fills the files
//! of thousands of nodes at once needs no descriptor for each, and no buffer.
//!
//! A file must be on the disk when it is complete. The system would begin to put it there only
//! then, or once it has gathered gigabytes; it is asked to begin after each piece, so that the disk
//! works while the next ones are made.

use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Bytes that are put together before they are written.
const PIECE: usize = 1 << 18;

/// A file that exists, being filled. A flush ends a piece.
pub(crate) struct Draft {
    path: PathBuf,
    file: Option<File>,
    piece: Vec<u8>,
    /// How much is in the file.
    written: u64,
}

impl Draft {
    /// Fill the empty file at `path`.
    pub fn new(path: &Path) -> Draft {
        Draft { path: path.to_path_buf(), file: None, piece: Vec::new(), written: 0 }
    }

    /// Write what is left, and have it on the disk.
    pub fn sync(mut self) -> io::Result<()> {
        self.write_piece()?;
        self.open()?.sync_data()
    }

    fn write_piece(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        if piece.is_empty() {
            return Ok(());
        }
        let begin = self.written;
        let file = self.open()?;
        file.write_all(&piece)?;
        let length = NonZeroU64::new(piece.len() as u64);
        // What is not needed soon is written first; what is not yet on the disk stays in memory
        // all the same. A file system that does not listen writes it in the end.
        let _ = fadvise(&*file, begin, length, Advice::DontNeed);
        self.written += piece.len() as u64;
        Ok(())
    }

    fn open(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => File::options().append(true).open(&self.path)?,
        };
        Ok(self.file.insert(file))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.piece.len() + bytes.len() > PIECE {
            self.write_piece()?;
        }
        self.piece.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_piece()?;
        self.file = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_one_another_and_none_is_lost() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut draft = Draft::new(file.path());
        let mut expected = Vec::new();
        for (at, length) in [1, PIECE - 1, 2, 3 * PIECE, 0, 7].into_iter().enumerate() {
            let bytes = vec![at as u8; length];
            draft.write_all(&bytes).unwrap();
            expected.extend(bytes);
            if at % 2 == 0 {
                draft.flush().unwrap();
                assert!(draft.file.is_none());
            }
        }
        draft.sync().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), expected);
    }

    #[test]
    fn what_the_system_refuses_is_an_error() {
        let mut draft = Draft::new(Path::new("/nonexistent/file"));
        draft.write_all(b"x").unwrap();
        assert!(draft.flush().is_err());
    }
}
