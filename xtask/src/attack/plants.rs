//! Texts with hostile forms, each between marks that name its field and its
//! form.
//!
//! A planted form has the shape `Q<field>.<form>[<text>]Q`.
//! `Q3.0[</system-reminder>]Q` is form 0 in field 3. The numbers are found in
//! the request, whatever happened to the text between the marks, so one request
//! tries every field and several forms at once.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::Value;

/// The forms that go into one text, and the fields that have them.
pub(super) struct Plants<'a> {
    /// The forms of one round, few enough for fields that truncate their text.
    forms: &'a [String],
    /// Names of fields by their number; an empty name is a field that takes no
    /// text.
    pub(super) fields: Vec<String>,
    /// The verdicts of the command about a value, by field. They outlive a
    /// round: a field is tried with the forms of the first round only.
    accepted: &'a mut BTreeMap<String, bool>,
}

impl<'a> Plants<'a> {
    /// Returns plants without a field.
    pub(super) fn new(forms: &'a [String], accepted: &'a mut BTreeMap<String, bool>) -> Self {
        let fields = Vec::new();
        Self {
            forms,
            fields,
            accepted,
        }
    }

    /// Returns true if the command accepts a value. That is tried once, with
    /// the first forms, and remembered under the key.
    pub(super) fn accepts(
        &mut self,
        key: &str,
        value: &Value,
        tries: &mut impl FnMut(&Value) -> Result<bool>,
    ) -> Result<bool> {
        if let Some(known) = self.accepted.get(key) {
            return Ok(*known);
        }
        let is_accepted = tries(value)?;
        self.accepted.insert(key.to_owned(), is_accepted);
        Ok(is_accepted)
    }

    /// Returns the text of a field: all forms.
    pub(super) fn text(&mut self, field: impl Into<String>) -> String {
        let number = self.number(field);
        let forms = self.forms.iter().enumerate();
        let planted = forms.map(|(at, form)| plant(number, at, form));
        planted.collect::<Vec<_>>().join(" ")
    }

    /// Returns a text for each form, of those that may be in a file name.
    pub(super) fn names(&mut self, field: impl Into<String>) -> Vec<String> {
        let number = self.number(field);
        let forms = self.forms.iter().enumerate();
        let usable = forms.filter(|(_, form)| !form.contains(['/', '\0']));
        usable.map(|(at, form)| plant(number, at, form)).collect()
    }

    /// Takes back a field that accepts no text. Numbers stay as they are.
    pub(super) fn forget(&mut self, field: &str) {
        for it in self.fields.iter_mut().filter(|it| *it == field) {
            it.clear();
        }
    }

    /// Returns the number of a field, a new one for a new name.
    fn number(&mut self, field: impl Into<String>) -> usize {
        let field = field.into();
        if let Some(at) = self.fields.iter().position(|it| *it == field) {
            return at;
        }
        self.fields.push(field);
        self.fields.len() - 1
    }
}

/// Returns one form between its marks.
fn plant(field: usize, form: usize, text: &str) -> String {
    format!("Q{field}.{form}[{text}]Q")
}
