//! Progress bars, on standard error and only where somebody looks.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar for work of a known or unknown amount. Not drawn when standard error is no terminal.
pub struct Bar {
    bar: ProgressBar,
    begun: Instant,
    /// A run by duration: the bar follows the time.
    duration: Option<Duration>,
}

impl Bar {
    /// A bar for `what`. With a duration it follows the time, else whatever [`Bar::at`] tells.
    pub fn new(what: String, duration: Option<Duration>) -> Bar {
        let bar = ProgressBar::new(0);
        let known = "{prefix} {bar:28.cyan/dim} {percent:>3} % {msg}  {eta} left";
        bar.set_style(style(known));
        bar.set_prefix(what);
        bar.enable_steady_tick(Duration::from_millis(250));
        Bar { bar, begun: Instant::now(), duration }
    }

    /// The work begins now: what came before was preparation.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
        self.bar.reset_eta();
    }

    /// So much is done, of so much.
    pub fn at(&mut self, done: u64, goal: u64) {
        let elapsed = self.begun.elapsed();
        let (position, length) = match self.duration {
            Some(duration) => (elapsed.as_millis() as u64, duration.as_millis() as u64),
            None => (done, goal),
        };
        self.bar.set_length(length.max(1));
        self.bar.set_position(position.min(length.max(1)));
        let rate = done as f64 / elapsed.as_secs_f64().max(1e-3);
        self.bar.set_message(format!("{}/s", short(rate)));
    }

    /// Say something without spoiling the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Take the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("━━┄")
}

/// A rate in at most five characters: `950`, `12.3k`, `4.56M`.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{:.2}M", v / 1e6),
        v if v >= 1e3 => format!("{:.1}k", v / 1e3),
        v => format!("{v:.0}"),
    }
}
