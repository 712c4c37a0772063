//! Commands that run another command, such as `timeout 60 mpirun …`: what they run is what counts.

use crate::which::which;
use std::ffi::OsString;
use std::path::Path;

/// Commands whose arguments end with a command that they run.
const WRAPPERS: [&str; 16] = [
    "timeout",
    "env",
    "nice",
    "ionice",
    "time",
    "stdbuf",
    "taskset",
    "numactl",
    "nohup",
    "setsid",
    "chrt",
    "setarch",
    "prlimit",
    "unbuffer",
    "catchsegv",
    "sudo",
];

/// Where among the words the command begins that is behind all wrappers: the first word behind one
/// that is a program. A guess, because wrappers have options of their own; 0 where there is none.
pub fn behind(words: &[OsString]) -> usize {
    let mut at = 0;
    while words.get(at).is_some_and(is_wrapper) {
        let rest = words[at + 1..].iter();
        let is_option = |word: &OsString| {
            let word = word.to_string_lossy();
            // A number may be the name of some file here.
            word.starts_with('-') || word.contains('=') || word.parse::<f64>().is_ok()
        };
        let next = rest.take_while(|word| is_option(word) || which(word).is_none()).count();
        if at + 1 + next >= words.len() {
            break;
        }
        at += 1 + next;
    }
    at
}

fn is_wrapper(word: &OsString) -> bool {
    let name = Path::new(word).file_name().unwrap_or_default().to_string_lossy();
    WRAPPERS.contains(&&*name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_wrappers_run_is_found_behind_them() {
        let words = |text: &str| text.split_whitespace().map(OsString::from).collect::<Vec<_>>();
        let found = |text: &str| behind(&words(text));
        assert_eq!(found("timeout -k 5 60s /bin/sh -c true"), 4);
        assert_eq!(found("env A=b nice -n 5 timeout 60 /bin/cat x"), 7);
        assert_eq!(found("/bin/sh -c true"), 0);
        assert_eq!(found("timeout 60"), 0, "it runs nothing");
    }
}
