//! `fourstamp pager swap`, where there are root and a disk that can have a swap file.

use crate::common::text;
use std::process::{Command, Output};

fn swapped(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fourstamp"));
    command.args(["pager", "swap", "--local", "16M", "--room", "16M", "--"]).args(words);
    command.output().unwrap()
}

#[test]
fn what_the_kernel_killed_for_want_of_memory_is_told() {
    let nothing = swapped(&["true"]);
    if !nothing.status.success() {
        println!("skipped: {}", text(&nothing.stderr));
        return;
    }
    assert_eq!(text(&nothing.stderr), "");
    // `tail` keeps all of it, for there is no line to begin anew with.
    let hog = "head -c 100M /dev/zero | tail | wc -c; echo went on";
    let output = swapped(&["sh", "-c", hog]);
    let told = text(&output.stderr);
    assert!(told.contains("the kernel killed 1 process of sh for want of memory"), "{told}");
    assert!(text(&output.stdout).contains("went on"), "its output is its own");
    assert!(output.status.success(), "its exit code, too: {told}");
}
