//! Whether what was lost with a server is safe again.

use pager::VaultStatus;

/// Losses that are being made good.
#[derive(Default)]
pub struct Recovery {
    under_way: bool,
    /// It has been told that pages are not safe.
    exposed: bool,
    /// Pages that had been made again when all was safe last.
    rebuilt: u64,
}

impl Recovery {
    /// A server is gone.
    pub fn lost_server(&mut self) {
        self.under_way = true;
    }

    /// How many groups are not safe now, after a loss: told once.
    pub fn exposed(&mut self, vault: &VaultStatus) -> Option<u64> {
        let groups = exposed_groups(vault);
        if !self.under_way || groups == 0 || std::mem::replace(&mut self.exposed, true) {
            return None;
        }
        Some(groups)
    }

    /// How many pages have been made again, when all is safe after a loss: told once. `None` also
    /// where nothing was at risk.
    pub fn over(&mut self, vault: &VaultStatus) -> Option<u64> {
        if !self.under_way || exposed_groups(vault) > 0 {
            return None;
        }
        self.under_way = false;
        let pages = vault.rebuilt - std::mem::replace(&mut self.rebuilt, vault.rebuilt);
        let exposed = std::mem::take(&mut self.exposed);
        (pages > 0 || exposed).then_some(pages)
    }
}

/// Groups that the loss of one more server would cost pages.
pub fn exposed_groups(vault: &VaultStatus) -> u64 {
    vault.groups_broken + vault.unprotected
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
        recovery.lost_server();
        assert_eq!(recovery.exposed(&vault(2, 1, 7)), Some(3));
        assert_eq!(recovery.exposed(&vault(1, 1, 7)), None, "told once");
        assert_eq!(recovery.over(&vault(0, 0, 7)), Some(0), "parity was written again");
        assert_eq!(recovery.exposed(&vault(1, 0, 7)), None, "no server was lost");
    }
}
