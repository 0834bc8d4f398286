//! Columns of whole numbers in few bytes, as `scripts/make-eop` writes them.
//!
//! A column is its second differences, each a zigzag number in groups of 7 bits, the lowest first.
//! Test: `prop_packed_columns`.

/// Takes numbers off the front of a packed file.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads a file that begins with `magic`; `None` where it does not.
    pub(super) fn new(bytes: &'a [u8], magic: [u8; 4]) -> Option<Self> {
        bytes.strip_prefix(&magic).map(|bytes| Reader { bytes })
    }

    /// A number of four bytes, the lowest first.
    pub(super) fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(u32::from_le_bytes(*word))
    }

    /// A column of `count` numbers.
    pub(super) fn column(&mut self, count: usize) -> Option<Vec<i64>> {
        // every number takes a byte at least
        let mut column = Vec::with_capacity(count.min(self.bytes.len()));
        let (mut before, mut before_that) = (0_i64, 0_i64);
        for _ in 0..count {
            let difference = self.zigzag()?;
            let value = difference.checked_add(before.checked_mul(2)?)?.checked_sub(before_that)?;
            column.push(value);
            (before, before_that) = (value, before);
        }
        Some(column)
    }

    fn zigzag(&mut self) -> Option<i64> {
        let mut number = 0_u64;
        for shift in (0..63).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                let half = (number >> 1) as i64;
                return Some(if number & 1 == 0 { half } else { !half });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prop_packed_columns() {
        // 3, 5, 4, -300: second differences 3, -1, -3, -303; zigzag 6, 1, 5, 605 = 0x5d + 4 * 128
        let bytes = [b'T', b'E', b'S', b'T', 2, 0, 0, 0, 6, 1, 5, 0xdd, 4];
        let mut reader = Reader::new(&bytes, *b"TEST").unwrap();
        assert_eq!(reader.word(), Some(2));
        assert_eq!(reader.column(4), Some(vec![3, 5, 4, -300]));
        assert_eq!(reader.column(1), None);
        assert!(Reader::new(&bytes, *b"ELSE").is_none());
        // a number without end is refused
        let mut endless = Reader { bytes: &[255; 40] };
        assert_eq!(endless.column(1), None);
    }
}
