//! Whether a program that runs has loaded something from a folder: what it starts later looks for
//! it there again.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Whether a program of this machine has, as far as this user may look.
pub fn from(folder: &Path) -> bool {
    // The kernel names files by their path without links.
    let Ok(folder) = folder.canonicalize() else { return false };
    let within = [folder.as_os_str().as_bytes(), b"/"].concat();
    let has = |maps: Vec<u8>| maps.windows(within.len()).any(|bytes| bytes == within);
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(|process| std::fs::read(process.path().join("maps")).ok()).any(has)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_this_program_is_loaded_and_one_of_an_empty_folder_is_not() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let library = maps.split_whitespace().find(|word| word.contains("/libc.so")).unwrap();
        let folder = Path::new(library).parent().unwrap();
        assert!(from(folder), "{}", folder.display());
        assert!(!from(tempfile::tempdir().unwrap().path()));
    }
}
