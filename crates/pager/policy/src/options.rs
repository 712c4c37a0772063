//! What a run of the pager may use.

use crate::{Place, Policy, Role};

/// What the pager may use, and how it keeps pages safe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many pages of the program may be in its memory at once. At least
    /// [`Options::BUDGET_MIN`].
    pub budget_pages: u64,
    /// Frames for pages that leave, that left a moment ago, or that came ahead of need. They come
    /// on top of the budget. At least [`Options::STAGING_MIN`].
    pub staging_frames: u32,
    /// The most pages read ahead at once, 0 (never) to [`Options::PREFETCH_MAX`].
    pub prefetch_pages: u32,
    /// How pages outside survive a crash.
    pub policy: Policy,
    /// The servers that are there at the start.
    pub servers: Vec<(Place, Role)>,
}

impl Options {
    /// Fewer and one instruction of the program might not find all its pages in memory at the same
    /// time.
    pub const BUDGET_MIN: u64 = 16;
    /// Fewer and a page could neither leave nor be rebuilt.
    pub const STAGING_MIN: u32 = 8;
    /// More than this is never read ahead: measured, the link is busy all the time with 64.
    pub const PREFETCH_MAX: u32 = 64;

    pub(crate) fn check(&self) -> Result<(), OptionsError> {
        if self.budget_pages < Self::BUDGET_MIN || self.budget_pages > u64::from(u32::MAX / 2) {
            return Err(OptionsError::Budget(self.budget_pages));
        }
        if self.staging_frames < Self::STAGING_MIN || self.staging_frames > u32::MAX / 2 {
            return Err(OptionsError::Staging(self.staging_frames));
        }
        if self.prefetch_pages > Self::PREFETCH_MAX {
            return Err(OptionsError::Prefetch(self.prefetch_pages));
        }
        Ok(())
    }
}

/// Options that cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// See [`Options::budget_pages`].
    #[error("a local memory of {0} pages is not possible: give at least {min} pages and less than \
        8 TiB", min = Options::BUDGET_MIN)]
    Budget(u64),
    /// See [`Options::staging_frames`].
    #[error("{0} staging frames are too few: give at least {min}", min = Options::STAGING_MIN)]
    Staging(u32),
    /// See [`Options::prefetch_pages`].
    #[error("{0} pages cannot be read ahead at once: give at most {max}, or 0 for \
    none", max = Options::PREFETCH_MAX)]
    Prefetch(u32),
}
