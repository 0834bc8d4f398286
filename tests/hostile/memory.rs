//! An allocator that counts what each thread holds, so that a test can say how much an input costs at most.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted by thread.
pub(crate) struct Counting;

thread_local! {
    /// Bytes that this thread holds, and the most since [`start`].
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// Begins to count from nothing.
pub(crate) fn start() {
    HELD.set((0, 0));
}

/// The most bytes that this thread has held at once since [`start`].
pub(crate) fn peak() -> usize {
    HELD.get().1.unsigned_abs()
}

fn count(more: isize) {
    // a thread that ends has no counter any more
    let _ = HELD.try_with(|held| {
        let (now, peak) = held.get();
        held.set((now + more, peak.max(now + more)));
    });
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // both pieces are there while the numbers are moved
        count(size.cast_signed());
        count(-layout.size().cast_signed());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}
