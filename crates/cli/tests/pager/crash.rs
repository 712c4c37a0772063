//! A memory server that dies, hangs or is cut off, at any moment: the program never reads a wrong
//! byte.
//!
//! `FOURSTAMP_CRASHES` sets how many; `cargo xtask soak` does thousands.

use crate::paging::{Run, Servers, checker};
use pager_facts::Happened;
use rustix::process::Signal;
use std::time::Duration;

/// What happens to a server.
#[derive(Clone, Copy, Debug)]
enum Blow {
    Kill,
    Stop,
    Cut,
}

/// Servers of a run: three for pages, one for parity.
const SERVERS: usize = 4;

/// Runs side by side.
const AT_ONCE: usize = 4;

/// Each blow to each server, each at a moment of its own; `cargo xtask soak --only pager-servers`
/// has hundreds.
const CRASHES: u64 = 3 * SERVERS as u64;

/// Numbers of the runs: as many as FOURSTAMP_CRASHES, from FOURSTAMP_CRASHES_FROM on.
fn crashes() -> std::ops::Range<u64> {
    let number = |name| std::env::var(name).ok().and_then(|text: String| text.parse::<u64>().ok());
    let from = number("FOURSTAMP_CRASHES_FROM").unwrap_or(0);
    from..from + number("FOURSTAMP_CRASHES").unwrap_or(CRASHES)
}

/// One run in which one server suffers a blow, at a moment that the number draws.
fn one(number: u64, program: &[&str]) {
    let blow = [Blow::Kill, Blow::Stop, Blow::Cut][(number % 3) as usize];
    let victim = (number / 3) as usize % SERVERS;
    let mut servers = Servers::start(SERVERS);
    let mut run =
        Run::start(&servers, &["--local", "2M", "--deadline", "2000", "--no-report"], program);
    run.wait_until_paged();
    std::thread::sleep(Duration::from_millis(number * 37 % 400));
    match blow {
        Blow::Kill => servers.signal(victim, Signal::KILL),
        Blow::Stop => servers.signal(victim, Signal::STOP),
        Blow::Cut => servers.cut(victim),
    }
    let ended = run.end();
    assert!(
        ended.status.success(),
        "number {number}: {blow:?} of server {victim}: {:?}\n{}{}{:#?}",
        ended.status,
        ended.out,
        ended.err,
        ended.events
    );
}

#[test]
fn a_program_survives_any_one_server() {
    let Some(checker) = checker() else { return };
    let checker = checker.to_str().unwrap();
    // Most of the time nothing runs: a server that hangs is found by its deadline.
    std::thread::scope(|scope| {
        for turn in 0..AT_ONCE {
            let numbers = crashes().skip(turn).step_by(AT_ONCE);
            scope.spawn(move || {
                numbers.for_each(|number| one(number, &[checker, "8", "8000", &number.to_string()]))
            });
        }
    });
}

/// The programs of 1996, which check their own results.
#[test]
fn a_transform_and_an_elimination_survive_too() {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_fourstamp")).with_file_name("examples");
    for (number, program) in (0..6).zip(["fft", "gauss"].into_iter().cycle()) {
        let program = folder.join(program);
        if !program.exists() {
            println!(
                "skipped: {} is not built: cargo test --workspace builds it",
                program.display()
            );
            return;
        }
        one(number, &[program.to_str().unwrap(), "--size", "6M"]);
    }
}

#[test]
fn a_second_crash_is_told_and_reads_nothing_wrong() {
    let Some(checker) = checker() else { return };
    let mut servers = Servers::start(SERVERS);
    let mut run = Run::start(
        &servers,
        &["--local", "2M", "--no-report"],
        &[checker.to_str().unwrap(), "32", "2000000", "1"],
    );
    run.wait_until_paged();
    std::thread::sleep(Duration::from_millis(300));
    for victim in 0..SERVERS {
        servers.signal(victim, Signal::KILL);
    }
    let ended = run.end();
    // It may have been quick enough to move all pages to the disk between two crashes; then it ends
    // well. Wrong it may never be.
    assert!(!ended.out.contains("wrong") || ended.out.contains("0 wrong"), "{}", ended.out);
    if !ended.status.success() {
        assert!(ended.err.contains("lost"), "it says what was lost: {}", ended.err);
    }
}

#[test]
fn a_server_that_was_killed_comes_back_empty_and_is_used_again() {
    let Some(checker) = checker() else { return };
    let mut servers = Servers::start(SERVERS);
    let mut run = Run::start(
        &servers,
        &["--local", "2M", "--no-report"],
        &[checker.to_str().unwrap(), "8", "0", "7"],
    );
    run.wait_until_paged();
    // A second's worth of pages are outside then.
    std::thread::sleep(Duration::from_secs(1));
    servers.signal(0, Signal::KILL);
    servers.restart(0);
    // The others protect its pages by themselves, too.
    ["is protected again", "has joined"].into_iter().for_each(|words| run.wait_until_told(words));
    let ended = run.end();
    assert!(ended.status.success(), "{}{}{:#?}", ended.out, ended.err, ended.events);
    let any = |of: fn(&Happened) -> bool| ended.events.iter().any(of);
    assert!(any(|what| matches!(what, Happened::ServerDown { .. })), "{:#?}", ended.events);
    assert!(any(|what| matches!(what, Happened::ServerJoined { .. })), "{:#?}", ended.events);
    for words in ["is down: ", "not protected against the loss", "has joined", "is protected again"]
    {
        assert!(ended.err.contains(words), "{words}: told when it happens: {}", ended.err);
    }
}
