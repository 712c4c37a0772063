//! What the launcher has put into a rank's environment.

/// The place of this process in its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedJob {
    /// Its number.
    pub rank: u16,
    /// Processes in all; at least two.
    pub ranks: u16,
    /// Its number among those of its host.
    pub local_rank: u16,
    /// How many those are, if the launcher says so.
    pub local_ranks: Option<u16>,
    /// Whether all are on one host.
    pub one_host: bool,
    /// The launcher belongs to an MPI library, or has told its processes what one needs.
    pub speaks_mpi: bool,
    /// The launcher, as a user knows it.
    pub launcher: &'static str,
    /// What no other job is called, the same at every rank; absent where nothing is known to be.
    pub id: Option<String>,
}

/// Where a launcher says what.
struct Names {
    rank: &'static str,
    ranks: &'static [&'static str],
    local_rank: &'static str,
    local_ranks: &'static str,
    /// Must be there as well: else the names are left over from something else.
    needs: &'static str,
    /// One of these is there if ranks can find each other over MPI.
    speaks_mpi: &'static [&'static str],
    launcher: &'static str,
}

/// In the order in which they are believed: a launcher may itself have been started by one that
/// comes later.
const LAUNCHERS: [Names; 3] = [
    Names {
        rank: "OMPI_COMM_WORLD_RANK",
        ranks: &["OMPI_COMM_WORLD_SIZE"],
        local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_ranks: "OMPI_COMM_WORLD_LOCAL_SIZE",
        needs: "OMPI_COMM_WORLD_RANK",
        speaks_mpi: &["OMPI_COMM_WORLD_RANK"],
        launcher: "Open MPI's mpirun",
    },
    // Hydra (MPICH, Intel MPI, MVAPICH) and Cray's.
    Names {
        rank: "PMI_RANK",
        ranks: &["PMI_SIZE"],
        local_rank: "MPI_LOCALRANKID",
        local_ranks: "MPI_LOCALNRANKS",
        needs: "PMI_RANK",
        speaks_mpi: &["PMI_RANK"],
        launcher: "MPICH's mpirun",
    },
    // srun. A batch script has a SLURM_PROCID too, but is no step of its own.
    Names {
        rank: "SLURM_PROCID",
        ranks: &["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"],
        local_rank: "SLURM_LOCALID",
        local_ranks: "",
        needs: "SLURM_STEP_ID",
        speaks_mpi: &["PMIX_RANK", "PMI_RANK"],
        launcher: "srun",
    },
];

impl LaunchedJob {
    /// The job of this process, if it is one of several ranks.
    pub fn here() -> Option<LaunchedJob> {
        let mut job = LaunchedJob::read(&|name| std::env::var(name).ok())?;
        if job.id.is_none() && job.one_host {
            job.id = parent();
        }
        Some(job)
    }

    fn read(env: &dyn Fn(&str) -> Option<String>) -> Option<LaunchedJob> {
        let number = |name: &str| env(name)?.trim().parse::<u16>().ok();
        let (names, rank) = LAUNCHERS
            .iter()
            .filter(|names| env(names.needs).is_some())
            .filter(|names| names.rank != "PMI_RANK" || !is_pmi_of_srun(&number))
            .find_map(|names| Some((names, number(names.rank)?)))?;
        let ranks = names.ranks.iter().find_map(|name| number(name))?;
        if ranks < 2 || rank >= ranks {
            return None;
        }
        let one_node =
            ["SLURM_STEP_NUM_NODES", "SLURM_NNODES"].iter().find_map(|name| number(name))
                == Some(1);
        let local_ranks = number(names.local_ranks).or(one_node.then_some(ranks));
        Some(LaunchedJob {
            rank,
            ranks,
            local_rank: number(names.local_rank).unwrap_or(rank),
            local_ranks,
            one_host: local_ranks == Some(ranks),
            speaks_mpi: names.speaks_mpi.iter().any(|name| env(name).is_some()),
            launcher: names.launcher,
            id: id(env),
        })
    }

    /// What to start the job with, where its launcher is not that of this MPI library.
    pub fn launcher_of(&self, library: &str) -> String {
        match (self.launcher, library.contains("Open MPI")) {
            ("srun", true) => "use srun --mpi=pmix".into(),
            ("srun", false) => "use srun --mpi=pmi2".into(),
            _ => format!("use the mpirun of {library}"),
        }
    }

    /// Whether the launcher has bound this rank to one core.
    pub fn is_bound(&self) -> bool {
        std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1)
    }

    /// Whether every rank of this host can have a core, whatever the launcher has bound this one
    /// to.
    pub fn has_a_core_each(&self) -> bool {
        let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
        usize::from(self.local_ranks.unwrap_or(self.ranks)) <= cores_in(online.trim())
    }
}

