//! Ephemerides: SPK kernels and JPL's binary files.
#![no_main]

#[path = "../../tests/hostile/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = readers::ephemeris(&readers::place("fuzz.bsp"), bytes);
});
