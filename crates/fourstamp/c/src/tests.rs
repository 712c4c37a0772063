//! The header and the library agree: a C compiler says what the one holds, and it is compared with
//! the other.

use crate::failure::{Code, OK};
use crate::node::{Counts, NodeOptions};
use crate::run::RunOptions;
use record::{ABSENT, HEADER_BYTES, Kind};
use std::mem::offset_of;
use std::path::Path;
use std::process::Command;

/// What of the header has a value, and what it is here.
fn values() -> Vec<(&'static str, u64)> {
    let codes = [
        ("FOURSTAMP_NULL", Code::Null),
        ("FOURSTAMP_HANDLE", Code::Handle),
        ("FOURSTAMP_CLOSED", Code::Closed),
        ("FOURSTAMP_FORKED", Code::Forked),
        ("FOURSTAMP_SIZE", Code::Size),
        ("FOURSTAMP_ARGUMENT", Code::Argument),
        ("FOURSTAMP_HEADER", Code::Header),
        ("FOURSTAMP_HALVES", Code::Halves),
        ("FOURSTAMP_NOT_EMPTY", Code::NotEmpty),
        ("FOURSTAMP_NOT_A_RUN", Code::NotARun),
        ("FOURSTAMP_ENDED", Code::Ended),
        ("FOURSTAMP_GOING_ON", Code::GoingOn),
        ("FOURSTAMP_NODE_TAKEN", Code::NodeTaken),
        ("FOURSTAMP_DISK_FULL", Code::DiskFull),
        ("FOURSTAMP_FILE", Code::File),
        ("FOURSTAMP_MEMORY", Code::Memory),
        ("FOURSTAMP_BUG", Code::Bug),
    ];
    let mut values: Vec<_> = codes.map(|(name, code)| (name, code as u64)).into();
    values.extend([
        ("FOURSTAMP_OK", OK as u64),
        ("FOURSTAMP_DATA", Kind::Data as u64),
        ("FOURSTAMP_REPLY", Kind::Reply as u64),
        ("FOURSTAMP_ACK", Kind::Ack as u64),
        ("FOURSTAMP_OTHER", Kind::Other as u64),
        ("FOURSTAMP_HEADER_BYTES", HEADER_BYTES as u64),
        ("FOURSTAMP_ABSENT", ABSENT),
    ]);
    values
}

/// The structs of the header, with the places of their members.
fn layouts() -> Vec<(&'static str, usize)> {
    vec![
        ("sizeof(fourstamp_run_options)", size_of::<RunOptions>()),
        ("offsetof(fourstamp_run_options, size)", offset_of!(RunOptions, size)),
        ("offsetof(fourstamp_run_options, workload)", offset_of!(RunOptions, workload)),
        ("offsetof(fourstamp_run_options, transport)", offset_of!(RunOptions, transport)),
        ("sizeof(fourstamp_node_options)", size_of::<NodeOptions>()),
        ("offsetof(fourstamp_node_options, size)", offset_of!(NodeOptions, size)),
        ("offsetof(fourstamp_node_options, capacity_rows)", offset_of!(NodeOptions, capacity_rows)),
        ("offsetof(fourstamp_node_options, in_memory)", offset_of!(NodeOptions, in_memory)),
        ("offsetof(fourstamp_node_options, wait)", offset_of!(NodeOptions, wait)),
        ("offsetof(fourstamp_node_options, halves)", offset_of!(NodeOptions, halves)),
        ("offsetof(fourstamp_node_options, reserved)", offset_of!(NodeOptions, reserved)),
        ("sizeof(fourstamp_counts)", size_of::<Counts>()),
        ("offsetof(fourstamp_counts, size)", offset_of!(Counts, size)),
        ("offsetof(fourstamp_counts, recorded)", offset_of!(Counts, recorded)),
        ("offsetof(fourstamp_counts, dropped)", offset_of!(Counts, dropped)),
    ]
}

#[test]
fn what_the_header_says_is_what_the_library_has() {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let folder = tempfile::tempdir().unwrap();
    let mut expected: Vec<(String, u64)> =
        values().into_iter().map(|(name, value)| (name.into(), value)).collect();
    expected.extend(layouts().into_iter().map(|(name, value)| (name.into(), value as u64)));
    let lines: String = expected
        .iter()
        .map(|(name, _)| format!("printf(\"%llu\\n\", (unsigned long long)({name}));\n"))
        .collect();
    let source = folder.path().join("values.c");
    let program = folder.path().join("values");
    let text = format!("#include <fourstamp.h>\n#include <stdio.h>\nint main(void) {{\n{lines}}}");
    std::fs::write(&source, text).unwrap();
    let mut compile = Command::new("cc");
    compile.arg("-I").arg(&include).arg(&source).arg("-o").arg(&program);
    let Ok(compiled) = compile.status() else {
        return println!("skipped: there is no C compiler (apt install gcc)");
    };
    assert!(compiled.success());
    let said = Command::new(&program).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let found: Vec<(String, u64)> = expected
        .iter()
        .map(|(name, _)| name.clone())
        .zip(said.lines().map(|line| line.parse().unwrap()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn each_code_is_in_the_comparison() {
    let header = include_str!("../include/fourstamp.h");
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define FOURSTAMP_"));
    let plain = defined.filter(|line| line.contains(' ') && !line.contains("_INIT"));
    let names: Vec<&str> = plain.filter_map(|line| line.split(' ').next()).collect();
    let known: Vec<&str> =
        values().iter().filter_map(|(name, _)| name.strip_prefix("FOURSTAMP_")).collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !known.contains(name)).collect();
    assert!(missing.is_empty() && names.len() == known.len(), "{missing:?}");
}
