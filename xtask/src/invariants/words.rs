//! Words that a package's source must not hold.

use super::Broken;
use super::source_text;
use std::path::Path;

/// Packages whose job needs unsafe code; in every other one the compiler forbids it.
const MAY_BE_UNSAFE: &[&str] = &[
    "fourstamp-c",
    "fourstamp-clock",
    "fourstamp-memory",
    "fourstamp-fabric",
    "fourstamp-interpose",
    "fourstamp-mpitrace",
    "fourstamp-otf2",
    "fourstamp-rmem",
    "fourstamp-rmem-preload",
    "fourstamp-sockettrace",
];
/// Programs: they print, exit, and pass errors of every kind on to a person.
const PROGRAMS: &[&str] = &["fourstamp-cli", "xtask", "fourstamp-examples"];
/// Packages without clock, file, thread or system call: all of these are arguments there.
const PURE: &[&str] = &[
    "fourstamp-stats",
    "fourstamp-timewarp",
    "fourstamp-models",
    "fourstamp-pager",
    "fourstamp-pager-facts",
    "fourstamp-machine",
    "fourstamp-predict",
    "fourstamp-reproduce",
];

const PRINTING: &[&str] = &[
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
    "process::exit",
    "anyhow::",
    "todo!",
    "unimplemented!",
];
const IMPURE: &[&str] = &[
    "std::fs",
    "std::thread",
    "std::net",
    "std::env",
    "std::process",
    "std::time",
    "std::io",
    "std::os",
    "Instant",
    "SystemTime",
    "Clock::",
    "rustix::",
    "libc::",
];
/// What products call what is theirs.
const PRODUCTS: &[&str] = &[
    "Anti",
    "Collection",
    "Execution",
    "Gvt",
    "GvtRound",
    "PageIn",
    "PageOut",
    "Parity",
    "Rollback",
    "Sendback",
    "gvt",
    "mpi",
    "pager",
    "rmem",
    "rollback",
    "timewarp",
    "warp",
];
/// Where core and net name what is a product's all the same, and why.
const NAMED: &[(&str, &str)] = &[
    ("crates/core/record/src/kind.rs", "the list of kinds is written once, a line each"),
    ("crates/core/stats/src/story", STORY),
    ("crates/core/report/src/story", STORY),
    ("crates/net/fabric/src/lib.rs", TRANSPORT),
    ("crates/net/fabric/src/transports", TRANSPORT),
];
const STORY: &str =
    "a message's story goes from queues to rollbacks and back: one search tells both";
const TRANSPORT: &str = "MPI is what carries messages here, not what is traced";
const VAGUE_MODULES: &[&str] = &["utils", "util", "helpers", "helper", "manager", "common", "misc"];

/// Checks one source file of a package.
pub fn check(package: &str, file: &Path, source: &str) -> Vec<Broken> {
    let mut broken = Vec::new();
    // Tests in files of their own may do what tests at the end of a file may.
    let code = if source_text::is_tests(file) { String::new() } else { source_text::code(source) };
    if !MAY_BE_UNSAFE.contains(&package) {
        forbid(
            &mut broken,
            file,
            &code,
            &["unsafe"],
            "unsafe code lives in the C interface, clock, memory, fabric, otf2, rmem and preload \
             libraries alone",
        );
        broken.extend(root_without_forbid(file, &code));
    }
    if !PROGRAMS.contains(&package) {
        forbid(
            &mut broken,
            file,
            &code,
            PRINTING,
            "a library returns; only the programs print, exit or use anyhow",
        );
    }
    if PURE.contains(&package) {
        forbid(
            &mut broken,
            file,
            &code,
            IMPURE,
            "this package is pure: time, files and threads belong to its caller",
        );
    }
    if knows_no_product(file) {
        forbid(&mut broken, file, &code, PRODUCTS, "core and net name no product");
    }
    broken.extend(vague_name(file));
    broken
}

/// Whether a file of core or net may not name what is a product's.
fn knows_no_product(file: &Path) -> bool {
    let below = |folder: &str| file.to_string_lossy().starts_with(folder);
    ["crates/core/", "crates/net/"].into_iter().any(below)
        && !NAMED.iter().any(|(place, _)| below(place))
}

fn forbid(broken: &mut Vec<Broken>, file: &Path, code: &str, words: &[&str], why: &str) {
    for (number, line) in code.lines().enumerate() {
        for word in words.iter().filter(|word| holds_word(line, word)) {
            let place = format!("{}:{}", file.display(), number + 1);
            broken.push(Broken { place, what: format!("`{word}`: {why}") });
        }
    }
}

