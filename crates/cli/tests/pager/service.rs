//! Page servers as an operator has them: ten hosts, each with its configuration, whose run key is
//! changed for another while programs are paged to them.

use crate::common::{fourstamp, text};
use crate::hosts::{Hosts, hosts, wait_for};
use crate::paging::checker;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{File, read_to_string};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};

const FOURSTAMP: &str = env!("CARGO_BIN_EXE_fourstamp");
/// The last is for parity.
const SERVERS: usize = 10;
/// Where programs run.
const ELSEWHERE: usize = SERVERS + 1;

/// Servers on hosts from 1 on, each with a folder of its own.
struct Fleet {
    hosts: Hosts,
    servers: Vec<Child>,
}

impl Fleet {
    fn start(hosts: Hosts, keys: &[&str]) -> Fleet {
        let mut fleet = Fleet { hosts, servers: Vec::new() };
        for key in ["old.key", "new.key"] {
            fleet.make_key(key);
        }
        for host in 1..=SERVERS {
            std::fs::create_dir(fleet.folder(host)).unwrap();
            fleet.configure(host, keys, "");
            let server = fleet.launch(host);
            fleet.servers.push(server);
        }
        (1..=SERVERS).for_each(|host| fleet.wait_until_said(host, "out", "page server at", 1));
        fleet
    }

    fn home(&self) -> &Path {
        self.hosts.home.path()
    }

    fn folder(&self, host: usize) -> PathBuf {
        self.home().join(host.to_string())
    }

    fn make_key(&self, name: &str) {
        let made = fourstamp(self.home(), &format!("pager key {name}")).output().unwrap();
        assert!(made.status.success(), "{}", text(&made.stderr));
    }

    /// What an operator writes on each host, with the keys that the host then has.
    fn configure(&self, host: usize, keys: &[&str], more: &str) {
        for key in keys {
            std::fs::copy(self.home().join(key), self.folder(host).join(key)).unwrap();
        }
        let text = format!(
            "memory = \"64M\"\nlisten = \"10.214.9.{host}:7311\"\nkey-files = {keys:?}\n\
            require-encryption = true\n{more}"
        );
        std::fs::write(self.folder(host).join("pager.toml"), text).unwrap();
    }

    fn launch(&self, host: usize) -> Child {
        let file = |name| {
            File::options().create(true).append(true).open(self.folder(host).join(name)).unwrap()
        };
        let mut command = self.hosts.on(host, FOURSTAMP);
        command.args(["pager", "serve", "--config"]).arg(self.folder(host).join("pager.toml"));
        rmem::end_with_parent(&mut command);
        command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).spawn().unwrap()
    }

    fn signal(&self, host: usize, signal: Signal) {
        kill_process(Pid::from_child(&self.servers[host - 1]), signal).unwrap();
    }

    fn said(&self, host: usize, name: &str) -> String {
        read_to_string(self.folder(host).join(name)).unwrap_or_default()
    }

    fn wait_until_said(&self, host: usize, name: &str, words: &str, times: usize) {
        let what = format!("\"{words}\" of host {host}");
        wait_for(&what, || self.said(host, name).matches(words).count() >= times);
    }

    /// Another list of keys, on all hosts, while the servers run.
    fn rotate(&self, keys: &[&str], times: usize) {
        for host in 1..=SERVERS {
            self.configure(host, keys, "");
            self.signal(host, Signal::HUP);
        }
        let many = format!("reloaded: accepts {} key", keys.len());
        (1..=SERVERS).for_each(|host| self.wait_until_said(host, "out", &many, times));
    }

    /// A program that is paged to all of them.
    fn page(&self, name: &str, key: &str, program: &[&str]) -> Paged {
        let mut command = self.hosts.on(ELSEWHERE, FOURSTAMP);
        command.args(["pager", "run", "--local", "2M", "--no-report", "--key-file"]);
        command.arg(self.home().join(key));
        for host in 1..SERVERS {
            command.args(["--server", &format!("10.214.9.{host}:7311")]);
        }
        command.args(["--parity", &format!("10.214.9.{SERVERS}:7311"), "--out"]);
        command.arg(self.home().join(name)).arg("--").args(program);
        let files = ["out", "err"].map(|end| self.home().join(format!("{name}-{end}")));
        let [out, err] = [0, 1].map(|at| File::create(&files[at]).unwrap());
        let child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn().unwrap();
        Paged { child, files }
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = (server.kill(), server.wait());
        }
    }
}

