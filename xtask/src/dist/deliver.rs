//! Finished packages into the folder that was asked for: all of them whole, or none.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Copies them; where they are then. A copy that was killed is overwritten by the next.
pub fn all(packages: &[PathBuf], out: &Path) -> Result<Vec<PathBuf>> {
    let is_new = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let new: Vec<&Path> = out.ancestors().take_while(is_new).collect();
    fs::create_dir_all(out)
        .with_context(|| format!("cannot make {}; choose another --out", out.display()))?;
    let names = packages.iter().map(|package| package.file_name().unwrap_or_default());
    let copies: Vec<(PathBuf, PathBuf)> =
        names.map(|name| (out.join(format!(".{}.part", name.display())), out.join(name))).collect();
    let delivered = copy(packages, &copies);
    if delivered.is_err() {
        // What is not there needs no removing; what cannot be removed is named by the error above.
        copies.iter().for_each(|(part, _)| drop(fs::remove_file(part)));
        new.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    delivered?;
    Ok(copies.into_iter().map(|(_, whole)| whole).collect())
}

fn copy(packages: &[PathBuf], copies: &[(PathBuf, PathBuf)]) -> Result<()> {
    for (package, (part, whole)) in packages.iter().zip(copies) {
        fs::copy(package, part).with_context(|| {
            format!("cannot write {}; choose another --out, or make room", whole.display())
        })?;
    }
    for (part, whole) in copies {
        fs::rename(part, whole)
            .with_context(|| format!("cannot write {}; choose another --out", whole.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn all_packages_come_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let (a, missing) = (folder.path().join("a"), folder.path().join("missing"));
        fs::write(&a, "new").unwrap();
        let out = folder.path().join("new/out");
        let error = all(&[a.clone(), missing], &out).unwrap_err();
        assert!(format!("{error:#}").contains("out/missing"), "{error:#}");
        assert_eq!(names(folder.path()), ["a"], "the folders were new, and are empty");
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("a"), "old").unwrap();
        fs::write(out.join(".a.part"), "of one that was killed").unwrap();
        assert_eq!(all(&[a], &out).unwrap(), [out.join("a")]);
        assert_eq!(names(&out), ["a"]);
        assert_eq!(fs::read_to_string(out.join("a")).unwrap(), "new");
    }
}
