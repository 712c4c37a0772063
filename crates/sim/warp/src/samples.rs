//! A node's course, looked at every so often: the queue log and the instantaneous speed-up log of
//! the Time Warp Operating System.
//!
//! Every sample is a line of CSV, written whole when it is taken; so whatever ends the run, what
//! was seen until then stays readable.

use crate::WarpError;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use timewarp::{Status, VirtualTime};

const HEAD: &str =
    "entry,seconds,gvt,local_time,committed,executed,pending,uncommitted,leaving,memory_bytes";

/// Which looks at a node become samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Those for which it is time.
    WhenDue,
    /// This one: the node's first or last.
    Always,
}

/// What a look at a node saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Since the node began, s.
    pub seconds: f64,
    /// Least simtime of what the node holds; that of its latest event in a sequential run.
    pub local_time: f64,
    /// Figures of the node.
    pub status: Status,
}

/// Where a node's samples go.
pub struct Samples {
    path: PathBuf,
    file: File,
    every_ns: u64,
    due_ns: u64,
    entry: u64,
    failure: Option<io::Error>,
}

impl Samples {
    /// Begin the file; a sample is due at once, and then so often.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: PathBuf, every: Duration) -> Result<Samples, WarpError> {
        let created =
            File::create(&path).and_then(|mut file| writeln!(file, "{HEAD}").map(|()| file));
        let file = created.map_err(WarpError::file("write", &path))?;
        let every_ns = (every.as_nanos() as u64).max(1);
        Ok(Samples { path, file, every_ns, due_ns: 0, entry: 0, failure: None })
    }

    /// Whether a sample is due, so long after the beginning.
    pub fn is_due(&self, elapsed_ns: u64) -> bool {
        elapsed_ns >= self.due_ns
    }

    /// A look at the node.
    pub fn add(&mut self, sample: &Sample) {
        let Sample { seconds, local_time, status } = sample;
        let Status { gvt, committed, executed, memory, pending, uncommitted, leaving } = status;
        let (entry, gvt) = (self.entry, gvt.simtime());
        let line = format!(
            "{entry},{seconds:.6},{gvt},{local_time},{committed},{executed},{pending},\
             {uncommitted},{leaving},{memory}\n"
        );
        let written = self.file.write_all(line.as_bytes());
        self.failure = self.failure.take().or(written.err());
        self.entry += 1;
        // A look that came late does not make the next ones come in a row.
        let elapsed_ns = (seconds * 1e9) as u64;
        self.due_ns = (elapsed_ns / self.every_ns + 1) * self.every_ns;
    }

    /// What went wrong with the file.
    pub fn failure(&mut self) -> Option<WarpError> {
        self.failure.take().map(WarpError::file("write", &self.path))
    }
}

/// How far a run had come: seconds since its beginning, and the simtime reached.
pub type Course = Vec<(f64, f64)>;

/// Read the course of a node back from its file. A last line that was cut off is left out.
///
/// # Errors
/// When the file cannot be read, or has other columns.
pub fn course(path: &Path) -> Result<Course, WarpError> {
    let failed = WarpError::file("read", path);
    let read = || {
        let mut lines = BufReader::new(record::open_input(path)?).lines();
        if lines.next().transpose()?.as_deref() != Some(HEAD) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "is not a table of samples"));
        }
        lines.map(|line| Ok(point(&line?))).filter_map(Result::transpose).collect()
    };
    read().map_err(failed)
}

fn point(line: &str) -> Option<(f64, f64)> {
    let fields: Vec<&str> = line.split(',').collect();
    let [_, seconds, gvt, local_time, ..] = fields[..] else { return None };
    let (seconds, gvt, local_time): (f64, f64, f64) =
        (seconds.parse().ok()?, gvt.parse().ok()?, local_time.parse().ok()?);
    (fields.len() == 10)
        .then_some((seconds, gvt.max(VirtualTime::STARTED.simtime()).min(local_time)))
}

/// A stretch of a run beside the sequential one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// End of the stretch, s since the run's beginning.
    pub seconds: f64,
    /// Simtime reached by all nodes.
    pub simtime: f64,
    /// When the sequential run reached it, s since its beginning.
    pub sequential_seconds: f64,
    /// Time that the sequential run took for this stretch of simtime over the time that this one
    /// took.
    pub speedup: f64,
}

/// Instantaneous speed-up: how much faster than the sequential run this one came forward, stretch
/// by stretch.
///
/// Stretches end when the first node was looked at. What all nodes have reached by then is the
/// least of them: a node that was kept from running has fewer samples than others, so they are
/// matched by time, not by number.
pub fn speedup(nodes: &[Course], sequential: &Course) -> Vec<Stretch> {
    let (Some(first), Some(&(_, end))) = (nodes.first(), sequential.last()) else {
        return Vec::new();
    };
    let last = nodes.iter().filter_map(|node| node.last()).map(|at| at.0).fold(0.0, f64::max);
    let ends = first.iter().map(|at| at.0).filter(|seconds| *seconds < last).chain([last]);
    let (mut rows, mut before) = (Vec::new(), (0.0, 0.0));
    for seconds in ends {
        let simtime = nodes.iter().map(|node| simtime_at(node, seconds)).fold(end, f64::min);
        let sequential_seconds = seconds_at(sequential, simtime);
        let took = seconds - before.0;
        if took <= 0.0 || simtime <= VirtualTime::STARTED.simtime() {
            continue;
        }
        let speedup = (sequential_seconds - before.1) / took;
        rows.push(Stretch { seconds, simtime, sequential_seconds, speedup });
        before = (seconds, sequential_seconds);
    }
    rows
}

