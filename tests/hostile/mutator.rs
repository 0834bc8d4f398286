//! Good inputs made bad: every mutant is a function of its seed alone.

/// Random numbers by counting: splitmix64 of seed and counter.
pub(crate) struct Random {
    seed: u64,
    count: u64,
}

impl Random {
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random { seed, count: 0 }
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.count += 1;
        let mut x = self.seed.wrapping_mul(0xd134_2543_de82_ef95) ^ self.count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below another one, which is not 0.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }

    /// One of several.
    pub(crate) fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The longest mutant, bytes.
const LONGEST: usize = 1 << 20;

/// Numbers at which readers break.
const NUMBERS: [&str; 26] = [
    "1e999",
    "-1e999",
    "-0",
    "-0.0",
    "NaN",
    "nan",
    "Inf",
    "-inf",
    "Infinity",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "2147483648",
    "-2147483648",
    "4294967296",
    "1e308",
    "1e-308",
    "4.9e-324",
    "0",
    "-1",
    "0x7fffffffffffffff",
    "1.7976931348623157e308",
    "1e+",
    "1D400",
    "00000000000000000001",
];
/// The same for words of 4 or 8 bytes.
const WORDS: [u64; 14] = [
    0,
    1,
    2,
    u64::MAX,
    i64::MAX as u64,
    1 << 63,
    1 << 31,
    0x7fff_ffff,
    0xffff_ffff,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x0000_0001_0000_0000,
];
/// Bytes that no text should have, and marks of other encodings.
const STRANGE: [&[u8]; 16] = [
    b"\0",
    b"\0\0\0\0",
    b"\x1b[31m",
    b"\x1b]0;owned\x07",
    b"\x7f",
    b"\x08",
    b"\x0b",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\x80",
    "\u{202e}".as_bytes(),
    "\u{0085}".as_bytes(),
    "\u{2028}".as_bytes(),
];

/// What mutants are made from.
pub(crate) struct Corpus {
    /// Good inputs.
    pub(crate) samples: Vec<Vec<u8>>,
    /// Words of the format.
    pub(crate) words: &'static [&'static str],
    /// Signs that may be written one inside the other.
    pub(crate) openings: &'static [&'static str],
}

impl Corpus {
    /// The mutant of a seed.
    pub(crate) fn mutant(&self, seed: u64) -> Vec<u8> {
        let mut random = Random::new(seed);
        let mut bytes = random.of(&self.samples).clone();
        for _ in 0..=random.below(5) {
            self.edit(&mut bytes, &mut random);
            bytes.truncate(LONGEST);
        }
        bytes
    }

    fn edit(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(bytes.len() + 1);
        let room = bytes.len() - at;
        match random.below(20) {
            0 if room > 0 => bytes[at] ^= 1 << random.below(8),
            1 if room > 0 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + random.below(room.min(200) + 1))),
            4 => {
                // a piece once more, somewhere else
                let piece = bytes[at..at + random.below(room.min(5000) + 1)].to_vec();
                insert(bytes, random, &piece);
            }
            5 => {
                // the head of one and the tail of another
                let other = random.of(&self.samples);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
            }
            6 | 7 if !self.words.is_empty() => {
                let word = random.of(self.words);
                insert(bytes, random, word.as_bytes());
            }
            8 | 9 => number(bytes, at, random),
            10 => insert(bytes, random, STRANGE[at % STRANGE.len()]),
            11 => {
                // a very long line, word or number
                let byte = [random.next() as u8, b'a', b'9', b' ', b'0', b'\''][random.below(6)];
                let length = 1 << random.below(19);
                insert(bytes, random, &vec![byte; length]);
            }
            12 if !self.openings.is_empty() => {
                let piece = random.of(self.openings).repeat(1 << random.below(14));
                insert(bytes, random, piece.as_bytes());
            }
            13 => lines(bytes, random),
            15 | 16 => {
                // a word becomes another one, of this or of another input
                let other: &Vec<u8> = random.of(&self.samples);
                let other = word(other, random.below(usize::MAX)).to_vec();
                let old = word_range(bytes, at);
                bytes.splice(old, other);
            }
            17 => {
                // a line moves
                let mut all: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
                if !all.is_empty() {
                    let line = all.remove(random.below(all.len()));
                    all.insert(random.below(all.len() + 1), line);
                    *bytes = all.concat();
                }
            }
            14 if room >= 8 => {
                // a word of a binary format
                let (place, word) = (at / 4 * 4, random.of(&WORDS).to_le_bytes());
                let mut word = word[..*random.of(&[4, 8])].to_vec();
                if random.below(2) == 0 {
                    word.reverse();
                }
                bytes[place..place + word.len()].copy_from_slice(&word);
            }
            _ if room > 0 => bytes[at] = bytes[at].wrapping_add(random.below(3) as u8).wrapping_sub(1),
            _ => {}
        }
    }
}

/// The word or number at a place or behind it; empty where there is none.
fn word_range(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.".contains(byte);
    let start = at + bytes[at..].iter().position(in_word).unwrap_or(bytes.len() - at);
    start..start + bytes[start..].iter().take_while(|byte| in_word(byte)).count()
}

fn word(bytes: &[u8], random: usize) -> &[u8] {
    &bytes[word_range(bytes, random % (bytes.len() + 1))]
}

fn insert(bytes: &mut Vec<u8>, random: &mut Random, piece: &[u8]) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, piece.iter().copied());
}

/// The number at or after a place becomes an extreme one.
fn number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(is_digit).map(|ahead| at + ahead) else { return };
    let length = bytes[start..].iter().take_while(|byte| is_digit(byte) || b".eE".contains(byte)).count();
    let new = random.of(&NUMBERS).as_bytes();
    bytes.splice(start..start + length, new.iter().copied());
}

/// Other line ends, a byte order mark, or a line again and again.
fn lines(bytes: &mut Vec<u8>, random: &mut Random) {
    match random.below(5) {
        0 => *bytes = bytes.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]),
        1 => bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r'),
        2 => drop(bytes.splice(0..0, *b"\xef\xbb\xbf")),
        3 => bytes.retain(|&byte| byte != b'\n'),
        _ => {
            let all: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
            let (from, to) = (random.below(all.len().max(1)), random.below(all.len().max(1)));
            let Some(line) = all.get(from).map(|line| line.repeat(1 << random.below(8))) else { return };
            let at = all[..to].iter().map(|line| line.len()).sum::<usize>();
            bytes.splice(at..at, line);
        }
    }
}
