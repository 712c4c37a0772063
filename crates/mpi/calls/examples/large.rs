//! How long closing takes: makes the logs of a large run and closes it.
//!
//!     cargo run --release -p fourstamp-calls --example large -- \
//!         [--logs-only] RUN MESSAGES [RANKS] [pingpong|waitall] [SHARES]
//!
//! Prints seconds, the peak of the memory, and the bytes on the disk a message. The logs take about
//! 100 bytes a message. With `--logs-only` the run is left as a job that was killed leaves it, for
//! its first reader to close.

use calls::entry::files::log_head;
use calls::entry::{self, Call, Completion, completion_flags, encode_facts, flags};
use mpi_facts::RankFacts;
use record::{NodeSheet, RunFolder, RunInfo};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let logs_only = arguments.first().is_some_and(|first| first == "--logs-only");
    let rest = &arguments[usize::from(logs_only)..];
    let [folder, messages, rest @ ..] = rest else {
        return Err("wants a folder for the run, and how many messages".into());
    };
    let (folder, messages) = (Path::new(folder), messages.parse()?);
    let ranks = rest.first().map_or(Ok(2), |ranks| ranks.parse())?;
    let pattern = rest.get(1).map_or("pingpong", String::as_str);
    let run = RunFolder::create(folder, RunInfo::new("large"))?;
    let began = Instant::now();
    make_logs(&run, ranks, messages, pattern)?;
    println!("made the logs in {:.1} s", began.elapsed().as_secs_f64());
    if logs_only {
        return Ok(());
    }
    let began = Instant::now();
    let shares = rest.get(2).map_or(Ok(1), |shares| shares.parse())?;
    let info = calls::close::close_in(run.begin_closing()?, shares, &mut |_, _| {})?;
    let seconds = began.elapsed().as_secs_f64();
    let rows = info.rows();
    println!("messages            {rows}");
    println!("match rate          {}", info.parameters["mpi"]["match_rate"]);
    println!("closing             {seconds:.2} s, {:.2} us a message", seconds * 1e6 / rows as f64);
    println!("peak of the memory  {} MiB", peak_kib().unwrap_or(0) / 1024);
    for part in ["messages", "mpi"] {
        println!(
            "bytes a message     {:.2} in {part}/",
            bytes(&folder.join(part))? as f64 / rows as f64
        );
    }
    Ok(())
}

/// A rank's log being written.
struct Log {
    out: BufWriter<std::fs::File>,
    rank: u64,
    now: u64,
    requests: u32,
    noise: u64,
}

fn make_logs(run: &RunFolder, ranks: u64, messages: u64, pattern: &str) -> std::io::Result<()> {
    let clock = clock::Clock::system();
    let quality = clock::measure(&clock);
    let start = clock.anchor();
    for rank in 0..ranks {
        let anchors = vec![start];
        let of_rank = NodeSheet::with_quality(0, rank as u32, &clock, quality);
        let sheet = NodeSheet { finished: true, anchors, ..of_rank };
        let stem = run.live().join(sheet.stem());
        std::fs::write(stem.with_extension("json"), serde_json::to_vec(&sheet)?)?;
        let mut log = Log::create(&stem, rank, ranks, start.ticks.0)?;
        match pattern {
            "waitall" => log.waitalls(ranks, messages / ranks / 8)?,
            _ => log.pingpong(messages / ranks)?,
        }
        log.out.flush()?;
    }
    Ok(())
}

impl Log {
    fn create(stem: &Path, rank: u64, ranks: u64, now: u64) -> std::io::Result<Log> {
        let out =
            BufWriter::with_capacity(1 << 20, std::fs::File::create(stem.with_extension("calls"))?);
        let mut log = Log { out, rank, now, requests: 0, noise: rank + 1 };
        log.words(&log_head(rank as u32, None))?;
        let library = Some("made up".to_owned());
        let facts = RankFacts { library, size: ranks as u32, ..RankFacts::default() };
        log.words(&encode_facts(&facts))?;
        Ok(log)
    }

