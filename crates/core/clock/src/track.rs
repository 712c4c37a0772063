//! A clock's whole way onto the timeline: segments, and a bound that grows outside the comparisons.

use serde::{Deserialize, Serialize};

use crate::fit::Fitted;
use crate::segment::{Segment, SegmentCursor, Segments};
use crate::{ModelError, Ticks, TimelineNs};

/// Segments with the span in which they are vouched for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Track {
    segments: Segments,
    /// The first and the last tick at which the clock was compared.
    first_ticks: Ticks,
    last_ticks: Ticks,
    /// Uncertainty of the rate outside those.
    rate_error_ppm: f64,
}

impl TryFrom<Fitted> for Track {
    type Error = ModelError;

    fn try_from(fitted: Fitted) -> Result<Track, ModelError> {
        let Fitted { segments, first_ticks, last_ticks, rate_error_ppm, .. } = fitted;
        Ok(Track {
            segments: Segments::try_from(segments)?,
            first_ticks,
            last_ticks,
            rate_error_ppm,
        })
    }
}

impl Track {
    #[inline]
    pub fn at(&self, ticks: Ticks) -> TimelineNs {
        self.segments.serving(ticks).at(ticks)
    }

    /// The bound at `ticks`: the segment's, and outside the span what the rate's uncertainty adds.
    pub fn error_ns(&self, ticks: Ticks) -> f64 {
        let segment = self.segments.serving(ticks);
        let before_ticks = self.first_ticks.since(ticks).max(0) as f64;
        let after_ticks = ticks.since(self.last_ticks).max(0) as f64;
        let outside_ns = before_ticks.max(after_ticks) * segment.ns_per_tick();
        segment.error_ns + outside_ns * self.rate_error_ppm * 1e-6
    }

    pub fn max_error_ns(&self) -> f64 {
        self.segments.as_slice().iter().map(|segment| segment.error_ns).fold(0.0, f64::max)
    }

    pub fn segments(&self) -> &[Segment] {
        self.segments.as_slice()
    }

    pub fn span(&self) -> (Ticks, Ticks) {
        (self.first_ticks, self.last_ticks)
    }

    pub fn rate_error_ppm(&self) -> f64 {
        self.rate_error_ppm
    }

    pub fn cursor(&self) -> SegmentCursor<'_> {
        self.segments.cursor()
    }
}
