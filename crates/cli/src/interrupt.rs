//! Ctrl-C: the first one ends the run cleanly with what there is, the second one at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag that the first Ctrl-C (or SIGTERM) sets. Installing the handler twice is harmless.
pub fn flag() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        let on_signal = || {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        };
        ctrlc::set_handler(on_signal).is_ok()
    });
    &STOP
}
