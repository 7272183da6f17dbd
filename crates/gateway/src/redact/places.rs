//! Which strings in a body are secrets, by the keys that lead to them.
//!
//! Users' and models' texts may have any key at any depth: tool input is never
//! changed, and in a schema the keys below `properties` are names. Everywhere
//! else a key's name decides, so that a field that no vendor has documented yet
//! is covered.

use super::names::Name;
use super::url::Paths;

/// A part of a body with its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    /// Tools and parameters.
    Parameters,
    /// An MCP server, in which only listed strings are kept.
    Server,
    /// Messages and content blocks, whose strings are texts.
    Messages,
    /// A JSON schema.
    Schema,
    /// An object's members in a schema, whose keys are names.
    Names,
    /// A value in a user's or a tool's own format.
    Opaque,
    /// The value of a key that can hold a secret.
    Secret,
    /// The same, with numbers that are counts.
    SecretText,
}

/// How to treat the strings directly at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strings {
    Kept,
    Replaced,
    /// The string is a URL.
    Url(Paths),
    /// The string may contain URLs, a bearer, or JSON.
    Searched,
}

/// Where a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    region: Region,
    pub(super) strings: Strings,
}

impl Place {
    pub(super) const REQUEST: Self = Self::new(Region::Parameters, Strings::Searched);
    pub(super) const BLOCK: Self = Self::new(Region::Messages, Strings::Kept);

    /// Returns the place at a path in a request, such as `tools[0].auth_header`.
    pub(super) fn at(path: &str) -> Self {
        let keys = path.split('.').map(|it| it.split('[').next().unwrap_or(it));
        keys.fold(Self::REQUEST, Self::member)
    }

    const fn new(region: Region, strings: Strings) -> Self {
        Self { region, strings }
    }

    pub(super) fn has_secret_numbers(self) -> bool {
        self.region == Region::Secret
    }

    pub(super) fn is_opaque(self) -> bool {
        self.region == Region::Opaque
    }

    /// Returns the place of a key's value in an object here.
    pub(super) fn member(self, key: &str) -> Self {
        let region = self.region;
        if matches!(region, Region::Opaque | Region::Secret | Region::SecretText) {
            return self;
        }
        let name = Name::new(key);
        if region == Region::Names {
            // A definition is an object; a string is none, and may be anything.
            let strings = if name.is_secret { Strings::Replaced } else { Strings::Searched };
            return Self::new(Region::Schema, strings);
        }
        if name.is_secret && !(region == Region::Messages && name.plain == "keys") {
            let region = if name.is_count() { Region::SecretText } else { Region::Secret };
            return Self::new(region, Strings::Replaced);
        }
        let inner = inner(region, &name.plain);
        Self::new(inner, strings(inner, &name))
    }
}

/// Returns the region below a key that is not a secret.
fn inner(region: Region, name: &str) -> Region {
    match (region, name) {
        (Region::Server, _) | (_, "mcpservers") => Region::Server,
        (
            Region::Schema,
            "properties" | "patternproperties" | "defs" | "definitions" | "dependentschemas",
        ) => Region::Names,
        (
            Region::Schema,
            "default" | "example" | "examples" | "const" | "enum" | "required"
            | "dependentrequired",
        ) => Region::Opaque,
        (Region::Schema, _) => Region::Schema,
        (_, "parameters") => Region::Schema,
        (_, name) if name.ends_with("schema") => Region::Schema,
        (_, "inputexamples" | "filters" | "variables" | "logprobs" | "toplogprobs") => {
            Region::Opaque
        }
        (
            Region::Parameters,
            "messages" | "contents" | "content" | "system" | "systeminstruction" | "instructions"
            | "input" | "items",
        ) => Region::Messages,
        (Region::Messages, "tools") => Region::Parameters,
        (
            Region::Messages,
            "input" | "args" | "arguments" | "partialargs" | "response" | "json" | "attributes",
        ) => Region::Opaque,
        _ => region,
    }
}

/// Returns how to treat strings at a key that is not a secret.
fn strings(region: Region, name: &Name) -> Strings {
    let paths = match region {
        Region::Server => Paths::Short,
        _ if name.plain == "serverurl" => Paths::Short,
        _ => Paths::Kept,
    };
    match (region, &*name.plain) {
        (Region::Opaque, _) => Strings::Kept,
        _ if name.is_url() => Strings::Url(paths),
        (Region::Server, "type" | "name" | "allowedtools") => Strings::Kept,
        (Region::Server, _) => Strings::Replaced,
        (Region::Messages, _) | (Region::Schema, "pattern") => Strings::Kept,
        (_, "text" | "title" | "promptcachekey") => Strings::Kept,
        _ if name.is_text() => Strings::Kept,
        _ => Strings::Searched,
    }
}
