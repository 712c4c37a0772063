//! One client's slots: pages and the tags beside them.

use super::arena::Arena;
use crate::wire::answer::Shortage;
use crate::wire::fields::PageBytes;
use pager::{PAGE_BYTES, Tag};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use std::ptr::NonNull;
use std::sync::Arc;

/// A client's slots. Address space for all that the server could lend is taken at once, so that
/// pages never move; memory follows with what is written.
pub(crate) struct Slots {
    arena: Arc<Arena>,
    base: NonNull<PageBytes>,
    mapped_bytes: usize,
    slots: Vec<Slot>,
    touched: u64,
}

#[derive(Clone, Copy)]
enum Slot {
    /// Never written: its memory is zero and costs nothing.
    Fresh,
    /// Discarded: old bytes are there, which nobody sees.
    Empty,
    Held(Tag),
}

/// What an empty slot reads as.
static ZEROS: PageBytes = [0; PAGE_BYTES];

// SAFETY: the mapping belongs to this value alone; whoever has the value may use it from any
// thread.
unsafe impl Send for Slots {}

impl Slots {
    pub fn new(arena: Arc<Arena>) -> std::io::Result<Slots> {
        let mapped_bytes = arena.capacity_pages().max(1) as usize * PAGE_BYTES;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice touches nothing that
        // exists.
        let base = unsafe {
            mmap_anonymous(std::ptr::null_mut(), mapped_bytes, ProtFlags::empty(), flags)
        }?;
        let base = NonNull::new(base.cast()).ok_or(std::io::ErrorKind::OutOfMemory)?;
        Ok(Slots { arena, base, mapped_bytes, slots: Vec::new(), touched: 0 })
    }

    /// Add up to `asked` slots.
    pub fn grow(&mut self, asked: u32) -> (u32, Shortage) {
        // No client has more slots than their numbers can name.
        let asked = asked.min(u32::MAX - self.slots.len() as u32);
        let (granted, shortage) = self.arena.grant(asked);
        if granted > 0 && !self.open(granted as usize) {
            self.arena.give_back(granted.into(), 0);
            return (0, Shortage::Machine);
        }
        self.slots.resize(self.slots.len() + granted as usize, Slot::Fresh);
        (granted, shortage)
    }

    /// Whether the slot was granted.
    #[inline]
    pub fn has(&self, slot: u32) -> bool {
        (slot as usize) < self.slots.len()
    }

    /// What a granted slot holds.
    #[inline]
    pub fn tag(&self, slot: u32) -> Option<Tag> {
        match self.slots[slot as usize] {
            Slot::Held(tag) => Some(tag),
            Slot::Fresh | Slot::Empty => None,
        }
    }

    /// The bytes of a granted slot; zeros when it is empty.
    #[inline]
    pub fn bytes(&self, slot: u32) -> &PageBytes {
        match self.slots[slot as usize] {
            Slot::Empty => &ZEROS,
            // SAFETY: the slot was granted (the index above says so), so its memory is mapped and
            // readable, and only `page_mut` writes to it, which needs this value exclusively.
            Slot::Fresh | Slot::Held(_) => unsafe { self.base.add(slot as usize).as_ref() },
        }
    }

    /// Put a page into a granted slot.
    #[inline]
    pub fn store(&mut self, slot: u32, tag: Tag, bytes: &PageBytes) {
        self.page_mut(slot).copy_from_slice(bytes);
        self.slots[slot as usize] = Slot::Held(tag);
    }

    /// A granted slot holds nothing of use any more.
    pub fn discard(&mut self, slot: u32) {
        let slot = &mut self.slots[slot as usize];
        if let Slot::Held(_) = slot {
            *slot = Slot::Empty;
        }
    }

    #[inline]
    fn page_mut(&mut self, slot: u32) -> &mut PageBytes {
        if let Slot::Fresh = self.slots[slot as usize] {
            self.touched += 1;
            self.arena.touched(1);
        }
        // SAFETY: the slot was granted (the index above says so), so its memory is mapped and
        // writable; the exclusive borrow keeps others away.
        unsafe { self.base.add(slot as usize).as_mut() }
    }

    fn open(&mut self, more: usize) -> bool {
        // SAFETY: the range lies in the mapping, behind what is in use: the arena grants no more
        // than its size in all.
        let opened = unsafe {
            let start = self.base.add(self.slots.len()).as_ptr().cast();
            mprotect(start, more * PAGE_BYTES, MprotectFlags::READ | MprotectFlags::WRITE)
        };
        opened.is_ok()
    }
}

impl Drop for Slots {
    fn drop(&mut self) {
        self.arena.give_back(self.slots.len() as u64, self.touched);
        // SAFETY: the mapping is this value's own, and no reference into it outlives the value.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.mapped_bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pager::Checksum;

    fn slots(pages: u64) -> Slots {
        Slots::new(Arc::new(Arena::new(pages, Some(0)))).unwrap()
    }

    fn tag(version: u64) -> Tag {
        Tag { version, checksum: Checksum(version.into()) }
    }

    #[test]
    fn a_slot_holds_what_was_stored_until_it_is_discarded() {
        let mut slots = slots(4);
        assert_eq!(slots.grow(3), (3, Shortage::None));
        assert!(slots.has(2) && !slots.has(3));
        assert_eq!((slots.tag(1), slots.bytes(1)), (None, &[0; PAGE_BYTES]));
        slots.store(1, tag(7), &[7; PAGE_BYTES]);
        assert_eq!((slots.tag(1), slots.bytes(1)), (Some(tag(7)), &[7; PAGE_BYTES]));
        slots.discard(1);
        assert_eq!(
            (slots.tag(1), slots.bytes(1)),
            (None, &[0; PAGE_BYTES]),
            "old bytes are not shown"
        );
        slots.store(1, tag(8), &[8; PAGE_BYTES]);
        slots.store(1, tag(9), &[9; PAGE_BYTES]);
        assert_eq!((slots.tag(1), slots.bytes(1)), (Some(tag(9)), &[9; PAGE_BYTES]));
    }

    #[test]
    fn what_ends_gives_its_memory_back() {
        let arena = Arc::new(Arena::new(4, Some(0)));
        let mut first = Slots::new(arena.clone()).unwrap();
        let mut second = Slots::new(arena.clone()).unwrap();
        assert_eq!(first.grow(3).0, 3);
        assert_eq!(second.grow(3), (1, Shortage::Full));
        first.store(0, tag(1), &[1; PAGE_BYTES]);
        drop(first);
        assert_eq!(arena.granted_pages(), 1);
        assert_eq!(second.grow(3), (3, Shortage::None));
        assert_eq!(second.bytes(3), &[0; PAGE_BYTES], "nothing of the first client's is left");
    }
}
