//! The front matter in other agents' rules.
//!
//! | header | front matter | activation |
//! | --- | --- | --- |
//! | Copilot | no `applyTo`, or one pattern for all paths | always |
//! | Copilot | `applyTo: "src/**"` | a touched path matches |
//! | Cursor | `alwaysApply: true` | always |
//! | Cursor | `globs`, also with a `description` | a touched path matches |
//! | Cursor | `description` only | on request of the model |
//! | Cursor | none of these | by hand |

use aside_user_files::{DocumentError, SplitDocument};
use serde::Deserialize;

use crate::discover::profile::Header;
use crate::rules::activation::Activation;
use crate::rules::header::Paths;

/// The patterns that Copilot takes for every path.
const ALL_PATHS: [&str; 3] = ["*", "**", "**/*"];

/// A Copilot rule's front matter. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
struct ApplyTo {
    #[serde(default, rename = "applyTo")]
    apply_to: Paths,
}

/// A Cursor rule's front matter. Other keys are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cursor {
    /// What the rule is for, by which the model requests it.
    #[serde(default)]
    description: Option<String>,
    /// A list of patterns, or one string with commas.
    #[serde(default)]
    globs: Paths,
    /// A value of any type: the text `"true"` is not the boolean.
    #[serde(default)]
    always_apply: AlwaysApply,
}

/// True for the boolean `true`; false for `false`, a text, an integer and an
/// empty value. A value of another type is an error.
#[derive(Debug, Default)]
struct AlwaysApply(bool);

impl<'de> Deserialize<'de> for AlwaysApply {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = AlwaysApply;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("true or false")
            }

            fn visit_bool<E>(self, value: bool) -> Result<AlwaysApply, E> {
                Ok(AlwaysApply(value))
            }

            fn visit_str<E>(self, _: &str) -> Result<AlwaysApply, E> {
                Ok(AlwaysApply(false))
            }

            fn visit_u64<E>(self, _: u64) -> Result<AlwaysApply, E> {
                Ok(AlwaysApply(false))
            }

            fn visit_i64<E>(self, _: i64) -> Result<AlwaysApply, E> {
                Ok(AlwaysApply(false))
            }

            fn visit_unit<E>(self) -> Result<AlwaysApply, E> {
                Ok(AlwaysApply(false))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Returns when to load a rule, its patterns, and the key that they have.
///
/// A document without front matter is read as if it were empty. Other forms of
/// [`Header`] give [`Activation::Always`] without patterns.
///
/// # Errors
///
/// The front matter is not valid YAML, or a key has a value of another type.
pub(crate) fn read(
    document: &SplitDocument<'_>,
    header: Header,
) -> Result<(Activation, Paths, &'static str), DocumentError> {
    let by_paths = |paths: Paths, key, otherwise| {
        let waits = !paths.patterns.is_empty();
        (if waits { Activation::Paths } else { otherwise }, paths, key)
    };
    Ok(match header {
        Header::ApplyTo => {
            let read = Paths::read(document, |it: &ApplyTo| &it.apply_to)?;
            let paths = read.unwrap_or_default().apply_to;
            match &paths.patterns[..] {
                [only] if ALL_PATHS.contains(&&**only) => (Activation::Always, paths, "applyTo"),
                _ => by_paths(paths, "applyTo", Activation::Always),
            }
        }
        Header::Cursor => {
            let read = Paths::read(document, |it: &Cursor| &it.globs)?.unwrap_or_default();
            if read.always_apply.0 {
                (Activation::Always, Paths::default(), "globs")
            } else if read.description.is_some_and(|it| !it.trim().is_empty()) {
                by_paths(read.globs, "globs", Activation::OnRequest)
            } else {
                by_paths(read.globs, "globs", Activation::Manual)
            }
        }
        Header::Paths | Header::None | Header::Ignored => {
            (Activation::Always, Paths::default(), "paths")
        }
    })
}
