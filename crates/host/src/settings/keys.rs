//! The keys in a settings file, as written.
//!
//! ```json
//! {"language": "German", "promptCacheTtl": "1h", "cache": {"prefix": "auto"},
//!  "compaction": {"at": 0.8}, "env": {"ASIDE_COMPACT_METHOD": "api"}}
//! ```
//!
//! For what each key means, see the merged [`Settings`](super::Settings).

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};

use super::{ClearToolUsesSettings, CompactionSettings, McpEntries};

/// The keys in one file that Aside uses. Other keys are ignored.
///
/// A missing key leaves the value from a lower layer in effect. A value of another type makes the
/// whole file faulty.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
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
    pub(crate) compaction: CompactionSettings,
    pub(crate) clear_tool_uses: ClearToolUsesSettings,
    pub(crate) betas: Option<Vec<String>>,
    pub(crate) mcp_servers: Option<McpEntries>,
    pub(crate) models: Option<String>,
    pub(crate) env: Option<BTreeMap<String, VariableText>>,
    /// This and `hooks` are read leniently: their form belongs to another program.
    pub(crate) enabled_plugins: Option<serde_json::Value>,
    pub(crate) hooks: Option<serde_json::Value>,
    /// Other keys that resemble one of these.
    #[serde(skip)]
    pub(crate) misspelled: Vec<Misspelled>,
}

/// A key that is probably misspelled. Other programs share the settings; their keys are unknown
/// here and no fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misspelled {
    /// The key; a dot separates nested keys.
    pub(crate) key: String,
    /// How to write the known key that it resembles, without the object that `key` names.
    pub(crate) meant: String,
}

/// The keys below `cache`.
///
/// `{"prefix": "5m", "globalScope": true}`
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CacheKeys {
    pub(crate) prefix: Option<String>,
    pub(crate) global_scope: Option<bool>,
}

/// The names of all keys, as in [`Settings`](super::Settings); a dot separates nested keys.
///
/// Sorted; a test compares them with the structs.
pub(crate) const NAMES: [&str; 25] = [
    "autoMemoryDirectory",
    "autoMemoryEnabled",
    "betas",
    "cache.globalScope",
    "cache.prefix",
    "claudeMd",
    "claudeMdExcludes",
    "clearToolUses.atLeast",
    "clearToolUses.keep",
    "clearToolUses.trigger",
    "compaction.at",
    "compaction.enabled",
    "compaction.instructions",
    "compaction.method",
    "enabledPlugins",
    "env",
    "hooks",
    "includeGitInstructions",
    "language",
    "mcpServers",
    "models",
    "outputStyle",
    "promptCacheTtl",
    "promptCacheTtlAllowlist",
    "subagentPromptCacheTtl",
];

/// A variable's value: a string, a number or a boolean.
///
/// `{"env": {"ASIDE_SIMPLE": true}}` sets the text `true`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariableText(pub(crate) String);

impl<'de> Deserialize<'de> for VariableText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(VariableVisitor)
    }
}

/// Refuses null, lists and objects.
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

#[cfg(test)]
mod tests {
    use serde::de::Error as _;
    use serde::de::value::Error;
    use serde::forward_to_deserialize_any;

    use super::*;

    /// Records a struct's fields instead of reading it.
    struct Fields<'a>(&'a mut Vec<&'static str>);

    impl<'de> Deserializer<'de> for Fields<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(Error::custom("no struct"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            Err(Error::custom("recorded"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    fn fields<'de, T: Deserialize<'de>>() -> Vec<&'static str> {
        let mut fields = Vec::new();
        let read = T::deserialize(Fields(&mut fields));
        assert!(read.is_err());
        fields
    }

    #[test]
    fn the_names_are_those_that_are_read() {
        let objects = [
            ("cache", fields::<CacheKeys>()),
            ("clearToolUses", fields::<ClearToolUsesSettings>()),
            ("compaction", fields::<CompactionSettings>()),
        ];
        let mut names = Vec::new();
        for name in fields::<Keys>() {
            match objects.iter().find(|(object, _)| *object == name) {
                Some((object, keys)) => {
                    names.extend(keys.iter().map(|key| format!("{object}.{key}")));
                }
                None => names.push(name.to_owned()),
            }
        }
        names.sort();
        assert_eq!(names, NAMES);
    }
}
