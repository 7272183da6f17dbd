//! Turning schemas that a server refuses into ones that it accepts.

use std::collections::{HashMap, HashSet};

use aside_json::{Kind, Tape, Value};

use super::{Fault, Faults, PROPERTIES, SchemaFault, SchemaUse, faults_in, properties};
use crate::table::TOOL_SCHEMA;

mod edits;

use self::edits::Edits;

/// How to repair a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fix {
    /// Not at all: without the refused part, the schema has another meaning.
    None,
    /// Add a missing keyword, with this value.
    Insert(&'static str, &'static str),
    /// Set a keyword to this value.
    Set(&'static str, &'static str),
    /// Write another value.
    Replace(&'static str),
    /// Move the keyword to the description.
    Describe,
    /// Give the property another key.
    Rename,
    /// Send the schema as one that is not strict.
    Loosen,
}

/// A schema that a server accepts, and what was changed.
///
/// Bytes that no change concerns are the original's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The schema, as JSON.
    pub schema: String,
    /// The changes, at least one.
    pub repairs: Vec<SchemaRepair>,
    /// Properties with another key: restore a call's input with these ([`rename_keys`]).
    pub keys: Vec<KeyPair>,
    /// Text for the tool's description: the constraints that the schema lost. An output schema has
    /// this in its own description instead.
    pub description: Option<String>,
    /// True if you can no longer send the schema as strict.
    pub is_loose: bool,
}

/// A change in a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaRepair {
    /// The path in the schema, as in [`SchemaFault::path`].
    pub path: String,
    /// The change and its reason, a fragment such as `renamed to "a_b": …`.
    pub what: String,
}

/// How many characters a property's key may have.
const MAX_KEY_CHARS: usize = 64;

/// How often to repair what a repair added.
const MAX_PASSES: usize = 4;

/// A property whose key was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyPair {
    /// The key in the original schema.
    pub original: String,
    /// The key that the server accepts.
    pub sent: String,
}

/// Repairs a schema for a server; `None` if there is nothing to repair. The same schema always
/// gives the same result, so that a conversation's prefix does not change. [`SchemaUse::Gemini`]
/// has no repairs: a converter translates whole schemas for Gemini.
///
/// When keys are doubled, the last one is kept, as every reader does.
///
/// # Errors
/// Returns the first fault that cannot be repaired.
///
/// ```
/// use aside_rules::of::schema::{SchemaUse, repair};
///
/// let schema = r#"{"type":"object","properties":{"files":{"type":"array"}}}"#;
/// let repaired = repair(SchemaUse::OpenAi, schema).unwrap().unwrap();
/// assert_eq!(
///     repaired.schema,
///     r#"{"type":"object","properties":{"files":{"type":"array","items":{}}}}"#,
/// );
/// assert_eq!(repaired.repairs[0].path, "properties.files.items");
/// assert!(repair(SchemaUse::MessagesTool, schema).unwrap().is_none());
/// ```
pub fn repair(of: SchemaUse, schema: &str) -> Result<Option<Repaired>, SchemaFault> {
    repair_within(MAX_PASSES, of, schema)
}

fn repair_within(
    passes: usize,
    of: SchemaUse,
    schema: &str,
) -> Result<Option<Repaired>, SchemaFault> {
    let Ok(tape) = Tape::parse(schema.as_bytes()) else {
        return Ok(None);
    };
    if let Some((once, paths)) = tape.keys_once() {
        let mut repaired = repair_within(passes, of, &once)?
            .unwrap_or_else(|| Repaired { schema: once, ..Repaired::default() });
        let what = "written twice: the last one is kept";
        let doubled = paths.into_iter().map(|path| SchemaRepair { path, what: what.to_owned() });
        repaired.repairs.splice(0..0, doubled);
        return Ok(Some(repaired));
    }
    let root = tape.root();
    let mut faults = faults_in(of, root);
    faults.extend(top_type(of, root));
    let mut repairer = Repairer::new(of, root);
    for fault in faults {
        repairer.fix(fault)?;
    }
    let Some(mut repaired) = repairer.finish() else {
        return Ok(None);
    };
    let of = if repaired.is_loose { SchemaUse::OpenAi } else { of };
    // A repair can add faults: properties that moved to the top are checked there, and an object that
    // got its type may be open.
    if passes > 0
        && let Some(again) = repair_within(passes - 1, of, &repaired.schema)?
    {
        repaired.schema = again.schema;
        repaired.repairs.extend(again.repairs);
        repaired.keys.extend(again.keys);
        repaired.is_loose |= again.is_loose;
        repaired.description = match (repaired.description, again.description) {
            (Some(text), Some(more)) => Some(format!("{text}\n{more}")),
            (text, more) => text.or(more),
        };
    }
    Ok(Some(repaired))
}