    fn words(&mut self, words: &[u64]) -> std::io::Result<()> {
        words.iter().try_for_each(|word| self.out.write_all(&word.to_le_bytes()))
    }

    /// Some time between half of `ns` and one and a half, the same on all ranks that ask the same.
    fn pass(&mut self, ns: u64) {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        self.now += ns / 2 + self.noise % ns;
    }

    fn call(&mut self, call: Call, length: u64, done: &[Completion]) -> std::io::Result<()> {
        let enter = self.now;
        self.pass(length);
        let (words, count) = entry::encode(&Call { enter, exit: self.now, ..call }, done.len());
        self.words(&words[..count])?;
        for completion in done {
            self.words(&entry::encode_completion(completion))?;
        }
        self.pass(60);
        Ok(())
    }

    /// Half of the ranks send and receive, the other half receive and send.
    fn pingpong(&mut self, rounds: u64) -> std::io::Result<()> {
        let base = Call {
            flags: flags::MESSAGE,
            communicator: entry::WORLD,
            bytes: 8,
            tag: 1,
            site: 1,
            ..Call::default()
        };
        let peer = (self.rank ^ 1) as i32;
        let send =
            Call { operation: operation("Send"), flags: base.flags | flags::SENDS, peer, ..base };
        let receive = Call {
            operation: operation("Recv"),
            flags: base.flags | flags::RECEIVES,
            peer,
            site: 2,
            ..base
        };
        let start = self.now;
        for round in 0..rounds {
            // Both are together again at the beginning of each round.
            self.now = start + round * 3000 + if self.rank.is_multiple_of(2) { 0 } else { 20 };
            match self.rank % 2 {
                0 => {
                    self.call(send, 200, &[])?;
                    self.now = start + round * 3000 + 400;
                    self.call(receive, 1600, &[])?;
                }
                _ => {
                    self.call(receive, 800, &[])?;
                    self.now = self.now.max(start + round * 3000 + 1000);
                    self.call(send, 200, &[])?;
                }
            }
        }
        Ok(())
    }

    /// Rounds of eight receives, eight sends to the next rank, and one wait for all.
    fn waitalls(&mut self, ranks: u64, rounds: u64) -> std::io::Result<()> {
        let base = Call {
            flags: flags::MESSAGE,
            communicator: entry::WORLD,
            bytes: 1024,
            ..Call::default()
        };
        let (to, from) =
            (((self.rank + 1) % ranks) as i32, ((self.rank + ranks - 1) % ranks) as i32);
        let start = self.now;
        for round in 0..rounds {
            self.now = start + round * 12_000;
            let mut done = Vec::new();
            for tag in 0..16 {
                self.requests += 1;
                let (name, flag, peer) = if tag < 8 {
                    ("Irecv", flags::RECEIVES, from)
                } else {
                    ("Isend", flags::SENDS, to)
                };
                let call = Call {
                    operation: operation(name),
                    flags: base.flags | flag,
                    peer,
                    tag: tag % 8,
                    site: 1,
                    request: self.requests,
                    ..base
                };
                self.call(call, 150, &[])?;
                let received = if tag < 8 { completion_flags::RECEIVED } else { 0 };
                done.push(Completion {
                    request: self.requests,
                    flags: received,
                    source: peer,
                    tag: tag % 8,
                    bytes: 1024,
                });
            }
            self.call(
                Call { operation: operation("Waitall"), site: 3, ..Call::default() },
                3000,
                &done,
            )?;
        }
        Ok(())
    }
}

fn operation(name: &str) -> u16 {
    calls::list::NAMES.iter().position(|known| *known == name).map_or(0, |at| at as u16)
}

/// The most memory that this process has had, as the system counts it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .split_whitespace()
        .next()?
        .parse()
        .ok()
}

/// Bytes of the files in a folder.
fn bytes(folder: &Path) -> std::io::Result<u64> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
