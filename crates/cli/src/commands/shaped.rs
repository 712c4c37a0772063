//! Links of a given rate between two boxes on this machine.

pub use shaped::link;

/// The boxes.
pub mod namespaces {
    pub use shaped::namespaces::Namespaces;

    /// Two of them, or why there can be none here.
    pub fn two() -> Result<Namespaces, String> {
        shaped::namespaces::two(|line| eprintln!("{line}")).map_err(|error| error.to_string())
    }
}
