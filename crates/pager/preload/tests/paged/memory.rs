//! Allocations and mappings of programs that are paged: the same as without.

use crate::common::{Bench, alone, modes, packed};
use serde_json::json;

#[test]
fn the_allocation_functions_keep_what_is_in_their_blocks() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("heap.c", &["-fno-builtin"]);
    bench.same_both_ways(&[&program, "1500"], 3 * crate::common::LOCAL_BYTES);
}

#[test]
fn with_a_threshold_of_0_small_blocks_are_paged_too() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("small.c", &[]);
    bench.same_in(&packed(16 << 20), &[&program], 24 << 20);
    let program = bench.build("heap.c", &["-fno-builtin"]);
    let words = [program.as_str(), "1500", "packed"];
    bench.same_in(&packed(crate::common::LOCAL_BYTES), &words, 3 * crate::common::LOCAL_BYTES);
}

#[test]
fn a_threshold_of_0_is_refused_where_system_calls_would_fail() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("small.c", &[]);
    let mode = json!({ "threshold_bytes": 0, "user_mode_only": true });
    let refused = bench.paged(&[&program], &mode);
    assert_eq!((refused.code, refused.err.lines().count()), (Some(2), 1), "{refused:?}");
    assert!(refused.err.contains("chmod 666 /dev/userfaultfd"), "{}", refused.err);
    // What has little memory needs no engine.
    let small = bench.paged(&["echo", "small"], &mode);
    assert_eq!((small.code, small.out.as_str(), small.err.as_str()), (Some(0), "small\n", ""));
}

#[test]
fn mappings_can_be_cut_grown_moved_forgotten_and_replaced() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("maps.c", &[]);
    bench.same_both_ways(&[&program], 2 * crate::common::LOCAL_BYTES);
}

#[test]
fn what_is_reserved_first_is_paged_once_it_is_accessible() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("reserved.c", &[]);
    bench.same_both_ways(&[&program], 4 * crate::common::LOCAL_BYTES);
}

#[test]
fn the_kernel_and_streams_fill_and_read_paged_buffers() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("calls.c", &[]);
    bench.same_both_ways(&[&program, &bench.file("data")], 3 * crate::common::LOCAL_BYTES);
}

#[test]
fn checked_calls_are_the_same_calls() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("calls.c", &["-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]);
    bench.same_both_ways(&[&program, &bench.file("data")], 3 * crate::common::LOCAL_BYTES);
}

#[test]
fn what_paged_memory_has_not_is_refused_in_one_line_each() {
    let (_alone, bench) = (alone(), Bench::new());
    let program = bench.build("refusals.c", &[]);
    for mode in modes() {
        let ran = bench.paged(&[&program], &mode);
        let expected = "mlock: ENOMEM\nmlock2: ENOMEM\nmlockall: ENOMEM\nmprotect to the same: \
        done\nmprotect: ENOMEM\n\
            mprotect of a part: done\nwipe on fork: EINVAL\nmremap to a place: ENOMEM\n";
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected), "{}", ran.err);
        let said = ran.said();
        for what in [
            "mlock of paged memory",
            "mlockall",
            "mprotect of more paged memory than can be kept in --local",
            "mremap to a fixed place",
        ] {
            let lines = said.iter().filter(|line| line.contains(&format!(": {what} is refused")));
            assert_eq!(lines.count(), 1, "{what}: {said:?}");
        }
    }
}

#[test]
fn the_c_interface_gives_paged_memory_to_programs_that_ask_for_it() {
    let (_alone, bench) = (alone(), Bench::new());
    let library = crate::common::library();
    let folder = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let program = bench.build("interface.c", &[library.to_str().unwrap(), &folder]);
    let plain = bench.plain(&[&program]);
    assert_eq!((plain.code, plain.out.as_str()), (Some(0), "0 0 0\n"), "{}", plain.err);
    for mode in modes() {
        let paged = bench.paged(&[&program], &mode);
        assert_eq!((paged.code, paged.out.as_str()), (Some(0), "1 1 102400\n"), "{}", paged.err);
    }
}
