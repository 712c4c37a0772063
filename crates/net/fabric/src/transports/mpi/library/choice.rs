//! Which MPI library is this job's? Pure but for [`here`].
//!
//! A library that is loaded already is taken. Else the one that the user names; else one of the
//! family whose launcher has started this process, first that which is installed beside the
//! launcher, then whichever the loader finds; else any.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable by which a user names the file of the MPI library.
pub const MPI_LIBRARY_VARIABLE: &str = "FOURSTAMP_MPI_LIBRARY";

/// Libraries whose launchers start each other's processes, and no others'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiFamily {
    /// Open MPI, by PMIx.
    OpenMpi,
    /// MPICH, Intel MPI, MVAPICH, Cray MPICH, by PMI.
    Mpich,
}

/// The names under which the loader finds the libraries of a family.
const SONAMES: [(MpiFamily, &[&str]); 2] = [
    (MpiFamily::OpenMpi, &["libmpi.so.40"]),
    // Debian's MPICH has the second name; the others of the family have the first, so whoever has
    // put one on the loader's path gets it.
    (MpiFamily::Mpich, &["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12", "libmpi_abi.so.1"]),
];

/// The names of all.
pub(super) fn sonames() -> impl Iterator<Item = &'static str> {
    SONAMES.iter().flat_map(|(_, names)| names.iter().copied())
}

/// A file to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub file: PathBuf,
    /// The user has asked for this one and no other.
    pub must_be: bool,
}

/// What this process may use, best first.
pub(super) fn here(preferred: Option<MpiFamily>) -> Vec<Candidate> {
    candidates(&|name| std::env::var_os(name), launcher_prefix().as_deref(), preferred)
}

/// Where the program that started this one is installed: of mpirun or its helper, that is where its
/// library is as well.
fn launcher_prefix() -> Option<PathBuf> {
    let parent = rustix::process::getppid()?;
    let program = std::fs::read_link(format!("/proc/{}/exe", parent.as_raw_nonzero())).ok()?;
    Some(program.parent()?.parent()?.to_path_buf())
}

fn candidates(
    env: &dyn Fn(&str) -> Option<OsString>,
    launcher_prefix: Option<&Path>,
    preferred: Option<MpiFamily>,
) -> Vec<Candidate> {
    if let Some(named) = env(MPI_LIBRARY_VARIABLE).filter(|named| !named.is_empty()) {
        return vec![Candidate { file: named.into(), must_be: true }];
    }
    let launcher = family_of_launcher(env);
    let family = launcher.or(preferred);
    let (first, last): (Vec<_>, Vec<_>) =
        SONAMES.into_iter().partition(|(of, _)| family.is_none_or(|family| *of == family));
    let beside = launcher_prefix.filter(|_| launcher.is_some());
    let beside = beside.into_iter().flat_map(|prefix| {
        let names = first.iter().flat_map(|(_, names)| names.iter());
        names.flat_map(|name| ["lib", "lib64"].map(|folder| prefix.join(folder).join(name)))
    });
    let named = first.iter().chain(&last).flat_map(|(_, names)| names.iter().map(PathBuf::from));
    beside.chain(named).map(|file| Candidate { file, must_be: false }).collect()
}

/// Whose launcher has started this process. PMI's variables are believed before PMIx's: a launcher
/// within a job of Slurm's sees the latter, too.
fn family_of_launcher(env: &dyn Fn(&str) -> Option<OsString>) -> Option<MpiFamily> {
    let speaks = [
        ("OMPI_COMM_WORLD_SIZE", MpiFamily::OpenMpi),
        ("PMI_RANK", MpiFamily::Mpich),
        ("PMIX_RANK", MpiFamily::OpenMpi),
    ];
    speaks.iter().find(|(name, _)| env(name).is_some()).map(|(_, family)| *family)
}

/// Whether srun has started this process and told it nothing that an MPI library could use: the
/// rank itself is all that is known.
pub(in super::super) fn srun_without_mpi() -> bool {
    is_srun_without_mpi(&|name| std::env::var_os(name))
}

fn is_srun_without_mpi(env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    env("SLURM_STEP_ID").is_some() && family_of_launcher(env).is_none()
}

/// What to say when the library that the user named cannot be loaded.
pub(super) fn cannot_load(candidate: &Candidate, why: &str) -> String {
    format!(
        "cannot load the MPI library {}, which {MPI_LIBRARY_VARIABLE} names: {why}; give the path \
        of the job's library (libmpi.so...), or unset {MPI_LIBRARY_VARIABLE}",
        candidate.file.display()
    )
}

