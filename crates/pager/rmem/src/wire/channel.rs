//! A connected socket, in the clear or encrypted.

use super::WireError;
use super::inbox::Inbox;
use crate::secure::Secure;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendAncillaryBuffer, SendFlags, recv, send, sendmsg};
use std::io::{self, ErrorKind, IoSlice};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

/// A connection that is read into an [`Inbox`].
pub(crate) struct Channel {
    stream: TcpStream,
    secure: Option<Secure>,
}

/// Why a connection is over.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The other end closed it.
    End,
    Io(io::Error),
    Wire(WireError),
}

impl Channel {
    pub fn new(stream: TcpStream) -> Channel {
        Channel { stream, secure: None }
    }

    /// Encrypt from now on.
    pub fn secure(&mut self, secure: Secure) {
        self.secure = Some(secure);
    }

    /// Read once. False: nothing was there.
    #[inline]
    pub fn receive(&mut self, inbox: &mut Inbox) -> Result<bool, Broken> {
        self.read(inbox, RecvFlags::DONTWAIT)
    }

    /// Wait for bytes and read once.
    pub fn receive_waiting(&mut self, inbox: &mut Inbox) -> Result<bool, Broken> {
        self.read(inbox, RecvFlags::empty())
    }

    /// Hand the beginning of `bytes` to the socket and say how much of it; 0 when it takes nothing
    /// now.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
        if self.secure.is_none() {
            return taken(send(&self.stream, bytes, FLAGS));
        }
        if !self.drained()? {
            return Ok(0);
        }
        let sealed = self
            .secure
            .as_mut()
            .map_or(Ok(0), |secure| secure.seal(bytes))
            .map_err(Broken::Wire)?;
        self.drained()?;
        Ok(sealed)
    }

    /// Whether the socket has taken all that was pushed; sends what it takes.
    #[inline]
    pub fn drained(&mut self) -> Result<bool, Broken> {
        let Some(secure) = &mut self.secure else { return Ok(true) };
        while !secure.unsent().is_empty() {
            match taken(send(&self.stream, secure.unsent(), FLAGS))? {
                0 => return Ok(false),
                bytes => secure.sent(bytes),
            }
        }
        Ok(true)
    }

    /// Send all of the parts, waiting for the peer to take them until `patience` is over.
    pub fn send_parts(
        &mut self,
        mut parts: &mut [IoSlice<'_>],
        patience: Duration,
    ) -> Result<(), Broken> {
        if self.secure.is_some() {
            return self.send_whole(&joined(parts), patience);
        }
        let begun = Instant::now();
        while !parts.is_empty() {
            let sent = sendmsg(&self.stream, parts, &mut SendAncillaryBuffer::default(), FLAGS);
            match taken(sent)? {
                0 => self.wait_writable(patience.saturating_sub(begun.elapsed()))?,
                bytes => IoSlice::advance_slices(&mut parts, bytes),
            }
        }
        Ok(())
    }

    /// Send all of the bytes, waiting for the peer to take them until `patience` is over.
    pub fn send_whole(&mut self, mut bytes: &[u8], patience: Duration) -> Result<(), Broken> {
        let begun = Instant::now();
        while !bytes.is_empty() || !self.drained()? {
            let sent = self.push(bytes)?;
            bytes = &bytes[sent..];
            if sent == 0 {
                self.wait_writable(patience.saturating_sub(begun.elapsed()))?;
            }
        }
        Ok(())
    }

    /// Wait until something can be read; an error when `patience` is over.
    pub fn wait_readable(&self, patience: Duration) -> Result<(), Broken> {
        self.wait(PollFlags::IN, patience)
    }

    fn wait_writable(&self, patience: Duration) -> Result<(), Broken> {
        self.wait(PollFlags::OUT, patience)
    }

    fn wait(&self, event: PollFlags, patience: Duration) -> Result<(), Broken> {
        let timeout = Timespec::try_from(patience).ok();
        match poll(&mut [PollFd::new(&self.stream, event)], timeout.as_ref()) {
            Ok(0) => Err(Broken::Io(ErrorKind::TimedOut.into())),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(Broken::Io(error.into())),
        }
    }

    #[inline]
    fn read(&mut self, inbox: &mut Inbox, flags: RecvFlags) -> Result<bool, Broken> {
        let room = match &mut self.secure {
            Some(secure) => secure.room(),
            None => inbox.room(),
        };
        let bytes = match recv(&self.stream, room, flags) {
            Ok((_, 0)) => return Err(Broken::End),
            Ok((_, bytes)) => bytes,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
            Err(error) => return Err(broken(error)),
        };
        let bytes = match &mut self.secure {
            Some(secure) => secure.open(bytes, inbox.room()).map_err(Broken::Wire)?,
            None => bytes,
        };
        inbox.filled(bytes);
        Ok(true)
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

const FLAGS: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);

/// One buffer of all the parts.
pub(crate) fn joined(parts: &[IoSlice<'_>]) -> Vec<u8> {
    let mut whole = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| whole.extend_from_slice(part));
    whole
}

#[inline]
fn taken(sent: rustix::io::Result<usize>) -> Result<usize, Broken> {
    match sent {
        Err(Errno::AGAIN | Errno::INTR) => Ok(0),
        sent => sent.map_err(broken),
    }
}

fn broken(error: Errno) -> Broken {
    match error {
        Errno::CONNRESET | Errno::PIPE => Broken::End,
        error => Broken::Io(error.into()),
    }
}
