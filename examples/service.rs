//! A service that is slow now and then, for docs/FIRST_HOUR.md: where do its requests wait?
//!
//! A client sends 5,000 requests a second over TCP for three seconds. The server reads them into a
//! queue, and a worker answers them in a few microseconds; but every thousandth time it tidies its
//! table first, which takes 8 ms. `--fixed` leaves that to a thread of its own.
//!
//!     cargo run --release --package fourstamp-examples --example service -- runs/slow
//!     cargo run --release --package fourstamp-examples --example service -- runs/fixed --fixed

#![forbid(unsafe_code)]

use fourstamp::{HEADER_BYTES, Header, RunFolder, RunInfo, StampSender, Stamper, Ticks};
use std::error::Error;
use std::hint::black_box;
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const REQUESTS: u32 = 15_000;
const BETWEEN: Duration = Duration::from_micros(200);
/// Requests from one tidying to the next, and how long it takes.
const TIDY_EVERY: u32 = 1_000;
const TIDYING: Duration = Duration::from_millis(8);

/// A request in the server's queue.
type Queued = (Header, Ticks);

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "runs/slow".into());
    let fixed = arguments.next().is_some_and(|word| word == "--fixed");
    let mut info = RunInfo::new("service");
    info.transport = "tcp".into();
    info.parameters.insert("tidies".into(), if fixed { "apart" } else { "in the worker" }.into());
    let run = RunFolder::create(&path, info)?;
    let (client, server) = (run.node(0)?, run.node(1)?);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::scope(|threads| {
        let serving = threads.spawn(|| serve(&listener, server, fixed));
        ask(TcpStream::connect(address)?, client)?;
        serving.join().expect("the server does not panic")
    })?;
    let requests = run.close()?.rows();
    println!("{requests} requests; see them: fourstamp report {path}");
    Ok(())
}

/// The client: a request each 200 µs, whatever became of those before.
fn ask(mut socket: TcpStream, node: Stamper) -> Result<()> {
    socket.set_nodelay(true)?;
    let begin = Instant::now();
    for number in 0..REQUESTS {
        let due = begin + BETWEEN * number;
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let ready = node.now();
        socket.write_all(&node.header(1, ready, node.now()).to_bytes())?;
    }
    node.finish()?;
    Ok(())
}

/// The server: one thread reads, one works.
fn serve(listener: &TcpListener, mut node: Stamper, fixed: bool) -> Result<()> {
    let (queue, requests) = mpsc::channel();
    let (socket, clock) = (listener.accept()?.0, node.sender());
    thread::scope(|threads| {
        let reading = threads.spawn(|| read(socket, clock, queue));
        for (number, (header, arrived)) in (1..).zip(requests) {
            node.taken(&header, arrived, 0);
            if number % TIDY_EVERY == 0 {
                match fixed {
                    true => drop(threads.spawn(|| thread::sleep(TIDYING))),
                    false => thread::sleep(TIDYING),
                }
            }
            black_box((0..black_box(2_000_u64)).sum::<u64>());
        }
        reading.join().expect("the reader does not panic")
    })?;
    node.finish()?;
    Ok(())
}

fn read(socket: TcpStream, clock: StampSender, queue: Sender<Queued>) -> Result<()> {
    let mut socket = BufReader::new(socket);
    for _ in 0..REQUESTS {
        let mut header = [0; HEADER_BYTES];
        socket.read_exact(&mut header)?;
        queue.send((Header::from_bytes(&header)?, clock.now()))?;
    }
    Ok(())
}
