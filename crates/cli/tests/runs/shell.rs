//! What the shell gets: completions, manual pages, and the first words of a bare command.

use crate::common::{folder, run, succeed, text};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// A line, and words that a shell offers at its end; each is offered by every shell.
const OFFERED: [(&str, &[&str]); 7] = [
    ("fourstamp rep", &["report"]),
    ("fourstamp bench ", &["pingpong", "stream", "sweep"]),
    ("fourstamp bench pingpong --transport ", &["thread", "shm", "tcp", "udp", "mpi"]),
    ("fourstamp warp ", &["phold", "warpnet", "diary", "study"]),
    ("fourstamp warp phold --bal", &["--balance", "--balance-interval"]),
    ("fourstamp completions ", &["bash", "zsh", "fish"]),
    ("fourstamp pager study ", &["fft", "qsort"]),
];

/// The shell loads its completions and says what it offers after each line.
fn offers(shell: &str, file: &str, offered: impl Fn(&Path, &str) -> Output) {
    if !is_there(shell) {
        println!("skipped: no {shell}");
        return;
    }
    let home = folder();
    let script = home.path().join(file);
    std::fs::write(&script, succeed(home.path(), &format!("completions {shell}"))).unwrap();
    for (line, words) in OFFERED {
        let output = offered(&script, line);
        assert!(output.status.success(), "{shell}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{shell}");
        let said = text(&output.stdout);
        let all: Vec<&str> = said.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
        for word in words {
            assert!(all.contains(word), "{shell}: {line}: {word} is not among {said}");
        }
    }
}

#[test]
fn bash_completes_commands_options_and_choices() {
    offers("bash", "fourstamp.bash", |script, line| {
        let ask = "source \"$1\"; IFS=' '; COMP_WORDS=($2); [[ $2 == *' ' ]] && COMP_WORDS+=(''); \
                   COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); \
                   _fourstamp fourstamp \"${COMP_WORDS[-1]}\" \"${COMP_WORDS[-2]}\"; \
                   echo \"${COMPREPLY[@]}\"";
        let bash = ["--noprofile", "--norc", "-u", "-c", ask, "bash"];
        Command::new("bash").args(bash).arg(script).arg(line).output().unwrap()
    });
}

#[test]
fn zsh_completes_commands_options_and_choices() {
    let typist = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/complete.zsh");
    offers("zsh", "_fourstamp", |script, line| {
        let mut command = Command::new("timeout");
        command.args(["60", "zsh", "-f"]).arg(&typist).arg(script.parent().unwrap()).arg(line);
        command.output().unwrap()
    });
}

#[test]
fn fish_completes_commands_options_and_choices() {
    offers("fish", "fourstamp.fish", |script, line| {
        let ask = "source $argv[1]; complete -C $argv[2]";
        let mut command = Command::new("fish");
        command.args(["--no-config", "-c", ask]).arg(script).arg(line).output().unwrap()
    });
}

#[test]
fn every_command_has_a_page_that_man_shows_without_a_warning() {
    let home = folder();
    let out = succeed(home.path(), "man pages");
    let pages: Vec<_> = std::fs::read_dir(home.path().join("pages")).unwrap().collect();
    assert!(pages.len() > 20 && out.contains(&format!("{} pages", pages.len())), "{out}");
    let page = |name: &str| std::fs::read_to_string(home.path().join("pages").join(name)).unwrap();
    assert!(page("fourstamp-bench-pingpong.1").contains(".SH OPTIONS"));
    let trace = page("fourstamp-mpi-trace.1");
    assert!(trace.contains("\n.nf\n  fourstamp mpi trace \\-\\- mpirun"), "{trace}");
    if !is_there("groff") {
        println!("skipped: no groff");
        return;
    }
    for page in pages {
        let page = page.unwrap().path();
        let warned = warnings(&page);
        assert_eq!(warned, "", "{}", page.display());
    }
}

/// What groff has to say of a page.
fn warnings(page: &Path) -> String {
    let mut groff = Command::new("groff");
    let output = groff.args(["-k", "-man", "-ww", "-z", "-T", "utf8"]).arg(page).output().unwrap();
    assert!(output.status.success());
    text(&output.stderr)
}

#[test]
fn a_bare_command_says_what_to_try_first() {
    let home = folder();
    let bare = run(home.path(), "");
    assert_eq!(bare.status.code(), Some(2));
    assert!(bare.stdout.is_empty());
    let said = text(&bare.stderr);
    for word in ["tour", "bench", "mpi trace", "warp", "pager", "doctor", "--help"] {
        assert!(said.contains(&format!("fourstamp {word}")), "{word}: {said}");
    }
    assert!(said.lines().count() < 15 && said.lines().all(|line| line.len() <= 100), "{said}");
}

#[test]
fn a_time_without_its_unit_is_refused_with_one_that_has_it() {
    let home = folder();
    let refused = run(home.path(), "bench pingpong --duration 10");
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("e.g. 10s or 10ms"), "{}", text(&refused.stderr));
}

#[test]
fn a_tour_is_reported_again_as_it_was() {
    let home = folder();
    succeed(home.path(), "tour --quick 1000 --launches 1 --out t");
    let page = home.path().join("t/report.html");
    let first = std::fs::read(&page).unwrap();
    std::fs::remove_file(&page).unwrap();
    let out = succeed(home.path(), "report t");
    assert!(out.contains("t/report.html"), "{out}");
    assert!(std::fs::read(&page).unwrap() == first, "the page is another");
    assert!(succeed(home.path(), "report t --terminal").contains("pingpong"));
}
