//! Texts with hostile forms, each between marks that name its field and its
//! form.
//!
//! A planted form has the shape `Q<field>.<form>[<text>]Q`.
//! `Q3.0[</system-reminder>]Q` is form 0 in field 3. The numbers are found in
//! the request, whatever happened to the text between the marks, so one request
//! tries every field and several forms at once.

use std::collections::BTreeMap;

/// The forms that go into one text, and the fields that have them.
#[derive(Clone, Debug, Default)]
pub(super) struct Plants {
    /// The forms of one round, few enough for fields that truncate their text.
    pub(super) forms: Vec<String>,
    /// Names of fields by their number; an empty name is a field that takes no
    /// text.
    pub(super) fields: Vec<String>,
    /// The verdicts of the command about a value, by field. They outlive a
    /// round: a field is tried with the forms of the first round only.
    pub(super) accepted: BTreeMap<String, bool>,
}

impl Plants {
    /// Returns the text of a field: all forms.
    pub(super) fn text(&mut self, field: &str) -> String {
        self.planted(field, |_| true).join(" ")
    }

    /// Returns a text for each form, of those that may be in a file name.
    pub(super) fn names(&mut self, field: &str) -> Vec<String> {
        self.planted(field, |form| !form.contains(['/', '\0']))
    }

    /// Takes back a field that accepts no text. Numbers stay as they are.
    pub(super) fn forget(&mut self, field: &str) {
        for it in self.fields.iter_mut().filter(|it| *it == field) {
            it.clear();
        }
    }

    /// Returns the forms between their marks, under a new number for a new
    /// field.
    fn planted(&mut self, field: &str, is_usable: impl Fn(&str) -> bool) -> Vec<String> {
        let known = self.fields.iter().position(|it| it == field);
        let number = known.unwrap_or_else(|| {
            self.fields.push(field.to_owned());
            self.fields.len() - 1
        });
        let forms = self.forms.iter().enumerate();
        let usable = forms.filter(|(_, form)| is_usable(form));
        usable
            .map(|(at, form)| format!("Q{number}.{at}[{form}]Q"))
            .collect()
    }
}
