use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

/// The keys of one file that Aside uses. Other keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Keys {
    pub(crate) claude_md_excludes: Option<Vec<String>>,
    pub(crate) claude_md: Option<String>,
    pub(crate) include_git_instructions: Option<bool>,
    pub(crate) auto_memory_enabled: Option<bool>,
    pub(crate) auto_memory_directory: Option<String>,
    pub(crate) output_style: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) prompt_cache_ttl: Option<String>,
    pub(crate) subagent_prompt_cache_ttl: Option<String>,
    pub(crate) prompt_cache_ttl_allowlist: Option<Vec<String>>,
    pub(crate) cache: CacheKeys,
    pub(crate) env: Option<BTreeMap<String, VariableText>>,
}

/// The keys of `cache`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct CacheKeys {
    pub(crate) prefix: Option<String>,
}

/// The value of a variable: a string, a number or a boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariableText(pub(crate) String);

impl<'de> Deserialize<'de> for VariableText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VariableVisitor)
    }
}

struct VariableVisitor;

impl Visitor<'_> for VariableVisitor {
    type Value = VariableText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number or a switch")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<VariableText, E> {
        Ok(VariableText(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<VariableText, E> {
        Ok(VariableText(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<VariableText, E> {
        Ok(VariableText(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<VariableText, E> {
        Ok(VariableText(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<VariableText, E> {
        Ok(VariableText(value.to_string()))
    }
}
