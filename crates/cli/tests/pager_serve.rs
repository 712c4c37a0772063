//! `fourstamp pager serve` and `fourstamp pager key`, as a user has them.

mod common;

use common::{fail, folder, fourstamp, succeed, text};
use fabric::RunKey;
use rmem::{Link, LinkError};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// Where the server listens, once it does.
fn announced(file: &Path, server: &mut Child) -> String {
    let begun = Instant::now();
    loop {
        let address = std::fs::read_to_string(file).unwrap_or_default();
        if address.ends_with('\n') {
            return address.trim().to_owned();
        }
        assert!(server.try_wait().expect("asked").is_none(), "the server ended");
        assert!(begun.elapsed() < PATIENCE, "the server announces nothing");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_server_lets_in_who_has_the_key_and_ends_cleanly() {
    let folder = folder();
    succeed(folder.path(), "pager key run.key");
    let mut command = fourstamp(
        folder.path(),
        "pager serve --memory 1M --listen 127.0.0.1:0 --key-file run.key --require-encryption \
        --announce at",
    );
    let mut server =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
    let address = announced(&folder.path().join("at"), &mut server);
    let key = RunKey::from_file(&folder.path().join("run.key")).expect("a key");
    let link = Link::connect(&address, &key, true, PATIENCE).expect("let in");
    assert_eq!((link.about().pid, link.about().capacity_pages), (server.id(), 256));
    let error = Link::connect(&address, &key, false, PATIENCE).err().expect("refused");
    assert!(matches!(error, LinkError::Refused { .. }), "{error}");
    let stranger = RunKey::generate().expect("a key");
    assert!(matches!(
        Link::connect(&address, &stranger, true, PATIENCE),
        Err(LinkError::Handshake(_))
    ));
    let pid = rustix::process::Pid::from_child(&server);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    let output = server.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains(&address) && said.contains("lends 1024 KiB"), "{said}");
    assert!(said.contains("2 clients") && said.contains("1 connection was refused"), "{said}");
}

#[test]
fn what_cannot_be_served_is_said_in_one_line() {
    let folder = folder();
    let line = fail(folder.path(), "pager serve --memory 1M --listen 127.0.0.1:0");
    assert!(line.contains("fourstamp pager key"), "{line}");
    succeed(folder.path(), "pager key run.key");
    let line = fail(folder.path(), "pager key run.key");
    assert!(line.contains("run.key"), "{line}");
    let line =
        fail(folder.path(), "pager serve --memory 100 --listen 127.0.0.1:0 --key-file run.key");
    assert!(line.contains("at least one page"), "{line}");
    let line =
        fail(folder.path(), "pager serve --memory 1M --listen 192.0.2.1:1 --key-file run.key");
    assert!(line.contains("192.0.2.1:1") && line.contains("port 0"), "{line}");
}
