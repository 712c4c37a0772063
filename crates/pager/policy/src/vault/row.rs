//! The groups that take members.

/// As many open groups as pages go to one server before it is the next one's turn. So neighbours
/// lie at the same server, and come back together.
#[derive(Debug)]
pub(super) struct Row {
    groups: Vec<Option<u32>>,
    at: usize,
}

impl Row {
    pub(super) fn new(length: u32) -> Row {
        Row { groups: vec![None; length.max(1) as usize], at: 0 }
    }

    /// The group whose turn it is, if it is open.
    pub(super) fn now(&self) -> Option<u32> {
        self.groups[self.at]
    }

    /// The group whose turn it is was opened.
    pub(super) fn open(&mut self, group: u32) {
        self.groups[self.at] = Some(group);
    }

    /// The group takes no more members.
    pub(super) fn close(&mut self, group: u32) {
        self.groups.iter_mut().filter(|open| **open == Some(group)).for_each(|open| *open = None);
    }

    /// Any group that is open.
    pub(super) fn any(&self) -> Option<u32> {
        self.groups.iter().find_map(|open| *open)
    }

    /// The next group's turn. Whether that is the first one's again.
    pub(super) fn step(&mut self) -> bool {
        self.at = (self.at + 1) % self.groups.len();
        self.at == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_take_turns() {
        let mut row = Row::new(2);
        row.open(7);
        assert!(!row.step());
        assert_eq!((row.now(), row.any()), (None, Some(7)));
        row.open(8);
        assert!(row.step());
        assert_eq!(row.now(), Some(7));
        row.close(7);
        assert_eq!((row.now(), row.any()), (None, Some(8)));
    }
}
