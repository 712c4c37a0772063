//! The kernel's own counters, as text in /proc. The files stay open and are read again from their
//! beginning: that is several times as fast as opening them. What is not there, or not as expected,
//! is not counted.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

/// A file of /proc that is read over and over.
pub struct Source {
    file: Option<File>,
    text: Vec<u8>,
}

/// Most that is read of a file: lines of interrupts of a very large machine.
const BYTES_MOST: usize = 1 << 20;

impl Source {
    /// The file at `path`, if it can be read.
    pub fn open(path: impl AsRef<Path>) -> Source {
        Source { file: File::open(path).ok(), text: vec![0; 4096] }
    }

    /// What it says now; empty where it cannot be read.
    pub fn read(&mut self) -> &str {
        let Some(file) = &self.file else { return "" };
        loop {
            let read = file.read_at(&mut self.text, 0).unwrap_or(0);
            if read < self.text.len() || read >= BYTES_MOST {
                return std::str::from_utf8(&self.text[..read]).unwrap_or("");
            }
            self.text.resize(2 * read, 0);
        }
    }
}

/// Time that a core has worked for this thread.
pub fn own_cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// Time that a thread waited for a core, ns: second field of `schedstat`.
pub fn run_queue_ns(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Time that a thread ran, ns: first field of `schedstat`.
pub fn ran_ns(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().next()?.parse().ok()
}

/// A counter of `status`, by name.
pub fn status(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().parse().ok()
}

/// The core that a thread last ran on: the 39th field of its `/proc/PID/task/TID/stat`.
pub fn core(stat: &str) -> Option<u32> {
    field(stat, 39)?.parse().ok()
}

/// Pages that had to be mapped for a thread, without a disk (the 10th field of `stat`) and with one
/// (the 12th).
pub fn faults(stat: &str) -> Option<(u64, u64)> {
    Some((field(stat, 10)?.parse().ok()?, field(stat, 12)?.parse().ok()?))
}

/// A field of `stat`, counted from 1; the second may hold spaces and brackets, and only what is
/// behind it is counted here.
fn field(stat: &str, number: usize) -> Option<&str> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    behind_name.split_ascii_whitespace().nth(number - 3)
}

/// Ticks of the kernel that were stolen from a core: the eighth column of its line of `/proc/stat`.
pub fn steal_ticks(stat: &str, core: u32) -> Option<u64> {
    let name = format!("cpu{core}");
    let mut fields = stat.lines().map(str::split_ascii_whitespace).find_map(|mut fields| {
        let found = fields.next()? == name;
        found.then_some(fields)
    })?;
    fields.nth(7)?.parse().ok()
}

/// Interrupts of a core, without those of its own timer (`LOC`), from `/proc/interrupts`.
pub fn interrupts(text: &str, core: u32) -> Option<u64> {
    let column = column_of(text, core)?;
    let counted = |line: &str| -> Option<u64> {
        let (name, counts) = line.split_once(':')?;
        if name.trim() == "LOC" {
            None
        } else {
            counts.split_ascii_whitespace().nth(column)?.parse().ok()
        }
    };
    Some(text.lines().skip(1).filter_map(counted).sum())
}

/// Soft interrupts of a core for received packets (`NET_RX`), from `/proc/softirqs`.
pub fn soft_net(text: &str, core: u32) -> Option<u64> {
    let column = column_of(text, core)?;
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("NET_RX:"))?;
    line.split_ascii_whitespace().nth(column)?.parse().ok()
}

/// Where a core's counts are: the head names the cores that are there.
fn column_of(text: &str, core: u32) -> Option<usize> {
    let name = format!("CPU{core}");
    text.lines().next()?.split_ascii_whitespace().position(|head| head == name)
}

/// A counter of `/proc/net/snmp` or `/proc/net/netstat`: pairs of lines, names and numbers, after
/// the same word.
pub fn net_counter(text: &str, protocol: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(protocol)?.strip_prefix(": "));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let at = names.split_ascii_whitespace().position(|found| found == name)?;
    numbers.split_ascii_whitespace().nth(at)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_where_the_kernel_puts_them() {
        assert_eq!((ran_ns("123 456 7\n"), run_queue_ns("123 456 7\n")), (Some(123), Some(456)));
        assert_eq!(
            status(
                "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t9\n",
                "nonvoluntary_ctxt_switches"
            ),
            Some(9)
        );
        let fields: Vec<String> = (3..60).map(|field| field.to_string()).collect();
        let stat = format!("12 (a) b (c)) {}", fields.join(" "));
        assert_eq!((core(&stat), faults(&stat)), (Some(39), Some((10, 12))));
        assert_eq!(
            steal_ticks("cpu  9 9 9 9 9 9 9 99 9 9\ncpu1 1 2 3 4 5 6 7 8 9 10\n", 1),
            Some(8)
        );
        let interrupts_text =
            "      CPU0  CPU2\n 8:  1  2  chip  edge  rtc0\nLOC: 100 200 Local timer\nERR: 3\n";
        assert_eq!(interrupts(interrupts_text, 2), Some(2));
        assert_eq!(interrupts(interrupts_text, 1), None, "a core that is not there");
        assert_eq!(soft_net("    CPU0  CPU1\n  NET_TX:  1 2\n  NET_RX:  3 4\n", 1), Some(4));
        let snmp = "Ip: a b\nIp: 1 2\nTcp: RtoMin RetransSegs\nTcp: 200 17\n";
        assert_eq!(net_counter(snmp, "Tcp", "RetransSegs"), Some(17));
        assert_eq!(net_counter(snmp, "Tcp", "Other"), None);
    }

    #[test]
    fn nonsense_is_not_counted() {
        for text in ["", ")", "cpu0", "Tcp: a\n", "   CPU0\n", "x:y"] {
            assert_eq!((run_queue_ns(text), core(text), steal_ticks(text, 0)), (None, None, None));
            assert_eq!((ran_ns(text), faults(text)), (None, None));
            assert_eq!((soft_net(text, 0), net_counter(text, "Tcp", "a")), (None, None));
        }
    }

    #[test]
    fn this_machine_has_them() {
        let thread = rustix::thread::gettid().as_raw_nonzero();
        let mut stat = Source::open(format!("/proc/self/task/{thread}/stat"));
        assert!(core(stat.read()).is_some());
        assert!(
            status(Source::open("/proc/self/status").read(), "nonvoluntary_ctxt_switches")
                .is_some()
        );
        assert_eq!(Source::open("/proc/no-such-file").read(), "");
    }
}
