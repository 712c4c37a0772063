//! An archive of any bytes from another host: the files of a run, in their own folder, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mpi_job::collect::unpack;

fuzz_target!(|bytes: &[u8]| {
    let outer = tempfile::tempdir().expect("a temporary folder");
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).expect("it can be made");
    let _ = unpack(bytes, &inner);
    let beside = std::fs::read_dir(outer.path()).expect("readable").count();
    assert_eq!(beside, 1, "nothing is written elsewhere");
});
