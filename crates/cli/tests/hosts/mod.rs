//! Hosts that are network namespaces of this machine, on one cable. It takes root, and `ip`.

use crate::common::{folder, text};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Hosts on one cable: 10.214.9.1 and so on. Gone when dropped.
pub struct Hosts {
    pub home: tempfile::TempDir,
    hub: String,
    pub names: Vec<String>,
}

impl Hosts {
    fn new(count: usize) -> Result<Hosts, String> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let name = |end: &str| format!("fourstamp-hosts-{}-{made}-{end}", std::process::id());
        let names = (1..=count).map(|host| name(&host.to_string())).collect();
        let hosts = Hosts { home: folder(), hub: name("hub"), names };
        let hub = &hosts.hub;
        ip(&format!("netns add {hub}"))?;
        ip(&format!("-n {hub} link add name hub type bridge"))?;
        ip(&format!("-n {hub} link set hub up"))?;
        for (host, name) in (1..).zip(&hosts.names) {
            ip(&format!("netns add {name}"))?;
            ip(&format!("link add port{host} netns {hub} type veth peer name cable netns {name}"))?;
            ip(&format!("-n {hub} link set port{host} master hub up"))?;
            ip(&format!("-n {name} addr add 10.214.9.{host}/24 dev cable"))?;
            ip(&format!("-n {name} link set cable up"))?;
            ip(&format!("-n {name} link set lo up"))?;
        }
        hosts.on(1, "true").output().map_err(|error| error.to_string()).and_then(|output| {
            output.status.success().then_some(hosts).ok_or_else(|| text(&output.stderr))
        })
    }

    /// A program on a host, with mounts and a name that may be changed.
    pub fn on(&self, host: usize, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[host - 1], "unshare", "-m", "-u", program]);
        command
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in self.names.iter().chain([&self.hub]) {
            let _ = ip(&format!("netns del {name}"));
        }
    }
}

pub fn ip(arguments: &str) -> Result<(), String> {
    let output = Command::new("ip").args(arguments.split(' ')).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    let said = || format!("ip {arguments}: {}", text(&output.stderr).trim());
    output.status.success().then_some(()).ok_or_else(said)
}

/// So many of them; `None` where there are none to be had, and says so.
pub fn hosts(count: usize) -> Option<Hosts> {
    Hosts::new(count).map_err(|why| println!("skipped: no hosts of its own: {why}")).ok()
}

/// Until it is so.
pub fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
