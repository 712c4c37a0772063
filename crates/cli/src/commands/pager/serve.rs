//! `fourstamp pager serve`: lend memory to programs elsewhere; `fourstamp pager key`: make the key
//! that lets them in.

mod keys;
mod reload;

use crate::args::{PagerKeyArgs, PagerServeArgs, PagerServeOptions};
use crate::interrupt::Hangups;
use crate::notify::Manager;
use crate::{interrupt, memory_limit};
use anyhow::{Context, Result, bail};
use fabric::{KeyRing, RunKey};
use keys::Keys;
use reload::Reload;
use rmem::{PageServer, ServerOptions, ServerSummary};
use std::io::{Write, stdout};
use std::sync::Arc;

/// Serve until Ctrl-C or SIGTERM.
pub fn run(args: &PagerServeArgs) -> Result<()> {
    let hangups = Hangups::watch().context("cannot watch for SIGHUP")?;
    let stop = interrupt::end_of_service();
    let (started, options) = args.read()?;
    refuse_too_much(options.memory as u64, memory_limit::bytes())?;
    let ring = KeyRing::new(Keys::read(&options.key_file)?.keys)?;
    let server = Arc::new(PageServer::bind(server_options(&options, ring.clone()))?);
    let address = server.address();
    if let Some(file) = &options.announce {
        std::fs::write(file, format!("{address}\n"))
            .with_context(|| format!("cannot write the address to {}", file.display()))?;
    }
    let lent = server.capacity_pages() * pager::PAGE_BYTES as u64;
    let serves = format!("page server at {address}: lends {}", mib(lent));
    writeln!(stdout(), "{serves}; Ctrl-C ends it")?;
    let (args, served) = (args.clone(), server.clone());
    let reload = Reload { args, started, ring, server: served, manager: Manager::here() };
    hangups.on_each(move || reload.again()).context("cannot watch for SIGHUP")?;
    Manager::here().ready(&serves);
    server.run(stop)?;
    // Its terminal may be what has ended it.
    let _ = writeln!(stdout(), "{}", ended(&server.summary()));
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

fn server_options(options: &PagerServeOptions, keys: KeyRing) -> ServerOptions {
    ServerOptions {
        reserve_bytes: options.reserve.map(|bytes| bytes as u64),
        require_encryption: options.require_encryption,
        clients_max: options.clients,
        spin: options.spin,
        patience: options.patience,
        ..ServerOptions::new(&options.listen, options.memory as u64, keys)
    }
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
