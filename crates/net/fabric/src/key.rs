//! The run key: the secret that lets the nodes of one run, and nobody else, connect to each other.
//!
//! It is 32 random bytes, made at launch. It reaches a node in a file that only its owner can read,
//! or in the environment of a process that was started for the run; never as an argument, because
//! every user of a machine can list those. It is not stored in the run folder and never printed.

use rustix::fs::{FileType, Mode, OFlags, fstat, open, unlink};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use subtle::ConstantTimeEq;

/// Bytes of a run key.
const KEY_BYTES: usize = 32;
/// Hexadecimal digits of a run key.
const KEY_DIGITS: usize = 2 * KEY_BYTES;

/// The shared secret of a run. Compares in constant time, is wiped when dropped, and its `Debug`
/// shows nothing.
#[derive(Clone)]
pub struct RunKey([u8; KEY_BYTES]);

/// Why there is no run key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The system gave no random bytes.
    #[error("the system gave no random bytes for a run key: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
    /// The key file could not be opened, read or written.
    #[error("cannot {action} the run key {}: {source}", path.display())]
    File {
        /// `open`, `read`, `create` or `write`.
        action: &'static str,
        /// The key file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file for a new key is there already, and a key is never overwritten.
    #[error("{} exists already; remove it, or name another file", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Not a file: a folder, a pipe, a device.
    #[error("the run key {} is not a regular file; name the file that holds the \
    key", path.display())]
    NotAFile {
        /// What was named.
        path: PathBuf,
    },
    /// Others may read or write the key file.
    #[error(
        "the run key {} can be used by others (mode {mode:04o}); make it private: chmod 600 {}",
        path.display(), path.display()
    )]
    TooOpen {
        /// The key file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The key file belongs to somebody else.
    #[error("the run key {} belongs to user {owner}, not to you ({you}); make a key of your \
    own", path.display())]
    NotOurs {
        /// The key file.
        path: PathBuf,
        /// User id of its owner.
        owner: u32,
        /// User id of this process.
        you: u32,
    },
    /// Not 64 hexadecimal digits.
    #[error(
        "the run key in {from} is not 64 hexadecimal digits; copy all of it from where the run \
        was launched"
    )]
    Malformed {
        /// The file, or the environment variable.
        from: String,
    },
    /// More keys than a door tries.
    #[error(
        "{given} run keys are too many; a server accepts at most {most}: leave out those that \
        nobody holds any more"
    )]
    TooMany {
        /// How many there are.
        given: usize,
        /// How many there may be.
        most: usize,
    },
    /// The environment holds no key.
    #[error("no run key: set {} to the key of the run, or name its key file", RunKey::VARIABLE)]
    Missing,
}

impl RunKey {
    /// The environment variable that carries the key to a node.
    pub const VARIABLE: &str = "FOURSTAMP_RUN_KEY";

    /// A new key, from the system's random numbers.
    pub fn generate() -> Result<RunKey, KeyError> {
        let mut key = RunKey([0; KEY_BYTES]);
        getrandom::fill(&mut key.0)
            .map_err(|error| KeyError::Random { reason: error.to_string() })?;
        Ok(key)
    }

    /// The key in a file of 64 hexadecimal digits (a newline may follow). The file must be a
    /// regular one, belong to this user and be closed to all others.
    pub fn from_file(path: &Path) -> Result<RunKey, KeyError> {
        // Without NONBLOCK, opening a pipe would wait for its writer.
        let file = open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
            .map_err(|error| file_error("open", path, error.into()))?;
        check_private(&file, path)?;
        // One byte more than digits and a line end of either kind: a longer file is then seen to be
        // longer.
        let limit = KEY_DIGITS + 3;
        let mut text = Vec::with_capacity(limit);
        File::from(file)
            .take(limit as u64)
            .read_to_end(&mut text)
            .map_err(|error| file_error("read", path, error))?;
        if text.len() == limit {
            wipe(&mut text);
            return Err(KeyError::Malformed { from: path.display().to_string() });
        }
        let key = RunKey::from_digits(text.trim_ascii_end(), || path.display().to_string());
        wipe(&mut text);
        key
    }

    /// The key in the environment variable [`RunKey::VARIABLE`].
    pub fn from_env() -> Result<RunKey, KeyError> {
        let text = std::env::var_os(RunKey::VARIABLE).ok_or(KeyError::Missing)?;
        RunKey::from_digits(text.as_encoded_bytes(), || {
            format!("the environment variable {}", RunKey::VARIABLE)
        })
    }

    /// Write the key to a new file that only this user can read. A file that exists is left alone.
    pub fn write_file(&self, path: &Path) -> Result<(), KeyError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let file = open(path, flags, Mode::RUSR | Mode::WUSR).map_err(|error| match error {
            Errno::EXIST => KeyError::Exists { path: path.to_path_buf() },
            _ => file_error("create", path, error.into()),
        })?;
        let written = File::from(file).write_all(format!("{}\n", self.to_hex()).as_bytes());
        written.map_err(|error| {
            let _ = unlink(path);
            file_error("write", path, error)
        })
    }

    /// The key as 64 hexadecimal digits: for the environment of a child process, and for nothing
    /// that people or logs see.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The key from 64 hexadecimal digits that came by a way which is closed to others.
    pub fn from_hex(digits: &str) -> Result<RunKey, KeyError> {
        RunKey::from_digits(digits.as_bytes(), || "the message of rank 0".into())
    }

    /// The bytes, for the handshake.
    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    fn from_digits(digits: &[u8], from: impl Fn() -> String) -> Result<RunKey, KeyError> {
        let malformed = || KeyError::Malformed { from: from() };
        if digits.len() != KEY_DIGITS {
            return Err(malformed());
        }
        let mut key = RunKey([0; KEY_BYTES]);
        for (byte, pair) in key.0.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = [digit(pair[0]), digit(pair[1])];
            *byte = high.zip(low).map(|(high, low)| high << 4 | low).ok_or_else(malformed)?;
        }
        Ok(key)
    }
}

