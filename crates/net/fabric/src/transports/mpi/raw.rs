//! The calls of MPI that the transport makes, made safe.
//!
//! Every buffer that MPI may read or write after a call has returned is an allocation of its own
//! ([`Buffer`]), looked at only while no operation is under way, and left to MPI for good where an
//! operation cannot be ended.

use crate::error::FabricError;
use ::mpi::ffi;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

/// What is waited for by all ranks takes its time: others may need the core.
const WAIT_NAP: Duration = Duration::from_micros(100);

/// Bytes allocated on their own, at a fixed place.
pub(super) struct Buffer {
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a buffer owns its bytes like a Box does; the pointer is shared with MPI only.
unsafe impl Send for Buffer {}

impl Buffer {
    pub fn new(len: usize) -> Buffer {
        let start = NonNull::from(Box::leak(vec![0u8; len].into_boxed_slice())).cast();
        Buffer { start, len }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes. No operation may be under way on them.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with this length, initialised, and by contract not being written by
        // MPI.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// The bytes, to be written. No operation may be under way on them.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; the exclusive borrow makes it the only slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    #[inline]
    fn pointer(&self) -> *mut c_void {
        self.start.as_ptr().cast()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let slice = std::ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: made from a Box of just this slice; whoever leaves a buffer to MPI forgets it
        // instead.
        drop(unsafe { Box::from_raw(slice) });
    }
}

/// A handle of an operation. The null handle is an operation that has ended.
#[derive(Clone, Copy)]
pub(super) struct Request(ffi::MPI_Request);

// SAFETY: MPI was started with MPI_THREAD_SERIALIZED: handles may be used on any thread, one call
// at a time. A process has one transport, and every call is made through an exclusive borrow of it.
unsafe impl Send for Request {}

impl Request {
    pub fn null() -> Request {
        // SAFETY: reading a constant of the library.
        Request(unsafe { ffi::RSMPI_REQUEST_NULL })
    }

    #[inline]
    pub fn is_null(&self) -> bool {
        // SAFETY: reading a constant of the library.
        self.0 == unsafe { ffi::RSMPI_REQUEST_NULL }
    }

    /// Whether it has ended; if so a persistent one is inactive now, any other is null. Makes
    /// progress.
    #[inline]
    pub fn test(&mut self) -> Result<bool, FabricError> {
        let mut done: c_int = 0;
        // SAFETY: the handle is valid or null, and the status is not asked for.
        let code =
            unsafe { ffi::MPI_Test(&raw mut self.0, &raw mut done, ffi::RSMPI_STATUS_IGNORE) };
        check(code, "asking MPI for a message")?;
        Ok(done != 0)
    }

    /// Start a persistent operation.
    #[inline]
    fn start(&mut self) -> Result<(), FabricError> {
        // SAFETY: a persistent handle, inactive by the callers' contract.
        check(unsafe { ffi::MPI_Start(&raw mut self.0) }, "posting a receive")
    }

    /// End it without a message. `false`: it could not be ended, its buffer belongs to MPI.
    fn cancel(&mut self) -> bool {
        const LOOKS: u32 = 1000;
        if self.is_null() || super::process::is_over() {
            return self.is_null();
        }
        // One whose message has come is inactive, and must not be cancelled.
        if self.test().unwrap_or(false) {
            return true;
        }
        // SAFETY: a handle that is not null and not freed.
        if unsafe { ffi::MPI_Cancel(&raw mut self.0) } != 0 {
            return false;
        }
        (0..LOOKS).any(|_| self.test().unwrap_or(false))
    }

