//! The environment variables that Aside uses, each with its type.
//!
//! `FIELDS` lists all except the home directory; a test compares it with the
//! documentation.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use aside_cache_split::TtlSwitches;

/// The environment variables that Aside uses.
///
/// A variable that is not set is `None` or false. A switch that a setting also
/// has can be set to off, which wins over the setting. Values are interpreted no
/// further than their type: the module that uses one reports a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// The user's home, absolute.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, absolute.
    pub claude_config_dir: Option<PathBuf>,
    /// `ASIDE_DIR`, absolute.
    pub aside_dir: Option<PathBuf>,
    /// `ASIDE_MANAGED_DIR`, absolute.
    pub managed_dir: Option<PathBuf>,
    /// `SHELL`: a path or a name.
    pub shell: Option<OsString>,
    /// `CLAUDE_CODE_SIMPLE` or `ASIDE_SIMPLE`.
    pub simple: bool,
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`.
    pub disable_claude_mds: bool,
    /// `CLAUDE_CODE_DISABLE_AUTO_MEMORY`.
    pub disable_auto_memory: Option<bool>,
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`.
    pub additional_claude_mds: bool,
    /// `CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS`.
    pub disable_git: Option<bool>,
    /// `CLAUDE_CODE_REMOTE`: no git status either.
    pub remote: bool,
    /// `CLAUDE_CODE_COORDINATOR_MODE` or `ASIDE_COORDINATOR_MODE`.
    pub coordinator: bool,
    /// `DISABLE_PROMPT_CACHING`.
    pub disable_caching: bool,
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`, `ENABLE_PROMPT_CACHING_1H`,
    /// `FORCE_PROMPT_CACHING_5M`.
    pub ttl: TtlSwitches,
    /// `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS`.
    pub disable_betas: bool,
    /// `ASIDE_CACHE_TTL`: how long cache entries live.
    pub cache_ttl: Option<String>,
    /// `ASIDE_CACHE_TTL_ALLOWLIST`: query sources whose entries live for an
    /// hour, separated by commas.
    pub cache_ttl_allowlist: Option<String>,
    /// `ASIDE_CACHE_PREFIX`: how long the layers that sessions share live in
    /// the cache.
    pub cache_prefix: Option<String>,
    /// `ASIDE_GLOBAL_SCOPE`: whether to mark the static zone with global scope.
    pub global_scope: Option<bool>,
    /// `ASIDE_ATTRIBUTION`: the entrypoint to name in the attribution.
    pub attribution: Option<String>,
    /// `ASIDE_CACHE_BREAKER`: any value, as long as it is a new one.
    pub cache_breaker: Option<String>,
    /// `DISABLE_AUTO_COMPACT`.
    pub disable_auto_compact: Option<bool>,
    /// `ASIDE_COMPACT_AT`: the share of the context window that a request may
    /// fill.
    pub compact_at: Option<String>,
    /// `ASIDE_COMPACT_METHOD`: `auto`, `api` or `request`.
    pub compact_method: Option<String>,
    /// `ASIDE_CLEAR_TOOL_USES`: how many input tokens it takes for the API to
    /// clear older tool results.
    pub clear_tool_uses: Option<String>,
}

/// Which field a variable sets.
#[derive(Clone, Copy)]
enum Field {
    /// An absolute path; a relative one counts as unset.
    Directory(fn(&mut Variables) -> &mut Option<PathBuf>),
    /// A text; an empty one counts as unset.
    Text(fn(&mut Variables) -> &mut Option<String>),
    /// On for `1`, `true`, `yes` or `on`.
    Switch(fn(&mut Variables) -> &mut bool),
    /// A switch that is off for `0`, `false`, `no` or `off`; any other value
    /// counts as unset.
    Choice(fn(&mut Variables) -> &mut Option<bool>),
    /// A path or a name, in the system's bytes.
    Shell,
}

/// Every variable and its field. Two variables may share a switch.
///
/// Sorted by name, for a binary search.
const FIELDS: [(&str, Field); 28] = {
    use Field::{Choice, Directory, Shell, Switch, Text};
    [
        ("ASIDE_ATTRIBUTION", Text(|it| &mut it.attribution)),
        ("ASIDE_CACHE_BREAKER", Text(|it| &mut it.cache_breaker)),
        ("ASIDE_CACHE_PREFIX", Text(|it| &mut it.cache_prefix)),
        ("ASIDE_CACHE_TTL", Text(|it| &mut it.cache_ttl)),
        ("ASIDE_CACHE_TTL_ALLOWLIST", Text(|it| &mut it.cache_ttl_allowlist)),
        ("ASIDE_CLEAR_TOOL_USES", Text(|it| &mut it.clear_tool_uses)),
        ("ASIDE_COMPACT_AT", Text(|it| &mut it.compact_at)),
        ("ASIDE_COMPACT_METHOD", Text(|it| &mut it.compact_method)),
        ("ASIDE_COORDINATOR_MODE", Switch(|it| &mut it.coordinator)),
        ("ASIDE_DIR", Directory(|it| &mut it.aside_dir)),
        ("ASIDE_GLOBAL_SCOPE", Choice(|it| &mut it.global_scope)),
        ("ASIDE_MANAGED_DIR", Directory(|it| &mut it.managed_dir)),
        ("ASIDE_SIMPLE", Switch(|it| &mut it.simple)),
        (
            "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
            Switch(|it| &mut it.additional_claude_mds),
        ),
        ("CLAUDE_CODE_COORDINATOR_MODE", Switch(|it| &mut it.coordinator)),
        ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", Choice(|it| &mut it.disable_auto_memory)),
        ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", Switch(|it| &mut it.disable_claude_mds)),
        ("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS", Switch(|it| &mut it.disable_betas)),
        ("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", Choice(|it| &mut it.disable_git)),
        ("CLAUDE_CODE_REMOTE", Switch(|it| &mut it.remote)),
        ("CLAUDE_CODE_SIMPLE", Switch(|it| &mut it.simple)),
        ("CLAUDE_CONFIG_DIR", Directory(|it| &mut it.claude_config_dir)),
        ("DISABLE_AUTO_COMPACT", Choice(|it| &mut it.disable_auto_compact)),
        ("DISABLE_PROMPT_CACHING", Switch(|it| &mut it.disable_caching)),
        ("ENABLE_PROMPT_CACHING_1H", Switch(|it| &mut it.ttl.long_everywhere)),
        ("ENABLE_PROMPT_CACHING_1H_BEDROCK", Switch(|it| &mut it.ttl.long_on_bedrock)),
        ("FORCE_PROMPT_CACHING_5M", Switch(|it| &mut it.ttl.force_short)),
        ("SHELL", Shell),
    ]
};

const HOME: &str = if cfg!(windows) { "USERPROFILE" } else { "HOME" };

impl Variables {
    /// All variables that change a session, except the home. Those for
    /// providers, keys and addresses are not among them.
    pub const NAMES: [&str; FIELDS.len()] = {
        let mut names = [""; FIELDS.len()];
        let mut index = 0;
        while index < FIELDS.len() {
            names[index] = FIELDS[index].0;
            index += 1;
        }
        names
    };

    /// Reads variables from pairs of name and value. A relative path counts as
    /// unset when the variable needs an absolute one.
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<OsStr>,
        V: Into<OsString>,
    {
        let mut variables = Self::default();
        for (name, value) in pairs {
            let Some(name) = name.as_ref().to_str() else {
                continue;
            };
            if name == HOME {
                variables.home = absolute(value.into());
                continue;
            }
            // Most variables are others; their values are not copied.
            let found = FIELDS.binary_search_by_key(&name, |(name, _)| name);
            let Ok(index) = found else {
                continue;
            };
            let value = value.into();
            match FIELDS[index].1 {
                Field::Directory(field) => *field(&mut variables) = absolute(value),
                Field::Text(field) => *field(&mut variables) = text(value),
                Field::Switch(field) => *field(&mut variables) |= is_on(&value),
                Field::Choice(field) => *field(&mut variables) = choice(&value),
                Field::Shell => {
                    let shell = Some(value).filter(|shell| !shell.is_empty());
                    variables.shell = shell.or(variables.shell);
                }
            }
        }
        variables
    }

    /// Returns the directory for Aside's own files: `ASIDE_DIR`, else
    /// `~/.aside`.
    #[must_use]
    pub fn aside_dir(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".aside"));
        self.aside_dir.clone().or_else(in_home)
    }

    /// Returns the user's configuration directory: `CLAUDE_CONFIG_DIR`, else
    /// `~/.claude`.
    #[must_use]
    pub fn config_dir(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".claude"));
        self.claude_config_dir.clone().or_else(in_home)
    }
}

/// `None` for a relative or empty path.
fn absolute(value: OsString) -> Option<PathBuf> {
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

/// Bytes that are not UTF-8 are replaced.
fn text(value: OsString) -> Option<String> {
    let text = value.to_string_lossy().into_owned();
    Some(text).filter(|text| !text.is_empty())
}

fn is_on(value: &OsStr) -> bool {
    choice(value) == Some(true)
}

/// Letter case does not matter.
fn choice(value: &OsStr) -> Option<bool> {
    let is = |word: &&str| value.eq_ignore_ascii_case(word);
    let is_off = ["0", "false", "no", "off"].iter().any(is);
    let is_on = ["1", "true", "yes", "on"].iter().any(is);
    (is_on || is_off).then_some(is_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches() {
        let simple = |value| Variables::from_pairs([("CLAUDE_CODE_SIMPLE", value)]).simple;
        assert!(["1", "true", "TRUE", "yes", "on"].into_iter().all(simple));
        assert!(!["", "0", "false", "no", "off", "2"].into_iter().any(simple));
    }

    #[test]
    fn choices() {
        let pairs = |value| [("CLAUDE_CODE_DISABLE_AUTO_MEMORY", value)];
        let choice = |value| Variables::from_pairs(pairs(value)).disable_auto_memory;
        assert!(["1", "True", "yes", "on"].into_iter().all(|it| choice(it) == Some(true)));
        assert!(["0", "FALSE", "no", "off"].into_iter().all(|it| choice(it) == Some(false)));
        assert!(["", "2", "never"].into_iter().all(|it| choice(it).is_none()));
    }

    #[test]
    fn every_variable_has_an_effect_and_its_place() {
        assert!(Variables::NAMES.is_sorted());
        for name in Variables::NAMES {
            let value = if name.ends_with("DIR") { "/d" } else { "1" };
            let read = Variables::from_pairs([(name, value)]);
            assert_ne!(read, Variables::default(), "{name}");
        }
    }

    #[test]
    fn one_of_two_names_is_enough() {
        let pairs = [("ASIDE_SIMPLE", "1"), ("CLAUDE_CODE_SIMPLE", "0")];
        assert!(Variables::from_pairs(pairs).simple);
    }

    #[test]
    fn switches_of_the_cache() {
        let on = |name: &str| Variables::from_pairs([(name, "1")]);
        assert!(on("DISABLE_PROMPT_CACHING").disable_caching);
        assert!(on("ASIDE_COORDINATOR_MODE").coordinator);
        assert!(on("CLAUDE_CODE_COORDINATOR_MODE").coordinator);
        assert!(on("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS").disable_betas);
        let ttl = |long_on_bedrock, long_everywhere, force_short| TtlSwitches {
            long_on_bedrock,
            long_everywhere,
            force_short,
        };
        let bedrock = on("ENABLE_PROMPT_CACHING_1H_BEDROCK").ttl;
        assert_eq!(bedrock, ttl(true, false, false));
        let everywhere = on("ENABLE_PROMPT_CACHING_1H").ttl;
        assert_eq!(everywhere, ttl(false, true, false));
        let forced = on("FORCE_PROMPT_CACHING_5M").ttl;
        assert_eq!(forced, ttl(false, false, true));
        assert_eq!(on("PROMPT_CACHING"), Variables::default());
    }

    #[test]
    fn relative_directories_do_not_count() {
        let variables = Variables::from_pairs([("HOME", "home"), ("CLAUDE_CONFIG_DIR", "")]);
        assert_eq!(variables, Variables::default());
    }
}
