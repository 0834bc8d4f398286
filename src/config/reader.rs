//! A TOML text as a tree of values that know their place, and the list of what is wrong with it.
//!
//! Places are byte ranges until a line and a column are asked for, so that a list of a million
//! numbers costs no more than its numbers.

use super::Located;
use crate::base::problem::{Problem, Problems, Span, bounded};
use std::fmt::Write as _;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// How deep tables and lists may stand in each other.
const MAX_DEPTH: usize = 16;
/// How many lists and tables a text may have, counted by their opening brackets wherever those stand.
const MAX_LISTS: usize = 100_000;
/// How many values a text may have, counted by commas and equals signs.
const MAX_VALUES: usize = 1_100_000;
/// How many problems are kept; the rest are counted.
const MAX_PROBLEMS: usize = 100;
/// Longer lines are not shown beneath a problem, longer values are cut.
const MAX_SHOWN_LINE: usize = 240;
const MAX_SHOWN_VALUE: usize = 60;
/// All syntax errors are looked for in texts up to this size, only the first in longer ones.
const RECOVER_BYTES: usize = 1 << 18;

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The name, without quotes.
    pub name: String,
    /// Bytes of the text.
    pub range: Range<usize>,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// What it is.
    pub content: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A finite number with a point or an exponent.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A date or time outside of quotes.
    Date,
    /// `[a, b]`.
    List(Vec<Value>),
    /// `{ a = 1 }` or `[section]`.
    Table(Table),
    /// Refused already: NaN, an infinity, a number out of range, or nested too deep.
    Refused,
}

/// A table in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Bytes of its header or its braces.
    pub range: Range<usize>,
    /// Keys and values; shared, since stages inherit them.
    pub entries: Arc<Vec<(Key, Value)>>,
}

impl Table {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(key, _)| key.name == name).map(|(_, value)| value)
    }
}

/// A text, and the problems found in it so far.
#[derive(Debug)]
pub struct Reader {
    file: String,
    text: Arc<str>,
    /// Where lines start.
    starts: Vec<usize>,
    /// Where bytes stand that begin no character.
    continuations: Vec<usize>,
    problems: Vec<Problem>,
    left_out: usize,
}

impl Reader {
    /// A reader of a text that is valid UTF-8 and has no byte order mark.
    pub fn new(file: &str, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut continuations = Vec::new();
        for (i, &byte) in bytes.iter().enumerate() {
            match byte {
                b'\n' => starts.push(i + 1),
                b'\r' if bytes.get(i + 1) != Some(&b'\n') => starts.push(i + 1),
                0x80..0xC0 => continuations.push(i),
                _ => {}
            }
        }
        Reader { file: file.to_owned(), text, starts, continuations, problems: Vec::new(), left_out: 0 }
    }

    /// Whether there are so many problems that a further one is only counted.
    pub fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    /// Whether anything was refused.
    pub fn has_problems(&self) -> bool {
        !self.problems.is_empty()
    }

    /// The text and the problems in the order of the file, each once; those without a place come last.
    pub fn finish(mut self) -> (Arc<str>, Problems) {
        self.problems.sort_by_key(|problem| (problem.span.is_none(), problem.span));
        self.problems.dedup(); // what a stage inherits is read again
        if self.left_out > 0 {
            self.problems.push(Problem::of(&self.file, format!("and {} more problems", self.left_out)));
        }
        (self.text, Problems(self.problems))
    }

    /// Line and column of a byte range; the length ends with the line.
    pub fn place(&self, range: &Range<usize>) -> Span {
        let offset = self.boundary(range.start);
        let line = self.starts.partition_point(|&start| start <= offset);
        let start = self.starts[line - 1];
        let inside = |at: usize| self.continuations.partition_point(|&c| c < at);
        let column = offset - start - (inside(offset) - inside(start)) + 1;
        let written = &self.text[offset..self.boundary(range.end).max(offset)];
        let length = written.chars().take(MAX_SHOWN_LINE).take_while(|c| !matches!(c, '\n' | '\r')).count();
        Span { source: 0, line: line as u32, column: column as u32, length: length as u32 }
    }

