//! Programs that send no message themselves.

use super::{HERE, folder, mpi_program, succeed, trace};

#[test]
fn a_program_of_collectives_alone_has_no_stages_and_says_so() {
    let home = folder();
    let Some(program) = mpi_program("openmpi", "kinds", home.path()) else { return };
    std::fs::write(home.path().join("here.toml"), HERE).unwrap();
    trace(home.path(), "openmpi", "run", &format!("-n 4 {} collectives", program.display()));
    let said = succeed(home.path(), "predict run --from here.toml --latency +1ms --anyway");
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("there is none whose stages could be shown"), "{said}");
    assert!(words.contains("with 1 ms more latency it takes"), "{said}");
    assert!(!said.contains("NaN"), "{said}");
}
