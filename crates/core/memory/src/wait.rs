//! Sleeping until a shared word changes, across processes.

use rustix::thread::futex;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Sleep while `word` holds `value`, until somebody calls [`wake_all`] on it or `timeout` has
/// passed. May return early; the caller looks again.
pub fn wait_while(word: &AtomicU32, value: u32, timeout: Duration) {
    let timeout = futex::Timespec {
        tv_sec: timeout.as_secs() as i64,
        tv_nsec: i64::from(timeout.subsec_nanos()),
    };
    // Every way of returning (woken, value changed, timed out, interrupted) means the same: look
    // again.
    let _ = futex::wait(word, futex::Flags::empty(), value, Some(&timeout));
}

/// Wake everybody who sleeps on `word`, in this process or another.
pub fn wake_all(word: &AtomicU32) {
    // It fails only for an unmapped word, which a reference is not.
    let _ = futex::wake(word, futex::Flags::empty(), i32::MAX as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;
    use std::time::Instant;

    #[test]
    fn a_sleeper_is_woken() {
        let word = AtomicU32::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                word.store(1, Ordering::Release);
                wake_all(&word);
            });
            while word.load(Ordering::Acquire) == 0 {
                wait_while(&word, 0, Duration::from_secs(10));
            }
        });
    }

    #[test]
    fn a_sleeper_nobody_wakes_returns_at_its_timeout() {
        let word = AtomicU32::new(0);
        let begun = Instant::now();
        wait_while(&word, 0, Duration::from_millis(20));
        assert!(begun.elapsed() >= Duration::from_millis(15));
    }
}
