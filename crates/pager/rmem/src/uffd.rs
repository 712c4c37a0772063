//! userfaultfd: the kernel stops a thread that touches a page which is not there, tells us, and
//! lets us put the page there.
//!
//! Own bindings of the few calls that paging needs (linux/userfaultfd.h); the crates that wrap it
//! lack moving pages.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

const API: u64 = 0xaa;
const FEATURE_THREAD_ID: u64 = 1 << 8;
const FEATURE_POISON: u64 = 1 << 14;
const FEATURE_MOVE: u64 = 1 << 16;
const FEATURE_PAGEFAULT_FLAG_WP: u64 = 1;

/// Of `userfaultfd(2)`: only faults of user mode are served, which an ordinary user may ask for.
const USER_MODE_ONLY: libc::c_int = 1;

const REGISTER_MODE_MISSING: u64 = 1;
const REGISTER_MODE_WP: u64 = 2;
const MOVE_MODE_ALLOW_SRC_HOLES: u64 = 2;
const WRITE_PROTECT_MODE_WP: u64 = 1;
const COPY_MODE_WP: u64 = 2;

const EVENT_PAGEFAULT: u8 = 0x12;
const PAGEFAULT_FLAG_WRITE: u64 = 1;
const PAGEFAULT_FLAG_WP: u64 = 2;

#[repr(C)]
struct Api {
    api: u64,
    features: u64,
    ioctls: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    len: u64,
}

#[repr(C)]
struct Register {
    range: Range,
    mode: u64,
    ioctls: u64,
}

/// Of `UFFDIO_COPY` and `UFFDIO_MOVE`, which are laid out alike.
#[repr(C)]
struct Transfer {
    destination: u64,
    source: u64,
    len: u64,
    mode: u64,
    done: i64,
}

#[repr(C)]
struct WriteProtect {
    range: Range,
    mode: u64,
}

#[repr(C)]
struct Poison {
    range: Range,
    mode: u64,
    done: i64,
}

/// `struct uffd_msg`, of which only page faults are asked for.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    event: u8,
    reserved: [u8; 7],
    flags: u64,
    address: u64,
    rest: u64,
}

const fn ioctl_number(number: u64, size: usize) -> u64 {
    const READ_WRITE: u64 = 3;
    READ_WRITE << 30 | (size as u64) << 16 | API << 8 | number
}

const fn ioctl_read(number: u64, size: usize) -> u64 {
    const READ: u64 = 2;
    READ << 30 | (size as u64) << 16 | API << 8 | number
}

const IOCTL_API: u64 = ioctl_number(0x3f, size_of::<Api>());
const IOCTL_REGISTER: u64 = ioctl_number(0x00, size_of::<Register>());
const IOCTL_WAKE: u64 = ioctl_read(0x02, size_of::<Range>());
const IOCTL_COPY: u64 = ioctl_number(0x03, size_of::<Transfer>());
const IOCTL_MOVE: u64 = ioctl_number(0x05, size_of::<Transfer>());
const IOCTL_WRITE_PROTECT: u64 = ioctl_number(0x06, size_of::<WriteProtect>());
const IOCTL_POISON: u64 = ioctl_number(0x08, size_of::<Poison>());
/// Of `/dev/userfaultfd`.
const IOCTL_NEW: u64 = API << 8;

/// A page that a thread of the program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Address, as the kernel gives it: of the page or within it.
    pub address: usize,
    /// Which thread; 0 where the kernel does not say.
    pub thread: u32,
    /// Whether it was a store.
    pub write: bool,
    /// Whether the page is there and only protected from writing.
    pub protected: bool,
}

/// What the kernel can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Faults within system calls are served too.
    pub kernel_faults: bool,
    /// Pages can be moved (Linux 6.8).
    pub moves: bool,
    /// A range can be made to fail for ever (Linux 6.6).
    pub poisons: bool,
    /// Writing can be forbidden (Linux 5.7).
    pub protects: bool,
}

/// A userfaultfd of this process.
pub struct Uffd {
    file: OwnedFd,
    abilities: Abilities,
}

impl fmt::Debug for Uffd {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Uffd({:?})", self.abilities)
    }
}

