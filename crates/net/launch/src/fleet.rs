//! The processes that were started for a launch: started with the key in their environment,
//! watched, and never left behind.

use crate::briefing::{Briefing, Obituary, last_line_of};
use crate::options::{NodeCommand, Starter};
use crate::ssh;
use crate::tmux::Panes;
use crate::{LaunchError, node};
use fabric::RunKey;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Longest last line that an error repeats, in bytes.
const LINE_BYTES_MAX: u64 = 2000;
/// How often a process is looked at that should end any moment.
const LOOK: Duration = Duration::from_millis(5);

/// The processes of one launch. Dropping it kills those that still run.
pub(crate) enum Fleet {
    /// Our children: nodes, or the ssh processes that hold them.
    Children(Vec<Process>),
    /// Panes of a tmux window.
    Panes(Panes),
    /// Started by somebody else.
    Unseen,
}

/// One child.
pub(crate) struct Process {
    slot: u16,
    child: Child,
    /// What it prints.
    log: PathBuf,
    ended: Option<ExitStatus>,
}

impl Fleet {
    /// Start what is to be started. On an error those already started are killed.
    pub fn start(briefing: &Briefing<'_>) -> Result<Fleet, LaunchError> {
        match &briefing.options.starter {
            Starter::External => Ok(Fleet::Unseen),
            Starter::Tmux { session, server, command } => {
                Panes::open(briefing, session, server.as_deref(), command).map(Fleet::Panes)
            }
            Starter::Local(command) => start_each(briefing, |slot| local(briefing, command, slot)),
            Starter::Ssh { program, hosts, command } => start_each(briefing, |slot| {
                let host = &hosts[usize::from(slot) % hosts.len()];
                ssh::command(briefing, program, host, command, slot)
            }),
        }
    }

    /// The first process that is found to have ended.
    pub fn ended(&mut self) -> Option<Obituary> {
        match self {
            Fleet::Children(processes) => processes.iter_mut().find_map(Process::obituary),
            Fleet::Panes(panes) => panes.ended(None),
            Fleet::Unseen => None,
        }
    }

