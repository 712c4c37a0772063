//! The program among the launcher's words: found for its name, and to say early when it cannot be traced.

use super::launcher::{Launcher, which};
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of launchers that are followed by a name and a value.
const TWO_VALUES: [&str; 5] = ["mca", "gmca", "pmixmca", "env", "genv"];

/// The program that the ranks run: the first word that is a program's file. A guess, because launchers have hundreds of options.
pub fn find(words: &[OsString], launcher: &Launcher) -> Option<PathBuf> {
    if *launcher == Launcher::Unknown {
        return which(&words[0]);
    }
    let mut option_before = false;
    let mut words = words[1..].iter();
    while let Some(word) = words.next() {
        let is_option = word.to_string_lossy().starts_with('-');
        if is_option && TWO_VALUES.contains(&word.to_string_lossy().trim_start_matches('-')) {
            words.nth(1);
            continue;
        }
        // The value of an option may be the name of some command, as in `--map-by node`: only a path counts there.
        let by_name = !option_before || word.to_string_lossy().contains('/');
        if !is_option
            && by_name
            && let Some(found) = which(word)
        {
            return Some(found);
        }
        option_before = is_option;
    }
    None
}

/// Refuse what no library can be loaded into.
///
/// # Errors
/// For a statically linked program.
pub fn check(program: &Path) -> Result<()> {
    if std::fs::read(program).is_ok_and(|bytes| is_static(&bytes)) {
        bail!(
            "{} is statically linked, so that no library can be loaded before it; link it dynamically (without -static)",
            program.display()
        );
    }
    Ok(())
}

/// What the run is called.
pub fn name(program: Option<&Path>, words: &[OsString]) -> String {
    let file = program.or_else(|| words.first().map(Path::new)).and_then(Path::file_name);
    let name = file.unwrap_or_default().to_string_lossy();
    name.chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
        .collect()
}

/// Whether this is an ELF program that names no loader.
fn is_static(bytes: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    const ELF64_LITTLE: &[u8] = b"\x7fELF\x02\x01";
    if !bytes.starts_with(ELF64_LITTLE) {
        return false;
    }
    let number = |at: usize, width: usize| {
        let field = bytes.get(at..at + width)?;
        Some(field.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (Some(start), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2)) else {
        return false;
    };
    let kind = |segment: u64| number(start.checked_add(segment * size)? as usize, 4);
    !(0..count).any(|segment| kind(segment) == Some(u64::from(INTERPRETER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_not_static_and_text_is_no_program() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(!is_static(b"#!/bin/sh\n"));
        let mut without = own.clone();
        without[56..58].fill(0);
        assert!(is_static(&without), "an ELF file without segments names no loader");
        assert!(!is_static(&own[..20]), "a cut file is not judged");
    }

    #[test]
    fn the_program_is_found_behind_the_launchers_options() {
        let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        let found = find(&words("mpirun -n 4 --map-by env /bin/sh -c true"), &Launcher::OpenMpi);
        assert_eq!(found, Some(PathBuf::from("/bin/sh")));
        let found = find(&words("mpirun --mca plm_rsh_agent /bin/cat -n 4 /bin/sh"), &Launcher::OpenMpi);
        assert_eq!(found, Some(PathBuf::from("/bin/sh")));
        assert_eq!(find(&words("mpirun -n 4"), &Launcher::OpenMpi), None);
        assert_eq!(name(Some(Path::new("/x/my app")), &[]), "my-app");
    }
}
