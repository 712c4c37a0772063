//! A messages file of any bytes: rows or an error that names the file, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use record::{Batch, Field, chunks_of_file};
use std::cell::RefCell;

thread_local! {
    static FOLDER: tempfile::TempDir = tempfile::tempdir().expect("a folder for the file");
    static BATCH: RefCell<Batch> = RefCell::default();
}

fuzz_target!(|bytes: &[u8]| {
    let path = FOLDER.with(|folder| folder.path().join("messages.parquet"));
    std::fs::write(&path, bytes).expect("room for the file");
    let chunks = match chunks_of_file(&path) {
        Ok(chunks) => chunks,
        Err(error) => {
            assert!(error.to_string().contains("messages.parquet"));
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
