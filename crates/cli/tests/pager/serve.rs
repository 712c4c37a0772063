//! `fourstamp pager serve` and `fourstamp pager key`, as a user has them.

use crate::common::{fail, folder, fourstamp, succeed, text};
use fabric::RunKey;
use rmem::{Link, LinkError};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::net::UnixDatagram;
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
    kill_process(Pid::from_child(&server), Signal::TERM).expect("sent");
    let output = server.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.contains(&address) && said.contains("lends 1024 KiB"), "{said}");
    assert!(said.contains("2 clients") && said.contains("1 connection was refused"), "{said}");
}

/// A server with a configuration file, and what a service manager hears of it.
struct Service {
    folder: tempfile::TempDir,
    process: Child,
    heard: UnixDatagram,
}

impl Service {
    /// With keys `a` and `b`.
    fn start(config: &str, options: &str) -> Service {
        let folder = folder();
        for key in ["a", "b"] {
            succeed(folder.path(), &format!("pager key {key}"));
        }
        std::fs::write(folder.path().join("pager.toml"), config).expect("written");
        let heard = UnixDatagram::bind(folder.path().join("manager")).expect("bound");
        heard.set_read_timeout(Some(PATIENCE)).expect("set");
        // From elsewhere: paths in the file begin at its folder.
        let file = folder.path().join("pager.toml");
        let serve = format!("pager serve --config {} {options}", file.display());
        let mut command = fourstamp(Path::new("/"), &serve);
        command.env("NOTIFY_SOCKET", folder.path().join("manager"));
        let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Service { folder, process: process.expect("the server starts"), heard }
    }

    fn hear(&self) -> String {
        let mut buffer = [0; 1000];
        let bytes = self.heard.recv(&mut buffer).expect("the manager is told");
        let said = text(&buffer[..bytes]);
        said.replace(&format!("{}/", self.folder.path().display()), "")
    }

