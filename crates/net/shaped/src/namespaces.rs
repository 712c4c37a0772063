//! Two network namespaces on this machine, joined by a shaped link: two boxes without a second
//! machine.
//!
//! They have addresses of the range that is set aside for measuring networks (RFC 2544) and no
//! other route: nothing in them reaches anybody else. Their names say whose they are (the process
//! and when it began), so that a later study can tell those of a killed one from those of one that
//! runs beside it.

use crate::process::begin_of;
use crate::{Link, ShapedError, Tell};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PREFIX: &str = "fourstamp-study";
const ADDRESSES: [&str; 2] = ["198.18.0.1", "198.18.0.2"];
const PORT: u16 = 7411;
/// What the shaper lets pass at once, bytes: a full Ethernet frame, which is the least that works
/// ...
const BURST_BYTES: u64 = 1600;
/// ... and what the link carries in this time: the kernel's timers come as late as that, and a
/// bucket that is full by then loses what it was to carry. Microseconds.
const BURST_US: u64 = 100;
/// What may wait for the link, bytes: more than is ever on its way, so that nothing is dropped.
const QUEUE_BYTES: u32 = 64 << 20;

/// Made here; gone when dropped.
pub struct Namespaces {
    names: [String; 2],
    tell: Tell,
}

type Result<T> = std::result::Result<T, ShapedError>;

/// What is missing for namespaces, as far as that can be told without making any.
fn lacking() -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("network namespaces need root".into());
    }
    let missing = ["ip", "tc"].into_iter().find(|name| run(name, &["-V"]).is_err())?;
    Some(format!("network namespaces need {missing}, which is not on PATH (package iproute2)"))
}

/// Two of them. `tell` hears of what cannot be removed.
///
/// # Errors
/// When there can be none here.
pub fn two(tell: Tell) -> Result<Namespaces> {
    if let Some(lacking) = lacking() {
        return Err(ShapedError::Lacking(lacking));
    }
    remove_left_overs(tell);
    Namespaces::make(tell).map_err(|error| {
        ShapedError::Lacking(format!("network namespaces need CAP_SYS_ADMIN ({error})"))
    })
}

/// Remove what studies have left that did not come to their end.
fn remove_left_overs(tell: Tell) {
    for name in existing() {
        let Some((pid, begun)) = owner(&name) else { continue };
        if begin_of(pid) != Some(begun) {
            remove(&name, tell);
        }
    }
}

impl Namespaces {
    /// Make them, with nothing in them. A container's root may not.
    fn make(tell: Tell) -> Result<Namespaces> {
        let pid = std::process::id();
        let begun = begin_of(pid).ok_or_else(|| ShapedError::File {
            action: "read /proc/self/stat, which says when this process started",
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        let names = ["a", "b"].map(|end| format!("{PREFIX}-{pid}-{begun}-{end}"));
        let namespaces = Namespaces { names, tell };
        namespaces.names.iter().try_for_each(|name| ip(&["netns", "add", name]))?;
        namespaces.write_agent().map_err(|source| ShapedError::File {
            action: "write into the temporary folder",
            source,
        })?;
        Ok(namespaces)
    }

    /// Join them by a link.
    ///
    /// # Errors
    /// When the kernel or iproute2 refuses.
    pub fn join(&self, link: &Link) -> Result<()> {
        let [a, b] = [self.names[0].as_str(), self.names[1].as_str()];
        ip(&[
            "-n", a, "link", "add", "name", "veth", "type", "veth", "peer", "name", "veth",
            "netns", b,
        ])?;
        for (name, address) in [a, b].into_iter().zip(ADDRESSES) {
            ip(&["-n", name, "addr", "add", &format!("{address}/30"), "dev", "veth"])?;
            ip(&["-n", name, "link", "set", "lo", "up"])?;
            ip(&["-n", name, "link", "set", "veth", "up"])?;
        }
        self.reshape(link)
    }

    /// Make it another link. Nothing may be under way on it.
    ///
    /// # Errors
    /// When the kernel or iproute2 refuses.
    pub fn reshape(&self, link: &Link) -> Result<()> {
        self.names.iter().try_for_each(|name| shape(name, link))
    }

    /// `program`, to be run in the first box (0) or in the second.
    pub fn within(&self, place: usize, program: &OsStr) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[place]]).arg(program);
        command
    }

    /// Packets that have left the first box.
    ///
    /// # Errors
    /// When the link's counters cannot be read.
    pub fn packets(&self) -> Result<u64> {
        let mut reader = self.within(0, OsStr::new("cat"));
        let output = reader.arg("/sys/class/net/veth/statistics/tx_packets").output();
        let output = output.map_err(|source| ShapedError::Start { program: "ip", source })?;
        String::from_utf8_lossy(&output.stdout).trim().parse().map_err(|_| ShapedError::Counters)
    }

    /// Where a coordinator in the first box listens.
    pub fn coordinator() -> String {
        format!("{}:{PORT}", ADDRESSES[0])
    }

    /// The boxes' own addresses.
    pub fn addresses() -> [&'static str; 2] {
        ADDRESSES
    }

    /// What `ip netns` calls them.
    pub fn names(&self) -> &[String; 2] {
        &self.names
    }

    /// A coordinator's address, on any port.
    pub fn any_port() -> String {
        format!("{}:0", ADDRESSES[0])
    }

    /// Both, as mpirun is told.
    pub fn hosts(&self) -> String {
        ADDRESSES.join(",")
    }

    /// What makes an mpirun reach the boxes through `ip netns exec` instead of ssh: Open MPI's,
    /// then Hydra's.
    ///
    /// Open MPI's daemon in a box also shares what it knows of the machine, at an address near its
    /// own stack, and crashes now and then as the stack grows into that: it is told not to.
    pub fn launcher_environment(&self) -> [(&'static str, String); 4] {
        let agent = folder_of(&self.names[0]).join("agent").display().to_string();
        [
            ("OMPI_MCA_plm_rsh_agent", agent.clone()),
            ("OMPI_MCA_rtc_hwloc_vmhole", "none".into()),
            ("HYDRA_LAUNCHER", "ssh".into()),
            ("HYDRA_LAUNCHER_EXEC", agent),
        ]
    }

    fn write_agent(&self) -> std::io::Result<()> {
        let folder = folder_of(&self.names[0]);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        let mut options = std::fs::OpenOptions::new();
        let mut file =
            options.write(true).create_new(true).mode(0o700).open(folder.join("agent"))?;
        write!(
            file,
            "#!/bin/sh\n# [OPTIONS] ADDRESS COMMAND: what ssh would do.\n\
             while case $1 in -*) true;; *) false;; esac; do shift; done\n\
             case $1 in {}) box={};; *) box={};; esac\nshift\nexec ip netns exec \"$box\" sh -c \
             \"$*\"\n",
            ADDRESSES[0], self.names[0], self.names[1]
        )
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        let there = existing();
        let names = self.names.iter().filter(|name| there.contains(name));
        names.for_each(|name| remove(name, self.tell));
    }
}

