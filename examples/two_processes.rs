//! Two processes that stamp their messages into one run: who makes its folder, who joins it, and
//! who closes it.
//!
//! The first process makes the folder and sends; the second, which it starts, joins the folder and
//! receives. Each finishes its own node. The process that made the folder closes the run, once the
//! other has ended; `close` would wait some seconds for it. A run that nobody closes is not lost:
//! its first reader closes it.
//!
//!     cargo run --package fourstamp-examples --example two_processes -- runs/two
//!     cargo run --release -- report runs/two

#![forbid(unsafe_code)]

use fourstamp::{HEADER_BYTES, Header, RunFolder, RunInfo};
use std::error::Error;
use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const MESSAGES: usize = 10_000;
const BODY_BYTES: usize = 64;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "runs/two".into());
    match arguments.next().as_deref() {
        Some("receive") => receive(&path),
        _ => send(&path),
    }
}

/// The first process: makes the folder, is node 0, closes the run.
fn send(path: &str) -> Result<()> {
    let run = RunFolder::create(path, RunInfo::new("two-processes"))?;
    let node = run.node(0)?;
    let mut other = Command::new(std::env::current_exe()?)
        .args([path, "receive"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut pipe = other.stdin.take().ok_or("the other process has no input")?;
    for _ in 0..MESSAGES {
        let ready = node.now(); // 1: it is a message
        let header = node.header(1, ready, node.now()); // 2: it goes to the network
        pipe.write_all(&[&header.to_bytes()[..], &[0; BODY_BYTES]].concat())?;
    }
    drop(pipe); // the end of the messages
    node.finish()?;
    if !other.wait()?.success() {
        return Err("the other process failed; what both have recorded is in the run".into());
    }
    let messages = run.close()?.rows();
    println!("{messages} messages; see them: fourstamp report {path}");
    Ok(())
}

/// The second process: joins the folder, is node 1, and leaves the run open.
fn receive(path: &str) -> Result<()> {
    let mut node = RunFolder::join(path)?.node(1)?;
    let mut input = std::io::stdin().lock();
    let mut message = [0; HEADER_BYTES + BODY_BYTES];
    loop {
        match input.read_exact(&mut message) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
            read => read?,
        }
        let arrived = node.now(); // 3: it is here
        let header = message.first_chunk().ok_or("a message begins with its header")?;
        // 4: this program has no queue, so the message is taken as soon as it is here
        node.taken(&Header::from_bytes(header)?, arrived, BODY_BYTES as u64);
    }
    node.finish()?;
    Ok(())
}
