//! Where logs are: a host and a folder there.

use mpi_facts::LogPlace;
use std::fmt;
use std::str::FromStr;

/// `HOST:FOLDER`; without a host, or with that of this machine, the folder is here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The host; empty for this machine.
    pub host: String,
    /// An absolute path there.
    pub folder: String,
}

impl Source {
    /// A place that the run knows.
    pub fn of(place: &LogPlace) -> Source {
        Source { host: place.host.clone(), folder: place.folder.clone() }
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        let (host, folder) = match text.split_once(':') {
            Some((host, folder)) if !host.contains('/') => (host, folder),
            _ => ("", text),
        };
        let is_host = |letter: char| letter.is_alphanumeric() || "-._@".contains(letter);
        match () {
            () if !folder.starts_with('/') => {
                Err("give HOST:FOLDER, the folder with its whole path, as in n2:/tmp/fourstamp-…"
                    .into())
            }
            () if host.starts_with('-') || !host.chars().all(is_host) => {
                Err(format!("{host:?} is no host's name"))
            }
            () => Ok(Source { host: host.into(), folder: folder.into() }),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.is_empty() {
            true => out.write_str(&self.folder),
            false => write!(out, "{}:{}", self.host, self.folder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_a_host_and_a_whole_path() {
        let of = |text: &str| text.parse::<Source>();
        assert_eq!(of("n2:/tmp/a").unwrap(), Source { host: "n2".into(), folder: "/tmp/a".into() });
        assert_eq!(of("/tmp/a:b").unwrap(), Source { host: "".into(), folder: "/tmp/a:b".into() });
        assert_eq!(of("me@n2:/tmp/a").unwrap().to_string(), "me@n2:/tmp/a");
        for bad in ["n2", "n2:tmp", "-oProxyCommand=x:/tmp", "a b:/tmp", ""] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