    /// A value with its place.
    pub fn located<T>(&self, value: T, range: &Range<usize>) -> Located<T> {
        Located { value, span: self.place(range) }
    }

    /// Notes a problem at a place; `help` says what is allowed, or is empty.
    pub fn refuse(&mut self, range: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.refuse_at(self.place(range), message, help);
    }

    /// The same for a place that is known by line and column.
    pub fn refuse_at(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        if self.problems.len() >= MAX_PROBLEMS {
            self.left_out += 1;
            return;
        }
        let start = self.starts[span.line as usize - 1];
        let end = self.text[start..].find(['\n', '\r']).map_or(self.text.len(), |length| start + length);
        let line = &self.text[start..end];
        let line_text = if line.chars().count() <= MAX_SHOWN_LINE { line.to_owned() } else { String::new() };
        self.problems.push(Problem {
            file: self.file.clone(),
            span: Some(span),
            line_text,
            message: bounded(message.into()),
            help: bounded(help.into()),
        });
    }

    /// Notes a problem of the file as a whole.
    pub fn refuse_file(&mut self, message: impl Into<String>, help: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem::of(&self.file, message).help(help));
        } else {
            self.left_out += 1;
        }
    }

    /// Notes that a value is of the wrong type or out of range.
    pub fn refuse_value(&mut self, what: &str, value: &Value, allowed: &str) {
        let message = format!("`{}` cannot be {}", cut(what), self.describe(value));
        self.refuse(&value.range, message, format!("allowed: {allowed}"));
    }

    /// A value in words: ``the text `"two"` ``.
    pub fn describe(&self, value: &Value) -> String {
        let kind = match &value.content {
            Content::List(items) if items.is_empty() => return "an empty list".to_owned(),
            Content::List(_) => return "a list".to_owned(),
            Content::Table(_) => return "a table".to_owned(),
            Content::Text(_) => "the text",
            Content::Boolean(_) => "the word",
            Content::Date => "the unquoted date",
            Content::Integer(_) | Content::Float(_) | Content::Refused => "the number",
        };
        format!("{kind} `{}`", self.shown(&value.range))
    }

    /// The text of a range, cut where it is long.
    pub fn shown(&self, range: &Range<usize>) -> String {
        let start = self.boundary(range.start);
        cut(&self.text[start..self.boundary(range.end).max(start)])
    }

    fn boundary(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at).rev().find(|&i| self.text.is_char_boundary(i)).unwrap_or(0)
    }
}

/// Typed values. Each gives none after noting what is wrong.
impl Reader {
    /// A finite number, whole or not.
    pub fn number(&mut self, what: &str, value: &Value, allowed: &str) -> Option<f64> {
        match value.content {
            Content::Integer(number) => Some(number as f64),
            Content::Float(number) => Some(number),
            Content::Refused => None,
            _ => {
                self.refuse_value(what, value, allowed);
                None
            }
        }
    }

    /// True or false.
    pub fn flag(&mut self, what: &str, value: &Value) -> Option<bool> {
        match value.content {
            Content::Boolean(flag) => Some(flag),
            Content::Refused => None,
            _ => {
                self.refuse_value(what, value, "true or false");
                None
            }
        }
    }

    /// A whole number within bounds; `1e6` counts as one.
    pub fn count(&mut self, what: &str, value: &Value, bounds: RangeInclusive<u64>) -> Option<u64> {
        let count = match value.content {
            Content::Refused => return None,
            Content::Integer(number) => u64::try_from(number).ok(),
            // Below 2^53 every whole number is a double of its own.
            Content::Float(number) if number.fract() == 0.0 && (0.0..9e15).contains(&number) => Some(number as u64),
            _ => None,
        };
        let count = count.filter(|count| bounds.contains(count));
        if count.is_none() {
            let (least, most) = bounds.into_inner();
            let allowed = match most {
                u64::MAX => format!("a whole number, at least {least}"),
                _ => format!("a whole number from {least} to {most}"),
            };
            self.refuse_value(what, value, &allowed);
        }
        count
    }

