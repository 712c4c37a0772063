//! The keys that a page server accepts, each with where it is from.

use crate::commands::node;
use anyhow::{Result, bail};
use fabric::{KeyError, RunKey};
use std::path::{Path, PathBuf};

/// Keys, and what people call each.
pub struct Keys {
    pub names: Vec<String>,
    pub keys: Vec<RunKey>,
}

impl Keys {
    /// Of these files; without any, of the environment.
    ///
    /// # Errors
    /// When one is not to be had, or two are the same.
    pub fn read(files: &[PathBuf]) -> Result<Keys> {
        if files.is_empty() {
            let names = vec!["the key of the environment".to_owned()];
            return Ok(Keys { names, keys: vec![run_key(None)?] });
        }
        let mut read = Keys { names: Vec::new(), keys: Vec::new() };
        for file in files {
            let (name, key) = (file.display().to_string(), run_key(Some(file))?);
            if let Some(at) = read.keys.iter().position(|other| *other == key) {
                bail!(
                    "{} and {name} hold the same run key; make a new one with `fourstamp pager \
                    key FILE`, or leave out one of them",
                    read.names[at]
                );
            }
            read.names.push(name);
            read.keys.push(key);
        }
        Ok(read)
    }

    /// Which keys they are: `2 keys: new.key (3 connections), old.key (1 connection)`.
    pub fn with_connections(&self, counts: &[usize]) -> String {
        let one = |(name, count): (&String, &usize)| format!("{name} ({})", connections(*count));
        let all: Vec<String> = self.names.iter().zip(counts).map(one).collect();
        let many = self.names.len();
        format!("{many} {}: {}", if many == 1 { "key" } else { "keys" }, all.join(", "))
    }
}

/// So many of them.
pub fn connections(count: usize) -> String {
    format!("{count} {}", if count == 1 { "connection" } else { "connections" })
}

fn run_key(file: Option<&Path>) -> Result<RunKey> {
    match node::key(file) {
        Err(error) if matches!(error.downcast_ref(), Some(KeyError::Missing)) => Err(error
            .context(
                "a page server needs a run key: make one with `fourstamp pager key FILE`, and \
                give --key-file FILE",
            )),
        key => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_with_one_key_are_refused_and_several_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, copy] = ["a", "b", "copy"].map(|name| folder.path().join(name));
        for file in [&a, &b] {
            RunKey::generate().unwrap().write_file(file).unwrap();
        }
        std::fs::copy(&a, &copy).unwrap();
        let keys = Keys::read(&[a.clone(), b.clone()]).unwrap();
        let (one, two) = (a.display(), b.display());
        let said = format!("2 keys: {one} (1 connection), {two} (0 connections)");
        assert_eq!(keys.with_connections(&[1, 0]), said);
        let error = Keys::read(&[a.clone(), b, copy.clone()]).err().unwrap().to_string();
        let said = format!("{one} and {} hold the same run key; ", copy.display());
        assert!(error.starts_with(&said), "{error}");
    }
}
