//! The same over tokio: three tasks of node 0 send over a connection each; node 1 works on their
//! messages one by one.
//!
//! Tasks share their node's clock and numbering by cloning a [`StampSender`]. The records are
//! written by the one task that owns the [`Stamper`](fourstamp::Stamper), without locks.
//!
//!     cargo run --package fourstamp-examples --example tokio -- runs/tokio
//!     cargo run --release -- report runs/tokio

#![forbid(unsafe_code)]

use fourstamp::{HEADER_BYTES, Header, RunFolder, RunInfo, StampSender, Ticks};
use std::error::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const TASKS: usize = 3;
const MESSAGES: usize = 2_000;
const BODY_BYTES: usize = 256;

#[tokio::main]
async fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "runs/tokio".into());
    let run = RunFolder::create(&path, RunInfo::new("tokio"))?;
    let (sender, mut receiver) = (run.node(0)?, run.node(1)?);

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let (queue, mut messages) = mpsc::channel(1024);
    let mut tasks = JoinSet::new();
    for _ in 0..TASKS {
        let socket = TcpStream::connect(listener.local_addr()?).await?;
        tasks.spawn(send(socket, sender.sender()));
        tasks.spawn(read(listener.accept().await?.0, receiver.sender(), queue.clone()));
    }
    drop(queue); // the queue ends with its last reader

    while let Some((header, arrived)) = messages.recv().await {
        // 4: the program takes it out of the queue
        receiver.taken(&header, arrived, BODY_BYTES as u64);
    }
    while let Some(task) = tasks.join_next().await {
        task??;
    }
    sender.finish()?;
    receiver.finish()?;
    let messages = run.close()?.rows();
    println!("{messages} messages; see them: fourstamp report {path}");
    Ok(())
}

async fn send(mut socket: TcpStream, node: StampSender) -> Result<()> {
    for _ in 0..MESSAGES {
        let ready = node.now(); // 1: it is a message
        socket.writable().await?;
        let header = node.header(1, ready, node.now()); // 2: it goes to the network
        socket.write_all(&[&header.to_bytes()[..], &[0; BODY_BYTES]].concat()).await?;
    }
    Ok(())
}

async fn read(
    socket: TcpStream,
    clock: StampSender,
    queue: mpsc::Sender<(Header, Ticks)>,
) -> Result<()> {
    let mut socket = BufReader::new(socket);
    let mut message = [0; HEADER_BYTES + BODY_BYTES];
    for _ in 0..MESSAGES {
        socket.read_exact(&mut message).await?;
        let arrived = clock.now(); // 3: it is here
        let header = message.first_chunk().expect("a message begins with its header");
        queue.send((Header::from_bytes(header)?, arrived)).await?;
    }
    Ok(())
}
