//! The tar: sorted entries that belong to root and are all of one age, so that the same files make
//! the same bytes.

use super::layout::{Content, Layout};
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tar::{Builder, EntryType, Header};

/// Writes the files of a layout, below a folder called `name`, to a compressed tar.
pub fn write(file: &Path, name: &str, layout: &Layout, seconds: u64) -> Result<()> {
    let written = File::create(file).map_err(Into::into).and_then(|out| {
        // The compressor's own header would have a time, too.
        let packer = flate2::GzBuilder::new().mtime(0).write(out, flate2::Compression::default());
        pack(packer, name, layout, seconds)
    });
    written.with_context(|| format!("cannot write {}", file.display()))
}

fn pack(
    mut packer: flate2::write::GzEncoder<File>,
    name: &str,
    layout: &Layout,
    seconds: u64,
) -> Result<()> {
    let mut tar = Builder::new(&mut packer);
    for (path, content) in &layout.0 {
        let path = format!("{name}/{path}");
        add(&mut tar, &path, content, seconds).with_context(|| path)?;
    }
    tar.finish()?;
    drop(tar);
    packer.finish()?.flush()?;
    Ok(())
}

fn add(
    tar: &mut Builder<impl Write>,
    path: &str,
    content: &Content,
    seconds: u64,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_mtime(seconds);
    header.set_mode(content.mode());
    header.set_uid(0);
    header.set_gid(0);
    header.set_username("root")?;
    header.set_groupname("root")?;
    match content {
        Content::File(from) | Content::Program(from) => {
            let file = File::open(from)?;
            header.set_size(file.metadata()?.len());
            tar.append_data(&mut header, path, file)
        }
        Content::Text(text) | Content::Script(text) => {
            header.set_size(text.len() as u64);
            tar.append_data(&mut header, path, text.as_bytes())
        }
        Content::Link(target) => {
            header.set_entry_type(EntryType::Symlink);
            header.set_mode(0o777);
            header.set_size(0);
            tar.append_link(&mut header, path, target)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn two_packings_are_equal_and_a_reader_finds_what_was_put_in() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        let layout = Layout(BTreeMap::from([
            ("lib/l.so".to_owned(), Content::Link("l.so.1".into())),
            ("bin/p".to_owned(), Content::Program(program)),
            ("share/t".to_owned(), Content::Text("text".into())),
        ]));
        let files = ["a", "b"].map(|name| folder.path().join(name));
        for file in &files {
            write(file, "top", &layout, 1_000_000_000).unwrap();
        }
        let [a, b] = files.map(|file| std::fs::read(file).unwrap());
        assert_eq!(a, b);
        let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(&a[..]));
        let found: Vec<_> = tar
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let (path, header) = (entry.path().unwrap().display().to_string(), entry.header());
                (path, header.mode().unwrap(), header.mtime().unwrap(), header.uid().unwrap())
            })
            .collect();
        let all = |path: &str, mode| (path.to_owned(), mode, 1_000_000_000, 0);
        let expected = [all("top/bin/p", 0o755), all("top/lib/l.so", 0o777)];
        assert_eq!(found[..2], expected);
        assert_eq!(found[2], all("top/share/t", 0o644));
    }
}
