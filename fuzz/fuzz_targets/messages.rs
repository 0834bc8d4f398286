//! What ranks send to each other in a task graph.
#![no_main]

#[path = "../../tests/hostile/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = readers::message(bytes);
});