    /// A text that is not empty and has no control characters.
    pub fn text_of<'v>(&mut self, what: &str, value: &'v Value, allowed: &str) -> Option<&'v str> {
        match &value.content {
            Content::Text(text) if text.trim().is_empty() => {
                self.refuse(&value.range, format!("`{}` is empty", cut(what)), format!("allowed: {allowed}"));
                None
            }
            Content::Text(text) => {
                if let Some(control) = text.chars().find(|c| c.is_control()) {
                    let message = format!("`{}` has the control character {}", cut(what), control.escape_unicode());
                    self.refuse(&value.range, message, format!("allowed: {allowed}"));
                    return None;
                }
                Some(text)
            }
            Content::Refused => None,
            _ => {
                self.refuse_value(what, value, allowed);
                None
            }
        }
    }

    /// A list.
    pub fn list<'v>(&mut self, what: &str, value: &'v Value, allowed: &str) -> Option<&'v [Value]> {
        match &value.content {
            Content::List(items) => Some(items),
            Content::Refused => None,
            _ => {
                self.refuse_value(what, value, allowed);
                None
            }
        }
    }

    /// A table.
    pub fn table<'v>(&mut self, what: &str, value: &'v Value, allowed: &str) -> Option<&'v Table> {
        match &value.content {
            Content::Table(table) => Some(table),
            Content::Refused => None,
            _ => {
                self.refuse_value(what, value, allowed);
                None
            }
        }
    }
}

/// A text cut to what fits in a message.
pub fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_SHOWN_VALUE).collect();
    if short.len() < text.len() {
        let _ = write!(short, "...");
    }
    short
}

/// Reads the whole text; none after noting its syntax errors.
pub fn read_toml(reader: &mut Reader) -> Option<Table> {
    // A tree takes a hundred times the memory of the shortest text that it can be written as.
    for (signs, most, what) in [("[{", MAX_LISTS, "lists and tables"), (",=", MAX_VALUES, "values")] {
        let count = reader.text.bytes().filter(|byte| signs.as_bytes().contains(byte)).count();
        if count > most {
            reader.refuse_file(format!("the file has too many {what}"), format!("allowed: {most}"));
            return None;
        }
    }
    // The tree borrows the text while the reader notes problems.
    let text = Arc::clone(&reader.text);
    match DeTable::parse(&text) {
        Ok(document) => Some(table(reader, document.get_ref(), document.span(), 0)),
        Err(first) => {
            let errors =
                if text.len() <= RECOVER_BYTES { DeTable::parse_recoverable(&text).1 } else { vec![first.clone()] };
            let mut last_line = 0;
            for error in if errors.is_empty() { vec![first] } else { errors } {
                let Some(range) = error.span() else {
                    reader.refuse_file(syntax(error.message(), ""), "");
                    continue;
                };
                // What follows an error on its line is mostly its echo.
                let line = reader.place(&range).line;
                if line != last_line {
                    let message = syntax(error.message(), &reader.shown(&range));
                    reader.refuse(&range, message, "");
                }
                last_line = line;
            }
            None
        }
    }
}

fn syntax(message: &str, shown: &str) -> String {
    match message {
        "duplicate key" => format!("`{shown}` is given twice"),
        "recursion limit" | "cannot recurse further; max recursion depth met" => {
            format!("nested too deep, allowed: {MAX_DEPTH} levels")
        }
        message => format!("not valid TOML: {message}"),
    }
}

