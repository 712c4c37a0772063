//! The calls of MPI that the transport makes, made safe.
//!
//! Every buffer that MPI may read or write after a call has returned is an allocation of its own
//! ([`Buffer`]), looked at only while no operation is under way, and left to MPI for good where an
//! operation cannot be ended.
//!
//! MPI is started for threads that take turns (`MPI_THREAD_SERIALIZED`): handles may be used on any
//! thread, one call at a time. A process has one transport, and every call is made through an
//! exclusive borrow of it.

use super::library::{Handle, Library};
use super::process::is_over;
use crate::error::FabricError;
use std::ffi::c_int;
use std::time::{Duration, Instant};

mod buffer;
mod request;
mod world;

pub(super) use buffer::Buffer;
pub(super) use request::{Request, Requests};
pub(super) use world::{Refused, World};

/// What is waited for by all ranks takes its time: others may need the core.
const WAIT_NAP: Duration = Duration::from_micros(100);

/// A communicator of our own: nobody else's messages can meet ours.
pub(super) struct Channel {
    library: &'static Library,
    comm: Handle,
}

impl Channel {
    /// Duplicate the world; all ranks must do so before the deadline. MPI must have begun and not
    /// ended.
    pub fn open(library: &'static Library, deadline: Instant) -> Result<Channel, FabricError> {
        let (functions, constants) = (&library.functions, &library.constants);
        let mut request = Request::null(library);
        // The library writes the handle when the operation ends: it must stay where it is.
        let comm = Box::leak(Box::new(constants.comm_null));
        // SAFETY: MPI has begun and not ended, as said, and both places live on.
        let code = unsafe {
            (functions.comm_idup)(constants.world, std::ptr::from_mut(comm), request.place())
        };
        check(library, code, "duplicating the communicator")?;
        wait(request, deadline, "duplicating the communicator")?;
        // SAFETY: the operation has ended, so nobody else uses the box.
        let comm = *unsafe { Box::from_raw(std::ptr::from_mut(comm)) };
        // SAFETY: a communicator just made; errors come back as codes instead of ending the job.
        let code = unsafe { (functions.comm_set_errhandler)(comm, constants.errors_return) };
        check(library, code, "setting how MPI reports errors")?;
        Ok(Channel { library, comm })
    }

