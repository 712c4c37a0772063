//! `cargo xtask soak`: what a test of a second cannot show: other draws each round, minutes of
//! traffic, faults from outside.

mod carry;
mod contention;
mod cut;
mod drawn;
mod each;
mod exported;
mod forks;
mod fuzz;
mod hosts;
mod kills;
mod mpi4py;
mod mpi_threads;
mod mutants;
mod paged;
mod pipes;
mod sanitizers;
mod served;
mod strangers;
mod trace_kills;
mod verdicts;

use crate::workspace::Workspace;
use anyhow::{Result, bail};
use clap::Args;
use std::time::{Duration, Instant};

/// What to run, and for how long.
#[derive(Args, Debug)]
pub struct Options {
    /// Only these suites, by name.
    #[arg(long, value_name = "SUITE", value_delimiter = ',')]
    only: Vec<String>,
    /// Name the suites and stop.
    #[arg(long)]
    list: bool,
    /// Minutes; the round that is under way then is finished. Without it: one round.
    #[arg(long)]
    minutes: Option<u64>,
    /// How many cases a round of each suite has, instead of its own number.
    #[arg(long)]
    count: Option<u64>,
    /// The first case: a failure names its number, and `--from N --count 1` runs it again.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// How long each case goes on, in suites whose cases are stretches of time, instead of its own
    /// time.
    #[arg(long)]
    seconds: Option<u64>,
}

/// One kind of trouble.
struct Suite {
    /// As given to `--only`.
    name: &'static str,
    /// In a line.
    what: &'static str,
    /// Cases in a round; what a case is, each suite says.
    count: u64,
    /// Runs the cases of a round.
    run: fn(&Workspace, Cases) -> Result<()>,
}

/// The cases of one suite in one round: their numbers are their seeds.
#[derive(Clone, Copy, Debug)]
struct Cases {
    /// Number of the first.
    from: u64,
    /// How many.
    count: u64,
    /// How long each goes on, if the suite's own time is not wanted.
    seconds: Option<u64>,
}

/// All of them.
const SUITES: &[Suite] = &[
    Suite {
        name: "carry",
        what: "ten minutes or 100 million messages of each workload on each transport and topology",
        count: carry::COUNT,
        run: carry::carry,
    },
    Suite {
        name: "properties",
        what: "the property tests, one draw a case",
        count: 1,
        run: drawn::properties,
    },
    Suite {
        name: "pager-simulated",
        what: "the pager's policy under a seed, every failure at every step",
        count: 20_000,
        run: drawn::pager_simulated,
    },
    Suite {
        name: "models",
        what: "every model against its sequential result",
        count: 20_000,
        run: drawn::models,
    },
    Suite {
        name: "pager-servers",
        what: "blows to real memory servers under a program that checks itself",
        count: 300,
        run: drawn::pager_servers,
    },
    Suite {
        name: "paged-programs",
        what: "programs of Debian's, paged: the same output, and how much of each is not paged",
        count: paged::COUNT,
        run: paged::paged,
    },
    Suite {
        name: "fuzz",
        what: "every fuzz target, so many seconds each",
        count: 600,
        run: fuzz::fuzz,
    },
    Suite {
        name: "sanitizers",
        what: "crates with unsafe code under the address sanitizer",
        count: 1,
        run: sanitizers::address,
    },
    Suite {
        name: "strangers",
        what: "runs that start while strangers flood their ports",
        count: 100,
        run: strangers::strangers,
    },
    Suite {
        name: "kills",
        what: "kill -9 at random moments of everything that records, then a reader and doctor \
        --clean",
        count: 1020,
        run: kills::kills,
    },
    Suite {
        name: "trace-kills",
        what: "kill -9 of programs that are traced at their sockets, which count what they got",
        count: trace_kills::COUNT,
        run: trace_kills::trace_kills,
    },
    Suite {
        name: "forks",
        what: "programs that fork for seconds on end, traced beside others that take the cores",
        count: forks::COUNT,
        run: forks::forks,
    },
    Suite {
        name: "served",
        what: "servers and clients of random kinds, traced, and predicted on another network",
        count: served::COUNT,
        run: served::served,
    },
    Suite {
        name: "pipes",
        what: "random writers and readers of traced pipes, who note down who wrote what they read",
        count: pipes::COUNT,
        run: pipes::pipes,
    },
    Suite {
        name: "mpi4py",
        what: "mpi4py's own tests over both MPI libraries, traced: as untraced, and all is matched",
        count: mpi4py::COUNT,
        run: mpi4py::mpi4py,
    },
    Suite {
        name: "mpi-threads",
        what: "programs whose threads call MPI at once, traced beside others that take the cores",
        count: mpi_threads::COUNT,
        run: mpi_threads::mpi_threads,
    },
    Suite {
        name: "hosts",
        what: "simulations over hosts that share no folder: a node killed, the cable pulled",
        count: hosts::COUNT,
        run: hosts::hosts,
    },
    Suite {
        name: "cut",
        what: "stages of runs killed after 2, 6, 12 s, against those of runs that end well",
        count: cut::COUNT,
        run: cut::cut,
    },
    Suite {
        name: "mutants",
        what: "run folders and configurations that were tampered with",
        count: 20_000,
        run: mutants::mutants,
    },
    Suite {
        name: "contention",
        what: "something takes a node's core, pages or disk, or stops it: story and explain name \
        it",
        count: contention::COUNT,
        run: contention::contention,
    },
    Suite {
        name: "verdicts",
        what: "what holds of the source documents, again and again, with others on the cores",
        count: verdicts::COUNT,
        run: verdicts::verdicts,
    },
];

/// Runs the chosen suites, round after round; whether all was well.
pub fn soak(workspace: &Workspace, options: &Options) -> Result<bool> {
    let suites = choose(&options.only)?;
    if options.list {
        suites
            .iter()
            .for_each(|suite| println!("{:<18}{:>7}  {}", suite.name, suite.count, suite.what));
        return Ok(true);
    }
    let begun = Instant::now();
    let limit = Duration::from_secs(60 * options.minutes.unwrap_or(0));
    let mut round = 0;
    while round == 0 || begun.elapsed() < limit {
        for suite in &suites {
            let count = options.count.unwrap_or(suite.count);
            let cases =
                Cases { from: options.from + round * count, count, seconds: options.seconds };
            println!("==> round {round}, {}: {count} from {}", suite.name, cases.from);
            (suite.run)(workspace, cases)?;
        }
        round += 1;
    }
    println!("{round} rounds in {:.1} min without a failure", begun.elapsed().as_secs_f64() / 60.0);
    Ok(true)
}

fn choose(only: &[String]) -> Result<Vec<&'static Suite>> {
    if let Some(unknown) = only.iter().find(|name| SUITES.iter().all(|suite| suite.name != **name))
    {
        let names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        bail!("no suite {unknown}; there are {}", names.join(", "));
    }
    let wanted = |suite: &&Suite| only.is_empty() || only.iter().any(|name| name == suite.name);
    Ok(SUITES.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_chosen_by_name_and_an_unknown_one_is_refused() {
        assert_eq!(choose(&[]).unwrap().len(), SUITES.len());
        assert_eq!(choose(&["models".to_owned()]).unwrap().len(), 1);
        let error = choose(&["model".to_owned()]).err().expect("no such suite").to_string();
        assert!(error.contains("no suite model") && error.contains("pager-servers"), "{error}");
    }
}