fn table(reader: &mut Reader, table: &DeTable<'_>, range: Range<usize>, depth: usize) -> Table {
    let mut entries: Vec<(Key, Value)> = table
        .iter()
        .map(|(key, value)| {
            let key = Key { name: key.get_ref().to_string(), range: key.span() };
            (key, convert(reader, value.get_ref(), value.span(), depth + 1))
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.range.start);
    Table { range, entries: Arc::new(entries) }
}

fn convert(reader: &mut Reader, value: &DeValue<'_>, range: Range<usize>, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        reader.refuse(&range, "nested too deep", format!("allowed: {MAX_DEPTH} levels"));
        return Value { range, content: Content::Refused };
    }
    let content = match value {
        DeValue::String(text) => Content::Text(text.to_string()),
        DeValue::Boolean(word) => Content::Boolean(*word),
        DeValue::Datetime(_) => Content::Date,
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Content::Integer(number),
            Err(_) if number.radix() == 10 => float(reader, number.as_str(), &range),
            Err(_) => float(reader, "1e999", &range),
        },
        DeValue::Float(number) => float(reader, number.as_str(), &range),
        DeValue::Array(items) => {
            Content::List(items.iter().map(|item| convert(reader, item.get_ref(), item.span(), depth + 1)).collect())
        }
        DeValue::Table(inner) => Content::Table(table(reader, inner, range.clone(), depth)),
    };
    Value { range, content }
}

