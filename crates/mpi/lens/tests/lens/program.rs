//! The program that is read off a run.

/// A program whose beginning was not seen is played from its first call on.
#[test]
fn a_program_without_init_is_played_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, write: fn(&std::path::Path, i64)| {
        let path = folder.path().join(name);
        write(&path, 20);
        mpi_lens::program(&record::Run::open(&path).unwrap()).unwrap().recorded
    };
    let whole = read("whole", crate::mpi::write);
    let without = read("without", crate::mpi::write_without_init);
    assert_eq!(without.program.messages, whole.program.messages);
    assert!(without.measured_ns > 0 && without.measured_ns <= whole.measured_ns);
    for (course, other) in without.program.courses.iter().zip(&whole.program.courses) {
        assert!(course.steps.len().abs_diff(other.steps.len()) <= 1, "but for the first work");
    }
}
