//! One line on standard error: put together on the stack and written in one call, because it is
//! also said in signal handlers and inside `malloc`.

use std::fmt::{Arguments, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Longest line; a longer one is cut.
const LENGTH: usize = 1024;

struct Line {
    bytes: [u8; LENGTH],
    used: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let taken = text.len().min(LENGTH - 1 - self.used);
        self.bytes[self.used..self.used + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.used += taken;
        Ok(())
    }
}

/// Say it.
pub fn say(what: Arguments<'_>) {
    let mut line = Line { bytes: [0; LENGTH], used: 0 };
    let _ = write!(line, "fourstamp pager: {what}");
    line.bytes[line.used] = b'\n';
    // SAFETY: so many bytes are initialised. The plain system call: the exported `write` is this
    // library's own.
    unsafe { libc::syscall(libc::SYS_write, 2, line.bytes.as_ptr(), line.used + 1) };
}

/// Say it the first time.
pub fn once(said: &AtomicBool, what: Arguments<'_>) {
    if !said.swap(true, Ordering::Relaxed) {
        say(what);
    }
}

/// Say it and end the program with exit code 2, at once: the program's own handlers must not run
/// without the memory that it asked for.
pub fn end(what: Arguments<'_>) -> ! {
    say(what);
    // SAFETY: ends the process.
    unsafe { libc::_exit(2) }
}
