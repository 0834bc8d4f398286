//! Earth orientation: IERS C04 or finals2000A.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/readers.rs"]
mod readers;

fuzz_target!(|bytes: &[u8]| {
    let _ = readers::earth_orientation(bytes);
});
