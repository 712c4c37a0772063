//! `fourstamp trace` without `--frame`: rules that are guessed from a connection's first byte, said
//! to be so, turned off, and refuted by later bytes.

use record::Run;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use streams::{KEY, SocketsFacts};

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Home {
        Home(tempfile::tempdir().unwrap())
    }

    fn trace(&self, options: &[&str], program: &[&str]) -> (Output, SocketsFacts) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
        command.args(["trace", "--follow", "--out", "run"]).args(options).arg("--").args(program);
        let output = command.current_dir(self.0.path()).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let run = Run::open(self.0.path().join("run")).unwrap();
        let facts = serde_json::from_value(run.info.parameters[KEY].clone()).unwrap();
        (output, facts)
    }

    /// The server and client of HTTP among the programs.
    fn http(&self, port: u16, options: &[&str]) -> (Output, SocketsFacts) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/frames.py");
        let words = ["python3", script.to_str().unwrap(), &port.to_string(), "http"];
        self.trace(options, &words)
    }
}

/// What was said on standard error, in one line.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

#[test]
fn http_is_known_by_its_first_byte_and_said_to_be_a_guess() {
    let port = free_port();
    let (output, facts) = Home::new().http(port, &[]);
    assert_eq!(facts.framing.len(), 1, "{facts:?}");
    let framing = &facts.framing[0];
    assert_eq!((framing.port, framing.rule.as_str(), framing.is_guessed), (port, "http", true));
    assert_eq!((framing.messages, framing.by_call, framing.refuted), (34, 0, 0), "{framing:?}");
    assert_eq!((facts.exchanges, framing.exchanges), (17, 17), "{facts:?}");
    let expected = format!(
        "The rule was guessed from their first bytes; --frame {port}=none makes each call a \
        message again."
    );
    assert!(said(&output).contains(&expected), "{}", said(&output));
}

#[test]
fn nothing_is_guessed_for_a_port_that_has_none() {
    let port = free_port();
    let (output, facts) = Home::new().http(port, &["--frame", &format!("{port}=none")]);
    assert!(facts.framing.is_empty(), "{facts:?}");
    assert!(facts.matched > 34, "heads and bodies are calls of their own: {facts:?}");
    assert!(!said(&output).contains("guessed"), "{}", said(&output));
}

/// Two requests of HTTP with their answers, and then something else.
#[test]
fn a_guess_that_later_bytes_do_not_follow_counts_as_none_for_the_whole_connection() {
    let home = Home::new();
    let script = "import os, socket\n\
        s = socket.create_server(('127.0.0.1', 0)); to = s.getsockname()\n\
        def ask(c, data): c.sendall(data[:5]); c.sendall(data[5:]); return c.recv(1000)\n\
        get = b'GET / HTTP/1.1\\r\\n\\r\\n'\n\
        if os.fork() == 0:\n\
        \x20   with socket.create_connection(to) as c:\n\
        \x20       for data in get, get, b'\\0\\1\\2\\3\\4\\5\\6\\7': ask(c, data)\n\
        \x20   with socket.create_connection(to) as c: c.sendall(b'HELO me\\r\\n'); c.recv(1000)\n\
        \x20   os._exit(0)\n\
        c, _ = s.accept()\n\
        for size in len(get), len(get), 8:\n\
        \x20   got = b''\n\
        \x20   while len(got) < size: got += c.recv(1000)\n\
        \x20   c.sendall(b'HTTP/1.1 204 No Content\\r\\n\\r\\n')\n\
        c, _ = s.accept(); c.recv(1000); c.sendall(b'250 hello\\r\\n')\n\
        os.wait()\n";
    std::fs::write(home.0.path().join("talk.py"), script).unwrap();
    let (output, facts) = home.trace(&[], &["python3", "talk.py"]);
    assert_eq!(facts.whole_connections, 2, "{facts:?}");
    // Of the connection that begins with a line of mail nothing is said.
    assert_eq!(facts.framing.len(), 1, "{facts:?}");
    let framing = &facts.framing[0];
    assert_eq!((framing.refuted, framing.connections, framing.messages), (1, 0, 0), "{framing:?}");
    // Each call is a message, and turns tell what belongs together.
    assert_eq!((facts.matched, facts.exchanges), (6 + 3 + 2, 4), "{facts:?}");
    let said = said(&output);
    assert!(said.contains("in 1 connection the first bytes looked like http"), "{said}");
    assert!(!said.contains("http found"), "{said}");
}