    /// How the process of `slot` ended; it may take until `patience` is over to do so.
    pub fn obituary(&mut self, slot: u16, patience: Duration) -> Option<Obituary> {
        let deadline = Instant::now() + patience;
        loop {
            let found = match self {
                Fleet::Children(processes) => {
                    processes.iter_mut().find(|process| process.slot == slot)?.obituary()
                }
                Fleet::Panes(panes) => panes.ended(Some(slot)),
                Fleet::Unseen => return None,
            };
            if found.is_some() || Instant::now() > deadline {
                return found;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What the process of `slot` printed last, if we see that.
    pub fn last_line(&self, slot: u16) -> Option<String> {
        match self {
            Fleet::Children(processes) => {
                last_line(&processes.iter().find(|process| process.slot == slot)?.log)
            }
            Fleet::Panes(panes) => panes.last_line(slot),
            Fleet::Unseen => None,
        }
    }

    /// Kill the process of `slot`, if it is our child: its peers then know at once that it is gone.
    pub fn kill(&mut self, slot: u16) {
        if let Fleet::Children(processes) = self
            && let Some(process) = processes.iter_mut().find(|process| process.slot == slot)
        {
            // It may have ended meanwhile.
            let _ = process.child.kill();
        }
    }

    /// Wait for all to end by themselves. Those that do not are returned, and killed when this is
    /// dropped.
    pub fn wait(&mut self, patience: Duration) -> Vec<u16> {
        let Fleet::Children(processes) = self else {
            return Vec::new();
        };
        let deadline = Instant::now() + patience;
        loop {
            let alive: Vec<u16> = processes
                .iter_mut()
                .filter_map(|process| process.look().is_none().then_some(process.slot))
                .collect();
            if alive.is_empty() || Instant::now() > deadline {
                return alive;
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl Process {
    fn look(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none() {
            // An error would mean that somebody else has waited for our child: then it has ended,
            // too.
            self.ended = self.child.try_wait().unwrap_or(Some(ExitStatus::from_raw(0)));
        }
        self.ended
    }

    fn obituary(&mut self) -> Option<Obituary> {
        let how = describe(self.look()?);
        Some(Obituary { slot: self.slot, how, last_line: last_line(&self.log) })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.look().is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        // What printed nothing leaves nothing.
        if std::fs::metadata(&self.log).is_ok_and(|file| file.len() == 0) {
            let _ = std::fs::remove_file(&self.log);
        }
    }
}

fn start_each(
    briefing: &Briefing<'_>,
    command: impl Fn(u16) -> (Command, Option<String>),
) -> Result<Fleet, LaunchError> {
    std::fs::create_dir_all(&briefing.logs)
        .map_err(|source| LaunchError::Folder { path: briefing.logs.clone(), source })?;
    let mut processes = Vec::new();
    for slot in 0..briefing.options.processes() {
        let log = briefing.logs.join(format!("launch-{}-node-{slot}.txt", briefing.options.launch));
        let (command, input) = command(slot);
        processes.push(spawn(command, input, slot, log)?);
    }
    Ok(Fleet::Children(processes))
}

fn local(briefing: &Briefing<'_>, what: &NodeCommand, slot: u16) -> (Command, Option<String>) {
    let mut command = Command::new(&what.program);
    command
        .args(&what.arguments)
        .envs(briefing.environment(slot))
        .envs(what.environment.iter().cloned());
    command.env(RunKey::VARIABLE, briefing.key.to_hex());
    (command, None)
}

fn spawn(
    mut command: Command,
    input: Option<String>,
    slot: u16,
    log: PathBuf,
) -> Result<Process, LaunchError> {
    let what = command.get_program().to_string_lossy().into_owned();
    let failed =
        |error: std::io::Error| LaunchError::Start { node: slot, what, reason: error.to_string() };
    let folder = |source| LaunchError::Folder { path: log.clone(), source };
    let output = File::create(&log).map_err(folder)?;
    let errors = output.try_clone().map_err(folder)?;
    command
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(output)
        .stderr(errors);
    // Ctrl-C goes to every process of the terminal's group: the nodes are told to stop by us, in
    // order.
    command.process_group(0);
    let child = command.spawn().map_err(failed)?;
    let mut process = Process { slot, child, log, ended: None };
    if let (Some(text), Some(mut stdin)) = (input, process.child.stdin.take()) {
        // If it is gone already, its exit status tells more than a broken pipe does.
        let _ = stdin.write_all(text.as_bytes());
    }
    Ok(process)
}

impl Briefing<'_> {
    /// What a process finds in its environment; not the key, whose way depends on who starts it.
    pub fn environment(&self, slot: u16) -> Vec<(String, String)> {
        let pair = |name: &str, value: String| (name.to_string(), value);
        vec![
            pair(node::JOIN_VARIABLE, self.join.clone()),
            pair(node::SLOT_VARIABLE, slot.to_string()),
            pair(node::HOSTS_VARIABLE, self.options.hosts().to_string()),
        ]
    }
}

/// How a process ended, in words.
fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by signal {signal}{}", signal_name(signal)),
        (None, None) => format!("ended: {status}"),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL; the system does this too when memory runs out)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// The last line with something on it.
fn last_line(log: &Path) -> Option<String> {
    let mut file = File::open(log).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LINE_BYTES_MAX))).ok()?;
    let mut end = Vec::new();
    file.take(LINE_BYTES_MAX).read_to_end(&mut end).ok()?;
    last_line_of(&String::from_utf8_lossy(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_told_apart() {
        assert_eq!(describe(ExitStatus::from_raw(3 << 8)), "exited with code 3");
        assert!(describe(ExitStatus::from_raw(9)).contains("signal 9 (SIGKILL"));
        assert!(describe(ExitStatus::from_raw(11)).contains("SIGSEGV"));
    }
}