fn float(reader: &mut Reader, text: &str, range: &Range<usize>) -> Content {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Content::Float(number),
        parsed => {
            let named = text.contains("inf") || parsed.is_ok_and(f64::is_nan);
            let what = if named { "is not finite" } else { "is too large" };
            let message = format!("the number `{}` {what}", reader.shown(range));
            reader.refuse(range, message, format!("allowed: numbers from {:e} to {:e}", f64::MIN, f64::MAX));
            Content::Refused
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Table>, Reader) {
        let mut reader = Reader::new("c.toml", text.to_owned());
        let table = read_toml(&mut reader);
        (table, reader)
    }

    fn problems(text: &str) -> String {
        read(text).1.finish().1.to_string()
    }

    #[test]
    fn columns_count_characters() {
        let (table, reader) = read("# é\r\n\"ä€\" = [1,\r\n  2]\n");
        let (key, value) = &table.unwrap().entries[0];
        assert_eq!(reader.place(&key.range), Span { source: 0, line: 2, column: 1, length: 4 });
        assert_eq!(reader.place(&value.range), Span { source: 0, line: 2, column: 8, length: 3 });
        let Content::List(items) = &value.content else { panic!("no list") };
        assert_eq!(reader.place(&items[1].range), Span { source: 0, line: 3, column: 3, length: 1 });
        assert_eq!(reader.place(&(900..990)).line, 4);
    }

    #[test]
    fn keys_keep_the_order_of_the_file() {
        let (table, _) = read("z = 1\na = 2\n[m]\n\"q.x\" = 1\n\"b.y\" = 2\n[b]\n");
        let table = table.unwrap();
        let names = |table: &Table| table.entries.iter().map(|(k, _)| k.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&table), ["z", "a", "m", "b"]);
        let Content::Table(inner) = &table.get("m").unwrap().content else { panic!("no table") };
        assert_eq!(names(inner), ["q.x", "b.y"]);
    }

    #[test]
    fn every_number_that_is_none_has_its_place() {
        let text = problems("a = nan\nb = [1, -inf]\nc = { d = 1e400 }\ne = 0xffffffffffffffffffffffffffffffffffff\n");
        assert!(text.contains("c.toml:1:5: the number `nan` is not finite"), "{text}");
        assert!(text.contains("c.toml:2:9: the number `-inf` is not finite"), "{text}");
        assert!(text.contains("c.toml:3:11: the number `1e400` is too large"), "{text}");
        assert!(text.contains("c.toml:4:5: the number `0xff"), "{text}");
        assert!(text.contains("allowed: numbers from -1.7976931348623157e308 to 1.7976931348623157e308"), "{text}");
    }

    #[test]
    fn large_whole_numbers_become_the_nearest_double() {
        let (table, mut reader) = read("a = 1000000000000000000000000000000000000000000\nb = 0x10\nc = 1_000\n");
        let table = table.unwrap();
        let numbers: Vec<f64> = table.entries.iter().map(|(_, value)| reader.number("n", value, "").unwrap()).collect();
        assert_eq!(numbers, [1e42, 16.0, 1000.0]);
    }

    #[test]
    fn syntax_errors_are_all_told_with_their_place() {
        let text = problems("a = \nb = 1\nb = 2\nc = \"x\n");
        assert!(text.contains("c.toml:1:"), "{text}");
        assert!(text.contains("c.toml:3:1: `b` is given twice"), "{text}");
        assert!(text.contains("c.toml:4:"), "{text}");
        assert!(problems("[t]\n[t]\n").contains("c.toml:2:2: `t` is given twice"));
    }

    #[test]
    fn nesting_ends_in_a_message() {
        for depth in [17, 79, 200, 100_000] {
            let lists = format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
            assert!(problems(&lists).contains("nested too deep"), "lists {depth}");
            let keys = format!("{} = 1", vec!["a"; depth + 1].join("."));
            assert!(problems(&keys).contains("nested too deep"), "keys {depth}");
        }
        assert_eq!(problems(&format!("a = {}{}", "[".repeat(12), "]".repeat(12))), "");
    }

    #[test]
    fn values_are_bounded() {
        let told = problems(&"[],".repeat(MAX_LISTS + 1));
        assert_eq!(told, "c.toml: the file has too many lists and tables\n    allowed: 100000");
        assert!(problems(&",".repeat(MAX_VALUES + 1)).contains("too many values\n    allowed: 1100000"));
        assert_eq!(problems(&format!("a = [{}]", "1,".repeat(MAX_VALUES - 1))), "");
    }

    #[test]
    fn problems_are_bounded_and_in_the_order_of_the_file() {
        let (_, mut reader) = read(&"a".repeat(5000));
        for i in (0..150).rev() {
            reader.refuse(&(i..i + 1), format!("p{i}"), "");
        }
        let (_, problems) = reader.finish();
        assert_eq!(problems.0.len(), MAX_PROBLEMS + 1);
        assert!(problems.0.windows(2).all(|w| w[1].span.is_none() || w[0].span <= w[1].span));
        assert!(problems.0.last().unwrap().message.ends_with("more problems"));
        assert!(problems.0.iter().all(|p| p.line_text.is_empty()), "a line of 5000 characters is not shown");
    }

    #[test]
    fn counts_are_whole_and_bounded() {
        let (table, mut reader) = read("a = 3\nb = 1e6\nc = 2.5\nd = -1\ne = 11\nf = \"3\"\n");
        let table = table.unwrap();
        let mut count = |name: &str, most| reader.count(name, table.get(name).unwrap(), 1..=most);
        assert_eq!(count("a", 10), Some(3));
        assert_eq!(count("b", u64::MAX), Some(1_000_000));
        assert_eq!([count("c", 10), count("d", 10), count("e", 10), count("f", u64::MAX)], [None; 4]);
        let text = reader.finish().1.to_string();
        assert!(text.contains("c.toml:3:5: `c` cannot be the number `2.5`"), "{text}");
        assert!(text.contains("c.toml:4:5: `d` cannot be the number `-1`"), "{text}");
        assert!(text.contains("allowed: a whole number from 1 to 10"), "{text}");
        assert!(text.contains("c.toml:6:5: `f` cannot be the text `\"3\"`"), "{text}");
        assert!(text.contains("allowed: a whole number, at least 1"), "{text}");
    }
}
