//! Files of one package that use each other: whoever reads one must read both.
//!
//! A file and the parts below it do not count: the parts are its own, and may use what it has.
//! Tests do not count either. What a file uses is read from its paths (`use crate::a::b`,
//! `super::c::d`), with braces taken apart.

use super::Broken;
use super::source_text;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Circles that stay, each as package, two modules, and why.
const EXCEPT: &[(&str, &str, &str, &str)] = &[
    ("fourstamp-fabric", "open", "transports", ROW),
    ("fourstamp-fabric", "open", "transports::shm", ROW),
    ("fourstamp-fabric", "spec", "transports", ROW),
    ("fourstamp-fabric", "plant", "spec", "a spec holds what is planted, which names a node"),
    ("fourstamp-fabric", "transports::mpi::process", "transports::mpi::raw", "who ends MPI"),
    ("fourstamp-models", "pucks::model", "pucks::visit", OBJECTS),
    ("fourstamp-models", "pucks::puck", "pucks::start", OBJECTS),
    ("fourstamp-models", "stb88::body", "stb88::payload", OBJECTS),
    ("fourstamp-models", "stb88::corps", "stb88::model", OBJECTS),
    ("fourstamp-models", "stb88::division", "stb88::model", OBJECTS),
    ("fourstamp-models", "stb88::division", "stb88::scenario", OBJECTS),
    ("fourstamp-models", "stb88::grid", "stb88::model", OBJECTS),
    ("fourstamp-models", "warpnet::model", "warpnet::node", OBJECTS),
];

const ROW: &str = "a transport's row has functions of a spec, and a spec holds a row";
const OBJECTS: &str = "object types of one model name each other's states";

/// A module's path within its package; the root's is empty.
type Module = Vec<String>;

/// The files of a package's `src`, by module.
#[derive(Default)]
pub struct Files {
    code: BTreeMap<Module, String>,
}

impl Files {
    /// Takes in a file, named from `src`.
    pub fn add(&mut self, file: &Path, source: &str) {
        let mut module: Module = file
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        if module.iter().any(|part| part == "tests" || part == "bin") {
            return;
        }
        module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
        self.code.insert(module, source_text::code(source));
    }

    /// The circles that no reason excuses.
    pub fn circles(&self, package: &str) -> Vec<Broken> {
        let excused = |a: &str, b: &str| EXCEPT.iter().any(|e| (e.0, e.1, e.2) == (package, a, b));
        let pairs = self.pairs().into_iter().map(|(a, b)| (a.join("::"), b.join("::")));
        pairs
            .filter(|(a, b)| !excused(a, b))
            .map(|(a, b)| Broken {
                place: package.to_owned(),
                what: format!("`{a}` and `{b}` use each other: untie them, or say why not"),
            })
            .collect()
    }

    /// The pairs of modules that use each other, and of which neither is a part of the other.
    fn pairs(&self) -> Vec<(&Module, &Module)> {
        let uses: BTreeMap<&Module, BTreeSet<&Module>> =
            self.code.iter().map(|(module, code)| (module, self.used(module, code))).collect();
        let mutual = |a: &Module, b: &Module| a < b && uses[b].contains(a) && !b.starts_with(a);
        uses.iter()
            .flat_map(|(a, used)| used.iter().map(move |b| (*a, *b)))
            .filter(|(a, b)| mutual(a, b))
            .collect()
    }

    /// The modules that a module's code names.
    fn used(&self, module: &Module, code: &str) -> BTreeSet<&Module> {
        paths(code).iter().filter_map(|path| self.resolve(module, path)).collect()
    }

