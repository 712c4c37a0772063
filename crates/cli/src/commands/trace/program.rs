//! The program that is to be traced.

use crate::on_path::on_path;
use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where it is.
pub fn find(word: &OsStr) -> Result<PathBuf> {
    let path = Path::new(word);
    let name = path.display();
    if !word.to_string_lossy().contains('/') {
        return match on_path(&word.to_string_lossy()) {
            Some(found) => Ok(found),
            None => bail!("cannot find {name} on PATH; install it, or give its path"),
        };
    }
    match path.metadata() {
        Err(error) => bail!("cannot run {name}: {error}; check its path"),
        Ok(facts) if facts.is_dir() => {
            bail!("cannot run {name}: it is a folder; give the program in it")
        }
        Ok(_) if rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_err() => {
            bail!("cannot run {name}: it is not executable; compile it, or chmod +x it")
        }
        Ok(_) => Ok(path.to_path_buf()),
    }
}

/// Refuse what makes its system calls itself.
pub fn refuse_go(program: &Path) -> Result<()> {
    const BUILD_INFORMATION: &[u8] = b"\xff Go buildinf:";
    let bytes = std::fs::read(program).unwrap_or_default();
    let is_go = bytes.starts_with(b"\x7fELF")
        && bytes.windows(BUILD_INFORMATION.len()).any(|window| window == BUILD_INFORMATION);
    if is_go {
        bail!(
            "{} is a Go program, which makes its system calls without the C library: its calls \
            cannot be seen. Trace the other end of its connections",
            program.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_or_the_reason_is_said() {
        assert!(find(OsStr::new("sh")).is_ok());
        let why = |word: &str| find(OsStr::new(word)).unwrap_err().to_string();
        assert!(why("no-such-program-here").contains("on PATH"));
        assert!(why("/").contains("folder"));
        assert!(why("/etc/hostname/x").contains("check its path"));
        assert!(why("/etc/passwd").contains("chmod +x"));
    }

    #[test]
    fn a_go_program_is_known_by_its_build_information() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"\x7fELF......\xff Go buildinf:\x08").unwrap();
        let why = refuse_go(file.path()).unwrap_err().to_string();
        assert!(why.contains("is a Go program"), "{why}");
        assert!(refuse_go(Path::new("/bin/sh")).is_ok());
    }
}
