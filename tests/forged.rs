//! Result files whose metadata was changed together with HDF5's checksums, which chance does not do: HDF5 1.10 crashes
//! on some of them, and the program must not.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;
mod sample;

use std::fs;
use std::ops::Range;

use case::Case;
use launch::Code;
use sample::mix;

/// Files that are tried.
const FILES: u64 = 60;

/// Jenkins' lookup3, `hashlittle` from 0: HDF5's checksum of metadata.
fn checksum(mut bytes: &[u8]) -> u32 {
    let [mut a, mut b, mut c] = [0xdead_beef_u32.wrapping_add(bytes.len() as u32); 3];
    let word = |bytes: &[u8], number: usize| {
        let mut word = [0; 4];
        let part = bytes.get(4 * number..).unwrap_or_default();
        let length = part.len().min(4);
        word[..length].copy_from_slice(&part[..length]);
        u32::from_le_bytes(word)
    };
    loop {
        a = a.wrapping_add(word(bytes, 0));
        b = b.wrapping_add(word(bytes, 1));
        c = c.wrapping_add(word(bytes, 2));
        if bytes.len() <= 12 {
            break;
        }
        for turn in [4, 6, 8, 16, 19, 4] {
            a = a.wrapping_sub(c) ^ c.rotate_left(turn);
            c = c.wrapping_add(b);
            (a, b, c) = (b, c, a);
        }
        bytes = &bytes[12..];
    }
    for turn in [14, 11, 25, 16, 4, 14, 24] {
        c = (c ^ b).wrapping_sub(b.rotate_left(turn));
        (a, b, c) = (b, c, a);
    }
    b
}

fn sum_at(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap())
}

/// The pieces of metadata that a checksum follows: the superblock, object headers, heaps, trees.
fn pieces(bytes: &[u8]) -> Vec<Range<usize>> {
    const LENGTH_MAX: usize = 6000;
    let signatures = [b"OHDR", b"OCHK", b"FRHP", b"FHDB", b"FHIB", b"BTHD", b"BTLF", b"BTIN"];
    let superblock = 0..44;
    assert_eq!(checksum(&bytes[superblock.clone()]), sum_at(bytes, superblock.end));
    let mut found = vec![superblock];
    for start in (0..bytes.len() - 4).filter(|&at| signatures.iter().any(|sign| bytes[at..].starts_with(&sign[..]))) {
        let mut ends = start + 8..(start + LENGTH_MAX).min(bytes.len() - 4);
        let end = ends.find(|&end| checksum(&bytes[start..end]) == sum_at(bytes, end));
        found.extend(end.map(|end| start..end));
    }
    found
}

/// One to three bytes of a piece changed, and its checksum made to fit.
fn forged(whole: &[u8], pieces: &[Range<usize>], trial: u64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let piece = pieces[mix(trial, 77) as usize % pieces.len()].clone();
    for hit in 0..=mix(trial, 5) % 3 {
        let random = mix(trial, 100 + hit);
        let place = piece.start + random as usize % piece.len();
        bytes[place] = match random >> 60 {
            0..=3 => 0xff,
            4..=6 => 0,
            7..=9 => bytes[place].wrapping_add(1),
            _ => (random >> 40) as u8,
        };
    }
    let sum = checksum(&bytes[piece.clone()]);
    bytes[piece.end..piece.end + 4].copy_from_slice(&sum.to_le_bytes());
    bytes
}

#[test]
fn cli_forged_files_crash_nothing() {
    let case = Case::sma(60);
    for more in [&[][..], &["--slice", "1/2"]] {
        assert_eq!(case.alone(&[&["config.toml", "-q"], more].concat()).code, Code::Exit(0));
    }
    let whole = fs::read(case.path("out.h5")).unwrap();
    let pieces = pieces(&whole);
    assert!(pieces.len() > 30, "{}", pieces.len());
    let mut crashed = 0;
    for trial in 0..FILES {
        let forged = forged(&whole, &pieces, trial);
        let commands: [&[&str]; 4] = [
            &["verify", "forged.h5"],
            &["show", "forged.h5"],
            &["merge", "new.h5", "out.1-of-2.h5", "forged.h5"],
            &["config.toml", "--resume", "--output", "forged.h5"],
        ];
        let mut few = 1;
        for (number, command) in commands.iter().enumerate() {
            if number >= few {
                break;
            }
            fs::write(case.path("forged.h5"), &forged).unwrap();
            let _ = fs::remove_file(case.path("forged.h5.partial"));
            let outcome = case.alone(command);
            let is_told = matches!(outcome.code, Code::Exit(0..=3)) && !outcome.text.contains("panicked");
            assert!(is_told, "{trial} {command:?}: {:?}\n{}", outcome.code, outcome.text);
            let fails = outcome.text.contains("forged.h5: cannot be read: it makes the HDF5 library fail");
            crashed += u32::from(number == 0 && fails);
            if fails {
                assert_eq!((outcome.code, outcome.text.lines().count()), (Code::Exit(3), 2), "{}", outcome.text);
            }
            // what HDF5 fails on is tried in all ways, and some of the rest
            if fails || trial % 10 == 0 {
                few = commands.len();
            }
        }
    }
    println!("HDF5 failed on {crashed} of {FILES} files");
    assert!(!case.path("new.h5").exists());
}
