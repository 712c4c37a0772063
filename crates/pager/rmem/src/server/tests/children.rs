//! A server in a process of its own, killed.

use super::*;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Set in the process that is to be the server.
const CHILD: &str = "FOURSTAMP_TEST_PAGE_SERVER";

/// Not a test of its own: what the child process runs.
#[test]
fn child_serves() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let key = RunKey::from_env().unwrap();
    let mut options = ServerOptions::new("127.0.0.1:0", 1 << 20, key);
    options.reserve_bytes = Some(0);
    let server = PageServer::bind(options).unwrap();
    eprintln!("address {}", server.address());
    server.run(&AtomicBool::new(false)).unwrap();
}

#[test]
fn a_killed_server_is_noticed_at_once() {
    let key = RunKey::generate().unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "server::tests::children::child_serves", "--nocapture"])
        .env(CHILD, "1")
        .env(RunKey::VARIABLE, key.to_hex())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("address ").map(str::to_owned));
    let link = Link::connect(&address.unwrap(), &key, false, DEADLINE).unwrap();
    assert_eq!(link.about().pid, child.id());
    let mut client = Client { link };
    client.reserve(4);
    client.store(0, 1, &[1; PAGE_BYTES]);
    child.kill().unwrap();
    child.wait().unwrap();
    client.link.read(&[(1, 0)]);
    let lost = client.try_wait(&mut |reply| panic!("{reply:?}")).unwrap_err();
    assert!(matches!(lost, LinkError::Closed { .. }), "{lost}");
}
