//! Numbers out of what a program leaves: lines of standard output, CSV and JSON files.
//!
//! A line or row counts only with the line end that closes it: half a number is a number too, and it
//! would be a wrong one. So a key or a row that is cut off at the end of the output is missing, even if
//! an earlier line had it. Numbers are written as in Rust or C, or with the D of Fortran's exponents.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::json::{Found, number_at};
use crate::base::outcome::Failure;

/// A line longer than this (bytes) is no line of results.
const LINE_MAX: usize = 64 << 10;
/// A JSON file longer than this (bytes) is not read.
const JSON_MAX: u64 = 64 << 20;

/// Collects `key = number` lines; the last line of a key is the one that counts.
#[derive(Debug)]
pub struct Lines {
    keys: Vec<String>,
    found: Vec<Option<Result<f64, Failure>>>,
    partial: Vec<u8>,
    too_long: bool,
}

impl Lines {
    /// For these keys.
    pub fn new(keys: Vec<String>) -> Self {
        let found = vec![None; keys.len()];
        Lines { keys, found, partial: Vec::new(), too_long: false }
    }

    /// Forgets all that was read.
    pub fn clear(&mut self) {
        self.found.fill(None);
        self.partial.clear();
        self.too_long = false;
    }

    /// Reads on; the bytes may end anywhere.
    pub fn take(&mut self, bytes: &[u8]) {
        if self.keys.is_empty() {
            return;
        }
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if self.too_long || self.partial.len() + line.len() > LINE_MAX {
                self.too_long = false;
            } else if self.partial.is_empty() {
                if let Some((key, number)) = self.key_value(line) {
                    self.found[key] = Some(number);
                }
            } else {
                self.partial.extend_from_slice(line);
                if let Some((key, number)) = self.key_value(&self.partial) {
                    self.found[key] = Some(number);
                }
            }
            self.partial.clear();
        }
        if self.too_long || self.partial.len() + rest.len() > LINE_MAX {
            self.too_long = true;
            self.partial.clear();
        } else {
            self.partial.extend_from_slice(rest);
        }
    }

    fn key_value(&self, line: &[u8]) -> Option<(usize, Result<f64, Failure>)> {
        let equals = line.iter().position(|byte| *byte == b'=')?;
        let key = line[..equals].trim_ascii();
        let index = self.keys.iter().position(|wanted| wanted.as_bytes() == key)?;
        Some((index, number(&String::from_utf8_lossy(&line[equals + 1..]))))
    }

    /// The number of a key, when all has been read.
    pub fn value(&self, key: &str) -> Result<f64, Failure> {
        let index = self.keys.iter().position(|wanted| wanted == key).ok_or(Failure::OutputMissing)?;
        let is_cut = self.key_value(&self.partial).is_some_and(|(cut, _)| cut == index);
        match self.found[index] {
            Some(number) if !is_cut => number,
            _ => Err(Failure::OutputMissing),
        }
    }
}

/// A finite number.
fn number(text: &str) -> Result<f64, Failure> {
    let text = text.trim();
    let fortran = |text: &str| text.replacen(['d', 'D'], "e", 1).parse::<f64>();
    match text.parse::<f64>().or_else(|_| fortran(text)) {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(Failure::OutputNotANumber),
    }
}

/// The number in a column of the last row of a CSV file, of any length: its head and its tail are read.
pub fn csv(path: &Path, column: &str) -> Result<f64, Failure> {
    let rows = csv_ends(path).map_err(|_| Failure::OutputMissing)?;
    let (header, last) = rows.ok_or(Failure::OutputMissing)?;
    let position = fields(&header).iter().position(|name| name.trim() == column).ok_or(Failure::OutputMissing)?;
    number(fields(&last).get(position).ok_or(Failure::OutputMissing)?)
}

/// The header and the last row, if both are whole.
fn csv_ends(path: &Path) -> io::Result<Option<(String, String)>> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut header = Vec::new();
    BufReader::new(&file).take(LINE_MAX as u64).read_until(b'\n', &mut header)?;
    let after = header.len() as u64;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(after.max(length.saturating_sub(LINE_MAX as u64))))?;
    let mut tail = Vec::new();
    file.take(LINE_MAX as u64).read_to_end(&mut tail)?;
    if header.last() != Some(&b'\n') || tail.last() != Some(&b'\n') {
        return Ok(None);
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_start_matches('\u{feff}').to_owned();
    let mut rows = tail.split(|byte| *byte == b'\n').filter(|row| !row.trim_ascii().is_empty());
    Ok(rows.next_back().map(|last| (text(&header), text(last))))
}

/// The fields of a CSV row; a field in double quotes may hold commas, and a doubled quote is one.
fn fields(row: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = row.trim_end_matches(['\r', '\n']).chars().peekable();
    while let Some(c) = characters.next() {
        let field = fields.last_mut();
        match (c, field) {
            ('"', Some(field)) if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            ('"', _) => quoted = !quoted,
            (',', _) if !quoted => fields.push(String::new()),
            (c, Some(field)) => field.push(c),
            (_, None) => {}
        }
    }
    fields
}

