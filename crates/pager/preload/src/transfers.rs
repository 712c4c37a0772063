//! `read`, `write` and the like: their buffer is held while the kernel fills or reads it.

use crate::hold::{in_pieces, needs};
use crate::next;
use libc::{c_int, c_void, off_t, size_t, sockaddr, socklen_t, ssize_t};

/// Whether reading on after a full piece is what the program would get from one call.
fn is_regular(file: c_int) -> bool {
    let mut facts = std::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: room for the answer, which lies on the stack.
    unsafe {
        libc::fstat(file, facts.as_mut_ptr()) == 0
            && facts.assume_init().st_mode & libc::S_IFMT == libc::S_IFREG
    }
}

macro_rules! transfers {
    ($(
        $name:ident => $next:ident(
            $($before:ident: $kind:ty,)* | $buffer:ident: $pointer:ty, $bytes:ident |
            $(, $after:ident: $after_kind:ty)*
        ) whole $whole:expr, call |$offset:ident| ($($more:expr),*);
    )*) => {
        $(
            /// # Safety
            /// As for the C library's function of this name.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $name(
                $($before: $kind,)* $buffer: $pointer, $bytes: size_t $(, $after: $after_kind)*
            ) -> ssize_t {
                if !needs($buffer as usize, $bytes) {
                    // SAFETY: the caller's own arguments.
                    return unsafe { next::$next($($before,)* $buffer, $bytes $(, $after)*) };
                }
                in_pieces($buffer as usize, $bytes, $whole, |$offset, wanted| {
                    // SAFETY: a piece of the caller's own buffer.
                    unsafe {
                        next::$next($($before,)* $buffer.byte_add($offset), wanted $(, $more)*)
                    }
                })
            }
        )*
    };
}

transfers! {
    read => read(file: c_int, | buffer: *mut c_void, bytes |)
        whole is_regular(file), call |_at| ();
    write => write(file: c_int, | buffer: *const c_void, bytes |)
        whole true, call |_at| ();
    pread => pread(file: c_int, | buffer: *mut c_void, bytes |, offset: off_t)
        whole true, call |at| (offset + at as off_t);
    pread64 => pread(file: c_int, | buffer: *mut c_void, bytes |, offset: off_t)
        whole true, call |at| (offset + at as off_t);
    pwrite => pwrite(file: c_int, | buffer: *const c_void, bytes |, offset: off_t)
        whole true, call |at| (offset + at as off_t);
    pwrite64 => pwrite(file: c_int, | buffer: *const c_void, bytes |, offset: off_t)
        whole true, call |at| (offset + at as off_t);
    recv => recv(socket: c_int, | buffer: *mut c_void, bytes |, flags: c_int)
        whole flags & libc::MSG_WAITALL != 0, call |_at| (flags);
    send => send(socket: c_int, | buffer: *const c_void, bytes |, flags: c_int)
        whole true, call |_at| (flags);
    recvfrom => recvfrom(
        socket: c_int, | buffer: *mut c_void, bytes |,
        flags: c_int, from: *mut sockaddr, length: *mut socklen_t
    ) whole flags & libc::MSG_WAITALL != 0, call |_at| (flags, from, length);
    sendto => sendto(
        socket: c_int, | buffer: *const c_void, bytes |,
        flags: c_int, to: *const sockaddr, length: socklen_t
    ) whole true, call |_at| (flags, to, length);
    getrandom => getrandom(| buffer: *mut c_void, bytes |, flags: u32)
        whole true, call |_at| (flags);
}

macro_rules! checked {
    ($(
        $checked:ident => $name:ident(
            $($argument:ident: $kind:ty),* | $room:ident | $($after:ident: $after_kind:ty),*
        ), $bytes:ident;
    )*) => {
        $(
            /// What a program calls that was compiled with checks of its buffers' sizes.
            ///
            /// # Safety
            /// As for the C library's function of this name.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub unsafe extern "C" fn $checked(
                $($argument: $kind,)* $room: size_t $(, $after: $after_kind)*
            ) -> ssize_t {
                if $bytes > $room {
                    // SAFETY: the caller's own arguments; the C library ends a program whose buffer
                    // is too small.
                    return unsafe { next::$checked($($argument,)* $room $(, $after)*) };
                }
                // SAFETY: the caller's own arguments.
                unsafe { $name($($argument,)* $($after),*) }
            }
        )*
    };
}

checked! {
    __read_chk => read(
        file: c_int, buffer: *mut c_void, bytes: size_t | room |
    ), bytes;
    __pread_chk => pread(
        file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t | room |
    ), bytes;
    __pread64_chk => pread(
        file: c_int, buffer: *mut c_void, bytes: size_t, offset: off_t | room |
    ), bytes;
    __recv_chk => recv(
        socket: c_int, buffer: *mut c_void, bytes: size_t | room | flags: c_int
    ), bytes;
    __recvfrom_chk => recvfrom(
        socket: c_int, buffer: *mut c_void, bytes: size_t | room |
        flags: c_int, from: *mut sockaddr, length: *mut socklen_t
    ), bytes;
}