/// Renames keys at the top of a call's input; `None` if it has none of them. `keys` are pairs: a
/// key and its replacement.
///
/// ```
/// use aside_rules::of::schema::rename_keys;
///
/// let renamed = rename_keys(r#"{"a_b": 1, "c": {"a_b": 2}}"#, &[("a_b", "a b")]);
/// assert_eq!(renamed.as_deref(), Some(r#"{"a b": 1, "c": {"a_b": 2}}"#));
/// ```
#[must_use]
pub fn rename_keys(input: &str, keys: &[(&str, &str)]) -> Option<String> {
    let tape = Tape::parse(input.as_bytes()).ok()?;
    let keys: HashMap<_, _> = keys.iter().copied().collect();
    let (mut renamed, mut end) = (String::new(), 0);
    for (key, value) in tape.root().members() {
        let Some(other) = keys.get(&*key) else {
            continue;
        };
        let start = value.member_range().start;
        let length = value.raw_key().unwrap_or_default().len() + 2;
        renamed.push_str(&input[end..start]);
        renamed.push_str(&edits::quoted(other));
        end = start + length;
    }
    (end > 0).then(|| renamed + &input[end..])
}

/// Returns faults in the type at the top, which a tool has to name. When a body is checked they are
/// reported as the tool's.
fn top_type(of: SchemaUse, root: Value<'_>) -> Vec<Fault<'_>> {
    let is_missing = root.given("type").is_none();
    let is_open_ai = matches!(of, SchemaUse::OpenAi | SchemaUse::OpenAiStrict);
    let is_refused = match of {
        SchemaUse::MessagesTool => root.text_of("type").as_deref() != Some("object"),
        _ => is_open_ai && is_missing && root.children().next().is_some(),
    };
    let mut faults = Faults(Vec::new());
    if !is_refused || root.kind() != Kind::Object {
        return faults.0;
    }
    if is_missing {
        let fix = Fix::Insert("type", "\"object\"");
        faults.add(&TOOL_SCHEMA, root, "no key", "the type object", fix);
        if is_open_ai && root.given("properties").is_none() {
            faults.missing(root, "properties", PROPERTIES);
        }
    } else {
        faults.object_type(&TOOL_SCHEMA, root);
    }
    faults.0
}

struct Repairer<'t> {
    of: SchemaUse,
    root: Value<'t>,
    edits: Edits,
    /// Constraints that move to the description.
    constraints: Vec<String>,
    /// The keys of the properties at the top, also those that were moved or given; `None` until
    /// they are needed.
    known: Option<HashSet<String>>,
    /// For each key that was taken, the next number to tell another one apart.
    numbers: HashMap<String, usize>,
    /// What is known of the result.
    repaired: Repaired,
}

impl<'t> Repairer<'t> {
    fn new(of: SchemaUse, root: Value<'t>) -> Self {
        Self {
            of,
            root,
            edits: Edits::default(),
            constraints: Vec::new(),
            known: None,
            numbers: HashMap::new(),
            repaired: Repaired::default(),
        }
    }