/// The number at a pointer of a JSON file.
pub fn json(path: &Path, pointer: &str) -> Result<f64, Failure> {
    let missing = Failure::OutputMissing;
    let file = File::open(path).map_err(|_| missing)?;
    let metadata = file.metadata().map_err(|_| missing)?;
    if !metadata.is_file() || metadata.len() > JSON_MAX {
        return Err(missing);
    }
    match number_at(BufReader::new(file), pointer).map_err(|_| missing)? {
        Found::Nothing => Err(missing),
        Found::Number(number) if number.is_finite() => Ok(number),
        Found::Number(_) | Found::Other => Err(Failure::OutputNotANumber),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSING: Result<f64, Failure> = Err(Failure::OutputMissing);
    const NO_NUMBER: Result<f64, Failure> = Err(Failure::OutputNotANumber);

    fn lines(text: &[u8], piece: usize) -> Lines {
        let mut lines = Lines::new(["x", "y"].map(str::to_owned).to_vec());
        text.chunks(piece).for_each(|bytes| lines.take(bytes));
        lines
    }

    #[test]
    fn the_last_line_of_a_key_counts() {
        let text = b"hello\nx = 1\r\n\xff = 3\ny=-1.5D+03\nx  =  2.5e-3  \nother = 9\nxx = 7\n x = 4\n";
        for piece in [1, 2, 3, 7, 1000] {
            let lines = lines(text, piece);
            assert_eq!(lines.value("x"), Ok(4.0), "{piece}");
            assert_eq!(lines.value("y"), Ok(-1500.0));
        }
    }

    #[test]
    fn half_a_line_does_not_count() {
        assert_eq!(lines(b"x = 7000.12", 5).value("x"), MISSING);
        assert_eq!(lines(b"x = 1\nx = 7000.12", 5).value("x"), MISSING);
        assert_eq!(lines(b"x = 1\ny = 7000.12", 5).value("x"), Ok(1.0));
        assert_eq!(lines(b"x = 1\nbye", 5).value("x"), Ok(1.0));
        assert_eq!(lines(b"", 5).value("x"), MISSING);
    }

    #[test]
    fn what_is_no_finite_number_is_told() {
        for text in ["x = NaN\n", "x = inf\n", "x = 1 km\n", "x =\n", "x = 1 = 2\n", "x = 1\nx = one\n", "x = 1e999\n"]
        {
            assert_eq!(lines(text.as_bytes(), 4).value("x"), NO_NUMBER, "{text}");
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut lines = lines(b"x = 1\n", 100);
        for _ in 0..1000 {
            lines.take(&[b'a'; 4096]);
            assert!(lines.partial.len() <= LINE_MAX);
        }
        lines.take(b"\ny = 2\n");
        assert_eq!((lines.value("x"), lines.value("y")), (Ok(1.0), Ok(2.0)));
    }

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn the_last_row_of_a_csv_file_counts() {
        let read = |text: &str, column: &str| csv(file(text).path(), column);
        assert_eq!(read("a,b\n1,2\n3,4\n", "b"), Ok(4.0));
        assert_eq!(read("\u{feff}a, \"b,c\"\r\n1,\"2.5\"\r\n\r\n", "b,c"), Ok(2.5));
        assert_eq!(read("a,b\n1,2\n", "c"), MISSING);
        assert_eq!(read("a,b\n1\n", "b"), MISSING);
        assert_eq!(read("a,b\n", "b"), MISSING);
        assert_eq!(read("a,b\n1,2\n3,40", "b"), MISSING);
        assert_eq!(read("a,b\n1,x\n", "b"), NO_NUMBER);
        assert_eq!(read("", "b"), MISSING);
        assert_eq!(csv(Path::new("/no/such"), "b"), MISSING);
        assert_eq!(csv(Path::new("/"), "b"), MISSING);
        let long = format!("a,b\n{}5,6\n", "1,2\n".repeat(100_000));
        assert_eq!(read(&long, "a"), Ok(5.0));
    }

    #[test]
    fn a_json_pointer_finds_its_number() {
        let read = |text: &str, pointer: &str| json(file(text).path(), pointer);
        assert_eq!(read("{\"a\": [1, {\"b\": 2.5}]}", "/a/1/b"), Ok(2.5));
        assert_eq!(read("7", ""), Ok(7.0));
        assert_eq!(read("{\"a\": null}", "/a"), NO_NUMBER);
        assert_eq!(read("{\"a\": 1}", "/b"), MISSING);
        assert_eq!(read("{\"a\": 1", "/a"), MISSING);
        assert_eq!(json(Path::new("/no/such"), "/a"), MISSING);
    }
}
