//! A page's parts as rows of numbers.
//!
//! Most parts in a long conversation differ only in size, so what they have in
//! common is written once, as a shape, and a part is a row: its shape's index,
//! its bytes, its tokens, and its position or detail if these do not follow
//! from the part before. Rows are in body order, a part before its children. In
//! a usual session a part takes some 14 bytes.
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

/// A page's rows, and the tables that they refer to.
#[derive(Debug, Default, Serialize)]
pub(super) struct Rows {
    /// Each different shape once.
    shapes: Vec<Shape>,
    /// Each different detail once: paths and commands repeat in a session.
    details: Vec<String>,
    /// All rows, one after the other. The shape decides how many values a row
    /// has.
    rows: Vec<u64>,
    /// Where each shape is in `shapes`.
    #[serde(skip)]
    shape_indices: HashMap<Shape, u64>,
    /// Where each detail is in `details`.
    #[serde(skip)]
    detail_indices: HashMap<String, u64>,
}

/// What a part shares with others, written as an array.
///
/// In this order: kind, name, form of the path, numbering, state, origin,
/// whether the part has a text, whether it has a detail, how many children it
/// has.
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

/// How to find the last index in a part's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Numbering {
    /// It is in the path.
    Literal,
    /// One more than in the part before, or 0.
    Next,
    /// It is in the row.
    Given,
}

impl Serialize for Numbering {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

/// The path of a list's last part.
#[derive(Debug, Default)]
pub(super) struct LastPath {
    /// The path's form; empty before the first part.
    form: String,
    /// The last index in the path, or 0.
    number: u64,
}

/// What a row says beyond the part.
#[derive(Debug, Default)]
pub(super) struct RowFacts<'a> {
    /// The path of the part around it.
    pub(super) parent: &'a str,
    /// What a call is about; `None` in a page without texts.
    pub(super) detail: Option<&'a str>,
    /// The source as text, for the part or its only text.
    pub(super) origin: Option<Arc<str>>,
    /// True if the list of texts has one for this row.
    pub(super) has_text: bool,
    /// How many of the parts that follow are in it.
    pub(super) children: usize,
}

impl Rows {
    /// Adds a part; `last` is the part before it in the same list.
    ///
    /// When parts in a list follow each other in the body, so do their indices,
    /// so most rows need no index.
    pub(super) fn push(&mut self, part: &RequestPart, facts: RowFacts<'_>, last: &mut LastPath) {
        let (form, number) = split_path(&part.path, facts.parent);
        let expected = if last.form == form { last.number + 1 } else { 0 };
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
            let index = index_of(detail.to_owned(), &mut self.details, &mut self.detail_indices);
            self.rows.push(index);
        }
        *last = LastPath { form, number: number.unwrap_or_default() };
    }
}

/// Returns a value's index in a table, adding a new value.
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

/// Splits a path into its form and its last index: `~[#].text` and 3 for
/// `messages[3].text` in `messages`. A form begins with `~` if the parent's
/// path comes first, else with `=`.
///
/// A path whose index is not in plain digits, or which contains `#`, is a form
/// as a whole: a body's keys can be anything.
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
        check("messages[12].content[3]", "messages[12]", "~.content[#]", Some(3));
        check("messages[12].content[3].text", "messages[12]", "~.content[#].text", Some(3));
        check("system", "", "=system", None);
        check("system", "tools", "=system", None);
        // Body keys that look like an index, or like a form.
        check("a[07]", "", "=a[07]", None);
        check("a[7", "", "=a[7", None);
        check("a#[7]", "", "=a#[7]", None);
        check("~a[7]", "", "=~a[#]", Some(7));
        check("a[99999999999]", "", "=a[99999999999]", None);
    }
}
