//! Editing JSON text at the positions of values.

use std::collections::BTreeMap;

use aside_json::{Kind, Value};

/// Edits to write in one pass. Values without an edit keep their bytes.
#[derive(Default)]
pub(super) struct Edits {
    /// By where the value starts.
    at: BTreeMap<usize, Edit>,
    /// Properties for a schema that has no `properties`, as JSON.
    properties: Vec<String>,
}

#[derive(Default)]
struct Edit {
    is_dropped: bool,
    key: Option<String>,
    value: Option<String>,
    /// Members to append, as JSON.
    members: Vec<String>,
}

impl Edits {
    fn edit(&mut self, value: Value<'_>) -> &mut Edit {
        self.at.entry(value.range().start).or_default()
    }

    pub(super) fn drop(&mut self, member: Value<'_>) {
        self.edit(member).is_dropped = true;
    }

    pub(super) fn rename(&mut self, member: Value<'_>, key: &str) {
        self.edit(member).key = Some(quoted(key));
    }

    pub(super) fn replace(&mut self, value: Value<'_>, json: &str) {
        self.edit(value).value = Some(json.to_owned());
    }

    /// The object must not have this key. A member that was inserted before is not repeated.
    pub(super) fn insert(&mut self, object: Value<'_>, key: &str, json: &str) {
        let member = member(key, json);
        let members = &mut self.edit(object).members;
        if !members.contains(&member) {
            members.push(member);
        }
    }

    /// The schema must have no property with this key, and none was added.
    pub(super) fn add_property(&mut self, schema: Value<'_>, key: &str, json: &str) {
        match schema.given("properties") {
            Some(properties) => self.edit(properties).members.push(member(key, json)),
            None => self.properties.push(member(key, json)),
        }
    }

    /// Returns true if properties were added to a schema without any.
    pub(super) fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    pub(super) fn write(mut self, root: Value<'_>) -> String {
        if !self.properties.is_empty() {
            let properties = format!("\"properties\":{{{}}}", self.properties.join(","));
            let edit = self.edit(root);
            edit.members.retain(|it| it != "\"properties\":{}");
            edit.members.push(properties);
        }
        let writer = Writer { edits: &self, text: root.raw(), base: root.range().start };
        let mut out = String::new();
        writer.value(root, &mut out);
        out
    }
}

/// White space stays.
struct Writer<'e> {
    edits: &'e Edits,
    text: &'e str,
    /// Where `text` begins in the whole text.
    base: usize,
}

impl Writer<'_> {
    fn between(&self, start: usize, end: usize) -> &str {
        &self.text[start - self.base..end - self.base]
    }

    /// Recurses as deep as the text, which the tape limits.
    fn value(&self, value: Value<'_>, out: &mut String) {
        let range = value.range();
        let edit = self.edits.at.get(&range.start);
        if let Some(json) = edit.and_then(|it| it.value.as_deref()) {
            out.push_str(json);
            return;
        }
        let is_nested = matches!(value.kind(), Kind::Object | Kind::Array);
        if !is_nested || self.edits.at.range(range.clone()).next().is_none() {
            out.push_str(value.raw());
            return;
        }
        let (mut end, mut is_first) = (range.start + 1, true);
        out.push_str(self.between(range.start, end));
        for child in value.children() {
            let member = child.member_range();
            let separator = self.between(end, member.start);
            end = member.end;
            let edit = self.edits.at.get(&child.range().start);
            if edit.is_some_and(|it| it.is_dropped) {
                continue;
            }
            out.push_str(if is_first {
                separator.trim_start_matches([',', ' '])
            } else {
                separator
            });
            is_first = false;
            let key = child.raw_key().map_or(0, |key| key.len() + 2);
            let own = self.between(member.start, member.start + key);
            out.push_str(edit.and_then(|it| it.key.as_deref()).unwrap_or(own));
            out.push_str(self.between(member.start + key, child.range().start));
            self.value(child, out);
        }
        for member in edit.into_iter().flat_map(|it| &it.members) {
            out.push_str(if is_first { "" } else { "," });
            is_first = false;
            out.push_str(member);
        }
        out.push_str(self.between(end, range.end));
    }
}

fn member(key: &str, json: &str) -> String {
    format!("{}:{json}", quoted(key))
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for it in text.chars() {
        match it {
            '"' | '\\' => out.extend(['\\', it]),
            '\n' => out.push_str("\\n"),
            '\u{0}'..='\u{1f}' => out.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => out.push(it),
        }
    }
    out.push('"');
    out
}
