//! A Slurm of one machine, for as long as it is needed: munged, slurmctld and slurmd in a folder of
//! their own, on ports of their own, with nothing of the system's.
//!
//! slurmd must be root. Processes are tracked by process groups, not by control groups, which a
//! container may not have.

use super::tally::Tally;
use crate::mpi::{Library, as_root_too};
use crate::process::{self, on_path};
use crate::workspace::{Build, Workspace};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest that building may take.
const BUILD_LIMIT: Duration = Duration::from_secs(1800);
/// How long it may take to begin.
const PATIENCE: Duration = Duration::from_secs(20);
/// What it takes, each with Debian's package.
const PROGRAMS: [(&str, &str); 4] = [
    ("munged", "munge"),
    ("slurmctld", "slurmctld"),
    ("slurmd", "slurmd"),
    ("srun", "slurm-client"),
];
/// More processors than the machine may have, so that four ranks fit.
const PROCESSORS: u32 = 8;

/// Our program as it is started on a cluster, over each MPI library.
pub fn jobs(workspace: &Workspace, tally: &mut Tally) -> Result<()> {
    let slurm = match Slurm::start(workspace) {
        Ok(slurm) => slurm,
        Err(why) => return tally.skip(format!("{why:#}")),
    };
    // As the tests have built it.
    let build = ["test", "--workspace", "--locked", "--quiet", "--no-run", "--test", "mpi"];
    process::run(&mut workspace.cargo(&build), BUILD_LIMIT)?;
    let program = workspace.built(Build::Tests, "fourstamp");
    for (plugin, library) in [("pmi2", Library::Mpich), ("pmix", Library::OpenMpi)] {
        if let Err(why) = library.program("mpirun") {
            tally.skip(format!("{why:#}"))?;
        } else if !slurm.has(plugin) {
            tally.skip(format!("Slurm: no plug-in {plugin} for {}", library.name()))?;
        } else {
            slurm.check(plugin, library.name(), &program)?;
            tally.passed += 2;
        }
    }
    Ok(())
}

/// Its daemons, which end with it, and its folder.
struct Slurm {
    daemons: Vec<Child>,
    folder: PathBuf,
}

impl Slurm {
    /// Start it.
    ///
    /// # Errors
    /// Why there is none here. That is no failure.
    fn start(workspace: &Workspace) -> Result<Slurm> {
        if !rustix::process::geteuid().is_root() {
            bail!("Slurm: slurmd must be started by root");
        }
        for (program, package) in PROGRAMS {
            path_of(program)
                .with_context(|| format!("Slurm: no {program}: apt install {package}"))?;
        }
        let mut slurm = Slurm { daemons: Vec::new(), folder: workspace.fresh("slurm")? };
        slurm.configure()?;
        slurm.begin()?;
        Ok(slurm)
    }

    /// A benchmark and a simulation on four ranks, over this library, which the plug-in stands for.
    fn check(&self, plugin: &str, library: &str, program: &Path) -> Result<()> {
        let srun = |words: &str| {
            let mut srun = self.command("srun");
            srun.args(["-n", "4", &format!("--mpi={plugin}")]).arg(program);
            as_root_too(srun.args(words.split(' ')));
            process::capture_within(&mut srun, PATIENCE * 3)
        };
        let out = format!("{plugin}-run");
        let report = srun(&format!("bench pingpong --count 500 --launches 1 --out {out}"))?;
        let facts = fs::read_to_string(self.path(&out).join("run.json"))?;
        for (text, what) in [
            (&report, "pingpong over mpi".to_owned()),
            (&report, "Nothing was lost".to_owned()),
            (&facts, format!("the MPI library is {library}")),
        ] {
            ensure!(text.contains(&what), "srun --mpi={plugin}: not said: {what}\n{report}");
        }
        let report = srun("warp phold --objects 64 --cutoff 5 --check --transport mpi")?;
        let what = "Matches the sequential run";
        ensure!(report.contains(what), "srun --mpi={plugin}: not said: {what}\n{report}");
        Ok(())
    }

