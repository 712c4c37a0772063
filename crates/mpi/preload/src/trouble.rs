//! What goes wrong in here is said once on standard error, in one line, and never ends the program.

use mpi_facts::variables::TROUBLE_FILE;
use std::io::Write;
use std::path::Path;

/// Say it once in the whole job: by whoever makes the file first. Where no file can be made (a full
/// disk), rank 0 says it.
pub fn say_once(live: &Path, rank: i32, what: &str) {
    match std::fs::File::create_new(live.join(TROUBLE_FILE)) {
        Ok(mut file) => {
            let _ = writeln!(file, "{what}");
            say(what);
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(_) if rank <= 0 => say(what),
        Err(_) => {}
    }
}

/// Say it, in one write: other ranks write to the same place.
pub fn say(what: &str) {
    let _ = std::io::stderr().write_all(format!("fourstamp: {what}\n").as_bytes());
}

/// The program calls a function that its MPI library lacks. Without the tracer the loader would
/// have ended it.
pub fn no_such_function(name: &str) -> ! {
    say(&format!(
        "the program calls MPI_{name}, which its MPI library does not have; link it with a library \
        that does"
    ));
    // SAFETY: ends the process at once, as the loader does on a missing symbol, with its exit code.
    unsafe { libc::_exit(127) }
}
