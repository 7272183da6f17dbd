//! Compares a body with the closed shapes.
//!
//! These are the faults of form that the API refuses whatever the model is: a
//! key that is doubled, unknown or missing, a value of another type or outside
//! of its set, a block type that is unknown or not accepted at its place. The
//! shapes are data (`shapes`), and this file is the one interpreter of them.
//! Sources: the types of the SDK (`anthropic` 2.12.0, documented) and published
//! error texts (observed, October 2026).
//!
//! | body | rule | the API's refusal |
//! |---|---|---|
//! | `{"maxTokens":8,…}` | `unknown-key` | `maxTokens: Extra inputs are not permitted` |
//! | no `max_tokens` | `missing-key` | 400 with the path of the key |
//! | `"stream":"yes"` | `value-type` | 400 with the path of the value |
//! | `"clear_at":"soon"` | `value` | `Input should be 'next_user_message' or 'never'` |
//! | `{"type":"Tool_Use",…}` | `misspelled-kind` | 400 with the path of the block |
//! | an image in `system` | `block-place` | 400 with the path of the block |
//!
//! If the shape names a rule at a key (its *gate*), the key is reported as a
//! violation of that rule, which `Checker` lifts if the beta is sent.

use super::nearest::nearest;
use super::shape::{Key, Kind, Shape, Union};
use super::shapes::blocks::{BLOCKS, INNER_BLOCKS};
use super::shapes::request::{CLOUD_KEYS, COUNT_KEYS, REQUEST};
use crate::checker::Checker;
use crate::context::ApiEndpoint;
use crate::table::{
    BLOCK_PLACE, DOUBLED_KEY, FOREIGN_KIND, MARKER_FORM, MARKER_PLACE, MISSING_KEY,
    MISSPELLED_KIND, NULL_SYSTEM, UNKNOWN_KEY, UNKNOWN_KIND, VALUE, VALUE_TYPE,
};
use aside_json::{Kind as Type, Value};
use aside_json::{Path, excerpt};

/// Checks the whole body.
///
/// The keys of the top level depend on the endpoint and the platform:
/// `count_tokens` takes some of them, `InvokeModel` and Google Cloud take
/// `anthropic_version` and `anthropic_beta` and have no `model` in the body.
///
/// ```json
/// {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 8, "messages": []}
/// ```
pub(super) fn request(checker: &mut Checker, root: Value<'_>) {
    let of_clouds = if checker.is_cloud_body {
        CLOUD_KEYS
    } else {
        &[]
    };
    let counts = checker.endpoint == ApiEndpoint::CountTokens;
    let is_taken = |key: &&Key| !counts || COUNT_KEYS.contains(&key.name);
    let keys: Vec<&Key> = REQUEST
        .keys
        .iter()
        .filter(is_taken)
        .chain(of_clouds)
        .collect();
    // The model of a cloud is in the address.
    let is_optional = |key: &str| checker.is_cloud_body && key == "model";
    let is_optional: Vec<bool> = keys.iter().map(|key| is_optional(key.name)).collect();
    let mut walk = Walk { checker };
    walk.members(root, &keys, Path::Root);
    for (key, is_optional) in keys.iter().zip(is_optional) {
        if key.is_required && !is_optional {
            walk.require(root, key, Path::Root);
        }
    }
}

/// The recursion is as deep as the shapes: an object of any form (`Kind::Open`,
/// such as a schema or a tool input) ends it, so a deep body costs no stack.
struct Walk<'c> {
    checker: &'c mut Checker,
}

