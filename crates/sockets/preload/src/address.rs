//! The addresses of a socket and its peer, as the kernel or the program has them.

use libc::{c_int, sockaddr_storage, socklen_t};
use streams::entry::Address;

/// Where a socket's end is.
#[derive(Clone, Copy)]
pub struct Peer {
    /// Zeros for a Unix-domain socket.
    pub address: Address,
    pub is_unix: bool,
    pub is_internet: bool,
}

/// The end that `ask` (`getsockname`, `getpeername`) names.
pub fn of(socket: c_int, ask: Ask) -> Option<Peer> {
    let (storage, length) = whole(socket, ask)?;
    // SAFETY: what the kernel has written, or zeros.
    Some(unsafe { peer_of((&raw const storage).cast(), length) })
}

/// `getsockname` or `getpeername`.
pub type Ask = unsafe extern "C" fn(c_int, *mut libc::sockaddr, *mut socklen_t) -> c_int;

/// What the kernel writes of the end that `ask` names, and how many bytes of it mean something.
pub fn whole(socket: c_int, ask: Ask) -> Option<(sockaddr_storage, socklen_t)> {
    // SAFETY: all zeros is an address of no family.
    let mut storage: sockaddr_storage = unsafe { std::mem::zeroed() };
    let mut length = size_of::<sockaddr_storage>() as socklen_t;
    // SAFETY: room for any address, and its length.
    let answer = unsafe { ask(socket, (&raw mut storage).cast(), &raw mut length) };
    (answer == 0).then_some((storage, length))
}

/// An address as the program, or the kernel, has it.
///
/// # Safety
/// `length` bytes can be read there.
pub unsafe fn peer_of(from: *const libc::sockaddr, length: socklen_t) -> Peer {
    let none = Address { host: 0, port: 0 };
    let is = |bytes: usize| length as usize >= bytes && !from.is_null();
    // SAFETY: the caller's; each read is within the length.
    unsafe {
        let family = if is(2) { i32::from(from.cast::<u16>().read_unaligned()) } else { 0 };
        let address = match family {
            libc::AF_INET if is(size_of::<libc::sockaddr_in>()) => {
                let v4 = from.cast::<libc::sockaddr_in>().read_unaligned();
                let host = u32::from_be(v4.sin_addr.s_addr);
                // To whom "any" is said, the kernel takes it for the machine itself.
                let host = if host == 0 { 0x7f00_0001 } else { host };
                Address {
                    host: 0xffff_0000_0000 | u128::from(host),
                    port: u16::from_be(v4.sin_port),
                }
            }
            libc::AF_INET6 if is(size_of::<libc::sockaddr_in6>()) => {
                let v6 = from.cast::<libc::sockaddr_in6>().read_unaligned();
                let host = u128::from_be_bytes(v6.sin6_addr.s6_addr);
                let host = if host == 0 { 1 } else { host };
                Address { host, port: u16::from_be(v6.sin6_port) }
            }
            _ => none,
        };
        let is_internet = matches!(family, libc::AF_INET | libc::AF_INET6);
        Peer { address, is_unix: family == libc::AF_UNIX, is_internet }
    }
}
