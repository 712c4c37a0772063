//! The programs of examples/mpi: what they print, in both languages.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mpi").join(name)
}

/// Built by the compiler of the installed MPI library; `None`, said, where there is none.
fn build(folder: &Path, name: &str) -> Option<PathBuf> {
    let compiler = if name.ends_with(".c") { "mpicc" } else { "mpifort" };
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !there(compiler) || !there("mpirun") {
        println!("skipped: {compiler} and mpirun are not both installed");
        return None;
    }
    let program = folder.join(name.replace('.', "-"));
    let built = Command::new(compiler)
        .args(["-O1", "-Wall", "-o"])
        .arg(&program)
        .arg(source(name))
        .arg("-lm")
        .current_dir(folder)
        .output()
        .expect("the compiler starts");
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && said.is_empty(), "{said}");
    Some(program)
}

fn start(program: &Path, ranks: &str, words: &[&str]) -> Output {
    let mut command = Command::new("mpirun");
    command.args(["-n", ranks]).arg(program).args(words);
    command.current_dir(program.parent().expect("the folder that it was built in"));
    crate::common::for_open_mpi(&mut command);
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
    command.output().expect("mpirun starts")
}

/// The rows below the heading.
fn rows(output: &Output, heading: &str) -> Vec<Vec<f64>> {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{out}\n{err}");
    let mut lines = out.lines();
    assert_eq!(lines.next(), Some(heading), "{out}");
    let number = |cell: &str| cell.trim().parse().expect("a number");
    lines.map(|line| line.split(',').map(number).collect()).collect()
}

#[test]
fn pingpong_lists_fifty_round_trips_of_two_integers() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["mpi_pingpong.c", "mpi_pingpong.f90"] {
        let Some(program) = build(folder.path(), name) else { return };
        let rows = rows(&start(&program, "2", &[]), "trip,integers,us");
        assert_eq!(rows.len(), 50, "{name}");
        for (row, trip) in rows.iter().zip(1..) {
            assert!(row[0] == f64::from(trip) && row[1] == 2.0 && row[2] >= 0.0, "{name} {row:?}");
        }
        assert_eq!(start(&program, "2", &["none"]).status.code(), Some(2), "{name}");
        assert_eq!(start(&program, "1", &[]).status.code(), Some(2), "{name}");
    }
}

#[test]
fn packet_check_takes_every_size_of_a_range() {
    let folder = tempfile::tempdir().expect("a folder");
    let heading = "integers,trips,min_us,max_us,average_us,sd_us";
    let range = |name: &str| match name.ends_with(".c") {
        true => ["--from=", "--to=", "--step=", "--trips="].map(str::to_string).to_vec(),
        false => vec![String::new(); 4],
    };
    for name in ["mpi_packetCheck.c", "mpi_packetCheck.f90"] {
        let Some(program) = build(folder.path(), name) else { return };
        let words: Vec<String> = range(name)
            .iter()
            .zip(["3", "12", "3", "5"])
            .flat_map(|(option, value)| {
                let option = option.trim_end_matches('=').to_string();
                [option, value.to_string()].into_iter().filter(|word| !word.is_empty())
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let rows = rows(&start(&program, "2", &words), heading);
        assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [3.0, 6.0, 9.0, 12.0]);
        for row in rows {
            let [_, trips, least, most, average, sd] = row[..] else { panic!("{row:?}") };
            assert!(trips == 5.0 && least <= average && average <= most, "{name} {row:?}");
            // No sample of five deviates by more than the whole range.
            assert!(0.0 <= sd && sd <= most - least + 0.001, "{name} {row:?}");
        }
    }
    let Some(program) = build(folder.path(), "mpi_packetCheck.c") else { return };
    let named = rows(&start(&program, "2", &["1947", "42", "--trips", "3"]), heading);
    assert_eq!(named.iter().map(|row| row[0]).collect::<Vec<_>>(), [1947.0, 42.0]);
    assert_eq!(start(&program, "2", &["7", "--to", "9"]).status.code(), Some(2));
}
