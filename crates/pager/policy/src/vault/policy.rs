//! How pages outside are made safe, and what each server is for.

use std::{fmt, str::FromStr};

/// How a page outside survives the loss of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// It does not: one copy.
    None,
    /// Two copies, on two servers.
    Mirror,
    /// Pages go to the servers in turn and a parity page follows every round: 1 + 1/servers
    /// transfers a page-out.
    #[default]
    ParityLog,
    /// The local disk only.
    Disk,
}

const NAMES: [(Policy, &str); 4] = [
    (Policy::None, "none"),
    (Policy::Mirror, "mirror"),
    (Policy::ParityLog, "parity-log"),
    (Policy::Disk, "disk"),
];

impl fmt::Display for Policy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(policy, _)| policy == self).map_or("?", |(_, name)| name);
        to.pad(name)
    }
}

/// No policy has that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a policy: choose parity-log, mirror, none or disk")]
pub struct UnknownPolicy(String);

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Policy, UnknownPolicy> {
        let found = NAMES.iter().find(|(_, name)| *name == text).map(|(policy, _)| *policy);
        found.ok_or_else(|| UnknownPolicy(text.to_owned()))
    }
}

/// What a server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Pages.
    Data,
    /// Parity pages.
    Parity,
    /// Nothing, until one of the others is gone: then it takes its role.
    Spare,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (policy, name) in NAMES {
            assert_eq!(policy.to_string().parse(), Ok(policy));
            assert_eq!(policy.to_string(), name);
        }
        let error = "raid".parse::<Policy>().unwrap_err().to_string();
        assert!(error.contains("`raid`") && error.contains("parity-log"), "{error}");
    }
}