impl fmt::Debug for RunKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RunKey(hidden)")
    }
}

impl PartialEq for RunKey {
    fn eq(&self, other: &RunKey) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for RunKey {}

impl Drop for RunKey {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Overwrite a secret so that it does not stay in memory that is used again.
fn wipe(secret: &mut [u8]) {
    for byte in secret {
        // SAFETY: `byte` is a valid exclusive reference. Volatile, because the compiler may leave
        // out plain stores to memory that nothing reads again.
        unsafe { std::ptr::write_volatile(byte, 0) };
    }
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|value| value as u8)
}

fn check_private(file: impl std::os::fd::AsFd, path: &Path) -> Result<(), KeyError> {
    let path = || path.to_path_buf();
    let status = fstat(file).map_err(|error| file_error("read", &path(), error.into()))?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
        return Err(KeyError::NotAFile { path: path() });
    }
    let you = geteuid().as_raw();
    if status.st_uid != you {
        return Err(KeyError::NotOurs { path: path(), owner: status.st_uid, you });
    }
    // The owner may have less than 0600, nobody may have more, and a key is not a program.
    let mode = status.st_mode & 0o7777;
    if mode & !0o600 != 0 { Err(KeyError::TooOpen { path: path(), mode }) } else { Ok(()) }
}

fn file_error(action: &'static str, path: &Path, source: std::io::Error) -> KeyError {
    KeyError::File { action, path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("temporary folder")
    }

    #[test]
    fn a_key_survives_its_file_which_is_private() {
        let folder = folder();
        let path = folder.path().join("key");
        let key = RunKey::generate().unwrap();
        key.write_file(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert_eq!(RunKey::from_file(&path).unwrap(), key);
    }

    #[test]
    fn two_keys_differ() {
        assert_ne!(RunKey::generate().unwrap(), RunKey::generate().unwrap());
    }

    #[test]
    fn a_key_is_not_written_over_a_file() {
        let folder = folder();
        let path = folder.path().join("key");
        std::fs::write(&path, "precious").unwrap();
        let error = RunKey::generate().unwrap().write_file(&path).unwrap_err();
        assert!(error.to_string().ends_with("exists already; remove it, or name another file"));
        assert_eq!(std::fs::read(&path).unwrap(), b"precious");
    }

    #[test]
    fn a_file_open_to_others_is_refused_with_the_remedy() {
        let folder = folder();
        let path = folder.path().join("key");
        RunKey::generate().unwrap().write_file(&path).unwrap();
        for mode in [0o640, 0o604, 0o602, 0o660, 0o700] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = RunKey::from_file(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("chmod 600 {}", path.display())), "{error}");
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o400)).unwrap();
        assert!(RunKey::from_file(&path).is_ok());
    }

    #[test]
    fn a_folder_and_a_pipe_are_not_keys() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .unwrap();
        for path in [folder.path(), &pipe] {
            let error = RunKey::from_file(path).unwrap_err();
            assert!(matches!(error, KeyError::NotAFile { .. }), "{error}");
        }
    }

    #[test]
    fn a_key_of_another_user_is_refused() {
        let folder = folder();
        let path = folder.path().join("key");
        RunKey::generate().unwrap().write_file(&path).unwrap();
        if let Err(error) = std::os::unix::fs::chown(&path, Some(12345), None) {
            println!("skipped: giving a file to another user needs privilege: {error}");
            return;
        }
        let error = RunKey::from_file(&path).unwrap_err();
        assert!(matches!(error, KeyError::NotOurs { owner: 12345, .. }), "{error}");
    }

    #[test]
    fn what_is_not_64_digits_is_refused() {
        let good = RunKey::generate().unwrap().to_hex();
        let long = format!("{good}00");
        let foreign = format!("{}zz", &good[2..]);
        let signed = format!("{}+1", &good[2..]);
        for text in ["", "abc", &good[1..], &long, &foreign, &signed] {
            assert!(RunKey::from_digits(text.as_bytes(), || "test".into()).is_err(), "{text}");
        }
        assert!(RunKey::from_digits(good.to_uppercase().as_bytes(), || "test".into()).is_ok());
    }

    #[test]
    fn a_file_with_more_than_a_key_is_refused() {
        let folder = folder();
        let path = folder.path().join("key");
        let digits = RunKey::generate().unwrap().to_hex();
        for (rest, accepted) in
            [("", true), ("\r\n", true), ("x", false), ("\n\n\n", false), ("\nmore", false)]
        {
            std::fs::write(&path, format!("{digits}{rest}")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert_eq!(RunKey::from_file(&path).is_ok(), accepted, "{rest:?}");
        }
    }

    #[test]
    fn debug_shows_nothing_of_the_key() {
        let key = RunKey::generate().unwrap();
        let shown = format!("{key:?} {:?}", Some(&key));
        assert!(!shown.contains(&key.to_hex()[..8]), "{shown}");
        assert_eq!(shown, "RunKey(hidden) Some(RunKey(hidden))");
    }
}