impl Walk<'_> {
    /// Checks an object without `type` against its only shape.
    fn object(&mut self, object: Value<'_>, shape: &Shape, path: Path<'_>) {
        let keys: Vec<&Key> = shape.keys.iter().collect();
        self.members(object, &keys, path);
        for key in keys.iter().filter(|key| key.is_required) {
            self.require(object, key, path);
        }
    }

    /// Checks each member in the order of the text. A doubled key is reported
    /// at its second occurrence; both values are checked.
    fn members(&mut self, object: Value<'_>, keys: &[&Key], path: Path<'_>) {
        let doubled = object.doubled_members();
        for (name, value) in object.members() {
            let at = Path::Key(&path, &name);
            if doubled.iter().any(|it| it.range() == value.range()) {
                self.checker
                    .add(&DOUBLED_KEY, at.to_string(), "the key again");
            }
            match keys.iter().find(|key| key.name == name) {
                Some(key) => self.member(key, value, at),
                None => self.unknown_key(&name, value, keys, at),
            }
        }
    }

    /// Checks a known key. A null is accepted if the SDK's type is nullable;
    /// `"system":null` has a rule of its own, because other clients send it.
    /// The gate is reported first, then the value is checked, so that a body
    /// without the beta also has the report of a wrong value.
    fn member(&mut self, key: &Key, value: Value<'_>, at: Path<'_>) {
        if value.is_null() {
            if key.name == "system" {
                self.checker.add(&NULL_SYSTEM, at.to_string(), "null");
            } else if !key.takes_null {
                self.wrong_type(key.kind, value, at);
            }
            return;
        }
        if let Some(gate) = key.gate {
            self.checker.add(gate, at.to_string(), excerpt(value.raw()));
        }
        self.value(key.kind, value, at);
    }

    /// Reports a key that the shape lacks. `cache_control` is a violation of
    /// `marker-place` instead: the API accepts the key on other blocks. The
    /// expectation names the nearest known key if it is a misspelling, and the
    /// header if the key is one:
    ///
    /// ```text
    /// unknown-key: maxTokens: 8, expected max_tokens, or no key
    /// unknown-key: betas: ["x"], expected a header instead of a key
    /// ```
    fn unknown_key(&mut self, name: &str, value: Value<'_>, keys: &[&Key], at: Path<'_>) {
        let path = at.to_string();
        if is_marker(path.rsplit('.').next().unwrap_or_default()) && !value.is_null() {
            self.checker.add(&MARKER_PLACE, path, "a marker");
            return;
        }
        let found = excerpt(value.raw());
        let is_header = matches!(path.as_str(), "betas" | "user_profile_id" | "workspace_id");
        let expected = match nearest(name, keys.iter().map(|key| key.name)) {
            _ if is_header => "a header instead of a key".to_owned(),
            Some(near) if near.is_misspelled() => format!("{}, or no key", near.name),
            _ => "no other key".to_owned(),
        };
        self.checker
            .add_expecting(&UNKNOWN_KEY, path, found, expected);
    }

    /// Reports a required key that is absent. A null is not absent: it has been
    /// reported as a wrong type.
    fn require(&mut self, object: Value<'_>, key: &Key, path: Path<'_>) {
        if object.get(key.name).is_none() {
            let at = Path::Key(&path, key.name).to_string();
            let expected = key.kind.noun();
            self.checker
                .add_expecting(&MISSING_KEY, at, "no key", expected);
        }
    }

    /// Reports a value of another JSON type, such as `"max_tokens":"8"`.
    fn wrong_type(&mut self, kind: Kind, value: Value<'_>, at: Path<'_>) {
        let found = excerpt(value.raw());
        let path = at.to_string();
        self.checker
            .add_expecting(&VALUE_TYPE, path, found, kind.noun());
    }

    /// Checks one value. Of a `Kind::Either`, the first alternative with the
    /// JSON type of the value is the only one that is checked, so that a list
    /// with a faulty block is reported at the block and not as “neither text
    /// nor a list”.
    fn value(&mut self, kind: Kind, value: Value<'_>, at: Path<'_>) {
        if !has_type(kind, value) {
            return self.wrong_type(kind, value, at);
        }
        match kind {
            Kind::Text | Kind::Bool | Kind::Number => {}
            Kind::Open | Kind::Any => self.checker.doubled_keys(value),
            Kind::Integer(least) => {
                if value.integer().is_some_and(|it| it < least) {
                    let expected = format!("at least {least}");
                    let path = at.to_string();
                    self.checker
                        .add_expecting(&VALUE, path, value.raw(), expected);
                }
            }
            Kind::Literal(values) => self.literal(values, value, at),
            Kind::Object(shape) => self.object(value, shape, at),
            Kind::List(item) => {
                for (index, it) in value.items().enumerate() {
                    self.value(*item, it, Path::Index(&at, index));
                }
            }
            Kind::Map(of) => {
                for (name, it) in value.members() {
                    self.value(*of, it, Path::Key(&at, &name));
                }
            }
            Kind::Tagged(union) => self.tagged(union, value, at),
            Kind::Either(kinds) => {
                if let Some(kind) = kinds.iter().find(|kind| has_type(**kind, value)) {
                    self.value(*kind, value, at);
                }
            }
        }
    }

    /// Checks a text with a closed set of values. Inside of `cache_control`,
    /// the rule is `marker-form`: a wrong lifetime such as `"ttl":"2h"` has its
    /// own row in the table.
    fn literal(&mut self, values: &[&'static str], value: Value<'_>, at: Path<'_>) {
        let text = value.text().unwrap_or_default();
        if values.contains(&&*text) {
            return;
        }
        let path = at.to_string();
        let in_marker = path.rsplit('.').nth(1).is_some_and(is_marker);
        let rule = if in_marker { &MARKER_FORM } else { &VALUE };
        let expected = Kind::Literal(&[]).noun() + &values.join(", ");
        self.checker
            .add_expecting(rule, path, excerpt(value.raw()), expected);
    }

    /// Checks an object by its `type`. Without one, the object has the union's
    /// untagged shape (a tool of the caller has no `type`), or the key is
    /// missing. `type` itself is always a known key.
    fn tagged(&mut self, union: &'static Union, value: Value<'_>, at: Path<'_>) {
        let tag = value.given("type");
        let at_tag = Path::Key(&at, "type");
        let Some(tag) = tag else {
            match union.untagged {
                Some(shape) => self.object(value, shape, at),
                None => {
                    let expected = format!("the type of a {}", union.what);
                    let path = at_tag.to_string();
                    self.checker
                        .add_expecting(&MISSING_KEY, path, "no key", expected);
                }
            }
            return;
        };
        let Some(name) = tag.text() else {
            return self.wrong_type(Kind::Text, tag, at_tag);
        };
        let Some(variant) = union.variant(&name) else {
            return self.unknown_kind(&name, union, at_tag);
        };
        if let Some(gate) = variant.gate {
            self.checker.add(gate, at.to_string(), excerpt(tag.raw()));
        }
        let mut keys: Vec<&Key> = variant.shape.keys.iter().collect();
        if !keys.iter().any(|key| key.name == "type") {
            keys.push(&TYPE);
        }
        self.members(value, &keys, at);
        for key in keys.iter().filter(|key| key.is_required) {
            self.require(value, key, at);
        }
    }

    /// Reports a `type` that the union lacks, in one of four ways:
    ///
    /// - `block-place` if it is a block of the API elsewhere: an image in the
    ///   system prompt;
    /// - `foreign-kind` if another wire has it: an `image_url`;
    /// - `misspelled-kind` if at most two edits separate it from a known one;
    /// - `unknown-kind`, of the level
    ///   [`Unknown`](crate::rule::RuleLevel::Unknown), otherwise: a later
    ///   version of the API may have it.
    fn unknown_kind(&mut self, name: &str, union: &'static Union, at: Path<'_>) {
        let path = at.to_string();
        let found = excerpt(&format!("{name:?}"));
        let mut blocks = [&BLOCKS, &INNER_BLOCKS].into_iter();
        if union.is_of_blocks && blocks.any(|it| it.variant(name).is_some()) {
            let expected = format!("a {} of a type that is accepted here", union.what);
            self.checker
                .add_expecting(&BLOCK_PLACE, path, found, expected);
            return;
        }
        if FOREIGN_KINDS.contains(&name) {
            return self.checker.add(&FOREIGN_KIND, path, found);
        }
        let near = nearest(name, union.tags());
        let (rule, expected) = match near {
            Some(near) if near.is_misspelled() => (&MISSPELLED_KIND, near.name.to_owned()),
            Some(near) => (
                &UNKNOWN_KIND,
                format!("a known {}, such as {}", union.what, near.name),
            ),
            None => (&UNKNOWN_KIND, format!("a known {}", union.what)),
        };
        self.checker.add_expecting(rule, path, found, expected);
    }
}

