//! The small files that packages have, and the checkout has not.

use super::needs::Needs;
use super::system::System;
use anyhow::{Context, Result};

/// What a static library of Rust's needs beside itself.
const LIBS_PRIVATE: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl";

/// The package of Debian that has a library.
const DEBIAN_PACKAGES: &[(&str, &str)] = &[
    ("ld-linux-aarch64.so.1", "libc6"),
    ("ld-linux-x86-64.so.2", "libc6"),
    ("libc.so.6", "libc6"),
    ("libdl.so.2", "libc6"),
    ("libgcc_s.so.1", "libgcc-s1"),
    ("libm.so.6", "libc6"),
    ("libpthread.so.0", "libc6"),
    ("librt.so.1", "libc6"),
];

/// Debian's `postinst`: the user of the page server is made, and systemd sees the service. Nothing
/// is enabled or started.
pub const POSTINST: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
    if command -v systemd-sysusers >/dev/null; then
        systemd-sysusers fourstamp-pager.conf
    fi
    if [ -d /run/systemd/system ]; then
        systemctl --system daemon-reload || true
    fi
fi
";

/// `fourstamp.pc`.
pub fn pkg_config(version: &str, prefix: &str, library: &str) -> String {
    format!(
        "prefix={prefix}\n\
         libdir=${{prefix}}/{library}\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: fourstamp\n\
         Description: Four time stamps on every message of a program\n\
         Version: {version}\n\
         Cflags: -I${{includedir}}\n\
         Libs: -L${{libdir}} -lfourstamp\n\
         Libs.private: {LIBS_PRIVATE}\n"
    )
}

/// Debian's `control`. `bytes` is what the package takes when it is installed.
pub fn control(version: &str, system: &System, needs: &Needs, bytes: u64) -> Result<String> {
    let depends = depends(needs)?;
    Ok(format!(
        "Package: fourstamp\n\
         Version: {version}\n\
         Architecture: {}\n\
         Maintainer: The Fourstamp authors\n\
         Installed-Size: {}\n\
         Depends: {depends}\n\
         Section: net\n\
         Priority: optional\n\
         Description: shows where the time of every message goes\n \
         Measures every message of a distributed program at four points of its life,\n \
         and shows which part of the time went to the sender, the network and the\n \
         receiver. With the program come a library for programs in C (libfourstamp,\n \
         shared and static), its header and its file for pkg-config.\n",
        system.debian,
        bytes.div_ceil(1024)
    ))
}

/// The packages with the libraries; glibc in the version that the symbols ask for.
pub fn depends(needs: &Needs) -> Result<String> {
    let mut packages = Vec::new();
    for library in &needs.libraries {
        let known = DEBIAN_PACKAGES.iter().find(|(name, _)| name == library);
        let (_, package) = known.with_context(|| {
            format!("{library} is needed, but xtask/src/dist/texts.rs does not say whose it is")
        })?;
        packages.push(match *package {
            "libc6" => format!("libc6 (>= {}.{})", needs.glibc.0, needs.glibc.1),
            other => other.to_owned(),
        });
    }
    packages.sort();
    packages.dedup();
    Ok(packages.join(", "))
}

/// Debian's `copyright`, of the text of the MIT licence. The other one is on every such system.
pub fn copyright(repository: &str, mit: &str) -> Result<String> {
    let holder = mit.lines().find_map(|line| line.strip_prefix("Copyright (c) "));
    let holder = holder.context("LICENSE-MIT names no holder of the copyright")?;
    let conditions = mit.split_once("\n\n").and_then(|(_, rest)| rest.split_once("\n\n"));
    let (_, conditions) = conditions.context("LICENSE-MIT has not its usual form")?;
    let text: Vec<String> = conditions.trim_end().lines().map(indented).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: fourstamp\n\
         Source: {repository}\n\
         Comment: The program also has code of the Rust packages that\n \
         /usr/share/doc/fourstamp/THIRD-PARTY.md lists, under the licences it names.\n\
         \n\
         Files: *\n\
         Copyright: {holder}\n\
         License: Expat or Apache-2.0\n\
         \n\
         License: Expat\n{}\n\
         \n\
         License: Apache-2.0\n \
         The text is in /usr/share/common-licenses/Apache-2.0.\n",
        text.join("\n")
    ))
}

fn indented(line: &str) -> String {
    if line.is_empty() { " .".into() } else { format!(" {line}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn needs(libraries: &[&str]) -> Needs {
        let libraries: BTreeSet<_> = libraries.iter().map(|name| (*name).to_owned()).collect();
        Needs { libraries, glibc: (2, 34) }
    }

    #[test]
    fn dependencies_are_packages_once_each_and_an_unknown_library_is_refused() {
        let found = depends(&needs(&["libm.so.6", "libc.so.6", "libgcc_s.so.1"])).unwrap();
        assert_eq!(found, "libc6 (>= 2.34), libgcc-s1");
        let error = depends(&needs(&["libmpi.so.40"])).unwrap_err().to_string();
        assert!(error.starts_with("libmpi.so.40 is needed"), "{error}");
    }

    #[test]
    fn the_copyright_file_has_the_licence_in_debians_form() {
        let mit = "MIT License\n\nCopyright (c) 2026 Some\n\nFirst.\n\nSecond\nline.\n";
        let text = copyright("https://a.example", mit).unwrap();
        assert!(text.contains("Copyright: 2026 Some\n"), "{text}");
        assert!(text.contains("License: Expat\n First.\n .\n Second\n line.\n"), "{text}");
    }
}
