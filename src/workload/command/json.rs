//! The number at a pointer of a JSON text, without keeping the rest: a text of a few megabytes of small values would take
//! gigabytes as a tree.

use std::fmt;
use std::io::Read;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What stands at a JSON pointer (RFC 6901): nothing, something that is no number, or a number. The last of keys that
/// stand twice counts.
///
/// # Errors
/// The text cannot be read, or is not JSON as a whole.
pub(super) fn number_at(text: impl Read, pointer: &str) -> serde_json::Result<Found> {
    let keys: Vec<String> = pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect();
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return Ok(Found::Nothing);
    }
    let mut json = serde_json::Deserializer::from_reader(text);
    let found = At(&keys).deserialize(&mut json)?;
    json.end()?;
    Ok(found)
}

/// The value behind these keys.
struct At<'a>(&'a [String]);

/// What stands at a pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// Something that is no number.
    Other,
    /// A number.
    Number(f64),
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Found, D::Error> {
        json.deserialize_any(self)
    }
}

impl At<'_> {
    /// A value that is no list, no object and no number.
    fn plain(&self) -> Found {
        if self.0.is_empty() { Found::Other } else { Found::Nothing }
    }

    fn number(&self, number: f64) -> Found {
        if self.0.is_empty() { Found::Number(number) } else { Found::Nothing }
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found, E> {
        Ok(self.plain())
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(self.plain())
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(self.plain())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Found, E> {
        Ok(self.number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Found, E> {
        Ok(self.number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Found, E> {
        Ok(self.number(number))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found, A::Error> {
        // an index has no sign and no zeros in front
        let index = |key: &String| key.parse::<usize>().ok().filter(|index| index.to_string() == *key);
        let wanted = self.0.first().and_then(index);
        let mut found = self.plain();
        for place in 0.. {
            if wanted == Some(place) {
                match items.next_element_seed(At(&self.0[1..]))? {
                    Some(value) => found = value,
                    None => break,
                }
            } else if items.next_element::<IgnoredAny>()?.is_none() {
                break;
            }
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Found, A::Error> {
        let mut found = self.plain();
        while let Some(key) = entries.next_key::<String>()? {
            if self.0.first() == Some(&key) {
                found = entries.next_value_seed(At(&self.0[1..]))?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// What a tree of the whole text gives.
    fn by_tree(text: &str, pointer: &str) -> Option<Found> {
        let tree: Value = serde_json::from_str(text).ok()?;
        Some(match tree.pointer(pointer).map(Value::as_f64) {
            None => Found::Nothing,
            Some(number) => number.map_or(Found::Other, Found::Number),
        })
    }

    #[test]
    fn val_the_same_as_a_tree() {
        let text = r#"{"a":[1,{"b":2.5,"":-3},[]],"a/b":4,"m~n":5,"t":"x","n":null,"y":true,"u":18446744073709551615,"d":1,"d":{"d":7}}"#;
        for pointer in [
            "", "/", "/a", "/a/0", "/a/1/b", "/a/1/", "/a/2", "/a/2/0", "/a/3", "/a/00", "/a/+1", "/a/-", "/a~1b",
            "/m~0n", "/t", "/t/0", "/n", "/y", "/u", "/d", "/d/d", "a", "/no", "/a/0/0",
        ] {
            assert_eq!(number_at(text.as_bytes(), pointer).ok(), by_tree(text, pointer), "{pointer}");
        }
        for text in ["", "[1", "{\"a\":1}x", "nan", "[1,]", "1e999", "7"] {
            assert_eq!(number_at(text.as_bytes(), "").ok(), by_tree(text, ""), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(number_at(deep.as_bytes(), "/0/0").is_err());
    }

    proptest! {
        #[test]
        fn prop_the_same_as_a_tree(text in "[\\[\\]{}\",:ab01e.\\-]{0,30}", pointer in "(/[ab01]?){0,3}") {
            prop_assert_eq!(number_at(text.as_bytes(), &pointer).ok(), by_tree(&text, &pointer));
        }
    }
}
