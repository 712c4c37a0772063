//! Ways to tamper with a folder.

use anyhow::{Context, Result};
use rand::RngExt;
use rand_pcg::Pcg64;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Copy a folder; pipes and links in it are left out.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in
        std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?
    {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Change a few places of the folder; what was done to which file.
pub fn tamper(folder: &Path, beside: &Path, random: &mut Pcg64) -> Result<Vec<String>> {
    let mut done = Vec::new();
    for _ in 0..random.random_range(1..4) {
        let files = files_of(folder);
        let Some(file) = pick(&files, random) else { break };
        let is_text = file.extension().is_some_and(|ending| ending == "json");
        let what = match random.random_range(0..10) {
            0..5 if is_text => change_json(file, beside, random)?,
            0 => structure(file, beside, random)?.to_string(),
            _ => change_bytes(file, random)?,
        };
        let name = file.strip_prefix(folder).unwrap_or(file).display();
        done.push(format!("{name}: {what}"));
    }
    Ok(done)
}

/// What was made that large is changed enough.
const LARGE: u64 = 1 << 26;

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_of(&entry.path())),
            Ok(kind)
                if kind.is_file() && entry.metadata().is_ok_and(|about| about.len() < LARGE) =>
            {
                files.push(entry.path());
            }
            _ => {}
        }
    }
    files.sort();
    files
}

fn pick<'a, T>(from: &'a [T], random: &mut Pcg64) -> Option<&'a T> {
    if from.is_empty() { None } else { from.get(random.random_range(0..from.len())) }
}

/// The file becomes something else, or its folder does.
fn structure(file: &Path, beside: &Path, random: &mut Pcg64) -> Result<&'static str> {
    let choice = random.random_range(0..9);
    let folder = file.parent().context("a file has a folder")?;
    if choice == 8 {
        let moved = folder.with_extension("moved");
        if folder.file_name().is_some_and(|name| name != "input") && !moved.exists() {
            std::fs::rename(folder, moved)?;
            symlink(beside.join("folder"), folder)?;
        }
        return Ok("its folder is a link");
    }
    std::fs::remove_file(file)?;
    Ok(match choice {
        0 => "is gone",
        1 => {
            std::fs::create_dir(file)?;
            "is a folder"
        }
        2 => {
            mknodat(CWD, file, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?;
            "is a pipe"
        }
        3 => {
            symlink(beside.join("thesis"), file)?;
            "is a link to a file"
        }
        4 => {
            symlink(beside.join("nothing"), file)?;
            "is a link to nothing"
        }
        5 => {
            symlink("/dev/zero", file)?;
            "is endless"
        }
        6 => {
            std::fs::File::create(file)?.set_len(1 << 40)?;
            "is a terabyte"
        }
        _ => {
            std::fs::write(file, "")?;
            "is empty"
        }
    })
}

fn change_bytes(file: &Path, random: &mut Pcg64) -> Result<String> {
    let mut bytes = std::fs::read(file)?;
    let length = bytes.len();
    if length == 0 {
        return Ok("was empty".into());
    }
    // Ends say where the rest is.
    let at = match random.random_range(0..3) {
        0 => random.random_range(0..length),
        1 => random.random_range(0..length.min(128)),
        _ => length - 1 - random.random_range(0..length.min(600)),
    };
    let what = match random.random_range(0..7) {
        0 => {
            bytes[at] ^= 1 << random.random_range(0..8);
            "a bit"
        }
        1 => {
            bytes[at] = *pick(&[0, 1, 0x7f, 0x80, 0xff, b'"', b'\n', b','], random).unwrap_or(&0);
            "a byte"
        }
        2 => {
            bytes.truncate(at);
            "the end is gone"
        }
        3 => {
            let end = (at + random.random_range(1..64)).min(length);
            bytes[at..end].fill(random.random());
            "a stretch"
        }
        4 => {
            let end = (at + random.random_range(1..200)).min(length);
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
            "a stretch twice"
        }
        5 => {
            let end = (at + 8).min(length);
            let word: u64 =
                *pick(&[u64::MAX, 1 << 63, i64::MAX as u64, 1 << 40, 0], random).unwrap_or(&0);
            bytes[at..end].copy_from_slice(&word.to_le_bytes()[..end - at]);
            "a word"
        }
        _ => {
            let end = (at + random.random_range(1..200)).min(length);
            bytes.drain(at..end);
            "a stretch is gone"
        }
    };
    std::fs::write(file, bytes)?;
    Ok(format!("{what} at {at}"))
}

fn change_json(file: &Path, beside: &Path, random: &mut Pcg64) -> Result<String> {
    let Ok(mut value) = serde_json::from_slice::<Value>(&std::fs::read(file)?) else {
        return change_bytes(file, random);
    };
    let mut places = Vec::new();
    gather(&value, &mut String::new(), &mut places);
    let Some(place) = pick(&places, random).cloned() else { return Ok("is empty".into()) };
    let odd = odd_value(beside, random);
    if let Some(there) = value.pointer_mut(&place) {
        *there = match (random.random_range(0..4), &*there) {
            (0, Value::Array(items)) => items.iter().chain(items).cloned().collect(),
            (1, Value::Array(items)) => items.iter().skip(1).cloned().collect(),
            (0 | 1, Value::Object(items)) => items.clone().into_iter().skip(1).collect(),
            _ => odd,
        };
    }
    std::fs::write(file, serde_json::to_vec(&value)?)?;
    Ok(format!("the value at {place}"))
}

/// Pointers to everything in a value.
fn gather(value: &Value, path: &mut String, places: &mut Vec<String>) {
    let length = path.len();
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
        }
        Value::Object(items) => items
            .iter()
            .map(|(key, item)| (key.replace('~', "~0").replace('/', "~1"), item))
            .collect(),
        _ => Vec::new(),
    };
    for (key, item) in inner {
        path.push('/');
        path.push_str(&key);
        places.push(path.clone());
        gather(item, path, places);
        path.truncate(length);
    }
}

fn odd_value(beside: &Path, random: &mut Pcg64) -> Value {
    let path = |name: &str| json!(beside.join(name));
    match random.random_range(0..22) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(0),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(i64::MAX),
        6 => json!(1e308),
        7 => json!(-1e-308),
        8 => json!(4_294_967_295_u64),
        9 => json!(65536),
        10 => json!(""),
        11 => json!("x".repeat(100_000)),
        12 => json!("\u{1b}[2J\u{1b}]0;title\u{7}\r\n"),
        13 => json!("../../beside/thesis"),
        14 => path("thesis"),
        15 => path("folder"),
        16 => json!("/dev/shm/thesis"),
        17 => json!([]),
        18 => json!({}),
        19 => json!(true),
        20 => json!("=1+1"),
        _ => json!(random.random_range(0..1_000_000_000_u64)),
    }
}
