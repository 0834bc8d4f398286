//! A mission script: lexer, parser, compiler, and a few steps of its flight.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/hostile/readers.rs"]
mod readers;

fuzz_target!(|bytes: &[u8]| {
    let _ = readers::script(bytes);
});
