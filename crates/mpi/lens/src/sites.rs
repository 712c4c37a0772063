//! The places in the program that called MPI.

use crate::LensError;
use record::Run;
use std::collections::BTreeMap;
use std::path::Path;

/// Places in the program, as people read them: `solve (solver.c:41)`; without debug information the
/// file and the offset.
///
/// # Errors
/// When their table is damaged.
pub fn sites(run: &Run) -> Result<BTreeMap<i64, String>, LensError> {
    let path = run.path().join("mpi/sites.csv");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    read(&path).map_err(|source| LensError::Sites { path, source })
}

fn read(path: &Path) -> Result<BTreeMap<i64, String>, csv::Error> {
    type Place = (i64, String, String, String, String, String);
    let text = record::read_input(path)?;
    let mut table = csv::Reader::from_reader(&text[..]);
    let name = |row: Result<Place, csv::Error>| {
        let (site, symbol, file, line, object, offset) = row?;
        Ok((site, site_name(&symbol, &file, &line, &object, &offset)))
    };
    table.deserialize().map(name).collect()
}

fn site_name(symbol: &str, file: &str, line: &str, object: &str, offset: &str) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let place = match (file, line) {
        ("", _) => String::new(),
        (file, "") => last(file),
        (file, line) => format!("{}:{line}", last(file)),
    };
    match (symbol, place.as_str()) {
        ("", "") => match offset.parse::<u64>() {
            Ok(offset) => format!("{}+0x{offset:x}", last(object)),
            Err(_) => last(object),
        },
        ("", place) => place.to_owned(),
        (symbol, "") => format!("{symbol} ({})", last(object)),
        (symbol, place) => format!("{symbol} ({place})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_by_what_is_known() {
        assert_eq!(site_name("solve", "/src/solver.c", "41", "/app", "16"), "solve (solver.c:41)");
        assert_eq!(site_name("solve", "", "", "/lib/app", "16"), "solve (app)");
        assert_eq!(site_name("", "", "", "/lib/app", "4660"), "app+0x1234");
    }
}
