//! What the objects of a simulation are called.

use record::Run;
use report::ObjectNames;

/// The objects of a simulation as its table of objects calls them; none where there is no such
/// table.
pub fn object_names(run: &Run) -> ObjectNames {
    let path = run.path().join("warp").join("xl_stats.csv");
    let table = record::read_text(&path).unwrap_or_default();
    ObjectNames::new(table.lines().skip(1).filter_map(name_in))
}

/// The second field of a line, which may be quoted.
fn name_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once(',')?;
    let Some(quoted) = rest.strip_prefix('"') else {
        return rest.split(',').next().map(str::to_owned);
    };
    let mut name = String::new();
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('"', Some('"')) => drop(letters.next()),
            ('"', _) => return Some(name),
            _ => {}
        }
        name.push(letter);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_quoted() {
        assert_eq!(name_in("0,diary,1,2").as_deref(), Some("diary"));
        assert_eq!(name_in("0,\"a, \"\"b\"\"\",1").as_deref(), Some("a, \"b\""));
        assert_eq!(name_in("0,\"never ends"), None);
        assert_eq!(name_in("nothing"), None);
    }
}
