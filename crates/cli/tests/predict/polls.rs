//! Traced programs that poll. Over the machine's 10 MB/s, 2 MB take 200 ms.

use super::{completion, folder, mpi_program, packets_at_once, succeed, trace};
use std::path::Path;

/// The prediction of a run, named as what its program does, for a link of 10 MB/s.
fn slow_link(how: &str) -> String {
    format!("predict {how} --from here.toml --anyway --bandwidth 0.005x")
}

/// What is predicted of rank 1 of `polls` for a link of 10 MB/s, and for the recorded machine, s.
fn predicted(home: &Path, program: &Path, mpi: &str, how: &str) -> (f64, f64) {
    trace(home, mpi, how, &format!("-n 2 {} {how}", program.display()));
    let foretold = completion(home, &slow_link(how));
    (foretold.target, foretold.recorded)
}

/// Recorded, the message is there after 50 ms, and found by the second poll, after 100 ms. Over
/// the slow link it is there after 250 ms and found by the fourth poll, after 300.
#[test]
fn a_loop_of_polls_goes_round_until_its_message_has_come() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "polls", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), packets_at_once()).unwrap();
        for how in ["until", "probe"] {
            let (slow, recorded) = predicted(home.path(), &program, mpi, how);
            // What the scheduler did is in the recording: sleeps may only have become longer.
            assert!(recorded > 0.099, "{mpi} {how}: {recorded}");
            let words = format!("{mpi} {how}: {slow} from {recorded}");
            assert!(slow > 0.297 && slow - recorded < 0.320, "{words}");
            let said = succeed(home.path(), &slow_link(how));
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains("go on until what they look for has come"), "{mpi}: {said}");
        }
    }
}

/// 2000 pieces of 20 us are 40 ms of computing, while the message takes its 200 ms: it is waited
/// for at the end, and what is computed meanwhile is not lost: it makes the difference smaller.
#[test]
fn computing_with_polls_in_between_is_played_beside_the_message() {
    for mpi in ["openmpi", "mpich"] {
        let home = folder();
        let Some(program) = mpi_program(mpi, "polls", home.path()) else { continue };
        std::fs::write(home.path().join("here.toml"), packets_at_once()).unwrap();
        let (slow, recorded) = predicted(home.path(), &program, mpi, "pieces");
        assert!(recorded > 0.040, "{mpi}: {recorded}");
        assert!(slow > 0.200 && slow - recorded < 0.165, "{mpi}: {slow} from {recorded}");
    }
}
