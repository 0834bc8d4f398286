//! Panics that become a failed run instead of the end of the job.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    /// Whether this thread is inside [`catching`].
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// Where the last caught panic happened.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `f` and turns a panic inside it into its message and place.
///
/// The message goes to the caller alone: nothing is printed and no rank is aborted. Only this
/// thread is covered: call it inside the thread that does the work. What `f` was changing may be
/// half changed, so give up what it held.
///
/// # Errors
/// The panic's message, with `file:line:column` in front where the hook of `World::init` runs.
pub fn catching<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    let outer = CAUGHT.replace(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    CAUGHT.set(outer);
    result.map_err(|payload| {
        let text = payload_text(&*payload);
        match PLACE.take() {
            Some(place) => format!("{place}: {text}"),
            None => text,
        }
    })
}

/// Whether a panic of this thread is caught now; the hook asks, and notes the place if so.
pub(super) fn is_caught(info: &PanicHookInfo<'_>) -> bool {
    let caught = CAUGHT.get();
    if caught {
        PLACE.set(info.location().map(ToString::to_string));
    }
    caught
}

/// What a panic said.
pub(super) fn payload_text(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message() {
        assert_eq!(catching(|| 7), Ok(7));
        let number = 3;
        assert!(catching(|| -> u8 { panic!("bad step {number}") }).is_err_and(|text| text.ends_with("bad step 3")));
        assert!(!CAUGHT.get(), "the region ends with the call");
    }

    #[test]
    fn regions_nest() {
        let outer = catching(|| {
            let inner = catching(|| panic!("inside"));
            (inner.is_err(), CAUGHT.get())
        });
        assert_eq!(outer, Ok((true, true)));
    }
}
