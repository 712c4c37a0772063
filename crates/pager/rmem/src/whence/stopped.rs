//! Where a thread of this process stands that the kernel has stopped: `/proc/PID/task/TID/syscall`
//! of proc(5), which tells it without stopping or tracing anybody.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Threads whose file stays open.
const OPEN_MAX: usize = 64;

/// Those that were looked at.
#[derive(Default)]
pub struct Stopped {
    files: HashMap<u32, File>,
}

impl Stopped {
    /// The address of the instruction, and where the stack ends; `None` for a thread that runs or
    /// has ended, and where the kernel does not tell.
    pub fn registers(&mut self, thread: u32) -> Option<(usize, usize)> {
        let mut text = [0; 256];
        let read = match self.files.get(&thread).map(|file| file.read_at(&mut text, 0)) {
            Some(Ok(read)) => read,
            // The number has gone to a new thread, or is new.
            _ => self.open(thread)?.read_at(&mut text, 0).ok()?,
        };
        parse(std::str::from_utf8(&text[..read]).ok()?)
    }

    fn open(&mut self, thread: u32) -> Option<&File> {
        self.files.remove(&thread);
        if self.files.len() >= OPEN_MAX {
            self.files.clear();
        }
        let file = File::open(format!("/proc/self/task/{thread}/syscall")).ok()?;
        Some(self.files.entry(thread).or_insert(file))
    }
}

/// The last two numbers are the stack pointer and the program counter, within a system call and
/// outside.
fn parse(text: &str) -> Option<(usize, usize)> {
    let number = |text: &str| usize::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    let mut from_the_end = text.split_ascii_whitespace().rev();
    let instruction = number(from_the_end.next()?)?;
    Some((instruction, number(from_the_end.next()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_lines_are_read() {
        assert_eq!(parse("-1 0x7f00 0x55db\n"), Some((0x55db, 0x7f00)));
        let call = "0 0x3 0x7f45 0x20000 0x7f46 0xff 0x0 0x7ffc48 0x7f45ad\n";
        assert_eq!(parse(call), Some((0x7f_45ad, 0x7f_fc48)));
        assert_eq!((parse("running\n"), parse("")), (None, None));
    }
}
