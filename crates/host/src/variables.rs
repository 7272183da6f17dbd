use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The environment variables that Aside honours, read into one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    /// The user's home, absolute.
    pub home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, absolute.
    pub claude_config_dir: Option<PathBuf>,
    /// `ASIDE_MANAGED_DIR`, absolute.
    pub managed_dir: Option<PathBuf>,
    /// `SHELL`: a path or a name.
    pub shell: Option<OsString>,
    /// `CLAUDE_CODE_SIMPLE` or `ASIDE_SIMPLE`.
    pub simple: bool,
    /// `CLAUDE_CODE_DISABLE_CLAUDE_MDS`.
    pub disable_claude_mds: bool,
    /// `CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD`.
    pub additional_claude_mds: bool,
    /// `CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS` or `CLAUDE_CODE_REMOTE`.
    pub skip_git: bool,
}

impl Variables {
    /// Those among these pairs of name and value. A relative path where an
    /// absolute one belongs counts as not given.
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Self
    where
        K: AsRef<OsStr>,
        V: Into<OsString>,
    {
        let mut variables = Self::default();
        for (name, value) in pairs {
            let value = value.into();
            match name.as_ref().to_str() {
                Some("USERPROFILE") if cfg!(windows) => variables.home = absolute(value),
                Some("HOME") if !cfg!(windows) => variables.home = absolute(value),
                Some("CLAUDE_CONFIG_DIR") => variables.claude_config_dir = absolute(value),
                Some("ASIDE_MANAGED_DIR") => variables.managed_dir = absolute(value),
                Some("SHELL") if !value.is_empty() => variables.shell = Some(value),
                Some("CLAUDE_CODE_SIMPLE" | "ASIDE_SIMPLE") => variables.simple |= is_on(&value),
                Some("CLAUDE_CODE_DISABLE_CLAUDE_MDS") => {
                    variables.disable_claude_mds |= is_on(&value);
                }
                Some("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD") => {
                    variables.additional_claude_mds |= is_on(&value);
                }
                Some("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS" | "CLAUDE_CODE_REMOTE") => {
                    variables.skip_git |= is_on(&value);
                }
                _ => {}
            }
        }
        variables
    }

    /// The user's configuration: `CLAUDE_CONFIG_DIR`, else `~/.claude`.
    #[must_use]
    pub fn config_dir(&self) -> Option<PathBuf> {
        let in_home = || self.home.as_ref().map(|home| home.join(".claude"));
        self.claude_config_dir.clone().or_else(in_home)
    }
}

fn absolute(value: OsString) -> Option<PathBuf> {
    Some(PathBuf::from(value)).filter(|path| path.is_absolute())
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
    fn relative_directories_do_not_count() {
        let variables = Variables::from_pairs([("HOME", "home"), ("CLAUDE_CONFIG_DIR", "")]);
        assert_eq!(variables, Variables::default());
    }
}
