//! `fourstamp collect`: fetch the logs that ranks have left on their hosts, close the run, show it.

use crate::args::CollectArgs;
use crate::commands::report::document_of;
use crate::progress::Bar;
use crate::{closing, show};
use anyhow::{Context, Result, bail};
use calls::elsewhere;
use document::counted;
use mpi_facts::{Elsewhere, LogPlace};
use mpi_job::collect::{CollectError, Collector, Fetched, Reach, Source};
use record::{RecordError, RunFolder};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Hosts that send at the same time.
const AT_ONCE: usize = 8;

/// What came of a source.
type Outcome = (Source, Result<Fetched, CollectError>);

/// Fetch, close, show.
pub fn run(args: &CollectArgs) -> Result<()> {
    let (reach, bytes) = (args.with.clone().unwrap_or(Reach::Ssh), AtomicU64::new(0));
    let collector = Collector { run: &args.run, reach: &reach, bytes: &bytes };
    let (mut folder, mut outcomes) = match RunFolder::join(&args.run) {
        Ok(folder) => (folder, Vec::new()),
        Err(RecordError::NotARun { .. }) if !args.run.join("run.json").exists() => {
            let (folder, outcome) = begin(&collector, args)?;
            (folder, vec![outcome])
        }
        Err(RecordError::Ended { path }) => bail!(
            "{} is closed already: collect the logs into a folder of another name",
            path.display()
        ),
        Err(error) => return Err(error.into()),
    };
    note_places(&args.run, &outcomes, &args.without)?;
    fetch_all(&collector, &folder, args, &mut outcomes)?;
    let (fetched, failed) = sorted(outcomes);
    say_fetched(&fetched, bytes.load(Ordering::Relaxed));
    if !failed.is_empty() {
        return refuse(&args.run, &failed);
    }
    let places = elsewhere::awaited(&args.run)?;
    if !places.is_empty() {
        bail!("{}, but not where they were begun", elsewhere::which(&places));
    }
    if !calls::close::has_logs(&args.run) {
        bail!("{} waits for no logs: give HOST:FOLDER where there are some", args.run.display());
    }
    note_trouble(&mut folder, &fetched);
    if args.logs_only {
        folder.leave()?;
        let run = args.run.display();
        eprintln!("logs: {run}   match and show: srun -n 8 fourstamp report --shards {run}");
        return Ok(());
    }
    let come = all_come(&args.run, fetched)?;
    closing::close(folder.begin_closing()?, 1)
        .with_context(|| format!("cannot close {}", args.run.display()))?;
    if args.remove {
        remove_all(&collector, &come)?;
    }
    show_run(&args.run, args.no_report)
}

/// Make the run of what the first source sends.
fn begin(collector: &Collector<'_>, args: &CollectArgs) -> Result<(RunFolder, Outcome)> {
    let Some(first) = args.sources.first() else {
        bail!(
            "{} is no run yet: say where its logs are, HOST:FOLDER, as the traced program has \
            printed it",
            args.run.display()
        );
    };
    let (folder, fetched) = collector.begin(first)?;
    Ok((folder, (first.clone(), Ok(fetched))))
}

/// Fetch from every source: those given, those that the run knows, and those that they tell of.
fn fetch_all(
    collector: &Collector<'_>,
    folder: &RunFolder,
    args: &CollectArgs,
    outcomes: &mut Vec<Outcome>,
) -> Result<()> {
    let mut bar = Bar::new("fetching".into(), None);
    let mut tried: HashSet<String> =
        outcomes.iter().map(|(source, _)| source.to_string()).collect();
    let mut next = args.sources.clone();
    loop {
        let known = elsewhere::awaited(&args.run)?;
        next.extend(known.iter().map(Source::of));
        next.retain(|source| tried.insert(source.to_string()));
        if next.is_empty() {
            bar.finish();
            return Ok(());
        }
        let came = fetch(collector, folder, &next, &mut bar);
        note_places(&args.run, &came, &args.without)?;
        outcomes.extend(came);
        next.clear();
    }
}

/// Fetch from some sources, several at a time.
fn fetch(
    collector: &Collector<'_>,
    folder: &RunFolder,
    sources: &[Source],
    bar: &mut Bar,
) -> Vec<Outcome> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let id = folder.info().id;
    let work = || {
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = collector.add(source, id);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((source.clone(), outcome));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE.min(sources.len())).map(|_| scope.spawn(work)).collect();
        while workers.iter().any(|worker| !worker.is_finished()) {
            let finished = done.lock().unwrap_or_else(PoisonError::into_inner).len();
            let bytes = document::size(collector.bytes.load(Ordering::Relaxed));
            let hosts = counted(sources.len() as u64, "host");
            bar.step(finished as u64, sources.len() as u64, &format!("of {hosts}, {bytes}"));
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(source, _)| sources.iter().position(|known| known == source));
    done
}

