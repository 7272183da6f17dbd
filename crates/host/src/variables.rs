use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use aside_cache_split::TtlSwitches;

/// The values of the environment variables that Aside uses.
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
    pub disable_auto_memory: bool,
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`.
    pub additional_claude_mds: bool,
    /// `CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS` or `CLAUDE_CODE_REMOTE`.
    pub skip_git: bool,
    /// `ASIDE_COORDINATOR_MODE`.
    pub coordinator: bool,
    /// `DISABLE_PROMPT_CACHING`.
    pub disable_caching: bool,
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`, `ENABLE_PROMPT_CACHING_1H`,
    /// `FORCE_PROMPT_CACHING_5M`.
    pub ttl: TtlSwitches,
    /// `CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS`.
    pub disable_betas: bool,
    /// `ASIDE_CACHE_TTL`: the lifetime of cache entries.
    pub cache_ttl: Option<String>,
    /// `ASIDE_CACHE_PREFIX`: the lifetime of the layers that sessions share.
    pub cache_prefix: Option<String>,
}

impl Variables {
    /// Reads the variables from pairs of name and value. A relative path counts
    /// as unset if the variable needs an absolute one.
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
            // Most variables are others; their values are not copied.
            match name {
                "USERPROFILE" if cfg!(windows) => variables.home = absolute(value.into()),
                "HOME" if !cfg!(windows) => variables.home = absolute(value.into()),
                "CLAUDE_CONFIG_DIR" => variables.claude_config_dir = absolute(value.into()),
                "ASIDE_DIR" => variables.aside_dir = absolute(value.into()),
                "ASIDE_MANAGED_DIR" => variables.managed_dir = absolute(value.into()),
                "SHELL" => {
                    let shell = Some(value.into()).filter(|shell| !shell.is_empty());
                    variables.shell = shell.or(variables.shell);
                }
                "ASIDE_CACHE_TTL" => variables.cache_ttl = text(value.into()),
                "ASIDE_CACHE_PREFIX" => variables.cache_prefix = text(value.into()),
                name => {
                    if let Some(switch) = variables.switch(name) {
                        *switch |= is_on(&value.into());
                    }
                }
            }
        }
        variables
    }

    /// Returns the switch of a variable. Two variables may share a switch.
    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "CLAUDE_CODE_SIMPLE" | "ASIDE_SIMPLE" => &mut self.simple,
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS" => &mut self.disable_claude_mds,
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY" => &mut self.disable_auto_memory,
            "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD" => &mut self.additional_claude_mds,
            "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS" | "CLAUDE_CODE_REMOTE" => &mut self.skip_git,
            "ASIDE_COORDINATOR_MODE" => &mut self.coordinator,
            "DISABLE_PROMPT_CACHING" => &mut self.disable_caching,
            "ENABLE_PROMPT_CACHING_1H_BEDROCK" => &mut self.ttl.long_on_bedrock,
            "ENABLE_PROMPT_CACHING_1H" => &mut self.ttl.long_everywhere,
            "FORCE_PROMPT_CACHING_5M" => &mut self.ttl.force_short,
            "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS" => &mut self.disable_betas,
            _ => return None,
        })
    }

    /// Returns the directory of Aside's own files: `ASIDE_DIR`, else `~/.aside`.
    #[must_use]
    pub fn aside_dir(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".aside"));
        self.aside_dir.clone().or_else(in_home)
    }

    /// Returns the directory of the user's configuration: `CLAUDE_CONFIG_DIR`,
    /// else `~/.claude`.
    #[must_use]
    pub fn config_dir(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".claude"));
        self.claude_config_dir.clone().or_else(in_home)
    }
}

fn absolute(value: OsString) -> Option<PathBuf> {
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
}

fn text(value: OsString) -> Option<String> {
    let text = value.to_string_lossy().into_owned();
    Some(text).filter(|text| !text.is_empty())
}

fn is_on(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    ["1", "true", "yes", "on"]
        .iter()
        .any(|on| value.eq_ignore_ascii_case(on))
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
    fn one_of_two_names_is_enough() {
        let pairs = [("ASIDE_SIMPLE", "1"), ("CLAUDE_CODE_SIMPLE", "0")];
        assert!(Variables::from_pairs(pairs).simple);
    }

    #[test]
    fn switches_of_the_cache() {
        let on = |name: &str| Variables::from_pairs([(name, "1")]);
        assert!(on("DISABLE_PROMPT_CACHING").disable_caching);
        assert!(on("ASIDE_COORDINATOR_MODE").coordinator);
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
