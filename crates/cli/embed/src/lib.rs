//! `embed::library!(mpitrace)`: the bytes of `libmpitrace.so`, which cargo has built because the
//! package depends on it.
//!
//! Cargo builds a dependency of the types `cdylib` and `rlib` as both at once, one beside the
//! other, before it compiles what depends on it; it has no stable way to say where (artifact
//! dependencies are not stable, RFC 3028). But it tells the compiler where the `rlib` is, by
//! `--extern`, and this macro runs in the compiler: the library is next to that file, whatever the
//! layout of the build folder. A build script cannot do it: it runs before such dependencies are
//! built, and a cargo of its own would build them all twice.
//!
//! Where nothing is linked (`cargo check`, clippy, rustdoc, an editor) the library is not built,
//! and the macro gives no bytes. Where a program is linked, a library that is missing is an error.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

use proc_macro::TokenStream;
use std::path::{Path, PathBuf};

/// The bytes of the library that the dependency of this name was built to, as `&[u8]`.
#[proc_macro]
pub fn library(name: TokenStream) -> TokenStream {
    let name = name.to_string();
    let code = match find(&words(std::env::args()), &name) {
        Ok(Some(path)) => format!("include_bytes!({:?}).as_slice()", path.display().to_string()),
        Ok(None) => "[].as_slice()".into(),
        Err(why) => format!("compile_error!({why:?})"),
    };
    code.parse().expect("a macro and a text are tokens")
}

/// The compiler's arguments; cargo puts them into a file, a line each, when they are too long.
fn words(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let spread = |word: String| match word.strip_prefix('@').map(std::fs::read_to_string) {
        Some(Ok(lines)) => lines.lines().map(str::to_owned).collect(),
        _ => vec![word],
    };
    arguments.flat_map(spread).collect()
}

/// The library beside the dependency's `rlib`; none is needed where nothing is linked.
fn find(words: &[String], name: &str) -> Result<Option<PathBuf>, String> {
    let links = values(words, "--emit").flat_map(|kinds| kinds.split(',')).any(|kind| {
        // `link`, or `link=FILE`
        kind.split('=').next() == Some("link")
    });
    if !links {
        return Ok(None);
    }
    let rlib = values(words, "--extern").find_map(|word| {
        let (known, path) = word.split_once('=')?;
        // `name`, or `options:name`
        (known.rsplit(':').next() == Some(name)).then_some(Path::new(path))
    });
    let rlib = rlib.ok_or_else(|| format!("{name} is not among the dependencies"))?;
    let library = rlib.with_file_name(format!("lib{name}.so"));
    match std::path::absolute(&library) {
        Ok(path) if path.is_file() => Ok(Some(path)),
        _ => Err(format!("{} was not built; is {name} a cdylib and an rlib?", library.display())),
    }
}

/// What an option is given, as `--option value` or `--option=value`.
fn values<'a>(words: &'a [String], option: &'a str) -> impl Iterator<Item = &'a str> {
    let next = words.iter().skip(1).map(Some).chain([None]);
    words.iter().zip(next).filter_map(move |(word, next)| match word.strip_prefix(option)? {
        "" => next.map(String::as_str),
        value => value.strip_prefix('='),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_library_is_beside_the_rlib_that_the_compiler_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libtracer.so");
        std::fs::write(&library, "").unwrap();
        let rlib = folder.path().join("libtracer-0a1b.rlib");
        for option in ["--extern ", "--extern=", "--extern priv:"] {
            let words = given(&format!(
                "rustc --crate-type bin --emit=dep-info,link --extern a=/a.rlib {option}tracer={}",
                rlib.display()
            ));
            assert_eq!(find(&words, "tracer"), Ok(Some(library.clone())), "{option}");
            assert!(find(&words, "trace").unwrap_err().contains("not among"));
        }
        let words = given("--emit link --extern tracer=/nowhere/libtracer-1.rlib");
        assert!(find(&words, "tracer").unwrap_err().contains("/nowhere/libtracer.so was not"));
    }

    #[test]
    fn what_links_nothing_needs_no_library() {
        for words in ["rustc --emit=dep-info,metadata --extern tracer=/a.rmeta", "rust-analyzer"] {
            assert_eq!(find(&given(words), "tracer"), Ok(None));
        }
    }

    #[test]
    fn arguments_may_be_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("arguments");
        std::fs::write(&file, "--emit\nlink\n").unwrap();
        let all = words(["rustc".into(), format!("@{}", file.display())].into_iter());
        assert_eq!(all, ["rustc", "--emit", "link"]);
    }
}
