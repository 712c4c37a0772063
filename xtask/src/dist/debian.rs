//! The package for Debian and Ubuntu, built by `dpkg-deb`.

use super::layout::{Content, Layout};
use super::material::Material;
use super::texts;
use crate::process::{self, on_path};
use anyhow::{Context, Result, ensure};
use flate2::{Compression, GzBuilder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the package is not built without.
pub fn check_tools() -> Result<()> {
    ensure!(on_path("dpkg-deb").is_some(), "no dpkg-deb, which builds the .deb: apt install dpkg");
    Ok(())
}

/// Builds it in `folder`.
pub fn build(material: &Material, folder: &Path) -> Result<PathBuf> {
    let tree = folder.join("debian");
    let mut layout = Layout::debian(material);
    as_policy_wants(&mut layout, material, &folder.join("compressed"))?;
    let bytes = bytes(&layout)?;
    for (name, text) in [
        ("control", texts::control(&material.version, &material.system, &material.needs, bytes)?),
        // What `dpkg` and who depends on the library ask for where there is a shared library.
        ("triggers", "activate-noawait ldconfig\n".to_owned()),
        ("shlibs", shlibs(material)),
    ] {
        layout.0.insert(format!("DEBIAN/{name}"), Content::Text(text));
    }
    let installed = Content::Script(texts::POSTINST.to_owned());
    layout.0.insert("DEBIAN/postinst".into(), installed);
    layout.write_to(&tree, material.seconds)?;
    let name = format!("fourstamp_{}_{}.deb", material.version, material.system.debian);
    let package = folder.join(name);
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.env("SOURCE_DATE_EPOCH", material.seconds.to_string());
    // gzip, because each dpkg has it in one thread: the same bytes on every machine. At level 9 it
    // takes four times as long for a hundredth less.
    dpkg.args(["--build", "--root-owner-group", "-Zgzip", "-z6"]).args([&tree, &package]);
    process::capture(&mut dpkg)?;
    Ok(package)
}

/// Debian has pages and the list of changes compressed, a file `copyright`, and the text of the
/// Apache licence in one place for all packages.
fn as_policy_wants(layout: &mut Layout, material: &Material, folder: &Path) -> Result<()> {
    let documents = "usr/share/doc/fourstamp";
    let mit = match layout.0.remove(&format!("{documents}/LICENSE-MIT")) {
        Some(Content::File(file)) => fs::read_to_string(file)?,
        _ => String::new(),
    };
    layout.0.remove(&format!("{documents}/LICENSE-APACHE"));
    let copyright = texts::copyright(env!("CARGO_PKG_REPOSITORY"), &mit)?;
    layout.0.insert(format!("{documents}/copyright"), Content::Text(copyright));
    let changes = layout.0.remove(&format!("{documents}/CHANGELOG.md"));
    if let Some(Content::File(file)) = changes {
        let packed = compressed(&file, folder)?;
        layout.0.insert(format!("{documents}/changelog.gz"), Content::File(packed));
    }
    for page in &material.manual {
        let name = page.file_name().unwrap_or_default().display();
        layout.0.remove(&format!("usr/share/man/man1/{name}"));
        let path = format!("usr/share/man/man1/{name}.gz");
        layout.0.insert(path, Content::File(compressed(page, folder)?));
    }
    Ok(())
}

/// The file, compressed without a name or time, in `folder`.
fn compressed(file: &Path, folder: &Path) -> Result<PathBuf> {
    let to = folder.join(file.file_name().unwrap_or_default());
    fs::create_dir_all(folder)?;
    let out = fs::File::create(&to)?;
    let mut packer = GzBuilder::new().mtime(0).write(out, Compression::default());
    packer.write_all(&fs::read(file)?)?;
    packer.finish().with_context(|| format!("cannot write {}", to.display()))?;
    Ok(to)
}

/// Which package, of which version, a program needs that was linked with the library.
fn shlibs(material: &Material) -> String {
    let soname = material.soname();
    let version = soname.strip_prefix("libfourstamp.so.").unwrap_or(&soname);
    format!("libfourstamp {version} fourstamp (>= {})\n", material.version)
}

fn bytes(layout: &Layout) -> Result<u64> {
    let of = |content: &Content| match content {
        Content::File(file) | Content::Program(file) => Ok(fs::metadata(file)?.len()),
        Content::Text(text) | Content::Script(text) => Ok(text.len() as u64),
        Content::Link(_) => Ok(0),
    };
    layout.0.values().map(of).sum()
}
