//! Progress bars, on standard error and only where somebody looks.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use warp::Readings;

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

    /// So many of so many pieces are done, and this one is next.
    pub fn step(&mut self, done: u64, of: u64, next: &str) {
        self.bar.set_length(of);
        self.bar.set_position(done);
        self.bar.set_message(next.to_string());
    }

    /// Say something without spoiling the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{}", document::printable(line)));
    }

    /// Take the bar away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// A line for a simulation: GVT, committed events and their rate, how many came true, memory; a
/// bar where the end is known.
pub struct SimulationBar {
    bar: ProgressBar,
    begun: Instant,
    end: Option<f64>,
    /// GVT when it was first seen within the simulation's own time.
    first_gvt: Option<f64>,
}

/// Steps of a simulation's bar.
const BAR_STEPS: f64 = 10_000.0;

impl SimulationBar {
    /// A line for `what`, which ends at simtime `end` if that is known.
    pub fn new(what: &str, end: Option<f64>) -> SimulationBar {
        let bar = ProgressBar::new(BAR_STEPS as u64);
        bar.set_style(style(match end {
            // A line that is too long loses its end, and does not become two.
            Some(_) => "{prefix} {bar:16.cyan/dim} {percent:>3} %  {eta} left  {wide_msg}",
            None => "{prefix} {spinner} {wide_msg}",
        }));
        bar.set_prefix(what.to_string());
        bar.enable_steady_tick(Duration::from_millis(250));
        SimulationBar { bar, begun: Instant::now(), end, first_gvt: None }
    }

    /// The simulation begins now.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
        self.bar.reset_eta();
    }

    /// So far.
    pub fn at(&mut self, readings: &Readings) {
        let Readings { gvt, committed, executed, memory_bytes } = *readings;
        let has_begun = gvt > timewarp::VirtualTime::STARTED.simtime();
        if let Some(end) = self.end.filter(|_| has_begun) {
            let first = *self.first_gvt.get_or_insert(gvt.min(0.0));
            let share = (gvt - first) / (end - first).max(f64::MIN_POSITIVE);
            self.bar.set_position((share.clamp(0.0, 1.0) * BAR_STEPS) as u64);
        }
        let rate = committed as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let came_true =
            if executed == 0 { 100.0 } else { committed as f64 / executed as f64 * 100.0 };
        let gvt = if has_begun { format!("{gvt:.1}") } else { "start".into() };
        let memory = memory_bytes as f64 / f64::from(1 << 20);
        self.bar.set_message(format!(
            "GVT {gvt}  {} events  {}/s  came true {came_true:.0} %  {memory:.0} MiB",
            short(committed as f64),
            short(rate),
        ));
    }

    /// Say something without spoiling the line.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{}", document::printable(line)));
    }

    /// Take the line away.
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