/// Whether PMI is srun's own. Within a step of Slurm's, Hydra has one helper started a node, and
/// starts the ranks itself.
fn is_pmi_of_srun(number: &dyn Fn(&str) -> Option<u16>) -> bool {
    let tasks = number("SLURM_STEP_NUM_TASKS");
    tasks.is_some() && tasks == number("PMI_SIZE")
}

/// What Open MPI and Slurm call the job.
fn id(env: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let step = || Some(format!("{}.{}", env("SLURM_JOB_ID")?, env("SLURM_STEP_ID")?));
    let text = env("PMIX_NAMESPACE").or_else(step)?;
    // It becomes part of a file's name.
    let safe = |character: char| {
        if character.is_ascii_alphanumeric() || "._-".contains(character) { character } else { '-' }
    };
    Some(text.chars().map(safe).collect())
}

/// Ranks of one host have one parent, which nobody else has: its number and the moment at which it
/// began.
fn parent() -> Option<String> {
    let parent = rustix::process::getppid()?;
    let status = std::fs::read_to_string(format!("/proc/{}/stat", parent.as_raw_nonzero())).ok()?;
    // The second field is a name in brackets and may hold anything; the begin is the 22nd.
    let begun = status.rsplit_once(')')?.1.split_whitespace().nth(19)?;
    Some(format!("{}-{begun}", parent.as_raw_nonzero()))
}

/// How many there are in a list as `0-3,8`.
fn cores_in(list: &str) -> usize {
    let count = |range: &str| match range.split_once('-') {
        Some((first, last)) => {
            Some(last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)? + 1)
        }
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    list.split(',').filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Option<LaunchedJob> {
        LaunchedJob::read(&|name| {
            pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_string())
        })
    }

    #[test]
    fn open_mpi_says_everything() {
        let job = read(&[
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
            ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
            ("PMIX_NAMESPACE", "prterun/host@1"),
        ]);
        let job = job.expect("a job");
        assert_eq!((job.rank, job.ranks, job.local_ranks, job.one_host), (1, 4, Some(2), false));
        assert_eq!(job.id.as_deref(), Some("prterun-host-1"));
    }

    #[test]
    fn hydra_within_a_slurm_step_is_believed_before_slurm() {
        let job = read(&[
            ("PMI_RANK", "3"),
            ("PMI_SIZE", "4"),
            ("MPI_LOCALNRANKS", "4"),
            ("SLURM_STEP_ID", "0"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "2"),
        ]);
        let job = job.expect("a job");
        assert_eq!((job.rank, job.ranks, job.one_host, job.speaks_mpi), (3, 4, true, true));
        assert_eq!(job.launcher_of("MPICH 4.0.2"), "use the mpirun of MPICH 4.0.2");
    }

    #[test]
    fn srun_is_known_by_its_step() {
        let batch = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "8"), ("SLURM_JOB_ID", "7")];
        assert_eq!(read(&batch), None, "a batch script is no rank");
        let step =
            [("SLURM_STEP_ID", "2"), ("SLURM_STEP_NUM_TASKS", "8"), ("SLURM_STEP_NUM_NODES", "1")];
        let job = read(&[&batch[..], &step[..]].concat()).expect("a job");
        assert_eq!(
            (job.ranks, job.one_host, job.speaks_mpi, job.id.as_deref()),
            (8, true, false, Some("7.2"))
        );
        assert!(job.launcher_of("Open MPI v4.1.4").ends_with("--mpi=pmix"));
        for plugin in ["PMI_RANK", "PMIX_RANK"] {
            let plugin = [(plugin, "0"), ("PMI_SIZE", "8")];
            let job = read(&[&batch[..], &step, &plugin].concat()).expect("a job");
            assert_eq!((job.launcher, job.one_host, job.speaks_mpi), ("srun", true, true));
        }
    }

    #[test]
    fn a_launcher_that_says_only_what_pmi_needs_is_believed() {
        let job = read(&[("PMI_RANK", "1"), ("PMI_SIZE", "4")]).expect("a job");
        assert_eq!((job.rank, job.ranks, job.one_host, job.speaks_mpi), (1, 4, false, true));
    }

    #[test]
    fn one_rank_or_nonsense_is_no_job() {
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        assert_eq!(read(&[("PMI_RANK", "5"), ("PMI_SIZE", "4")]), None);
        assert_eq!(read(&[("PMI_RANK", "x"), ("PMI_SIZE", "4")]), None);
    }

    #[test]
    fn cores_are_counted() {
        assert_eq!(["0-1", "0-3,8", "5", ""].map(cores_in), [2, 5, 1, 0]);
    }
}