/// Add the places that hosts told of to those that the run knows, and give up some.
fn note_places(run: &Path, outcomes: &[Outcome], without: &[String]) -> Result<()> {
    let mut known = elsewhere::read(run)?.unwrap_or_default();
    let before = known.clone();
    let told = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
    for place in told.filter_map(|fetched| fetched.elsewhere.as_ref()).flat_map(|all| &all.places) {
        if !known.places.iter().any(|old| is_same(old, place)) {
            known.places.push(place.clone());
        }
    }
    for host in without {
        let is_of_host = |place: &LogPlace| place.host == *host;
        if !known.places.iter().any(is_of_host) && !known.places.is_empty() {
            bail!("--without {host}: the run knows no such host; it knows {}", hosts(&known));
        }
        known.places.iter_mut().filter(|place| is_of_host(place)).for_each(|place| {
            place.forgone = true;
        });
    }
    if known != before {
        elsewhere::write(run, &known)?;
    }
    Ok(())
}

fn is_same(one: &LogPlace, other: &LogPlace) -> bool {
    (&one.host, &one.folder) == (&other.host, &other.folder)
}

fn hosts(known: &Elsewhere) -> String {
    let hosts: Vec<&str> = known.places.iter().map(|place| &*place.host).collect();
    hosts.join(", ")
}

fn sorted(outcomes: Vec<Outcome>) -> (Vec<(Source, Fetched)>, Vec<CollectError>) {
    let (mut fetched, mut failed) = (Vec::new(), Vec::new());
    for (source, outcome) in outcomes {
        match outcome {
            Ok(came) => fetched.push((source, came)),
            Err(error) => failed.push(error),
        }
    }
    (fetched, failed)
}

fn say_fetched(fetched: &[(Source, Fetched)], bytes: u64) {
    let ranks: usize = fetched.iter().map(|(_, came)| came.ranks.len()).sum();
    if ranks > 0 {
        eprintln!(
            "fetched the logs of {} from {}: {}",
            counted(ranks as u64, "rank"),
            counted(fetched.len() as u64, "folder"),
            document::size(bytes)
        );
    }
    for (source, came) in fetched {
        if let Some(first) = came.unfinished.first() {
            let many = counted(came.unfinished.len() as u64, "rank");
            eprintln!(
                "{source}: {many} there had not ended (the first is {first}): still running, or \
                ended without MPI_Finalize"
            );
        }
    }
}

fn refuse(run: &Path, failed: &[CollectError]) -> Result<()> {
    const SAID: usize = 5;
    let mut said: Vec<String> = failed.iter().take(SAID).map(ToString::to_string).collect();
    if failed.len() > SAID {
        said.push(format!("and {} more", failed.len() - SAID));
    }
    let run = run.display();
    bail!(
        "not all logs have come: {}. What has come is in {run}: fetch the rest with fourstamp \
        collect {run}, or do without a host with --without HOST",
        said.join("; ")
    )
}

fn note_trouble(folder: &mut RunFolder, fetched: &[(Source, Fetched)]) {
    for (source, came) in fetched {
        let lines = came.trouble.iter().map(|line| format!("{source}: {line}"));
        folder.info_mut().failures.extend(lines);
    }
}

/// Where the logs of this call and of earlier ones have come from.
fn all_come(run: &Path, fetched: Vec<(Source, Fetched)>) -> Result<Vec<Source>> {
    let known = elsewhere::read(run)?.unwrap_or_default().places;
    let mut come: Vec<Source> = fetched.into_iter().map(|(source, _)| source).collect();
    come.extend(known.iter().filter(|place| !place.forgone).map(Source::of));
    let mut seen = HashSet::new();
    come.retain(|source| seen.insert(source.to_string()));
    Ok(come)
}

fn remove_all(collector: &Collector<'_>, sources: &[Source]) -> Result<()> {
    for source in sources {
        collector.remove(source).context("the run is closed, but a folder is left")?;
    }
    Ok(())
}

fn show_run(run: &Path, no_report: bool) -> Result<()> {
    if !no_report {
        let analysed = crate::analyse::analyse(run, 1, &stats::Filter::default())?;
        show::text_beside(&document_of(&[analysed]).brief());
    }
    eprintln!("run: {}   page: fourstamp report {0}", run.display());
    Ok(())
}
