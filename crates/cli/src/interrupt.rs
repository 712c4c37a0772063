//! Signals that ask this program to end. The first one ends the run cleanly with what there is, the
//! second one at once; either way the exit code is that of a program which the signal has ended:
//! 130 for Ctrl-C, 143 for SIGTERM. A service may take SIGHUP for something else: [`Hangups`].

use launch::Leave;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::{Signals, SignalsInfo};
use signal_hook::low_level::siginfo::Cause;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// How long a node may take to end what it does after a signal; its data are kept in named memory
/// anyway.
const GRACE: Duration = Duration::from_secs(3);

static STOP: AtomicBool = AtomicBool::new(false);
/// The signal that set it; 0: none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether a signal is the usual end of this command.
static USUAL: AtomicBool = AtomicBool::new(false);
/// Whether SIGHUP asks for something else than the end.
static RELOADS: AtomicBool = AtomicBool::new(false);
/// Where this process is a node: who tells its work.
static LEAVE: OnceLock<&'static Leave> = OnceLock::new();

/// The flag that the first signal sets. Asking for it installs the handler; twice is harmless.
pub fn flag() -> &'static AtomicBool {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let asked = [SIGINT, SIGTERM, SIGHUP];
        // Whoever starts us with nohup wants us to outlive the terminal.
        let ends = |signal: i32| signal != SIGHUP || !(reloads() || is_ignored(SIGHUP));
        let heard = asked.iter().filter(|signal| ends(**signal));
        let Ok(signals) = Signals::new(heard) else { return };
        // Without this thread signals would be lost: then they end the program as they always do.
        let handle = signals.handle();
        let watching = std::thread::Builder::new().name("fourstamp-signals".into());
        if watching.spawn(move || watch(signals)).is_err() {
            handle.close();
        }
    });
    &STOP
}

/// The same, for a server: a signal is how it is ended, and that is no failure.
pub fn end_of_service() -> &'static AtomicBool {
    USUAL.store(true, Ordering::Relaxed);
    flag()
}

/// The same, for a node: its work is told through `leave`, and if it has not ended then, the
/// process ends all the same.
pub fn flag_of_node(leave: &'static Leave) -> &'static AtomicBool {
    let _ = LEAVE.set(leave);
    flag()
}

/// The exit code of a program that ended because it was told to.
pub fn exit_code() -> Option<ExitCode> {
    let signal = SIGNAL.load(Ordering::Acquire);
    (signal != 0 && !USUAL.load(Ordering::Relaxed)).then(|| ExitCode::from(code(signal)))
}

/// SIGHUP, where it asks a service to read its files again.
pub struct Hangups {
    signals: SignalsInfo<WithOrigin>,
    outlives_its_terminal: bool,
}

impl Hangups {
    /// From now on. Before [`end_of_service`], which leaves it alone then.
    ///
    /// # Errors
    /// When the system lets nobody watch.
    pub fn watch() -> std::io::Result<Hangups> {
        let outlives_its_terminal = is_ignored(SIGHUP);
        let signals = SignalsInfo::new([SIGHUP])?;
        RELOADS.store(true, Ordering::Relaxed);
        Ok(Hangups { signals, outlives_its_terminal })
    }

    /// Do this on each, in a thread of its own. One that comes from the kernel means that the
    /// terminal is gone: that still ends the service, unless it was started with nohup.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub fn on_each(self, mut reload: impl FnMut() + Send + 'static) -> std::io::Result<()> {
        let Hangups { mut signals, outlives_its_terminal } = self;
        let watch = move || {
            for origin in signals.forever() {
                match origin.cause {
                    Cause::Kernel if outlives_its_terminal => {}
                    Cause::Kernel => drop(stop(SIGHUP)),
                    _ => reload(),
                }
            }
        };
        std::thread::Builder::new().name("fourstamp-reload".into()).spawn(watch).map(drop)
    }
}

fn reloads() -> bool {
    RELOADS.load(Ordering::Relaxed)
}

fn code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(1)
}

fn watch(mut signals: Signals) {
    for signal in signals.forever() {
        let is_first = stop(signal);
        match LEAVE.get() {
            _ if !is_first => std::process::exit(code(signal).into()),
            Some(leave) => end_node(leave, signal),
            None => {}
        }
    }
}

/// Set the flag; whether nothing had set it before.
fn stop(signal: i32) -> bool {
    let is_first = SIGNAL.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire).is_ok();
    STOP.store(true, Ordering::Release);
    is_first
}

/// End a node: at once if it has nothing to lose, else when its work has ended, or its time is
/// over.
fn end_node(leave: &'static Leave, signal: i32) {
    let end = move || {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    };
    let has_work = leave.tell(&format!("it was ended by {}", name(signal)));
    let later = move || {
        std::thread::sleep(GRACE);
        end();
    };
    let waits =
        has_work && std::thread::Builder::new().name("fourstamp-grace".into()).spawn(later).is_ok();
    if !waits {
        end();
    }
}

fn name(signal: i32) -> &'static str {
    signal_hook::low_level::signal_name(signal).unwrap_or("a signal")
}

/// Whether this process was started with the signal ignored; proc(5).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores(&status, signal)
}

fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_ignored_is_read_from_the_mask() {
        let status = "Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n";
        assert!(ignores(status, SIGHUP) && ignores(status, 13));
        assert!(!ignores(status, SIGINT) && !ignores("", SIGHUP));
    }

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        assert_eq!([SIGHUP, SIGINT, SIGTERM].map(code), [129, 130, 143]);
        assert_eq!(name(SIGTERM), "SIGTERM");
    }
}
