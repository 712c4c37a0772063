//! Where programs are measured: two namespaces with a link between them, and the runs' folder.

use super::wire::{Layer, Wire};
use crate::bench::peers::{Compiler, build};
use crate::mpi::{Library, as_root_too};
use crate::process;
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use shaped::{Namespaces, namespaces};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The longest that a program may take.
const LIMIT: Duration = Duration::from_secs(300);

/// A program to be predicted, or one that calibrates.
#[derive(Debug)]
pub struct Work {
    pub name: &'static str,
    carrier: Carrier,
    words: &'static str,
}

/// What carries its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// `fourstamp bench` or `fourstamp warp` over TCP.
    Tcp,
    /// An MPI program, traced.
    Mpi,
}

impl Carrier {
    fn word(self) -> &'static str {
        match self {
            Carrier::Tcp => "tcp",
            Carrier::Mpi => "mpi",
        }
    }
}

impl Work {
    /// Whether it is one of Time Warp.
    pub fn is_simulation(&self) -> bool {
        self.words.starts_with("warp ")
    }

    /// The machine that it is predicted from, on a link.
    pub fn machine(&self, site: &Site, wire: Wire) -> PathBuf {
        site.folder(wire).join(self.carrier.word()).with_extension("toml")
    }
}

const fn work(name: &'static str, carrier: Carrier, words: &'static str) -> Work {
    Work { name, carrier, words }
}

const PROGRAMS: &[Work] = &[
    work("stencil", Carrier::Mpi, "mpi_stencil 1024 400"),
    work("transpose", Carrier::Mpi, "mpi_transpose 512 20"),
    work("lammps", Carrier::Mpi, "lmp -in in.melt -log none"),
    work("gromacs", Carrier::Mpi, GROMACS),
    work("stream", Carrier::Tcp, "bench stream --size 4000 --count 5000 --warm-up 0"),
    work("ping-pong", Carrier::Tcp, "bench pingpong --size 20000 --count 300 --warm-up 0"),
    work("phold", Carrier::Tcp, "warp phold --objects 256 --work-steps 25800 --cutoff 40"),
    work("slooow", Carrier::Tcp, "warp slooow --objects 2 --work-steps 25800 --stop 2000"),
];

/// 2,621 molecules of water; what it times while it runs would be another program elsewhere.
const GROMACS: &str =
    "gmx_mpi -nobackup mdrun -s water.tpr -ntomp 1 -dlb no -notunepme -noconfout -cpt -1";
const GROMACS_STEPS: &str = "200";

/// Programs of others, and where they are from.
const PACKAGES: [(&str, &str); 2] = [("lmp", "lammps"), ("gmx_mpi", "gromacs")];

const CALIBRATING: &[&str] = &[
    "bench sweep --count 20 --refine 16",
    "bench stream --size 1000 --count 20000",
    "bench stream --size 8000 --count 2000",
];

/// Lennard-Jones particles, 16,384 of them, for a hundred steps.
const MELT: &str = "units lj\natom_style atomic\nlattice fcc 0.8442\n\
    region box block 0 16 0 16 0 16\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n\
    velocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\n\
    pair_coeff 1 1 1.0 1.0 2.5\nneighbor 0.3 bin\nneigh_modify delay 0 every 20 check no\n\
    fix 1 all nve\nthermo 50\nrun 100\n";

/// The programs of these names; all without any.
pub fn chosen(names: &[String]) -> Result<Vec<&'static Work>> {
    if let Some(unknown) = names.iter().find(|name| PROGRAMS.iter().all(|it| it.name != **name)) {
        let known: Vec<&str> = PROGRAMS.iter().map(|work| work.name).collect();
        bail!("no program is called {unknown}: there are {}", known.join(", "));
    }
    let wanted = |work: &&Work| names.is_empty() || names.iter().any(|name| name == work.name);
    let missing = |work: &Work| {
        let (program, package) = PACKAGES.iter().find(|(it, _)| work.words.starts_with(it))?;
        process::on_path(program).is_none().then_some(*package)
    };
    let (mut all, chosen) = (Vec::new(), PROGRAMS.iter().filter(wanted));
    for work in chosen {
        match missing(work) {
            None => all.push(work),
            Some(package) => println!("left out: {} (apt install {package})", work.name),
        }
    }
    Ok(all)
}

