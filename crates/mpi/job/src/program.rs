//! The program among the launcher's words.

use crate::launcher::Launcher;
use crate::which::which;
use std::ffi::OsString;
use std::path::PathBuf;

/// Options of launchers that are followed by a name and a value.
const TWO_VALUES: [&str; 5] = ["mca", "gmca", "pmixmca", "env", "genv"];

/// The program that the ranks run: the first word that is a program's file. A guess, because
/// launchers have hundreds of options.
pub(crate) fn find(words: &[OsString], launcher: &Launcher) -> Option<PathBuf> {
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
        // The value of an option may be the name of some command, as in `--map-by node`: only a
        // path counts there.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_behind_the_launchers_options() {
        let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        let found = find(&words("mpirun -n 4 --map-by env /bin/sh -c true"), &Launcher::OpenMpi);
        assert_eq!(found, Some(PathBuf::from("/bin/sh")));
        let found =
            find(&words("mpirun --mca plm_rsh_agent /bin/cat -n 4 /bin/sh"), &Launcher::OpenMpi);
        assert_eq!(found, Some(PathBuf::from("/bin/sh")));
        assert_eq!(find(&words("mpirun -n 4"), &Launcher::OpenMpi), None);
    }
}
