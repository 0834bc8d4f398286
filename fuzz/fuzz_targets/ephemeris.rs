//! An SPK kernel or a binary ephemeris of JPL.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/readers.rs"]
mod readers;

fuzz_target!(|bytes: &[u8]| {
    let _ = readers::ephemeris(&readers::place("fuzz.bsp"), bytes);
});