/// A program that goes on until its standard input ends.
struct Paged {
    child: Child,
    /// What it and the pager say.
    files: [PathBuf; 2],
}

impl Paged {
    fn wait_until_told(&self, words: &str) {
        wait_for(words, || read_to_string(&self.files[1]).unwrap().contains(words));
    }

    /// Whatever the death of a server has laid bare.
    fn wait_until_protected(&self) {
        wait_for("protection", || {
            let said = read_to_string(&self.files[1]).unwrap();
            let times = |words| said.matches(words).count();
            times("not protected against the loss") <= times("is protected again")
        });
    }

    fn end(mut self) -> (ExitStatus, String, String) {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap();
        let [out, err] = self.files.map(|file| read_to_string(file).unwrap());
        (status, out, err)
    }

    fn end_well(self) {
        let (status, out, err) = self.end();
        assert!(status.success() && out == "0 wrong\n", "{status:?}\n{out}{err}");
    }
}

#[test]
fn ten_servers_change_their_key_while_programs_are_paged_to_them() {
    let Some(checker) = checker() else { return };
    let checker = checker.to_str().unwrap();
    let Some(hosts) = hosts(SERVERS + 1) else { return };
    let mut fleet = Fleet::start(hosts, &["old.key"]);
    let first = fleet.page("first", "old.key", &[checker, "8", "0", "1"]);
    let is_paged = |name: &str| fleet.home().join(name).join("processes").exists();
    wait_for("the first program", || is_paged("first"));

    fleet.rotate(&["new.key", "old.key"], 1);
    for host in 1..=SERVERS {
        let said = fleet.said(host, "out");
        assert!(said.contains("new.key (0 connections), "), "host {host}: {said}");
        assert!(said.contains("old.key (1 connection)\n"), "host {host}: {said}");
    }
    let second = fleet.page("second", "new.key", &[checker, "8", "0", "2"]);
    wait_for("the second program", || is_paged("second"));

    // One that starts anew lets the first program in again.
    fleet.signal(4, Signal::KILL);
    fleet.servers[3].wait().unwrap();
    first.wait_until_told("is down: ");
    fleet.servers[3] = fleet.launch(4);
    for program in [&first, &second] {
        program.wait_until_told("has joined");
        program.wait_until_protected();
    }

    // A slip of the pen takes nothing from anybody.
    fleet.configure(7, &["new.key"], "memry = \"1G\"\n");
    fleet.signal(7, Signal::HUP);
    fleet.wait_until_said(7, "err", "not reloaded, the keys are as before: ", 1);
    let said = fleet.said(7, "err");
    assert!(
        said.contains("7/pager.toml:5: no option is called 'memry'; there are memory"),
        "{said}"
    );

    fleet.rotate(&["new.key"], 1);
    let said = fleet.said(1, "out");
    let kept = "new.key (1 connection); 1 connection with a key that is no longer accepted";
    assert!(said.contains(kept), "{said}");
    let (status, out, err) = fleet.page("late", "old.key", &[checker, "8", "10", "3"]).end();
    assert!(!status.success() && !out.contains("wrong"), "{status:?}\n{out}{err}");
    assert!(err.contains("does not hold the same run key"), "{err}");
    let third = fleet.page("third", "new.key", &[checker, "8", "2000", "4"]);
    [first, second, third].into_iter().for_each(Paged::end_well);

    for host in 1..=SERVERS {
        fleet.signal(host, Signal::TERM);
        let status = fleet.servers[host - 1].wait().unwrap();
        let said = fleet.said(host, "out");
        assert!(status.success() && said.contains(" clients; stored "), "host {host}: {said}");
    }
}
