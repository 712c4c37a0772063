//! The ranks that were started together: on several hosts they tell each other, as MPI is
//! initialised, which clocks they have and where their logs are.
//!
//! All of them take part, those too that could not begin a log; so this is left out where the
//! launcher's environment says that all ranks are on one machine.

use crate::exchanges;
use crate::library::Library;
use crate::member::{Logging, Member};
use crate::trouble;
use crate::worlds;
use mpi_facts::{ELSEWHERE_FILE, Elsewhere};
use record::Machine;
use std::time::{Duration, Instant};

/// Ranks that take longer to come are said to be missing.
const PATIENCE: Duration = Duration::from_secs(20);
/// Bytes of a rank's host and folder.
const PLACE_BYTES: usize = 1024;

/// What a rank says of itself, in two words.
#[derive(Clone, Copy)]
struct Word {
    /// A number that is equal where the clock is the same one; 0 of a rank without a log.
    clock: u64,
    is_elsewhere: u64,
}

/// Meet the others. Every rank of the world must come here.
pub fn meet(library: &Library, member: &Member<'_>) {
    let planted = std::env::var_os(mpi_facts::variables::PLANT).is_some();
    if !planted && is_one_machine(member.size) {
        return say_alone(member);
    }
    let own = member.logging.as_ref().map_or(Word { clock: 0, is_elsewhere: 0 }, |logging| Word {
        clock: hash(&logging.clock),
        is_elsewhere: u64::from(logging.is_elsewhere),
    });
    let Some(all) = gather_words(library, member, own) else { return };
    let clocks: Vec<u64> = all.iter().map(|word| word.clock).collect();
    exchanges::begin(library, member, &clocks);
    if all.iter().any(|word| word.is_elsewhere == 1) {
        gather_places(library, member, &all);
    }
}

/// A rank that speaks for itself says where its log is: the first of its host does.
pub fn say_alone(member: &Member<'_>) {
    let Some(logging) = &member.logging else { return };
    if logging.is_elsewhere && logging.is_new {
        let (run, folder) = (member.run.display(), logging.folder.display());
        let host = Machine::host_here();
        trouble::say(&format!(
            "{host} does not see {run}: the logs of its ranks are in {folder} there; when the \
            program has ended: fourstamp collect {run} {host}:{folder}"
        ));
    }
}

/// Whether the launcher says that every rank runs here. It must say the same to all ranks, because
/// all or none go on.
fn is_one_machine(size: u32) -> bool {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"].iter().any(|name| number(name) == Some(size))
        || number("SLURM_STEP_NUM_NODES").or(number("SLURM_NNODES")) == Some(1)
        || size == 1
}

/// What all ranks say. Whoever waits long says it: a rank that the tracer was not loaded into never
/// comes.
fn gather_words(library: &Library, member: &Member<'_>, own: Word) -> Option<Vec<Word>> {
    let own = [own.clock, own.is_elsewhere];
    let mut all = vec![[0u64; 2]; member.size as usize];
    let (byte, world) = (library.handles.byte, library.handles.world);
    let (from, to) = (own.as_ptr() as usize, all.as_mut_ptr() as usize);
    let mut request = 0usize;
    // SAFETY: sixteen bytes from each rank, and room for those of all; both live until the request
    // is completed below.
    let begun = unsafe {
        library.iallgather(from, 16, byte, to, 16, byte, world, &raw mut request as usize)
    };
    if begun != 0 {
        return None;
    }
    let (since, mut said) = (Instant::now(), false);
    loop {
        let mut done = 0i32;
        // SAFETY: the request begun above, and room for an int.
        let failed = unsafe {
            library.test(
                &raw mut request as usize,
                &raw mut done as usize,
                library.layout.status_ignore,
            )
        };
        if failed != 0 {
            // The library may still write there.
            std::mem::forget(all);
            return None;
        }
        if done != 0 {
            return Some(
                all.into_iter().map(|[clock, at]| Word { clock, is_elsewhere: at }).collect(),
            );
        }
        if !said && since.elapsed() > PATIENCE {
            say_missing(member);
            said = true;
        }
        std::thread::yield_now();
    }
}

fn say_missing(member: &Member<'_>) {
    let what = format!(
        "rank {} waits for ranks that do not come. If it goes on, the tracer was not loaded into \
        them: stop the program, and make the library of LD_PRELOAD readable on every host",
        member.number
    );
    match &member.logging {
        Some(logging) => {
            trouble::say_once(&logging.folder.join("live"), member.number, &what);
        }
        None if member.number == 0 => trouble::say(&what),
        None => {}
    }
}

