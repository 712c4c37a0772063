//! Programs in C and C++, linked with either library: what they record is what they did, and wrong
//! use is an error and no crash.
#![allow(clippy::unwrap_used)] // in a test a failure is what `unwrap` reports

mod build;
mod misuse;
mod planted;

use build::{Built, LINKS, Language};
use record::Run;

#[test]
fn the_example_records_every_message_with_either_library_and_as_cpp() {
    for language in [Language::C, Language::Cpp] {
        for link in LINKS {
            let Some(built) = Built::of("../../../examples/c/two_processes.c", language, link)
            else {
                return;
            };
            let path = built.folder().join("run");
            let said = built.run(&[path.to_str().unwrap()]);
            assert!(said.starts_with("10000 messages; see them: "), "{said}");
            let run = Run::open(&path).unwrap();
            assert!(run.info.lost.is_nothing(), "{:?}", run.info.lost);
            assert_eq!((run.rows(), run.info.workload.as_str()), (10_000, "two_processes"));
            assert_eq!(run.info.transport, "socketpair");
            let ordered = planted::rows(&run);
            assert!(ordered.iter().map(|row| row.seq).eq(0..10_000), "each number once, in order");
            for row in ordered {
                let stamps = [row.ready, row.sent, row.arrived, row.taken];
                assert!(stamps.is_sorted(), "{stamps:?}");
                assert_eq!((row.src, row.dst, row.bytes), (0, 1, 64));
            }
        }
    }
}

/// The shared library shows what the header declares, and nothing else.
#[test]
fn only_the_header_is_exported() {
    let Some(mut names) = build::exported() else { return };
    let header = include_str!("../../include/fourstamp.h");
    let begins = |line: &&str| line.contains(" fourstamp_") || line.contains(" *fourstamp_");
    let declarations = header.lines().filter(|line| line.starts_with(|c: char| c.is_lowercase()));
    let functions = declarations.filter(|line| line.contains('(')).filter(begins);
    let mut declared: Vec<&str> =
        functions.filter_map(|line| line.split('(').next()?.rsplit([' ', '*']).next()).collect();
    declared.sort_unstable();
    names.sort_unstable();
    assert_eq!(names, declared);
    assert_eq!(declared.len(), 16);
}