    /// Which module a path in `module` leads to; the path's first parts are modules, the rest is in
    /// the last of them.
    fn resolve(&self, module: &Module, path: &[String]) -> Option<&Module> {
        let above = path.iter().take_while(|part| *part == "super").count();
        let (mut at, rest) = match path[0].as_str() {
            "crate" => (Module::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => (module[..module.len().checked_sub(above)?].to_vec(), &path[above..]),
            _ => (module.clone(), path),
        };
        let begin = at.len();
        for part in rest {
            at.push(part.clone());
            if !self.code.contains_key(&at) {
                at.pop();
                break;
            }
        }
        let relative = !["crate", "self", "super"].contains(&path[0].as_str());
        let found = self.code.get_key_value(&at)?.0;
        (found != module && !(relative && at.len() == begin)).then_some(found)
    }
}

/// All paths of several parts in the code, with braces taken apart.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("::") {
        let begin = rest[..at].rfind(|c: char| !is_word(c)).map_or(0, |before| before + 1);
        let begin = begin + usize::from(!rest.is_char_boundary(begin));
        if begin == at {
            rest = &rest[at + 2..];
            continue;
        }
        let mut tree = Tree { text: &rest[begin..], found: &mut found };
        tree.read(&[]);
        rest = tree.text;
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What is left of the text, and the paths found in what was read.
struct Tree<'a, 'f> {
    text: &'a str,
    found: &'f mut Vec<Vec<String>>,
}

impl Tree<'_, '_> {
    /// Reads a path that goes on from `before`.
    fn read(&mut self, before: &[String]) {
        let mut path = before.to_vec();
        loop {
            self.text = self.text.trim_start();
            if let Some(inside) = self.text.strip_prefix('{') {
                self.text = inside;
                return self.list(&path);
            }
            let end = self.text.find(|c: char| !is_word(c)).unwrap_or(self.text.len());
            let (word, rest) = self.text.split_at(end);
            if !word.is_empty() {
                path.push(word.to_owned());
            }
            self.text = rest;
            match rest.strip_prefix("::") {
                Some(more) if !word.is_empty() => self.text = more,
                _ => break,
            }
        }
        if !path.is_empty() {
            self.found.push(path);
        }
    }

    /// Reads the paths between braces, each of which goes on from `before`.
    fn list(&mut self, before: &[String]) {
        loop {
            self.read(before);
            let end = self.text.find([',', '}', ';']).unwrap_or(self.text.len());
            let goes_on = self.text[end..].starts_with(',');
            self.text = self.text.get(end + 1..).unwrap_or_default();
            if !goes_on {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(files: &[(&str, &str)]) -> Vec<String> {
        let mut all = Files::default();
        files.iter().for_each(|(name, source)| all.add(Path::new(name), source));
        all.pairs().iter().map(|(a, b)| format!("{} {}", a.join("::"), b.join("::"))).collect()
    }

    #[test]
    fn two_files_that_use_each_other_are_a_circle() {
        let a = ("a.rs", "use crate::b::{c::D, E};");
        assert_eq!(pairs(&[a, ("b.rs", "fn f() { super::a::g() }")]), ["a b"]);
        assert_eq!(pairs(&[a, ("b.rs", ""), ("b/c.rs", "use crate::{a, b};")]), ["a b::c"]);
        assert_eq!(pairs(&[a, ("b.rs", "// use crate::a;\nuse other::a;")]), [""; 0]);
    }

    #[test]
    fn a_file_and_its_parts_are_none() {
        let files = [("lib.rs", "mod a; use a::B;"), ("a.rs", "use crate::C; mod b; use b::D;")];
        assert_eq!(pairs(&[files[0], files[1], ("a/b.rs", "use super::B;")]), [""; 0]);
    }

    #[test]
    fn tests_do_not_count() {
        let a = "fn f() {}\n#[cfg(test)]\nmod tests {\n use crate::b; }";
        assert_eq!(pairs(&[("a.rs", a), ("b.rs", "use crate::a;")]), [""; 0]);
    }

    #[test]
    fn braces_are_taken_apart() {
        let found: Vec<String> = paths("use a::{self, b::{c, d}, e::*}; x::<T>::y(z::w)")
            .iter()
            .map(|path| path.join("::"))
            .collect();
        assert_eq!(found, ["a::self", "a::b::c", "a::b::d", "a::e", "x", "z::w"]);
    }
}