    fn fix(&mut self, fault: Fault<'t>) -> Result<(), SchemaFault> {
        let (at, expected) = (fault.at, fault.expected);
        let change = match fault.fix {
            Fix::None => return Err(fault.into()),
            Fix::Insert(key, value) | Fix::Set(key, value) => {
                match at.get(key) {
                    Some(present) => self.edits.replace(present, value),
                    None => self.edits.insert(at, key, value),
                }
                // Those of a keyword that moved to the description are in its place.
                if key == "properties" && at.path().is_empty() && self.edits.has_properties() {
                    "set to those of the moved keyword".to_owned()
                } else {
                    format!("set to {value}")
                }
            }
            Fix::Replace(value) => {
                self.edits.replace(at, value);
                format!("replaced by {value}")
            }
            Fix::Describe => {
                self.describe(at);
                "moved to the description".to_owned()
            }
            Fix::Rename => format!("renamed to {:?}", self.rename(at)),
            Fix::Loosen if self.repaired.is_loose => return Ok(()),
            Fix::Loosen => {
                self.repaired.is_loose = true;
                format!("{}, so the schema is sent as not strict", fault.found)
            }
        };
        let what = format!("{change}: the server accepts {expected}");
        self.report(fault.path(), what);
        Ok(())
    }

    fn report(&mut self, path: String, what: String) {
        self.repaired.repairs.push(SchemaRepair { path, what });
    }

    /// Moves a keyword to the description. Properties from its schemas move to the schema's own, so
    /// that the model still knows their types.
    fn describe(&mut self, keyword: Value<'t>) {
        let path = keyword.path();
        self.constraints.push(format!("{path}: {}", keyword.raw()));
        self.edits.drop(keyword);
        if self.of == SchemaUse::MessagesOutput {
            return;
        }
        for (key, value) in keyword.items().flat_map(properties) {
            let key = key.into_owned();
            if self.known().insert(key.clone()) {
                self.edits.add_property(self.root, &key, value.raw());
            }
        }
    }

    fn known(&mut self) -> &mut HashSet<String> {
        let root = self.root;
        let keys = || properties(root).map(|(key, _)| key.into_owned()).collect();
        self.known.get_or_insert_with(keys)
    }

    /// Gives a property at the top a key that the server accepts, and returns it.
    fn rename(&mut self, property: Value<'t>) -> String {
        let original = property.key().unwrap_or_default().into_owned();
        let plain = plain_key(&original);
        let mut sent = plain.clone();
        while !self.known().insert(sent.clone()) {
            let number = self.numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            let end = format!("_{number}");
            let kept = plain.len().min(MAX_KEY_CHARS - end.len());
            sent = plain[..kept].to_owned() + &end;
        }
        self.edits.rename(property, &sent);
        let pair = KeyPair { original, sent: sent.clone() };
        self.repaired.keys.push(pair);
        sent
    }

    /// Gives required properties their new keys.
    fn rename_required(&mut self) {
        let keys = self.repaired.keys.iter().map(|it| (it.original.as_str(), it.sent.as_str()));
        let keys: HashMap<_, _> = keys.collect();
        let required = self.root.given("required").filter(|_| !keys.is_empty());
        for name in required.into_iter().flat_map(Value::items) {
            if let Some(sent) = name.text().and_then(|it| keys.get(&*it)) {
                self.edits.replace(name, &edits::quoted(sent));
            }
        }
    }

    fn finish(mut self) -> Option<Repaired> {
        if self.repaired.repairs.is_empty() {
            return None;
        }
        self.rename_required();
        let lost = !self.constraints.is_empty();
        let mut description = lost.then(|| {
            let constraints = self.constraints.join("\n");
            let subject = match self.of {
                SchemaUse::MessagesOutput => "output",
                _ => "input",
            };
            format!("The {subject} also has to match this JSON Schema:\n{constraints}")
        });
        if self.of == SchemaUse::MessagesOutput
            && let Some(text) = description.take()
        {
            match self.root.get("description") {
                Some(known) => {
                    let known_text = known.text().unwrap_or_default();
                    let both = edits::quoted(&format!("{known_text}\n\n{text}"));
                    self.edits.replace(known, &both);
                }
                None => self.edits.insert(self.root, "description", &edits::quoted(&text)),
            }
        }
        Some(Repaired { schema: self.edits.write(self.root), description, ..self.repaired })
    }
}

/// Returns a key that matches `[a-zA-Z0-9_.-]{1,60}`, which leaves room for a number.
fn plain_key(key: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it);
    let plain = key.chars().map(|it| if is_plain(it) { it } else { '_' });
    let plain: String = plain.take(MAX_KEY_CHARS - 4).collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

#[cfg(test)]
mod tests;
