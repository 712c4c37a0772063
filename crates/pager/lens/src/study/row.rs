//! What was measured: the launches of an alternative with one size.

use super::alternative::Alternative;
use crate::prediction::completion;
use crate::timeline::Course;
use pager_facts::{Paged, PagedSeconds};
use predict::Completion;
use study::Results;
use study::process::Times;

/// All launches of an alternative with one size.
pub struct StudyRow {
    pub alternative: Alternative,
    pub size_bytes: u64,
    pub local_bytes: u64,
    pub results: Results<PagedLaunch>,
}

/// One launch.
#[derive(Clone, Debug, Default)]
pub struct PagedLaunch {
    pub seconds: PagedSeconds,
    pub page_outs: u64,
    pub page_ins: u64,
    pub transfers: u64,
    /// What happened when, if that was recorded.
    pub course: Option<Course>,
    /// The tick that the processor's time is counted in, s; 0 where it is measured.
    pub tick_s: f64,
}

impl PagedLaunch {
    /// Of a program that was alone, whose processor's time is counted in ticks of `tick_s`: nobody
    /// measured why it did not work for the rest of the time.
    pub fn alone(launched: Times, tick_s: f64) -> PagedLaunch {
        PagedLaunch { seconds: work(&launched).with_other(), tick_s, ..PagedLaunch::default() }
    }

    /// Of a paged one, as it says itself.
    pub fn paged(process: &Paged, course: Option<Course>) -> PagedLaunch {
        PagedLaunch {
            seconds: process.seconds,
            page_outs: process.page_outs,
            page_ins: process.page_ins,
            transfers: process.transfers,
            course,
            tick_s: 0.0,
        }
    }

    /// Waiting for bytes over the processor's time for the program; `None` where that is shorter
    /// than it is measured to.
    pub fn waiting_over_work(&self) -> Option<f64> {
        let user = self.seconds.user;
        (user > self.tick_s.max(0.0) && user > 0.0)
            .then(|| (self.completion().blocked_bytes + self.completion().blocked_fixed) / user)
    }

    /// Its time as the sum of its parts.
    pub fn completion(&self) -> Completion {
        completion(&self.seconds)
    }
}

fn work(launched: &Times) -> PagedSeconds {
    PagedSeconds {
        elapsed: launched.elapsed_s,
        user: launched.user_s,
        system: launched.system_s,
        ..PagedSeconds::default()
    }
}

impl StudyRow {
    /// Nothing measured yet.
    pub fn new(alternative: Alternative, size_bytes: u64, local_bytes: u64) -> StudyRow {
        StudyRow { alternative, size_bytes, local_bytes, results: Results::default() }
    }

    /// For the names of folders.
    pub fn key(&self) -> String {
        let name = self.alternative.name().to_lowercase().replace([' ', '/'], "-");
        format!("{name}-{}", self.size_text().replace(' ', "-").to_lowercase())
    }

    /// What is said of launches that failed.
    pub fn failure(&self) -> Option<String> {
        let why = &self.results.failures.last()?.why;
        Some(format!(
            "{} with {}: a launch failed: {why}",
            self.alternative.name(),
            self.size_text()
        ))
    }

    /// The data, as people write it.
    pub fn size_text(&self) -> String {
        match self.size_bytes {
            bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
            bytes => format!("{} KiB", bytes >> 10),
        }
    }

    /// The launch in the middle by its elapsed time: its parts belong together.
    pub fn middle(&self) -> Option<&PagedLaunch> {
        let mut cells: Vec<&PagedLaunch> = self.results.outcomes().collect();
        cells.sort_by(|a, b| a.seconds.elapsed.total_cmp(&b.seconds.elapsed));
        cells.get(cells.len().checked_sub(1)? / 2).copied()
    }

    /// The fastest and the slowest launch.
    pub fn range_s(&self) -> (f64, f64) {
        let times = self.results.outcomes().map(|cell| cell.seconds.elapsed);
        times.fold((f64::INFINITY, 0.0), |(low, high), s| (low.min(s), high.max(s)))
    }
}
