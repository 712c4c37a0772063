//! What committed events leave on disk: each node's in order of virtual time, and the merge of all
//! nodes' files.
//!
//! Nothing is committed later that lies before GVT; so whatever a node has told when GVT advances
//! can be sorted and written down to that GVT for good. A node's file is in order as a whole, and
//! the files of all nodes merge into the canonical order (virtual time, then object) without
//! holding more than a row of each.

use crate::WarpError;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use timewarp::{Committed, ObjectId, VirtualTime};

/// Something that happened at a virtual time to an object.
pub trait Entry: Sized {
    /// When and to whom.
    fn key(&self) -> (VirtualTime, ObjectId);
    /// Write it.
    fn write(&self, out: &mut impl Write) -> io::Result<()>;
    /// Read it, behind its key.
    fn read(key: (VirtualTime, ObjectId), from: &mut impl Read) -> io::Result<Self>;
}

/// A line that a committed event printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub time: VirtualTime,
    /// Who.
    pub object: ObjectId,
    /// What.
    pub text: String,
}

/// A node's file of entries. It is made with the first entry: most models print nothing.
pub struct SortedFile<T> {
    path: PathBuf,
    out: Option<BufWriter<File>>,
    /// Told, and not yet known to be before everything that will be told.
    told: Vec<T>,
    written: Option<(VirtualTime, ObjectId)>,
    failure: Option<io::Error>,
}

impl<T: Entry> SortedFile<T> {
    /// A file that will be here if there are entries.
    pub fn new(path: PathBuf) -> SortedFile<T> {
        SortedFile { path, out: None, told: Vec::new(), written: None, failure: None }
    }

    /// An entry, in any order.
    #[inline]
    pub fn add(&mut self, entry: T) {
        self.told.push(entry);
    }

    /// Nothing will be added before this.
    #[inline]
    pub fn advance(&mut self, gvt: VirtualTime) {
        if !self.told.is_empty() {
            self.write_until(Some(gvt));
        }
    }

    /// What went wrong with the file.
    pub fn failure(&mut self) -> Option<WarpError> {
        self.failure.take().map(WarpError::file("write", &self.path))
    }

    /// Write what is left.
    ///
    /// # Errors
    /// When the file could not be written, then or now.
    pub fn finish(mut self) -> Result<(), WarpError> {
        self.write_until(None);
        let failed = WarpError::file("write", &self.path);
        match self.failure {
            Some(error) => Err(failed(error)),
            None => self.out.map_or(Ok(()), |mut out| out.flush()).map_err(failed),
        }
    }

    /// `None`: to the end.
    fn write_until(&mut self, gvt: Option<VirtualTime>) {
        // Stable: the lines of one event keep their order.
        self.told.sort_by_key(T::key);
        let ready = gvt
            .map_or(self.told.len(), |gvt| self.told.partition_point(|entry| entry.key().0 < gvt));
        if self.failure.is_none() && ready > 0 {
            self.failure = self.write(ready).err();
        }
        self.told.drain(..ready);
    }

    fn write(&mut self, entries: usize) -> io::Result<()> {
        let out = match &mut self.out {
            Some(out) => out,
            None => self.out.insert(BufWriter::with_capacity(1 << 16, File::create(&self.path)?)),
        };
        for entry in &self.told[..entries] {
            let key = entry.key();
            if self.written.is_some_and(|written| written > key) {
                let what = format!("an event at {} was committed after one at a later time", key.0);
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            self.written = Some(key);
            let [simtime, seq] = key.0.words();
            out.write_all(&simtime.to_le_bytes())?;
            out.write_all(&seq.to_le_bytes())?;
            out.write_all(&key.1.0.to_le_bytes())?;
            entry.write(out)?;
        }
        Ok(())
    }
}

/// Every entry of these files, in canonical order, given to `each`. Files that do not exist are
/// empty.
///
/// # Errors
/// When a file cannot be read, or is not what a node writes; and whatever `each` says.
pub fn merge<T: Entry>(
    paths: &[PathBuf],
    mut each: impl FnMut(T) -> Result<(), WarpError>,
) -> Result<(), WarpError> {
    let mut sources: Vec<Source<'_, T>> = Vec::new();
    for path in paths.iter().filter(|path| path.exists()) {
        let file = record::open_input(path).map_err(WarpError::file("read", path))?;
        let mut source = Source { path, from: BufReader::with_capacity(1 << 16, file), next: None };
        source.step()?;
        sources.push(source);
    }
    loop {
        let heads = sources
            .iter()
            .enumerate()
            .filter_map(|(at, source)| Some((source.next.as_ref()?.key(), at)));
        let Some((_, at)) = heads.min() else { return Ok(()) };
        if let Some(entry) = sources[at].step()? {
            each(entry)?;
        }
    }
}

struct Source<'a, T> {
    path: &'a Path,
    from: BufReader<File>,
    next: Option<T>,
}