/// What to say when there is no library.
pub(super) fn none_found(candidates: &[Candidate], troubles: &[String]) -> String {
    let names: Vec<_> =
        candidates.iter().map(|candidate| candidate.file.to_string_lossy()).collect();
    let absent =
        |why: &String| names.iter().any(|name| why.starts_with(&format!("{name}: cannot open")));
    match troubles.iter().find(|why| !absent(why)) {
        Some(why) => format!(
            "the MPI library cannot be loaded: {why}; load the environment module that it needs, \
            or give --transport tcp"
        ),
        None => {
            let plain: Vec<_> =
                names.iter().filter(|name| !name.contains('/')).map(AsRef::as_ref).collect();
            format!(
                "no MPI library was found (looked for {}): install Open MPI or MPICH, load its \
                environment module, or set {MPI_LIBRARY_VARIABLE} to the library's file; \
                or give --transport tcp",
                plain.join(", ")
            )
        }
    }
}

/// What to say of a library that is too old, or none.
pub(super) fn lacks(file: &str, function: &str) -> String {
    format!(
        "{file} has no {function}: the transport mpi needs an MPI library of MPI 3.0 or later; set \
        {MPI_LIBRARY_VARIABLE} to the file of one, or give --transport tcp"
    )
}

/// What to say of a library of another kind.
pub(super) fn neither(file: &str, name: &str) -> String {
    format!(
        "{file} is an MPI library of an unknown kind (it calls itself \"{name}\"): the transport \
        mpi works with Open MPI, with MPICH and what shares its binary interface, and with the \
        standard interface of MPI 5 (libmpi_abi.so.1); set {MPI_LIBRARY_VARIABLE} to the file of \
        one, or give --transport tcp"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(set: &[(&str, &str)], preferred: Option<MpiFamily>) -> Vec<String> {
        let env = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let all = candidates(&env, Some(Path::new("/opt/it")), preferred);
        all.into_iter().map(|one| one.file.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_launchers_library_comes_first_and_that_beside_it_before_all() {
        let open_mpi = files(&[("OMPI_COMM_WORLD_SIZE", "2"), ("PMIX_RANK", "0")], None);
        assert_eq!(
            open_mpi[..4],
            [
                "/opt/it/lib/libmpi.so.40",
                "/opt/it/lib64/libmpi.so.40",
                "libmpi.so.40",
                "libmpi.so.12"
            ]
        );
        let hydra = files(&[("PMI_RANK", "0"), ("SLURM_STEP_ID", "0"), ("PMIX_RANK", "3")], None);
        assert_eq!(hydra[0], "/opt/it/lib/libmpi.so.12");
        assert_eq!(
            hydra[8..],
            [
                "libmpi.so.12",
                "libmpich.so.12",
                "libmpi_cray.so.12",
                "libmpi_abi.so.1",
                "libmpi.so.40"
            ]
        );
        assert!(files(&[("PMIX_RANK", "0")], None)[0].ends_with("libmpi.so.40"), "srun's PMIx");
    }

    #[test]
    fn outside_of_a_job_the_preferred_family_comes_first() {
        assert_eq!(files(&[], None)[0], "libmpi.so.40");
        assert_eq!(files(&[], Some(MpiFamily::Mpich))[0], "libmpi.so.12");
        assert_eq!(files(&[], Some(MpiFamily::Mpich)).len(), 5);
    }

    #[test]
    fn a_named_library_is_the_only_one() {
        let named = [(MPI_LIBRARY_VARIABLE, "/my/libmpi.so"), ("PMI_RANK", "0")];
        assert_eq!(files(&named, None), ["/my/libmpi.so"]);
        assert_eq!(files(&[(MPI_LIBRARY_VARIABLE, ""), ("PMI_RANK", "0")], None).len(), 13);
    }

    #[test]
    fn srun_without_a_plug_in_for_mpi_is_noticed() {
        let is = |set: &[&str]| {
            is_srun_without_mpi(&|name| set.contains(&name).then(|| OsString::from("0")))
        };
        assert!(is(&["SLURM_STEP_ID"]));
        assert!(!is(&["SLURM_STEP_ID", "PMI_RANK"]) && !is(&["SLURM_STEP_ID", "PMIX_RANK"]));
        assert!(!is(&["SLURM_JOB_ID"]));
    }

    #[test]
    fn what_hinders_a_library_is_said_rather_than_that_there_is_none() {
        let candidates = ["libmpi.so.40", "/opt/it/lib/libmpi.so.12"]
            .map(|name| Candidate { file: name.into(), must_be: false });
        let absent = candidates.clone().map(|candidate| {
            format!("{}: cannot open shared object file: No such file", candidate.file.display())
        });
        let said = none_found(&candidates, &absent);
        assert!(
            said.contains("(looked for libmpi.so.40):") && said.contains(MPI_LIBRARY_VARIABLE),
            "{said}"
        );
        let hindered = "libpmix.so.2: cannot open shared object file: No such file".to_string();
        let said = none_found(&candidates, &[absent[0].clone(), hindered]);
        assert!(said.contains("cannot be loaded: libpmix.so.2"), "{said}");
    }
}
