//! How many fields a struct has: one that keeps more than fifteen keeps several things.
//!
//! Such a struct is cut by what changes together, each part with its own tests. Lists may be long:
//! counters, a sheet that is written and read, the arguments of one command. Tests do not count,
//! nor do structs that a macro makes of such a list.

use super::Broken;
use super::source_text;
use std::path::Path;

/// The most fields.
const FIELDS: usize = 15;

/// Structs that may have more, each as package, name, and why.
const EXCEPT: &[(&str, &str, &str)] = &[
    ("fourstamp-cli", "Common", ARGUMENTS),
    ("fourstamp-cli", "RunArgs", ARGUMENTS),
    ("fourstamp-cli", "WarpCommon", ARGUMENTS),
    ("fourstamp-document", "Trace", "what the typed charts may say of a line or its bars"),
    ("fourstamp-record", "NodeSheet", SHEET),
    ("fourstamp-record", "Row", "the columns of a message, in one cache line"),
    ("fourstamp-record", "RunInfo", SHEET),
    ("fourstamp-stats", "Analysis", SHEET),
    ("fourstamp-streams", "SocketsFacts", SHEET),
    ("fourstamp-stats", "Row", "the columns of a message that stories ask for"),
    ("fourstamp-warp", "Summary", SHEET),
    ("fourstamp-pager-facts", "Paged", SHEET),
    ("fourstamp-pager", "Status", COUNTERS),
    ("fourstamp-pager", "VaultStatus", COUNTERS),
    ("fourstamp-timewarp", "Counters", COUNTERS),
    ("fourstamp-timewarp", "NodeCounters", COUNTERS),
    ("fourstamp-timewarp", "RareCounters", COUNTERS),
    ("fourstamp-timewarp", "Options", "a field a row of the engine's options"),
    ("fourstamp-models", "DivisionState", "an object of its document"),
];

const ARGUMENTS: &str = "a field an argument, in the order of the command's help";
const COUNTERS: &str = "counters: each changes by itself";
const SHEET: &str = "a sheet that is written and read as one flat list";

/// Checks one source file of a package, named from the root.
pub fn check(package: &str, file: &Path, source: &str) -> Vec<Broken> {
    if source_text::is_tests(file) {
        return Vec::new();
    }
    let code = source_text::code(source);
    let large = structs(&code).filter(|(_, _, fields)| *fields > FIELDS);
    let excused = |name: &str| EXCEPT.iter().any(|e| (e.0, e.1) == (package, name));
    large
        .filter(|(_, name, _)| !excused(name))
        .map(|(at, name, fields)| Broken {
            place: format!("{}:{}", file.display(), 1 + code[..at].matches('\n').count()),
            what: format!(
                "`{name}` has {fields} fields, at most {FIELDS}: cut it by what changes together, \
                 or say why not"
            ),
        })
        .collect()
}

/// Each struct with named fields: where it is, its name, how many there are.
fn structs(code: &str) -> impl Iterator<Item = (usize, &str, usize)> {
    code.match_indices("struct ").filter_map(|(at, word)| {
        let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let rest = &code[at + word.len()..];
        let name = &rest[..rest.find(|c| !part_of_name(c))?];
        let alone = !code[..at].ends_with(part_of_name) && !name.is_empty();
        let body = &rest[name.len() + body(&rest[name.len()..])?..];
        alone.then(|| (at, name, fields(body)))
    })
}

/// Where the fields begin, behind generics and bounds; a struct without named fields has none.
fn body(after_name: &str) -> Option<usize> {
    let mut depth = 0i32;
    for (at, c) in after_name.char_indices() {
        match c {
            '{' if depth == 0 => return Some(at + 1),
            ';' if depth == 0 => return None,
            '(' if depth == 0 && !after_name[..at].contains("where") => return None,
            _ => depth += change(&after_name[..at], c),
        }
    }
    None
}

/// The fields of a body, up to the brace that ends it.
fn fields(body: &str) -> usize {
    let (mut depth, mut fields, mut named) = (0, 0, false);
    for (at, c) in body.char_indices() {
        match c {
            '}' if depth == 0 => break,
            ':' if depth == 0 => named = true,
            ',' if depth == 0 => fields += usize::from(std::mem::take(&mut named)),
            _ => depth += change(&body[..at], c),
        }
    }
    fields + usize::from(named)
}

/// How a character changes the depth of brackets; `->` closes nothing.
fn change(before: &str, c: char) -> i32 {
    match c {
        '(' | '[' | '{' | '<' => 1,
        '>' if before.ends_with('-') => 0,
        ')' | ']' | '}' | '>' => -1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(package: &str, file: &str, source: &str) -> Vec<String> {
        let broken = check(package, Path::new(file), source).into_iter();
        broken.map(|b| format!("{}: {}", b.place, b.what)).collect()
    }

    /// A struct of so many fields whose types have commas and colons of their own.
    fn planted(fields: usize) -> String {
        let lines = (0..fields).map(|at| {
            format!(
                "    /// One: two, three.\n    #[x(a, b: c)]\n    pub f{at}: Map<a::B, (C, D)>,\n"
            )
        });
        format!("use a::b;\n\npub struct Planted {{\n{}}}\n", lines.collect::<String>())
    }

    #[test]
    fn a_struct_of_sixteen_fields_is_found_and_one_of_fifteen_is_not() {
        let file = "crates/net/fabric/src/a.rs";
        assert_eq!(found("fourstamp-fabric", file, &planted(15)), [""; 0]);
        let broken = found("fourstamp-fabric", file, &planted(16));
        let start = "crates/net/fabric/src/a.rs:3: `Planted` has 16 fields";
        assert!(broken.len() == 1 && broken[0].starts_with(start), "{broken:?}");
    }

    #[test]
    fn tests_and_what_has_its_reason_are_left_alone() {
        let source = planted(16);
        assert_eq!(found("fourstamp-fabric", "crates/net/fabric/src/a/tests.rs", &source).len(), 0);
        let in_tests = format!("#[cfg(test)]\nmod tests {{\n{source}}}\n");
        assert_eq!(found("fourstamp-fabric", "src/a.rs", &in_tests).len(), 0);
        let (package, name, _) = EXCEPT[0];
        let source = source.replace("Planted", name);
        assert_eq!(found(package, "src/a.rs", &source).len(), 0);
        assert_eq!(found("fourstamp-fabric", "src/a.rs", &source).len(), 1);
    }

    #[test]
    fn fields_are_counted_whatever_stands_before_and_in_them() {
        for (code, expected) in [
            ("struct A;", None),
            ("struct A(u8, u8);", None),
            ("struct A<T>(T) where T: B;", None),
            ("struct A {}", Some(0)),
            ("struct A { b: u8 }", Some(1)),
            ("struct A<T: Fn(u8) -> u8, const N: usize> { b: T, c: [T; N], }", Some(2)),
            ("struct A<T> where T: Fn(u8) -> u8 { b: fn(u8, u8) -> (u8, u8), c: T }", Some(2)),
            ("constructs A { b: u8 }", None),
        ] {
            assert_eq!(structs(code).map(|(_, _, fields)| fields).next(), expected, "{code}");
        }
    }
}