/// How far a course had come at a moment; between its samples in proportion.
fn simtime_at(course: &Course, seconds: f64) -> f64 {
    let at = course.partition_point(|point| point.0 < seconds);
    match (at.checked_sub(1).map(|before| course[before]), course.get(at)) {
        (_, Some(&(exactly, simtime))) if exactly == seconds => simtime,
        (Some((from, a)), Some(&(to, b))) if is_on_the_way(a) && is_on_the_way(b) => {
            a + (b - a) * (seconds - from) / (to - from)
        }
        (Some((_, simtime)), _) => simtime,
        (None, _) => VirtualTime::STARTED.simtime(),
    }
}

/// Before its first event and after its last one, a node's simtime stands for all times: no part of
/// the way there is known.
fn is_on_the_way(simtime: f64) -> bool {
    VirtualTime::STARTED.simtime() < simtime && simtime < VirtualTime::POSINF.simtime()
}

/// When a course reached a simtime that is not beyond its end; between its samples in proportion.
fn seconds_at(course: &Course, simtime: f64) -> f64 {
    let at = course.partition_point(|point| point.1 < simtime).min(course.len() - 1);
    let (to_seconds, to) = course[at];
    let Some(&(from_seconds, from)) = at.checked_sub(1).map(|before| &course[before]) else {
        return to_seconds;
    };
    from_seconds + (to_seconds - from_seconds) * (simtime - from) / (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: f64, gvt: f64) -> Sample {
        let status = Status {
            gvt: VirtualTime::at(gvt),
            committed: 1,
            executed: 2,
            memory: 3,
            pending: 4,
            uncommitted: 5,
            leaving: 6,
        };
        Sample { seconds, local_time: gvt + 1.0, status }
    }

    #[test]
    fn samples_come_back_and_a_line_that_was_cut_off_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples-0.csv");
        let mut samples = Samples::create(path.clone(), Duration::from_millis(100)).unwrap();
        assert!(samples.is_due(0));
        samples.add(&sample(0.0, 0.0));
        assert!(!samples.is_due(99_999_999) && samples.is_due(100_000_000));
        samples.add(&sample(0.35, 10.0));
        assert!(!samples.is_due(390_000_000) && samples.is_due(400_000_000));
        assert!(samples.failure().is_none());
        samples.file.write_all(b"2,0.4,1").unwrap();
        assert_eq!(course(&path).unwrap(), [(0.0, 0.0), (0.35, 10.0)]);
        std::fs::write(&path, "a,b\n").unwrap();
        assert!(course(&path).unwrap_err().to_string().contains("not a table of samples"));
    }

    #[test]
    fn speed_up_is_time_over_time_for_the_same_stretch_of_simtime() {
        let sequential = vec![(0.0, 0.0), (10.0, 100.0)];
        let fast = vec![(0.0, 0.0), (1.0, 20.0), (2.0, 60.0), (3.0, 999.0)];
        let slow = vec![(0.0, 0.0), (1.0, 30.0), (2.0, 40.0), (3.0, 100.0)];
        let rows = speedup(&[fast, slow], &sequential);
        let seen: Vec<_> = rows.iter().map(|row| (row.seconds, row.simtime, row.speedup)).collect();
        assert_eq!(seen, [(1.0, 20.0, 2.0), (2.0, 40.0, 2.0), (3.0, 100.0, 6.0)]);
        assert!(speedup(&[], &sequential).is_empty());
        assert!(speedup(&[vec![]], &sequential).is_empty());
    }

    #[test]
    fn nodes_are_matched_by_time_though_one_has_missed_samples_and_has_finished() {
        let (begin, end) = (VirtualTime::STARTED.simtime(), VirtualTime::POSINF.simtime());
        let sequential = vec![(0.0, begin), (2.0, 20.0), (8.0, 80.0)];
        let steady = vec![(0.0, begin), (1.0, 20.0), (2.0, 40.0), (3.0, 60.0), (4.0, end)];
        let held_up = vec![(0.0, begin), (0.5, 10.0), (3.0, 60.0), (3.5, end)];
        let rows = speedup(&[steady.clone(), held_up.clone()], &sequential);
        let seen: Vec<_> = rows.iter().map(|row| (row.seconds, row.simtime, row.speedup)).collect();
        assert_eq!(seen, [(1.0, 20.0, 2.0), (2.0, 40.0, 2.0), (3.0, 60.0, 2.0), (4.0, 80.0, 2.0)]);
        // Seen from the other node, the end is the same.
        let rows = speedup(&[held_up, steady], &sequential);
        assert_eq!(rows.last().map(|row| (row.seconds, row.simtime)), Some((4.0, 80.0)));
    }
}
