//! Reading dictionaries and arrays in PDF syntax from their bytes.
//!
//! Every lookup scans the dictionary again; nothing is stored. A slice of
//! another kind has no entries.

use std::borrow::Cow;

use super::budget::Budget;
use super::tokens::{Token, Tokens};

/// Iterates over a dictionary's keys and values. Keys have no slash.
pub(super) fn entries<'a>(
    dict: &'a [u8],
    budget: &'a Budget,
) -> impl Iterator<Item = (Cow<'a, [u8]>, &'a [u8])> {
    let mut tokens = Tokens::new(dict, 0, budget);
    let is_dict = matches!(tokens.next(), Some((Token::DictOpen, _)));
    std::iter::from_fn(move || {
        loop {
            match tokens.next_slice().filter(|_| is_dict)? {
                (Token::Name, key) => return Some((name(key), tokens.value_slice()?)),
                (Token::DictClose, _) => return None,
                _ => {}
            }
        }
    })
}

/// Returns a key's value.
///
/// If a key is written twice, the first entry wins. Linear.
pub(super) fn get<'a>(dict: &'a [u8], key: &[u8], budget: &'a Budget) -> Option<&'a [u8]> {
    let mut entries = entries(dict, budget);
    entries.find(|(it, _)| **it == *key).map(|(_, value)| value)
}

pub(super) fn items<'a>(array: &'a [u8], budget: &'a Budget) -> impl Iterator<Item = &'a [u8]> {
    let mut tokens = Tokens::new(array, 0, budget);
    let is_array = matches!(tokens.next(), Some((Token::ArrayOpen, _)));
    std::iter::from_fn(move || tokens.value_slice().filter(|_| is_array))
}

pub(super) fn is_name(value: &[u8], expected: &[u8]) -> bool {
    value.first() == Some(&b'/') && *name(value) == *expected
}

/// Negative numbers are none.
pub(super) fn integer(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// Returns a reference's id, whatever its generation.
pub(super) fn reference(value: &[u8], budget: &Budget) -> Option<u32> {
    let mut tokens = Tokens::new(value, 0, budget);
    let id = tokens.integer()?;
    tokens.integer()?;
    tokens.is_word(b"R").then(|| u32::try_from(id).ok())?
}

/// Returns a name without its slash, and with its escapes resolved.
///
/// `#xx` is a byte in hexadecimal: `/Ki#64s` is `Kids`.
fn name(raw: &[u8]) -> Cow<'_, [u8]> {
    let raw = raw.strip_prefix(b"/").unwrap_or(raw);
    if !raw.contains(&b'#') {
        return Cow::Borrowed(raw);
    }
    let mut plain = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'#');
        let digits = digits.and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &after[2..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_names() {
        let budget = Budget::default();
        let dict = b"<< /A << /B 1 >> /B 2 0 R /Ki#64s [3 0 R 4 0 R] /Type /Page >>";
        assert_eq!(get(dict, b"B", &budget), Some(&b"2 0 R"[..]));
        assert_eq!(reference(b"2 0 R", &budget), Some(2));
        assert_eq!(reference(b"2 0", &budget), None);
        assert_eq!(reference(b"99999999999 0 R", &budget), None);
        let kids = get(dict, b"Kids", &budget).unwrap();
        let kids: Vec<_> = items(kids, &budget).map(|it| reference(it, &budget)).collect();
        assert_eq!(kids, [Some(3), Some(4)]);
        assert!(is_name(get(dict, b"Type", &budget).unwrap(), b"Page"));
        assert_eq!(get(dict, b"C", &budget), None);
        assert_eq!(get(b"[/A 1]", b"A", &budget), None);
        assert_eq!(entries(b"<< /A >>", &budget).count(), 0);
        assert_eq!(integer(b"7"), Some(7));
        assert_eq!(integer(b"-7"), None);
    }
}
