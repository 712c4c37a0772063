//! The commands in README.md and docs/ can be typed: each is read as the program would read it.

use super::Cli;
use clap::Parser;
use std::path::{Path, PathBuf};

/// Every `fourstamp …` in blocks of shell and of YAML: the words of each, with its line.
fn commands(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut found, mut pasted, mut open) = (Vec::new(), false, false);
    let mut begun: Option<(usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("```") {
            open = !open;
            pasted = open && ["```console", "```yaml", "```sh"].contains(&line);
            continue;
        }
        if !pasted {
            continue;
        }
        let (first, mut whole) = begun.take().unwrap_or((number, String::new()));
        match line.strip_suffix('\\') {
            Some(part) => begun = Some((first, whole + part + " ")),
            None => {
                whole.push_str(line);
                found.extend(typed(&whole).into_iter().map(|words| (first, words)));
            }
        }
    }
    found
}

/// The words of each command of a line that begins with `fourstamp`.
fn typed(line: &str) -> Vec<Vec<String>> {
    let is_command = line.starts_with("$ ") || line.starts_with("> ") || line.starts_with(' ');
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let mut quote: Option<char> = None;
    let mut end = |words: &mut Vec<String>| {
        // There it is a package.
        let is_asked_for = words.iter().any(|word| word.ends_with("pkg-config"));
        let begin = words.iter().position(|word| word == "fourstamp").filter(|_| !is_asked_for);
        all.extend(begin.map(|at| words[at..].to_vec()));
        words.clear();
    };
    for c in line.chars().filter(|_| is_command).chain([';']) {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            (c, Some(_)) => word.push(c),
            ('\'' | '"', None) => quote = Some(c),
            (' ' | ';' | '|' | '#' | '<' | '>' | '&' | ')', None) => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                // What goes elsewhere is no argument, and a comment ends all.
                match c {
                    ' ' => {}
                    '#' => break,
                    _ => end(&mut words),
                }
            }
            (c, None) => word.push(c),
        }
    }
    end(&mut words);
    all
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_dir(root.join("docs")).expect("docs/ is there");
    let mut all: Vec<PathBuf> = docs.map(|entry| entry.expect("readable").path()).collect();
    all.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    all.push(root.join("README.md"));
    all
}

#[test]
fn commands_in_the_documents_can_be_typed() {
    let (mut read, mut wrong) = (0, Vec::new());
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("text");
        for (line, words) in commands(&text) {
            // What a shell puts together is not known here.
            if words.iter().any(|word| word.contains("$(") || word.contains('…')) {
                continue;
            }
            read += 1;
            // A machine's file that a command before it makes is as good as one that comes with us.
            let there = |word: &String| match word.ends_with(".toml") {
                true => fabric::SHIPPED[0].name.to_owned(),
                false => word.clone(),
            };
            if let Err(error) = Cli::try_parse_from(super::study_options_first(
                words.iter().map(there).map(std::ffi::OsString::from),
            )) && error.use_stderr()
            {
                let name = path.file_name().unwrap_or_default().display().to_string();
                wrong.push(format!("{name}:{line}: {}\n{error}", words.join(" ")));
            }
        }
    }
    assert!(read > 60, "{read} commands");
    assert!(wrong.is_empty(), "{} of {read}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn commands_are_found_as_a_shell_would() {
    let text = "```console\n$ fourstamp report a > b # c\n$ for i in 1; do\n\
        >   fourstamp bench \\\n    --out a$i\n> done\n```\n```yaml\n      - run: |\n          \
        fourstamp compare a b --fail-if 'p99 > +5%' | head; fourstamp man x\n        \
        cc a.c $(pkg-config --libs fourstamp) && ./a\n```\nfourstamp no\n";
    let found: Vec<String> = commands(text).iter().map(|(_, words)| words.join(" ")).collect();
    let wanted = [
        "fourstamp report a",
        "fourstamp bench --out a$i",
        "fourstamp compare a b --fail-if p99 > +5%",
        "fourstamp man x",
    ];
    assert_eq!(found, wanted);
}