/// Whether the word stands by itself: `unsafe` is not in `unsafe_code`, `print!` is not in
/// `eprint!`.
fn holds_word(line: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        let goes_on = word.ends_with(part_of_name) && after.starts_with(part_of_name);
        !before.ends_with(part_of_name) && !goes_on
    })
}

/// The root of a package (not of a module) must tell the compiler to forbid unsafe code.
fn root_without_forbid(file: &Path, code: &str) -> Option<Broken> {
    let is_root = file.ends_with("src/lib.rs") || file.ends_with("src/main.rs");
    (is_root && !code.contains("#![forbid(unsafe_code)]")).then(|| Broken {
        place: file.display().to_string(),
        what: "lacks `#![forbid(unsafe_code)]`".into(),
    })
}

fn vague_name(file: &Path) -> Option<Broken> {
    let vague = file.iter().find(|part| {
        VAGUE_MODULES.iter().any(|name| Path::new(part).with_extension("") == Path::new(name))
    })?;
    let what =
        format!("a module named `{}` says nothing: name it by what it does", vague.display());
    Some(Broken { place: file.display().to_string(), what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_files_of_their_own_are_left_alone() {
        let printing = "fn f() { println!(); }";
        for file in ["crates/core/stats/src/a/tests.rs", "crates/core/stats/src/tests/a.rs"] {
            assert_eq!(found("fourstamp-stats", file, printing), [""; 0]);
        }
        assert_eq!(
            found("fourstamp-stats", "crates/core/stats/src/protests.rs", printing).len(),
            1
        );
        assert_eq!(found("fourstamp-stats", "tests/crates/core/stats/src/a.rs", printing).len(), 1);
    }

    fn found(package: &str, file: &str, source: &str) -> Vec<String> {
        check(package, Path::new(file), source)
            .into_iter()
            .map(|b| format!("{}: {}", b.place, b.what))
            .collect()
    }

    fn only(found: Vec<String>, start: &str) {
        assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
    }

    #[test]
    fn unsafe_code_has_its_places() {
        let source = "// unsafe is fine in words\nfn f() { unsafe { g() } }";
        only(
            found("fourstamp-record", "crates/core/record/src/a.rs", source),
            "crates/core/record/src/a.rs:2: `unsafe`",
        );
        assert!(found("fourstamp-clock", "crates/core/clock/src/a.rs", source).is_empty());
        only(
            found("fourstamp-record", "crates/core/record/src/lib.rs", ""),
            "crates/core/record/src/lib.rs: lacks",
        );
        assert!(
            found("fourstamp-record", "crates/core/record/src/lib.rs", "#![forbid(unsafe_code)]")
                .is_empty()
        );
    }

    #[test]
    fn a_library_does_not_print_and_a_program_does() {
        let source = "fn f() { eprintln!(\"x\") }";
        only(found("fourstamp-bench", "src/a.rs", source), "src/a.rs:1: `eprintln!`");
        assert!(found("fourstamp-cli", "src/a.rs", source).is_empty());
        assert!(found("fourstamp-bench", "src/a.rs", "fn f() { sprint!() }").is_empty());
    }

    #[test]
    fn statistics_read_no_clock() {
        only(
            found("fourstamp-stats", "src/a.rs", "let t = Instant::now();"),
            "src/a.rs:1: `Instant`",
        );
        assert!(
            found("fourstamp-stats", "src/a.rs", "#[cfg(test)]\nmod tests { use std::fs; }")
                .is_empty()
        );
        assert!(found("fourstamp-stats", "src/a.rs", "struct InstantRate;").is_empty());
    }

    #[test]
    fn core_and_net_name_no_product() {
        let source = "fn f(kind: Kind) -> bool { kind == Kind::Rollback }";
        only(
            found("fourstamp-stats", "crates/core/stats/src/a.rs", source),
            "crates/core/stats/src/a.rs:1: `Rollback`: core and net",
        );
        assert!(found("fourstamp-sim-lens", "crates/sim/lens/src/a.rs", source).is_empty());
        let story = "crates/core/stats/src/story/chain.rs";
        assert!(found("fourstamp-stats", story, source).is_empty());
    }

    #[test]
    fn a_vague_name_is_refused() {
        only(
            found("fourstamp-clock", "crates/core/clock/src/utils.rs", ""),
            "crates/core/clock/src/utils.rs: a module",
        );
        only(
            found("fourstamp-clock", "crates/core/clock/src/helpers/a.rs", ""),
            "crates/core/clock/src/helpers/a.rs: a module",
        );
        assert!(found("fourstamp-clock", "crates/core/clock/src/utility_curve.rs", "").is_empty());
    }
}
