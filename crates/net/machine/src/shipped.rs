//! Machines that come with Fourstamp.

/// A machine that comes with Fourstamp, as its file.
pub struct Shipped {
    /// What `--on` calls it.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(Shipped { name: $name, text: include_str!(concat!("../machines/", $name, ".toml")) }),*]
    };
}

/// In the order in which they are listed: by the documents that measured on them.
pub static SHIPPED: [Shipped; 6] =
    shipped!["mark3", "sun3-ethernet", "butterfly", "myrinet", "gigabit-2017", "alpha-ethernet",];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn every_machine_can_be_read_and_says_where_its_figures_come_from() {
        for Shipped { name, text } in &SHIPPED {
            let machine = parse(name, text).unwrap();
            for (constant, known) in &machine.constants {
                assert!(!known.source.is_empty(), "{name}: {constant} has no source");
            }
        }
    }
}