/// Have the first rank that sees the job's folder write there where the other logs are. Where none
/// sees it, rank 0 writes it beside its own log and says so.
fn gather_places(library: &Library, member: &Member<'_>, all: &[Word]) {
    let sees = all.iter().position(|word| word.clock != 0 && word.is_elsewhere == 0);
    let root = sees.unwrap_or(0);
    let own = place(member);
    let is_root = member.number as usize == root;
    let mut places = vec![0u8; if is_root { all.len() * PLACE_BYTES } else { 0 }];
    let byte = library.handles.byte;
    // SAFETY: so many bytes from each rank, and in the root room for those of all.
    let failed = unsafe {
        library.gather(
            own.as_ptr() as usize,
            PLACE_BYTES,
            byte,
            places.as_mut_ptr() as usize,
            PLACE_BYTES,
            byte,
            root,
            library.handles.world,
        )
    };
    let Some(logging) = member.logging.as_ref().filter(|_| is_root && failed == 0) else { return };
    let mut elsewhere = Elsewhere::default();
    for (rank, word) in all.iter().enumerate().filter(|(_, word)| word.is_elsewhere == 1) {
        let bytes = &places[rank * PLACE_BYTES..][..PLACE_BYTES];
        if let (1, Some((host, folder))) = (word.is_elsewhere, parse_place(bytes)) {
            elsewhere.add(rank as u32, &host, &folder);
        }
    }
    note(member, logging, &elsewhere);
    if sees.is_none() {
        say_for_all(member, logging, &elsewhere);
    }
}

/// Write the list beside the root's log; and the number of the first rank, which ranks that are
/// spawned look for there.
fn note(member: &Member<'_>, logging: &Logging, elsewhere: &Elsewhere) {
    let live = logging.folder.join("live");
    let text = serde_json::to_string_pretty(elsewhere).expect("plain data is JSON");
    let written =
        record::write_whole(&live.join(ELSEWHERE_FILE), |file| file.write_all(text.as_bytes()));
    let numbered =
        worlds::name().map(|name| worlds::first_number(&live, &name, member.size, false));
    if let (Err(error), _) | (_, Some(Err(error))) = (written, numbered) {
        let what = format!("cannot write into {}: {error}", live.display());
        trouble::say_once(&live, member.number, &what);
    }
}

fn say_for_all(member: &Member<'_>, logging: &Logging, elsewhere: &Elsewhere) {
    let (run, folder) = (member.run.display(), logging.folder.display());
    let (hosts, host) = (elsewhere.places.len(), Machine::host_here());
    trouble::say(&format!(
        "no rank sees {run}: the ranks of each of the {hosts} hosts log into a folder there; when \
        the program has ended: fourstamp collect {run} {host}:{folder}"
    ));
}

/// Host and folder, a zero byte after each.
fn place(member: &Member<'_>) -> [u8; PLACE_BYTES] {
    use std::os::unix::ffi::OsStrExt;
    let mut bytes = [0; PLACE_BYTES];
    if let Some(logging) = &member.logging {
        let host = Machine::host_here();
        let text = [host.as_bytes(), logging.folder.as_os_str().as_bytes(), b""].join(&0);
        let length = text.len().min(PLACE_BYTES);
        bytes[..length].copy_from_slice(&text[..length]);
    }
    bytes
}

fn parse_place(bytes: &[u8]) -> Option<(String, String)> {
    let mut texts = bytes.split(|byte| *byte == 0);
    let mut next = || Some(String::from_utf8_lossy(texts.next()?).into_owned());
    Some((next()?, next()?)).filter(|(_, folder)| !folder.is_empty())
}

fn hash(domain: &str) -> u64 {
    // FNV-1a: the same in every process. 0 means no clock.
    let hash = domain.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_numbers_of_their_own() {
        assert_ne!(hash("a/tsc"), hash("b/tsc"));
        assert_ne!(hash(""), 0);
    }

    #[test]
    fn a_place_comes_back_and_one_that_was_cut_does_too() {
        assert_eq!(parse_place(b"n1\0/tmp/a\0\0"), Some(("n1".into(), "/tmp/a".into())));
        assert_eq!(parse_place(&[0; 8]), None);
        assert_eq!(parse_place(b"n1"), None);
    }
}
