//! Counting bytes in use: what is added must be taken away again, or the count says so by
//! overflowing.

/// Bytes in use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    bytes: usize,
}

impl Cost {
    #[inline]
    pub fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    #[inline]
    pub fn take(&mut self, bytes: usize) {
        self.bytes -= bytes;
    }

    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
