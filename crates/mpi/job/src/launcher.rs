//! Which launcher starts the ranks, and how it is told what the ranks' environment must hold.
//!
//! The tracer is loaded into the ranks only, where the launcher can be told so, and not into the
//! launcher itself. Across hosts Open MPI forwards no variables by itself.

use crate::JobError;
use crate::which::which;
use mpi_facts::variables::{CLOCK, LOCAL, PLANT, RUN, RUN_ID};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What starts the ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `mpirun` of Open MPI.
    OpenMpi,
    /// `mpiexec` of MPICH and its kin.
    Hydra,
    /// Slurm's.
    Srun,
    /// The program itself, or something that we do not know.
    Unknown,
}

/// Why the command starts nothing.
fn no_program(command: &OsStr) -> JobError {
    let path = Path::new(command);
    let command = command.to_string_lossy().into_owned();
    let reason = match path.metadata() {
        _ if !command.contains('/') => return JobError::NotFound { command },
        Err(_) => "there is no such file; check its path",
        Ok(facts) if facts.is_dir() => "it is a folder; give the program in it",
        Ok(_) => "it is not executable; compile it, or chmod +x it",
    };
    JobError::NoProgram { command, reason }
}

/// What the ranks need beside the library's name.
const VARIABLES: [&str; 3] = [RUN, RUN_ID, CLOCK];
/// What they need too where it is set.
const SET_AT_TIMES: [&str; 2] = [LOCAL, PLANT];

impl Launcher {
    /// By the command's name, and where two have the same name by what it says of itself.
    ///
    /// # Errors
    /// When there is no such command.
    pub fn of(words: &[OsString]) -> Result<Launcher, JobError> {
        let command = words.first().ok_or(JobError::NoCommand)?;
        if which(command).is_none() {
            return Err(no_program(command));
        }
        let name =
            Path::new(command).file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name == "srun" {
            return Ok(Launcher::Srun);
        }
        if !["mpirun", "mpiexec", "orterun", "prterun"].iter().any(|known| name.starts_with(known))
        {
            return Ok(Launcher::Unknown);
        }
        Ok(Launcher::by_its_word(Path::new(command)))
    }

    /// By what the program says of itself.
    pub fn by_its_word(program: &Path) -> Launcher {
        let version = Command::new(program).arg("--version").stdin(Stdio::null()).output();
        let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        Launcher::by_version(&version.unwrap_or_default())
    }

    fn by_version(version: &str) -> Launcher {
        let says = |word: &str| version.contains(word);
        match () {
            () if says("Open MPI") || says("OpenRTE") || says("prte") => Launcher::OpenMpi,
            () if says("HYDRA") || says("Intel(R) MPI") => Launcher::Hydra,
            () => Launcher::Unknown,
        }
    }

    /// The command's arguments, with what makes the launcher load the tracer into the ranks.
    pub fn arguments(self, words: &[OsString], library: &Path) -> Vec<OsString> {
        let preload = Launcher::preload(library);
        let own: Vec<OsString> = match self {
            Launcher::OpenMpi => {
                let is_set = |name: &&&str| std::env::var_os(name).is_some();
                let set = VARIABLES.iter().chain(SET_AT_TIMES.iter().filter(is_set));
                let forward = set.flat_map(|name| ["-x".into(), OsString::from(name)]);
                forward.chain(["-x".into(), joined("LD_PRELOAD=", &preload)]).collect()
            }
            Launcher::Hydra => vec!["-genv".into(), "LD_PRELOAD".into(), preload],
            Launcher::Srun if !self.preloads_by_environment(words) => {
                vec![joined("--export=ALL,LD_PRELOAD=", &preload)]
            }
            Launcher::Srun | Launcher::Unknown => Vec::new(),
        };
        let rest = words[1..].iter().flat_map(|word| {
            // A colon begins another program, which has options of its own.
            let repeated =
                if self == Launcher::OpenMpi && word == ":" { own.clone() } else { Vec::new() };
            std::iter::once(word.clone()).chain(repeated)
        });
        own.iter().cloned().chain(rest.collect::<Vec<_>>()).collect()
    }

    /// What is to be loaded: the tracer, and whatever is to be loaded anyway.
    pub fn preload(library: &Path) -> OsString {
        let earlier = std::env::var_os("LD_PRELOAD").filter(|earlier| !earlier.is_empty());
        let all: Vec<OsString> =
            [Some(library.as_os_str().to_os_string()), earlier].into_iter().flatten().collect();
        all.join(OsStr::new(":"))
    }

    /// Whether the library can only be loaded by the environment of the command itself.
    pub fn preloads_by_environment(self, words: &[OsString]) -> bool {
        match self {
            Launcher::OpenMpi | Launcher::Hydra => false,
            // The user chooses what is exported: the variable is, with it.
            Launcher::Srun => words.iter().any(|word| word.as_bytes().starts_with(b"--export")),
            Launcher::Unknown => true,
        }
    }
}

fn joined(start: &str, rest: &OsStr) -> OsString {
    let mut word = OsString::from(start);
    word.push(rest);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn arguments(launcher: Launcher, text: &str) -> String {
        let arguments = launcher.arguments(&words(text), Path::new("/lib/t.so"));
        arguments.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn launchers_are_known_by_what_they_say() {
        assert_eq!(Launcher::by_version("mpirun (Open MPI) 4.1.4\n"), Launcher::OpenMpi);
        assert_eq!(
            Launcher::by_version("HYDRA build details:\n    Version: 4.0.2\n"),
            Launcher::Hydra
        );
        assert_eq!(Launcher::by_version(""), Launcher::Unknown);
    }

    #[test]
    fn every_program_of_a_job_gets_the_tracer() {
        let given = arguments(Launcher::OpenMpi, "mpirun -n 1 ./a : -n 2 ./b");
        assert_eq!(given.matches("-x LD_PRELOAD=/lib/t.so").count(), 2, "{given}");
        assert!(given.ends_with("-n 2 ./b"), "{given}");
        assert!(given.contains("-n 1 ./a : -x"), "{given}");
    }

    #[test]
    fn the_launcher_itself_is_left_alone_where_that_can_be() {
        assert_eq!(
            arguments(Launcher::Hydra, "mpiexec -n 2 ./a"),
            "-genv LD_PRELOAD /lib/t.so -n 2 ./a"
        );
        assert_eq!(arguments(Launcher::Srun, "srun ./a"), "--export=ALL,LD_PRELOAD=/lib/t.so ./a");
        assert_eq!(arguments(Launcher::Srun, "srun --export=ALL ./a"), "--export=ALL ./a");
        assert!(Launcher::Srun.preloads_by_environment(&words("srun --export=ALL ./a")));
        assert!(Launcher::Unknown.preloads_by_environment(&words("./a")));
    }
}