    /// What came of reading this configuration.
    fn reload(&self, config: &str) -> String {
        std::fs::write(self.folder.path().join("pager.toml"), config).expect("written");
        kill_process(Pid::from_child(&self.process), Signal::HUP).expect("sent");
        let began = self.hear();
        assert!(began.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{began}");
        let ended = self.hear();
        ended.strip_prefix("READY=1\nSTATUS=").expect("it is ready again").to_owned()
    }

    fn connect(&self, key: &str) -> Result<Link, LinkError> {
        let key = RunKey::from_file(&self.folder.path().join(key)).expect("a key");
        let address = std::fs::read_to_string(self.folder.path().join("at")).expect("announced");
        Link::connect(address.trim(), &key, true, PATIENCE)
    }
}

#[test]
fn a_service_reads_its_keys_again_and_says_what_came_of_it() {
    let config = |keys: &str, rest: &str| {
        format!("listen = \"127.0.0.1:0\"\nannounce = \"at\"\nkey-files = {keys}\n{rest}")
    };
    let memory = "memory = \"8M\"\n";
    let service = Service::start(&config("[\"a\"]", memory), "--memory 1M");
    let ready = service.hear();
    assert!(ready.starts_with("READY=1\nSTATUS=page server at 127.0.0.1:"), "{ready}");
    assert!(ready.ends_with(": lends 1024 KiB"), "what is typed wins: {ready}");
    let first = service.connect("a").expect("let in");
    assert_eq!(first.about().capacity_pages, 256);
    assert!(service.connect("b").is_err());

    let both = config("[\"b\", \"a\"]", "memory = \"16M\"\nclients = 5\n");
    let said = service.reload(&both);
    assert_eq!(said, "accepts 2 keys: b (0 connections), a (1 connection)");
    for (wrong, why) in [
        (config("[\"c\"]", memory), "cannot open the run key c: "),
        (config("[\"b\", \"b\"]", memory), "b and b hold the same run key; "),
        (config("\"b\"", memory), "pager.toml:3: 'key-files' must be a list"),
        (config(&format!("{:?}", ["a"; 9]), memory), "a and a hold the same run key; "),
        (config("[]", memory), "a page server needs a run key: "),
    ] {
        let said = service.reload(&wrong);
        let told = format!("not reloaded, the keys are as before: {why}");
        assert!(said.starts_with(&told), "{said}");
    }
    let second = service.connect("b").expect("let in");

    let said = service.reload(&config("[\"b\"]", memory));
    let kept = "accepts 1 key: b (1 connection); 1 connection with a key that is no longer \
        accepted, until their programs end";
    assert_eq!(said, kept);
    assert!(matches!(service.connect("a"), Err(LinkError::Handshake(_))));
    drop((first, second));

    kill_process(Pid::from_child(&service.process), Signal::TERM).expect("sent");
    let output = service.process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(out.matches("\nreloaded: accepts ").count(), 2, "{out}");
    assert_eq!(err.matches("fourstamp: not reloaded, ").count(), 5, "{err}");
    let restart = "fourstamp: clients has changed; restart the server to use it\n";
    assert!(err.starts_with(restart) && err.lines().count() == 6, "{err}");
}

#[test]
fn a_service_goes_on_when_nobody_reads_what_it_says() {
    let config = |keys: &str| {
        format!("memory = \"1M\"\nlisten = \"127.0.0.1:0\"\nannounce = \"at\"\nkey-files = {keys}")
    };
    let mut service = Service::start(&config("[\"a\"]"), "");
    assert!(service.hear().starts_with("READY=1\n"));
    drop((service.process.stdout.take(), service.process.stderr.take()));
    assert!(service.reload(&config("[\"c\"]")).starts_with("not reloaded, "));
    assert_eq!(service.reload(&config("[\"b\"]")), "accepts 1 key: b (0 connections)");
    assert!(service.connect("b").is_ok());
    kill_process(Pid::from_child(&service.process), Signal::TERM).expect("sent");
    assert_eq!(service.process.wait().expect("ended").code(), Some(0));
}

#[test]
fn a_configuration_that_is_wrong_is_said_in_one_line() {
    let folder = folder();
    succeed(folder.path(), "pager key run.key");
    let line = fail(folder.path(), "pager serve --config pager.toml");
    assert!(line.contains("cannot read the configuration pager.toml"), "{line}");
    for (config, said) in [
        ("listen = \"127.0.0.1:0\"", "pager.toml: 'memory' is missing: add memory = \"…\" (Memory"),
        ("memory = \"1X\"", "pager.toml:1: 'memory' cannot be \"1X\": unknown size unit 'X'; "),
        (
            "memory = \"1M\"\nport = 1",
            "pager.toml:2: no option is called 'port'; there are memory, ",
        ),
        ("memory = \"1M\"\npatience = 5", "a time needs its unit, e.g. 5s or 5ms"),
        ("memory = \"1M\"\nconfig = \"b\"", "pager.toml:2: no option is called 'config'; "),
        ("memory = \"1M\"\nkey-files = [\"k\"]", "cannot open the run key k: "),
    ] {
        std::fs::write(folder.path().join("pager.toml"), config).expect("written");
        let line = fail(folder.path(), "pager serve --config pager.toml");
        assert!(line.contains(said) && line.lines().count() == 1, "{config}: {line}");
    }
    let line = fail(folder.path(), "pager serve --listen 127.0.0.1:0");
    assert!(line.contains("--memory <SIZE>"), "{line}");
}

#[test]
fn too_many_keys_are_refused() {
    let folder = folder();
    let mut words = String::from("pager serve --memory 1M --listen 127.0.0.1:0");
    for key in 0..9 {
        succeed(folder.path(), &format!("pager key {key}"));
        words += &format!(" --key-file {key}");
    }
    let line = fail(folder.path(), &words);
    assert!(line.contains("9 run keys are too many; a server accepts at most 8"), "{line}");
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