impl Uffd {
    /// Open one: for all faults where this user may, otherwise (or if `user_mode_only`) for those
    /// of user mode.
    ///
    /// # Errors
    /// When the kernel has none (before Linux 5.11 for an ordinary user), or forbids it.
    pub fn open(user_mode_only: bool) -> io::Result<Uffd> {
        let all = if user_mode_only {
            Err(io::ErrorKind::PermissionDenied.into())
        } else {
            open_for_all_faults()
        };
        let kernel_faults = all.is_ok();
        let file = match all {
            Ok(file) => file,
            Err(_) => by_system_call(USER_MODE_ONLY)?,
        };
        let features = features_of(kernel_faults)?;
        let wanted = features
            & (FEATURE_MOVE | FEATURE_POISON | FEATURE_PAGEFAULT_FLAG_WP | FEATURE_THREAD_ID);
        agree(&file, wanted)?;
        let abilities = Abilities {
            kernel_faults,
            moves: wanted & FEATURE_MOVE != 0,
            poisons: wanted & FEATURE_POISON != 0,
            protects: wanted & FEATURE_PAGEFAULT_FLAG_WP != 0,
        };
        Ok(Uffd { file, abilities })
    }

    /// What it can do.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Pretend that the kernel is older: for tests of the ways around.
    pub fn without_moves(mut self) -> Uffd {
        self.abilities.moves = false;
        self
    }

    /// Serve the faults of a range of anonymous memory.
    pub fn register(&self, address: usize, bytes: usize) -> io::Result<()> {
        let protect = if self.abilities.protects { REGISTER_MODE_WP } else { 0 };
        let mut register = Register {
            range: range(address, bytes),
            mode: REGISTER_MODE_MISSING | protect,
            ioctls: 0,
        };
        self.call(IOCTL_REGISTER, &mut register)
    }

    /// Faults that threads wait in, without waiting for any. Clears `into` first.
    pub fn faults(&self, into: &mut Vec<Fault>) -> io::Result<()> {
        const MANY: usize = 32;
        into.clear();
        let mut events = [Event::default(); MANY];
        // SAFETY: the buffer has room for so many bytes, and any bytes are a valid Event.
        let read = unsafe {
            libc::read(self.file.as_raw_fd(), events.as_mut_ptr().cast(), MANY * size_of::<Event>())
        };
        if read < 0 {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::WouldBlock { Ok(()) } else { Err(error) };
        }
        let events = &events[..read as usize / size_of::<Event>()];
        into.extend(events.iter().filter(|event| event.event == EVENT_PAGEFAULT).map(|event| {
            Fault {
                address: event.address as usize,
                thread: event.rest as u32,
                write: event.flags & PAGEFAULT_FLAG_WRITE != 0,
                protected: event.flags & PAGEFAULT_FLAG_WP != 0,
            }
        }));
        Ok(())
    }

    /// Put copies of `bytes` into pages that are not there, and let who waits for them go on. Says
    /// how many bytes are there before it met an obstacle, and which.
    pub fn copy(&self, destination: usize, bytes: &[u8]) -> (usize, io::Result<()>) {
        self.transfer(IOCTL_COPY, destination, bytes.as_ptr() as usize, bytes.len())
    }

    /// The same, and threads that write to them wait. Needs [`Abilities::protects`].
    pub fn copy_protected(&self, destination: usize, bytes: &[u8]) -> (usize, io::Result<()>) {
        self.transfer_with(
            IOCTL_COPY,
            destination,
            bytes.as_ptr() as usize,
            bytes.len(),
            COPY_MODE_WP,
        )
    }

    /// Move pages from one registered range to another, where nothing may be. The same.
    pub fn move_pages(
        &self,
        destination: usize,
        source: usize,
        bytes: usize,
    ) -> (usize, io::Result<()>) {
        self.transfer(IOCTL_MOVE, destination, source, bytes)
    }

    /// The same where some pages of the source may be missing: they are skipped.
    pub fn move_some(
        &self,
        destination: usize,
        source: usize,
        bytes: usize,
    ) -> (usize, io::Result<()>) {
        self.transfer_with(IOCTL_MOVE, destination, source, bytes, MOVE_MODE_ALLOW_SRC_HOLES)
    }

