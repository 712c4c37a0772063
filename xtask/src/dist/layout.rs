//! Which file goes where: in a folder of one's own, and in Debian's.

use super::material::Material;
use super::texts;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// What stands at a path.
pub enum Content {
    /// A copy of this file.
    File(PathBuf),
    /// The same, for everybody to execute.
    Program(PathBuf),
    Text(String),
    /// A text for everybody to execute.
    Script(String),
    /// A symbolic link.
    Link(String),
}

/// All paths, sorted, with what stands there.
#[derive(Default)]
pub struct Layout(pub BTreeMap<String, Content>);

/// Where a system has the things of one kind.
struct Folders<'a> {
    library: &'a str,
    zsh: &'a str,
    /// `prefix` of the file for pkg-config.
    prefix: &'a str,
    under: &'a str,
}

impl Layout {
    /// For any folder: `bin`, `lib`, `include`, `share`.
    pub fn anywhere(material: &Material) -> Layout {
        Layout::of(
            material,
            &Folders {
                library: "lib",
                zsh: "share/zsh/site-functions",
                prefix: "${pcfiledir}/../..",
                under: "",
            },
        )
    }

    /// As Debian's packages have it.
    pub fn debian(material: &Material) -> Layout {
        let library = format!("lib/{}", material.system.multiarch);
        Layout::of(
            material,
            &Folders {
                library: &library,
                zsh: "share/zsh/vendor-completions",
                prefix: "/usr",
                under: "usr/",
            },
        )
    }

    fn of(material: &Material, folders: &Folders) -> Layout {
        let mut layout = Layout::default();
        let mut put = |path: String, content| {
            layout.0.insert(format!("{}{path}", folders.under), content);
        };
        let (name, library) = (material.library_file(), folders.library);
        put("bin/fourstamp".into(), Content::Program(material.program.clone()));
        put("include/fourstamp.h".into(), Content::File(material.header.clone()));
        put(format!("{library}/libfourstamp.a"), Content::File(material.static_library.clone()));
        put(format!("{library}/{name}"), Content::File(material.shared_library.clone()));
        put(format!("{library}/{}", material.soname()), Content::Link(name));
        put(format!("{library}/libfourstamp.so"), Content::Link(material.soname()));
        let pc = texts::pkg_config(&material.version, folders.prefix, library);
        put(format!("{library}/pkgconfig/fourstamp.pc"), Content::Text(pc));
        for page in &material.manual {
            put(format!("share/man/man1/{}", name_of(page)), Content::File(page.clone()));
        }
        for (shell, path) in [
            ("bash", "share/bash-completion/completions/fourstamp".to_owned()),
            ("fish", "share/fish/vendor_completions.d/fourstamp.fish".to_owned()),
            ("zsh", format!("{}/_fourstamp", folders.zsh)),
        ] {
            put(path, Content::File(material.completions.join(shell)));
        }
        for (file, folder) in [
            ("fourstamp-pager.service", "lib/systemd/system"),
            ("fourstamp-pager.conf", "lib/sysusers.d"),
            ("pager.toml", "share/doc/fourstamp/examples"),
        ] {
            put(format!("{folder}/{file}"), Content::File(material.service.join(file)));
        }
        for (from, to) in &material.documents {
            put(format!("share/doc/fourstamp/{to}"), Content::File(from.clone()));
        }
        let others = Content::Text(material.third_party.clone());
        put("share/doc/fourstamp/THIRD-PARTY.md".into(), others);
        layout
    }

    /// Makes all of it below `folder`, which need not exist, as old as `seconds` says.
    pub fn write_to(&self, folder: &Path, seconds: u64) -> Result<()> {
        for (path, content) in &self.0 {
            let to = folder.join(path);
            let made = content.write(&to, seconds);
            made.with_context(|| format!("cannot write {}", to.display()))?;
        }
        // Last, because writing into a folder makes it new.
        for path in self.folders() {
            let folder = folder.join(path);
            let made = finish(&folder, 0o755, seconds);
            made.with_context(|| format!("cannot finish {}", folder.display()))?;
        }
        Ok(())
    }

    /// Every folder that something is in, the topmost without a name.
    fn folders(&self) -> BTreeSet<&Path> {
        self.0.keys().flat_map(|path| Path::new(path).ancestors().skip(1)).collect()
    }
}

impl Content {
    fn write(&self, to: &Path, seconds: u64) -> Result<()> {
        to.parent().map(fs::create_dir_all).transpose()?;
        match self {
            Content::File(from) | Content::Program(from) => fs::copy(from, to).map(drop)?,
            Content::Text(text) | Content::Script(text) => fs::write(to, text)?,
            Content::Link(target) => return Ok(symlink(target, to)?),
        }
        finish(to, self.mode(), seconds)
    }

    /// Its permissions.
    pub fn mode(&self) -> u32 {
        if matches!(self, Content::Program(_) | Content::Script(_)) { 0o755 } else { 0o644 }
    }
}

/// Its permissions whatever the umask says, and its age.
fn finish(path: &Path, mode: u32, seconds: u64) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Ok(File::open(path)?.set_times(FileTimes::new().set_modified(then))?)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
