//! Gravity fields of ICGEM.
#![no_main]

#[path = "../../tests/hostile/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = readers::gravity("a.gfc", bytes);
});
