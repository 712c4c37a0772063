//! Simulations whose nodes somebody else starts: on this machine, and on hosts that share no file
//! system, each a network namespace with a folder of its own.

use crate::common::{fail, folder, fourstamp, succeed, text};
use crate::hosts::{Hosts, hosts, ip, wait_for};
use record::Run;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const MODEL: &str = "warp phold --objects 64 --remote 0.5 --cutoff 60";
/// It goes on until something ends it.
const ENDLESS: &str = "warp phold --objects 64 --remote 0.5 --cutoff 100000000 --out run";
const PORT: &str = "7411";

impl Hosts {
    /// What a shell does to be on a host, before it runs its arguments there: with a name and, but
    /// for the first, a working folder of its own in place of the first one's, for temporary files
    /// as well.
    fn enter(&self, host: usize) -> String {
        let home = self.home.path().display();
        let own = if host == 1 { "true".into() } else { format!("mount -t tmpfs none {home}") };
        let folder = format!("mkdir -p {home}/tmp && cd {home} && export TMPDIR={home}/tmp");
        format!("hostname host{host} && {own} && {folder} && exec \"$@\"")
    }

    fn within(&self, host: usize, program: &str) -> Command {
        let mut command = self.on(host, "sh");
        command.args(["-c", &self.enter(host), "sh", program]).stdin(Stdio::null());
        command.env("FOURSTAMP_RUN_KEY", "5a".repeat(32));
        command
    }

    /// A script that stands in for ssh: behind its options come an address, and what to run there.
    fn write_ssh(&self) -> PathBuf {
        let mut script =
            String::from("#!/bin/sh\nwhile [ \"${1#10.}\" = \"$1\" ]; do shift; done\n");
        script += "address=$1\nshift\ncase $address in\n";
        for (host, name) in (1..).zip(&self.names) {
            script += &format!("10.214.9.{host}) space={name}; enter='{}';;\n", self.enter(host));
        }
        let programs = Path::new(env!("CARGO_BIN_EXE_fourstamp")).parent().expect("a folder");
        script += &format!("esac\nexport PATH={}:$PATH\n", programs.display());
        script += "exec ip netns exec $space unshare -m -u sh -c \"$enter\" sh sh -c \"$*\"\n";
        let folder = self.home.path().join("bin");
        std::fs::create_dir(&folder).expect("made");
        std::fs::write(folder.join("ssh"), script).expect("written");
        let mode = PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(folder.join("ssh"), mode).expect("may be run");
        folder
    }

    fn start(&self, host: usize, arguments: &str) -> Child {
        let mut command = self.within(host, env!("CARGO_BIN_EXE_fourstamp"));
        command.args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    }

    /// Wait on the first host, with a node on each.
    fn simulate(&self, arguments: &str) -> Simulation {
        let listen = format!("--listen 10.214.9.1:{PORT} --wait-for-nodes --join-timeout 20s");
        let nodes = self.names.len();
        let main = self.start(1, &format!("{arguments} --nodes {nodes} {listen}"));
        let join = format!("node --join 10.214.9.1:{PORT}");
        Simulation { main, nodes: (1..=nodes).map(|host| self.start(host, &join)).collect() }
    }

    fn run(&self) -> PathBuf {
        self.home.path().join("run")
    }
}

/// A run, and the nodes that join it.
struct Simulation {
    main: Child,
    nodes: Vec<Child>,
}

impl Simulation {
    fn end(self) -> (Output, Vec<Output>) {
        let of = |child: Child| child.wait_with_output().expect("it ends");
        (of(self.main), self.nodes.into_iter().map(of).collect())
    }

    /// It must end by itself with exit code 2: the line that says why.
    fn fail(self) -> String {
        let (main, _) = self.end();
        let said = text(&main.stderr);
        assert_eq!(main.status.code(), Some(2), "{said}");
        let line = said.lines().rfind(|line| line.starts_with("fourstamp: "));
        line.expect("a line that says why").to_owned()
    }
}

/// Every node's log has come in part.
fn wait_for_logs(run: &Path, nodes: usize) {
    let log = |node: usize| run.join(format!("live/launch-0-node-{node}.log"));
    let is_there = |node| std::fs::metadata(log(node)).is_ok_and(|file| file.len() > 400_000);
    wait_for("the logs of all nodes", || (0..nodes).all(is_there));
}

/// Rows of each node, and the host that it was on.
fn kept(run: &Path) -> Vec<(u64, String)> {
    let info = Run::open(run).expect("readable").info;
    let nodes = info.launches[0].nodes.iter();
    let mut kept: Vec<_> = nodes.map(|node| (node.node, node.rows, node.host.clone())).collect();
    kept.sort();
    kept.into_iter().map(|(_, rows, host)| (rows, host)).collect()
}

