//! Logs that are still on the hosts of their ranks, because those did not see the run's folder.

use crate::CloseError;
use mpi_facts::{ELSEWHERE_FILE, Elsewhere, LogPlace};
use record::NodeSheet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The list of the run at `run`, of logs that were begun elsewhere; `None` where there is none.
///
/// # Errors
/// When it cannot be read.
pub fn read(run: &Path) -> Result<Option<Elsewhere>, CloseError> {
    let path = file(run);
    let bytes = match record::read_input(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CloseError::file("read", &path, error)),
    };
    let parsed = serde_json::from_slice(&bytes);
    parsed.map(Some).map_err(|error| CloseError::file("read", &path, error.into()))
}

/// Write it, whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write(run: &Path, elsewhere: &Elsewhere) -> Result<(), CloseError> {
    let path = file(run);
    let text = serde_json::to_string_pretty(elsewhere).expect("plain data is JSON");
    let written = record::write_whole(&path, |file| file.write_all(text.as_bytes()));
    written.map_err(|error| CloseError::file("write", &path, error))
}

/// The places that the run waits for, each with the ranks whose logs are not here yet.
///
/// # Errors
/// When the list cannot be read.
pub fn awaited(run: &Path) -> Result<Vec<LogPlace>, CloseError> {
    let missing = missing(run)?;
    Ok(missing.into_iter().filter(|place| !place.forgone).collect())
}

/// Which logs are still in these places, as the beginning of a sentence; some hosts by name.
pub fn which(places: &[LogPlace]) -> String {
    const NAMED: usize = 5;
    let ranks: Vec<u32> = places.iter().flat_map(|place| place.ranks.iter().copied()).collect();
    let hosts: Vec<&str> = places.iter().take(NAMED).map(|place| &*place.host).collect();
    let mut hosts = hosts.join(", ");
    if let Some(more) = places.len().checked_sub(NAMED).filter(|more| *more > 0) {
        hosts.push_str(&format!(" and {more} more hosts"));
    }
    match &ranks[..] {
        [one] => format!("the log of rank {one} is still on {hosts}"),
        ranks => format!("the logs of {} ranks are still on {hosts}", ranks.len()),
    }
}

/// Refuse to close a run that waits for logs.
pub(crate) fn check(run: &Path) -> Result<(), CloseError> {
    let places = awaited(run)?;
    match places.is_empty() {
        true => Ok(()),
        false => Err(CloseError::Awaited { run: run.to_path_buf(), which: which(&places) }),
    }
}

/// What a closed run says of the places that it was closed without.
pub(crate) fn forgone(run: &Path) -> Result<Vec<String>, CloseError> {
    let missing = missing(run)?;
    let say = |LogPlace { host, folder, ranks, .. }| match &ranks[..] {
        [one] => format!("The log of rank {one} was left in {folder} on {host}"),
        [first, ..] => format!(
            "The logs of {} ranks, from {first} on, were left in {folder} on {host}",
            ranks.len()
        ),
        [] => String::new(),
    };
    Ok(missing.into_iter().filter(|place| place.forgone).map(say).collect())
}

fn missing(run: &Path) -> Result<Vec<LogPlace>, CloseError> {
    let live = run.join("live");
    let is_here =
        |rank: &u32| live.join(format!("{}.calls", NodeSheet::stem_of(0, *rank))).exists();
    let places = read(run)?.unwrap_or_default().places.into_iter();
    let left = places.map(|mut place| {
        place.ranks.retain(|rank| !is_here(rank));
        place
    });
    Ok(left.filter(|place| !place.ranks.is_empty()).collect())
}

fn file(run: &Path) -> PathBuf {
    run.join("live").join(ELSEWHERE_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_has_come_is_not_awaited_and_one_that_is_forgone_is_said() {
        let run = tempfile::tempdir().unwrap();
        std::fs::create_dir(run.path().join("live")).unwrap();
        assert_eq!(awaited(run.path()).unwrap(), []);
        let mut all = Elsewhere::default();
        for (rank, host) in [(1, "b"), (2, "c"), (3, "b")] {
            all.add(rank, host, "/tmp/fourstamp-1");
        }
        write(run.path(), &all).unwrap();
        let ranks = || -> Vec<_> {
            awaited(run.path()).unwrap().into_iter().map(|place| place.ranks).collect()
        };
        assert_eq!(ranks(), [vec![1, 3], vec![2]]);
        let refused = check(run.path()).unwrap_err().to_string();
        assert!(refused.starts_with("the logs of 3 ranks are still on b, c: fetch"), "{refused}");
        let log = |rank| run.path().join(format!("live/{}.calls", NodeSheet::stem_of(0, rank)));
        std::fs::write(log(3), []).unwrap();
        assert_eq!(ranks(), [vec![1], vec![2]]);
        all.places[0].forgone = true;
        write(run.path(), &all).unwrap();
        assert_eq!(ranks(), [[2]]);
        let said = forgone(run.path()).unwrap();
        assert_eq!(said, ["The log of rank 1 was left in /tmp/fourstamp-1 on b"]);
        std::fs::write(file(run.path()), "{").unwrap();
        assert!(awaited(run.path()).unwrap_err().to_string().contains("elsewhere"));
    }
}
