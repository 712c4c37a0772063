//! One measurement: which processes it takes, where.

use super::child::see_through;
use crate::commands::shaped::namespaces::Namespaces;
use crate::job::Mpirun;
use anyhow::{Context, Result, bail};
use fabric::RunKey;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What carries the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carrier {
    Mpi,
    Tcp,
    /// A machine in simulated time: its name or file.
    Machine(String),
}

/// Where its two nodes are.
pub enum Boxes {
    /// Both here.
    One,
    /// Each in a namespace of its own.
    Joined(Namespaces),
    /// Each on a host of its own.
    Hosts([String; 2]),
    /// Each a node of the simulated machine.
    Simulated,
}

/// A `fourstamp bench` with its nodes.
pub struct Measurement<'a> {
    pub carrier: &'a Carrier,
    pub boxes: &'a Boxes,
    /// Workload and its arguments.
    pub words: Vec<String>,
    pub seed: u64,
    /// From 1; chances of a simulated machine differ from trial to trial.
    pub trial: u32,
    /// Round trips that it makes at least.
    pub trips: u64,
    /// Where the run goes.
    pub out: &'a Path,
    /// The longest that it may take.
    pub limit: Duration,
}

impl Boxes {
    /// As the tables say.
    pub fn name(&self) -> &'static str {
        match self {
            Boxes::One => mpi_lens::ONE_BOX,
            Boxes::Joined(_) | Boxes::Hosts(_) | Boxes::Simulated => mpi_lens::TWO_BOXES,
        }
    }

    /// As folders say.
    pub fn folder_name(&self) -> String {
        self.name().replace(' ', "-")
    }
}

impl Measurement<'_> {
    /// Measure; the run is closed when this returns.
    pub fn run(&self) -> Result<()> {
        let (main, joiners) = match (self.boxes, self.carrier) {
            (Boxes::One | Boxes::Simulated, _) => {
                (self.bench(Command::new(own_program()?), &[]), Vec::new())
            }
            (Boxes::Joined(boxes), Carrier::Mpi) => (self.over_mpi(boxes)?, Vec::new()),
            (Boxes::Joined(boxes), _) => self.over_tcp(boxes)?,
            (Boxes::Hosts(hosts), _) => (self.on_hosts(hosts)?, Vec::new()),
        };
        let before = self.packets()?;
        see_through(main, joiners, self.limit)?;
        // A round trip takes a packet each way at least. MPI libraries may see that both boxes are
        // one machine.
        if matches!(self.boxes, Boxes::Joined(_)) && self.packets()? - before < self.trips {
            bail!(
                "the messages did not use the link between the boxes, because this MPI library \
                detects that both are one machine; give --transport tcp, or two hosts with \
                --hosts a,b"
            );
        }
        if !self.out.exists() {
            bail!(
                "{} does not exist here: the first of --hosts must be this machine, or share the \
                folder with it",
                self.out.display()
            );
        }
        Ok(())
    }

    fn packets(&self) -> Result<u64> {
        match self.boxes {
            Boxes::Joined(boxes) => Ok(boxes.packets()?),
            Boxes::One | Boxes::Hosts(_) | Boxes::Simulated => Ok(0),
        }
    }

    /// The benchmark coordinates in the first box; a node in each joins it.
    fn over_tcp(&self, boxes: &Namespaces) -> Result<(Command, Vec<Command>)> {
        let (program, key) = (own_program()?, RunKey::generate()?.to_hex());
        let address = Namespaces::coordinator();
        let within = |place: usize| {
            let mut command = boxes.within(place, program.as_os_str());
            command.env(RunKey::VARIABLE, key.as_str());
            command
        };
        let main = self.bench(within(0), &["--wait-for-nodes", "--listen", &address]);
        let node = |place| {
            let mut command = within(place);
            command.args(["node", "--join", &address]);
            command
        };
        Ok((main, vec![node(0), node(1)]))
    }

    /// mpirun in the first box, which starts a rank there and one in the other.
    fn over_mpi(&self, boxes: &Namespaces) -> Result<Command> {
        let mut command = boxes.within(0, mpirun(self.carrier)?.as_os_str());
        command.args(["-host", &boxes.hosts(), "-n", "2"]).arg(own_program()?);
        for (name, value) in boxes.launcher_environment() {
            command.env(name, value);
        }
        Ok(self.bench(command, &["--listen", &Namespaces::any_port()]))
    }

    fn on_hosts(&self, hosts: &[String; 2]) -> Result<Command> {
        let mut command = Command::new(mpirun(self.carrier)?);
        command.args(["-host", &hosts.join(","), "-n", "2"]).arg(own_program()?);
        Ok(self.bench(command, &[]))
    }

    fn bench(&self, mut command: Command, more: &[&str]) -> Command {
        command.arg("bench").args(&self.words).args(["--launches", "1"]);
        match self.carrier {
            Carrier::Mpi => command.args(["--transport", "mpi"]),
            Carrier::Tcp => command.args(["--transport", "tcp"]),
            Carrier::Machine(machine) => {
                command.args(["--on", machine, "--machine-seed", &self.trial.to_string()])
            }
        };
        command
            .args(["--seed", &self.seed.to_string()])
            .args(more)
            .args([OsStr::new("--out"), self.out.as_ref()]);
        if *self.carrier == Carrier::Mpi {
            // Each box's launcher would put its one rank on the first core, which is the same core
            // in both.
            command.arg("--no-pin").env("OMPI_MCA_hwloc_base_binding_policy", "none");
        }
        command
    }
}

fn own_program() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this program's own file")
}

fn mpirun(carrier: &Carrier) -> Result<PathBuf> {
    let mpirun = match carrier {
        Carrier::Mpi => Mpirun::find()?,
        Carrier::Tcp | Carrier::Machine(_) => Mpirun::naming_its_job(),
    };
    let mpirun =
        mpirun.context("mpirun is not on PATH: install an MPI library, or leave --hosts out")?;
    Ok(mpirun.path)
}