/// One end's way out: the rate and, below it, the delay.
fn shape(name: &str, link: &Link) -> Result<()> {
    let parent = match link.latency {
        None => "root",
        Some(latency) => {
            let delay = format!("{}us", latency.as_micros());
            tc(name, &["root", "handle", "1:", "netem", "delay", &delay, "limit", "100000"])
                .map_err(advise(
                    "the kernel cannot delay packets: load its module sch_netem, or leave \
                    --latency out",
                ))?;
            "parent 1:1"
        }
    };
    let least = BURST_BYTES + link.rate_bits / 8 * BURST_US / 1_000_000;
    let burst = link.burst_bytes.unwrap_or(least);
    let numbers = format!("tbf rate {} burst {burst} limit {QUEUE_BYTES}", link.rate_bits);
    let words: Vec<&str> = parent.split(' ').chain(numbers.split(' ')).collect();
    tc(name, &words)
        .map_err(advise("the kernel cannot limit a link's rate: load its module sch_tbf"))
}

fn advise(advice: &'static str) -> impl Fn(ShapedError) -> ShapedError {
    move |source| ShapedError::Kernel { advice, source: Box::new(source) }
}

fn tc(name: &str, words: &[&str]) -> Result<()> {
    run("tc", &[&["-n", name, "qdisc", "replace", "dev", "veth"], words].concat())
}

fn ip(words: &[&str]) -> Result<()> {
    run("ip", words)
}

fn run(program: &'static str, words: &[&str]) -> Result<()> {
    let output = Command::new(program).args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|source| ShapedError::Start { program, source })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(ShapedError::Refused { program, words: words.join(" "), said })
}

/// Names of the namespaces of studies, running or not.
fn existing() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(Path::new("/run/netns")) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| owner(name).is_some()).collect()
}

/// Whose it is: process and when that began.
fn owner(name: &str) -> Option<(u32, u64)> {
    let mut parts = name.strip_prefix(PREFIX)?.strip_prefix('-')?.split('-');
    let owner = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    matches!((parts.next(), parts.next()), (Some("a" | "b"), None)).then_some(owner)
}

/// Where a study keeps what mpirun is to run, under the name of its first namespace so that it is
/// found with that.
fn folder_of(name: &str) -> PathBuf {
    std::env::temp_dir().join(name)
}

/// End what still runs in it, all of which we have started, and remove it.
fn remove(name: &str, tell: Tell) {
    let pids = Command::new("ip").args(["netns", "pids", name]).stdin(Stdio::null()).output();
    let pids =
        pids.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    for pid in pids.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
        let _ = kill_process(pid, Signal::KILL);
    }
    let _ = std::fs::remove_dir_all(folder_of(name));
    if let Err(error) = ip(&["netns", "del", name]) {
        tell(&format!(
            "the network namespace {name} was not removed: {error}; remove it with: ip netns del \
            {name}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whose_it_is() {
        assert_eq!(owner("fourstamp-study-12-3456-a"), Some((12, 3456)));
        for foreign in [
            "fourstamp-study-12-a",
            "fourstamp-study-x-1-a",
            "fourstamp-study-1-2-a-b",
            "study-1-2-a",
        ] {
            assert_eq!(owner(foreign), None, "{foreign}");
        }
    }
}
