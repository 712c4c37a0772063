//! The bytes that a command on a host sends, with a deadline on every wait.

use super::{CollectError, Reach, Source};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, Read};
use std::process::{Child, ChildStdout};
use std::thread::JoinHandle;
use std::time::Duration;

/// A host that sends nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is kept of a command's complaint.
const COMPLAINT_BYTES: u64 = 4096;

/// A command that runs; it is killed when this is dropped before its end.
pub(super) struct Incoming {
    from: String,
    command: String,
    child: Child,
    output: ChildStdout,
    complaint: Option<JoinHandle<String>>,
    stalled: bool,
}

impl Incoming {
    /// Begin to send the folder of `source` as a tar archive.
    pub fn of(reach: &Reach, source: &Source) -> Result<Incoming, CollectError> {
        Incoming::run(reach, source, &["tar", "-cf", "-", "-C", &source.folder, "."])
    }

    /// Begin any command.
    pub fn run(reach: &Reach, source: &Source, words: &[&str]) -> Result<Incoming, CollectError> {
        let mut command = reach.command(source, words)?;
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .spawn()
            .map_err(|source| CollectError::NotStarted { command: name.clone(), source })?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let complaint = errors.map(|errors| std::thread::spawn(move || complaint(errors)));
        let output = output.expect("its output is a pipe");
        Ok(Incoming {
            from: source.to_string(),
            command: name,
            child,
            output,
            complaint,
            stalled: false,
        })
    }

    /// Wait for the command's end.
    pub fn finish(&mut self) -> Result<(), CollectError> {
        // What the archive does not need: the end of its last block.
        let rest = io::copy(self, &mut io::sink());
        if self.stalled {
            return Err(self.stall());
        }
        let status = match rest {
            Ok(_) => self.child.wait(),
            Err(error) => Err(error),
        };
        let status = status.map_err(|source| CollectError::File {
            from: self.from.clone(),
            action: "receive it",
            source,
        })?;
        if status.success() {
            return Ok(());
        }
        let said = self.complaint.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let (from, command) = (self.from.clone(), self.command.clone());
        Err(CollectError::Failed { from, command, status, said })
    }

    /// What to say of an error of its reader: a host that was silent, a command that failed, or
    /// else the error itself.
    pub fn blame(mut self, action: &'static str, source: io::Error) -> CollectError {
        if self.stalled {
            return self.stall();
        }
        let from = self.from.clone();
        match self.finish() {
            Err(failed @ CollectError::Failed { .. }) => failed,
            _ => CollectError::File { from, action, source },
        }
    }

    fn stall(&self) -> CollectError {
        CollectError::Stalled { from: self.from.clone(), seconds: PATIENCE.as_secs() }
    }
}

impl Read for Incoming {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let wait = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
        let mut waited = [PollFd::new(&self.output, PollFlags::IN)];
        if self.stalled || poll(&mut waited, Some(&wait))? == 0 {
            self.stalled = true;
            return Err(ErrorKind::TimedOut.into());
        }
        self.output.read(bytes)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The beginning of what the command complains of, in one line; all of it is read, so that it
/// never waits.
fn complaint(mut errors: impl Read) -> String {
    let mut text = Vec::new();
    let _ = errors.by_ref().take(COMPLAINT_BYTES).read_to_end(&mut text);
    let _ = io::copy(&mut errors, &mut io::sink());
    let text = String::from_utf8_lossy(&text);
    let text: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if text.is_empty() { "it said nothing".into() } else { text.join("; ") }
}