impl<T: Entry> Source<'_, T> {
    /// The entry at hand, and on to the next.
    fn step(&mut self) -> Result<Option<T>, WarpError> {
        let next = self.read().map_err(WarpError::file("read", self.path))?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    fn read(&mut self) -> io::Result<Option<T>> {
        let mut simtime = [0; 8];
        match self.from.read(&mut simtime[..1])? {
            0 => return Ok(None),
            _ => self.from.read_exact(&mut simtime[1..])?,
        }
        let words = [u64::from_le_bytes(simtime), u64::from_le_bytes(array(&mut self.from)?)];
        let object = ObjectId(number(&mut self.from)?);
        T::read((VirtualTime::from_words(words), object), &mut self.from).map(Some)
    }
}

impl Entry for Committed {
    fn key(&self) -> (VirtualTime, ObjectId) {
        (self.time, self.object)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        [self.messages, self.sent, self.dropped]
            .iter()
            .try_for_each(|n| out.write_all(&n.to_le_bytes()))
    }

    fn read(
        (time, object): (VirtualTime, ObjectId),
        from: &mut impl Read,
    ) -> io::Result<Committed> {
        let (messages, sent, dropped) = (number(from)?, number(from)?, number(from)?);
        // A trace is the same whenever it is made; times are kept with the links of the critical
        // path.
        Ok(Committed { time, object, messages, sent, dropped, spent_ns: 0 })
    }
}

impl Entry for Line {
    fn key(&self) -> (VirtualTime, ObjectId) {
        (self.time, self.object)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.text.len() as u32).to_le_bytes())?;
        out.write_all(self.text.as_bytes())
    }

    fn read((time, object): (VirtualTime, ObjectId), from: &mut impl Read) -> io::Result<Line> {
        let mut text = String::new();
        let length = u64::from(number(from)?);
        if from.take(length).read_to_string(&mut text)? as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Line { time, object, text })
    }
}

pub(crate) fn array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn number(from: &mut impl Read) -> io::Result<u32> {
    Ok(u32::from_le_bytes(array(from)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Events dealt to nodes and told out of order, up to each GVT, come out in canonical
        /// order.
        #[test]
        fn files_of_all_nodes_merge_into_canonical_order(
            events in prop::collection::vec((0u32..40, 0u32..9, 0usize..3), 0..200),
            gvts in prop::collection::vec(0u32..45, 0..6),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let paths: Vec<PathBuf> =
                (0..3).map(|node| folder.path().join(node.to_string())).collect();
            let mut files: Vec<_> =
                paths.iter().map(|path| SortedFile::new(path.clone())).collect();
            let mut gvts = gvts;
            gvts.sort_unstable();
            gvts.push(u32::MAX);
            let mut before = 0;
            for gvt in gvts {
                let due = |(time, ..): &&(u32, u32, usize)| (before..gvt).contains(time);
                for (time, object, node) in events.iter().filter(due) {
                    let time = VirtualTime::at(f64::from(*time));
                    files[*node].add(Committed {
                        time, object: ObjectId(*object), messages: 1, sent: 2, dropped: 0,
                        spent_ns: 0,
                    });
                }
                files.iter_mut().for_each(|file| file.advance(VirtualTime::at(f64::from(gvt))));
                before = before.max(gvt);
            }
            files.into_iter().try_for_each(SortedFile::finish).unwrap();
            let mut merged = Vec::new();
            merge(&paths, |event: Committed| {
                merged.push((event.time.simtime() as u32, event.object.0));
                Ok(())
            })
            .unwrap();
            let mut expected: Vec<_> =
                events.iter().map(|(time, object, _)| (*time, *object)).collect();
            expected.sort_unstable();
            prop_assert_eq!(merged, expected);
        }
    }

    proptest! {
        /// Files of other hosts come over the network.
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let folder = tempfile::tempdir().unwrap();
            let paths = [folder.path().join("file")];
            std::fs::write(&paths[0], &bytes).unwrap();
            let _ = merge(&paths, |_: Line| Ok(()));
            let _ = merge(&paths, |_: Committed| Ok(()));
            let _ = crate::CriticalPath::of_files(&paths);
        }
    }

    #[test]
    fn lines_of_one_event_keep_their_order_and_a_late_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let line = |time: f64, text: &str| Line {
            time: VirtualTime::at(time),
            object: ObjectId(1),
            text: text.into(),
        };
        let mut file = SortedFile::new(path.clone());
        ["b", "a"].into_iter().for_each(|text| file.add(line(2.0, text)));
        file.advance(VirtualTime::at(3.0));
        file.add(line(4.0, ""));
        file.finish().unwrap();
        let mut texts = Vec::new();
        merge(std::slice::from_ref(&path), |line: Line| {
            texts.push(line.text);
            Ok(())
        })
        .unwrap();
        assert_eq!(texts, ["b", "a", ""]);
        let mut file = SortedFile::new(path);
        file.add(line(2.0, "x"));
        file.advance(VirtualTime::at(3.0));
        file.add(line(1.0, "y"));
        assert!(file.finish().unwrap_err().to_string().contains("committed after"));
    }
}
