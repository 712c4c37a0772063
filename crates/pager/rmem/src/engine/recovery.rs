//! Whether what was lost with a server is safe again.

use pager::VaultStatus;

/// Losses that are being made good.
#[derive(Default)]
pub struct Recovery {
    under_way: bool,
    /// Pages that had been made again when all was safe last.
    rebuilt: u64,
}

impl Recovery {
    /// A server is gone.
    pub fn lost_server(&mut self) {
        self.under_way = true;
    }

    /// How many pages have been made again, when all is safe after a loss: told once. `None` also
    /// where none had to be.
    pub fn over(&mut self, vault: &VaultStatus) -> Option<u64> {
        if !self.under_way || vault.groups_broken > 0 || vault.unprotected > 0 {
            return None;
        }
        self.under_way = false;
        let pages = vault.rebuilt - std::mem::replace(&mut self.rebuilt, vault.rebuilt);
        (pages > 0).then_some(pages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_each_recovery_is_told_once() {
        let vault = |groups_broken, unprotected, rebuilt| VaultStatus {
            groups_broken,
            unprotected,
            rebuilt,
            ..VaultStatus::default()
        };
        let mut recovery = Recovery::default();
        assert_eq!(recovery.over(&vault(0, 0, 0)), None, "nothing was lost");
        recovery.lost_server();
        assert_eq!(recovery.over(&vault(3, 0, 2)), None);
        assert_eq!(recovery.over(&vault(0, 1, 5)), None, "a group lacks its parity");
        assert_eq!(recovery.over(&vault(0, 0, 5)), Some(5));
        assert_eq!(recovery.over(&vault(0, 0, 5)), None);
        recovery.lost_server();
        assert_eq!(recovery.over(&vault(0, 0, 5)), None, "it held nothing");
        recovery.lost_server();
        assert_eq!(recovery.over(&vault(0, 0, 7)), Some(2));
    }
}