    fn free(&mut self) {
        if !self.is_null() && !super::process::is_over() {
            // SAFETY: a handle that is not null; an inactive persistent one is freed at once.
            unsafe { ffi::MPI_Request_free(&raw mut self.0) };
        }
    }
}

/// Which of several operations have ended, of those that are neither null nor inactive. Makes
/// progress.
#[inline]
pub(super) fn test_some(
    requests: &mut [Request],
    ended: &mut [c_int],
) -> Result<usize, FabricError> {
    let mut count: c_int = 0;
    // SAFETY: Request is a transparent-size wrapper of the handle (asserted below), `ended` has
    // room for as many indices as there are requests, and statuses are not asked for.
    let code = unsafe {
        assert!(ended.len() >= requests.len());
        ffi::MPI_Testsome(
            requests.len() as c_int,
            requests.as_mut_ptr().cast::<ffi::MPI_Request>(),
            &raw mut count,
            ended.as_mut_ptr(),
            ffi::RSMPI_STATUSES_IGNORE,
        )
    };
    check(code, "asking MPI for messages")?;
    // MPI_UNDEFINED (nothing is active) is negative in every library.
    Ok(usize::try_from(count).unwrap_or(0))
}

const _: () = assert!(size_of::<Request>() == size_of::<ffi::MPI_Request>());

/// A communicator of our own: nobody else's messages can meet ours.
pub(super) struct Channel {
    comm: ffi::MPI_Comm,
}

// SAFETY: as for Request.
unsafe impl Send for Channel {}

impl Channel {
    /// Duplicate the world; all ranks must do so before the deadline.
    pub fn open(deadline: Instant) -> Result<Channel, FabricError> {
        let mut request = Request::null();
        // The library writes the handle when the operation ends: it must stay where it is.
        // SAFETY: reading a constant of the library.
        let comm = Box::leak(Box::new(unsafe { ffi::RSMPI_COMM_NULL }));
        // SAFETY: MPI has begun and not ended (our caller has seen to it), and both places live on.
        let code = unsafe {
            ffi::MPI_Comm_idup(ffi::RSMPI_COMM_WORLD, std::ptr::from_mut(comm), &raw mut request.0)
        };
        check(code, "duplicating the communicator")?;
        wait(request, deadline, "duplicating the communicator")?;
        // SAFETY: the operation has ended, so nobody else uses the box.
        let comm = *unsafe { Box::from_raw(std::ptr::from_mut(comm)) };
        // SAFETY: a communicator just made; errors come back as codes instead of ending the job.
        let code = unsafe { ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN) };
        check(code, "setting how MPI reports errors")?;
        Ok(Channel { comm })
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
        let (all, mut request) = (Buffer::new(8 * ranks), Request::null());
        // SAFETY: both buffers have the sizes that are named; they are forgotten if the operation
        // does not end.
        let code = unsafe {
            ffi::MPI_Iallgather(
                ours.pointer(),
                8,
                ffi::RSMPI_UINT8_T,
                all.pointer(),
                8,
                ffi::RSMPI_UINT8_T,
                self.comm,
                &raw mut request.0,
            )
        };
        check(code, "gathering the ranks' clocks")?;
        if let Err(error) = wait(request, deadline, "gathering the ranks' clocks") {
            std::mem::forget((ours, all));
            return Err(error);
        }
        Ok(all.bytes().as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    fn send(
        &self,
        buffer: &Buffer,
        len: usize,
        to: c_int,
        tag: c_int,
    ) -> Result<Request, FabricError> {
        debug_assert!(len <= buffer.len());
        let mut request = Request::null();
        // SAFETY: the buffer has at least `len` bytes and is kept unchanged until the request has
        // ended.
        let code = unsafe {
            ffi::MPI_Isend(
                buffer.pointer(),
                len as c_int,
                ffi::RSMPI_UINT8_T,
                to,
                tag,
                self.comm,
                &raw mut request.0,
            )
        };
        check(code, "sending")?;
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
        let mut request = Request::null();
        // SAFETY: the buffer has at least `len` bytes and is left alone until the request has
        // ended.
        let code = unsafe {
            ffi::MPI_Irecv(
                buffer.pointer(),
                len as c_int,
                ffi::RSMPI_UINT8_T,
                from,
                tag,
                self.comm,
                &raw mut request.0,
            )
        };
        check(code, "posting a receive")?;
        Ok(request)
    }

    /// Give it back. Nothing may be under way on it.
    pub fn free(mut self) {
        if !super::process::is_over() {
            // SAFETY: our own communicator, which nobody uses any more.
            unsafe { ffi::MPI_Comm_free(&raw mut self.comm) };
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
        let (buffer, mut request) = (Buffer::new(len), Request::null());
        // SAFETY: the buffer has `len` bytes and lives until the request has been freed or for
        // ever.
        let code = unsafe {
            ffi::MPI_Recv_init(
                buffer.pointer(),
                len as c_int,
                ffi::RSMPI_UINT8_T,
                from,
                tag,
                channel.comm,
                &raw mut request.0,
            )
        };
        check(code, "preparing a receive")?;
        let mut post = Post { buffer: Some(buffer), request };
        post.again()?;
        Ok(post)
    }

    /// Post it again. Its message has come and is not needed any more.
    #[inline]
    pub fn again(&mut self) -> Result<(), FabricError> {
        self.request.start()
    }

    /// The handle, for [`test_some`].
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
    #[inline]
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
}

impl Transfer {
    /// Send the first `len` bytes of a buffer.
    #[inline]
    pub fn send(
        channel: &Channel,
        buffer: Buffer,
        len: usize,
        to: c_int,
        tag: c_int,
    ) -> Result<Transfer, FabricError> {
        let request = channel.send(&buffer, len, to, tag)?;
        Ok(Transfer { buffer: Some(buffer), request })
    }

    /// Whether it has ended.
    #[inline]
    pub fn has_ended(&mut self) -> Result<bool, FabricError> {
        self.request.test()
    }

    /// Its buffer: it has ended.
    #[inline]
    pub fn into_buffer(mut self) -> Option<Buffer> {
        self.request = Request::null();
        self.buffer.take()
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        // A send cannot be called back: MPI keeps the buffer.
        let ended = self.request.is_null()
            || (!super::process::is_over() && self.request.test().unwrap_or(false));
        if !ended {
            std::mem::forget(self.buffer.take());
        }
    }
}

/// Whether all ranks of the job come here before the deadline.
pub(super) fn meet(deadline: Instant) -> bool {
    let mut request = Request::null();
    // SAFETY: MPI has begun and not ended: our caller has a process to show for it.
    let code = unsafe { ffi::MPI_Ibarrier(ffi::RSMPI_COMM_WORLD, &raw mut request.0) };
    code == 0 && wait(request, deadline, "waiting for all ranks").is_ok()
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
fn check(code: c_int, doing: &'static str) -> Result<(), FabricError> {
    if code == ffi::MPI_SUCCESS as c_int { Ok(()) } else { Err(failed(code, doing)) }
}

#[cold]
fn failed(code: c_int, doing: &'static str) -> FabricError {
    let (mut text, mut len) = (vec![0u8; ffi::MPI_MAX_ERROR_STRING as usize + 1], 0);
    // SAFETY: the text has the room that the library asks for.
    let told = unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut len) } == 0;
    text.truncate(usize::try_from(len).unwrap_or(0));
    let what = match told {
        true => String::from_utf8_lossy(&text).into_owned(),
        false => format!("MPI error {code}"),
    };
    FabricError::io(doing)(std::io::Error::other(what))
}
