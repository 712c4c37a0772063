//! `fourstamp pager serve`: lend memory to programs elsewhere; `fourstamp pager key`: make the key
//! that lets them in.

use crate::args::{PagerKeyArgs, PagerServeArgs};
use crate::{interrupt, memory_limit};
use anyhow::{Context, Result, bail};
use fabric::{KeyError, RunKey};
use rmem::{PageServer, ServerOptions, ServerSummary};
use std::io::{Write, stdout};
use std::path::Path;

/// Serve until Ctrl-C or SIGTERM.
pub fn run(args: &PagerServeArgs) -> Result<()> {
    let stop = interrupt::end_of_service();
    refuse_too_much(args.memory as u64, memory_limit::bytes())?;
    let server = PageServer::bind(options(args)?)?;
    let address = server.address();
    if let Some(file) = &args.announce {
        std::fs::write(file, format!("{address}\n"))
            .with_context(|| format!("cannot write the address to {}", file.display()))?;
    }
    let lent = server.capacity_pages() * pager::PAGE_BYTES as u64;
    writeln!(stdout(), "page server at {address}: lends {}; Ctrl-C ends it", mib(lent))?;
    server.run(stop)?;
    writeln!(stdout(), "{}", ended(&server.summary()))?;
    Ok(())
}

/// Make a key file.
pub fn key(args: &PagerKeyArgs) -> Result<()> {
    RunKey::generate()?.write_file(&args.file)?;
    let file = args.file.display();
    writeln!(
        stdout(),
        "wrote {file}; copy it to the other machines over a secure channel (e.g. scp)"
    )?;
    Ok(())
}

fn options(args: &PagerServeArgs) -> Result<ServerOptions> {
    let key = run_key(args.key_file.as_deref())?;
    Ok(ServerOptions {
        reserve_bytes: args.reserve.map(|bytes| bytes as u64),
        require_encryption: args.require_encryption,
        clients_max: args.clients,
        spin: args.spin,
        patience: args.patience,
        ..ServerOptions::new(&args.listen, args.memory as u64, key)
    })
}

/// The kernel would kill the server when programs use what it lends, and all its pages with it.
fn refuse_too_much(memory: u64, limit: Option<u64>) -> Result<()> {
    match limit.filter(|limit| memory > *limit) {
        Some(limit) => bail!(
            "--memory {} is more than the {} that this process's memory cgroup allows: give less, \
            or raise the cgroup's limit",
            mib(memory),
            mib(limit)
        ),
        None => Ok(()),
    }
}

fn run_key(file: Option<&Path>) -> Result<RunKey> {
    match super::super::node::key(file) {
        Err(error) if matches!(error.downcast_ref(), Some(KeyError::Missing)) => Err(error
            .context(
                "a page server needs a run key: make one with `fourstamp pager key FILE`, and \
                give --key-file FILE",
            )),
        key => key,
    }
}

/// What it did, for whoever ends it.
fn ended(summary: &ServerSummary) -> String {
    let ServerSummary { clients, page_outs, parity, moved, fetched, refused_grants, .. } = summary;
    let mut text = format!(
        "{clients} clients; stored {page_outs} pages, {parity} of parity, {moved} moved; fetched \
        {fetched}; refused room {refused_grants} times"
    );
    let oddities = [
        (summary.turned_away, "clients refused"),
        (summary.broken_rules, "disconnected because of invalid requests"),
        (summary.too_slow, "disconnected because they stopped reading"),
    ];
    for (count, what) in oddities.iter().filter(|(count, _)| *count > 0) {
        text += &format!("; {count} {what}");
    }
    if summary.strangers.total() > 0 {
        text += &format!("; {}", summary.strangers);
    }
    text
}

fn mib(bytes: u64) -> String {
    match bytes {
        0..0x40_0000 => format!("{} KiB", bytes >> 10),
        0x40_0000..0x1_0000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
    }
}
