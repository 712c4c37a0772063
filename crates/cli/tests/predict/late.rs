//! Messages to who comes late: from which size on they wait for their receives.

use super::{HERE, completion, folder, mpi_program, succeed, trace};

/// Eight rounds take 160 ms where messages go at once, and 320 where they wait.
#[test]
fn the_size_from_which_on_messages_of_mpich_wait_is_read_off_the_recording() {
    let home = folder();
    let Some(program) = mpi_program("mpich", "late", home.path()) else { return };
    std::fs::write(home.path().join("here.toml"), HERE).unwrap();
    std::fs::write(home.path().join("told.toml"), format!("{HERE}eager = \"8MiB\"\n")).unwrap();
    for (bytes, waits) in [(1000, false), (20_000, true), (1_000_000, true)] {
        let run = format!("run-{bytes}");
        trace(home.path(), "mpich", &run, &format!("-n 2 {} 8 {bytes}", program.display()));
        let command = format!("predict {run} --anyway --bandwidth 1x --from");
        let of = |machine: &str| completion(home.path(), &format!("{command} {machine}"));
        let (here, told) = (of("here.toml"), of("told.toml"));
        // What the scheduler did is in the recording: sleeps may only have become longer.
        assert!(told.recorded > 0.160, "{}", told.recorded);
        let ratio = here.recorded / told.recorded;
        let expected = if waits { 1.6..2.4 } else { 0.99..1.01 };
        assert!(expected.contains(&ratio), "{bytes}: {} {}", here.recorded, told.recorded);
        assert!(!waits || here.measured > 0.320, "{bytes}: {}", here.measured);
        let said = succeed(home.path(), &format!("{command} here.toml"));
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = "wait for their receives, as the recording shows";
        assert_eq!(said.contains(words), waits, "{said}");
    }
}
