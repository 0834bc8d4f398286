//! Mission scripts: lexer, parser, compiler, and a short flight.
#![no_main]

#[path = "../../tests/hostile/readers.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = readers::script(bytes);
});
