//! Times as a log of HdrHistograms, for the tools that read these: a histogram for each stage and
//! launch, three significant digits of nanoseconds, tagged with the stage.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use hdrhistogram::serialization::{V2DeflateSerializer, V2SerializeError};
use record::{Field, NULL};
use stats::Columns;
use stats::analysis::Stage;

use crate::palette::key;

/// The columns that [`HistogramLog::add`] reads.
pub const HISTOGRAM_FIELDS: [Field; 4] =
    [Field::ReadyNs, Field::SentNs, Field::ArrivedNs, Field::TakenNs];

/// Where each stage begins and ends.
const STAGES: [(Stage, Field, Field); 4] = [
    (Stage::EndToEnd, Field::ReadyNs, Field::TakenNs),
    (Stage::SendWait, Field::ReadyNs, Field::SentNs),
    (Stage::Transit, Field::SentNs, Field::ArrivedNs),
    (Stage::ReceiveWait, Field::ArrivedNs, Field::TakenNs),
];

/// Significant decimal digits that a histogram keeps of each time.
const DIGITS: u8 = 3;

/// Why a log could not be made.
#[derive(Debug, thiserror::Error)]
pub enum HistogramLogError {
    /// It cannot be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A histogram cannot be put into bytes.
    #[error("a histogram cannot be serialised: {0:?}")]
    Serialise(V2SerializeError),
}

/// The histograms of a run.
#[derive(Debug, Default)]
pub struct HistogramLog {
    launches: BTreeMap<u32, OfLaunch>,
    /// Times below 0, of all stages: clocks that differ. No histogram can hold them.
    left_out: u64,
}

#[derive(Debug)]
struct OfLaunch {
    stages: [Histogram<u64>; 4],
    /// First and last stamp, ns of the timeline.
    span: (i64, i64),
}

impl OfLaunch {
    fn new() -> OfLaunch {
        // Three digits are within what the library allows.
        let empty = || Histogram::new(DIGITS).unwrap_or_else(|_| unreachable!("1 to 5 digits"));
        OfLaunch { stages: std::array::from_fn(|_| empty()), span: (i64::MAX, i64::MIN) }
    }
}

impl HistogramLog {
    /// Take in a message of a launch. A stage that lacks a stamp is passed over.
    pub fn add(&mut self, launch: u32, columns: &Columns, row: usize) {
        let of = self.launches.entry(launch).or_insert_with(OfLaunch::new);
        for at in HISTOGRAM_FIELDS
            .map(|field| columns.at(field, row))
            .into_iter()
            .filter(|at| *at != NULL)
        {
            of.span = (of.span.0.min(at), of.span.1.max(at));
        }
        for ((_, from, to), histogram) in STAGES.iter().zip(&mut of.stages) {
            let (from, to) = (columns.at(*from, row), columns.at(*to, row));
            if from == NULL || to == NULL {
                continue;
            }
            // It grows as it must: an error is a time that it could never hold.
            let ns = u64::try_from(to.saturating_sub(from));
            if !ns.is_ok_and(|ns| histogram.record(ns).is_ok()) {
                self.left_out += 1;
            }
        }
    }

    /// Whether it has no time at all.
    pub fn is_empty(&self) -> bool {
        self.launches.values().all(|of| of.stages.iter().all(Histogram::is_empty))
    }

    /// Write it. `origin_realtime_ns` is when the timeline begins, in the machine's time.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        &self,
        origin_realtime_ns: i64,
        out: &mut dyn Write,
    ) -> Result<(), HistogramLogError> {
        let mut serializer = V2DeflateSerializer::new();
        let mut out = out;
        let mut log = IntervalLogWriterBuilder::new()
            .add_comment(
                "Fourstamp: times of messages in nanoseconds, a histogram a launch and stage",
            )
            .with_max_value_divisor(1.0)
            .begin_log_with(&mut out, &mut serializer)?;
        if self.left_out > 0 {
            log.write_comment(&format!("times below 0, left out: {}", self.left_out))?;
        }
        for of in self.launches.values() {
            let (first, last) = of.span;
            let start = origin_realtime_ns.saturating_add(first).max(0).unsigned_abs();
            let length = last.saturating_sub(first).max(0).unsigned_abs();
            let (start, length) = (Duration::from_nanos(start), Duration::from_nanos(length));
            for ((stage, ..), histogram) in STAGES.iter().zip(&of.stages) {
                if !histogram.is_empty() {
                    log.write_histogram(histogram, start, length, Tag::new(key(*stage)))
                        .map_err(of_log)?;
                }
            }
        }
        Ok(())
    }
}

fn of_log(
    error: hdrhistogram::serialization::interval_log::IntervalLogWriterError<
        hdrhistogram::serialization::V2DeflateSerializeError,
    >,
) -> HistogramLogError {
    use hdrhistogram::serialization::V2DeflateSerializeError as Deflate;
    use hdrhistogram::serialization::interval_log::IntervalLogWriterError as Log;
    match error {
        Log::SerializeError(Deflate::InternalSerializationError(why)) => {
            HistogramLogError::Serialise(why)
        }
        Log::SerializeError(Deflate::IoError(kind)) | Log::IoError(kind) => {
            HistogramLogError::Io(kind)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
    use record::Values;

    /// Launch 1: 1,000 messages of 1 to 1,000 µs in transit; launch 2: one that took less than
    /// nothing.
    fn planted() -> HistogramLog {
        let mut log = HistogramLog::default();
        let sent: Vec<i64> = (0..1_000).map(|at| at * 1_000_000).collect();
        let arrived: Vec<i64> = sent.iter().map(|at| at + 1_000 + at / 1_000).collect();
        let columns = Columns::new(sent.len())
            .with(Field::SentNs, Values::Each(&sent))
            .with(Field::ArrivedNs, Values::Each(&arrived));
        (0..sent.len()).for_each(|row| log.add(1, &columns, row));
        let odd = Columns::new(1)
            .with(Field::ReadyNs, Values::Constant(50))
            .with(Field::SentNs, Values::Constant(20));
        log.add(2, &odd, 0);
        log
    }

    #[test]
    fn others_read_the_log_with_its_quantiles() {
        let mut out = Vec::new();
        planted().write(5_000_000_000, &mut out).unwrap();
        let entries: Vec<LogEntry> =
            IntervalLogIterator::new(&out).collect::<Result<_, _>>().unwrap();
        let found: Vec<_> = entries
            .iter()
            .filter_map(|entry| match entry {
                LogEntry::Interval(interval) => Some(interval),
                _ => None,
            })
            .collect();
        assert_eq!(found.len(), 1, "a stage that has no time is left out");
        assert_eq!(found[0].tag().map(|tag| tag.as_str().to_owned()).as_deref(), Some("transit"));
        assert_eq!(found[0].start_timestamp(), Duration::from_secs(5));
        let bytes =
            base64::Engine::decode(&base64::prelude::BASE64_STANDARD, found[0].encoded_histogram());
        let histogram: Histogram<u64> =
            Deserializer::new().deserialize(&mut &bytes.unwrap()[..]).unwrap();
        assert_eq!(histogram.len(), 1_000);
        let median = histogram.value_at_quantile(0.5) as f64;
        assert!((median / 500_000.0 - 1.0).abs() < 0.002, "{median}");
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("#times below 0, left out: 1"), "{text}");
    }
}
