//! Lines of numbers on a program's standard output.
#![no_main]

#[path = "../../tests/hostile/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = readers::lines(bytes);
});
