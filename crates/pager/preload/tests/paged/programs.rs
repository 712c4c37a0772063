//! Programs that nobody wrote for this.

use crate::common::{Bench, alone, is_there, modes, packed};
use std::fmt::Write;

/// A program that says nothing of its memory: the same output both ways, and with a broken policy
/// none, so it is paged.
fn same_and_paged(bench: &Bench, words: &[&str]) {
    let plain = bench.plain(words);
    assert_eq!(plain.code, Some(0), "{plain:?}");
    for mode in modes() {
        let paged = bench.paged(words, &mode);
        assert_eq!((paged.code, &paged.out), (plain.code, &plain.out), "{mode}: {}", paged.err);
    }
    let refused = bench.paged(words, &serde_json::json!({ "policy": "nonsense" }));
    assert_eq!(refused.code, Some(2), "it did without paged memory: {refused:?}");
}

#[test]
fn gnu_sort_puts_out_the_same_lines() {
    let (_alone, bench) = (alone(), Bench::new());
    if !is_there("sort", &["--version"]) {
        return;
    }
    let mut text = String::new();
    let mut number = 88_172_645_463_325_252u64;
    for _ in 0..90_000 {
        number =
            number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        writeln!(text, "{:016x} a line of some length", number.rotate_left(17)).unwrap();
    }
    std::fs::write(bench.file("lines"), text).unwrap();
    let (lines, folder) = (bench.file("lines"), bench.file("."));
    same_and_paged(&bench, &["sort", "-S", "32M", "--parallel=2", "-T", &folder, &lines]);
    // In little room of its own it writes pieces and merges them.
    same_and_paged(&bench, &["sort", "-S", "1M", "-T", &folder, &lines]);
}

#[test]
fn numpy_computes_the_same() {
    let (_alone, bench) = (alone(), Bench::new());
    // The system's Python, or one that has numpy.
    let python = std::env::var("FOURSTAMP_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    if is_there(&python, &["-c", "import numpy"]) {
        same_and_paged(&bench, &[&python, &Bench::source("arrays.py"), &bench.file("values")]);
    }
}

/// Interpreters, most of whose memory is small blocks: the same output both ways.
#[test]
fn interpreters_say_the_same_when_small_blocks_are_paged() {
    let (_alone, bench) = (alone(), Bench::new());
    let programs: &[(&str, &str, &str)] = &[
        (
            "python3",
            "-c",
            "d = {i: str(i) * 3 for i in range(150000)}; print(sum(map(len, d.values())))",
        ),
        (
            "perl",
            "-e",
            "my %h; $h{$_} = $_ x 3 for 1..120000; my $s = 0; $s += length for values %h; print $s",
        ),
        (
            "awk",
            "--",
            "BEGIN { for (i = 0; i < 150000; i++) a[i] = i \" \" i
            for (i in a) s += length(a[i]); print s }",
        ),
    ];
    for (program, flag, text) in programs {
        if !is_there(program, &["--version"]) {
            continue;
        }
        let words = [*program, *flag, *text];
        let plain = bench.plain(&words);
        for mode in packed(24 << 20) {
            let paged = bench.paged(&words, &mode);
            assert_eq!((paged.code, &paged.out), (plain.code, &plain.out), "{}", paged.err);
        }
        let mode = serde_json::json!({ "threshold_bytes": 0, "policy": "nonsense" });
        let refused = bench.paged(&words, &mode);
        assert_eq!(refused.code, Some(2), "it did without paged memory: {refused:?}");
    }
}

#[test]
fn fortran_arrays_and_files_are_the_same() {
    let (_alone, bench) = (alone(), Bench::new());
    if is_there("gfortran", &["--version"]) {
        let program = bench.build("sums.f90", &[]);
        same_and_paged(&bench, &[&program, &bench.file("matrix")]);
    }
}

#[test]
fn containers_aligned_objects_and_exceptions_are_the_same() {
    let (_alone, bench) = (alone(), Bench::new());
    if is_there("g++", &["--version"]) {
        let program = bench.build("values.cc", &[]);
        same_and_paged(&bench, &[&program]);
    }
}

/// One in the program itself would take its memory from the engine and the engine its memory from
/// it; one in a library is not asked by the engine.
#[test]
fn a_program_with_another_allocator_is_paged_or_refused_in_one_line() {
    let (_alone, bench) = (alone(), Bench::new());
    let library = bench.build("allocator.c", &["-shared", "-fPIC"]);
    let behind = bench.build("process.c", &[&library]);
    for (case, mode) in ["alone", "blocks"]
        .into_iter()
        .flat_map(|case| modes().into_iter().map(move |mode| (case, mode)))
    {
        let ran = bench.paged(&[&behind, case], &mode);
        if mode["user_mode_only"] == true {
            assert_eq!((ran.code, ran.err.lines().count()), (Some(2), 1), "{ran:?}");
            assert!(ran.err.contains("chmod 666 /dev/userfaultfd"), "{}", ran.err);
        } else {
            let plain = bench.plain(&[&behind, case]);
            assert_eq!((ran.code, &ran.out), (Some(0), &plain.out), "{ran:?}");
        }
    }
    let within = bench.build("process.c", &[&Bench::source("allocator.c")]);
    let refused = bench.paged(&[&within, "alone"], &serde_json::json!({}));
    assert_eq!((refused.code, refused.err.lines().count()), (Some(2), 1), "{refused:?}");
    // Linked to a fixed address, with a stub for `malloc`, whose address it takes.
    let fixed = bench.build("process.c", &["-no-pie", "-DTAKES_ADDRESS"]);
    let plain = bench.plain(&[&fixed, "alone"]);
    let paged = bench.paged(&[&fixed, "alone"], &serde_json::json!({}));
    assert_eq!((paged.code, &paged.out), (Some(0), &plain.out), "{paged:?}");
    // What is small is nobody's concern.
    let small = bench
        .paged(&["env", &format!("LD_PRELOAD={library}"), "echo", "small"], &serde_json::json!({}));
    assert_eq!((small.code, small.out.as_str(), small.err.as_str()), (Some(0), "small\n", ""));
}
