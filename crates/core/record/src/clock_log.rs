//! What a run's coordinator learns of clocks while the run goes on, a line of JSON each in
//! `live/clocks.log`: the run's information has it only when the run is closed.

use crate::input::read_input;
use crate::{Domain, RecordError, RunInfo};
use std::io::Write;
use std::path::Path;

const NAME: &str = "clocks.log";
/// Most lines that are believed: a day's comparisons are fewer.
const LINES_MAX: usize = 1 << 14;

/// Append a line.
pub(crate) fn append(live: &Path, news: &Domain) -> Result<(), RecordError> {
    let path = live.join(NAME);
    let failed = |error| RecordError::file("write", &path, error);
    let mut line = serde_json::to_vec(news).map_err(|error| failed(error.into()))?;
    line.push(b'\n');
    let mut file =
        std::fs::File::options().create(true).append(true).open(&path).map_err(failed)?;
    file.write_all(&line).map_err(failed)
}

/// Add what was written down to a run's domains. A line that was cut off, or is damaged, says
/// nothing.
pub(crate) fn add(live: &Path, info: &mut RunInfo) {
    let text = read_input(&live.join(NAME)).unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').take(LINES_MAX);
    for news in lines.filter_map(|line| serde_json::from_slice::<Domain>(line).ok()) {
        match info.domains.iter_mut().find(|domain| domain.id == news.id) {
            Some(domain) => {
                domain.reference |= news.reference;
                add_new(&mut domain.anchors, &news.anchors);
                add_new(&mut domain.offsets, &news.offsets);
            }
            None => info.domains.push(Domain {
                model: None,
                error_ns: None,
                kernel_error_ns: None,
                ..news
            }),
        }
    }
}

/// A closing that is done again finds what the first one gathered.
pub(crate) fn add_new<T: PartialEq + Copy>(to: &mut Vec<T>, from: &[T]) {
    for item in from {
        if !to.contains(item) {
            to.push(*item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clock::{Clock, Offset, Source, Ticks};

    #[test]
    fn what_was_learned_before_a_kill_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let offset = |ticks| Offset {
            local: Ticks(ticks),
            remote: Ticks(ticks + 7),
            error_ns: 1.0,
            exchanges: 8,
            impossible: 0,
        };
        let mut news = Domain {
            id: "far/tsc".into(),
            source: Source::Tsc,
            reference: false,
            error_ns: None,
            kernel_error_ns: None,
            model: None,
            anchors: vec![Clock::system().anchor()],
            offsets: vec![offset(1)],
        };
        append(folder.path(), &news).unwrap();
        (news.anchors, news.offsets) = (Vec::new(), vec![offset(2)]);
        append(folder.path(), &news).unwrap();
        let path = folder.path().join(NAME);
        let mut text = std::fs::read(&path).unwrap();
        text.extend(&text.clone()[..40]);
        std::fs::write(&path, text).unwrap();
        let mut info = RunInfo::new("test");
        for _ in 0..2 {
            add(folder.path(), &mut info);
            let domain = &info.domains[0];
            assert_eq!((info.domains.len(), domain.anchors.len(), domain.offsets.len()), (1, 1, 2));
        }
    }
}