#[test]
fn hosts_that_share_no_folder_give_the_sequential_result_and_the_whole_record() {
    let Some(hosts) = hosts(3) else { return };
    let home = hosts.home.path();
    let files = "--trace trace.csv --counts counts.csv";
    let alone = succeed(home, &format!("{MODEL} --seq --json {files}"));
    let alone: Value = serde_json::from_str(&alone).expect("JSON");
    let read = |name: &str| std::fs::read_to_string(home.join(name)).expect("written");
    let written = [read("trace.csv"), read("counts.csv")];
    for transport in ["tcp", "udp"] {
        let _ = std::fs::remove_dir_all(hosts.run());
        let arguments = format!(
            "{MODEL} --check --json --transport {transport} --out run {files} --critical-path"
        );
        let (main, nodes) = hosts.simulate(&arguments).end();
        let (out, err) = (text(&main.stdout), text(&main.stderr));
        assert!(main.status.success(), "{transport}: {err}");
        assert!(nodes.iter().all(|node| node.status.success()), "{transport}: {nodes:?}");
        assert!(err.contains("waiting for 3 nodes: fourstamp node --join 10.214.9.1:"), "{err}");
        let result: Value = serde_json::from_str(&out).expect("JSON");
        for digest in ["trace_digest", "state_digest"] {
            assert_eq!(result[digest], alone[digest], "{transport}");
        }
        assert_eq!([read("trace.csv"), read("counts.csv")], written, "{transport}");
        let kept = kept(&hosts.run());
        let mut names: Vec<_> = kept.iter().map(|(_, host)| host.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["host1", "host2", "host3"]);
        assert!(kept.iter().all(|(rows, _)| *rows > 100), "{kept:?}");
        let info = Run::open(hosts.run()).expect("closed").info;
        assert!(info.lost.is_nothing(), "{transport}: {:?}", info.lost);
        for node in 0..3 {
            assert!(hosts.run().join(format!("warp/samples-{node}.csv")).exists());
        }
        assert!(hosts.run().join("warp/critical_path.csv").exists());
    }
}

#[test]
fn a_host_that_dies_or_is_cut_off_is_named_and_what_was_recorded_is_kept() {
    let Some(hosts) = hosts(3) else { return };
    let mut simulation = hosts.simulate(ENDLESS);
    wait_for_logs(&hosts.run(), 3);
    simulation.nodes[1].kill().expect("killed");
    let line = simulation.fail();
    assert!(line.contains(" on host2) was lost"), "{line}");
    assert!(kept(&hosts.run()).iter().all(|(rows, _)| *rows > 1000), "{line}");
    std::fs::remove_dir_all(hosts.run()).expect("removed");

    let mut simulation = hosts.simulate(&format!("{ENDLESS} --peer-timeout 2s"));
    wait_for_logs(&hosts.run(), 3);
    ip(&format!("-n {} link set cable down", hosts.names[2])).expect("the cable is out");
    // That one does not know, and looks for the others for longer than this test does.
    let mut cut = simulation.nodes.pop().expect("a node");
    let line = simulation.fail();
    cut.kill().expect("killed");
    cut.wait().expect("ended");
    assert!(line.contains(" on host3) has not answered for "), "{line}");
    assert!(kept(&hosts.run()).iter().all(|(rows, _)| *rows > 1000), "{line}");
}

#[test]
fn over_ssh_no_folder_is_shared_either() {
    let Some(hosts) = hosts(2) else { return };
    let tools = hosts.write_ssh();
    let simulation = format!("{MODEL} --check --out run");
    let mut launch = hosts.within(1, env!("CARGO_BIN_EXE_fourstamp"));
    launch.args("launch -n 3 --ssh 10.214.9.1,10.214.9.2 --listen 10.214.9.1:0 --".split(' '));
    let path = std::env::var("PATH").expect("a path");
    launch.args(simulation.split(' ')).env("PATH", format!("{}:{path}", tools.display()));
    let output = launch.output().expect("it starts");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.contains("Matches the sequential run"), "{out}");
    let kept = kept(&hosts.run());
    let names: Vec<_> = kept.iter().map(|(_, host)| host.as_str()).collect();
    assert_eq!(names, ["host1", "host2", "host1"]);
    assert!(kept.iter().all(|(rows, _)| *rows > 100), "{kept:?}");
}