    /// Let threads that wait for a page of the range look again.
    pub fn wake(&self, address: usize, bytes: usize) -> io::Result<()> {
        self.call(IOCTL_WAKE, &mut range(address, bytes))
    }

    /// Let threads that write to the range wait; or no longer.
    pub fn protect(&self, address: usize, bytes: usize, protect: bool) -> io::Result<()> {
        let mode = if protect { WRITE_PROTECT_MODE_WP } else { 0 };
        self.call(IOCTL_WRITE_PROTECT, &mut WriteProtect { range: range(address, bytes), mode })
    }

    /// Whoever touches this range gets SIGBUS.
    pub fn poison(&self, address: usize, bytes: usize) -> io::Result<()> {
        self.call(IOCTL_POISON, &mut Poison { range: range(address, bytes), mode: 0, done: 0 })
    }

    fn transfer(
        &self,
        number: u64,
        destination: usize,
        source: usize,
        bytes: usize,
    ) -> (usize, io::Result<()>) {
        self.transfer_with(number, destination, source, bytes, 0)
    }

    fn transfer_with(
        &self,
        number: u64,
        destination: usize,
        source: usize,
        bytes: usize,
        mode: u64,
    ) -> (usize, io::Result<()>) {
        let mut transfer = Transfer {
            destination: destination as u64,
            source: source as u64,
            len: bytes as u64,
            mode,
            done: 0,
        };
        let result = self.call(number, &mut transfer);
        (usize::try_from(transfer.done).unwrap_or(0), result)
    }

    fn call<T>(&self, number: u64, argument: &mut T) -> io::Result<()> {
        // SAFETY: `number` says how large its argument is, by which it was made from T. What the
        // call does to the memory that the argument names is up to the caller of this module: it
        // manages those ranges.
        let result = unsafe {
            libc::ioctl(self.file.as_raw_fd(), number as _, std::ptr::from_mut(argument))
        };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl AsFd for Uffd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// What this kernel lets this user do.
///
/// # Errors
/// When it gives no userfaultfd.
pub fn kernel_abilities() -> io::Result<Abilities> {
    Uffd::open(false).map(|uffd| uffd.abilities)
}

fn range(address: usize, bytes: usize) -> Range {
    Range { start: address as u64, len: bytes as u64 }
}

/// By the device if its permissions allow it, otherwise by the system call, which wants
/// CAP_SYS_PTRACE.
fn open_for_all_faults() -> io::Result<OwnedFd> {
    match std::fs::File::options().read(true).write(true).open("/dev/userfaultfd") {
        Ok(device) => by_device(&device),
        Err(_) => by_system_call(0),
    }
}

fn by_device(device: &std::fs::File) -> io::Result<OwnedFd> {
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK;
    // SAFETY: the call takes flags by value and returns a new descriptor.
    let file = unsafe { libc::ioctl(device.as_raw_fd(), IOCTL_NEW as _, flags) };
    owned(file.into())
}

fn by_system_call(flags: libc::c_int) -> io::Result<OwnedFd> {
    let flags = flags | libc::O_CLOEXEC | libc::O_NONBLOCK;
    // SAFETY: the call takes flags by value and returns a new descriptor.
    owned(unsafe { libc::syscall(libc::SYS_userfaultfd, flags) })
}

fn owned(file: libc::c_long) -> io::Result<OwnedFd> {
    if file < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has just given us this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(file as i32) })
}

/// What this kernel offers. A descriptor can be asked once, and agrees then: so another one is
/// asked.
fn features_of(kernel_faults: bool) -> io::Result<u64> {
    let file = if kernel_faults { open_for_all_faults() } else { by_system_call(USER_MODE_ONLY) }?;
    agree(&file, 0)
}

fn agree(file: &OwnedFd, features: u64) -> io::Result<u64> {
    let mut api = Api { api: API, features, ioctls: 0 };
    // SAFETY: the argument is what this call takes.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), IOCTL_API as _, &raw mut api) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(api.features) }
}

const _: () = assert!(size_of::<Event>() == 32);
