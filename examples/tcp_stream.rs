//! A program with messaging of its own, over a plain `TcpStream`, stamps its messages.
//!
//! Node 0 sends; node 1 has a thread that reads the socket and a thread that works, with a queue
//! between them. The four stamps tell how long a message waited to be sent, travelled, and waited
//! to be worked on.
//!
//!     cargo run --package fourstamp-examples --example tcp_stream -- runs/tcp
//!     cargo run --release -- report runs/tcp

#![forbid(unsafe_code)]

use fourstamp::{HEADER_BYTES, Header, RunFolder, RunInfo, StampSender, Stamper, Ticks};
use std::error::Error;
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const MESSAGES: usize = 10_000;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "runs/tcp".into());
    let run = RunFolder::create(&path, RunInfo::new("tcp-stream"))?;
    let (sender, receiver) = (run.node(0)?, run.node(1)?);

    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::scope(|threads| {
        let receiving = threads.spawn(|| receive(&listener, receiver));
        send(TcpStream::connect(address)?, sender)?;
        receiving.join().expect("the receiver does not panic")
    })?;

    let messages = run.close()?.rows();
    println!("{messages} messages; see them: fourstamp report {path}");
    Ok(())
}

fn send(mut socket: TcpStream, node: Stamper) -> Result<()> {
    for number in 0..MESSAGES {
        let ready = node.now(); // 1: it is a message
        let body = vec![0; 1 << (number % 14)];
        let header = node.header(1, ready, node.now()); // 2: it goes to the network
        let length = (body.len() as u32).to_le_bytes();
        socket.write_all(&[&header.to_bytes()[..], &length, &body].concat())?;
    }
    node.finish()?;
    Ok(())
}

fn receive(listener: &TcpListener, mut node: Stamper) -> Result<()> {
    let (queue, messages) = mpsc::sync_channel(64);
    let (socket, clock) = (listener.accept()?.0, node.sender());
    thread::scope(|threads| {
        let reading = threads.spawn(|| read(socket, clock, queue));
        for (header, arrived, body) in messages {
            // 4: the program takes it out of the queue
            node.taken(&header, arrived, body.len() as u64);
            std::hint::black_box(body.iter().map(|&byte| u64::from(byte)).sum::<u64>());
        }
        reading.join().expect("the reader does not panic")
    })?;
    node.finish()?;
    Ok(())
}

fn read(
    socket: TcpStream,
    clock: StampSender,
    queue: mpsc::SyncSender<(Header, Ticks, Vec<u8>)>,
) -> Result<()> {
    let mut socket = BufReader::new(socket);
    for _ in 0..MESSAGES {
        let (mut header, mut length) = ([0; HEADER_BYTES], [0; 4]);
        socket.read_exact(&mut header)?;
        socket.read_exact(&mut length)?;
        let mut body = vec![0; u32::from_le_bytes(length) as usize];
        socket.read_exact(&mut body)?;
        let arrived = clock.now(); // 3: it is here
        queue.send((Header::from_bytes(&header)?, arrived, body))?;
    }
    Ok(())
}
