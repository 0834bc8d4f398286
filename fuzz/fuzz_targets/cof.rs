//! A gravity field as GMAT writes it.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/readers.rs"]
mod readers;

fuzz_target!(|bytes: &[u8]| {
    let _ = readers::gravity("a.cof", bytes);
});