#[test]
fn a_host_with_other_input_files_is_named() {
    let Some(hosts) = hosts(2) else { return };
    let write = |send_time: u32| {
        let nodes = "node,initial_currency,number_of_lines,first_line_index,creation_delay,\
        max_packet_size\\n0,9,1,0,9,9\\n1,9,1,1,9,9\\n";
        let lines = format!(
            "line_index,node_from,node_to,send_time,initial_load\\n0,0,1,{send_time},0\\n\
            1,1,0,5,0\\n"
        );
        format!("printf '{nodes}' > warpnet_nodes.csv && printf '{lines}' > warpnet_lines.csv")
    };
    let node = format!("node --join 10.214.9.1:{PORT}");
    for (send_time, is_same) in [(5, true), (6, false)] {
        let written = hosts.within(1, "sh").args(["-c", &write(5)]).status();
        assert!(written.expect("it starts").success());
        let arguments = "warp warpnet --data . --update-nodes 1 --cutoff 1000 --check --nodes 2 \
        --peer-timeout 2s";
        let wait = format!("--listen 10.214.9.1:{PORT} --wait-for-nodes --join-timeout 20s");
        let main = hosts.start(1, &format!("{arguments} {wait}"));
        let near = hosts.start(1, &node);
        let mut far = hosts.within(2, "sh");
        let there =
            format!("{} && exec {} {node}", write(send_time), env!("CARGO_BIN_EXE_fourstamp"));
        far.args(["-c", &there]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let far = far.spawn().expect("it starts");
        let simulation = Simulation { main, nodes: vec![near, far] };
        if is_same {
            let (main, _) = simulation.end();
            assert!(main.status.success(), "{}", text(&main.stderr));
            continue;
        }
        let line = simulation.fail();
        assert!(line.contains(" on host2) failed: its model warpnet is made of other"), "{line}");
    }
}

#[test]
fn nodes_may_come_first_and_one_that_never_comes_ends_the_waiting() {
    let folder = folder();
    let port = free_port();
    let join = || fourstamp(folder.path(), &format!("node --join 127.0.0.1:{port} --key-file key"));
    std::fs::write(folder.path().join("key"), "5a".repeat(32)).expect("written");
    let key = folder.path().join("key");
    std::fs::set_permissions(key, PermissionsExt::from_mode(0o600)).expect("changed");
    let mut nodes: Vec<Child> = (0..2).map(|_| join().spawn().expect("it starts")).collect();
    let wait = format!("--listen 127.0.0.1:{port} --wait-for-nodes --key-file key");
    let said = succeed(folder.path(), &format!("{MODEL} --check {wait}"));
    assert!(said.contains("Matches the sequential run"), "{said}");
    assert!(nodes.iter_mut().all(|node| node.wait().expect("it ends").success()));

    let mut main = fourstamp(folder.path(), &format!("{MODEL} {wait} --join-timeout 1s"));
    let mut main = main.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stderr = BufReader::new(main.stderr.take().expect("piped"));
    let mut said = String::new();
    stderr.read_line(&mut said).expect("it says where to join");
    let stranger = fourstamp(folder.path(), &format!("node --join 127.0.0.1:{port}"))
        .env("FOURSTAMP_RUN_KEY", "ab".repeat(32))
        .output()
        .expect("it ends");
    assert_eq!(stranger.status.code(), Some(2));
    assert!(text(&stranger.stderr).contains("does not hold the same run key"), "{stranger:?}");
    stderr.read_to_string(&mut said).expect("it ends");
    assert_eq!(main.wait().expect("it ends").code(), Some(2), "{said}");
    let last = format!(
        "0 of 2 node processes joined within 1 s; start the others with: fourstamp node --join \
        127.0.0.1:{port}"
    );
    assert!(said.trim_end().ends_with(&last), "{said}");
}

#[test]
fn what_has_no_processes_of_its_own_waits_for_none() {
    let folder = folder();
    let wait = "--listen 127.0.0.1:0 --wait-for-nodes --key-file key";
    for (options, why) in [
        ("--seq", "processes of their own"),
        ("--on mark3", "processes of their own"),
        ("--transport thread", "processes of their own"),
        ("--transport mpi", "processes of their own"),
        ("--intervene max-acks=2", "starts its own nodes"),
    ] {
        let error = fail(folder.path(), &format!("{MODEL} {wait} {options}"));
        assert!(error.contains(why), "{options}: {error}");
    }
    let error = fail(folder.path(), &format!("launch -n 2 -- {MODEL} {wait}"));
    assert!(error.contains("leave out one of them"), "{error}");
    let error = fail(folder.path(), &format!("{MODEL} --listen 127.0.0.1:0 --wait-for-nodes"));
    assert!(error.contains("give --key-file FILE"), "{error}");
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}
