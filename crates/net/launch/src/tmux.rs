//! Nodes in the panes of one tmux window, where people can watch them.
//!
//! The key is in a private file that lives as long as the launch, because what is given to tmux
//! appears on command lines. Panes stay when their node ends, so that its last words can be read,
//! until the session is closed at the end of the launch.

use crate::briefing::{Briefing, Obituary, last_line_of};
use crate::node;
use crate::options::NodeCommand;
use crate::{LaunchError, quote};
use std::path::PathBuf;
use std::process::Command;

/// A tmux session with a pane for each process. Dropping it closes the session, and with it
/// whatever runs there.
pub(crate) struct Panes {
    tmux: Tmux,
    session: String,
    /// tmux's name for the pane of each slot.
    panes: Vec<String>,
    /// Holds the key file.
    _private: memory::Scratch,
}

struct Tmux {
    server: Option<String>,
}

impl Panes {
    pub fn open(
        briefing: &Briefing<'_>,
        session: &str,
        server: Option<&str>,
        command: &NodeCommand,
    ) -> Result<Panes, LaunchError> {
        let failed =
            |node: u16, reason: String| LaunchError::Start { node, what: "tmux".into(), reason };
        let private = memory::Scratch::new("tmux")
            .map_err(|source| LaunchError::Folder { path: std::env::temp_dir(), source })?;
        let key_file: PathBuf = private.path().join("key");
        briefing.key.write_file(&key_file).map_err(|error| failed(0, error.to_string()))?;
        let tmux = Tmux { server: server.map(str::to_owned) };
        let mut panes =
            Panes { tmux, session: session.to_owned(), panes: Vec::new(), _private: private };
        for slot in 0..briefing.options.processes() {
            let mut environment = briefing.environment(slot);
            environment.push((node::KEY_FILE_VARIABLE.into(), key_file.display().to_string()));
            panes
                .add(&quote::command_line(&environment, command))
                .map_err(|reason| failed(slot, reason))?;
        }
        Ok(panes)
    }

    /// How a pane's process ended: of this slot, or the first found.
    pub fn ended(&self, slot: Option<u16>) -> Option<Obituary> {
        // tmux sees the end of the output first and hears of the process a moment later.
        const TRIES: usize = 20;
        for _ in 0..TRIES {
            let (slot, how) = self.dead(slot)?;
            if let Some(how) = how {
                return Some(Obituary { slot, how, last_line: self.last_line(slot) });
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let (slot, _) = self.dead(slot)?;
        Some(Obituary { slot, how: "ended in its pane".into(), last_line: self.last_line(slot) })
    }

    /// A pane whose process has ended, and how, if tmux knows that yet.
    fn dead(&self, wanted: Option<u16>) -> Option<(u16, Option<String>)> {
        let format = "#{pane_id} #{pane_dead} #{pane_dead_status} #{pane_dead_signal}";
        let listed =
            self.tmux.run(&["list-panes", "-s", "-t", &self.target(), "-F", format]).ok()?;
        listed.lines().find_map(|line| {
            let mut words = line.split(' ');
            let (pane, dead) = (words.next()?, words.next()?);
            let slot = self.panes.iter().position(|id| id == pane)? as u16;
            if dead != "1" || wanted.is_some_and(|wanted| wanted != slot) {
                return None;
            }
            let how = match (words.next().unwrap_or_default(), words.next().unwrap_or_default()) {
                ("", "") => None,
                ("", signal) => Some(format!("was killed by signal {signal}")),
                (status, _) => Some(format!("exited with code {status}")),
            };
            Some((slot, how))
        })
    }

    /// What a pane shows last.
    pub fn last_line(&self, slot: u16) -> Option<String> {
        let pane = self.panes.get(usize::from(slot))?;
        let shown = self.tmux.run(&["capture-pane", "-p", "-t", pane]).ok()?;
        // tmux adds a line of its own below the words of a process that has ended.
        let said =
            shown.lines().filter(|line| !line.starts_with("Pane is dead")).collect::<Vec<_>>();
        last_line_of(&said.join("\n"))
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let target = self.target();
        let print = ["-P", "-F", "#{pane_id}"];
        let pane = if self.panes.is_empty() {
            let new = ["new-session", "-d", "-s", &self.session, "-x", "200", "-y", "50"];
            // The option before the command: a node that fails at once must leave its words, too.
            let wait = "cat";
            let pane = self.tmux.begin(&[&new[..], &print, &[wait]].concat())?;
            self.tmux.run(&["set-option", "-w", "-t", &target, "remain-on-exit", "on"])?;
            self.tmux.run(&["respawn-pane", "-k", "-t", pane.trim(), line])?;
            pane
        } else {
            let pane =
                self.tmux.run(&[&["split-window", "-t", &target][..], &print, &[line]].concat())?;
            // After each: a window that is split in one direction only is soon too small to split.
            self.tmux.run(&["select-layout", "-t", &target, "tiled"])?;
            pane
        };
        self.panes.push(pane.trim().to_owned());
        Ok(())
    }

    /// The session by its exact name; without the sign, tmux takes a name's beginning for it.
    fn target(&self) -> String {
        format!("={}:", self.session)
    }
}

impl Drop for Panes {
    fn drop(&mut self) {
        // A session that could not be made is not there to be closed; one of the same name that was
        // there before is not ours.
        if !self.panes.is_empty() {
            let _ = self.tmux.run(&["kill-session", "-t", &format!("={}", self.session)]);
        }
    }
}

impl Tmux {
    /// Run a command that may be the server's first. A server whose last session has just been
    /// closed may still accept it and end before it answers; the next try starts another server.
    fn begin(&self, arguments: &[&str]) -> Result<String, String> {
        const TRIES: u32 = 5;
        let mut tried = self.run(arguments);
        for _ in 1..TRIES {
            if tried.is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
            tried = self.run(arguments);
        }
        tried
    }

    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("tmux");
        if let Some(server) = &self.server {
            command.args(["-L", server]);
        }
        let output = command.args(arguments).output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "tmux is not installed; install it, or leave --tmux out".to_string()
            }
            _ => format!("tmux cannot be run: {error}"),
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(last_line_of(&said)
                .unwrap_or_else(|| "tmux failed without an error message".into()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
