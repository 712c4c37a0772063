//! Which connections have something to be written, so that a flush goes to those alone. Pure.

/// Connections by number.
pub(super) struct Unwritten {
    /// Something was put in for these since the last flush.
    touched: Vec<usize>,
    /// Some connection has not taken all that was to be written.
    left: bool,
}

impl Unwritten {
    pub fn new(connections: usize) -> Unwritten {
        Unwritten { touched: Vec::with_capacity(connections), left: false }
    }

    /// Something was put in for a connection.
    #[inline]
    pub fn touch(&mut self, at: usize) {
        if !self.touched.contains(&at) {
            self.touched.push(at);
        }
    }

    /// Write to each connection that was touched; `write` tells whether all of it went.
    #[inline]
    pub fn flush(&mut self, mut write: impl FnMut(usize) -> bool) {
        while let Some(at) = self.touched.pop() {
            self.left |= !write(at);
        }
    }

    /// Some connection has (`left`) not taken all, or all of it went.
    #[inline]
    pub fn note(&mut self, left: bool) {
        self.left |= left;
    }

    /// Whether some connection has not taken all.
    pub fn is_left(&self) -> bool {
        self.left
    }

    /// If something is left, write to all connections, also after one that has not taken all of it.
    #[inline]
    pub fn retry<L>(&mut self, links: impl Iterator<Item = L>, mut write: impl FnMut(L) -> bool) {
        if self.left {
            self.left = links.fold(false, |left, link| !write(link) | left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flush_writes_once_to_each_connection_that_was_touched() {
        let (mut unwritten, mut written) = (Unwritten::new(3), Vec::new());
        [2, 0, 2].iter().for_each(|at| unwritten.touch(*at));
        unwritten.flush(|at| {
            written.push(at);
            true
        });
        unwritten.flush(|_| panic!("nothing was touched"));
        written.sort_unstable();
        assert_eq!((written, unwritten.is_left()), (vec![0, 2], false));
    }

    #[test]
    fn a_connection_that_is_full_holds_up_no_other() {
        let mut unwritten = Unwritten::new(3);
        unwritten.touch(1);
        unwritten.flush(|_| false);
        let mut asked = Vec::new();
        unwritten.retry(0..3, |at| {
            asked.push(at);
            at != 1
        });
        assert_eq!((asked, unwritten.is_left()), (vec![0, 1, 2], true));
        unwritten.retry(0..3, |_| true);
        assert!(!unwritten.is_left());
        unwritten.retry(0..3, |_| panic!("nothing is left"));
    }
}