    /// Whether this Slurm has the plug-in.
    fn has(&self, plugin: &str) -> bool {
        let list = self.command("srun").arg("--mpi=list").output();
        // Which of the two it writes to depends on its version.
        list.is_ok_and(|said| {
            let said = [said.stdout, said.stderr].concat();
            String::from_utf8_lossy(&said).split_whitespace().any(|word| word == plugin)
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.path("slurm.conf")).current_dir(&self.folder);
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn configure(&self) -> Result<()> {
        for folder in ["state", "spool"] {
            fs::create_dir(self.path(folder))?;
        }
        let (controller, node) = (free_port()?, free_port()?);
        let here = self.folder.display();
        let text = format!(
            "ClusterName=fourstamp\n\
             SlurmctldHost=localhost\n\
             SlurmUser=root\n\
             SlurmdUser=root\n\
             AuthType=auth/munge\n\
             CredType=cred/munge\n\
             AuthInfo=socket={here}/munge.socket\n\
             SlurmctldPort={controller}\n\
             SlurmdPort={node}\n\
             StateSaveLocation={here}/state\n\
             SlurmdSpoolDir={here}/spool\n\
             SlurmctldPidFile={here}/slurmctld.pid\n\
             SlurmdPidFile={here}/slurmd.pid\n\
             ProctrackType=proctrack/pgid\n\
             TaskPlugin=task/none\n\
             SlurmdParameters=config_overrides\n\
             ReturnToService=2\n\
             NodeName=localhost CPUs={PROCESSORS} State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        );
        fs::write(self.path("slurm.conf"), text)?;
        let key = self.path("munge.key");
        fs::write(&key, random_key()?)?;
        Ok(fs::set_permissions(&key, fs::Permissions::from_mode(0o600))?)
    }

    fn begin(&mut self) -> Result<()> {
        let munge = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        let words = [
            munge("key-file", "munge.key"),
            munge("socket", "munge.socket"),
            munge("pid-file", "munged.pid"),
            munge("log-file", "munged.log"),
            munge("seed-file", "munged.seed"),
        ];
        let words = ["--foreground".to_string(), "--force".into()].into_iter().chain(words);
        self.spawn("munged", words.collect())?;
        self.wait("munged", |slurm| slurm.path("munge.socket").exists())?;
        let configuration = self.path("slurm.conf").display().to_string();
        self.spawn("slurmctld", ["-D", "-i", "-f", &configuration].map(str::to_owned).to_vec())?;
        let node = ["-D", "-N", "localhost", "-f", &configuration];
        self.spawn("slurmd", node.map(str::to_owned).to_vec())?;
        self.wait("slurmd", |slurm| slurm.is_idle())
    }

    fn is_idle(&self) -> bool {
        let sinfo = self.command("sinfo").args(["-h", "-o", "%t"]).output();
        sinfo.is_ok_and(|said| said.stdout.starts_with(b"idle"))
    }

    fn spawn(&mut self, program: &str, words: Vec<String>) -> Result<()> {
        let log = fs::File::create(self.path(program).with_extension("out"))?;
        let mut command = Command::new(path_of(program)?);
        command.args(words).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        self.daemons.push(command.spawn()?);
        Ok(())
    }

    /// Until it is so, or one of the daemons has ended.
    fn wait(&mut self, program: &str, is_so: impl Fn(&Slurm) -> bool) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            let ended = self.daemons.iter_mut().any(|one| !matches!(one.try_wait(), Ok(None)));
            if ended || Instant::now() > deadline {
                bail!("Slurm: {program} does not work here: {}", self.last_words(program));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn last_words(&self, program: &str) -> String {
        let log = fs::read_to_string(self.path(program).with_extension("out")).unwrap_or_default();
        log.lines().last().unwrap_or("it said nothing").to_owned()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // The last that began ends first: each says good-bye to those before it.
        for daemon in self.daemons.iter_mut().rev() {
            if let Some(pid) = rustix::process::Pid::from_raw(daemon.id() as i32) {
                // Gone already is what it is to be.
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
            let _ = daemon.wait();
        }
    }
}

/// Daemons lie where the path of an ordinary user may not lead.
fn path_of(program: &str) -> Result<PathBuf> {
    let in_sbin = Path::new("/usr/sbin").join(program);
    on_path(program).or_else(|| in_sbin.is_file().then_some(in_sbin)).context("is not installed")
}

fn random_key() -> Result<Vec<u8>> {
    let mut key = vec![0; 1024];
    fs::File::open("/dev/urandom")?.read_exact(&mut key)?;
    Ok(key)
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
