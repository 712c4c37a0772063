//! The thread of a node that measures, found from outside.

use super::LIMIT;
use crate::process::capture_within;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The thread of a node.
pub struct NodeThread {
    pub pid: i32,
    tid: String,
    /// That it was pinned to.
    pub core: Option<u32>,
}

impl NodeThread {
    /// Waits until it is there.
    pub fn find(folder: &Path, node: u32) -> Result<NodeThread> {
        let begun = Instant::now();
        let live = folder.join("live");
        while begun.elapsed() < LIMIT {
            let is_watched = live.join(format!("launch-0-node-{node}.causes.log")).exists();
            let sheet = std::fs::read(live.join(format!("launch-0-node-{node}.json"))).ok();
            let sheet = sheet.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
            if let (true, Some(sheet)) = (is_watched, sheet)
                && let Some(pid) = sheet["pid"].as_i64()
                && let Some(tid) = thread_called(pid, &format!("node-{node}"))
            {
                let core = sheet["core"].as_u64().map(|core| core as u32);
                return Ok(NodeThread { pid: i32::try_from(pid)?, tid, core });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("node {node} of {} never began", folder.display())
    }

    /// Keeps it on the core where it is, so that it cannot evade what takes it.
    pub fn pin_to_where_it_is(&self) -> Result<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{}/task/{}/stat", self.pid, self.tid))?;
        let behind_name = stat.rsplit_once(')').context("an unknown form of stat")?.1;
        let core =
            behind_name.split_whitespace().nth(36).context("stat lacks the core")?.to_owned();
        let mut taskset = Command::new("taskset");
        capture_within(taskset.args(["-p", "-c", &core, &self.tid]), LIMIT)?;
        Ok(core.parse()?)
    }
}

/// A thread of a process, by its name.
fn thread_called(pid: i64, name: &str) -> Option<String> {
    let tasks = std::fs::read_dir(PathBuf::from(format!("/proc/{pid}/task"))).ok()?;
    let called = |path: &Path| {
        std::fs::read_to_string(path.join("comm")).is_ok_and(|found| found.trim_end() == name)
    };
    let found = tasks.flatten().map(|task| task.path()).find(|path| called(path))?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}