/// Types of blocks and tools that Chat Completions or Responses has. A client that
/// sends one to the Messages API was ported in part.
const FOREIGN_KINDS: [&str; 12] = [
    "file",
    "function",
    "function_call",
    "function_call_output",
    "image_url",
    "input_audio",
    "input_file",
    "input_image",
    "input_text",
    "output_text",
    "reasoning",
    "refusal",
];

/// The key that distinguishes the variants of a union. Shapes of variants do
/// not list it.
const TYPE: Key = super::shape::optional("type", Kind::Text);

fn is_marker(key: &str) -> bool {
    key == "cache_control"
}

/// Returns true if the JSON type of the value fits.
///
/// An `Integer` also accepts `8.0`, as the API's own validator does; a `Number`
/// accepts any.
fn has_type(kind: Kind, value: Value<'_>) -> bool {
    let found = value.kind();
    match kind {
        Kind::Any => true,
        Kind::Text | Kind::Literal(_) => found == Type::String,
        Kind::Bool => found == Type::Bool,
        Kind::Integer(_) => value.integer().is_some(),
        Kind::Number => found == Type::Number,
        Kind::Open | Kind::Object(_) | Kind::Map(_) | Kind::Tagged(_) => found == Type::Object,
        Kind::List(_) => found == Type::Array,
        Kind::Either(kinds) => kinds.iter().any(|kind| has_type(*kind, value)),
    }
}