/// The place of it all.
pub struct Site<'a> {
    workspace: &'a Workspace,
    pub fourstamp: PathBuf,
    pub launches: u32,
    root: PathBuf,
}

impl<'a> Site<'a> {
    pub fn new(workspace: &'a Workspace, fourstamp: PathBuf, launches: u32) -> Result<Site<'a>> {
        let root = workspace.scratch("prediction")?;
        Ok(Site { workspace, fourstamp, launches, root })
    }

    /// What belongs to a link.
    pub fn folder(&self, wire: Wire) -> PathBuf {
        self.root.join(wire.name())
    }

    /// The launches of a program on a link.
    pub fn runs(&self, work: &Work, wire: Wire) -> Vec<PathBuf> {
        let run = |launch| self.folder(wire).join(format!("{}-{launch}", work.name));
        (1..=self.launches).map(run).collect()
    }

    /// Those that it is predicted from: of a simulation one, as its events are in each the same.
    pub fn recorded(&self, work: &Work, wire: Wire) -> Vec<PathBuf> {
        let mut runs = self.runs(work, wire);
        if work.is_simulation() {
            runs.truncate(1);
        }
        runs
    }

    /// Calibrates and records on each link. A wire that is predicted from is calibrated.
    pub fn measure(&self, wires: &[Wire], work: &[&Work]) -> Result<()> {
        self.prepare(work)?;
        let boxes = namespaces::two(|line| eprintln!("{line}"))?;
        let mut layer = Layer::new(self.workspace, &boxes);
        for wire in wires {
            let folder = self.folder(*wire);
            if folder.exists() {
                std::fs::remove_dir_all(&folder)?;
            }
            std::fs::create_dir_all(&folder)?;
            if wires.iter().any(|other| wire.change_to(*other).is_some()) {
                layer.lay(*wire)?;
                self.calibrate_all(&boxes, work, *wire)?;
            }
        }
        // In turn: what slows one stretch of time slows all links.
        for launch in 0..self.launches as usize {
            for wire in wires {
                layer.lay(*wire)?;
                for work in work {
                    eprintln!("launch {}: {} over {}", launch + 1, work.name, wire.words());
                    self.record(&boxes, work, &self.runs(work, *wire)[launch])?;
                }
            }
        }
        Ok(())
    }

    /// What programs read.
    fn prepare(&self, work: &[&Work]) -> Result<()> {
        std::fs::write(self.root.join("in.melt"), MELT)?;
        if work.iter().any(|work| work.words == GROMACS) {
            let mut command = Command::new(self.workspace.root.join("xtask/peers/water.sh"));
            as_root_too(command.arg(&self.root).arg(GROMACS_STEPS));
            process::capture_within(&mut command, LIMIT)?;
        }
        Ok(())
    }

    fn calibrate_all(&self, boxes: &Namespaces, work: &[&Work], wire: Wire) -> Result<()> {
        for carrier in [Carrier::Tcp, Carrier::Mpi] {
            if let Some(first) = work.iter().find(|work| work.carrier == carrier) {
                eprintln!("calibrating {} over {}", carrier.word(), wire.words());
                self.calibrate(boxes, carrier, &self.folder(wire), &first.machine(self, wire))?;
            }
        }
        Ok(())
    }

    fn calibrate(
        &self,
        boxes: &Namespaces,
        carrier: Carrier,
        folder: &Path,
        machine: &Path,
    ) -> Result<()> {
        let mut calibrate = Command::new(&self.fourstamp);
        calibrate.args(["machine", "calibrate"]);
        for (at, words) in CALIBRATING.iter().enumerate() {
            let run = folder.join(format!("calibrating-{}-{at}", carrier.word()));
            self.ours(boxes, carrier, words, &run)?;
            calibrate.arg(run);
        }
        process::capture_within(calibrate.arg("--out").arg(machine), LIMIT)?;
        Ok(())
    }

    fn record(&self, boxes: &Namespaces, work: &Work, run: &Path) -> Result<()> {
        let Carrier::Mpi = work.carrier else {
            return self.ours(boxes, work.carrier, work.words, run);
        };
        let mut words = work.words.split(' ');
        let name = words.next().unwrap_or_default();
        let program = match process::on_path(name) {
            Some(program) => program,
            None if name.starts_with("mpi_") => build(self.workspace, name, Compiler::Mpi)?,
            None => bail!("no {name} on PATH"),
        };
        let mut command = Command::new(&self.fourstamp);
        command.args(["mpi", "trace", "--no-report", "--out"]).arg(run).arg("--");
        append(&mut command, &self.over_mpi(boxes, &program)?);
        self.finish(command.args(words), Vec::new())
    }

    /// Runs a command of `fourstamp`, a node in each namespace.
    fn ours(&self, boxes: &Namespaces, carrier: Carrier, words: &str, run: &Path) -> Result<()> {
        let benches = words.starts_with("bench ");
        let words = words.split(' ').chain(benches.then_some("--launches=1"));
        if carrier == Carrier::Mpi {
            let mut command = self.over_mpi(boxes, &self.fourstamp)?;
            command.args(words).args(["--transport", "mpi", "--no-pin", "--listen"]);
            command.arg(Namespaces::any_port()).arg("--out").arg(run);
            return self.finish(&mut command, Vec::new());
        }
        let key = run_key()?;
        let address = Namespaces::coordinator();
        let mut command = boxes.within(0, self.fourstamp.as_os_str());
        command.env("FOURSTAMP_RUN_KEY", &key);
        command.args(words.chain(benches.then_some("--receive=polling")));
        command.args(["--transport", "tcp", "--wait-for-nodes", "--listen", &address, "--out"]);
        command.arg(run);
        let node = |place| {
            // A node that finds nobody listening gives up.
            let mut node = boxes.within(place, OsStr::new("sh"));
            node.args(["-c", "sleep 1; exec \"$0\" node --join \"$1\""]);
            node.arg(&self.fourstamp).arg(&address).env("FOURSTAMP_RUN_KEY", &key);
            node.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            node
        };
        self.finish(&mut command, vec![node(0), node(1)])
    }

    /// mpirun with a rank in each namespace.
    fn over_mpi(&self, boxes: &Namespaces, program: &Path) -> Result<Command> {
        let mpirun = Library::OpenMpi.program("mpirun")?;
        let mut command = boxes.within(0, mpirun.as_os_str());
        command.args(["-host", &boxes.hosts(), "-n", "2"]).arg(program);
        as_root_too(&mut command);
        for (name, value) in boxes.launcher_environment() {
            command.env(name, value);
        }
        // Each namespace's launcher would put its one rank on the first core.
        command.env("OMPI_MCA_hwloc_base_binding_policy", "none");
        Ok(command)
    }

    /// Runs a command with its nodes to the end of all.
    fn finish(&self, command: &mut Command, nodes: Vec<Command>) -> Result<()> {
        command.current_dir(&self.root);
        let started = nodes.into_iter().map(|mut node| node.spawn().context("a node"));
        let mut started: Vec<Child> = started.collect::<Result<_>>()?;
        let done = process::capture_within(command, LIMIT);
        for node in &mut started {
            if done.is_err() {
                let _ = node.kill();
            }
            node.wait()?;
        }
        done.map(|_| ())
    }
}

/// A key for the nodes of one run.
fn run_key() -> Result<String> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Words and environment of one command after another's.
fn append(command: &mut Command, more: &Command) {
    command.arg(more.get_program()).args(more.get_args());
    let given = more.get_envs().filter_map(|(name, value)| Some((name, value?)));
    given.for_each(|(name, value): (&OsStr, &OsStr)| {
        command.env(name, value);
    });
}