    /// One word of every rank.
    pub fn gather(
        &self,
        word: u64,
        ranks: usize,
        deadline: Instant,
    ) -> Result<Vec<u64>, FabricError> {
        let mut ours = Buffer::new(8);
        ours.bytes_mut().copy_from_slice(&word.to_le_bytes());
        let (all, mut request) = (Buffer::new(8 * ranks), Request::null(self.library));
        let byte = self.library.constants.byte;
        // SAFETY: both buffers have the sizes that are named; they are forgotten if the operation
        // does not end.
        let code = unsafe {
            (self.library.functions.iallgather)(
                ours.pointer(),
                8,
                byte,
                all.pointer(),
                8,
                byte,
                self.comm,
                request.place(),
            )
        };
        check(self.library, code, "gathering the ranks' clocks")?;
        if let Err(error) = wait(request, deadline, "gathering the ranks' clocks") {
            std::mem::forget((ours, all));
            return Err(error);
        }
        Ok(all.bytes().as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    #[inline(always)]
    fn send(
        &self,
        buffer: &Buffer,
        len: usize,
        to: c_int,
        tag: c_int,
    ) -> Result<Request, FabricError> {
        debug_assert!(len <= buffer.len());
        let (library, mut request) = (self.library, Request::null(self.library));
        let (start, len, byte) = (buffer.pointer(), len as c_int, library.constants.byte);
        // SAFETY: the buffer has at least `len` bytes and is kept unchanged until the request has
        // ended.
        let code = unsafe {
            (library.functions.isend)(start, len, byte, to, tag, self.comm, request.place())
        };
        check(library, code, "sending")?;
        Ok(request)
    }

    /// Receive `len` bytes. The buffer must be left alone, and forgotten rather than dropped, until
    /// that has ended.
    pub fn receive(
        &self,
        buffer: &Buffer,
        len: usize,
        from: c_int,
        tag: c_int,
    ) -> Result<Request, FabricError> {
        debug_assert!(len <= buffer.len());
        let (library, mut request) = (self.library, Request::null(self.library));
        let (start, len, byte) = (buffer.pointer(), len as c_int, library.constants.byte);
        // SAFETY: the buffer has at least `len` bytes and is left alone until the request has
        // ended.
        let code = unsafe {
            (library.functions.irecv)(start, len, byte, from, tag, self.comm, request.place())
        };
        check(library, code, "posting a receive")?;
        Ok(request)
    }

    /// Give it back. Nothing may be under way on it.
    pub fn free(mut self) {
        if !is_over() {
            // SAFETY: our own communicator, which nobody uses any more.
            unsafe { (self.library.functions.comm_free)(&raw mut self.comm) };
        }
    }
}

/// A receive that is posted again and again.
pub(super) struct Post {
    buffer: Option<Buffer>,
    request: Request,
}

impl Post {
    /// Posted for messages of at most `len` bytes.
    pub fn new(
        channel: &Channel,
        len: usize,
        from: c_int,
        tag: c_int,
    ) -> Result<Post, FabricError> {
        let library = channel.library;
        let (buffer, mut request) = (Buffer::new(len), Request::null(library));
        let (start, len, byte) = (buffer.pointer(), len as c_int, library.constants.byte);
        // SAFETY: the buffer has `len` bytes and lives until the request has been freed or for
        // ever.
        let code = unsafe {
            (library.functions.recv_init)(
                start,
                len,
                byte,
                from,
                tag,
                channel.comm,
                request.place(),
            )
        };
        check(library, code, "preparing a receive")?;
        let mut post = Post { buffer: Some(buffer), request };
        post.again()?;
        Ok(post)
    }

    /// Post it again. Its message has come and is not needed any more.
    #[inline]
    pub fn again(&mut self) -> Result<(), FabricError> {
        self.request.start()
    }

    /// The handle, for [`Requests`].
    #[inline]
    pub fn request(&self) -> Request {
        self.request
    }

    /// Whether its message has come.
    #[inline]
    pub fn has_come(&mut self) -> Result<bool, FabricError> {
        self.request.test()
    }

    /// What has come, followed by older bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], Buffer::bytes)
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        match self.request.cancel() {
            true => self.request.free(),
            false => std::mem::forget(self.buffer.take()),
        }
    }
}

/// A send and the bytes that it reads.
pub(super) struct Transfer {
    buffer: Option<Buffer>,
    request: Request,
    has_ended: bool,
}

impl Transfer {
    /// Send the first `len` bytes of a buffer.
    #[inline(always)]
    pub fn send(
        channel: &Channel,
        buffer: Buffer,
        len: usize,
        to: c_int,
        tag: c_int,
    ) -> Result<Transfer, FabricError> {
        let request = channel.send(&buffer, len, to, tag)?;
        Ok(Transfer { buffer: Some(buffer), request, has_ended: false })
    }

    /// Whether it has ended.
    #[inline]
    pub fn has_ended(&mut self) -> Result<bool, FabricError> {
        self.has_ended = self.has_ended || self.request.test()?;
        Ok(self.has_ended)
    }

    /// Its buffer: it has ended.
    #[inline]
    pub fn into_buffer(mut self) -> Option<Buffer> {
        self.has_ended = true;
        self.buffer.take()
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // A send cannot be called back: MPI keeps the buffer.
        let ended = self.has_ended || (!is_over() && self.request.test().unwrap_or(false));
        if !ended {
            std::mem::forget(self.buffer.take());
        }
    }
}

fn wait(mut request: Request, deadline: Instant, doing: &'static str) -> Result<(), FabricError> {
    while !request.test()? {
        if Instant::now() > deadline {
            let error = std::io::Error::new(
                std::io::ErrorKind::TimedOut,
                "not all ranks arrived in time; do all run the same command line?",
            );
            return Err(FabricError::io(doing)(error));
        }
        std::thread::sleep(WAIT_NAP);
    }
    Ok(())
}

#[inline]
fn check(library: &Library, code: c_int, doing: &'static str) -> Result<(), FabricError> {
    // MPI_SUCCESS is zero in every library.
    if code == 0 { Ok(()) } else { Err(failed(library, code, doing)) }
}

#[cold]
fn failed(library: &Library, code: c_int, doing: &'static str) -> FabricError {
    FabricError::io(doing)(std::io::Error::other(library.error_text(code)))
}
