//! The parts of a page as rows of numbers.
//!
//! Most parts of a long conversation differ in their sizes only, so what they
//! have in common is written once, as a shape, and a part is a row: the index of
//! its shape, its bytes, its tokens, and its position or detail if they do not
//! follow from the part before. Rows are in the order of the body, a part before
//! its children. A part of a usual session takes some 14 bytes.
//!
//! ```text
//! shapes   [["text", "", "~.content[#]", 1, "plain", null, true, false, 0], …]
//! row      shape, bytes, tokens                 index follows from the part before
//! row      shape, bytes, tokens, 7              numbering 2: the index is given
//! row      shape, bytes, tokens, 4              shape with a detail: details[4]
//! ```

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;

use crate::part::RequestPart;

/// The rows of a page, and the tables that they refer to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Rows {
    /// Each different shape once.
    shapes: Vec<Shape>,
    /// Each different detail once: paths and commands repeat in a session.
    details: Vec<String>,
    /// All rows, one after the other. The shape decides the number of values of
    /// a row.
    rows: Vec<u64>,
    /// The position of each shape in `shapes`.
    #[serde(skip)]
    shape_indices: HashMap<Shape, u64>,
    /// The position of each detail in `details`.
    #[serde(skip)]
    detail_indices: HashMap<String, u64>,
}

/// The properties that a part shares with others, written as an array.
///
/// In this order: kind, name, form of the path, numbering, state, origin,
/// whether the part has a text, whether it has a detail, the number of its
/// children.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
struct Shape(
    &'static str,
    String,
    String,
    Numbering,
    &'static str,
    Option<Arc<str>>,
    bool,
    bool,
    usize,
);

/// How the last index in the path of a part is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Numbering {
    /// It is in the path.
    Literal,
    /// It is one more than that of the part before, or 0.
    Next,
    /// It is in the row.
    Given,
}

impl Serialize for Numbering {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match self {
            Self::Literal => 0,
            Self::Next => 1,
            Self::Given => 2,
        })
    }
}

/// The path of the last part of a list.
#[derive(Debug, Default)]
pub(super) struct LastPath {
    /// The form of the path; empty before the first part.
    form: String,
    /// The last index in the path, or 0.
    number: u64,
}

/// The facts of a row in addition to the part.
#[derive(Debug, Default)]
pub(super) struct RowFacts<'a> {
    /// The path of the part that it is in.
    pub(super) parent: &'a str,
    /// The subject of a call; `None` in a page without texts.
    pub(super) detail: Option<&'a str>,
    /// The source as text, of the part or of its only text.
    pub(super) origin: Option<Arc<str>>,
    /// True if the list of texts has a text for this row.
    pub(super) has_text: bool,
    /// The number of parts that follow and are in it.
    pub(super) children: usize,
}

impl Rows {
    /// Adds a part; `last` is the part before it in the same list.
    ///
    /// Parts of one list that follow each other in the body have indices that
    /// follow each other, so most rows need no index.
    pub(super) fn push(&mut self, part: &RequestPart, facts: RowFacts<'_>, last: &mut LastPath) {
        let (form, number) = split_path(&part.path, facts.parent);
        let expected = if last.form == form {
            last.number + 1
        } else {
            0
        };
        let numbering = match number {
            None => Numbering::Literal,
            Some(number) if number == expected => Numbering::Next,
            Some(_) => Numbering::Given,
        };
        let shape = Shape(
            part.kind.as_str(),
            part.name.clone(),
            form.clone(),
            numbering,
            part.state.as_str(),
            facts.origin,
            facts.has_text,
            facts.detail.is_some(),
            facts.children,
        );
        let shape = index_of(shape, &mut self.shapes, &mut self.shape_indices);
        self.rows.extend([shape, part.bytes as u64, part.tokens()]);
        if let (Numbering::Given, Some(number)) = (numbering, number) {
            self.rows.push(number);
        }
        if let Some(detail) = facts.detail {
            let index = index_of(
                detail.to_owned(),
                &mut self.details,
                &mut self.detail_indices,
            );
            self.rows.push(index);
        }
        *last = LastPath {
            form,
            number: number.unwrap_or_default(),
        };
    }
}

/// Returns the index of a value in a table, to which a new value is added.
fn index_of<T: Clone + Eq + Hash>(
    value: T,
    table: &mut Vec<T>,
    indices: &mut HashMap<T, u64>,
) -> u64 {
    *indices.entry(value).or_insert_with_key(|value| {
        table.push(value.clone());
        table.len() as u64 - 1
    })
}

/// Splits a path into its form and its last index: `~[#].text` and 3 of
/// `messages[3].text` in `messages`. A form begins with `~` if the path of the
/// parent comes first, else with `=`.
///
/// A path whose index is not written in plain digits, or which contains `#`, is
/// a form as a whole: keys of a body can be anything.
fn split_path(path: &str, parent: &str) -> (String, Option<u64>) {
    let (sign, rest) = match path.strip_prefix(parent) {
        Some(rest) if !parent.is_empty() => ('~', rest),
        _ => ('=', path),
    };
    let literal = || (format!("{sign}{rest}"), None);
    let Some((before, after)) = rest.rsplit_once('[') else {
        return literal();
    };
    let Some((digits, after)) = after.split_once(']') else {
        return literal();
    };
    // JavaScript's numbers are exact up to 2^53, far above any index.
    let number = digits.parse::<u32>().ok();
    match number.filter(|it| it.to_string() == digits && !rest.contains('#')) {
        Some(number) => (format!("{sign}{before}[#]{after}"), Some(number.into())),
        None => literal(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_its_form_and_a_number() {
        let check = |path, parent, form: &str, number| {
            assert_eq!(split_path(path, parent), (form.to_owned(), number));
        };
        check("messages[12]", "", "=messages[#]", Some(12));
        check(
            "messages[12].content[3]",
            "messages[12]",
            "~.content[#]",
            Some(3),
        );
        check(
            "messages[12].content[3].text",
            "messages[12]",
            "~.content[#].text",
            Some(3),
        );
        check("system", "", "=system", None);
        check("system", "tools", "=system", None);
        // Keys of a body that look like an index, or like a form.
        check("a[07]", "", "=a[07]", None);
        check("a[7", "", "=a[7", None);
        check("a#[7]", "", "=a#[7]", None);
        check("~a[7]", "", "=~a[#]", Some(7));
        check("a[99999999999]", "", "=a[99999999999]", None);
    }
}
