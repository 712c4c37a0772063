//! `fourstamp pager run`: run a program with paged memory, close the run, show where its time went.
//!
//! The program's standard output is its own: everything of ours goes to standard error.

mod closing;
mod limits;
mod local;
mod status;

use crate::args::RunArgs;
use crate::commands::place;
use crate::preload::{self, PAGING};
use crate::{child, failure};
use anyhow::{Context, Result, bail};
use clock::{Clock, Quality};
use fabric::RunKey;
use pager::Policy;
use pager_drive::unpaged::Bound;
use record::{RunFolder, RunInfo};
use rmem::{Config, Server, ServerRole};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Less than this is no memory for a program.
const LEAST_LOCAL: usize = 1 << 20;

/// Run, close, show.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    let library = PAGING.find()?;
    let program = program(&args.program[0])?;
    preload::check(&program)?;
    if args.local < LEAST_LOCAL {
        bail!("--local {} is too small to run a program: give at least 1M", args.local);
    }
    servers_enough(args)?;
    let key = key(args)?;
    limits::say(args.user_mode_only);
    // It takes a while, as the servers' start does.
    let clock = std::thread::spawn(|| clock::measure(&Clock::best()));
    let (servers, local) = local::start(args, &key)?;
    let path = place::for_run(
        args.out.as_deref(),
        &format!("{}-pager", preload::name(Some(&program), &[])),
    )?;
    let config = config(args, &path, &local, clock.join().ok())?;
    let folder = RunFolder::create(&path, info(args, &program, &config))?;
    let mut command = Command::new(&program);
    command.args(&args.program[1..]).env("LD_PRELOAD", preload::list(&library));
    command
        .env(RunKey::VARIABLE, key.to_hex())
        .env(Config::VARIABLE, serde_json::to_string(&config)?);
    let status = status::Status::new(
        &path,
        Bound { local_bytes: args.local as u64, library: library.clone() },
        &status::Wanted { each_second: args.status, give_up_after: args.give_up_after },
    );
    let ended = match child::run(&mut command, status.on_signal()) {
        Ok(ended) => ended,
        Err(error) => {
            drop(folder);
            place::remove_empty(&path);
            return Err(error).with_context(|| format!("cannot start {}", program.display()));
        }
    };
    let unpaged = status.end();
    drop(servers);
    let end = closing::End { status: ended, unpaged };
    if let Err(error) = closing::close_and_show(folder, &end, &config, args.no_report) {
        // The program's own end is what its caller asks for; ours is said, and what was recorded
        // stays.
        failure::say(&error);
    }
    Ok(ExitCode::from(child::code(ended)))
}

/// As a shell finds it.
fn program(word: &OsStr) -> Result<PathBuf> {
    let path = Path::new(word);
    let found = if word.as_encoded_bytes().contains(&b'/') {
        match path.metadata() {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot run {}", path.display()));
            }
            about => about.ok().filter(Metadata::is_file).map(|_| path.to_path_buf()),
        }
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())
    };
    found.with_context(|| {
        format!("cannot find the program {}; give its path, e.g. ./app", path.display())
    })
}

/// Whether there are servers for two copies. (Parity that has no server of its own goes to another
/// one, or to the disk.)
fn servers_enough(args: &RunArgs) -> Result<()> {
    let own = args.servers.is_empty();
    let data = if own { usize::from(args.start) } else { args.servers.len() };
    let remedy = if own { "--start 2" } else { "--server twice" };
    if args.policy == Policy::Mirror && data < 2 {
        bail!(
            "--policy mirror keeps two copies of each page on two servers, and there is one \
            server: give {remedy}, or choose --policy none or disk"
        );
    }
    Ok(())
}

fn key(args: &RunArgs) -> Result<RunKey> {
    match &args.key_file {
        Some(file) => Ok(RunKey::from_file(file)?),
        None if args.servers.is_empty() => Ok(RunKey::generate()?),
        None => RunKey::from_env().context("--server needs the servers' run key: give --key-file"),
    }
}

/// What the library is told.
fn config(args: &RunArgs, path: &Path, local: &[Server], clock: Option<Quality>) -> Result<Config> {
    let given = |role| move |address: &String| Server { address: address.clone(), role };
    let mut servers: Vec<Server> = args.servers.iter().map(given(ServerRole::Data)).collect();
    servers.extend(args.parity.iter().map(given(ServerRole::Parity)));
    servers.extend(args.spares.iter().map(given(ServerRole::Spare)));
    servers.extend(local.iter().cloned());
    let run = std::path::absolute(path).context("cannot find the current folder")?;
    let disk = std::path::absolute(&args.disk).context("cannot find the current folder")?;
    let is_far = servers.iter().any(|server| !is_loopback(&server.address));
    Ok(Config {
        local_bytes: args.local as u64,
        policy: args.policy.to_string(),
        servers,
        encrypt: args.encrypt || (is_far && !args.plain),
        disk,
        prefetch_pages: args.prefetch,
        threshold_bytes: args.threshold as u64,
        deadline_ms: args.deadline,
        run: Some(run),
        user_mode_only: args.user_mode_only,
        old_kernel: false,
        clock,
        started_ns: monotonic_ns(),
        record: !args.no_record,
        fork_budget_bytes: args.fork_budget.unwrap_or(0) as u64,
    })
}

/// Whether what goes there never leaves this machine. A name may be anybody's.
fn is_loopback(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn info(args: &RunArgs, program: &Path, config: &Config) -> RunInfo {
    let mut info = RunInfo::new(&preload::name(Some(program), &[]));
    info.transport = if args.policy == Policy::Disk { "disk" } else { "tcp" }.into();
    info.topology = "star".into();
    let words: Vec<_> =
        args.program.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    info.parameters.insert("program".into(), words.into());
    info.parameters.insert("policy".into(), config.policy.clone().into());
    info.parameters.insert("local_bytes".into(), config.local_bytes.into());
    info.parameters.insert("encrypted".into(), config.encrypt.into());
    info
}

fn monotonic_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_here_is_loopback() {
        for here in ["127.0.0.1:7311", "localhost:7311", "[::1]:7311", "127.9.9.9:1"] {
            assert!(is_loopback(here), "{here}");
        }
        for far in ["10.0.0.1:7311", "a:7311", "[fe80::1]:7311", "localhost.example:1", ""] {
            assert!(!is_loopback(far), "{far}");
        }
    }
}
