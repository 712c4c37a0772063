//! Gives the shared library the name under which programs look for it.

#![forbid(unsafe_code)]

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // While versions are 0.x each minor may break programs, and the name says which one it is.
    let version = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let name = format!("libfourstamp.so.{}.{}", version("MAJOR"), version("MINOR"));
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
}
