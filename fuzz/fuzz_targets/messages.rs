//! A messages file of any bytes: rows or an error that names the file, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{Batch, Field, chunks_of_file};
use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::AsRawFd;

thread_local! {
    /// Without a name: a fuzzer ends without a destructor, and would leave a folder each time.
    static FILE: RefCell<File> = RefCell::new(tempfile::tempfile().expect("a temporary file"));
    static BATCH: RefCell<Batch> = RefCell::default();
}

fuzz_target!(|bytes: &[u8]| {
    let path = FILE.with_borrow_mut(|file| {
        file.rewind().expect("it is a file");
        file.set_len(0).expect("it is ours");
        file.write_all(bytes).expect("room for the file");
        format!("/proc/self/fd/{}", file.as_raw_fd())
    });
    let chunks = match chunks_of_file(&path) {
        Ok(chunks) => chunks,
        Err(error) => {
            assert!(error.to_string().contains(&path));
            return;
        }
    };
    BATCH.with_borrow_mut(|batch| {
        for chunk in &chunks {
            for field in Field::ALL {
                if chunk.read(&[field], batch).is_ok() {
                    assert_eq!(batch.column(field).iter(chunk.rows()).count(), chunk.rows());
                }
            }
        }
    });
});
