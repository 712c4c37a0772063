//! Page servers as processes of this machine, so that one can be killed.

use crate::DriveError;
use fabric::RunKey;
use std::ffi::OsStr;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long one may take to say where it listens.
const START: Duration = Duration::from_secs(10);
/// How long one may take to end.
const END: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(2);

/// Ended when dropped, and with this process, however that ends.
pub struct Servers {
    children: Vec<Child>,
    /// Where they listen, in order.
    pub addresses: Vec<String>,
}

/// What is to be started.
pub struct Wanted<'a> {
    /// How many.
    pub number: usize,
    /// Memory of each.
    pub bytes: u64,
    /// Who may use them.
    pub key: &'a RunKey,
    /// Where they listen: a name or an address of their machine.
    pub host: &'a str,
    /// This program, wherever it is to run.
    pub command: &'a dyn Fn(&OsStr) -> Command,
    /// Whether to give up: nobody wants them any more.
    pub stop: &'a dyn Fn() -> bool,
}

impl Servers {
    /// None.
    pub fn none() -> Servers {
        Servers { children: Vec::new(), addresses: Vec::new() }
    }

    /// Start them, and wait until all listen. The calling thread must live as long as they are to.
    ///
    /// # Errors
    /// When one does not start.
    pub fn start(wanted: &Wanted<'_>) -> Result<Servers, DriveError> {
        let own =
            std::env::current_exe().map_err(DriveError::file("find", "this program's own file"))?;
        let folder = memory::Scratch::new("servers")
            .map_err(DriveError::file("make", "a temporary folder"))?;
        let mut servers = Servers::none();
        let mut said = Vec::new();
        for number in 0..wanted.number {
            let (child, text) = spawn(wanted, own.as_os_str(), &announcement(&folder, number))?;
            servers.children.push(child);
            said.push(text);
        }
        for (number, text) in said.into_iter().enumerate() {
            let announced = announcement(&folder, number);
            let address = servers.address(number, &announced, text, wanted.stop)?;
            servers.addresses.push(address);
        }
        Ok(servers)
    }

    /// What a server has announced.
    fn address(
        &mut self,
        number: usize,
        announced: &Path,
        mut said: std::fs::File,
        stop: &dyn Fn() -> bool,
    ) -> Result<String, DriveError> {
        let begun = Instant::now();
        loop {
            let address = std::fs::read_to_string(announced).unwrap_or_default();
            if address.contains(':') && address.ends_with('\n') {
                return Ok(address.trim().to_owned());
            }
            let ended = self.children[number].try_wait().is_ok_and(|status| status.is_some());
            if ended || begun.elapsed() > START || stop() {
                let mut text = String::new();
                // What cannot be read was not said.
                let _ = said.rewind().and_then(|()| said.read_to_string(&mut text));
                let text = text.trim().replace('\n', "; ");
                let silence = if ended { "it ended at once" } else { "it is not listening" };
                let reason = if text.is_empty() { silence.to_owned() } else { text };
                return Err(DriveError::Server(reason));
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Where a server says where it listens.
fn announcement(folder: &memory::Scratch, number: usize) -> std::path::PathBuf {
    folder.path().join(number.to_string())
}

/// One of them, and what it says when something is wrong.
fn spawn(
    wanted: &Wanted<'_>,
    own: &OsStr,
    announced: &Path,
) -> Result<(Child, std::fs::File), DriveError> {
    let said = tempfile::tempfile().map_err(DriveError::file("make", "a temporary file"))?;
    let errors = said.try_clone().map_err(DriveError::file("use", "a temporary file"))?;
    let mut command = (wanted.command)(own);
    command.args(["pager", "serve", "--memory", &wanted.bytes.to_string(), "--listen"]);
    command.arg(format!("{}:0", wanted.host)).arg("--announce").arg(announced);
    command.env(RunKey::VARIABLE, wanted.key.to_hex());
    // In a group of their own: Ctrl-C is for who has started them.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).process_group(0);
    // Set by the server itself, it would come too late for a parent that is killed in its first
    // moments.
    rmem::end_with_parent(&mut command);
    let child = command.spawn().map_err(|source| DriveError::Start {
        program: "a page server on this machine",
        source,
        advice: "",
    })?;
    Ok((child, said))
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in &self.children {
            // One that somebody has killed already needs no ending.
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_child(child),
                rustix::process::Signal::TERM,
            );
        }
        let deadline = Instant::now() + END;
        for child in &mut self.children {
            while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
                std::thread::sleep(LOOK);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
