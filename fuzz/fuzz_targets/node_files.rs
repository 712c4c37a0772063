//! What a simulation's nodes leave, of any bytes: on other hosts, they come over the network.
#![no_main]

use libfuzzer_sys::fuzz_target;
use timewarp::Committed;
use warp::{CriticalPath, Line, NodeFiles, course, merge};

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = NodeFiles::new(folder.path(), 0);
    files.prepare().expect("it can be made");
    for name in NodeFiles::names(0) {
        std::fs::write(folder.path().join(name), bytes).expect("written");
    }
    let _ = merge(&[files.lines_path()], |_: Line| Ok(()));
    let _ = merge(&[files.trace_path()], |_: Committed| Ok(()));
    let _ = CriticalPath::of_files(&[files.links_path()]);
    let _ = course(&files.samples_path());
    let _ = files.outcome();
});
